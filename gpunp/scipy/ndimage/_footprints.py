"""Filters whose window, of any shape, moves over all axes at once."""

import math
import operator
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, number_on_host, numbers_on_host
from ..._core._docstrings import documented_as
from ..._core._filters import footprint_filter
from ..._core._warnings import warn
from ..._core.multiarray import asarray, ndarray
from ._filters import extreme_step, through_lines
from ._ni_support import (
    axes_of,
    extreme_loop,
    held_integer,
    in_order,
    is_complex,
    loop_type,
    new_output,
    numbers,
    real_image,
    rule_of,
    sequence,
    through,
    uploaded,
    weights_of,
)

__all__ = [
    "convolve",
    "correlate",
    "maximum_filter",
    "median_filter",
    "minimum_filter",
    "percentile_filter",
    "rank_filter",
]

_MOST_AXES = 8  # of a window; axes that it does not extend over are taken together


# ---- windows -------------------------------------------------------------------------------------


class Window:
    """Places around each element of an image.

    Parameters
    ----------
    ndim : int
        Number of axes of the image.
    axes : tuple of int
        Axes of the image over which the window extends.
    shape : sequence of int
        Lengths of the window along these axes, in the image's order.
    origins : int or sequence of int
        By how many elements the window is shifted to lower indices, in the order of `axes` unless
        these are all of the image's.
    error : str
        What the exception says where an origin places the window beside its element.
    """

    def __init__(self, ndim: int, axes: Any, shape: Any, origins: Any, error: str) -> None:
        self.shape = [1] * ndim
        for axis, n in zip(sorted(axes), shape, strict=True):
            self.shape[axis] = n
        self.left = [n // 2 for n in self.shape]
        for axis, origin in zip(sorted(axes), in_order(origins, axes, ndim), strict=True):
            self.left[axis] += operator.index(origin)
        if any(not 0 <= at < n for at, n in zip(self.left, self.shape, strict=True)):
            raise ValueError(error)

    def over(self, image: tuple) -> tuple:
        """Shape of the image, of the window and its left part, in as few axes as there can be."""
        merged: list[list[int]] = [[1, 1, 0]]
        for length, n, left in zip(image, self.shape, self.left, strict=True):
            if n == 1 == merged[-1][1]:
                merged[-1][0] *= length
            else:
                merged.append([length, n, left])
        if len(merged) > 1 and merged[0][:2] == [1, 1]:
            del merged[0]
        if len(merged) > _MOST_AXES:
            raise RuntimeError(f"windows extend over {_MOST_AXES} axes at most, not {len(merged)}")
        return tuple(tuple(column) for column in zip(*merged, strict=True))


def footprint_step(
    window: Window,
    operation: str,
    rule: str,
    cval: Any,
    mask: Any = None,
    weights: Any = None,
    rank: int = 0,
):
    """The step of `through` that applies an operation to windows."""
    cval = number_on_host(cval)

    def step(source: ndarray, target: ndarray) -> None:
        loop, constant = loop_type(source.dtype, target.dtype), cval
        if operation == "rank":
            loop, constant = _rank_loop(source.dtype, rule, cval)
        elif operation != "correlate" and weights is None:
            loop, constant = extreme_loop(source.dtype, target.dtype, rule, cval)
        elif operation != "correlate":
            loop = np.dtype("float64")
        shape, places, left = window.over(source.shape)
        footprint_filter(
            source.reshape(shape),
            None if mask is None else asarray(mask, bool).ravel(),
            None if weights is None else uploaded(weights, loop).ravel(),
            target.reshape(shape),
            places,
            left,
            operation,
            int(mask.sum()) if operation == "rank" and mask is not None else math.prod(places),
            rank,
            rule,
            constant,
            loop,
            True,
        )

    return step


def _rank_loop(source: np.dtype, rule: str, cval: Any) -> tuple[np.dtype, Any]:
    """The type whose elements are ordered: the image's own, or float64 for any other `cval`."""
    if rule != "constant":
        return source, 0
    if source.kind == "f":
        return source, cval
    number = as_host(cval).item()
    if source.kind == "b":
        held = int(bool(number))
    else:
        held = 0 if number != number else held_integer(number, source)
    if held == number or (source.itemsize == 8 and number == number):
        return source, held
    return np.dtype("float64"), number


def one_mode(mode: Any, error: str) -> str:
    """The rule of a filter that has one for all axes."""
    if not isinstance(mode, str) and np.iterable(mode):
        raise RuntimeError(error)
    return rule_of(mode)


def flags_of(footprint: Any) -> Any:
    """The places of a footprint that count, on the host unless it is on the device."""
    if isinstance(footprint, ndarray):
        return footprint.astype(bool)
    return numbers_on_host(footprint).astype(bool, order="C")


def mask_of(flags: Any) -> Any:
    """The mask of `footprint_step`: none where all places are known to count."""
    return None if isinstance(flags, np.ndarray) and flags.all() else flags


# ---- correlation ---------------------------------------------------------------------------------

_ORIGIN = (
    "Invalid origin; origin must satisfy"
    " -(weights.shape[k] // 2) <= origin[k] <= (weights.shape[k]-1) // 2"
)


def correlate(
    input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
) -> ndarray:
    """Compute sums of products of weights with a window that moves over an image.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    weights : array_like
        Weights, with as many axes as `axes` names, on the host or on the device. Complex ones are
        conjugated.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : {'reflect', 'constant', 'nearest', 'mirror', 'wrap', 'grid-mirror', 'grid-constant', \
'grid-wrap'}, optional
        What stands beyond the ends of the axes, as for `correlate1d`.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    origin : int or sequence of int, optional
        By how many elements the window is shifted to lower indices.
    axes : int or sequence of int, optional
        Axes over which the window extends: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If `weights` has another number of axes, or `mode` or the shape of `output` is wrong.
    ValueError
        If `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.correlate

    Notes
    -----
    Sums of float32 and smaller floats are computed in float32, all others in float64. Conversion to
    an integer type cuts fractions off. Weights of 2.2e-16 and less are left out, as by SciPy.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.correlate(cp.arange(9.).reshape(3, 3), [[0, 1], [1, 1]])
    array([[ 0.,  2.,  5.],
           [ 6.,  8., 11.],
           [15., 17., 20.]])
    """
    a = numbers(as_array(input))
    w = weights_of(weights)
    return _correlated(a, w.conj() if w.dtype.kind == "c" else w, output, mode, cval, origin, axes)


@documented_as(correlate)
def convolve(
    input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
) -> ndarray:
    """Compute the convolution of an image with weights: the window's weights are reversed."""
    a = numbers(as_array(input))
    w = weights_of(weights)
    taken = axes_of(axes, a.ndim)
    origins = in_order(origin, taken, a.ndim)
    if w.ndim == len(taken):
        origins = [-k - (n % 2 == 0) for k, n in zip(origins, w.shape, strict=True)]
    flipped = w[(slice(None, None, -1),) * w.ndim]
    return _correlated(a, flipped, output, mode, cval, origins, sorted(taken))


def _correlated(a: ndarray, w: Any, output: Any, mode: Any, cval: Any, origin: Any, axes: Any):
    taken = axes_of(axes, a.ndim)
    if w.ndim != len(taken):
        raise RuntimeError(f"weights.ndim ({w.ndim}) must match len(axes) ({len(taken)})")
    if w.size == 0:
        raise RuntimeError("no filter weights given")
    rule = one_mode(mode, "A sequence of modes is not supported")
    window = Window(a.ndim, taken, w.shape, origin, _ORIGIN)
    out = new_output(output, a, is_complex(a, w, cval))
    return through(a, out, [footprint_step(window, "correlate", rule, cval, weights=w)])


# ---- minima and maxima ---------------------------------------------------------------------------


def extreme_filter(
    operation: str,
    input: Any,
    size: Any,
    footprint: Any,
    output: Any,
    mode: Any,
    cval: Any,
    origin: Any,
    axes: Any,
    structure: Any = None,
) -> ndarray:
    """The least or the greatest element of a window, after the values of `structure` are added."""
    if size is not None and footprint is not None:
        warn("ignoring size because footprint is set", UserWarning)
    a = real_image(input)
    taken = axes_of(axes, a.ndim)
    flags = None if footprint is None else flags_of(footprint)
    if isinstance(flags, ndarray) and not isinstance(mode, str):
        flags = flags.get()  # a mode for each axis needs a full footprint
    if structure is not None:
        flags = np.ones(structure.shape, bool) if flags is None else flags
    elif flags is None and size is None:
        raise RuntimeError("no footprint provided")
    elif isinstance(flags, np.ndarray) and not flags.any():
        raise ValueError("All-zero footprint is not supported.")
    elif flags is None or mask_of(flags) is None:
        sizes = sequence(size, len(taken)) if flags is None else flags.shape
        return _boxes(operation, a, sizes, output, mode, cval, origin, taken)
    if flags.ndim != len(taken):
        raise RuntimeError("footprint array has incorrect shape.")
    if structure is not None and structure.shape != flags.shape:
        raise RuntimeError("structure array has incorrect shape")
    rule = one_mode(mode, "A sequence of modes is not supported for non-separable footprints")
    window = Window(a.ndim, taken, flags.shape, origin, "invalid origin")
    step = footprint_step(window, operation, rule, cval, mask_of(flags), structure)
    return through(a, new_output(output, a), [step])


def _boxes(operation, a, size, output, mode, cval, origin, axes) -> ndarray:
    sizes, origins = sequence(size, len(axes)), sequence(origin, len(axes))
    rules = [rule_of(m) for m in sequence(mode, len(axes))]
    out = new_output(output, a)
    steps = []
    for axis, n, rule, shift in zip(axes, sizes, rules, origins, strict=True):
        if n > 1:
            if not 0 <= int(n) // 2 + shift < int(n):
                raise ValueError("invalid origin")
            steps.append(extreme_step(operation, a, axis, int(n), rule, cval, shift))
    if not steps:
        out[...] = a
        return out
    return through_lines(a, out, steps)


def minimum_filter(
    input,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the least element of a window that moves over an image.

    Parameters
    ----------
    input : ndarray
        Image of any dimension.
    size : int or sequence of int, optional
        Lengths of the window along the axes.
    footprint : array_like, optional
        Places of the window that count, in place of `size`. One on the device is read, which waits,
        where `mode` is a sequence: the places must be all of the window's then.
    output : ndarray or dtype, optional
        Array that the result is written to, or its type: by default that of `input`.
    mode : str or sequence of str, optional
        What stands beyond the ends of each axis, as for `correlate1d`. A footprint with places
        that do not count has one mode for all axes.
    cval : scalar, optional
        What stands beyond the ends in mode 'constant'.
    origin : int or sequence of int, optional
        By how many elements the window is shifted to lower indices.
    axes : int or sequence of int, optional
        Axes over which the window extends: by default all.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If neither a size nor a footprint is given, or one has another number of axes.
    ValueError
        If no place of `footprint` counts, or `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.minimum_filter

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.minimum_filter(cp.arange(9).reshape(3, 3), 3)
    array([[0, 0, 1],
           [0, 0, 1],
           [3, 3, 4]])
    """
    return extreme_filter("minimum", input, size, footprint, output, mode, cval, origin, axes)


@documented_as(minimum_filter)
def maximum_filter(
    input,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the greatest element of a window that moves over an image."""
    return extreme_filter("maximum", input, size, footprint, output, mode, cval, origin, axes)


# ---- ranks ---------------------------------------------------------------------------------------


def _ranked(rank_of, input, size, footprint, output, mode, cval, origin, axes) -> ndarray:
    """The element of the rank that `rank_of` gives for a number of elements."""
    if size is not None and footprint is not None:
        warn("ignoring size because footprint is set", UserWarning)
    a = real_image(input)
    taken = axes_of(axes, a.ndim)
    if footprint is not None:
        flags = flags_of(footprint.get() if isinstance(footprint, ndarray) else footprint)
    elif size is None:
        raise RuntimeError("no footprint or filter size provided")
    else:
        flags = np.ones([operator.index(n) for n in sequence(size, len(taken))], bool)
    if flags.ndim != len(taken):
        raise RuntimeError("footprint array has incorrect shape.")
    taps = int(flags.sum())
    rank = rank_of(taps)
    if not 0 <= rank < taps:
        raise RuntimeError("rank not within filter footprint size")
    origins, taken = in_order(origin, taken, a.ndim), tuple(sorted(taken))
    if rank in (0, taps - 1):
        operation = "minimum" if rank == 0 else "maximum"
        one_mode(mode, _MODES)
        return extreme_filter(operation, a, None, flags, output, mode, cval, origins, taken)
    window = Window(a.ndim, taken, flags.shape, origins, "invalid origin")
    rule = one_mode(mode, _MODES)
    step = footprint_step(window, "rank", rule, cval, mask_of(flags), rank=rank)
    return through(a, new_output(output, a), [step])


_MODES = "A sequence of modes is not supported by non-separable rank filters"


@documented_as(minimum_filter)
def rank_filter(
    input,
    rank,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the element of a rank among those of a window that moves over an image.

    Parameters
    ----------
    rank : int
        Place in ascending order, from 0 on; negative ones count from the greatest element.
    footprint : array_like, optional
        Places of the window that count, in place of `size`. They are counted on the host.
    mode : str, optional
        What stands beyond the ends of the axes, as for `correlate1d`.

    Returns
    -------
    ndarray
        Result of the shape of `input`.

    Raises
    ------
    RuntimeError
        If neither a size nor a footprint is given, one has another number of axes, or there is no
        element of such a rank.
    ValueError
        If `origin` places the window beside its element.

    See Also
    --------
    scipy.ndimage.rank_filter

    Notes
    -----
    NaN is greater than all numbers. Few elements are sorted by a network of comparisons (Batcher,
    1968), more than 49 are found bit by bit.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.rank_filter(cp.array([3, 9, 1, 7, 5]), -2, 3)
    array([3, 3, 7, 5, 5])
    """
    rank = operator.index(rank)
    return _ranked(
        lambda n: rank + n if rank < 0 else rank,
        input,
        size,
        footprint,
        output,
        mode,
        cval,
        origin,
        axes,
    )


@documented_as(rank_filter)
def median_filter(
    input,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute the median of a window that moves over an image, of an even number the upper one.

    See Also
    --------
    scipy.ndimage.median_filter

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.median_filter(cp.array([3, 9, 1, 7, 5]), 3)
    array([3, 3, 7, 5, 5])
    """
    return _ranked(lambda n: n // 2, input, size, footprint, output, mode, cval, origin, axes)


@documented_as(rank_filter)
def percentile_filter(
    input,
    percentile,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    *,
    axes=None,
) -> ndarray:
    """Compute a percentile of a window that moves over an image, without interpolation.

    Parameters
    ----------
    percentile : float
        Percentage from -100 to 100; negative ones count from the greatest element.

    See Also
    --------
    scipy.ndimage.percentile_filter

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import ndimage
    >>> ndimage.percentile_filter(cp.array([3, 9, 1, 7, 5]), 20, 3)
    array([3, 1, 1, 1, 5])
    """
    if isinstance(percentile, (str, bytes)) or np.iterable(percentile):
        raise TypeError(f"percentile must be a number, not {type(percentile).__name__}")
    fraction = percentile + 100.0 if percentile < 0 else percentile
    if fraction != fraction:
        raise ValueError("percentile must be a number from -100 to 100, not NaN")
    if not 0 <= fraction <= 100:
        raise RuntimeError("invalid percentile")
    return _ranked(
        lambda n: n - 1 if fraction == 100 else int(n * fraction / 100),
        input,
        size,
        footprint,
        output,
        mode,
        cval,
        origin,
        axes,
    )
