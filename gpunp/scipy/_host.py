"""Functions of a handful of numbers: SciPy computes on the host.

What counts tables, orders or merges one after another runs no faster on a device. What lies there
is read, which waits for it, and arrays among the results are copied to it.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core._convert import MAX_DIMS, without_cycles
from .._core.multiarray import array, ndarray
from ..random import Generator, RandomState

__all__ = ["also_named", "by_scipy", "to_device", "to_host"]


def _is_sparse(value: Any) -> bool:
    """Whether a value is a sparse array of this library, which is imported for it alone."""
    if not hasattr(value, "tocsr"):
        return False
    from .sparse import issparse

    return issparse(value)


def to_host(value: Any, levels: int = MAX_DIMS) -> Any:
    """A value with NumPy's and SciPy's objects for the device's, also in lists and tuples."""
    if isinstance(value, ndarray) or _is_sparse(value):
        return value.get()
    if isinstance(value, np.matrix):  # its rows are matrices: wrappers in C descend without an end
        return np.array(value)
    if isinstance(value, (Generator, RandomState)):  # one of the host that it seeds
        draw = value.integers if isinstance(value, Generator) else value.randint
        return np.random.default_rng(int(draw(2**31 - 1)))
    if hasattr(type(value), "_of_scipy"):  # bounds, constraints and strategies of optimize
        return value._of_scipy()
    if type(value) in (list, tuple):
        if levels == 0:
            raise ValueError(f"sequences must not be nested more than {MAX_DIMS} deep")
        return type(value)(to_host(item, levels - 1) for item in without_cycles(value))
    return value


def to_device(value: Any) -> Any:
    """A value with the device's arrays for NumPy's; numbers stay on the host."""
    if isinstance(value, np.ndarray):
        return array(value)
    if type(value) in (list, tuple):
        return type(value)(map(to_device, value))
    return value


def by_scipy(name: str, *args: Any, module: str = "stats", **options: Any) -> Any:
    """The result of SciPy's function of this name for the numbers on the host."""
    function = getattr(importlib.import_module(f"scipy.{module}"), name)
    return function(
        *[to_host(value) for value in args], **{key: to_host(v) for key, v in options.items()}
    )


def also_named(old: str, new: str) -> Callable[[Any], Any]:
    """A function whose parameter had another name, by which it is taken too."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def called(*args: Any, **kwds: Any) -> Any:
            if old in kwds:
                if new in kwds:
                    raise TypeError(
                        f"{function.__name__}() got `{old}` and `{new}`, which are the same"
                    )
                kwds[new] = kwds.pop(old)
            return function(*args, **kwds)

        return called

    return decorate
