"""Joining and splitting along new axes, and arrays with a least number of dimensions."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import as_array, refuse_array_as_axis, without_cycles
from ._docstrings import documented_as
from .multiarray import concatenate, empty_ordered, result_type

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block",
    "hstack",
    "row_stack",
    "stack",
    "unstack",
    "vstack",
]


def _one_or_all(arrays: list[ndarray]) -> Any:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def atleast_1d(*arys):
    """Return each input as an array with at least one dimension.

    Parameters
    ----------
    *arys : array_like
        Any number of input arrays.

    Returns
    -------
    ndarray, or tuple of ndarray
        Views of the inputs.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.atleast_1d(3.0)
    array([3.])
    """
    return _one_or_all([a.reshape(1) if a.ndim == 0 else a for a in map(as_array, arys)])


@documented_as(atleast_1d)
def atleast_2d(*arys):
    """Return each input as an array with at least two dimensions; new axes are prepended.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.atleast_2d(cp.arange(3))
    array([[0, 1, 2]])
    """
    return _one_or_all([_two(a) for a in map(as_array, arys)])


def _two(a: ndarray) -> ndarray:
    return a.reshape(1, 1) if a.ndim == 0 else a[None, :] if a.ndim == 1 else a


@documented_as(atleast_1d)
def atleast_3d(*arys):
    """Return each input as an array with at least three dimensions.

    New axes are first and last for vectors, and last for matrices: (M,) becomes (1, M, 1) and
    (M, N) becomes (M, N, 1).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.atleast_3d(cp.arange(4)).shape
    (1, 4, 1)
    """
    out = []
    for a in map(as_array, arys):
        if a.ndim < 2:
            a = a.reshape(1, 1, 1) if a.ndim == 0 else a[None, :, None]
        elif a.ndim == 2:
            a = a[:, :, None]
        out.append(a)
    return _one_or_all(out)


def as_sequence(arrays: Any) -> list[Any]:
    """Arrays to join as a list; iterators are refused, as in NumPy."""
    if not hasattr(arrays, "__getitem__"):
        raise TypeError(
            'arrays to stack must be passed as a "sequence" type such as list or tuple.'
        )
    return list(arrays)


def vstack(tup, *, dtype=None, casting="same_kind") -> ndarray:
    """Stack arrays vertically; one-dimensional arrays are rows.

    Parameters
    ----------
    tup : sequence of array_like
        Sequence of arrays to join.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    casting : str, optional
        Rule that says which casts are allowed.

    Returns
    -------
    ndarray
        The joined array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.vstack((cp.arange(3), cp.arange(3, 6)))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    arrays = [_two(as_array(a)) for a in as_sequence(tup)]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


row_stack = vstack


@documented_as(vstack)
def hstack(tup, *, dtype=None, casting="same_kind") -> ndarray:
    """Stack arrays horizontally; one-dimensional arrays are joined end to end.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.hstack((cp.arange(2), cp.arange(3)))
    array([0, 1, 0, 1, 2])
    """
    arrays = [as_array(a) for a in as_sequence(tup)]
    arrays = [a.reshape(1) if a.ndim == 0 else a for a in arrays]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


@documented_as(concatenate)
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind") -> ndarray:
    """Join arrays of equal shape along a new axis. One copy per array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.stack([cp.zeros(2), cp.ones(2)], axis=1)
    array([[0., 1.],
           [0., 1.]])
    """
    if out is dtype is None and casting == "same_kind":
        joined = _C.join(arrays, axis, True)
        if joined is not None:
            return joined
    refuse_array_as_axis("stack", axis)
    arrays = [as_array(a) for a in as_sequence(arrays)]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if len({a.shape for a in arrays}) != 1:
        raise ValueError("all input arrays must have the same shape")
    ndim = arrays[0].ndim + 1
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    index = (slice(None),) * (axis % ndim) + (None,)
    return concatenate([a[index] for a in arrays], axis, out, dtype=dtype, casting=casting)


