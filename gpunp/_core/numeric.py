"""Filled arrays, permutation of axes, comparison of whole arrays: NumPy's `numeric`."""

import builtins
import datetime
import functools
import math
import numbers
import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy import base_repr, binary_repr

from .. import _C
from .._C import ndarray
from ._convert import (
    as_array,
    as_host,
    as_numbers,
    as_operand,
    elsewhere,
    make_like,
    normalize_axis_index,
    normalize_axis_tuple,
    numbers_on_host,
    on_device,
)
from ._docstrings import documented_as
from ._ufunc_config import errstate, geterr, seterr
from ._warnings import warn
from .multiarray import array, asarray, empty, result_type, strided_view
from .raw import ElementwiseKernel
from .structured import truth

__all__ = [
    "False_",
    "True_",
    "allclose",
    "argwhere",
    "array_equal",
    "array_equiv",
    "astype",
    "base_repr",
    "binary_repr",
    "convolve",
    "correlate",
    "count_nonzero",
    "cross",
    "e",
    "errstate",
    "euler_gamma",
    "flatnonzero",
    "fromfunction",
    "full",
    "full_like",
    "geterr",
    "identity",
    "indices",
    "inf",
    "isclose",
    "isfortran",
    "isscalar",
    "little_endian",
    "moveaxis",
    "nan",
    "newaxis",
    "ones",
    "ones_like",
    "outer",
    "pi",
    "require",
    "roll",
    "rollaxis",
    "seterr",
    "tensordot",
    "zeros_like",
]

e = math.e
pi = math.pi
inf = math.inf
nan = math.nan
euler_gamma = np.euler_gamma
newaxis = None
True_, False_ = np.True_, np.False_
little_endian = np.little_endian


# ---- filled arrays -----------------------------------------------------------------------------


@documented_as(empty)
def ones(shape, dtype=None, order="C", *, device=None, like=None) -> ndarray:
    """Create an array of ones of a given shape and dtype.

    Returns
    -------
    ndarray
        Array of ones with the given shape, dtype and layout.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.ones(3)
    array([1., 1., 1.])
    """
    if elsewhere(like):
        return make_like(like, "ones", shape, dtype, order)
    with on_device(device):
        return _C.ones(shape, dtype, order)


@documented_as(ones)
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None) -> ndarray:
    """Create an array filled with a value, or with an array that is broadcast to the shape.

    Parameters
    ----------
    fill_value : array_like
        Fill value, or array of values that is broadcast to the shape.
    dtype : dtype, optional
        Type of the result. By default that of `fill_value`.

    Returns
    -------
    ndarray
        Array of the fill value with the given shape, dtype and layout.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.full((2, 2), 7)
    array([[7, 7],
           [7, 7]])
    """
    if elsewhere(like):
        return make_like(like, "full", shape, fill_value, dtype, order)
    with on_device(device):
        return _C.full(shape, _value(fill_value, dtype), dtype, order)


def _value(value: Any, dtype: Any) -> Any:
    """Fill value; strings are converted to times if the dtype is one."""
    if isinstance(value, (ndarray, bool, int, float, complex, np.generic)):
        return value
    is_date = isinstance(value, (str, bytes, datetime.date, datetime.timedelta, type(None)))
    if is_date and dtype is not None and np.dtype(dtype).kind in "mM":
        return value
    return as_array(value)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None) -> ndarray:
    """Create an array of zeros with the shape, dtype and memory layout of `a`.

    Parameters
    ----------
    a : array_like
        Prototype: its shape, dtype and memory layout are used where these are not given.
    dtype : dtype, optional
        Type of the result. By default that of the prototype.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory layout of the result; 'K' keeps that of the prototype as closely as possible.
    subok : bool, optional
        Accepted for compatibility with NumPy; the result is a plain array.
    shape : int or tuple of int, optional
        Shape of the result. By default that of the prototype.
    device : Device, optional
        Device on which to create the array. By default the current one.

    Returns
    -------
    ndarray
        Array with the shape and dtype of `a`, unless overridden.
    """
    with on_device(device):
        return _C.zeros_like(as_array(a), dtype, order, subok, shape)


