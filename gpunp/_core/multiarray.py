"""Creation from buffers and objects, joining, dtype questions: what NumPy keeps in C.

The array type, its methods and the functions of one launch are C (`gpunp._C`); this file adds
NumPy's argument forms.
"""

import builtins
import math
import operator
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from .. import _C
from .._C import flatiter, ndarray, ufunc
from ._convert import (
    as_array,
    as_host,
    as_operand,
    check_cast,
    check_out,
    descr,
    elsewhere,
    make_like,
    on_device,
)
from ._datetime import arange_times, is_time
from ._docstrings import documented_as

__all__ = [
    "arange",
    "array",
    "asanyarray",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "asnumpy",
    "bincount",
    "broadcast",
    "can_cast",
    "concat",
    "concatenate",
    "copyto",
    "empty",
    "empty_like",
    "flatiter",
    "from_dlpack",
    "frombuffer",
    "fromfile",
    "fromiter",
    "fromstring",
    "get_array_module",
    "lexsort",
    "may_share_memory",
    "min_scalar_type",
    "ndarray",
    "promote_types",
    "result_type",
    "shares_memory",
    "ufunc",
    "where",
    "zeros",
]

# What only C can do, for the composed functions: strided views and arrays computed from indices.
strided_view, broadcast_view = _C.as_strided, _C.broadcast_to
arange_fill, linspace_fill = _C.arange_fill, _C.linspace_fill
take_along = _C.take_along
eye_fill, tri_fill, triangle = _C.eye, _C.tri, _C.triangle
sorted_pairs, run_starts, is_member = _C.sorted_pairs, _C.run_starts, _C.is_member
search_either = _C.search_either
select_ranks, rank_rows, nth_rows = _C.select_ranks, _C.rank_rows, _C.nth_rows


# ---- creation ----------------------------------------------------------------------------------


