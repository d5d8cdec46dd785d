"""Lazy mode and `fuse`: elementwise operations and reductions in few kernels."""

import contextlib
import functools

import numpy as np

from .._C import FusedFunction, _lazy_enter, _lazy_leave, _set_fused_host_call, ndarray
from .multiarray import asarray

__all__ = ["fuse", "lazy"]


class _Lazy(contextlib.ContextDecorator):
    __slots__ = ()
    __enter__ = staticmethod(_lazy_enter)

    def __exit__(self, *_):
        _lazy_leave()


_the_context = _Lazy()


def lazy():
    """
    Record elementwise operations and run them in few kernels.

    Inside the context, ufuncs, copies, casts and reductions on arrays are recorded. Each connected
    component runs as one generated kernel when a value is needed: at the end of the context, before
    any other work on the device, and before an address is exposed. Temporary arrays to which no
    reference remains are never written. Reductions along rows and elementwise operations on their
    results run while a row is on chip, so that a softmax reads memory once.

    Returns
    -------
    context manager
        Context manager within which operations are recorded.

    Notes
    -----
    Results equal those of eager mode, bit for bit. Errors of shapes and dtypes are raised at once.
    One thread at a time can be in this mode; contexts nest. Up to 64 operations, or results of a
    quarter of the device's memory, are deferred. The memory of temporary arrays is freed when the
    component has run. A sequence of operations that is met for the first time runs in the kernels
    of eager mode; kernels of its own are compiled when it is met again. While recording saves no
    launches, it is done now and then only (the environment variable ``GPUNP_LAZY`` says otherwise).

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.linspace(0, 1, 5)
    >>> with cp.lazy():
    ...     b = cp.tanh(cp.sin(a) + 0.1 * a)  # one kernel: one read, one write
    >>> bool(cp.all(b == cp.tanh(cp.sin(a) + 0.1 * a)))
    True
    """
    return _the_context


def fuse(*args, kernel_name=None):
    """
    Decorate a function so that its elementwise operations run in few kernels.

    The first call with arguments of some dtypes and shapes runs the function in lazy mode (see
    `lazy`) and records its kernels; later calls launch them without running the function's code.

    Parameters
    ----------
    *args : callable
        Function to fuse, or nothing if used as ``@fuse()``. It takes arrays and numbers, returns an
        array, a tuple of arrays, or None, and may update its arguments in place.
    kernel_name : str, optional
        Name of the kernels in traces and messages. By default that of the function.

    Returns
    -------
    callable
        The fused function, or a decorator if no function is given.

    Notes
    -----
    The function is run again for other dtypes, shapes, strides or values of numbers; everything
    else that it depends on is taken to be constant. A function that uses operations which lazy mode
    does not record (sorting, products, indexing with arrays, reading values) works as well: it runs
    in lazy mode at each call. NumPy arrays are copied to the device and the results back; scalars
    are passed on. Results equal those of the function itself, bit for bit.

    Examples
    --------
    >>> import gpunp as cp
    >>> @cp.fuse(kernel_name="squared_diff")
    ... def squared_diff(x, y):
    ...     return (x - y) * (x - y)
    >>> x = cp.arange(5)
    >>> squared_diff(x, x[::-1])
    array([16,  4,  0,  4, 16])
    """
    if len(args) > 1 or (args and not callable(args[0])):
        raise TypeError("fuse takes a function and the keyword kernel_name")

    def decorate(function):
        name = kernel_name or getattr(function, "__name__", "fused")
        return functools.update_wrapper(FusedFunction(function, name), function)

    return decorate(args[0]) if args else decorate


def _from_device(x):
    if isinstance(x, tuple):
        return tuple(_from_device(item) for item in x)
    return x.get()[()] if isinstance(x, ndarray) else x


def _call_on_host(fused, *args):
    """Call a fused function with NumPy arrays; arrays updated in place are copied back."""
    ours = [asarray(x) if isinstance(x, np.ndarray) else x for x in args]
    before = [x.copy() if isinstance(x, np.ndarray) else None for x in args]
    result = fused(*ours)
    for x, mine, old in zip(args, ours, before, strict=True):
        if isinstance(x, np.ndarray):
            new = mine.get()
            if new.tobytes() != old.tobytes():
                x[...] = new
    for x, mine in zip(args, ours, strict=True):
        if result is mine:
            return x
    return _from_device(result)


_set_fused_host_call(_call_on_host)
