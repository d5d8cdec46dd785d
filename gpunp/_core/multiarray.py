"""Creation from buffers and objects, joining, questions about dtypes: what NumPy implements in C.

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
    MAX_DIMS,
    as_array,
    as_host,
    as_operand,
    check_cast,
    check_out,
    descr,
    elsewhere,
    integer_axis,
    make_like,
    normalize_axis_index,
    on_device,
    refuse_array_as_axis,
    shown,
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

# Implemented in C for the composed functions: strided views, and arrays computed from indices.
strided_view, broadcast_view = _C.as_strided, _C.broadcast_to
arange_fill, linspace_fill = _C.arange_fill, _C.linspace_fill
take_along = _C.take_along
eye_fill, tri_fill, triangle = _C.eye, _C.tri, _C.triangle
sorted_pairs, run_starts, is_member = _C.sorted_pairs, _C.run_starts, _C.is_member
sorted_places, sorted_values = _C.sorted_places, _C.sorted_values
sorted_words = _C.sorted_words
search_either = _C.search_either
select_ranks, rank_rows = _C.select_ranks, _C.rank_rows
nth_rows, part_rows = _C.nth_rows, _C.part_rows


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
    """Create a device array from nested lists, scalars, NumPy arrays or arrays of other libraries.

    Parameters
    ----------
    object : array_like
        Numbers, nested lists of them, a NumPy array, or an object with `__cuda_array_interface__`
        or DLPack. Lists may contain device arrays, which are stacked on the device.
    dtype : dtype, optional
        Type of the result. By default that of the data.
    copy : bool or None, optional
        If True, always copy; if None, only if needed; if False, raise ValueError if a copy is
        needed.
    order : {'K', 'C', 'F', 'A'}, optional
        Memory layout of the result: that of the data as far as possible, row-major, column-major,
        or either.
    subok : bool, optional
        Accepted for compatibility with NumPy; the result is a plain array.
    ndmin : int, optional
        Least number of dimensions; axes of size one are prepended as needed.
    ndmax : int, optional
        Largest number of dimensions allowed; 0 means no limit.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).
    blocking : bool, optional
        Accepted for compatibility with CuPy: host memory can always be reused on return.

    Returns
    -------
    ndarray
        Array on the current device.

    Raises
    ------
    ValueError
        If ``copy=False`` and a copy is needed, or lists are not rectangular.
    TypeError
        If elements are not numbers.

    Differences
    -----------
    `blocking` is accepted for compatibility with CuPy: host memory can always be reused on return.
    `subok` has no effect: the result is a plain array.

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
    if ndmin > MAX_DIMS:
        raise ValueError(f"ndmin must be <= {MAX_DIMS}")
    a = _C.array(object, dtype, copy=copy, order=order)
    if ndmax and a.ndim > ndmax:
        raise ValueError(f"array has {a.ndim} dimensions, more than ndmax={ndmax}")
    if a.ndim < ndmin:
        a = a.reshape((1,) * (ndmin - a.ndim) + a.shape)
    return a


def asarray(
    a, dtype=None, order=None, *, device=None, copy=None, like=None, blocking=False
) -> ndarray:
    """Convert to a device array; `a` itself is returned if it is one.

    Parameters
    ----------
    a : array_like
        Device array, NumPy array, nested lists, numbers, or an array of another library.
    dtype : dtype, optional
        Type of the result. By default that of `a`.
    order : {'K', 'A', 'C', 'F'}, optional
        Memory layout of the result.
    device : Device, optional
        Device on which to create the array. By default the current one.
    copy : bool, optional
        If True, always copy; if False, raise ValueError if a copy is needed.
    like : optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).
    blocking : bool, optional
        If True, wait until a copy from the host is complete.

    Returns
    -------
    ndarray
        `a` itself if nothing has to be converted.

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
    """Convert to a device array, like `asarray`; the result is a plain array.

    Parameters
    ----------
    a : array_like
        Device array, NumPy array, nested lists, numbers, or an array of another library.
    dtype, order, device, copy, like : optional
        Type, layout and placement of the result, as for `asarray`.

    Returns
    -------
    ndarray
        `a` itself if nothing has to be converted.
    """
    if elsewhere(like):
        return make_like(like, "asanyarray", a, dtype, order)
    return asarray(a, dtype, order, device=device, copy=copy)


def ascontiguousarray(a, dtype=None, *, like=None) -> ndarray:
    """Return a C-contiguous array of at least one dimension, copying only if needed.

    Parameters
    ----------
    a : array_like
        Array on which to operate.
    dtype : dtype, optional
        Type of the result. By default that of `a`.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        `a` itself if it has this layout already.

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
    """Return an array of at least one dimension in Fortran order, copying only if needed."""
    if elsewhere(like):
        return make_like(like, "asfortranarray", a, dtype)
    return array(a, dtype, copy=None, order="F", ndmin=1)