def array(
    object,
    dtype=None,
    *,
    copy=True,
    order="K",
    subok=False,
    ndmin=0,
    ndmax=0,
    like=None,
    blocking=False,
) -> ndarray:
    """Create a device array from nested lists, scalars, NumPy arrays or other devices' arrays.

    Parameters
    ----------
    object : array_like
        Numbers in lists, of the host, or whatever speaks `__cuda_array_interface__`. Lists may hold
        device arrays: they are stacked on the device.
    dtype : dtype, optional
        By default that of the data.
    copy : bool or None, optional
        True copies, None where it must be, False raises instead.
    order : {'K', 'C', 'F', 'A'}, optional
        Memory order: that of the data as far as it has one, rows first, columns first, or either.
    subok : bool, optional
        Without effect, since the array type has no subclasses of NumPy's kind.
    ndmin : int, optional
        Axes of length one are put in front until there are so many.
    ndmax : int, optional
        More dimensions than this are an error; 0 allows any.
    like : object, optional
        An array of another library, whose own function of the name is called then.
    blocking : bool, optional
        Taken for CuPy's sake: the host side may always be reused on return.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        ``copy=False`` and a copy is needed; lists that are not rectangular.
    TypeError
        Elements that are no numbers.

    Differences
    -----------
    `blocking` is taken for CuPy's sake: the host side may always be reused on return. `subok` has
    no effect, since the array type has no subclasses of NumPy's kind.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.array([[1, 2], [3, 4]], dtype=cp.float32)
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if elsewhere(like):
        return make_like(like, "array", object, dtype, copy=copy, order=order, ndmin=ndmin)
    if (
        copy is False
        and not hasattr(object, "__cuda_array_interface__")
        and not isinstance(object, ndarray)
    ):
        raise ValueError(
            "Unable to avoid copy while creating an array as requested: the data is on the host."
        )
    if ndmax:
        if not 0 <= ndmax <= 64:
            raise ValueError("ndmax must be in the range [0, 64]")
        if ndmin > ndmax:
            raise ValueError(f"ndmin must be <= ndmax ({ndmax})")
    a = _C.array(object, dtype, copy=copy, order=order)
    if ndmax and a.ndim > ndmax:
        raise ValueError(f"array has {a.ndim} dimensions, more than ndmax={ndmax}")
    if a.ndim < ndmin:
        a = a.reshape((1,) * (ndmin - a.ndim) + a.shape)
    return a


def asarray(
    a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False
) -> ndarray:
    """Return `a` as a device array: itself when it is one, else moved to the device.

    Parameters
    ----------
    a : array_like
        A device array, a NumPy array, nested lists, numbers, another library's array.
    dtype : dtype, optional
        That of `a` by default.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory order.
    device : Device, optional
        The current device by default.
    copy : bool, optional
        True: always; False: never, ValueError where it cannot be.
    like : optional
        Accepted for NumPy's sake.
    blocking : bool, optional
        Wait until a copy from the host is done.

    Returns
    -------
    ndarray
        `a` itself where nothing has to change.

    Examples
    --------
    >>> import gpunp as cp, numpy as np
    >>> x = cp.asarray(np.arange(3))
    >>> cp.asarray(x) is x
    True
    """
    if (
        type(a) is ndarray
        and dtype is None
        and order is None
        and copy is None
        and device is None
        and like is None
    ):
        return _C.array(a, None, None)  # itself, unless it is on another device
    if elsewhere(like):
        return make_like(like, "asarray", a, dtype, order)
    with on_device(device):
        return array(a, dtype, copy=copy, order="K" if order is None else order)


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None) -> ndarray:
    """Same as `asarray`: the array type has no subclasses to pass through.

    Parameters
    ----------
    a : array_like
        A device array, a NumPy array, nested lists, numbers, another library's array.
    dtype, order, device, copy, like : optional
        As of `asarray`.

    Returns
    -------
    ndarray
        `a` itself where nothing has to change.
    """
    if elsewhere(like):
        return make_like(like, "asanyarray", a, dtype, order)
    return asarray(a, dtype, order, device=device, copy=copy)


def ascontiguousarray(a, dtype=None, *, like=None) -> ndarray:
    """Return a C-contiguous array of at least one dimension, copying only when needed.

    Parameters
    ----------
    a : array_like
        The array.
    dtype : dtype, optional
        By default that of `a`.
    like : object, optional
        An array of another library, whose own function of the name is called then.

    Returns
    -------
    ndarray
        `a` itself where it is so already.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.ascontiguousarray(cp.zeros((2, 3)).T).flags.c_contiguous
    True
    """
    if elsewhere(like):
        return make_like(like, "ascontiguousarray", a, dtype)
    return array(a, dtype, copy=None, order="C", ndmin=1)


@documented_as(ascontiguousarray)
def asfortranarray(a, dtype=None, *, like=None) -> ndarray:
    """Return an array of at least one dimension whose first axis varies fastest in memory."""
    if elsewhere(like):
        return make_like(like, "asfortranarray", a, dtype)
    return array(a, dtype, copy=None, order="F", ndmin=1)


def empty(shape, dtype=None, order="C", *, device=None, like=None) -> ndarray:
    """New array of the given shape and dtype; its elements are whatever the memory held.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype, optional
        float64 by default.
    order : {'C', 'F'}, optional
        Which axis varies fastest in memory.
    device : Device, optional
        Where; the current device by default.
    like : optional
        Accepted for NumPy's sake.

    Returns
    -------
    ndarray
        The new array.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.empty((2, 3), cp.int8).shape
    (2, 3)
    """
    if elsewhere(like):
        return make_like(like, "empty", shape, dtype, order)
    if device is None:
        return _C.empty(shape, float if dtype is None else dtype, order)
    with on_device(device):
        return _C.empty(shape, float if dtype is None else dtype, order)


@documented_as(empty)
def zeros(shape, dtype=None, order="C", *, device=None, like=None) -> ndarray:
    """New array of zeros.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.zeros((2, 2), dtype=int)
    array([[0, 0],
           [0, 0]])
    """
    if elsewhere(like):
        return make_like(like, "zeros", shape, dtype, order)
    if device is None:
        return _C.zeros(shape, float if dtype is None else dtype, order)
    with on_device(device):
        return _C.zeros(shape, float if dtype is None else dtype, order)


def empty_like(
    prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None
) -> ndarray:
    """New uninitialised array with the shape, dtype and memory order of `prototype`.

    Parameters
    ----------
    prototype : array_like
        Gives what is not told.
    dtype : dtype, optional
    order : {'K', 'A', 'C', 'F'}, optional
        Memory order; K is that of the array.
    subok : bool, optional
        Accepted: there are no subclasses.
    shape : int or tuple of int, optional
    device : Device, optional

    Returns
    -------
    ndarray
        The new array.
    """
    with on_device(device):
        return _C.empty_like(_prototype(prototype), dtype, order, subok, shape)


def _prototype(a: Any) -> ndarray:
    return a if isinstance(a, ndarray) else as_array(a)


def axis_order(arrays: Sequence[Any]) -> list[int] | None:
    """Axes from the slowest to the fastest in memory, agreed on by all arrays; None for C order.

    An axis of length one says nothing, and arrays that disagree leave the C order: NumPy's 'K'.
    """
    if builtins.all(a._c_contiguous for a in arrays):
        return None
    strides = [
        [abs(s) if n != 1 else -1 for n, s in zip(a.shape, a.strides, strict=True)] for a in arrays
    ]

    def slower(i: int, j: int) -> bool | None:
        verdicts = {s[i] > s[j] for s in strides if s[i] != -1 != s[j] and s[i] != s[j]}
        return verdicts.pop() if len(verdicts) == 1 else (True if verdicts else None)

    perm: list[int] = []
    for axis in range(arrays[0].ndim):
        place = len(perm)
        for k in range(len(perm) - 1, -1, -1):
            verdict = slower(perm[k], axis)
            if verdict is None:
                continue
            if verdict:
                break
            place = k
        perm.insert(place, axis)
    return None if perm == sorted(perm) else perm


def empty_ordered(shape: Sequence[int], dtype: Any, perm: list[int] | None) -> ndarray:
    """Uninitialised array whose axes lie in memory in the order `perm` (slowest first)."""
    if perm is None:
        return _C.empty(tuple(shape), dtype, "C")
    inverse = sorted(range(len(perm)), key=perm.__getitem__)
    return _C.empty(tuple(shape[p] for p in perm), dtype, "C").transpose(inverse)


def arange(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None) -> ndarray:
    """Evenly spaced values in the half-open interval [start, stop).

    Parameters
    ----------
    start_or_stop : number
        The first value; the end, if it is alone.
    stop : number, optional
        Where the values end; it is not among them.
    step : number, optional
        From one value to the next.
    dtype : dtype, optional
        That of the numbers by default.
    device : Device, optional
    like : optional
        Accepted for NumPy's sake.

    Returns
    -------
    ndarray
        The values.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.arange(3, 10, 2)
    array([3, 5, 7, 9])
    """
    if elsewhere(like):
        return make_like(like, "arange", start_or_stop, stop, step, dtype=dtype)
    ends = start_or_stop, stop
    start, stop = (0, start_or_stop) if stop is None else ends
    step = 1 if step is None else step
    if type(start) is type(stop) is type(step) is int and dtype is device is None and step:
        return _C.arange_fill(-((start - stop) // step), start, start + step, np.int64)
    if builtins.any(is_time(x) for x in (dtype, start, stop, step)):
        with on_device(device):
            return arange_times(*ends, step, dtype)
    start, stop, step = (x.item() if isinstance(x, ndarray) else x for x in (start, stop, step))
    if dtype is None:
        dtype = np.result_type(np.intp, *(as_host(x).dtype for x in (start, stop, step)))
    dtype = np.dtype(dtype)
    length = _arange_length(start, stop, step)
    if dtype.kind == "b" and length > 2:
        raise TypeError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    with on_device(device):
        return sequence(length, start, start + step, dtype)


def _arange_length(start: Any, stop: Any, step: Any) -> int:
    """ceil((stop - start) / step), at least 0; the smaller of both parts for complex numbers."""
    if builtins.all(isinstance(v, (int, np.integer)) for v in (start, stop, step)):
        return max(0, -((int(start) - int(stop)) // int(step)))
    steps = (stop - start) / step
    parts = (
        (steps.real, steps.imag) if isinstance(steps, (complex, np.complexfloating)) else (steps,)
    )
    if not builtins.all(math.isfinite(part) for part in parts):
        raise ValueError("arange: cannot compute length")
    length = max(0, min(math.ceil(part) for part in parts))
    if length > np.iinfo(np.intp).max:
        raise ValueError("Maximum allowed size exceeded")
    return length


def sequence(length: int, first: Any, second: Any, dtype: np.dtype[Any]) -> ndarray:
    """`first + i * (second - first)` for i < length, computed in `dtype` as NumPy's arange does."""
    return _C.arange_fill(length, first, second, dtype)


def frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None) -> ndarray:
    """Copy a host buffer (bytes, memoryview, mmap ...) to the device as a one-dimensional array.

    Parameters
    ----------
    buffer : bytes-like
        Memory of the host.
    dtype : dtype, optional
        Of the elements; float64 by default.
    count : int, optional
        How many elements; -1 takes all.
    offset : int, optional
        Where to begin, in bytes.
    like : object, optional
        An array of another library, whose own function of the name is called then.

    Returns
    -------
    ndarray
        A copy on the device, where NumPy gives a view.

    Raises
    ------
    ValueError
        The buffer is too short, or no whole number of elements long.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.frombuffer(b"abc", dtype=cp.uint8)
    array([97, 98, 99], dtype=uint8)
    """
    if elsewhere(like):
        return make_like(like, "frombuffer", buffer, descr(dtype), count, offset)
    return array(np.frombuffer(buffer, descr(dtype), count, offset))


def fromiter(iter, dtype, count=-1, *, like=None) -> ndarray:
    """Create a one-dimensional array from an iterable of host values.

    Parameters
    ----------
    iter : iterable
        Numbers, collected on the host.
    dtype : dtype
        Of the elements.
    count : int, optional
        How many to take; -1 takes all.
    like : object, optional
        An array of another library, whose own function of the name is called then.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        There are fewer than `count`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fromiter((i * i for i in range(4)), dtype=int)
    array([0, 1, 4, 9])
    """
    if elsewhere(like):
        return make_like(like, "fromiter", iter, dtype, count)
    return array(np.fromiter(iter, dtype, count))


