"""NumPy's functions as Matplotlib calls them: device arrays among the arguments are copied to the
host, where NumPy computes. The extension recognises Matplotlib by the calling frame
(csrc/core/hostcopy.c).
"""

from collections.abc import Callable
from typing import Any

from .._C import ndarray

__all__ = ["call_function", "call_ufunc"]


def on_host(value: Any) -> Any:
    """Copy device arrays to the host, also those in tuples, lists and dicts."""
    if isinstance(value, ndarray):
        return value.get(order="A")
    if type(value) in (tuple, list):
        return type(value)(on_host(item) for item in value)
    if type(value) is dict:
        return {key: on_host(item) for key, item in value.items()}
    return value


def call_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """function(*args, **kwargs) of NumPy on the host."""
    return function(*on_host(args), **on_host(kwargs))


def call_ufunc(ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """ufunc.method(*inputs, **kwargs) of NumPy on the host."""
    return getattr(ufunc, method)(*on_host(inputs), **on_host(kwargs))
