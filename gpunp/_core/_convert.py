"""Argument normalisation shared by the Python layer.

Functions take device arrays. Python and NumPy scalars, lists and tuples are copied to the device.
NumPy arrays are not: the transfer of a host array is always explicit.
"""

import itertools
import math
import operator
import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray, shown

NoValue = np._NoValue  # type: ignore[attr-defined]
MAX_DIMS = 64


def refuse_host(a: Any, what: str = "argument") -> None:
    """Raise TypeError, naming the fix, when `a` is a NumPy array of one or more dimensions."""
    if isinstance(a, np.ndarray) and a.ndim:
        raise TypeError(
            f"unsupported {what} type numpy.ndarray: move it to the device with gpunp.asarray(x), "
            "or bring the others to the host with gpunp.asnumpy(x)"
        )


def as_host(a: Any, dtype: Any = None) -> np.ndarray:
    """numpy.asarray of a user's value; a list that contains itself raises an error. Numbers that
    reductions give, alone and in lists, are read, which waits for the device.
    """
    try:
        return np.asarray(_C.check_list(a), dtype)
    except TypeError:
        if not isinstance(a, (list, tuple, ndarray)):
            raise
    return np.asarray(_with_numbers(a, ndarray.get), dtype)


def _with_numbers(values: Any, number: Callable[[ndarray], Any]) -> Any:
    """A list with numbers of the host for those of the device; it was found to end."""
    if isinstance(values, ndarray) and values.ndim == 0:
        return number(values)
    is_list = isinstance(values, (list, tuple))
    return [_with_numbers(value, number) for value in values] if is_list else values


def array_on_host(a: Any) -> Any:
    """A user's array of the host or the device as one of the host; None stays None."""
    if a is None:
        return None
    return a.get() if isinstance(a, ndarray) else as_host(a)


def number_on_host(value: Any) -> Any:
    """A number that a reduction gives, an array without axes, as one of the host; this waits for
    the device. Other values are returned unchanged.
    """
    return value.item() if isinstance(value, ndarray) and value.ndim == 0 else value


def numbers_on_host(values: Any) -> np.ndarray:
    """Numbers of the host or the device, also those that reductions give in lists, as an array of
    the host; those of the device are waited for.
    """
    if isinstance(values, ndarray):
        return values.get()
    try:
        return as_host(values)
    except TypeError:
        if not isinstance(values, (list, tuple)):
            raise
    return as_host(_read(values))


def _read(values: Any) -> Any:
    """A list with arrays of the host for those of the device; `as_host` has found it to end."""
    if isinstance(values, ndarray):
        return values.get()
    return [_read(item) for item in values] if isinstance(values, (list, tuple)) else values


def without_cycles(a: Any) -> Any:
    """Return a user's value; raise ValueError when it is a list that contains itself."""
    return _C.check_list(a)


def _asked(question: Callable[[Any], Any], a: Any) -> Any:
    """NumPy's answer on a value; lists may contain themselves, or numbers of the device."""
    try:
        return question(_C.check_list(a))
    except TypeError:
        if not isinstance(a, (list, tuple)):
            raise
    return question(_with_numbers(a, lambda _: 0))


def host_ndim(a: Any) -> int:
    """numpy.ndim that also accepts lists that contain themselves, or numbers of the device."""
    return _asked(np.ndim, a)


def host_shape(a: Any) -> tuple[int, ...]:
    """numpy.shape that also accepts lists that contain themselves, or numbers of the device."""
    return _asked(np.shape, a)


def as_array(a: Any) -> ndarray:
    """Return `a` if it is a device array; otherwise convert scalars and nested lists to one."""
    if isinstance(a, ndarray):
        return a
    if isinstance(a, np.ndarray):
        refuse_host(a)
    return _C.array(a, copy=None)


def as_numbers(a: Any, function: str) -> ndarray:
    """Like `as_array`, for functions that do not support datetime64 and timedelta64."""
    a = as_array(a)
    if a.dtype.kind in "mM":
        raise TypeError(f"{function} is not supported for {a.dtype}")
    return a


def as_operand(a: Any) -> Any:
    """Like `as_array`, but Python and NumPy scalars are returned unchanged, for promotion."""
    if isinstance(a, (ndarray, bool, int, float, complex, np.generic)):
        return a
    return as_array(a)


def given(**kwargs: Any) -> dict[str, Any]:
    """Keyword arguments that were passed, without NumPy's `<no value>`."""
    return {k: v for k, v in kwargs.items() if v is not NoValue}


def on_device(device: Any) -> AbstractContextManager[Any]:
    """Context manager that creates new arrays on `device` (None: the current one)."""
    if device is None:
        return nullcontext()
    from ..cuda import Device

    if isinstance(device, Device):
        return device
    if isinstance(device, (int, np.integer)) and not isinstance(device, bool):
        return Device(int(device))
    raise ValueError(
        f"unsupported device {shown(device)}: give a gpunp.cuda.Device, its number, or None"
    )


def elsewhere(like: Any) -> bool:
    """Whether `like=` (NEP 35) refers to an array of another library."""
    return like is not None and not isinstance(like, ndarray)


