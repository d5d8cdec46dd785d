"""Samples along axes: what the functions of samples do with `axis`, `nan_policy` and `keepdims`.

A function of samples computes on rows: arrays whose last axis is the sample, and whose other axes
are the same for all of them. Its results have those other axes.
"""

import functools
import operator
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core.multiarray import asarray, ndarray
from ..._core.numeric import full
from ..._core.raw import ElementwiseKernel, ReductionKernel
from ..._core.shape_base import stack
from ...lib._stride_tricks_impl import broadcast_to
from ..special import ndtr, stdtr
from ._stats_py import _check_policy, _rows

__all__ = [
    "ConfidenceInterval",
    "SignificanceResult",
    "apply",
    "check_alternative",
    "floating",
    "normal_pvalue",
    "real",
    "result_type",
    "t_pvalue",
]

ALTERNATIVES = ("two-sided", "less", "greater")
ConfidenceInterval = namedtuple("ConfidenceInterval", "low high")


def real(x: Any, name: str = "sample") -> ndarray:
    """An array of float64, of real numbers."""
    x = as_array(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be of real numbers, not of {x.dtype}")
    return x.astype(np.float64, copy=False)


def floating(x: Any, name: str = "sample") -> ndarray:
    """An array of real floating-point numbers: integers become float64."""
    x = as_array(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be of real numbers, not of {x.dtype}")
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def check_alternative(alternative: Any) -> str:
    """The alternative's name in small letters."""
    name = alternative.lower() if isinstance(alternative, str) else alternative
    if name not in ALTERNATIVES:
        raise ValueError(
            f"alternative must be 'two-sided', 'less' or 'greater', not {shown(alternative)}"
        )
    return name


def normal_pvalue(z: Any, alternative: str) -> ndarray:
    """The p-value of a statistic that is standard normal."""
    if alternative == "two-sided":
        return 2 * ndtr(-abs(z))
    return ndtr(z if alternative == "less" else -z)


def t_pvalue(t: Any, df: Any, alternative: str) -> ndarray:
    """The p-value of a statistic that has Student's distribution."""
    if alternative == "two-sided":
        return 2 * stdtr(df, -abs(t))
    return stdtr(df, t if alternative == "less" else -t)


def result_type(name: str, fields: str, extra: str = "") -> Any:
    """A named tuple, whose further attributes are no items of it."""
    base: Any = namedtuple(name, fields)  # type: ignore[misc]  # known at run time
    more = extra.split()
    if not more:
        return base

    def new(cls: Any, *values: Any) -> Any:
        items = len(base._fields)
        self = base.__new__(cls, *values[:items])
        self.__dict__.update(zip(more, values[items:], strict=True))
        return self

    return type(name, (base,), {"__new__": new, "__doc__": f"The result of a test: {fields}."})


SignificanceResult: Any = result_type("SignificanceResult", "statistic pvalue")


def _aligned(arrays: list, axis: Any, keepdims: bool, paired: bool) -> tuple[list, tuple]:
    """Rows of each array, with the same axes but the last, and the shape of a result."""
    if axis is None:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
        shape: tuple = (1,) if keepdims else ()
        return [a.reshape(-1) for a in arrays], shape
    most = max(1, *(a.ndim for a in arrays))
    arrays = [a.reshape((1,) * (most - a.ndim) + a.shape) if a.ndim < most else a for a in arrays]
    pairs = [_rows(a, axis, keepdims) for a in arrays]
    rows, shapes = [p[0] for p in pairs], [p[1] for p in pairs]
    lead = np.broadcast_shapes(*(r.shape[:-1] for r in rows))
    if paired and len({r.shape[-1] for r in rows}) > 1:
        raise ValueError(
            f"the samples must be equally long, not of {[r.shape[-1] for r in rows]} elements"
        )
    rows = [r if r.shape[:-1] == lead else broadcast_to(r, (*lead, r.shape[-1])) for r in rows]
    return rows, np.broadcast_shapes(*shapes)


_ANY_NAN = ReductionKernel(
    "T x", "bool y", "!(x == x)", "a || b", "y = a", "false", "any_nan", reduce_type="bool"
)


def _any_nan(rows: list) -> list:
    """Whether there is NaN in a row, for each sample that can have it."""
    return [_ANY_NAN(r, axis=-1) for r in rows if r.dtype.kind in "fc" and r.shape[-1]]


@functools.cache
def _spoiler(samples: int, outputs: int) -> ElementwiseKernel:
    """The kernel that makes results NaN where a sample has one."""
    flags, types = [f"bad{k}" for k in range(samples)], "ABCDEFGH"[:outputs]
    parameters = [f"bool {name}" for name in flags] + [f"{t} of_{t}" for t in types]
    return ElementwiseKernel(
        ", ".join(parameters),
        ", ".join(f"{t} to_{t}" for t in types),
        "".join(f"to_{t} = {' || '.join(flags)} ? ({t})NAN : of_{t};" for t in types),
        "spoilt_results",
    )


def _spoil(results: list, spoilt: list) -> list:
    results = [r if r.dtype.kind == "f" else r.astype(np.float64) for r in results]
    found = _spoiler(len(spoilt), len(results))(*spoilt, *results)
    return list(found) if len(results) > 1 else [found]


def _kept(rows: list, paired: bool) -> list:
    """Samples of one dimension without NaN; pairs are kept or left out together."""
    masks = [~um.isnan(r) for r in rows]
    if paired:
        both = masks[0]
        for m in masks[1:]:
            both = both & m
        masks = [both] * len(rows)
    return [r[m] for r, m in zip(rows, masks, strict=True)]


def _whole(axis: Any) -> Any:
    """An axis as an int; what is no number is refused where axes are looked at."""
    return axis if isinstance(axis, str) else operator.index(as_host(axis))


def apply(
    compute: Callable[..., Any],
    arrays: list,
    axis: Any,
    nan_policy: str,
    keepdims: bool,
    *,
    paired: bool = False,
    least: int = 1,
    outputs: int = 2,
    propagates: bool = False,
) -> list:
    """The results of `compute(*rows)`, a sequence, for samples along an axis.

    Rows with NaN give NaN, which `propagates` says they do by themselves; 'omit' computes each row
    of its own where there is NaN, which waits for the device. Samples with fewer than `least`
    elements give NaN as each of the `outputs`.
    """
    if axis is not None:
        axis = tuple(axis) if isinstance(axis, (tuple, list)) else _whole(axis)
    rows, shape = _aligned(arrays, axis, bool(keepdims), paired)
    _check_policy(nan_policy, *arrays)
    if keepdims and axis is None:
        shape = (1,) * max(1, *(a.ndim for a in arrays))
    if min(r.shape[-1] for r in rows) < least:
        return [full(shape, np.nan) for _ in range(outputs)]
    if nan_policy == "omit" and any(bool(flags.any()) for flags in _any_nan(rows)):
        return [r.reshape(shape) for r in _omitting(compute, rows, paired, least, outputs)]
    results = [asarray(r) for r in compute(*rows)]
    spoilt = [] if propagates or nan_policy == "omit" else _any_nan(rows)
    if spoilt:
        results = _spoil(results, spoilt)
    return [r.reshape(shape) for r in results]


def _omitting(
    compute: Callable[..., Any], rows: list, paired: bool, least: int, outputs: int
) -> list:
    """The results of each row of its own, without NaN."""
    lead = rows[0].shape[:-1]
    flat = [r.reshape(-1, r.shape[-1]) for r in rows]
    found = []
    for samples in zip(*flat, strict=True):
        kept = _kept(list(samples), paired)
        if min(k.size for k in kept) >= least:
            found.append([asarray(v).reshape(()) for v in compute(*kept)])
        else:
            found.append([full((), np.nan) for _ in range(outputs)])
    return [stack(column).reshape(lead) for column in zip(*found, strict=True)]