@documented_as(zeros_like)
def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None) -> ndarray:
    """Create an array of ones with the shape, dtype and memory layout of `a`."""
    with on_device(device):
        return _C.ones_like(as_array(a), dtype, order, subok, shape)


@documented_as(zeros_like)
def full_like(
    a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None
) -> ndarray:
    """Create an array filled with a value, with the shape, dtype and memory layout of `a`.

    Parameters
    ----------
    fill_value : array_like
        Fill value, or array of values that is broadcast to the shape.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.full_like(cp.arange(3), 5)
    array([5, 5, 5])
    """
    with on_device(device):
        fill_value = as_operand(fill_value)
        return _C.full_like(as_array(a), fill_value, dtype, order, subok, shape)


def identity(n, dtype=None, *, like=None) -> ndarray:
    """Return the identity matrix: ones on the main diagonal, zeros elsewhere.

    Parameters
    ----------
    n : int
        Number of rows and of columns.
    dtype : dtype, optional
        Type of the result. By default float64.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        Identity matrix of shape ``(n, n)``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    if elsewhere(like):
        return make_like(like, "identity", n, dtype)
    n = operator.index(n)
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    return _C.eye(n, n, 0, np.dtype(float if dtype is None else dtype), "C")


def indices(dimensions, dtype=int, sparse=False):
    """Return index arrays of a grid: an array of shape (N, *dimensions), or sparse arrays.

    Parameters
    ----------
    dimensions : sequence of int
        Shape of the grid.
    dtype : dtype, optional
        Type of the indices.
    sparse : bool, optional
        If True, return arrays of size one along all axes but their own.

    Returns
    -------
    ndarray, or tuple of ndarray
        One array of all indices, or a tuple of sparse arrays.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.indices((2, 2))
    array([[[0, 0],
            [1, 1]],
    <BLANKLINE>
           [[0, 1],
            [0, 1]]])
    """
    dimensions = tuple(dimensions)
    ndim = len(dimensions)
    dtype = np.dtype(dtype)
    if dtype.kind == "M":
        raise ValueError(f"dtype: indices are numbers, not {dtype}")
    filled = np.dtype(np.int64) if dtype.kind == "m" else dtype
    res = () if sparse else empty((ndim, *dimensions), dtype)
    for i, n in enumerate(dimensions):
        shape = (1,) * i + (n,) + (1,) * (ndim - i - 1)
        index = _C.arange_fill(n, 0, 1, filled).view(dtype).reshape(shape)
        if sparse:
            res = (*res, index)
        else:
            res[i] = index
    return res


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """Construct an array by calling a function with the index arrays of a shape.

    Parameters
    ----------
    function : callable
        Function that is called once, with one index array for each axis.
    shape : tuple of int
        Shape of the index arrays.
    dtype : dtype, optional
        Type of the index arrays.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).
    **kwargs : optional
        Further keyword arguments, passed to the function.

    Returns
    -------
    object
        The value that the function returns.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fromfunction(lambda i, j: i + j, (2, 3), dtype=int)
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    if elsewhere(like):
        return make_like(like, "fromfunction", function, shape, dtype=dtype, **kwargs)
    return function(*indices(shape, dtype=dtype), **kwargs)


def require(a, dtype=None, requirements=None, *, like=None) -> ndarray:
    """Return an array that satisfies requirements on its layout, copying if needed.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    requirements : str or sequence of str, optional
        Flags: 'C' or 'F' contiguous, 'A' aligned, 'W' writeable, 'O' owns its data, 'E' no
        subclass; long names as well.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        `a` itself if it satisfies the requirements.

    Raises
    ------
    ValueError
        If both 'C' and 'F' are given.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.require(cp.zeros((2, 3)), requirements="F").flags.f_contiguous
    True
    """
    if elsewhere(like):
        return make_like(like, "require", a, dtype, requirements)
    names = {
        "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C",
        "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
        "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W",
        "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E",
    }  # fmt: skip
    wanted = {names[r.upper()] for r in requirements or ()}
    if {"C", "F"} <= wanted:
        raise ValueError("Cannot specify both C and F order")
    order = "F" if "F" in wanted else "C" if "C" in wanted else "A"
    out = array(a, dtype, copy=None, order=order)
    flags = out.flags
    if ("W" in wanted and not flags.writeable) or ("O" in wanted and not flags.owndata):
        out = out.copy(order)
    return out.view(ndarray) if "E" in wanted and type(out) is not ndarray else out