def make_like(like: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    """Create the array by the library of `like`, through NumPy's dispatch."""
    if not hasattr(like, "__array_function__"):
        raise TypeError(
            "The `like` argument must be an array-like that implements the "
            "`__array_function__` protocol."
        )
    return getattr(np, name)(*args, **kwargs, like=like)


def shape_tuple(shape: Any) -> tuple[int, ...]:
    """An int or a sequence of ints as a tuple."""
    try:
        return (operator.index(shape),)
    except TypeError:
        return tuple(operator.index(n) for n in per_axis(shape))


def per_axis(values: Iterable[Any]) -> tuple[Any, ...]:
    """Values of which each axis has one, as a tuple; ValueError for more than there can be axes,
    before an endless sequence is read any further.
    """
    items = tuple(itertools.islice(values, MAX_DIMS + 1))
    if len(items) > MAX_DIMS:
        raise ValueError(f"maximum supported dimension for an ndarray is {MAX_DIMS}")
    return items


def refuse_text(value: Any, name: str) -> None:
    """Raise TypeError for text where a number is wanted."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a number, not {shown(value)}")


def whole(value: Any, name: str) -> int:
    """A number as an int; ValueError for one with a fraction, and for an infinite one or NaN."""
    try:
        count = int(value)
        if count == value:
            return count
    except OverflowError:
        pass
    raise ValueError(f"{name} must be an integer, not {shown(value)}")


def check_host_memory(nbytes: int) -> None:
    """Raise MemoryError when the host has less memory than `nbytes`: a list of that size would be
    filled until the system ends the process.
    """
    if nbytes > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise MemoryError(f"unable to allocate {nbytes} bytes on the host")


def check_device_memory(*sizes: Any, dtype: Any = np.float64) -> None:
    """Raise MemoryError when an array of these sizes cannot be allocated on the device, before the
    host computes its elements. What is no size of an array passes, for an error of its own.
    """
    are_sizes = all(
        isinstance(n, (int, np.integer)) and not isinstance(n, np.timedelta64) for n in sizes
    )
    if are_sizes and all(0 < n < 2**63 for n in sizes):
        _C.empty(min(math.prod(map(int, sizes)), 2**58), dtype)


def check_out(out: Any) -> Any:
    """Return `out`, None or a device array; raise TypeError for anything else."""
    if out is not None and not isinstance(out, ndarray):
        raise TypeError(f"out must be a gpunp array, not {type(out).__name__}")
    return out


def index_list(values: Any) -> list[int]:
    """A scalar, sequence or (device) array of integers as a list; a device array is copied back."""
    if isinstance(values, ndarray):
        values = values.get()
    values = as_host(values)
    if values.dtype.kind in "mM":
        check_cast(values.dtype, np.dtype(np.intp), "safe")
    return values.astype(np.intp, copy=False).ravel().tolist()


def descr(dtype: Any, default: Any = float) -> np.dtype[Any]:
    """`dtype` as a NumPy descriptor, `default` for None."""
    return np.dtype(default if dtype is None else dtype)


def check_cast(source: np.dtype[Any], target: np.dtype[Any], casting: Any) -> None:
    """TypeError in NumPy's words unless the rule `casting` allows the cast."""
    if source != target and not np.can_cast(source, target, casting):
        raise TypeError(
            f"Cannot cast array data from {source!r} to {target!r} "
            f"according to the rule {shown(casting)}"
        )


def normalize_axis_index(axis: Any, ndim: int, prefix: str | None = None) -> int:
    """Return an axis in [-ndim, ndim) as one in [0, ndim).

    Parameters
    ----------
    axis : int
        Axis to normalise; negative values count from the end.
    ndim : int
        Number of axes of the array.
    prefix : str, optional
        Text with which the error message begins.

    Returns
    -------
    int
        Axis in [0, ndim).

    Raises
    ------
    AxisError
        If an axis is out of bounds.
    OverflowError
        If it has more than 32 bits.
    """
    axis = operator.index(axis)
    if not -(2**31) <= axis < 2**31:
        raise OverflowError(f"axis {axis} is too large to convert to C int")
    if not -ndim <= axis < ndim:
        raise np.exceptions.AxisError(axis, ndim, prefix)
    return axis % ndim


def index_of_axis(axis: Any, ndim: int) -> int:
    """`normalize_axis_index` for functions whose counterpart looks up ``shape[axis]``: an axis of
    more than 32 bits is an `AxisError` too, which is an IndexError.
    """
    axis = operator.index(axis)
    return normalize_axis_index(max(-(2**31), min(axis, 2**31 - 1)), ndim)


def refuse_array_as_axis(function: str, axis: Any) -> None:
    """Refuse arrays that were given one by one, as in `concatenate(a, b)`."""
    if isinstance(axis, ndarray) and axis.ndim > 0:
        raise TypeError(
            f"axis must be an int, not an array: {function} takes the arrays as one sequence, "
            f"{function}((a, b))"
        )


def integer_axis(axis: Any, ndim: int) -> int:
    """`normalize_axis_index` for functions that refuse a bool, which NumPy has in C."""
    if isinstance(axis, bool):
        raise TypeError("an integer is required for the axis")
    return normalize_axis_index(axis, ndim)


def normalize_axis_tuple(
    axis: Any, ndim: int, argname: str | None = None, allow_duplicate: bool = False
) -> tuple[int, ...]:
    """Return an axis or an iterable of axes as a tuple of distinct axes in [0, ndim).

    Parameters
    ----------
    axis : int or iterable of int
        Axis or axes to normalise; negative values count from the end.
    ndim : int
        Number of axes of the array.
    argname : str, optional
        Name of the argument, for error messages.
    allow_duplicate : bool, optional
        If True, an axis may be given more than once.

    Returns
    -------
    tuple of int
        Axes in [0, ndim), in the given order.

    Raises
    ------
    AxisError
        If an axis is out of bounds.
    ValueError
        If an axis is given more than once.
    """
    if type(axis) not in (tuple, list):
        try:
            axis = [operator.index(axis)]
        except TypeError:
            pass
    axes = tuple(normalize_axis_index(a, ndim, argname) for a in axis)
    if not allow_duplicate and len(set(axes)) != len(axes):
        raise ValueError(f"repeated axis in `{argname}` argument" if argname else "repeated axis")
    return axes
