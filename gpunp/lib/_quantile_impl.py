"""Median, percentile, quantile, which NumPy has in its `function_base`.

Rows are sorted; a single long row uses a selection, which reads the data once for every eleven bits
of its type. Quantiles `q` on the device are copied to the host; nothing else waits, except for
checks of weights.
"""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import (
    NoValue,
    as_array,
    as_numbers,
    check_out,
    numbers_on_host,
    shown,
)
from .._core._warnings import warn
from .._core.fromnumeric import sort
from .._core.multiarray import (
    array,
    ascontiguousarray,
    concatenate,
    copyto,
    ndarray,
    nth_rows,
    rank_rows,
    select_ranks,
    where,
)
from .._core.multiarray import (
    broadcast_view as broadcast_to,
)
from .._core.numeric import full, normalize_axis_tuple
from ._shape_base_impl import take_along_axis
from ._statistics_impl import _weights

__all__ = ["median", "percentile", "quantile"]

# The 'alpha' and 'beta' of the continuous methods of R. J. Hyndman and Y. Fan, "Sample quantiles in
# statistical packages", The American Statistician 50 (1996).
CONTINUOUS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
INTERPOLATING = {*CONTINUOUS, "midpoint", "averaged_inverted_cdf"}
METHODS = {
    *INTERPOLATING, "lower", "higher", "nearest", "inverted_cdf", "closest_observation",
}  # fmt: skip
# Below these a sort is as quick as a selection.
LONG_ROW, MANY_RANKS = 1 << 16, 12
LONG_TO_SELECT, FEW_RANKS = 1024, 4

# Rows up to these lengths are sorted within the kernel that reads them, if there are many or few.
SHORT_ROW, SHORT_AMONG_FEW, FEW = 128, 512, 1 << 16

# How to combine two elements.
LOWER, MEAN, WEIGHTED = 0, 1, 2


class _Host:
    """Computation of positions with NumPy; _Device uses kernels."""

    floor, ceil, rint, where = np.floor, np.ceil, np.rint, np.where
    minimum, maximum = np.minimum, np.maximum


class _Device:
    """The same on arrays: without NaN every row has its own number of elements."""

    floor, ceil, rint, where = um.floor, um.ceil, um.rint, staticmethod(where)
    minimum, maximum = um.minimum, um.maximum