# ---- axes --------------------------------------------------------------------------------------


def moveaxis(a, source, destination) -> ndarray:
    """Return a view with axes moved to new positions; the other axes keep their order.

    Parameters
    ----------
    a : array_like
        Array of which a view is made.
    source : int or sequence of int
        Original positions of the axes to move.
    destination : int or sequence of int
        New position of each of these axes.

    Returns
    -------
    ndarray
        A view of the input.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.moveaxis(cp.zeros((3, 4, 5)), 0, -1).shape
    (4, 5, 3)
    """
    a = as_array(a)
    if type(source) is int and type(destination) is int:
        return a.transpose(_moved_axes(a.ndim, (source,), (destination,)))
    source = normalize_axis_tuple(source, a.ndim, "source")
    destination = normalize_axis_tuple(destination, a.ndim, "destination")
    return a.transpose(_moved_axes(a.ndim, source, destination))


@functools.lru_cache(maxsize=512)
def _moved_axes(ndim: int, source: tuple, destination: tuple) -> tuple[int, ...]:
    """The axes in the order that `moveaxis` gives them."""
    source = normalize_axis_tuple(source, ndim, "source")
    destination = normalize_axis_tuple(destination, ndim, "destination")
    if len(source) != len(destination):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [n for n in range(ndim) if n not in source]
    for dest, src in sorted(zip(destination, source, strict=True)):
        order.insert(dest, src)
    return tuple(order)


def rollaxis(a, axis, start=0) -> ndarray:
    """Return a view with an axis moved back until it is before position `start` (see `moveaxis`).

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int
        Axis that is moved.
    start : int, optional
        Position before which the axis is moved.

    Returns
    -------
    ndarray
        A view of the input.

    Raises
    ------
    AxisError
        If an axis is out of bounds.
    """
    a = as_array(a)
    axis = normalize_axis_index(axis, a.ndim)
    if start < 0:
        start += a.ndim
    if not 0 <= start < a.ndim + 1:
        raise np.exceptions.AxisError(
            f"start arg requires {-a.ndim} <= start < {a.ndim + 1}, but {start} was passed in"
        )
    start -= axis < start
    axes = [n for n in range(a.ndim) if n != axis]
    axes.insert(start, axis)
    return a.transpose(axes)