def fromfile(file, dtype=None, count=-1, sep="", offset=0, *, like=None) -> ndarray:
    """Read a text or binary file on the host and move the data to the device.

    Parameters
    ----------
    file : str, path or file
        Where from.
    dtype : dtype, optional
        Of the elements; float64 by default.
    count : int, optional
        How many; -1 takes all.
    sep : str, optional
        What stands between numbers in a text; empty for a binary file.
    offset : int, optional
        Bytes of a binary file to leave out first.
    like : object, optional
        An array of another library, whose own function of the name is called then.

    Returns
    -------
    ndarray
        Of one dimension.
    """
    if elsewhere(like):
        return make_like(like, "fromfile", file, descr(dtype), count, sep, offset)
    return array(np.fromfile(file, descr(dtype), count, sep, offset))


def fromstring(string, dtype=None, count=-1, *, sep, like=None) -> ndarray:
    """Parse numbers from text on the host and move them to the device.

    Parameters
    ----------
    string : str
        The text.
    dtype : dtype, optional
        Of the elements; float64 by default.
    count : int, optional
        How many; -1 takes all.
    sep : str
        What stands between the numbers.
    like : object, optional
        An array of another library, whose own function of the name is called then.

    Returns
    -------
    ndarray
        Of one dimension.

    Raises
    ------
    ValueError
        The text is no list of numbers.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.fromstring("1, 2, 3", dtype=int, sep=",")
    array([1, 2, 3])
    """
    if elsewhere(like):
        return make_like(like, "fromstring", string, descr(dtype), count, sep=sep)
    return array(np.fromstring(string, descr(dtype), count, sep=sep))


