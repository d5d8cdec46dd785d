"""Differences, angles, selection, insertion, interpolation: NumPy's `function_base`."""

import math
import operator
from typing import Any

import numpy as np
from numpy import iterable

from .._core import umath as um
from .._core._convert import (
    NoValue,
    as_array,
    as_numbers,
    check_cast,
    host_ndim,
    host_shape,
    numbers_on_host,
    refuse_host,
    refuse_text,
    shown,
)
from .._core._docstrings import documented_as
from .._core.fromnumeric import ravel, searchsorted, sort, transpose
from .._core.fusion import fuse
from .._core.multiarray import (
    array,
    asarray,
    concatenate,
    copyto,
    empty_like,
    ndarray,
    result_type,
    search_either,
    where,
)
from .._core.numeric import full, normalize_axis_index, normalize_axis_tuple, pi, zeros_like
from .._core.structured import truth
from ._stride_tricks_impl import broadcast_arrays

__all__ = [
    "angle",
    "asarray_chkfinite",
    "copy",
    "diff",
    "digitize",
    "extract",
    "flip",
    "gradient",
    "interp",
    "iterable",
    "meshgrid",
    "msort",
    "piecewise",
    "place",
    "rot90",
    "select",
    "sort_complex",
    "trapezoid",
    "trapz",
    "trim_zeros",
    "unwrap",
]


# ---- rearranging -------------------------------------------------------------------------------


def flip(m, axis=None) -> ndarray:
    """Return a view with the order of elements reversed along axes (None: all).

    Parameters
    ----------
    m : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axis or axes to reverse.

    Returns
    -------
    ndarray
        A view of the input.

    Raises
    ------
    AxisError
        If an axis is out of bounds.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.flip(cp.arange(4).reshape(2, 2), 1)
    array([[1, 0],
           [3, 2]])
    """
    m = as_array(m)
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(m.ndim))]


def rot90(m, k=1, axes=(0, 1)) -> ndarray:
    """Return a view rotated by 90 degrees `k` times in the plane of two axes.

    Parameters
    ----------
    m : array_like
        Array of at least two dimensions.
    k : int, optional
        Number of rotations by 90 degrees.
    axes : pair of int, optional
        Plane of rotation; the direction is from the first axis towards the second.

    Returns
    -------
    ndarray
        A view of the input.

    Raises
    ------
    ValueError
        If the axes are equal, not two, or out of bounds.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.rot90(cp.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    m = as_array(m)
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == m.ndim:
        raise ValueError("Axes must be different.")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"Axes={axes} out of range for array of ndim={m.ndim}.")
    k %= 4
    if k == 0:
        return m[:]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    swapped = list(range(m.ndim))
    swapped[axes[0]], swapped[axes[1]] = swapped[axes[1]], swapped[axes[0]]
    if k == 1:
        return transpose(flip(m, axes[1]), swapped)
    return flip(transpose(m, swapped), axes[1])


def copy(a, order="K", subok=False) -> ndarray:
    """Return a copy of an array.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    order : {'K', 'C', 'F', 'A'}, optional
        Memory layout of the copy.
    subok : bool, optional
        Accepted for compatibility with NumPy; there are no subclasses to pass through.

    Returns
    -------
    ndarray
        New array with the elements of `a`.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.zeros(2)
    >>> y = cp.copy(x)
    >>> y[0] = 1
    >>> x
    array([0., 0.])
    """
    return as_array(a).copy(order)


def asarray_chkfinite(a, dtype=None, order=None) -> ndarray:
    """Convert to a device array; raise ValueError for NaN or infinity, which waits for the device.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the result.

    Returns
    -------
    ndarray
        `a` itself if nothing has to be converted.

    Raises
    ------
    ValueError
        If there is a NaN or an infinity.
    """
    a = asarray(a, dtype, order)
    has_floats = a.dtype.kind in "fcV" and a.dtype.type is not np.void  # V: bfloat16 as well
    if has_floats and not bool(um.isfinite(a).all()):
        raise ValueError("array must not contain infs or NaNs")
    return a


def meshgrid(*xi, copy=True, sparse=False, indexing="xy") -> tuple[ndarray, ...]:
    """Return coordinate arrays of a grid from coordinate vectors.

    With ``copy=False`` they are broadcast views; otherwise one launch fills each.

    Parameters
    ----------
    *xi : array_like
        Coordinate vectors; they are flattened first.
    copy : bool, optional
        If False, return views of the vectors.
    sparse : bool, optional
        If True, return arrays of size one along all axes but their own.
    indexing : {'xy', 'ij'}, optional
        Whether the first vector varies along the second axis ('xy') or along the first ('ij').

    Returns
    -------
    tuple of ndarray
        Coordinate arrays, one for each vector.

    Raises
    ------
    ValueError
        If `indexing` is neither.

    Examples
    --------
    >>> import gpunp as cp
    >>> x, y = cp.meshgrid(cp.arange(3), cp.arange(2))
    >>> y
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    ndim = len(xi)
    axes = list(range(ndim))
    if indexing == "xy" and ndim > 1:
        axes[0], axes[1] = 1, 0
    views: Any = [
        as_array(x).reshape((1,) * axis + (-1,) + (1,) * (ndim - 1 - axis))
        for x, axis in zip(xi, axes, strict=True)
    ]
    if not sparse:
        views = broadcast_arrays(*views)
    return tuple(v.copy("C") for v in views) if copy else tuple(views)