def roll(a, shift, axis=None) -> ndarray:
    """Shift elements cyclically along axes.

    Parameters
    ----------
    a : array_like
        Array whose elements are shifted.
    shift : int or tuple of int
        Number of places to shift by, for each axis.
    axis : int or tuple of int, optional
        Axes along which to shift. By default the flattened array is shifted.

    Returns
    -------
    ndarray
        A copy, made in one launch.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.roll(cp.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    a = as_array(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    if type(shift) is int and type(axis) is int:
        shape = a.shape
        axis = normalize_axis_index(axis, len(shape))
        places = [0] * len(shape)
        places[axis] = shift % (shape[axis] or 1)
        return _C.pad(a, tuple(places), shape, "wrap", 0)
    axes = normalize_axis_tuple(axis, a.ndim, allow_duplicate=True)
    pairs = np.broadcast(numbers_on_host(shift), axes)
    if pairs.ndim > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    shifts = dict.fromkeys(range(a.ndim), 0)
    for sh, ax in pairs:
        shifts[int(ax)] += int(sh)
    before = tuple(sh % (a.shape[ax] or 1) for ax, sh in shifts.items())
    return _C.pad(a, before, a.shape, "wrap", 0)


# ---- products ----------------------------------------------------------------------------------


def outer(a, b, out=None) -> ndarray:
    """Compute the outer product of two vectors; higher dimensions are flattened. One launch.

    Parameters
    ----------
    a, b : array_like
        First and second vector; they are flattened.
    out : ndarray, optional
        Array into which the result is written.

    Returns
    -------
    ndarray
        The products.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.outer(cp.arange(3), cp.arange(2))
    array([[0, 0],
           [0, 1],
           [0, 2]])
    """
    a, b = as_array(a), as_array(b)
    return _C.multiply(a.ravel()[:, None], b.ravel()[None, :], out)


def tensordot(a, b, axes=2) -> ndarray:
    """Compute the sum of products over pairs of axes.

    Parameters
    ----------
    a, b : array_like
        Arrays of which products are summed.
    axes : int or pair of sequences of int, optional
        Number N of axes: the last N of `a` and the first N of `b`. Or two sequences, of axes of `a`
        and of `b`.

    Returns
    -------
    ndarray
        The sums of products.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.tensordot(cp.ones((2, 3, 4)), cp.ones((3, 4, 5))).shape
    (2, 5)
    """
    a, b = as_array(a), as_array(b)
    if type(axes) is int:
        pairs: Any = axes
    else:
        try:
            lists = list(axes)
        except TypeError:
            pairs = operator.index(axes)
        else:
            if len(lists) != 2:
                raise ValueError(f"axes must be an integer or two lists, not {len(lists)} of them")
            pairs = tuple(tuple(map(operator.index, [x] if _is_index(x) else x)) for x in lists)
    order_a, shape_a, order_b, shape_b, shape = _tensordot_plan(a.shape, b.shape, pairs)
    if order_a is not None:
        a = a.transpose(order_a)
    if order_b is not None:
        b = b.transpose(order_b)
    if shape_a is not None:
        a = a.reshape(shape_a)
    if shape_b is not None:
        b = b.reshape(shape_b)
    product = _C.matmul(a, b)
    return product if shape is None else product.reshape(shape)


@functools.lru_cache(maxsize=512)
def _tensordot_plan(a: tuple[int, ...], b: tuple[int, ...], axes: Any) -> Any:
    """Transpositions and shapes (None: as it is) that lead to a product of two matrices."""
    if isinstance(axes, int):
        axes = (range(-axes, 0), range(axes))
    elif any(len(set(own)) < len(own) for own in axes):
        raise ValueError("duplicate axes are not allowed in tensordot")
    left, right = axes
    if len(left) != len(right):
        raise ValueError("shape-mismatch for sum")
    for i, j in zip(left, right, strict=True):
        if a[i] != b[j]:  # IndexError for an axis that is none
            raise ValueError("shape-mismatch for sum")
    left, right = [i % len(a) for i in left], [i % len(b) for i in right]
    if len(set(left)) < len(left) or len(set(right)) < len(right):
        raise ValueError("axes don't match array")
    rows = [i for i in range(len(a)) if i not in left]
    columns = [i for i in range(len(b)) if i not in right]
    k = math.prod(a[i] for i in left)
    x = (math.prod(a[i] for i in rows), k)
    y = (k, math.prod(b[i] for i in columns))
    shape = tuple(a[i] for i in rows) + tuple(b[i] for i in columns)
    return (
        None if rows + left == list(range(len(a))) else rows + left,
        None if tuple(a[i] for i in rows + left) == x else x,
        None if right + columns == list(range(len(b))) else right + columns,
        None if tuple(b[i] for i in right + columns) == y else y,
        None if shape == (x[0], y[1]) else shape,
    )


def _is_index(x: Any) -> bool:
    return hasattr(x, "__index__") and getattr(x, "ndim", 0) == 0


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None) -> ndarray:
    """Compute the cross product of (arrays of) vectors with two or three components.

    Parameters
    ----------
    a, b : array_like
        Arrays of vectors, broadcast over all other axes.
    axisa, axisb, axisc : int, optional
        Axis of `a`, `b` and the result that holds the components.
    axis : int, optional
        Axis of the components in all three arrays; it overrides the other arguments.

    Returns
    -------
    ndarray
        Cross products; scalars if both vectors have two components.

    Raises
    ------
    ValueError
        If the vectors have another number of components.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.cross(cp.array([1, 0, 0]), cp.array([0, 1, 0]))
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    if type(axisa) is type(axisb) is type(axisc) is int and axisa == axisb == axisc == -1:
        product = _C.cross_of_rows(a, b)
        if product is not None:
            return product
    a, b = as_numbers(a, "cross"), as_numbers(b, "cross")
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("At least one array has zero dimension")
    a = moveaxis(a, normalize_axis_index(axisa, a.ndim, "axisa"), -1)
    b = moveaxis(b, normalize_axis_index(axisb, b.ndim, "axisb"), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{a.shape[-1]} and {b.shape[-1]} dimensional instead."
        )
    shape = np.broadcast_shapes(a[..., 0].shape, b[..., 0].shape)
    if a.shape[-1] == 2 or b.shape[-1] == 2:
        return _cross_of_planes(a, b, shape, axisc)
    normalize_axis_index(axisc, len(shape) + 1, "axisc")
    dtype = result_type(a, b)
    if dtype.kind == "b":
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")
    out = empty((*shape, 3), dtype)
    _CROSS(*_components(a, dtype), *_components(b, dtype), *_components(out, dtype))
    return out if axisc in (-1, len(shape)) else moveaxis(out, -1, axisc)