def from_dlpack(x, /, *, device=None, copy=None) -> ndarray:
    """Take an array of another library by DLPack, without a copy when it is on this device.

    Parameters
    ----------
    x : object
        An array with `__dlpack__` and `__dlpack_device__`.
    device : cuda.Device or tuple, optional
        Where the result has to be; by default where `x` is.
    copy : bool or None, optional
        True copies, None where it must be, False raises instead.

    Returns
    -------
    ndarray
        Of the same memory; the producer's stream is waited for by the current one, not by the host.
        Arrays of the host are copied.

    Raises
    ------
    BufferError
        What is asked for cannot be had without a copy that is not allowed.
    """
    return _C.from_dlpack(x, device=device, copy=copy)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True) -> np.ndarray[Any, Any]:
    """Copy an array to the host as a NumPy array.

    Parameters
    ----------
    a : object
        A device array, any object `numpy.asarray` takes, or a list with either.
    stream : cuda.Stream, optional
        Whose work the copy waits for; by default the current one's.
    order : {'C', 'F', 'A'}, optional
        Memory order of the result.
    out : numpy.ndarray, optional
        Where to copy to.
    blocking : bool, optional
        False returns before the copy is done: the stream has to be waited for before the result is
        read. Memory that is not page-locked is waited for in any case.

    Returns
    -------
    numpy.ndarray
        `a` itself where it is one.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.asnumpy(cp.arange(3))
    array([0, 1, 2])
    """
    if isinstance(a, ndarray):
        return a.get(stream=stream, order=order, out=out, blocking=blocking)
    if hasattr(a, "__cuda_array_interface__"):
        return asarray(a).get(stream=stream, order=order, out=out, blocking=blocking)
    if isinstance(a, (list, tuple)):
        a = [asnumpy(x) if isinstance(x, ndarray) else x for x in a]
    host = np.asarray(a, order=order)
    if out is None:
        return host
    np.copyto(out, host)
    return out


def get_array_module(*args: Any) -> ModuleType:
    """Return `gpunp` when one of the arguments is a device array, `numpy` otherwise.

    Parameters
    ----------
    *args : object
        What a function was given.

    Returns
    -------
    module

    Examples
    --------
    >>> import gpunp as cp, numpy as np
    >>> cp.get_array_module(np.ones(2)).__name__, cp.get_array_module(cp.ones(2)).__name__
    ('numpy', 'gpunp')
    """
    if builtins.any(isinstance(a, ndarray) for a in args):
        return sys.modules["gpunp"]
    return np


# ---- joining and copying -----------------------------------------------------------------------