def trim_zeros(filt, trim="fb", axis=None) -> ndarray:
    """Return a view without leading and trailing zeros. Waits for their positions.

    Parameters
    ----------
    filt : array_like
        Array on which to operate.
    trim : {'fb', 'f', 'b'}, optional
        Whether zeros are trimmed from the front, the back or both.
    axis : int or tuple of int, optional
        Axes to trim. By default all axes are trimmed.

    Returns
    -------
    ndarray
        A view of the input.

    Raises
    ------
    ValueError
        If `trim` has other characters.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.trim_zeros(cp.array([0, 0, 1, 2, 0]))
    array([1, 2])
    """
    a = as_array(filt)
    if not isinstance(trim, str):
        raise TypeError(f"trim must be a str, not {type(trim).__name__}")
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {shown(trim)}")
    axes = range(a.ndim) if axis is None else normalize_axis_tuple(axis, a.ndim, "axis")
    truth = um.not_equal(a, 0)
    index: list[Any] = [slice(None)] * a.ndim
    for k in axes:
        others = tuple(j for j in range(a.ndim) if j != k)
        (hits,) = np.nonzero(truth.any(axis=others).get() if others else truth.get())
        if hits.size == 0:
            index[k] = slice(0, 0)
            continue
        first = int(hits[0]) if "f" in trim else None
        index[k] = slice(first, int(hits[-1]) + 1 if "b" in trim else None)
    return a[tuple(index)]


# ---- differences -------------------------------------------------------------------------------