def empty(shape, dtype=None, order="C", *, device=None, like=None) -> ndarray:
    """Create an uninitialised array of a given shape and dtype.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the new array.
    dtype : dtype, optional
        Type of the result. By default float64.
    order : {'C', 'F'}, optional
        Memory layout of the result: row-major ('C') or column-major ('F').
    device : Device, optional
        Device on which to create the array. By default the current one.
    like : optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        Array with arbitrary elements.

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
    """Create an array of zeros of a given shape and dtype.

    Returns
    -------
    ndarray
        Array of zeros with the given shape, dtype and layout.

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
    """Create an uninitialised array with the shape, dtype and memory layout of `prototype`.

    Parameters
    ----------
    prototype : array_like
        Array whose shape, dtype and memory layout are used where these are not given.
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
        Array with arbitrary elements.
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


def arange(
    start_or_stop=None, /, stop=None, step=1, *, dtype=None, device=None, like=None
) -> ndarray:
    """Return evenly spaced values in the half-open interval [start, stop).

    Parameters
    ----------
    start_or_stop : number, optional
        First value; or the end of the interval if `stop` is not given. By default 0.
    stop : number, optional
        End of the interval; it is not included.
    step : number, optional
        Spacing between the values.
    dtype : dtype, optional
        Type of the result. By default it follows from the arguments.
    device : Device, optional
        Device on which to create the array. By default the current one.
    like : optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        The evenly spaced values.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.arange(3, 10, 2)
    array([3, 5, 7, 9])
    """
    if start_or_stop is None:
        if stop is None:
            raise TypeError("arange() requires stop to be specified")
        start_or_stop, stop = stop, None
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
    start, stop, step = map(_end_of_range, (start, stop, step))
    if dtype is None:
        dtype = np.result_type(np.intp, *(as_host(x).dtype for x in (start, stop, step)))
    dtype = np.dtype(dtype)
    length = _arange_length(start, stop, step)
    if dtype.kind == "b" and length > 2:
        raise TypeError(
            "arange() is only supported for booleans when the result has at most length 2."
        )
    with on_device(device):
        # one element has no step, which may be infinite
        return sequence(length, start, start + step if length > 1 else start, dtype)


def _end_of_range(x: Any) -> Any:
    """A number of `arange` on the host."""
    if isinstance(x, (int, float)):
        return x
    if (
        isinstance(x, str)
        or (x.dtype if isinstance(x, ndarray) else as_host(x).dtype).kind in "SUV"
    ):
        raise TypeError(f"arange() takes numbers and times, not {shown(x)}")
    return x.item() if isinstance(x, ndarray) else x


def _arange_length(start: Any, stop: Any, step: Any) -> int:
    """ceil((stop - start) / step), at least 0; the smaller of both parts for complex numbers."""
    if builtins.all(isinstance(v, (int, np.integer)) for v in (start, stop, step)):
        return max(0, -((int(start) - int(stop)) // int(step)))
    extent = stop - start
    steps = extent / step
    if steps == 0 and extent != 0 and not isinstance(steps, (complex, np.complexfloating)):
        return int(math.copysign(1, steps) > 0)  # an underflow: the first element alone
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
        Object that exposes the buffer protocol.
    dtype : dtype, optional
        Type of the elements; float64 by default.
    count : int, optional
        Number of elements to read; -1 reads all.
    offset : int, optional
        Number of bytes to skip at the start.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        A copy on the device, where NumPy gives a view.

    Raises
    ------
    ValueError
        If the buffer is too short, or not a whole number of elements long.

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
    """Create a one-dimensional array from an iterable of numbers.

    Parameters
    ----------
    iter : iterable
        Iterable of numbers, which are collected on the host.
    dtype : dtype
        Type of the elements.
    count : int, optional
        Number of elements to read; -1 reads all.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        One-dimensional array of the numbers.

    Raises
    ------
    ValueError
        If there are fewer than `count` elements.

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
    """Read an array from a text or binary file.

    Parameters
    ----------
    file : str, path or file
        File to read, as a name, a path or an open file.
    dtype : dtype, optional
        Type of the elements; float64 by default.
    count : int, optional
        Number of elements to read; -1 reads all.
    sep : str, optional
        Separator between numbers in a text file; an empty string means a binary file.
    offset : int, optional
        Number of bytes to skip at the start of a binary file.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        One-dimensional array of the data.
    """
    if elsewhere(like):
        return make_like(like, "fromfile", file, descr(dtype), count, sep, offset)
    return array(np.fromfile(file, descr(dtype), count, sep, offset))