# Products are rounded before they are subtracted, as NumPy's are: the product of a vector with
# itself is 0.
_CROSS = ElementwiseKernel(
    "T ax, T ay, T az, T bx, T by, T bz",
    "T x, T y, T z",
    "x = (T)(ay * bz) - (T)(az * by); y = (T)(az * bx) - (T)(ax * bz);"
    " z = (T)(ax * by) - (T)(ay * bx)",
    "cross",
    options=("--fmad=false",),
)


def _components(a: ndarray, dtype: Any) -> tuple[ndarray, ndarray, ndarray]:
    """The three components along the last axis, as views of an array of the type."""
    a = a.astype(dtype, copy=False)
    return a[..., 0], a[..., 1], a[..., 2]


def _cross_of_planes(a: ndarray, b: ndarray, shape: tuple[int, ...], axisc: Any) -> ndarray:
    """Cross product of vectors with two components, deprecated by NumPy 2: the third one counts as
    0.
    """
    warn(
        "Arrays of 2-dimensional vectors are deprecated. Use arrays of 3-dimensional vectors "
        "instead.",
        DeprecationWarning,
    )
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    out = empty((*shape, 3), result_type(a, b))
    if a.shape[-1] == 2:
        out[..., 0] = a[..., 1] * b[..., 2]
        out[..., 1] = -(a[..., 0] * b[..., 2])
    else:
        out[..., 0] = -(a[..., 2] * b[..., 1])
        out[..., 1] = a[..., 2] * b[..., 0]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return moveaxis(out, -1, axisc)


# ---- correlation ---------------------------------------------------------------------------------

_MODES = {"valid": 0, "same": 1, "full": 2}


def _overlap(mode: Any) -> int:
    """0 for 'valid', 1 for 'same', 2 for 'full'; numbers are returned unchanged."""
    if isinstance(mode, str):
        if mode not in _MODES:
            raise ValueError("Use one of 'valid', 'same', or 'full' for convolve/correlate mode")
        return _MODES[mode]
    mode = operator.index(mode)
    if mode not in (0, 1, 2):
        raise ValueError("integer convolve/correlate mode must be 0, 1, or 2")
    return mode


# Number of elements of the shorter operand from which Fourier transforms are faster.
_LONG = 512