def diff(a, n=1, axis=-1, prepend=NoValue, append=NoValue) -> ndarray:
    """Compute the n-th discrete difference along an axis. One launch for each difference.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    n : int, optional
        Number of times differences are taken.
    axis : int, optional
        Axis along which to operate.
    prepend, append : array_like, optional
        Values to join to `a` along the axis before taking differences; a scalar stands for one
        element.

    Returns
    -------
    ndarray
        Array that is shorter by `n` along the axis. Differences of booleans are whether they
        differ.

    Raises
    ------
    ValueError
        If `n` is negative, or `a` has no dimensions.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.diff(cp.array([1, 2, 4, 7]))
    array([1, 2, 3])
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError("order must be non-negative but got " + repr(n))
    a = as_array(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    prepend = NoValue if prepend is None else prepend  # CuPy's default
    append = NoValue if append is None else append
    if prepend is not NoValue or append is not NoValue:
        a = _extended(a, axis, prepend, append)
    before = (slice(None),) * axis
    right, left = (*before, _ALL_BUT_FIRST), (*before, _ALL_BUT_LAST)
    operation = um.not_equal if a.dtype == _BOOL else um.subtract
    # Of nothing there is nothing to subtract; one step more, as it may change the dtype.
    for _ in range(min(operator.index(n), a.shape[axis] + 1)):
        a = operation(a[right], a[left])
    return a


_ALL_BUT_FIRST, _ALL_BUT_LAST = slice(1, None), slice(None, -1)
_BOOL = np.dtype(np.bool_)


def _extended(a: ndarray, axis: int, prepend: Any, append: Any) -> ndarray:
    """The array with what stands before and behind it along the axis; scalars are repeated."""
    pieces = []
    for piece in (prepend, a, append):
        if piece is NoValue:
            continue
        piece = as_array(piece)
        if piece.ndim == 0:
            shape = list(a.shape)
            shape[axis] = 1
            piece = full(tuple(shape), piece, piece.dtype)
        pieces.append(piece)
    return concatenate(pieces, axis)


def gradient(f, *varargs, axis=None, edge_order=1):
    """Compute the gradient by central differences, and one-sided ones at the boundaries.

    Parameters
    ----------
    f : array_like
        Samples of a function on a grid.
    *varargs : float or array_like, optional
        Spacing: one number for all axes, or for each axis a number or the coordinates of its
        points.
    axis : int or tuple of int, optional
        Axes along which to differentiate. By default all axes.
    edge_order : {1, 2}, optional
        Order of accuracy of the differences at the boundaries.

    Returns
    -------
    ndarray, or tuple of ndarray
        Derivatives, one array for each axis.

    Raises
    ------
    ValueError
        If an axis is too short, or coordinates have the wrong length.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.gradient(cp.array([1.0, 2.0, 4.0, 7.0]))
    array([1. , 1.5, 2.5, 3. ])
    """
    f = as_numbers(f, "gradient")
    axes = tuple(range(f.ndim)) if axis is None else normalize_axis_tuple(axis, f.ndim)
    spacing = _spacing(f, varargs, axes)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind in "iu":
        f = f.astype(np.float64)
    results = []
    for ax, dx in zip(axes, spacing, strict=True):
        if f.shape[ax] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least "
                "(edge_order + 1) elements are required."
            )
        results.append(_gradient_along(f, dx, ax, edge_order))
    return results[0] if len(axes) == 1 else tuple(results)


def _spacing(f: ndarray, varargs: tuple[Any, ...], axes: tuple[int, ...]) -> list[Any]:
    """Spacing along each axis: a scalar, or an array of differences."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and host_ndim(_shape_only(varargs[0])) == 0:
        return [varargs[0]] * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    out: list[Any] = []
    for ax, given in zip(axes, varargs, strict=True):
        if host_ndim(_shape_only(given)) == 0:
            out.append(given)
            continue
        points = array(given) if isinstance(given, np.ndarray) else as_array(given)
        if points.ndim != 1:
            raise ValueError("distances must be either scalars or 1d")
        if len(points) != f.shape[ax]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        if points.dtype.kind in "iu":
            points = points.astype(np.float64)
        out.append(diff(points))
    return out


def _shape_only(x: Any) -> Any:
    """Host array with the same number of dimensions."""
    return np.empty((0,) * x.ndim) if isinstance(x, ndarray) else x


def _gradient_along(f: ndarray, dx: Any, axis: int, edge_order: int) -> ndarray:
    even = not (isinstance(dx, ndarray) and dx.ndim)
    kind = f.dtype if f.dtype.kind in "fcV" else np.dtype(np.float64)
    out = empty_like(f, dtype=kind)

    def part(x: ndarray, *bounds: Any) -> ndarray:
        return x[(slice(None),) * axis + (slice(*bounds),)]

    middle = part(out, 1, -1)
    if even:
        middle[...] = (part(f, 2, None) - part(f, None, -2)) / (2.0 * dx)
    else:
        shape = [1] * f.ndim
        shape[axis] = -1
        left, right = dx[:-1], dx[1:]
        weights = (
            -right / (left * (left + right)),
            (right - left) / (left * right),
            left / (right * (left + right)),
        )
        a, b, c = (w.reshape(tuple(shape)) for w in weights)
        middle[...] = a * part(f, None, -2) + b * part(f, 1, -1) + c * part(f, 2, None)
    first, last = (dx, dx) if even else (dx[0], dx[-1])
    if edge_order == 1:
        part(out, 0, 1)[...] = (part(f, 1, 2) - part(f, 0, 1)) / first
        part(out, -1, None)[...] = (part(f, -1, None) - part(f, -2, -1)) / last
        return out
    if even:
        front = -1.5 / dx, 2.0 / dx, -0.5 / dx
        back = 0.5 / dx, -2.0 / dx, 1.5 / dx
    else:
        d1, d2 = dx[0], dx[1]
        front = -(2.0 * d1 + d2) / (d1 * (d1 + d2)), (d1 + d2) / (d1 * d2), -d1 / (d2 * (d1 + d2))
        d1, d2 = dx[-2], dx[-1]
        back = d2 / (d1 * (d1 + d2)), -(d2 + d1) / (d1 * d2), (2.0 * d2 + d1) / (d2 * (d1 + d2))
    a, b, c = front
    part(out, 0, 1)[...] = a * part(f, 0, 1) + b * part(f, 1, 2) + c * part(f, 2, 3)
    a, b, c = back
    part(out, -1, None)[...] = a * part(f, -3, -2) + b * part(f, -2, -1) + c * part(f, -1, None)
    return out


