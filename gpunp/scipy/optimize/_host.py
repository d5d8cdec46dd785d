"""SciPy's own drivers on the host, around functions of device arrays.

The driver keeps n numbers on the host. Each evaluation uploads the vector and reads what the
function returns.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, number_on_host
from ..._core.multiarray import asarray
from .._host import to_host
from ._result import OptimizeResult


class _OfSciPy:
    """The names of `scipy.optimize`, whose functions get tolerances and the like that lie on the
    device as numbers of the host.
    """

    def __getattr__(self, name: str) -> Any:
        import scipy.optimize

        found = getattr(scipy.optimize, name)
        if isinstance(found, type):
            return found

        @functools.wraps(found)
        def called(*args: Any, **options: Any) -> Any:
            options = {key: number_on_host(value) for key, value in options.items()}
            return found(*[number_on_host(value) for value in args], **options)

        return called


def scipy_optimize() -> Any:
    """The names of `scipy.optimize`, which is imported at the first use of one."""
    return _OfSciPy()


@contextlib.contextmanager
def errors_of_compiled_code() -> Any:
    """Raise what SciPy's compiled code meant by a SystemError: the error that it left set, such as
    of a number beyond 32 bits, or the lack of memory, of which it says nothing.
    """
    try:
        yield
    except SystemError as error:
        raise error.__cause__ or MemoryError(str(error)) from None


def to_device(value: Any) -> Any:
    """Arrays of the host as device arrays, also in results, lists and tuples."""
    if isinstance(value, np.ndarray) and value.ndim and value.dtype != object:
        return asarray(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value[()]
    if isinstance(value, dict):  # not a dict within it, which may be the user's and contain itself
        return OptimizeResult({k: v if type(v) is dict else to_device(v) for k, v in value.items()})
    if type(value) in (list, tuple):
        return type(value)(map(to_device, value))
    return value


def checked_options(options: Any) -> dict:
    """Options of a method as a dict of its own; None means none."""
    if options is not None and not isinstance(options, dict):
        raise TypeError(f"options must be a dict, not {type(options).__name__}")
    return dict(options or {})


def options_on_host(options: Any) -> dict:
    """Options of a method, with arrays on the host; None means none."""
    return {key: to_host(value) for key, value in checked_options(options).items()}


def number(value: Any) -> Any:
    """A number of the host of what a function returned."""
    value = to_host(value)
    return value.reshape(())[()] if isinstance(value, np.ndarray) and value.size == 1 else value


def on_host(function: Any, args: tuple = (), take: Callable = to_host) -> Any:
    """A function of host arrays that calls one of device arrays; other objects pass unchanged."""
    if not callable(function):
        return to_host(function)

    @functools.wraps(function)
    def called(*values: Any) -> Any:
        return take(function(*map(to_device, values), *args))

    return called


def value_and_gradient(function: Any, args: tuple) -> Callable:
    """A function that returns both, of host arrays."""

    def called(x: np.ndarray) -> tuple:
        value, gradient = function(asarray(x), *args)
        return number(value), to_host(as_array(gradient))

    return called


def wants_result(callback: Any) -> bool:
    """Whether a callback takes the keyword `intermediate_result`."""
    try:
        return set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except (TypeError, ValueError):
        return False


def callback_on_host(callback: Any) -> Any:
    """A callback of host arrays that calls one of device arrays."""
    if callback is None:
        return None
    if wants_result(callback):

        def with_result(intermediate_result: Any) -> Any:
            return callback(intermediate_result=to_device(intermediate_result))

        return with_result

    def with_point(xk: Any, *state: Any) -> Any:
        return callback(to_device(xk), *map(to_device, state))

    return with_point


def array_on_host(a: Any, dtype: Any = float) -> np.ndarray:
    """A vector or matrix of the user's on the host."""
    return as_host(to_host(a), dtype)