def fromstring(string, dtype=None, count=-1, *, sep, like=None) -> ndarray:
    """Create an array from the text representation of numbers.

    Parameters
    ----------
    string : str
        Text that contains the numbers.
    dtype : dtype, optional
        Type of the elements; float64 by default.
    count : int, optional
        Number of elements to read; -1 reads all.
    sep : str
        Separator between the numbers.
    like : object, optional
        Array of another library. If given, that library's function of the same name creates the
        result (NEP 35).

    Returns
    -------
    ndarray
        One-dimensional array of the numbers.

    Raises
    ------
    ValueError
        If the text is not a list of numbers.

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
    """Import an array of another library by DLPack, without a copy if it is on this device.

    Parameters
    ----------
    x : object
        Array with the methods `__dlpack__` and `__dlpack_device__`.
    device : cuda.Device or tuple, optional
        Device on which the result has to be. By default that of `x`.
    copy : bool or None, optional
        If True, always copy; if None, only if needed; if False, raise an error if a copy is needed.

    Returns
    -------
    ndarray
        Array that shares memory with `x`. The current stream waits for the producer's stream; the
        host does not wait. Arrays in host memory are copied.

    Raises
    ------
    BufferError
        If the request needs a copy that is not allowed.
    """
    return _C.from_dlpack(x, device=device, copy=copy)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True) -> np.ndarray[Any, Any]:
    """Copy an array to host memory as a NumPy array.

    Parameters
    ----------
    a : object
        Device array, any object that `numpy.asarray` takes, or a list that contains either.
    stream : cuda.Stream, optional
        Stream in which the copy is queued. By default the current one.
    order : {'C', 'F', 'A'}, optional
        Memory layout of the result.
    out : numpy.ndarray, optional
        Array into which the data is copied.
    blocking : bool, optional
        If False, return before the copy is complete: synchronize the stream before reading the
        result. Copies to memory that is not page-locked are complete in any case.

    Returns
    -------
    numpy.ndarray
        `a` itself if it is a NumPy array.

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
    host = np.asarray(_C.check_list(a), order=order)
    if out is None:
        return host
    np.copyto(out, host)
    return out


def get_array_module(*args: Any) -> ModuleType:
    """Return `gpunp` if an argument is a device array or a sparse one, otherwise `numpy`.

    Parameters
    ----------
    *args : object
        Objects to inspect, usually a function's arguments.

    Returns
    -------
    module
        Either `gpunp` or `numpy`.

    Examples
    --------
    >>> import gpunp as cp, numpy as np
    >>> cp.get_array_module(np.ones(2)).__name__, cp.get_array_module(cp.ones(2)).__name__
    ('numpy', 'gpunp')
    """
    return sys.modules["gpunp"] if has_device_array(args) else np


def has_device_array(args: Iterable[Any]) -> bool:
    """Whether one of these is an array of the device, or a sparse array or matrix of gpunp."""
    sparse = sys.modules.get("gpunp.scipy.sparse._base")  # not loaded: there are no sparse arrays
    kinds = ndarray if sparse is None else (ndarray, sparse._spbase)
    return builtins.any(isinstance(a, kinds) for a in args)


# ---- joining and copying -----------------------------------------------------------------------