def trapezoid(y, x=None, dx=1.0, axis=-1) -> ndarray:
    """Integrate along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
        Samples of the integrand.
    x : array_like, optional
        Positions of the samples, along the axis or with the shape of `y`.
    dx : float, optional
        Spacing of the samples if `x` is not given.
    axis : int, optional
        Axis along which to integrate.

    Returns
    -------
    ndarray
        Integrals, with the axis removed.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.trapezoid(cp.array([1.0, 2.0, 3.0]))
    array(4.)
    """
    y = as_array(y)
    if x is None:
        d: Any = dx
    else:
        x = as_array(x)
        if x.ndim == 1:
            shape = [1] * y.ndim
            d = diff(x)
            shape[axis] = d.shape[0]
            d = d.reshape(tuple(shape))
        else:
            d = diff(x, axis=axis)
    before = (slice(None),) * normalize_axis_index(axis, y.ndim)
    if type(d) in (int, float) and y.dtype.char in "fdFD" and y.shape[axis] > 1:
        inside = y[(*before, slice(1, -1))].sum(axis)
        return _with_ends(inside, y[(*before, 0)], y[(*before, -1)], d)
    upper, lower = y[(*before, slice(1, None))], y[(*before, slice(None, -1))]
    return _areas(d, upper, lower, axis) if y.size else (d * (upper + lower) / 2.0).sum(axis)


@fuse
def _with_ends(inside: ndarray, first: ndarray, last: ndarray, d: float) -> ndarray:
    return (inside + (first + last) / 2.0) * d


@fuse
def _areas(d: Any, upper: ndarray, lower: ndarray, axis: int) -> ndarray:
    return (d * (upper + lower) / 2.0).sum(axis)


@documented_as(trapezoid)
def trapz(y, x=None, dx=1.0, axis=-1) -> ndarray:
    """Integrate along an axis by the trapezoidal rule; former name of `trapezoid`."""
    return trapezoid(y, x, dx, axis)


# ---- angles, special functions -----------------------------------------------------------------


def _direction(steps: Any) -> int:
    """1 if edges ascend, -1 if they descend; ValueError otherwise. The first pair of different
    edges decides. Comparisons with NaN are false, so that NaN is never out of order.

    The first edge that differs from those before decides, and nothing compares with a NaN: it never
    ascends and is never out of order.
    """
    changes = (steps[1:] != steps[:1]).nonzero()[0]
    if changes.size == 0:
        return 1
    before, after = steps[changes[0] : -1], steps[changes[0] + 1 :]
    ascends = before[0] < after[0]
    if (before > after if ascends else before < after).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    return 1 if ascends else -1