def unstack(x, /, *, axis=0) -> tuple[ndarray, ...]:
    """Split an array into views along an axis, which is removed.

    Parameters
    ----------
    x : array_like
        Array of at least one dimension.
    axis : int, optional
        Axis along which to split.

    Returns
    -------
    tuple of ndarray
        Views, as many as the length of the axis.

    Raises
    ------
    ValueError
        If `x` has no dimensions.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unstack(cp.arange(4).reshape(2, 2))
    (array([0, 1]), array([2, 3]))
    """
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    axis = operator.index(axis)
    if not -x.ndim <= axis < x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    before = (slice(None),) * (axis % x.ndim)
    return tuple(x[before + (i,)] for i in range(x.shape[axis]))


# ---- block: nested lists of blocks, copied straight into one result ----------------------------


def _depth(arrays: Any, index: Sequence[int] = ()) -> int:
    """Depth of nested lists; it has to be equal for all leaves."""
    if isinstance(arrays, tuple):
        raise TypeError(
            f"arrays{_indexed(index)} is a tuple. Only lists can be used to arrange blocks, and "
            "np.block does not allow implicit conversion from tuple to ndarray."
        )
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError(f"List at arrays{_indexed(index)} cannot be empty")
    depths = [_depth(a, (*index, i)) for i, a in enumerate(arrays)]
    for i, depth in enumerate(depths):
        if depth != depths[0]:
            at = len(index) + 1
            raise ValueError(
                f"List depths are mismatched. First element was at depth {depths[0] + at}, but "
                f"there is an element at depth {depth + at} (arrays{_indexed((*index, i))})"
            )
    return depths[0] + 1


def _indexed(index: Sequence[int]) -> str:
    return "".join(f"[{i}]" for i in index)


def _place(arrays: Any, depth: int, ndim: int) -> tuple[list[int], list[tuple[list[int], ndarray]]]:
    """Shape of nested blocks, and the blocks with their offsets."""
    if depth == 0:
        shape = [1] * (ndim - arrays.ndim) + list(arrays.shape)
        return shape, [([0] * ndim, arrays.reshape(tuple(shape)))]
    axis = ndim - depth
    total: list[int] = []
    leaves: list[tuple[list[int], ndarray]] = []
    for block_ in arrays:
        shape, inner = _place(block_, depth - 1, ndim)
        at = total[axis] if total else 0
        for offset, leaf in inner:
            offset[axis] += at
            leaves.append((offset, leaf))
        if not total:
            total = shape
            continue
        for k, (want, have) in enumerate(zip(total, shape, strict=True)):
            if k != axis and want != have:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {k} blocks have the sizes {want} and {have}"
                )
        total[axis] += shape[axis]
    return total, leaves


def _leaves(arrays: Any) -> Any:
    return [_leaves(a) for a in arrays] if isinstance(arrays, list) else as_array(arrays)


def _flatten(arrays: Any) -> list[ndarray]:
    return [x for a in arrays for x in _flatten(a)] if isinstance(arrays, list) else [arrays]


def block(arrays) -> ndarray:
    """Assemble an array from nested lists of blocks. One copy per block.

    Parameters
    ----------
    arrays : nested lists of array_like
        Blocks in nested lists: those of the innermost lists are joined along the last axis, those
        of the next along the last but one, and so on.

    Returns
    -------
    ndarray
        Array of the common dtype of the blocks.

    Raises
    ------
    ValueError
        If the lists are nested to unequal depths or contain themselves, or blocks do not fit.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.block([[cp.zeros((1, 2)), cp.ones((1, 1))]])
    array([[0., 0., 1.]])
    """
    depth = _depth(without_cycles(arrays))
    nest = _leaves(arrays)
    flat = _flatten(nest)
    ndim = max(depth, *(a.ndim for a in flat)) if flat else depth
    shape, leaves = _place(nest, depth, ndim)
    fortran = all(a.flags.f_contiguous and not a.flags.c_contiguous for a in flat)
    perm = list(range(ndim - 1, -1, -1)) if fortran else None
    out = empty_ordered(shape, result_type(*flat), perm)
    for offset, leaf in leaves:
        out[tuple(slice(o, o + n) for o, n in zip(offset, leaf.shape, strict=True))] = leaf
    return out
