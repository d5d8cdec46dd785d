"""Copies of arrays with elements inserted or deleted along an axis."""

from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array, as_host, host_ndim, refuse_host
from .._core.multiarray import array, asarray, concatenate, empty_ordered, ndarray
from .._core.numeric import full, normalize_axis_index
from ._function_base_impl import _shape_only

__all__ = [
    "append",
    "delete",
    "insert",
]


def append(arr, values, axis=None) -> ndarray:
    """Return a copy of an array with values appended.

    Parameters
    ----------
    arr : array_like
        Array to which values are appended.
    values : array_like
        Values to append, with the same number of dimensions.
    axis : int, optional
        Axis along which to append. By default both arrays are flattened.

    Returns
    -------
    ndarray
        New array of the common dtype.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.append(cp.array([1, 2]), cp.array([3]))
    array([1, 2, 3])
    """
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        arr, values, axis = arr.ravel(), values.ravel(), arr.ndim - 1 if arr.ndim == 1 else 0
    return concatenate((arr, values), axis)


FEW = 16  # up to this number of runs each is copied by a launch; more are gathered by one


def _runs(gone: np.ndarray[Any, Any], n: int) -> list[tuple[int, int]]:
    """Half-open intervals of range(n) that remain without the ascending indices `gone`."""
    edges = np.concatenate(([-1], gone, [n]))
    long = np.flatnonzero(np.diff(edges) > 1)
    return list(zip((edges[long] + 1).tolist(), edges[long + 1].tolist(), strict=True))


def _positions(host: np.ndarray[Any, Any], n: int, axis: int) -> np.ndarray[Any, Any]:
    """Ascending distinct indices into n elements, on the host; IndexError as in NumPy."""
    if host.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    bad = (host < -n) | (host >= n)
    if bad.any():
        raise IndexError(f"index {host[bad][0]} is out of bounds for axis {axis} with size {n}")
    return np.unique(np.where(host < 0, host.astype(np.intp) + n, host.astype(np.intp)))


def _host_indices(obj: Any, n: int) -> np.ndarray[Any, Any]:
    """`obj` (int, slice, list, array, bool mask) as host indices or a mask."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(n), dtype=np.intp)
    host = obj.get() if isinstance(obj, ndarray) else as_host(obj)
    if host.size == 0 and not isinstance(obj, (np.ndarray, ndarray)):
        host = host.astype(np.intp)
    return host


def _ordered(arr: ndarray, shape: list[int]) -> ndarray:
    perm = list(range(arr.ndim - 1, -1, -1)) if arr.flags.fnc else None
    return empty_ordered(shape, arr.dtype, perm)


def _compressed(arr: ndarray, keep: ndarray, axis: int) -> ndarray:
    """Elements kept along an axis, in the memory layout of `delete`. Waits for the device."""
    kept = arr.take(keep.nonzero()[0], axis)
    if not arr.flags.fnc:
        return kept
    out = _ordered(arr, list(kept.shape))
    out[...] = kept
    return out


def delete(arr, obj, axis=None) -> ndarray:
    """Return a copy of an array with elements deleted along an axis.

    Parameters
    ----------
    arr : array_like
        Array on which to operate.
    obj : int, slice or array_like
        Indices of the elements to delete, or a mask with the length of the axis.
    axis : int, optional
        Axis along which to delete. By default the flattened array is used.

    Returns
    -------
    ndarray
        New array with the dtype of `arr`.

    Raises
    ------
    IndexError
        If an index is out of bounds.
    ValueError
        If a mask has the wrong length.

    Notes
    -----
    Indices are needed on the host: a device array of them is copied back. There is one launch for
    each run of elements that are kept; if there are many, and for a device mask, the call waits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.delete(cp.arange(5), [1, 3])
    array([0, 2, 4])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    if isinstance(obj, ndarray) and obj.dtype == bool and obj.shape == (n,):
        return _compressed(arr, um.logical_not(obj), axis)
    host = _host_indices(obj, n)
    if host.dtype == bool:
        if host.shape != (n,):
            raise ValueError(
                "boolean array argument `obj` to delete must be one-dimensional and match the "
                f"axis length of {n}"
            )
        gone = np.flatnonzero(host)
    else:
        if host.ndim == 0 and host.dtype.kind in "iu" and not -n <= int(host) < n:
            raise IndexError(f"index {int(host)} is out of bounds for axis {axis} with size {n}")
        gone = _positions(host, n, axis)
    runs = _runs(gone, n)
    if len(runs) > FEW:
        keep = full(n, True)
        keep[asarray(gone)] = False
        return _compressed(arr, keep, axis)
    shape = list(arr.shape)
    shape[axis] = n - len(gone)
    out = _ordered(arr, shape)
    before, at = (slice(None),) * axis, 0
    for start, stop in runs:
        out[(*before, slice(at, at + stop - start))] = arr[(*before, slice(start, stop))]
        at += stop - start
    return out