def digitize(x, bins, right=False) -> ndarray:
    """Return the indices of the bins to which values belong.

    Parameters
    ----------
    x : array_like
        Array of values to be binned.
    bins : 1-d array_like
        Bin edges in ascending or descending order.
    right : bool, optional
        If True, a bin includes its upper edge instead of its lower one.

    Returns
    -------
    ndarray
        Array of int64 with the shape of `x`: 0 below all edges, ``len(bins)`` above.

    Raises
    ------
    ValueError
        If edges on the host are not in order, or not one-dimensional.
    TypeError
        If `x` is complex.

    Differences
    -----------
    Edges in a device array are taken to be in order: a check would wait for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.digitize(cp.array([0.2, 6.4, 3.0]), [0.0, 1.0, 2.5, 4.0, 10.0])
    array([1, 4, 3])
    """
    x = as_numbers(x, "digitize")
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    side = "left" if right else "right"
    if not isinstance(bins, ndarray):
        refuse_host(bins, "bins")
        steps = numbers_on_host(bins)
        if steps.dtype.kind == "c":
            raise TypeError("bins may not be complex")
        if steps.ndim != 1:
            raise ValueError("object of too small depth for desired array")
        if _direction(steps) > 0:
            return searchsorted(asarray(steps), x, side)
        return steps.size - searchsorted(asarray(steps[::-1].copy()), x, side)
    if bins.dtype.kind == "c":
        raise TypeError("bins may not be complex")
    if bins.ndim != 1:
        raise ValueError("object of too small depth for desired array")
    return search_either(bins, x, not right)


def angle(z, deg=False) -> ndarray:
    """Return the angle of complex numbers, in radians or degrees.

    Parameters
    ----------
    z : array_like
        Array of real or complex numbers.
    deg : bool, optional
        If True, return degrees instead of radians.

    Returns
    -------
    ndarray
        Angles, of a floating-point type.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.angle(cp.array([1.0, 1j, -1]), deg=True)
    array([  0.,  90., 180.])
    """
    z = as_array(z)
    y, x = (z.imag, z.real) if z.dtype.kind == "c" else (0, z)
    result = um.arctan2(y, x)
    return result * (180 / pi) if deg else result


# ---- selection ---------------------------------------------------------------------------------


