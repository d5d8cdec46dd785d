"""Ranks and ties: one sort, then each element finds the ends of the run of its equals."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, normalize_axis_index, shown
from ..._core.fusion import fuse
from ..._core.multiarray import empty, ndarray, sorted_pairs, sorted_places, where
from ..._core.numeric import moveaxis
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import cumsum
from ._rank_parts import RUN_ENDS, is_long_row, put_long_ranks
from ._stats_py import _check_policy
from ._sums import tie_sums

__all__ = ["rankdata", "tiecorrect"]

METHODS = ("average", "min", "max", "dense", "ordinal")

# Dividing by the length of a row takes longer than finding the run, so a single row does not.
_PLACE = """
    const ptrdiff_t start = count < _ind.size() ? i / count * count : 0, j = i - start;
"""
# `rule` is the index in METHODS. If `is_spoilt`, the ranks of a row with NaN, its last, are NaN.
_RANKS = ElementwiseKernel(
    "raw T sorted, int64 order, int64 count, int32 rule, bool is_spoilt",
    "raw R ranks",
    _PLACE + """
    const ptrdiff_t first = rule == 0 || rule == 1 ? run_first(sorted, start, j) : 0;
    const ptrdiff_t last = rule == 0 || rule == 2 ? run_last(sorted, start, j, count) : 0;
    const ptrdiff_t twice = rule == 0 ? first + last + 2 : rule == 1 ? 2 * first + 2
                            : rule == 2 ? 2 * last + 2 : 2 * j + 2;
    const T last_key = sorted[start + (is_spoilt ? count - 1 : j)];
    const R rank = rule == 0 ? (R)(0.5 * twice) : (R)(twice / 2);
    ranks[start + order] = is_spoilt && !(last_key == last_key) ? (R)NAN : rank;
    """,
    "sample_ranks",
    preamble=RUN_ENDS,
)  # fmt: skip
_STARTS = ElementwiseKernel(
    "raw T sorted, int64 count",
    "int64 is_first",
    _PLACE + "is_first = j == 0 || !(sorted[i] == sorted[i - 1]);",
    "run_is_first",
)
_PUT = ElementwiseKernel(
    "raw R values, int64 order, int64 count",
    "raw R ranks",
    _PLACE + "ranks[start + order] = values[start + j];",
    "put_ranks",
)


def row_ranks(rows: ndarray, method: str = "average", dtype: Any = np.float64) -> ndarray:
    """Ranks of the elements within the last axis; NaN comes last."""
    return _ranked(rows, method, dtype, False)[0]


def spoilt_ranks(rows: ndarray) -> tuple[ndarray, ndarray]:
    """Mean ranks of the elements within the last axis, all NaN where there is one; sorted rows."""
    return _ranked(rows, "average", np.float64, True)


def _ranked(rows: ndarray, method: str, dtype: Any, is_spoilt: bool) -> tuple[ndarray, ndarray]:
    is_long = method != "dense" and is_long_row(rows, dtype)
    keys, order = sorted_places(rows.reshape(-1)) if is_long else sorted_pairs(rows)
    keys = keys.reshape(rows.shape)
    return ranks_in_order(keys, order, method, dtype, is_spoilt), keys


def ranks_in_order(
    keys: ndarray, order: ndarray, method: str, dtype: Any, is_spoilt: bool = False
) -> ndarray:
    """Ranks of rows that are given sorted, with the places that their elements had."""
    ranks, count = empty(keys.shape, dtype), keys.shape[-1]
    if not keys.size:
        return ranks
    if method == "dense":
        numbers = cumsum(_STARTS(keys, count, size=keys.size).reshape(keys.shape), axis=-1)
        _PUT(numbers.astype(dtype, copy=False), order.ravel(), count, ranks)
    elif is_long_row(keys, ranks.dtype):
        put_long_ranks(keys, order, METHODS.index(method), is_spoilt, ranks)
    else:
        _RANKS(keys, order.ravel(), count, METHODS.index(method), is_spoilt, ranks)
    return ranks


# How many elements of a sorted row are below a value, or at most equal to it.
_COUNTS = ElementwiseKernel(
    "raw T sorted, T value, int64 count, int64 width, bool equals",
    "int64 found",
    """
    const ptrdiff_t start = i / width * count;
    ptrdiff_t low = 0, high = count;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        const T other = sorted[start + middle];
        if (equals ? other <= value : other < value) low = middle + 1;
        else high = middle;
    }
    found = low;
    """,
    "count_below",
)


def counts_below(keys: ndarray, values: ndarray, equals: bool) -> ndarray:
    """How many elements of each sorted row are below its values, or at most equal to them."""
    flat = values.ravel()
    found = _COUNTS(keys, flat, keys.shape[-1], values.shape[-1], equals)
    return found.reshape(values.shape)


def rankdata(a, method="average", *, axis=None, nan_policy="propagate") -> ndarray:
    """Return the ranks of the elements, the smallest 1.

    Parameters
    ----------
    a : array_like
        Numbers to be ranked.
    method : {'average', 'min', 'max', 'dense', 'ordinal'}, optional
        Rank of equal elements: the mean, the smallest or the largest of the ranks they take,
        the number of different elements up to them, or their order in the array.
    axis : int or None, optional
        Axis along which elements are ranked. By default the flattened array is ranked.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN makes all ranks of its row NaN, has no rank itself, or raises, which waits for
        the device.

    Returns
    -------
    ndarray
        Ranks of the type of `a` if that is a floating-point type, else of float64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.rankdata(cp.array([7, 5, 7, 9]))
    array([2.5, 1. , 2.5, 4. ])
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {shown(method)}: it must be one of {METHODS}")
    a = as_array(a)
    _check_policy(nan_policy, a)
    if axis is None:
        a, axis = a.reshape(-1), -1
    else:
        axis = normalize_axis_index(int(as_host(axis)), a.ndim)
    rows = moveaxis(a, axis, -1)
    dtype = a.dtype if a.dtype.kind == "f" else np.dtype(np.float64)
    if method != "dense" and nan_policy != "omit":
        return moveaxis(_ranked(rows, method, dtype, True)[0], -1, axis)
    ranks = row_ranks(rows, method, dtype)
    if a.dtype.kind in "fc":
        nan = um.isnan(rows)
        if nan_policy != "omit":
            nan = nan.any(axis=-1, keepdims=True)
        ranks = where(nan, dtype.type(np.nan), ranks)
    return moveaxis(ranks, -1, axis)


def tie_correction(keys: ndarray) -> ndarray:
    """1 - sum(t**3 - t) / (n**3 - n) of sorted rows, over the lengths t of their runs."""
    n = float(keys.shape[-1])
    if n < 2:
        return empty(keys.shape[:-1]) * 0 + 1.0
    pairs, _, third, _ = tie_sums(keys)
    return _untied(pairs, third, n**3 - n)


@fuse
def _untied(pairs, third, total):
    return 1.0 - (third + 6.0 * pairs) / total


def tiecorrect(rankvals) -> ndarray:
    """Return the factor by which ties lower the variance of sums of ranks.

    Parameters
    ----------
    rankvals : array_like
        Ranks of a sample, of one dimension.

    Returns
    -------
    ndarray
        The factor, 1 without ties and 0 if all are equal.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.tiecorrect(cp.array([1, 2.5, 2.5, 4]))
    array(0.9)
    """
    ranks = as_array(rankvals)
    if ranks.ndim != 1:
        raise ValueError(f"rankvals must be of one dimension, not of shape {ranks.shape}")
    keys, _ = sorted_pairs(ranks)
    return tie_correction(keys)