def _joined_dtype(arrays: Sequence[ndarray], dtype: Any, casting: Any) -> np.dtype[Any]:
    if casting != "same_kind":
        np.can_cast(np.bool_, np.bool_, casting)  # raises where there is no such rule
    if dtype is None:
        dtype = arrays[0].dtype
        if dtype.names is None and builtins.all(a.dtype is dtype for a in arrays):
            return dtype
        dtype = result_type(*arrays)
    dtype = np.dtype(dtype)
    for a in arrays:
        check_cast(a.dtype, dtype, casting)
    return dtype


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind") -> ndarray:
    """Join arrays along an existing axis. One copy per array.

    Parameters
    ----------
    arrays : sequence of array_like
        Sequence of arrays to join.
    axis : int, optional
        Axis along which to join; None flattens the arrays first.
    out : ndarray, optional
        Array into which the result is written.
    dtype : dtype, optional
        Type of the result; by default it follows from the input.
    casting : str, optional
        Rule that says which casts are allowed.

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
    refuse_array_as_axis("concatenate", axis)
    if isinstance(arrays, ndarray):
        arrays = list(arrays)
    if not isinstance(arrays, Iterable):
        raise TypeError("The first input argument needs to be a sequence")
    if axis is None:  # numbers are joined too, and Python's have no type of their own
        operands, axis = [as_operand(a) for a in arrays], 0
        if out is dtype is None and operands:
            # one of each type, as `result_type` takes 64
            dtype = result_type(*{getattr(a, "dtype", type(a)): a for a in operands}.values())
        arrays = [as_array(a).ravel() for a in operands]
    else:
        arrays = [as_array(a) for a in arrays]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    ndim = arrays[0].ndim
    if ndim == 0:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = integer_axis(axis, ndim)
    shape = _joined_shape(arrays, axis)
    if out is None:
        dtype = _joined_dtype(arrays, dtype, casting)
        out = empty_ordered(shape, dtype, axis_order(arrays))
    else:
        check_out(out)
        _joined_dtype(arrays, out.dtype, casting)
        if out.shape != shape:
            raise ValueError("Output array is the wrong shape")
    at = 0
    before = (slice(None),) * axis
    for a in arrays:
        n = a.shape[axis]
        if n:
            out[before + (slice(at, at + n),)] = a
        at += n
    return out


def _joined_shape(arrays: list[ndarray], axis: int) -> tuple[int, ...]:
    """Shape of arrays one behind the other; ValueError if they differ along another axis."""
    ndim, shape = arrays[0].ndim, list(arrays[0].shape)
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
    return tuple(shape)


concat = concatenate


copyto = _C.copyto


def bincount(x, /, weights=None, minlength=0) -> ndarray:
    """Count the occurrences of each value in an array of nonnegative integers.

    Waits for the device: the largest value gives the length of the result.

    Parameters
    ----------
    x : 1-d array_like of int
        One-dimensional array of nonnegative integers.
    weights : array_like, optional
        Weights, with the shape of `x`, that are summed in float64 instead of counting. The order of
        additions is not fixed, so the last bits may differ between runs.
    minlength : int, optional
        Least length of the result.

    Returns
    -------
    ndarray
        Counts of type int64, or sums of type float64.

    Raises
    ------
    ValueError
        If `x` has a negative element or more than one dimension, or `weights` has the wrong length.
    TypeError
        If `x` cannot be cast safely to int64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.bincount(cp.array([0, 1, 1, 3]))
    array([1, 2, 0, 1])
    """
    given, x = x, as_array(x)
    if x.size == 0 and not isinstance(given, ndarray):
        x = x.astype(np.int64)  # an empty list has no dtype
    weights = None if weights is None else as_array(weights)
    least = 0 if minlength is None else operator.index(minlength)  # None: CuPy's default
    return _C.bincount(x, weights, least)


def lexsort(keys, axis=-1) -> ndarray:
    """Return the indices that sort by several keys, the last of which is the primary one.

    Parameters
    ----------
    keys : array_like
        Arrays of the same shape, or the rows of an array.
    axis : int, optional
        Axis of each key along which to sort.

    Returns
    -------
    ndarray
        Array of int64; equal elements keep their order.

    Raises
    ------
    ValueError
        If the keys have different shapes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lexsort((cp.array([9, 4, 0]), cp.array([1, 1, 0])))
    array([2, 1, 0])
    """
    refuse_array_as_axis("lexsort", axis)
    keys = list(keys) if isinstance(keys, ndarray) else [as_array(key) for key in keys]
    if not keys:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if any(key.shape != keys[0].shape for key in keys):
        raise ValueError("all keys need to be the same shape")
    if keys[0].ndim == 0:
        axis = normalize_axis_index(axis, 1)
        return _C.zeros((), np.intp, "C")
    axis = normalize_axis_index(axis, keys[0].ndim)
    order = keys[0].argsort(axis)
    for key in keys[1:]:
        again = take_along(key, order, axis).argsort(axis)
        order = take_along(order, again, axis)
    return order


def where(condition, x=None, y=None, /):
    """Choose elements from `x` or `y`, depending on a condition.

    With `condition` alone, same as ``nonzero``, which copies the number of hits to the host.

    Parameters
    ----------
    condition : array_like
        If true, yield the element of `x`, otherwise that of `y`.
    x : array_like, optional
        Values where the condition is true.
    y : array_like, optional
        Values where the condition is false.

    Returns
    -------
    ndarray, or tuple of ndarray
        Array of the chosen elements. With `condition` alone, the indices at which it is true, which
        waits for their number.

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
    """Return whether a cast is allowed by a casting rule; arrays count by their dtype.

    Parameters
    ----------
    from_ : dtype, type or ndarray
        Type to cast from, or an array that has it.
    to : dtype
        Type to cast to.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Rule that says which casts are allowed.

    Returns
    -------
    bool
        True if the cast is allowed.
    """
    return bool(np.can_cast(from_.dtype if isinstance(from_, ndarray) else from_, to, casting))


