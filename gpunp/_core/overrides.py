"""NumPy's functions called on device arrays (NEP 18 and 13): ours are found by module and name."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _C
from .._C import ndarray

_table: dict[Callable[..., Any], Callable[..., Any] | None] = {}


def _find(func: Callable[..., Any]) -> Callable[..., Any] | None:
    """The function of that name in our module of that name (numpy.linalg -> gpunp.linalg)."""
    path = ["gpunp", *func.__module__.split(".")[1:]]
    module: Any = sys.modules["gpunp"]
    for part in path[1:]:
        module = getattr(module, part, None)
    return getattr(module, func.__name__, None)


def array_function(
    self: ndarray, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
) -> Any:
    """`ndarray.__array_function__`: NotImplemented for foreign types, TypeError for gaps here."""
    for kind in types:
        if not issubclass(kind, (ndarray, np.ndarray)):
            return NotImplemented
    try:
        ours = _table[func]
    except KeyError:
        ours = _table[func] = _find(func)
    if ours is None:
        raise TypeError(
            f"{func.__module__}.{func.__name__} has no counterpart in gpunp for device arrays; "
            "bring them to the host with gpunp.asnumpy(x) to use NumPy's"
        )
    return ours(*args, **kwargs)


def array_ufunc(self: ndarray, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """`ndarray.__array_ufunc__`: the same for NumPy's ufuncs and their methods."""
    out = kwargs.get("out", ())
    for x in (*inputs, *out):
        known = isinstance(x, (ndarray, np.ndarray))
        if not known and hasattr(type(x), "__array_ufunc__"):
            return NotImplemented
    ours = getattr(_C, ufunc.__name__, None)
    if ours is None:
        ours = getattr(sys.modules["gpunp"], ufunc.__name__, None)
    call = ours if method == "__call__" else getattr(ours, method, None)
    if call is None:
        raise TypeError(f"numpy.{ufunc.__name__}.{method} has no counterpart in gpunp")
    if len(out) == 1:
        kwargs["out"] = out[0]
    return call(*inputs, **kwargs)
