"""pad: one result array, the input copied in, then each axis's two edges filled in turn."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, numbers_on_host, shown
from .._core.function_base import linspace
from .._core.multiarray import empty_ordered, ndarray
from ._quantile_impl import median

__all__ = ["pad"]

Pair = tuple[Any, Any]


def _pairs(value: Any, ndim: int, name: str, index: bool = False) -> list[Pair]:
    """`value` broadcast to one (before, after) pair per axis."""
    if type(value) is int and (not index or 0 <= value < 2**63):
        return [(value, value)] * ndim
    host = numbers_on_host(value)
    if index:
        if host.dtype.kind not in "iu":
            raise TypeError("`pad_width` must be of integral type.")
        if host.size and host.min() < 0:
            raise ValueError(f"{name} can't contain negative values")
    return [(before, after) for before, after in np.broadcast_to(host, (ndim, 2)).tolist()]


def _lengths(value: Any, ndim: int) -> list[Pair]:
    """stat_length as pairs; None means the whole axis."""
    if value is None:
        return [(None, None)] * ndim
    pairs = _pairs(value, ndim, "stat_length")
    for pair in pairs:
        for n in pair:
            if n < 0:
                raise ValueError("index can't contain negative values")
            operator.index(n)
    return pairs


def _at(ndim: int, axis: int, where: slice) -> tuple[Any, ...]:
    return (slice(None),) * axis + (where,) + (slice(None),) * (ndim - axis - 1)


# ---- one axis of one mode: fills out[:before] and out[n - after:] ------------------------------
# `roi` is the array with the remaining axes restricted to the input's part, `inner` the part
# of it along `axis` that is already filled.


def _constant(roi: ndarray, axis: int, width: Pair, values: Pair) -> None:
    n = roi.shape[axis]
    for value, where in zip(values, (slice(0, width[0]), slice(n - width[1], n)), strict=True):
        roi[_at(roi.ndim, axis, where)] = value


def _edge(roi: ndarray, axis: int, width: Pair) -> None:
    n, (before, after) = roi.shape[axis], width
    first = roi[_at(roi.ndim, axis, slice(before, before + 1))]
    last = roi[_at(roi.ndim, axis, slice(n - after - 1, n - after))]
    roi[_at(roi.ndim, axis, slice(0, before))] = first
    roi[_at(roi.ndim, axis, slice(n - after, n))] = last


def _linear_ramp(roi: ndarray, axis: int, width: Pair, ends: Pair) -> None:
    n, (before, after) = roi.shape[axis], width
    ramp = {"endpoint": False, "dtype": roi.dtype, "axis": axis}
    first = roi[_at(roi.ndim, axis, slice(before, before + 1))].squeeze(axis)
    last = roi[_at(roi.ndim, axis, slice(n - after - 1, n - after))].squeeze(axis)
    if before:
        roi[_at(roi.ndim, axis, slice(0, before))] = linspace(ends[0], first, before, **ramp)
    if after:
        back = linspace(ends[1], last, after, **ramp)
        roi[_at(roi.ndim, axis, slice(n - after, n))] = back[
            _at(roi.ndim, axis, slice(None, None, -1))
        ]


def _statistic(
    roi: ndarray, axis: int, width: Pair, lengths: Pair, function: Callable[..., ndarray]
) -> None:
    n, (before, after) = roi.shape[axis], width
    low, high = before, n - after
    size = high - low
    counts = [size if k is None or k > size else k for k in lengths]
    wanted = slice(low, low + counts[0]), slice(high - counts[1], high)
    fills = [
        _rounded(function(roi[_at(roi.ndim, axis, w)], axis=axis, keepdims=True), roi)
        for w in wanted
    ]
    roi[_at(roi.ndim, axis, slice(0, before))] = fills[0]
    roi[_at(roi.ndim, axis, slice(high, n))] = fills[1]


def _rounded(value: ndarray, roi: ndarray) -> ndarray:
    if roi.dtype.kind in "iu" and value.dtype.kind not in "iu":
        value = um.rint(value)
    return value.astype(roi.dtype, copy=False)


def _reflected(roi: ndarray, axis: int, width: Pair, odd: bool, with_edge: bool) -> None:
    """Mirror chunks outwards: every new edge is again a mirror point of the whole pattern."""
    n, (before, after) = roi.shape[axis], width
    period = n - before - after - (not with_edge)
    if period == 0:  # the mirror image of one element is that element
        _edge(roi, axis, width)
        return
    while before > 0 or after > 0:
        chunk = (n - before - after - (not with_edge)) // period * period
        if before > 0:
            k, start = min(before, chunk), before + (not with_edge)
            target = slice(before - k, before)
            _mirror(roi, axis, target, slice(start, start + k), before, odd)
            before -= k
        if after > 0:
            edge = n - after - 1
            k, stop = min(after, chunk), edge + with_edge
            target = slice(n - after, n - after + k)
            _mirror(roi, axis, target, slice(stop - k, stop), edge, odd)
            after -= k


def _mirror(roi: ndarray, axis: int, target: slice, source: slice, edge: int, odd: bool) -> None:
    chunk = roi[_at(roi.ndim, axis, source)][_at(roi.ndim, axis, slice(None, None, -1))]
    if odd:
        chunk = 2 * roi[_at(roi.ndim, axis, slice(edge, edge + 1))] - chunk
    roi[_at(roi.ndim, axis, target)] = chunk


def _wrapped(roi: ndarray, axis: int, width: Pair) -> None:
    """Copy the period of the input outwards, whole periods first from what is next to the gap."""
    n, (before, after) = roi.shape[axis], width
    period = n - before - after
    done = before
    while done > 0:
        k = min(done, period)
        roi[_at(roi.ndim, axis, slice(done - k, done))] = roi[
            _at(roi.ndim, axis, slice(done + period - k, done + period))
        ]
        done -= k
    done = n - after
    while done < n:
        k = min(n - done, period)
        roi[_at(roi.ndim, axis, slice(done, done + k))] = roi[
            _at(roi.ndim, axis, slice(done - period, done - period + k))
        ]
        done += k


# ---- the function ------------------------------------------------------------------------------

_KEYWORDS: dict[str, tuple[str, ...]] = {
    "empty": (),
    "edge": (),
    "wrap": (),
    "constant": ("constant_values",),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
}


def _padded_shape(array: ndarray, widths: list[Pair]) -> tuple[int, ...]:
    shape = tuple(b + n + a for n, (b, a) in zip(array.shape, widths, strict=True))
    if any(n >= 2**63 for n in shape):
        raise ValueError(f"pad_width makes an axis of 2**63 elements or more: {shown(widths)}")
    return shape


def _placed(array: ndarray, widths: list[Pair]) -> ndarray:
    """The result with the input copied into its middle and the rest not yet written."""
    shape = _padded_shape(array, widths)
    perm = list(range(array.ndim - 1, -1, -1)) if array.flags.fnc else None
    out = empty_ordered(shape, array.dtype, perm)
    out[_middle(array, widths)] = array
    return out


def _middle(array: ndarray, widths: list[Pair]) -> tuple[slice, ...]:
    return tuple(slice(b, b + n) for n, (b, _) in zip(array.shape, widths, strict=True))


def _by_function(
    out: ndarray, widths: list[Pair], function: Callable[..., None], kwargs: Any
) -> None:
    """User's padding function, called with every vector along every axis."""
    for axis in range(out.ndim):
        rows = out.transpose([k for k in range(out.ndim) if k != axis] + [axis])
        for index in np.ndindex(rows.shape[:-1]):
            function(rows[index], widths[axis], axis, kwargs)