def promote_types(type1, type2, /) -> np.dtype[Any]:
    """Return the smallest dtype to which two dtypes can be cast safely.

    Parameters
    ----------
    type1, type2 : dtype
        First and second data type.

    Returns
    -------
    numpy.dtype
        The common dtype.

    Raises
    ------
    TypeError
        If there is no such dtype.
    """
    return np.promote_types(type1, type2)


def min_scalar_type(a, /) -> np.dtype[Any]:
    """Return the smallest dtype that holds a scalar's value; of an array its dtype.

    A 0-d device array counts by its dtype as well: its value is not fetched.

    Parameters
    ----------
    a : scalar or array_like
        Scalar or array whose dtype is wanted.

    Returns
    -------
    numpy.dtype
        The smallest sufficient dtype.
    """
    return a.dtype if isinstance(a, ndarray) else np.min_scalar_type(_C.check_list(a))


# ---- memory ------------------------------------------------------------------------------------


def may_share_memory(a, b, /, max_work=0) -> bool:
    """Return whether the memory bounds of two arrays overlap.

    Parameters
    ----------
    a, b : ndarray
        Device arrays to compare.
    max_work : int, optional
        Accepted for compatibility with NumPy; the answer costs next to nothing.

    Returns
    -------
    bool
        False means that the arrays share no memory.
    """
    return _C.may_share_memory(a, b)


def shares_memory(a, b, /, max_work=-1) -> bool:
    """Return whether two arrays have a byte of memory in common; the answer is exact.

    Parameters
    ----------
    a, b : ndarray
        Device arrays to compare.
    max_work : int, optional
        Accepted for compatibility with NumPy; the exact answer is always found.

    Returns
    -------
    bool
        True if there is a common byte.

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
    """Result of broadcasting arrays: `shape`, `nd`, `size`, and the broadcast views in `values`.

    Parameters
    ----------
    *arrays : array_like
        Arrays to broadcast against each other, at most 64; a `broadcast` stands for its arrays.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.broadcast(cp.ones((3, 1)), cp.ones(4)).shape
    (3, 4)
    """

    __slots__ = ("nd", "ndim", "numiter", "shape", "size", "values")
    values: tuple[ndarray, ...]

    def __init__(self, *arrays: Any) -> None:
        operands: list[ndarray] = []
        for a in arrays:
            operands.extend(a.values if isinstance(a, broadcast) else (as_array(a),))
        if len(operands) > 64:
            raise ValueError("Need at least 0 and at most 64 array objects.")
        self.shape: tuple[int, ...] = np.broadcast_shapes(*(a.shape for a in operands))
        self.nd = self.ndim = len(self.shape)
        self.numiter = len(operands)
        self.size = math.prod(self.shape)
        self.values: tuple[ndarray, ...] = tuple(_C.broadcast_to(a, self.shape) for a in operands)