def _positions(method: str, n: Any, q: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Sorted elements adjacent to a quantile: lower, upper, and weight of the upper or None."""
    weight = None
    if method in CONTINUOUS:
        alpha, beta = CONTINUOUS[method]
        at = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        low = xp.floor(at)
        weight, high = at - low, low + 1
    elif method == "midpoint":
        low, high = xp.floor((n - 1) * q), xp.ceil((n - 1) * q)
        weight = (high - low) / 2
    elif method == "averaged_inverted_cdf":
        at = n * q - 1
        low = xp.floor(at)
        high, weight = low + 1, xp.where(at == low, 0.5, 1.0)
    elif method == "closest_observation":
        at = n * q - 1.5
        low = xp.floor(at)
        low = high = xp.where((at == low) & (low % 2 == 1), low, low + 1)
    elif method == "inverted_cdf":
        low = high = xp.ceil(n * q - 1)
    else:
        round_ = {"lower": xp.floor, "higher": xp.ceil, "nearest": xp.rint}[method]
        low = high = round_((n - 1) * q)
    low, high = (xp.minimum(xp.maximum(x, 0), n - 1) for x in (low, high))
    return low, high, weight


# ---- rows --------------------------------------------------------------------------------------


def _rows(a: ndarray, axis: Any) -> tuple[ndarray, tuple[int, ...], tuple[int, ...]]:
    """`a` with the axes merged to the last one; the shape of the others; and with ones kept."""
    axes = tuple(range(a.ndim)) if axis is None else normalize_axis_tuple(axis, a.ndim)
    kept = [k for k in range(a.ndim) if k not in axes]
    shape = tuple(a.shape[k] for k in kept)
    ones = tuple(1 if k in axes else n for k, n in enumerate(a.shape))
    n = 1
    for k in axes:
        n *= a.shape[k]
    if len(axes) != 1 or axes[0] != a.ndim - 1:
        a = a.transpose([*kept, *axes])
    return a.reshape((*shape, n)), shape, ones


def _pick(rows: ndarray, ranks: list[int]) -> ndarray:
    """Elements of the given ranks in each row, along a new last axis."""
    n = rows.shape[-1]
    if rows.size == n >= LONG_ROW and len(ranks) <= MANY_RANKS and rows.dtype.kind not in "cm":
        found = select_ranks(rows.ravel(), array(ranks, np.int64))
        return found.reshape((*rows.shape[:-1], len(ranks)))
    return sort(rows).take(array(ranks, np.int64), -1)


def _is_real(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biufV"


def _ranked(
    rows: ndarray,
    ranks: list[tuple[int, int, float]],
    between: int,
    dtype: np.dtype[Any],
    skip_nan: bool = False,
) -> ndarray:
    """Combination of the ranks (low, high, weight) in each row of real numbers, along the first
    axis.
    """
    n = rows.shape[-1]
    if n <= SHORT_ROW or (n <= SHORT_AMONG_FEW and rows.size <= FEW):
        return rank_rows(rows, ranks, between, dtype, False, skip_nan)
    low_high = {rank for low, high, _ in ranks for rank in (low, high)}
    wanted = sorted({*low_high, *[n - 1] * _has_nan(rows.dtype)})
    found = None if skip_nan else _selected(rows, wanted)
    if found is None:
        return rank_rows(sort(rows), ranks, between, dtype, True, skip_nan)
    places = [(wanted.index(low), wanted.index(high), weight) for low, high, weight in ranks]
    return rank_rows(found, places, between, dtype, True, False)


def _selected(rows: ndarray, wanted: list[int]) -> ndarray | None:
    """Elements of those ranks in each row, if selection is faster than a sort."""
    n = rows.shape[-1]
    if n >= LONG_TO_SELECT and len(wanted) <= FEW_RANKS and rows.size > 0:
        found = nth_rows(ascontiguousarray(rows), wanted, 0)
        if found is not None:
            return found
    if rows.size == n >= LONG_ROW and len(wanted) <= MANY_RANKS:
        found = select_ranks(rows.ravel(), array(wanted, np.int64))
        return found.reshape(*rows.shape[:-1], -1)
    return None


def _has_nan(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fcV"


def _finish(
    result: ndarray,
    lead: int,
    ones: tuple[int, ...],
    out: Any,
    keepdims: Any,
    casting: str = "same_kind",
    repeat: bool = False,
) -> ndarray:
    """Result with reduced axes kept after the first `lead` ones, and in `out`, as requested.

    With `repeat` the result is broadcast to `out`, as ufuncs do.
    """
    if keepdims is not NoValue and keepdims:
        result = result.reshape(result.shape[:lead] + ones)
    if check_out(out) is None:
        return result
    if out.shape != result.shape and not repeat:
        raise ValueError(
            f"output array has wrong shape {out.shape}; the result's is {result.shape}"
        )
    copyto(out, result, casting=casting)
    return out


# ---- median ------------------------------------------------------------------------------------


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False) -> ndarray:
    """Compute the median over axes.

    Parameters
    ----------
    a : array_like
        Array of real or complex numbers.
    axis : int, tuple of ints or None, optional
        Axis or axes over which to compute. By default all elements are used.
    out : ndarray, optional
        Array into which the result is written.
    overwrite_input : bool, optional
        Accepted for compatibility with NumPy; the input is never modified.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.

    Returns
    -------
    ndarray
        The medians; NaN if an element is NaN, or there are no elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.median(cp.array([[10, 7, 4], [3, 2, 1]]), axis=1)
    array([7., 2.])
    """
    a = as_array(a)
    rows, _, ones = _rows(a, axis)
    n = rows.shape[-1]
    if n == 0:
        result = rows.mean(-1)
    elif _is_real(a.dtype):
        dtype = a.dtype if _has_nan(a.dtype) else np.dtype(float)
        result = _ranked(rows, [((n - 1) // 2, n // 2, 0.5)], MEAN, dtype)[0]
    else:
        middle = [n // 2] if n % 2 else [n // 2 - 1, n // 2]
        checks = _has_nan(a.dtype) or a.dtype.kind == "m"
        picked = _pick(rows, middle + [n - 1] * checks)
        result = picked[..., : len(middle)].mean(-1)
        if checks:
            last = picked[..., -1]
            result = where(um.isnan(last), last, result)
    return _finish(result, 0, ones, out, keepdims, "unsafe")


def nan_median(a: Any, axis: Any, out: Any, keepdims: Any) -> ndarray:
    """Median of the elements that are not NaN; NaN if all are."""
    a = as_array(a)
    if not (_has_nan(a.dtype) or a.dtype.kind == "m"):
        return median(a, axis, out, False, keepdims)
    if a.size == 0:
        return um.nanmean(a, axis, None, out, keepdims)
    rows, _, ones = _rows(a, axis)
    if _is_real(a.dtype):
        result = _ranked(rows, [(0, 0, 0.5)], MEAN, a.dtype, True)[0]
        return _finish(result, 0, ones, out, keepdims, "unsafe")
    count = um.maximum(_count(rows), 1)
    pair = _along(sort(rows), concatenate([(count - 1) // 2, count // 2], -1))
    # A middle element alone is not added to itself: it could overflow.
    result = where(um.equal(count[..., 0] % 2, 1), pair[..., 0], pair.mean(-1))
    return _finish(result, 0, ones, out, keepdims, "unsafe")


def _count(rows: ndarray) -> ndarray:
    """How many elements of each row are not NaN, with the axis kept."""
    return rows.shape[-1] - um.isnan(rows).sum(-1, keepdims=True)


def _along(rows: ndarray, index: ndarray) -> ndarray:
    return take_along_axis(rows, index.astype(np.int64, copy=False), -1)


# ---- quantiles ---------------------------------------------------------------------------------


def _fractions(a: ndarray, q: Any, scale: int) -> tuple[np.ndarray[Any, Any], bool]:
    """q as fractions on the host, and whether it is a Python number, whose dtype is a's."""
    if a.dtype.kind == "c":
        raise TypeError("a must be an array of real numbers")
    weak = type(q) in (int, float)
    q = numbers_on_host(q)
    if q.dtype.kind == "O" and isinstance(q[()], int):  # beyond 64 bits
        raise ValueError("Quantiles must be in the range [0, 1]")
    if q.dtype.kind not in "iufb":
        raise TypeError("q must be an array of real numbers")
    if q.ndim > 2:
        raise ValueError("q must be a scalar or 1d")
    if scale != 1:
        q = np.true_divide(q, scale)
    if q.size and not (q.min() >= 0 and q.max() <= 1):
        name, top = ("Quantiles", 1) if scale == 1 else ("Percentiles", 100)
        raise ValueError(f"{name} must be in the range [0, {top}]")
    return q, weak


def _result_dtype(a: np.dtype[Any], q: np.dtype[Any], weak: bool, method: str) -> np.dtype[Any]:
    """The dtype NumPy gives a quantile."""
    if method not in INTERPOLATING or (method == "linear" and q.kind in "iu"):
        return a
    if a.kind == "b":
        raise TypeError("quantiles between booleans are not defined: choose another method")
    if weak:
        return a if _has_nan(a) else np.dtype(float)
    if q.kind in "iu" and method != "averaged_inverted_cdf":
        return np.result_type(a, float)
    return np.result_type(a, q)


def _between(low: ndarray, high: ndarray, weight: ndarray) -> ndarray:
    """low + (high - low) * weight, computed from the nearer end."""
    gap = high - low
    return where(um.less(weight, 0.5), low + gap * weight, high - gap * (1 - weight))


def _quantiles(
    a: ndarray, q: np.ndarray[Any, Any], weak: bool, axis: Any, method: str, skip_nan: bool
) -> tuple[ndarray, tuple[int, ...]]:
    """Quantiles along the first axis, one for each of q's elements; the shape with axes kept."""
    dtype = _result_dtype(a.dtype, q.dtype, weak, method)
    rows, shape, ones = _rows(a, axis)
    n, q = rows.shape[-1], q.ravel()
    if weak and q.dtype.kind == "f":
        q = q.astype(np.float64)
    elif q.dtype.kind in "iub":  # the extremes alone: no interpolation
        q, method = q.astype(np.float64), "lower" if method == "linear" else method
    if rows.size == 0 or q.size == 0:
        if rows.size == 0 and 0 not in shape and not skip_nan:
            raise IndexError("index -1 is out of bounds for axis 0 with size 0")
        return full((q.size, *shape), np.nan if _has_nan(dtype) else 0, dtype), ones
    if skip_nan and _has_nan(a.dtype):
        if method == "linear" and _is_real(a.dtype):
            return _ranked(rows, [(0, 0, x) for x in q.tolist()], WEIGHTED, dtype, True), ones
        count = um.maximum(_count(rows), 1)
        low, high, weight = _positions(method, count, array(q), _Device)
        rows = sort(rows)
        lower = _along(rows, low)
        upper = lower if weight is None else _along(rows, high)
        bad = None
    else:
        low, high, weight = _positions(method, n, q, _Host)
        low, high = low.astype(np.int64), high.astype(np.int64)
        if _is_real(a.dtype) and (weight is None or _has_nan(dtype)):
            weights = [0.0] * q.size if weight is None else weight.tolist()
            ranks = list(zip(low.tolist(), high.tolist(), weights, strict=True))
            return _ranked(rows, ranks, LOWER if weight is None else WEIGHTED, dtype), ones
        wanted = sorted({*low.tolist(), *high.tolist(), *[n - 1] * _has_nan(a.dtype)})
        picked = _pick(rows, wanted)
        lower = _part(picked, [wanted.index(k) for k in low.tolist()])
        upper = _part(picked, [wanted.index(k) for k in high.tolist()])
        bad = picked[..., -1:] if _has_nan(a.dtype) else None
        weight = None if weight is None else array(weight)
    if weight is None:
        result = lower.astype(dtype, copy=False)
    else:
        lower, upper = (x.astype(dtype, copy=False) for x in (lower, upper))
        result = _between(lower, upper, weight.astype(_weight_dtype(dtype), copy=False))
        result = result.astype(dtype, copy=False)
    if bad is not None:
        result = where(um.isnan(bad), bad.astype(dtype, copy=False), result)
    return result.transpose([result.ndim - 1, *range(result.ndim - 1)]), ones


def _part(picked: ndarray, columns: list[int]) -> ndarray:
    """Columns of the selected elements: a view if they are in order."""
    if columns == list(range(columns[0], columns[0] + len(columns))):
        return picked[..., columns[0] : columns[0] + len(columns)]
    return picked.take(array(columns, np.int64), -1)


def _weight_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Type of the weights: that of the result if it is a floating one."""
    return dtype if _has_nan(dtype) else np.dtype(float)


def _weighted(
    a: ndarray, q: np.ndarray[Any, Any], weights: Any, axis: Any, method: str, skip_nan: bool
) -> tuple[ndarray, tuple[int, ...]]:
    """The same by the inverted distribution function of weighted elements."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    axes = None if axis is None else normalize_axis_tuple(axis, a.ndim, "axis")
    weights = as_array(weights)
    if weights.dtype.kind == "c":
        raise TypeError("weights must be an array of real numbers")
    weights = broadcast_to(_weights(a, weights, axes), a.shape)
    if bool(um.less(weights, 0).any()):
        raise ValueError("Weights must be non-negative.")
    rows, _, ones = _rows(a, axis)
    heavy = _rows(weights, axis)[0]
    if skip_nan and _has_nan(a.dtype):
        heavy = where(um.isnan(rows), 0, heavy)
    order = rows.argsort()
    rows = _along(rows, order)
    share = _along(heavy, order).cumsum(-1, np.float64)
    total = share[..., -1:]
    if skip_nan and _has_nan(a.dtype):
        total = where(um.isnan(rows[..., :1]), 1, total)  # a row of nothing but NaN gives NaN
    share = share / total
    if bool(um.isnan(share[..., -1]).any()):
        raise ValueError("Weights included NaN, inf or were all zero.")
    if q.dtype.kind == "f":
        share = share.astype(q.dtype, copy=False)
    share = where(um.equal(share, 0), -1, share)  # elements of weight zero are no quantiles
    wanted = array(q.ravel())[:, None]
    place = um.less(share[..., None, :], wanted).sum(-1)
    result = _along(rows, um.minimum(place, rows.shape[-1] - 1))
    if _has_nan(a.dtype) and not skip_nan:
        bad = rows[..., -1:]
        result = where(um.isnan(bad), bad, result)
    return result.transpose([result.ndim - 1, *range(result.ndim - 1)]), ones


def any_quantile(
    a: Any, q: Any, scale: int, axis: Any, out: Any, method: str, keepdims: Any, weights: Any,
    skip_nan: bool,
) -> ndarray:  # fmt: skip
    """Common implementation of percentile and quantile: `q` is divided by `scale`."""
    a = as_numbers(a, "quantile")
    q, weak = _fractions(a, q, scale)
    if method not in METHODS:
        raise ValueError(f"{shown(method)} is not a valid method. Use one of: {sorted(METHODS)}")
    if weights is not None:
        result, ones = _weighted(a, q, weights, axis, method, skip_nan)
    else:
        result, ones = _quantiles(a, q, weak, axis, method, skip_nan)
    result = result.reshape(q.shape + result.shape[1:])
    if skip_nan and a.size == 0 and result.size != 0:
        warn("Mean of empty slice", RuntimeWarning)
    repeat = method in CONTINUOUS or method in ("midpoint", "averaged_inverted_cdf")
    return _finish(result, q.ndim, ones, out, keepdims, repeat=repeat)


def quantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None,
) -> ndarray:  # fmt: skip
    """Compute quantiles over axes.

    Parameters
    ----------
    a : array_like of real numbers
        Array of real numbers.
    q : float or array_like of floats
        Probabilities in [0, 1]. An array on the device is copied to the host.
    axis : int, tuple of ints or None, optional
        Axis or axes over which to compute. By default all elements are used.
    out : ndarray, optional
        Array into which the result is written.
    overwrite_input : bool, optional
        Accepted for compatibility with NumPy; the input is never modified.
    method : str, optional
        Estimator: 'linear', 'lower', 'higher', 'midpoint', 'nearest', or one of Hyndman and Fan's:
        'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation', 'interpolated_inverted_cdf',
        'hazen', 'weibull', 'median_unbiased', 'normal_unbiased'.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.
    weights : array_like, optional
        Weights with the shape of `a`, or one for each element along the axes; for 'inverted_cdf'
        only. Checking them waits for the device.

    Returns
    -------
    ndarray
        Quantiles, with the axes of `q` before the remaining axes of `a`. NaN if an element is NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.quantile(cp.array([10, 7, 4, 3, 2, 1]), 0.5)
    array(3.5)
    """
    return any_quantile(a, q, 1, axis, out, method, keepdims, weights, False)


def percentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None,
) -> ndarray:  # fmt: skip
    """Compute percentiles over axes: `quantile` with `q` in [0, 100].

    Parameters
    ----------
    a : array_like
        Array of real numbers.
    q : array_like
        Percentages in [0, 100]; only values on the host are checked.
    axis : int or tuple of int, optional
        Axis or axes along which to reduce. By default all axes are reduced.
    out : ndarray, optional
        Array into which the result is written; it must have the shape of the result.
    overwrite_input : bool, optional
        Accepted for compatibility with NumPy; the input is never modified.
    method : str, optional
        Name of the estimator, as for `quantile`.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.
    weights : array_like, optional
        Weights of the elements, for ``method="inverted_cdf"`` only.

    Returns
    -------
    ndarray
        Percentiles, with the axes of `q` before the remaining axes of `a`.

    Raises
    ------
    ValueError
        If `q` is out of range, or the method is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.percentile(cp.array([[10, 7, 4], [3, 2, 1]]), 50, axis=0)
    array([6.5, 4.5, 2.5])
    """
    return any_quantile(a, q, 100, axis, out, method, keepdims, weights, False)