def _correlate_directly(a: ndarray, v: ndarray, mode: int) -> ndarray:
    """Sums of products of `v` with each window of `a`, which is at least as long."""
    n, k = a.size, v.size
    before = (0, k // 2, k - 1)[mode]
    count = (n - k + 1, n, n + k - 1)[mode]
    dtype = result_type(a, v)
    if dtype.kind in "fcV" and min(k, count) >= _LONG:
        return _product_of_spectra(a, v[::-1])[k - 1 - before :][:count].astype(dtype, copy=False)
    if mode == 0 and count < k:  # few long sums: rows of a matrix that overlap
        return _C.matmul(strided_view(a, (count, k), (*a.strides, *a.strides)), v)
    return _C.correlate(a, v, dtype, before, count)


def _product_of_spectra(a: ndarray, v: ndarray) -> ndarray:
    """Full convolution of two vectors by Fourier transforms, followed by zeros."""
    length = _C.fft_length(a.size + v.size - 1)
    if a.dtype.kind == "c" or v.dtype.kind == "c":
        there, back = _C.fft, _C.ifft
    else:
        there, back = _C.rfft, _C.irfft
    spectrum, other = there(a, length), there(v, length)
    if spectrum.dtype == result_type(spectrum, other):
        spectrum *= other
    else:
        spectrum = spectrum * other
    return back(spectrum, length)


def convolve_directly(a: ndarray, v: ndarray) -> ndarray:
    """Full convolution of two vectors by sums of products, for any lengths."""
    if v.size > a.size:
        a, v = v, a
    return _C.correlate(a, v[::-1], result_type(a, v), v.size - 1, a.size + v.size - 1)


def convolve_plane(
    a: ndarray, v: ndarray, before: Sequence[int], shape: Sequence[int], outside: int, fill: Any
) -> ndarray:
    """Part of a convolution of matrices by sums of products: see `_C.correlate2d`."""
    (before_y, before_x), (rows, columns) = before, shape
    flipped, dtype = v[::-1, ::-1], result_type(a, v)
    return _C.correlate2d(a, flipped, dtype, before_y, before_x, rows, columns, outside, fill)


def correlate(a, v, mode="valid") -> ndarray:
    """Compute the cross-correlation of two one-dimensional sequences; complex `v` is conjugated.

    Integers are summed, exactly. Long floating and complex sequences are multiplied as spectra:
    then rounding errors are those of the largest values, and one value that is not finite makes
    the whole result so.

    Parameters
    ----------
    a : array_like
        First sequence, of one dimension.
    v : array_like
        Second sequence, of one dimension.
    mode : {'full', 'same', 'valid'}, optional
        Size of the result: all points of overlap, as many as the longer sequence, or those of
        complete overlap.

    Returns
    -------
    ndarray
        One-dimensional array of the common dtype of `a` and `v`; its length depends on `mode`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.correlate(cp.array([1, 2, 3]), cp.array([0, 1, 2]), "full")
    array([2, 5, 8, 3, 0])
    """
    mode = _overlap(mode)
    a, v = as_array(a), as_array(v)
    for x in (a, v):
        if x.ndim != 1:
            depth = "too small depth" if x.ndim == 0 else "too deep"
            raise ValueError(f"object {'of ' if x.ndim == 0 else ''}{depth} for desired array")
    if a.size == 0 or v.size == 0:
        which = "first" if a.size == 0 else "second"
        raise ValueError(f"{which} array argument cannot be empty")
    if v.dtype.kind == "c":
        v = _C.conjugate(v)
    return (
        _correlate_directly(v, a, mode)[::-1].copy()
        if v.size > a.size
        else _correlate_directly(a, v, mode)
    )


@documented_as(correlate)
def convolve(a, v, mode="full") -> ndarray:
    """Compute the discrete, linear convolution of two one-dimensional sequences.

    Integers are summed, exactly. Long floating and complex sequences are multiplied as spectra:
    then rounding errors are those of the largest values, and one value that is not finite makes
    the whole result so.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.convolve(cp.array([1, 2, 3]), cp.array([0, 1, 2]))
    array([0, 1, 4, 7, 6])
    """
    a, v = (x.reshape(1) if x.ndim == 0 else x for x in (as_array(a), as_array(v)))
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'a' if a.size == 0 else 'v'} cannot be empty")
    if v.size > a.size:
        a, v = v, a
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    return _correlate_directly(a, v[::-1], _overlap(mode))