def pad(array, pad_width, mode="constant", **kwargs) -> ndarray:
    """Pad an array at the edges of its axes, by one of NumPy's modes or by a function.

    Parameters
    ----------
    array : array_like
        Array to be padded.
    pad_width : int, sequence or dict
        Number of elements added before and after each axis: one number, one pair, a pair for each
        axis, or a dict of pairs by axis.
    mode : str or callable, optional
        'constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum', 'reflect',
        'symmetric', 'wrap', 'empty', or a function ``f(vector, pad_width, axis, kwargs)`` that
        fills a padded vector in place and is called for each vector.
    **kwargs : optional
        Keyword arguments `constant_values`, `end_values`, `stat_length`, `reflect_type` of the
        modes; a function receives all that are given.

    Returns
    -------
    ndarray
        Padded array with the dtype of `array`.

    Raises
    ------
    ValueError
        If the mode or a keyword is unknown, or an empty axis cannot be extended by the mode.

    Notes
    -----
    One launch for the modes that copy elements or write one value; else one for the input and at
    most two for each padded axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.pad(cp.array([1, 2, 3]), (2, 1), mode="reflect")
    array([3, 2, 1, 2, 3, 2])
    """
    array = as_array(array)
    if isinstance(pad_width, dict):
        pad_width = _by_axis(pad_width, array.ndim)
    widths = _pairs(pad_width, array.ndim, "index", index=True)
    if callable(mode):
        out = _placed(array, widths)
        for axis, width in enumerate(widths):
            _constant(out[_filled(array, widths, axis)], axis, width, (0, 0))
        _by_function(out, widths, mode, kwargs)
        return out
    if mode not in _KEYWORDS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - set(_KEYWORDS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if array.size == 0 and mode not in ("constant", "empty"):
        for axis, (n, width) in enumerate(zip(array.shape, widths, strict=True)):
            if n == 0 and width != (0, 0):
                raise ValueError(
                    f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
                )
        return _placed(array, widths)
    option = kwargs.get(_KEYWORDS[mode][0]) if _KEYWORDS[mode] else None
    if mode in ("edge", "wrap") or (mode in ("reflect", "symmetric") and option != "odd"):
        return _framed(array, widths, mode, 0)
    if mode == "constant":
        pairs = _pairs(0 if option is None else option, array.ndim, "values")
        values = [value for pair in pairs for value in pair]
        is_filled = issubclass(array.dtype.type, np.void) and repr(values[0]) != "0"
        if len(set(map(repr, values))) <= 1 and not is_filled:
            return _framed(array, widths, mode, *values[:1])
    out = _placed(array, widths)
    if mode != "empty":
        _fill_edges(out, array, widths, mode, option)
    return out


def _framed(array: ndarray, widths: list[Pair], rule: str, value: Any = 0) -> ndarray:
    """The whole in one launch: what the rule says is the same for all axes."""
    before = tuple(b for b, _ in widths)
    return um.pad(array, before, _padded_shape(array, widths), rule, value)


def _by_axis(pad_width: dict[int, Any], ndim: int) -> list[Pair]:
    widths: list[Pair] = [(0, 0)] * ndim
    for axis, width in pad_width.items():
        before, after = (width, width) if isinstance(width, int) else width
        widths[axis] = (before, after)
    return widths


def _filled(array: ndarray, widths: list[Pair], axis: int) -> tuple[slice, ...]:
    """Axes up to `axis` in full, the later ones restricted to the input's part."""
    return (slice(None),) * (axis + 1) + _middle(array, widths)[axis + 1 :]


def _fill_edges(out: ndarray, array: ndarray, widths: list[Pair], mode: str, option: Any) -> None:
    ndim = out.ndim
    if mode in ("constant", "linear_ramp"):
        per_axis = _pairs(0 if option is None else option, ndim, "values")
    elif mode in _STATISTICS:
        per_axis = _lengths(option, ndim)
    for axis, width in enumerate(widths):
        if mode in ("maximum", "minimum") and 0 in per_axis[axis]:
            raise ValueError("stat_length of 0 yields no value for padding")
        if width == (0, 0):
            continue
        roi = out[_filled(array, widths, axis)]
        if mode == "constant":
            _constant(roi, axis, width, per_axis[axis])
        elif mode == "edge":
            _edge(roi, axis, width)
        elif mode == "linear_ramp":
            _linear_ramp(roi, axis, width, per_axis[axis])
        elif mode in ("reflect", "symmetric"):
            _reflected(roi, axis, width, option == "odd", mode == "symmetric")
        elif mode == "wrap":
            _wrapped(roi, axis, width)
        else:
            _statistic(roi, axis, width, per_axis[axis], _STATISTICS[mode])


_STATISTICS: dict[str, Callable[..., ndarray]] = {
    "maximum": ndarray.max,
    "minimum": ndarray.min,
    "mean": ndarray.mean,
    "median": median,
}