def insert(arr, obj, values, axis=None) -> ndarray:
    """Return a copy of an array with values inserted along an axis.

    Parameters
    ----------
    arr : array_like
        Array on which to operate.
    obj : int, slice or array_like
        Indices before which values are inserted, or a mask.
    values : array_like
        Values to insert, cast to the dtype of `arr`.
    axis : int, optional
        Axis along which to insert. By default the flattened array is used.

    Returns
    -------
    ndarray
        New array with the dtype of `arr`.

    Raises
    ------
    IndexError
        If an index is out of bounds.

    Notes
    -----
    Indices are needed on the host: a device array of them is copied back. There is one launch for
    each run of old and of new elements, or a single one if there are many.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.insert(cp.arange(4), 2, 9)
    array([0, 1, 9, 2, 3])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalize_axis_index(axis, arr.ndim)
    n = arr.shape[axis]
    host = _host_indices(obj, n)
    if host.dtype == bool:
        if host.ndim != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        host = np.flatnonzero(host)
    elif host.ndim > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    if host.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    host = host.astype(np.intp)
    refuse_host(values)
    new = array(values, arr.dtype, copy=None, ndmin=arr.ndim)
    if host.size == 1 and (host.ndim == 0 or isinstance(obj, slice) or host.ndim == 1):
        index = int(host.reshape(-1)[0])
        if not -n <= index <= n:
            raise IndexError(f"index {obj} is out of bounds for axis {axis} with size {n}")
        if host.ndim == 0 and host_ndim(_shape_only(values)) != 0:
            # A scalar position: the first axis of the values runs along the insertion.
            new = _move_first_axis(new, axis)
        where_to = np.full(new.shape[axis], index + n if index < 0 else index)
    else:
        where_to = np.where(host < 0, host + n, host).reshape(-1)
        bad = (host < -n) | (host > n)
        if bad.any():
            raise IndexError(
                f"index {int(host[bad][0])} is out of bounds for axis {axis} with size {n}"
            )
    count = len(where_to)
    order = where_to.argsort(kind="mergesort")
    slots = where_to.copy()
    slots[order] += np.arange(count)
    shape = list(arr.shape)
    shape[axis] += count
    out = _ordered(arr, shape)
    runs = _runs(np.sort(slots), shape[axis])
    before, at = (slice(None),) * axis, 0
    if len(runs) > FEW:
        places = np.delete(np.arange(shape[axis]), slots)
        out[(*before, asarray(places))] = arr
        runs = []
    for start, stop in runs:
        out[(*before, slice(start, stop))] = arr[(*before, slice(at, at + stop - start))]
        at += stop - start
    _insert_values(out, new, slots, axis)
    return out


def _move_first_axis(new: ndarray, axis: int) -> ndarray:
    order = list(range(1, new.ndim))
    order.insert(axis, 0)
    return new.transpose(order)


def _insert_values(out: ndarray, new: ndarray, slots: np.ndarray[Any, Any], axis: int) -> None:
    """Write the new values, a run of consecutive indices at a time."""
    before, k = (slice(None),) * axis, 0
    single = new.shape[axis] == 1
    if not single and new.shape[axis] != len(slots):
        raise ValueError(
            f"shape mismatch: value array of shape {new.shape} could not be broadcast to indexing "
            f"result of {len(slots)} positions"
        )
    if np.count_nonzero(np.diff(slots) != 1) >= FEW:
        out[(*before, asarray(slots))] = new
        k = len(slots)
    while k < len(slots):
        stop = k + 1
        while stop < len(slots) and slots[stop] == slots[stop - 1] + 1:
            stop += 1
        source = new if single else new[(*before, slice(k, stop))]
        out[(*before, slice(int(slots[k]), int(slots[stop - 1]) + 1))] = source
        k = stop