# ---- comparisons of whole arrays ---------------------------------------------------------------


def _warn_of_tolerances(rtol: Any, atol: Any) -> None:
    """Warn of tolerances on the host that are infinite or NaN; those on the device would wait."""
    for x in (rtol, atol):
        if isinstance(x, ndarray) or (isinstance(x, float) and math.isfinite(x)):
            continue
        if not np.isfinite(as_host(x)).all():
            warn(f"One of rtol or atol is not valid, atol: {atol}, rtol: {rtol}", RuntimeWarning)
            return


def isclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False) -> ndarray:
    """Return whether two arrays are equal within a tolerance, element-wise.

    One launch.

    Parameters
    ----------
    a, b : array_like
        Input arrays, broadcast against each other.
    rtol : array_like, optional
        Relative tolerance, multiplied by `b`.
    atol : array_like, optional
        Absolute tolerance, added to the relative one.
    equal_nan : bool, optional
        If True, NaNs in the same position compare equal.

    Returns
    -------
    ndarray of bool
        Array with the shape of `a` and `b` after broadcasting.

    Warns
    -----
    RuntimeWarning
        If a tolerance on the host is infinite or NaN.

    Notes
    -----
    Differences of times are compared with an `atol` that is a `timedelta64` or an integer, in a
    few launches.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.isclose(cp.array([1.0, 2.0]), cp.array([1.0 + 1e-9, 3.0]))
    array([ True, False])
    """
    a, b = (as_operand(x) for x in (a, b))
    if not isinstance(a, ndarray) and not isinstance(b, ndarray):
        a = as_array(a)
    _warn_of_tolerances(rtol, atol)
    rtol, atol = as_operand(rtol), as_operand(atol)
    if any(np.dtype(getattr(x, "dtype", "?")).kind == "m" for x in (a, b)):
        near = (_C.absolute(_C.subtract(a, b)) <= atol + rtol * _C.absolute(b)) & _C.isfinite(b)
        near |= _C.equal(a, b)
        return near | (_C.isnan(a) & _C.isnan(b)) if equal_nan else near
    return _C.isclose(a, b, rtol, atol, equal_nan, result_type(a, b, rtol, atol, 1.0))


