"""Linear recurrences along an axis: coefficients on the host, signals and states on the device."""

import functools
import math
from typing import Any

import numpy as np

from ..._core._filters import feedback, line_filter, recurrence, recurrence_tables
from ..._core.multiarray import (
    asarray,
    ascontiguousarray,
    concatenate,
    empty,
    ndarray,
    result_type,
    zeros,
)
from ..._core.numeric import moveaxis
from ._host import host_coefficients

__all__ = ["coefficients", "filtered", "fir", "high_order", "loop_of", "signal_type"]

MOST_ORDER = 32  # of what the kernels keep in registers
_MANY_LINES = 8192  # that lie side by side: a thread each
_SHORT = 256


def coefficients(values: Any) -> np.ndarray:
    """Coefficients as an array of the host; those of the device are read back."""
    return host_coefficients(values)


def signal_type(*arrays: Any) -> np.dtype:
    """The type of a filtered signal: that of all operands, float64 for integers."""
    dtype = np.dtype(result_type(*(a.dtype for a in arrays)))
    if dtype.kind in "biu":
        return np.dtype(float)
    if dtype.char in "gG":
        return np.dtype("complex128" if dtype.char == "G" else "float64")
    if dtype.kind not in "fc" and dtype.name != "bfloat16":
        raise NotImplementedError(f"input type {dtype.name!r} not supported")
    return dtype


def loop_of(dtype: np.dtype) -> np.dtype:
    """The type of states: float64 or complex128."""
    return np.dtype("complex128" if dtype.kind == "c" else "float64")


@functools.lru_cache(maxsize=32)
def _tables(numbers: bytes, sections: int, order: int) -> bytes:
    """What a filter needs besides its coefficients: a millisecond of the host's time."""
    return recurrence_tables(numbers, sections, order)


def _lines(a: ndarray, axis: int) -> int:
    return a.size // max(a.shape[axis], 1)


def filtered(
    x: ndarray,
    sections: np.ndarray,
    axis: int,
    dtype: np.dtype,
    start: Any,
    wants_end: bool,
    backwards: bool = False,
) -> tuple[ndarray, Any]:
    """Apply sections one after the other, each a row of numbers b and of numbers -a but the first.

    Parameters
    ----------
    x : ndarray
        Signals, one along `axis` for each index of the other axes.
    sections : ndarray of the host
        A row of ``2 * order + 1`` coefficients for each section.
    axis : int
        Axis of time, not negative.
    dtype : dtype
        Type of the result.
    start : ndarray or None
        States before the first samples: the other axes of `x`, then one of all numbers of a state.
    wants_end : bool
        Whether the states after the last samples are wanted as well.
    backwards : bool, optional
        Whether the last samples are the first in time.

    Returns
    -------
    tuple
        The filtered signals, and the states after them in the form of `start`, or None.
    """
    order = (sections.shape[1] - 1) // 2
    count = order * len(sections)
    shape = [n for i, n in enumerate(x.shape) if i != axis]
    loop = loop_of(dtype)
    end = empty([*shape, count], loop) if wants_end else None
    if start is not None:
        start = ascontiguousarray(start, loop)
    step = math.prod(x.shape[axis + 1 :])
    moves = step > 1 and _lines(x, axis) < _MANY_LINES and x.shape[axis] > _SHORT
    source = ascontiguousarray(moveaxis(x, axis, -1) if moves else x)
    out = empty(source.shape, dtype)
    along = source.ndim - 1 if moves else axis
    kind = complex if sections.dtype.kind == "c" else float
    numbers = np.ascontiguousarray(sections, kind).tobytes()
    tables = _tables(numbers, len(sections), order)
    recurrence(source, out, numbers, len(sections), order, tables, along, start, end, backwards)
    return (ascontiguousarray(moveaxis(out, -1, axis)) if moves else out), end


def fir(x: ndarray, taps: np.ndarray, axis: int, dtype: np.dtype) -> ndarray:
    """The sums of products of taps with each sample and those before it."""
    single = dtype.char in "efF" or dtype.name == "bfloat16"
    loop = np.dtype(("c8" if single else "c16") if dtype.kind == "c" else "f4" if single else "f8")
    source = ascontiguousarray(x)
    out = empty(x.shape, dtype)
    weights = asarray(np.ascontiguousarray(taps[::-1]).astype(loop))
    size = taps.size
    line_filter(source, weights, out, axis, size, size - 1, "correlate", "constant", 0, loop)
    return out


def _last(x: ndarray, count: int) -> ndarray:
    """The last samples of rows, behind zeros where there are too few, before `count` zeros."""
    kept = x[..., max(x.shape[-1] - count, 0) :]
    before = zeros([*x.shape[:-1], count - kept.shape[-1]], x.dtype)
    return concatenate([before, kept, zeros([*x.shape[:-1], count], x.dtype)], axis=-1)


def _response_after(x: ndarray, taps: np.ndarray, count: int, dtype: np.dtype) -> ndarray:
    """What `taps` make of rows in the `count` samples after their end."""
    return fir(_last(x, count), taps, x.ndim - 1, dtype)[..., count:]


def high_order(
    x: ndarray, b: np.ndarray, a: np.ndarray, dtype: np.dtype, start: Any, wants_end: bool
) -> tuple[ndarray, Any]:
    """Filter rows with any number of coefficients, a[0] being 1: sums of products, then feedback.

    Parameters
    ----------
    x : ndarray
        Signals along the last axis.
    b, a : ndarray of the host
        Coefficients of numerator and denominator.
    dtype : dtype
        Type of the result.
    start : ndarray or None
        States before the first samples.
    wants_end : bool
        Whether the states after the last samples are wanted as well.
    """
    count = max(b.size, a.size) - 1
    recurs = bool(np.any(a[1:]))
    loop = loop_of(dtype) if recurs or wants_end else dtype
    y = fir(x, b, x.ndim - 1, loop)
    n = x.shape[-1]
    if start is not None and count:
        y[..., :count] += start[..., :n]
    if recurs:
        feedback(y, asarray((-a[1:]).astype(complex if a.dtype.kind == "c" else float)))
    end = None
    if wants_end:
        end = zeros([*x.shape[:-1], count], loop)
        if count:
            end += _response_after(x, b, count, loop)
            if recurs:
                end -= _response_after(y, np.r_[np.zeros(1, a.dtype), a[1:]], count, loop)
            if start is not None and n < count:
                end[..., : count - n] += start[..., n:]
    return y.astype(dtype, copy=False), end
