"""Host arrays in page-locked memory, whose copies run concurrently with the program."""

from typing import Any

import numpy as np

from .._C import ndarray
from ._convert import as_host
from ._docstrings import documented_as

__all__ = ["empty_like_pinned", "empty_pinned", "zeros_like_pinned", "zeros_pinned"]


def empty_pinned(shape, dtype=float, order="C") -> Any:
    """Create an uninitialised NumPy array in page-locked host memory.

    Parameters
    ----------
    shape : int or tuple of int
        Shape of the new array.
    dtype : dtype, optional
        Type of the result. By default float64.
    order : {'C', 'F'}, optional
        Memory layout: row-major ('C') or column-major ('F').

    Returns
    -------
    numpy.ndarray
        Host array. Copies between it and the device need not wait.

    Examples
    --------
    >>> import gpunp as cp
    >>> host = cp.empty_pinned((2, 3), "f4")
    >>> host.shape, type(host).__name__
    ((2, 3), 'ndarray')
    """
    from ..cuda.pinned_memory import alloc_pinned_memory

    dtype = np.dtype(dtype)
    shape = tuple(shape) if np.iterable(shape) else (int(shape),)
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        return np.empty(shape, dtype, order)
    memory: Any = alloc_pinned_memory(count * dtype.itemsize)
    return np.frombuffer(memory, dtype, count).reshape(shape, order=order)


@documented_as(empty_pinned)
def zeros_pinned(shape, dtype=float, order="C") -> Any:
    """Create a NumPy array of zeros in page-locked host memory.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.zeros_pinned(2)
    array([0., 0.])
    """
    made = empty_pinned(shape, dtype, order)
    made[...] = 0
    return made


def empty_like_pinned(a, dtype=None, order="K", subok=None, shape=None) -> Any:
    """Create an uninitialised NumPy array in page-locked host memory, like another array.

    Parameters
    ----------
    a : ndarray or numpy.ndarray
        Prototype, a device or host array: its shape, dtype and memory layout are used where these
        are not given.
    dtype : dtype, optional
        Type of the result. By default that of `a`.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the result.
    subok : None
        Must not be True: there are no subclasses.
    shape : int or tuple of int, optional
        Shape of the result. By default that of the prototype.

    Returns
    -------
    numpy.ndarray
        Host array with the shape of `a`, unless `shape` is given.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.arange(3.0)
    >>> host = cp.empty_like_pinned(a)
    >>> a.get(out=host)
    array([0., 1., 2.])
    """
    if not isinstance(a, (ndarray, np.ndarray)):
        a = as_host(a)
    if subok:
        raise TypeError("subok is not supported")
    dtype = np.dtype(a.dtype if dtype is None else dtype)
    given = a.shape if shape is None else shape
    given = tuple(given) if np.iterable(given) else (int(given),)
    if order in ("K", "A") or order is None:
        strides = a.strides if order != "A" and len(given) == a.ndim else ()
        if a.flags.f_contiguous and not a.flags.c_contiguous:
            order = "F"
        elif a.flags.c_contiguous or not strides:
            order = "C"
        else:  # axes in the order of a's strides, the largest first
            axes = sorted(range(len(given)), key=lambda k: -abs(strides[k]))
            made = empty_pinned(tuple(given[k] for k in axes), dtype)
            return made.transpose(np.argsort(axes))
    return empty_pinned(given, dtype, order)


def zeros_like_pinned(a, dtype=None, order="K", subok=None, shape=None) -> Any:
    """Create a NumPy array of zeros in page-locked host memory, like another array.

    Parameters
    ----------
    a, dtype, order, subok, shape
        Prototype and properties of the result, as for `empty_like_pinned`.

    Returns
    -------
    numpy.ndarray
        Host array with the shape of `a`, unless `shape` is given.
    """
    made = empty_like_pinned(a, dtype, order, subok, shape)
    made[...] = 0
    return made