def select(condlist, choicelist, default=0) -> ndarray:
    """Choose elements from a list of arrays, depending on conditions.

    Parameters
    ----------
    condlist : sequence of array_like of bool
        List of conditions. If several are true, the first one counts.
    choicelist : sequence of array_like
        List of arrays, one for each condition.
    default : array_like, optional
        Value used if no condition is true.

    Returns
    -------
    ndarray
        Array of the common shape and dtype; one launch for each condition.

    Raises
    ------
    ValueError
        If the lists are empty or differ in length.
    TypeError
        If conditions are not bool, or choices have no common dtype.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.arange(5)
    >>> cp.select([x < 2, x > 2], [x, x * x], 42)
    array([ 0,  1, 42,  9, 16])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ValueError("select with an empty condition list is not possible")
    weak = (int, float, complex)
    choices = [c if type(c) in weak else as_array(c) for c in (*choicelist, default)]
    try:
        dtype = result_type(*dict.fromkeys(c if type(c) in weak else c.dtype for c in choices))
    except TypeError as error:
        raise TypeError(
            f"Choicelist and default value do not have a common dtype: {error}"
        ) from None
    conditions = [as_array(c) for c in condlist]
    for i, condition in enumerate(conditions):
        if condition.dtype != np.bool_:
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    given = [c for c in (*conditions, *choices) if isinstance(c, ndarray)]
    if type(default) in weak and all(a._c_contiguous for a in given):  # the result is in C order
        result: Any = default
        for condition, choice in zip(reversed(conditions), reversed(choices[:-1]), strict=True):
            result = where(condition, choice, result)
        if result.dtype == dtype:
            return result
    arrays = [array(c, dtype, copy=None) for c in choices]
    shape = np.broadcast_shapes(*(a.shape for a in conditions), *(a.shape for a in arrays[:-1]))
    if len(conditions) == 1:
        shape = np.broadcast_shapes(shape, arrays[-1].shape)
    result = full(shape, arrays[-1], dtype)
    for condition, choice in zip(reversed(conditions), reversed(arrays[:-1]), strict=True):
        copyto(result, choice, where=condition)
    return result


def _is_one_condition(condlist: Any, ndim: int) -> bool:
    """Whether an argument of `piecewise` is a single condition instead of a list."""
    if isinstance(condlist, ndarray):
        return condlist.ndim == 0 or (condlist.ndim == 1 and ndim != 0)
    if np.isscalar(condlist):
        return True
    return not isinstance(condlist[0], (list, ndarray)) and ndim != 0


def piecewise(x, condlist, funclist, *args, **kw) -> ndarray:
    """Evaluate a function that is defined piecewise.

    Parameters
    ----------
    x : array_like
        Array at which the functions are evaluated.
    condlist : sequence of array_like of bool
        List of conditions. If several are true, the last one counts. One more function than
        conditions is the default.
    funclist : sequence of callable or scalar
        List of values or functions ``f(values, *args, **kw)``, one for each condition.
    *args, **kw : optional
        Further arguments that are passed to the functions.

    Returns
    -------
    ndarray
        Array with the dtype of `x`, zero where no condition is true.

    Raises
    ------
    ValueError
        If the numbers of conditions and functions do not match.

    Notes
    -----
    Functions receive the elements for which their condition is true, whose number the host waits
    for.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([-2.0, 3.0])
    >>> cp.piecewise(x, [x < 0, x >= 0], [-1, 1])
    array([-1.,  1.])
    """
    x = as_array(x)
    if _is_one_condition(condlist, x.ndim):
        condlist = [condlist]
    conditions = [as_array(c).astype(bool, copy=False) for c in condlist]
    if len(conditions) == len(funclist) - 1:
        rest = ~conditions[0]
        for condition in conditions[1:]:
            rest &= ~condition
        conditions.append(rest)
    elif len(conditions) != len(funclist):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            if condition.shape == y.shape:
                copyto(y, function, casting="unsafe", where=condition)
            else:  # a condition of the leading axes; IndexError where it does not fit
                y[condition] = function
            continue
        values = x[condition]
        if values.size > 0:
            y[condition] = function(values, *args, **kw)
    return y


def extract(condition, arr) -> ndarray:
    """Return the elements of an array where a condition is true. Waits for their number.

    Parameters
    ----------
    condition : array_like of bool
        Array whose true elements select those of `arr`.
    arr : array_like
        Array with as many elements as `condition`.

    Returns
    -------
    ndarray
        One-dimensional array of the selected elements.
    """
    condition = as_array(condition)
    is_structured = issubclass(condition.dtype.type, np.void)
    mask = truth(condition) if is_structured else condition.astype(bool, copy=False)
    return ravel(as_array(arr))[ravel(mask)]


def place(arr, mask, vals) -> None:
    """Assign values, repeated as needed, to the elements selected by a mask. Waits.

    Parameters
    ----------
    arr : ndarray
        Array that is modified in place.
    mask : array_like of bool
        Mask with as many elements as `arr`.
    vals : array_like
        Values to assign; they are repeated if there are fewer.

    Raises
    ------
    ValueError
        If the mask has the wrong size, or there are no values.
    TypeError
        If `arr` is not a device array.
    """
    if not isinstance(arr, ndarray):
        raise TypeError(f"argument 1 must be gpunp.ndarray, not {type(arr).__name__}")
    mask, vals = as_array(mask).astype(bool, copy=False), as_array(vals).ravel()
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    if "M" in arr.dtype.kind.upper() + vals.dtype.kind.upper():
        check_cast(vals.dtype, arr.dtype, "safe")
    count = int(mask.sum())
    if count == 0:
        return
    if vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    copies = -(-count // vals.size)
    arr[mask.reshape(arr.shape)] = concatenate((vals,) * copies)[:count].astype(
        arr.dtype, copy=False
    )


# ---- inserting and deleting --------------------------------------------------------------------


def sort_complex(a) -> ndarray:
    """Sort by real part, then imaginary part, and return complex numbers.

    Parameters
    ----------
    a : array_like
        Array to be sorted along the last axis.

    Returns
    -------
    ndarray
        Array of complex64 for small integers, of the dtype of `a` if it is complex, otherwise of
        complex128.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.sort_complex(cp.array([5, 3, 6]))
    array([3.+0.j, 5.+0.j, 6.+0.j])
    """
    a = sort(as_array(a))
    if a.dtype.kind == "c":
        return a
    return a.astype("F" if a.dtype.char in "bhBH" else "D")


def msort(a) -> ndarray:
    """Return a copy sorted along the first axis (NumPy before 2.0, and CuPy).

    Parameters
    ----------
    a : array_like
        Array to be sorted.

    Returns
    -------
    ndarray
        Sorted array with the shape and dtype of `a`.
    """
    return sort(a, axis=0)


# ---- interpolation and unwrapping ----------------------------------------------------------


def interp(x, xp, fp, left=None, right=None, period=None) -> ndarray:
    """Interpolate linearly between the points (xp, fp), at x. One launch.

    Parameters
    ----------
    x : array_like
        Positions at which to interpolate.
    xp : array_like
        Positions of the points, in ascending order unless `period` is given; the order is not
        checked.
    fp : array_like
        Values at the points, real or complex.
    left, right : number, optional
        Values for positions below and above all points. By default the first and the last value.
    period : float, optional
        Period of the positions, if they are periodic, such as angles.

    Returns
    -------
    ndarray
        Array of float64 or complex128 with the shape of `x`.

    Raises
    ------
    ValueError
        If there are no points, `xp` and `fp` differ in length, or the period is zero.
    TypeError
        If `x` or `xp` is complex.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.interp(cp.array([0.5, 2.5]), cp.array([0, 1, 2]), cp.array([0.0, 10.0, 20.0]))
    array([ 5., 20.])
    """
    x, xp, fp = (as_numbers(v, "interp") for v in (x, xp, fp))
    if x.dtype.kind == "c" or xp.dtype.kind == "c":
        raise TypeError("interp: complex numbers have no order; x and xp must be real")
    kind = np.complex128 if fp.dtype.kind == "c" else np.float64
    xs, points = (asarray(v, np.float64, "C") for v in (x, xp))
    values = asarray(fp, kind, "C")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        if points.ndim != 1 or values.ndim != 1:
            raise ValueError("Data points must be 1-D sequences")
        if points.size != values.size:
            raise ValueError("fp and xp are not of the same length")
        period, left, right = abs(period), None, None
        xs, points = xs % period, points % period
        order = points.argsort()
        points, values = points[order], values[order]
        points = concatenate((points[-1:] - period, points, points[:1] + period))
        values = concatenate((values[-1:], values, values[:1]))
    if points.ndim > 1 or values.ndim > 1:
        raise ValueError("object too deep for desired array")
    if points.size == 0:
        raise ValueError("array of sample points is empty")
    if points.size != values.size:
        raise ValueError("fp and xp are not of the same length.")
    for name, end in (("left", left), ("right", right)):
        refuse_text(end, name)
        if end is None:
            continue
        if isinstance(end, (list, tuple)) or math.prod(host_shape(end)) != 1:
            raise TypeError(f"{name} must be a number, not {shown(end)}")
    ends = [
        values[i : i + 1 or None] if end is None else asarray(end, kind, "C")
        for i, end in ((0, left), (-1, right))
    ]
    return um.interp(xs, points.ravel(), values.ravel(), *ends)


def unwrap(p, discont=None, axis=-1, *, period=2 * pi) -> ndarray:
    """Unwrap phases: replace jumps of more than half a period by their complements.

    Parameters
    ----------
    p : array_like
        Array of phases to unwrap.
    discont : float, optional
        Largest jump that is kept; at least, and by default, half a period.
    axis : int, optional
        Axis along which to operate.
    period : float, optional
        Size of the range over which the phase wraps.

    Returns
    -------
    ndarray
        Unwrapped phases, with the shape of `p`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unwrap(cp.array([0, 1, 2, -1, 0]), period=4)
    array([0, 1, 2, 3, 4])
    """
    p = as_array(p)
    axis = normalize_axis_index(axis, p.ndim)
    step = diff(p, axis=axis)
    if discont is None:
        discont = period / 2
    dtype = np.result_type(step.dtype, period)
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        ambiguous = rest == 0
    else:
        high, ambiguous = period / 2, True
    low = -high
    wrapped = um.remainder(step - low, period) + low
    if ambiguous:
        copyto(wrapped, high, where=(wrapped == low) & (step > 0))
    correction = wrapped - step
    copyto(correction, 0, where=abs(step) < discont)
    up = p.astype(dtype)
    if not up.shape[axis]:
        return up
    later = (slice(None),) * axis + (slice(1, None),)
    up[later] = p[later] + correction.cumsum(axis)
    return up