def _joined_dtype(arrays: Sequence[ndarray], dtype: Any, casting: Any) -> np.dtype[Any]:
    if casting != "same_kind":
        np.can_cast(np.bool_, np.bool_, casting)  # raises where there is no such rule
    if dtype is None:
        dtype = arrays[0].dtype
        if builtins.all(a.dtype is dtype for a in arrays):
            return dtype
        dtype = result_type(*arrays)
    dtype = np.dtype(dtype)
    for a in arrays:
        check_cast(a.dtype, dtype, casting)
    return dtype


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind") -> ndarray:
    """Join arrays along an existing axis (None: flatten them first). One copy per array.

    Parameters
    ----------
    arrays : sequence of array_like
        What to join.
    axis : int, optional
        Along which axis.
    out : ndarray, optional
        Where the result goes.
    dtype : dtype, optional
        Of the result.
    casting : str, optional
        What casts are allowed.

    Returns
    -------
    ndarray
        The joined array, or `out`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.concatenate((cp.zeros(2), cp.ones(3)))
    array([0., 0., 1., 1., 1.])
    """
    if out is dtype is None and casting == "same_kind":
        joined = _C.join(arrays, axis, False)
        if joined is not None:
            return joined
    if out is not None and dtype is not None:
        raise TypeError(
            "concatenate() only takes `out` or `dtype` as an argument, but both were provided."
        )
    if isinstance(arrays, ndarray):
        arrays = list(arrays)
    if not isinstance(arrays, Iterable):
        raise TypeError("The first input argument needs to be a sequence")
    if axis is None:  # numbers are joined too, and Python's have no type of their own
        operands, axis = [as_operand(a) for a in arrays], 0
        if out is dtype is None and operands:
            dtype = result_type(*operands)
        arrays = [as_array(a).ravel() for a in operands]
    else:
        arrays = [as_array(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    ndim = arrays[0].ndim
    if ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = _axis(axis, ndim)
    shape = list(arrays[0].shape)
    for i, a in enumerate(arrays[1:], 1):
        if a.ndim != ndim:
            raise ValueError(
                "all the input arrays must have same number of dimensions, but the array at index "
                f"0 has {ndim} dimension(s) and the array at index {i} has {a.ndim} dimension(s)"
            )
        for k in range(ndim):
            if k != axis and a.shape[k] != shape[k]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {k}, the array at index 0 has size {shape[k]} "
                    f"and the array at index {i} has size {a.shape[k]}"
                )
        shape[axis] += a.shape[axis]
    if out is None:
        dtype = _joined_dtype(arrays, dtype, casting)
        out = empty_ordered(shape, dtype, axis_order(arrays))
    else:
        check_out(out)
        _joined_dtype(arrays, out.dtype, casting)
        if out.shape != tuple(shape):
            raise ValueError("Output array is the wrong shape")
    at = 0
    before = (slice(None),) * axis
    for a in arrays:
        n = a.shape[axis]
        if n:
            out[before + (slice(at, at + n),)] = a
        at += n
    return out


concat = concatenate


def _axis(axis: Any, ndim: int) -> int:
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim)
    return axis % ndim


copyto = _C.copyto


def bincount(x, /, weights=None, minlength=0) -> ndarray:
    """Count how often each value occurs in an array of integers that are not negative.

    Waits for the device: the largest value gives the length of the result.

    Parameters
    ----------
    x : 1-d array_like of int
    weights : array_like, optional
        Sum these instead, in float64; the order of additions is not fixed, so the last bits may
        differ from run to run.
    minlength : int, optional
        The least length of the result.

    Returns
    -------
    ndarray
        int64 counts, or float64 sums.

    Raises
    ------
    ValueError
        A negative number, more than one dimension, or weights of another length.
    TypeError
        `x` does not cast to int64 safely.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.bincount(cp.array([0, 1, 1, 3]))
    array([1, 2, 0, 1])
    """
    given, x = x, as_array(x)
    if x.size == 0 and not isinstance(given, ndarray):
        x = x.astype(np.int64)  # an empty list has no dtype of its own
    weights = None if weights is None else as_array(weights)
    return _C.bincount(x, weights, operator.index(minlength))


