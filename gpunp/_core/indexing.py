"""Assignment by index, and conversion of indices."""

import math
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray
from ._convert import as_array, check_cast, shape_tuple, shown
from ._docstrings import documented_as

__all__ = [
    "putmask",
    "ravel_multi_index",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "unravel_index",
]


def putmask(a, /, mask, values) -> None:
    """Set the elements of `a` selected by a mask to the values at the same positions.

    Parameters
    ----------
    a : ndarray
        Array that is modified in place.
    mask : array_like of bool
        Mask with as many elements as `a`.
    values : array_like
        Values to assign: element i goes to position i; they are repeated if there are fewer.

    Raises
    ------
    ValueError
        If the mask has the wrong size.
    TypeError
        If `a` is not a device array.
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"putmask() argument 1 must be gpunp.ndarray, not {type(a).__name__}")
    mask, values = as_array(mask), as_array(values)
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if values.size == 0:
        return
    if a.dtype.kind in "mM" or values.dtype.kind in "mM":
        check_cast(values.dtype, a.dtype, "safe")
    if values.size == 1 or values.shape == a.shape:
        repeated = values if values.size != 1 else values.reshape(())
    else:
        flat = values.ravel()
        copies = -(-a.size // flat.size)
        repeated = broadcast_copy(flat, (copies, flat.size)).reshape(-1)[: a.size].reshape(a.shape)
    _C.copyto(a, repeated, casting="unsafe", where=mask.astype(bool, copy=False).reshape(a.shape))


def broadcast_copy(a: ndarray, shape: tuple[int, ...]) -> ndarray:
    """A new array of `shape` filled with `a` repeated along the new axes."""
    out = _C.empty(shape, a.dtype, "C")
    out[...] = a
    return out


def scatter_add(a: ndarray, slices: Any, value: Any) -> None:
    """Add values to the elements selected by an index, once for each time an element is selected.

    The same as ``add.at(a, slices, value)``.

    Parameters
    ----------
    a : ndarray
        Array that is modified in place.
    slices : index
        Any index that ``a[slices]`` accepts.
    value : array_like
        Values to add, broadcast to the shape of ``a[slices]``.

    Differences
    -----------
    Sums of floats may differ in their last bits between runs: the order of additions is not fixed.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.zeros(3, dtype=int)
    >>> cp.scatter_add(a, cp.array([0, 2, 2]), 1)
    >>> a
    array([1, 0, 2])
    """
    _C.add.at(a, slices, value)


def scatter_max(a: ndarray, slices: Any, value: Any) -> None:
    """Replace the elements selected by an index by their maximum with values: ``maximum.at``.

    Parameters
    ----------
    a : ndarray
        Array that is modified in place.
    slices : index
        Any index that ``a[slices]`` accepts.
    value : array_like
        Values to compare with, broadcast to the shape of ``a[slices]``. If an element is selected
        more than once, all its values count.
    """
    _C.maximum.at(a, slices, value)


@documented_as(scatter_max)
def scatter_min(a: ndarray, slices: Any, value: Any) -> None:
    """Replace the elements selected by an index by their minimum with values: ``minimum.at``."""
    _C.minimum.at(a, slices, value)


def _extremes(index: ndarray) -> tuple[int, int]:
    """Smallest and largest of some integers, exact up to 2**53. Waits for the device."""
    extent = _C.extent(index).item()
    return int(extent.real), int(extent.imag)


def _flat_index(index: Any) -> ndarray:
    """Check and convert an argument of `unravel_index` or `ravel_multi_index`."""
    array = as_array(index)
    if array.dtype.kind in "iu":
        return array
    if array.size == 0 and not isinstance(index, ndarray):
        raise TypeError(
            "indices must be integral: the provided empty sequence was inferred as float. "
            "Wrap it with 'np.array(indices, dtype=np.intp)'"
        )
    raise TypeError("only int indices permitted")


def ravel_multi_index(multi_index, dims, mode="raise", order="C") -> ndarray:
    """Convert a tuple of index arrays to flat indices into an array of shape `dims`.

    Parameters
    ----------
    multi_index : tuple of array_like of int
        Index arrays, one for each axis, broadcast against each other.
    dims : tuple of int
        Shape of the indexed array.
    mode : {'raise', 'wrap', 'clip'} or tuple, optional
        What to do with indices out of bounds, for all axes or for each of them.
    order : {'C', 'F'}, optional
        Whether the indices refer to row-major ('C') or column-major ('F') order.

    Returns
    -------
    ndarray
        Flat indices, of type int64.

    Raises
    ------
    ValueError
        If an index is out of bounds, the number of index arrays is wrong, or the shape is too
        large.
    TypeError
        If the indices are not integers.

    Notes
    -----
    ``mode='raise'`` checks the largest and smallest index, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.ravel_multi_index((cp.array([1, 2]), cp.array([0, 3])), (3, 4))
    array([ 4, 11])
    """
    dims = shape_tuple(dims)
    multi_index = tuple(_flat_index(i) for i in multi_index)
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    mode = "raise" if mode is None else mode
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    if len(modes) != len(dims):
        raise ValueError("mode parameter tuple must have the same length as dims")
    order = _memory_order(order)
    if math.prod(dims) > np.iinfo(np.intp).max:
        raise ValueError(
            "invalid dims: array size defined by dims is larger than the maximum possible size."
        )
    flat: Any = 0
    scale = 1
    axes = range(len(dims) - 1, -1, -1) if order == "C" else range(len(dims))
    for axis in axes:
        n = dims[axis]
        index = multi_index[axis].astype(np.intp, copy=False)
        if n == 0 and index.size:
            raise ValueError("cannot unravel if shape has zero entries (is empty).")
        if modes[axis] == "raise":
            if index.size and not all(0 <= extreme < n for extreme in _extremes(index)):
                raise ValueError("invalid entry in coordinates array")
        elif modes[axis] == "wrap":
            index = index % n
        elif modes[axis] == "clip":
            index = _C.minimum(_C.maximum(index, 0), n - 1)
        else:
            raise ValueError(
                f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {shown(modes[axis])})"
            )
        flat = index * scale + flat
        scale *= n
    return flat


def unravel_index(indices, shape, order="C") -> tuple[ndarray, ...]:
    """Convert flat indices to a tuple of index arrays for an array of a given shape.

    Parameters
    ----------
    indices : array_like of int
        Array of flat indices.
    shape : tuple of int
        Shape of the indexed array.
    order : {'C', 'F'}, optional
        Whether the indices refer to row-major ('C') or column-major ('F') order.

    Returns
    -------
    tuple of ndarray
        Index arrays of type int64, one for each axis.

    Raises
    ------
    ValueError
        If an index is out of bounds.
    TypeError
        If the indices are not integers.

    Notes
    -----
    The largest and smallest index are checked, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.unravel_index(cp.array([4, 11]), (3, 4))
    (array([1, 2]), array([0, 3]))
    """
    shape = shape_tuple(shape)
    order = _memory_order(order)
    indices = _flat_index(indices)
    size = math.prod(shape)
    if size > np.iinfo(np.intp).max:
        raise ValueError(
            "dimensions are too large; arrays and shapes with a total size greater than 'intp' "
            "are not supported."
        )
    index = indices.astype(np.intp, copy=False)
    if index.size:
        for extreme in _extremes(index):
            if not 0 <= extreme < size:
                raise ValueError(f"index {extreme} is out of bounds for array with size {size}")
    if not shape and indices.ndim:
        raise ValueError("multiple indices are not supported for 0d arrays")
    out = []
    for n in reversed(shape) if order == "C" else shape:
        out.append(index % n)
        index = index // n
    return tuple(reversed(out)) if order == "C" else tuple(out)


def _memory_order(order: Any) -> str:
    if order is None:
        return "C"
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    upper = str.upper(order)
    if upper not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', not {shown(order)}")
    return upper
