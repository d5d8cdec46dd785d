"""Splitting, tiling and stacking: NumPy's `shape_base`."""

import itertools
import sys
from typing import Any

import numpy as np

from .._core._convert import (
    as_array,
    check_host_memory,
    index_list,
    normalize_axis_index,
    normalize_axis_tuple,
    shape_tuple,
)
from .._core._docstrings import documented_as
from .._core.fromnumeric import transpose
from .._core.multiarray import (
    arange,
    asarray,
    concatenate,
    empty,
    ndarray,
    take_along,
)
from .._core.shape_base import as_sequence, atleast_3d, vstack

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "array_split",
    "column_stack",
    "dsplit",
    "dstack",
    "expand_dims",
    "hsplit",
    "kron",
    "put_along_axis",
    "row_stack",
    "split",
    "take_along_axis",
    "tile",
    "vsplit",
]

row_stack = vstack


def expand_dims(a, axis) -> ndarray:
    """Return a view with new axes of size one.

    Parameters
    ----------
    a : array_like
        Input array of any shape.
    axis : int or tuple of int
        Positions of the new axes in the result.

    Returns
    -------
    ndarray
        View of `a` with more dimensions.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.expand_dims(cp.arange(3), (0, 2)).shape
    (1, 3, 1)
    """
    a = as_array(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = a.ndim + len(axes)
    axes = normalize_axis_tuple(axes, ndim)
    lengths = iter(a.shape)
    return a.reshape(tuple(1 if k in axes else next(lengths) for k in range(ndim)))


def column_stack(tup) -> ndarray:
    """Stack arrays side by side; one-dimensional arrays are columns.

    Parameters
    ----------
    tup : sequence of array_like
        Sequence of arrays to join.

    Returns
    -------
    ndarray
        Array of the common dtype.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.column_stack((cp.arange(2), cp.ones(2, int)))
    array([[0, 1],
           [1, 1]])
    """
    arrays = [as_array(a) for a in as_sequence(tup)]
    return concatenate([a if a.ndim > 1 else a.reshape(-1, 1) for a in arrays], 1)


@documented_as(column_stack)
def dstack(tup) -> ndarray:
    """Stack arrays along the third axis."""
    arrays = atleast_3d(*as_sequence(tup))
    return concatenate(arrays if isinstance(arrays, tuple) else [arrays], 2)


# ---- splitting into views ----------------------------------------------------------------------


def array_split(ary, indices_or_sections, axis=0) -> list[ndarray]:
    """Split an array into views; the number of parts need not divide the length of the axis.

    Parameters
    ----------
    ary : ndarray
        Array that is to be split.
    indices_or_sections : int or sequence of int
        Number of parts, or the indices at which the parts begin.
    axis : int, optional
        Axis along which to split.

    Returns
    -------
    list of ndarray
        Views of the input, in order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.array_split(cp.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    ary = as_array(ary)
    n = ary.shape[axis]
    sections = _sections(indices_or_sections)
    if isinstance(sections, list):
        bounds = [0, *sections, n]
    else:
        sections = int(sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        check_host_memory(sections * sys.getsizeof(ary))
        each, extra = divmod(n, sections)
        sizes = extra * [each + 1] + (sections - extra) * [each]
        bounds = [0, *itertools.accumulate(sizes)]
    before = (slice(None),) * normalize_axis_index(axis, ary.ndim)
    return [ary[(*before, slice(a, b))] for a, b in itertools.pairwise(bounds)]


def _sections(given: Any) -> Any:
    """Where parts begin as a list, or how many there are: what has no length, as in NumPy."""
    if isinstance(given, ndarray):
        given = given.get()
    try:
        len(given)
    except TypeError:
        return given
    return list(given)


@documented_as(array_split)
def split(ary, indices_or_sections, axis=0) -> list[ndarray]:
    """Split an array into views: into equal parts, or at given indices.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.split(cp.arange(6), [2, 5])
    [array([0, 1]), array([2, 3, 4]), array([5])]
    """
    ary = as_array(ary)
    sections = _sections(indices_or_sections)
    if not isinstance(sections, list) and ary.shape[axis] % sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, sections, axis)


@documented_as(array_split)
def hsplit(ary, indices_or_sections) -> list[ndarray]:
    """Split an array along its second axis (a vector along its only one)."""
    ary = as_array(ary)
    if ary.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@documented_as(hsplit)
def vsplit(ary, indices_or_sections) -> list[ndarray]:
    """Split an array along its first axis."""
    ary = as_array(ary)
    if ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@documented_as(hsplit)
def dsplit(ary, indices_or_sections) -> list[ndarray]:
    """Split an array along its third axis."""
    ary = as_array(ary)
    if ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


# ---- repeating and combining -------------------------------------------------------------------


def tile(A, reps) -> ndarray:
    """Construct an array by repeating another one along its axes. One launch.

    Parameters
    ----------
    A : array_like
        Array that is repeated.
    reps : int or sequence of int
        Number of repetitions along each axis.

    Returns
    -------
    ndarray
        Array with the dtype of `A`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.tile(cp.array([0, 1]), (2, 2))
    array([[0, 1, 0, 1],
           [0, 1, 0, 1]])
    """
    a = as_array(A)
    reps = reps.get() if isinstance(reps, ndarray) else reps
    reps = shape_tuple(reps)
    if any(r < 0 for r in reps):
        raise ValueError("negative dimensions are not allowed")
    ndim = max(a.ndim, len(reps))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - a.ndim) + a.shape
    out = empty(tuple(r * n for r, n in zip(reps, shape, strict=True)), a.dtype)
    if out.size == 0:
        return out
    blocks = tuple(x for pair in zip(reps, shape, strict=True) for x in pair)
    out.reshape(blocks)[...] = a.reshape(tuple(x for n in shape for x in (1, n)))
    return out


def kron(a, b) -> ndarray:
    """Compute the Kronecker product: blocks of `b` scaled by the elements of `a`. One launch.

    Parameters
    ----------
    a, b : array_like
        First and second factor.

    Returns
    -------
    ndarray
        Array whose lengths are products of those of `a` and `b`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.kron(cp.array([1, 10]), cp.array([5, 6]))
    array([ 5,  6, 50, 60])
    """
    a, b = as_array(a), as_array(b)
    ndim = max(a.ndim, b.ndim)
    if ndim == 0 or a.ndim == 0 or b.ndim == 0:
        return a * b
    left = (1,) * (ndim - a.ndim) + a.shape
    right = (1,) * (ndim - b.ndim) + b.shape
    product = a.reshape(tuple(x for n in left for x in (n, 1))) * b.reshape(
        tuple(x for n in right for x in (1, n))
    )
    return product.reshape(tuple(m * n for m, n in zip(left, right, strict=True)))


def apply_over_axes(func, a, axes):
    """Apply ``func(a, axis)`` over several axes, one after the other, keeping dimensions.

    Parameters
    ----------
    func : callable
        Function ``func(a, axis)`` that reduces the axis or keeps it.
    a : array_like
        Array on which to operate.
    axes : int or sequence of int
        Axis or axes along which to operate.

    Returns
    -------
    ndarray
        Array with as many dimensions as `a`.

    Raises
    ------
    ValueError
        If the function returns another number of dimensions.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.apply_over_axes(cp.sum, cp.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    val = as_array(a)
    ndim = val.ndim
    for axis in index_list(axes):
        axis = axis + ndim if axis < 0 else axis
        res = func(val, axis)
        if res.ndim != val.ndim:
            res = expand_dims(res, axis)
            if res.ndim != val.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        val = res
    return val


def apply_along_axis(func1d, axis, arr, *args, **kwargs) -> ndarray:
    """Apply a function of vectors along an axis: one Python call for each vector.

    Parameters
    ----------
    func1d : callable
        Function ``func1d(vector, *args, **kwargs)`` that returns a number or an array.
    axis : int
        Axis along which the vectors are taken.
    arr : array_like
        Array on which to operate.
    *args, **kwargs : optional
        Further arguments that are passed to the function.

    Returns
    -------
    ndarray
        Results, whose axes replace `axis`.

    Raises
    ------
    ValueError
        If there are no vectors.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.apply_along_axis(lambda v: v[::-1], 1, cp.arange(4).reshape(2, 2))
    array([[1, 0],
           [3, 2]])
    """
    arr = as_array(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    outer = arr.shape[:axis] + arr.shape[axis + 1 :]
    rows = transpose(arr, [k for k in range(arr.ndim) if k != axis] + [axis])
    out: Any = None
    for index in np.ndindex(outer):
        result = asarray(func1d(rows[index], *args, **kwargs))
        if out is None:
            out = empty(outer + result.shape, result.dtype)
        out[index] = result
    if out is None:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    inner = list(range(len(outer), out.ndim))
    order = list(range(axis)) + inner + list(range(axis, len(outer)))
    return transpose(out, order)


def _along_axis(arr: ndarray, indices: ndarray, axis: int) -> tuple[Any, ...]:
    """The index that picks indices[i, j, ...] along one axis and walks the others."""
    if indices.dtype.kind not in "iu":
        raise IndexError("`indices` must be an integer array")
    if arr.ndim != indices.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    index: list[Any] = []
    for k, n in enumerate(arr.shape):
        shape = [1] * arr.ndim
        shape[k] = -1
        index.append(indices if k == axis else arange(n).reshape(tuple(shape)))
    return tuple(index)


def take_along_axis(arr, indices, axis=-1) -> ndarray:
    """Take elements along an axis by an index array with the same number of dimensions.

    Parameters
    ----------
    arr : ndarray
        Array from which elements are taken.
    indices : ndarray of int
        Indices along the axis; the other axes broadcast.
    axis : int or None
        Axis along which to index; None uses the flattened array.

    Returns
    -------
    ndarray
        The elements taken.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[10, 30, 20]])
    >>> cp.take_along_axis(a, cp.array([[2, 0]]), axis=1)
    array([[20, 10]])
    """
    arr, indices = as_array(arr), as_array(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    if indices.dtype.kind in "iu" and indices.ndim == arr.ndim:
        pairs = zip(arr.shape, indices.shape, strict=True)
        if all(k == axis or m == n or 1 in (m, n) for k, (m, n) in enumerate(pairs)):
            return take_along(arr, indices, axis)
    return arr[_along_axis(arr, indices, axis)]  # which raises


def put_along_axis(arr, indices, values, axis) -> None:
    """Assign elements along an axis by an index array with the same number of dimensions.

    Parameters
    ----------
    arr : ndarray
        Array that is modified in place.
    indices : array_like of int
        Indices along the axis; the other axes broadcast against `arr`.
    values : array_like
        Values to assign, broadcast against `indices`.
    axis : int or None
        Axis along which to index; None uses the flattened array.

    Raises
    ------
    ValueError
        If `indices` has another number of dimensions.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[10, 30, 20]])
    >>> cp.put_along_axis(a, cp.array([[1]]), 99, axis=1)
    >>> a
    array([[10, 99, 20]])
    """
    indices = as_array(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr.flat[indices] = values
        return
    arr[_along_axis(arr, indices, normalize_axis_index(axis, arr.ndim))] = values