@documented_as(isclose)
def allclose(a, b, rtol=1.0e-5, atol=1.0e-8, equal_nan=False) -> ndarray:
    """Return whether all elements of two arrays are equal within a tolerance.

    Returns
    -------
    ndarray of bool
        0-d array, true where each element is close to the other array's.

    Differences
    -----------
    Returns a 0-d bool array, so that nothing waits for the device; ``bool(...)`` of it does.

    Examples
    --------
    >>> import gpunp as cp
    >>> bool(cp.allclose(cp.ones(3), cp.ones(3) + 1e-10))
    True
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


def array_equal(a1, a2, equal_nan=False) -> ndarray:
    """Return whether two arrays have the same shape and elements.

    Parameters
    ----------
    a1, a2 : array_like
        Arrays to be compared.
    equal_nan : bool, optional
        If True, NaNs in the same position compare equal.

    Returns
    -------
    ndarray of bool
        0-d array, so that nothing waits for the device.

    Differences
    -----------
    Returns a 0-d bool array, so that nothing waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> bool(cp.array_equal(cp.arange(3), cp.arange(3)))
    True
    """
    a1, a2 = as_array(a1), as_array(a2)
    if a1.shape != a2.shape:
        return array(False)
    same = a1 == a2
    if equal_nan and (a1.dtype.kind in "fcVmM" or a2.dtype.kind in "fcVmM"):
        same |= (a1 != a1) & (a2 != a2)
    return same.all()


@documented_as(array_equal)
def array_equiv(a1, a2) -> ndarray:
    """Return whether two arrays are equal after broadcasting, as a 0-d bool array.

    Examples
    --------
    >>> import gpunp as cp
    >>> bool(cp.array_equiv(cp.ones(2), cp.ones((3, 2))))
    True
    """
    a1, a2 = as_array(a1), as_array(a2)
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return array(False)
    return (a1 == a2).all()


def count_nonzero(a, axis=None, *, keepdims=False) -> ndarray:
    """Count the nonzero elements along axes.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    axis : int or tuple of int, optional
        Axis or axes along which to count. By default all elements are counted.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one, so that the result broadcasts against the
        input.

    Returns
    -------
    ndarray of int64
        The counts.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.count_nonzero(cp.array([0, 3, 0, 5]))
    array(2)
    """
    a = as_array(a)
    if issubclass(a.dtype.type, np.void):  # along axes NumPy casts to bool, which fields refuse
        whether = truth(a) if axis is None or a.dtype.names is None else a.astype(bool)
    else:
        whether = a
    return _C.count_nonzero(whether, axis, keepdims=keepdims)


def argwhere(a) -> ndarray:
    """Return the indices of the nonzero elements, one row for each. Waits for their number.

    Parameters
    ----------
    a : array_like
        Array on which to operate.

    Returns
    -------
    ndarray
        Array of int64 with shape ``(number, a.ndim)``.
    """
    a = as_array(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    found = a.nonzero()
    if len(found) == 1:
        return found[0].reshape(-1, 1)
    rows = empty((len(found), found[0].size), np.intp)
    for k, index in enumerate(found):
        rows[k] = index
    return rows.T


def flatnonzero(a) -> ndarray:
    """Return the indices of the nonzero elements of the flattened array. Waits for their number.

    Parameters
    ----------
    a : array_like
        Array on which to operate.

    Returns
    -------
    ndarray
        Array of indices, of type int64.
    """
    return as_array(a).ravel().nonzero()[0]


# ---- counting and tests ------------------------------------------------------------------------


def isfortran(a) -> bool:
    """Return whether an array is Fortran-contiguous and not C-contiguous.

    Parameters
    ----------
    a : ndarray
        Array on which to operate.

    Returns
    -------
    bool
        True if the memory layout is column-major only.
    """
    return a.flags.fnc


def isscalar(element) -> bool:
    """Return whether an object is a Python or NumPy scalar; arrays of zero dimensions are not.

    Parameters
    ----------
    element : object
        Object of any type.

    Returns
    -------
    bool
        True for Python numbers, strings and bytes, and for NumPy scalars.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.isscalar(3.1), cp.isscalar(cp.array(3.1))
    (True, False)
    """
    return isinstance(element, (np.generic, str, bytes, numbers.Number))


def astype(x, dtype, /, *, copy=True, device=None) -> ndarray:
    """Copy an array, cast to another dtype.

    Parameters
    ----------
    x : ndarray
        Array on which to operate; a NumPy scalar is moved to the device.
    dtype : dtype
        Type of the result. Floats out of range of an integer type saturate, and NaN becomes 0.
    copy : bool, optional
        If False, return `x` itself if it has this dtype already.
    device : cuda.Device or int, optional
        Device on which the result has to be. By default that of `x`.

    Returns
    -------
    ndarray
        Array with the shape of `x`.

    Raises
    ------
    TypeError
        If `x` is not a device array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.astype(cp.arange(3), cp.float32)
    array([0., 1., 2.], dtype=float32)
    """
    if isinstance(x, np.generic):
        x = asarray(x, device=device)
    if not isinstance(x, ndarray):
        raise TypeError(f"Input should be a gpunp array. It is a {type(x)} here.")
    if device is None:
        return x.astype(dtype, copy=copy)
    with on_device(device):
        return asarray(x).astype(dtype, copy=copy)


def broadcast_all(*arrays: ndarray) -> tuple[int, ...]:
    """The shape several arrays broadcast to."""
    return np.broadcast_shapes(*(a.shape for a in arrays))


def product(values: Iterable[int]) -> int:
    """Product of Python ints, which is exact."""
    return functools.reduce(operator.mul, values, 1)


def is_weak(x: Any) -> bool:
    """Whether a value is a Python scalar, which is weak in promotion."""
    return isinstance(x, (builtins.bool, int, float, complex)) and not isinstance(x, np.generic)