def lexsort(keys, axis=-1) -> ndarray:
    """Return the positions that sort by several keys, of which the last counts most.

    Parameters
    ----------
    keys : array_like
        Arrays of one shape, or the rows of one array.
    axis : int, optional
        The axis of a key to sort along.

    Returns
    -------
    ndarray
        int64; equal elements keep their order.

    Raises
    ------
    ValueError
        The keys have different shapes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lexsort((cp.array([9, 4, 0]), cp.array([1, 1, 0])))
    array([2, 1, 0])
    """
    keys = list(keys) if isinstance(keys, ndarray) else [as_array(key) for key in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    if keys[0].ndim == 0:
        axis = _axis(axis, 1)
        return _C.zeros((), np.intp, "C")
    axis = _axis(axis, keys[0].ndim)
    order = keys[0].argsort(axis)
    for key in keys[1:]:
        again = take_along(key, order, axis).argsort(axis)
        order = take_along(order, again, axis)
    return order


def where(condition, x=None, y=None, /):
    """Choose from `x` where `condition` holds and from `y` elsewhere.

    With `condition` alone, same as ``nonzero``, which copies the number of hits to the host.

    Parameters
    ----------
    condition : array_like
        Where it holds.
    x : array_like, optional
        Taken where it holds.
    y : array_like, optional
        Taken elsewhere.

    Returns
    -------
    ndarray, or tuple of ndarray
        With `condition` alone the indices where it holds: that waits for their number.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.arange(5)
    >>> cp.where(a < 3, a, -a)
    array([ 0,  1,  2, -3, -4])
    """
    if x is None and y is None:
        return as_array(condition).nonzero()
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return _C.where(as_array(condition), as_operand(x), as_operand(y))


# ---- dtypes ------------------------------------------------------------------------------------


result_type = _C.result_type


def can_cast(from_, to, casting="safe") -> bool:
    """Whether a cast follows the rule `casting`; arrays count by their dtype.

    Parameters
    ----------
    from_ : dtype, type or ndarray
        What is cast.
    to : dtype
        What to.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        The rule.

    Returns
    -------
    bool
    """
    return bool(np.can_cast(from_.dtype if isinstance(from_, ndarray) else from_, to, casting))


def promote_types(type1, type2, /) -> np.dtype[Any]:
    """The smallest dtype both convert to safely.

    Parameters
    ----------
    type1, type2 : dtype
        Two types.

    Returns
    -------
    numpy.dtype

    Raises
    ------
    TypeError
        There is none.
    """
    return np.promote_types(type1, type2)


def min_scalar_type(a, /) -> np.dtype[Any]:
    """The smallest dtype that holds a scalar's value; for arrays their own.

    A 0-d device array counts by its dtype as well: its value is not fetched.

    Parameters
    ----------
    a : scalar or array_like
        A number, or an array.

    Returns
    -------
    numpy.dtype
    """
    return a.dtype if isinstance(a, ndarray) else np.min_scalar_type(_C.check_list(a))


# ---- memory ------------------------------------------------------------------------------------


def may_share_memory(a, b, /, max_work=0) -> bool:
    """Whether two arrays may overlap in memory, judged by their bounds.

    Parameters
    ----------
    a, b : ndarray
        Arrays on devices.
    max_work : int, optional
        Without effect: the answer costs next to nothing.

    Returns
    -------
    bool
        False is certain.
    """
    return _C.may_share_memory(a, b)


def shares_memory(a, b, /, max_work=-1) -> bool:
    """Whether two arrays have a byte in common, decided exactly.

    Parameters
    ----------
    a, b : ndarray
        Arrays on devices.
    max_work : int, optional
        Without effect: the exact answer is always found.

    Returns
    -------
    bool

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.arange(4)
    >>> cp.shares_memory(a[::2], a[1::2])
    False
    """
    return _C.shares_memory(a, b)


# ---- broadcast ---------------------------------------------------------------------------------


class broadcast:
    """What broadcasting the arguments gives: `shape`, `nd`, `size`, and the views in `values`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.broadcast(cp.ones((3, 1)), cp.ones(4)).shape
    (3, 4)
    """

    __slots__ = ("nd", "ndim", "numiter", "shape", "size", "values")

    def __init__(self, *arrays: Any) -> None:
        if len(arrays) > 64:
            raise ValueError("Need at least 0 and at most 64 array objects.")
        operands = [as_array(a) for a in arrays]
        self.shape: tuple[int, ...] = np.broadcast_shapes(*(a.shape for a in operands))
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(operands)
        self.size = math.prod(self.shape)
        self.values = tuple(_C.broadcast_to(a, self.shape) for a in operands)
