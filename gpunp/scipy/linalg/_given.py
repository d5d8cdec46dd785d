"""How the functions of scipy.linalg take matrices."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.multiarray import ndarray
from ..._core.shape_base import stack
from ...lib._stride_tricks_impl import broadcast_to
from ...linalg._triangular import refuse_infinite


def single(a: Any) -> ndarray:
    """`a` as an array, one of float16 as float32, in which SciPy computes."""
    a = as_array(a)
    return a.astype(np.float32) if a.dtype.char == "e" else a


def given(check_finite: bool, *arrays: Any) -> tuple[ndarray, ...]:
    """Arrays as `single` has them; ValueError for infinities and NaN if they are looked for."""
    taken = tuple(map(single, arrays))
    if check_finite:
        refuse_infinite(*taken)
    return taken


def _joined(parts: list, shape: tuple) -> Any:
    """Results of each matrix of a stack as stacks."""
    if isinstance(parts[0], tuple):
        return tuple(_joined(list(column), shape) for column in zip(*parts, strict=True))
    whole = stack(list(map(as_array, parts)))
    return whole.reshape(*shape, *whole.shape[1:])


def one_by_one(**axes: int) -> Callable[[Any], Any]:
    """A function of matrices that takes stacks of them as well, which it computes one by one.

    Parameters
    ----------
    **axes : int
        By the name of a parameter, the number of axes of what one call takes. 0 is that of a right
        side: a vector where it has one axis, otherwise a matrix.
    """

    def decorate(function: Any) -> Any:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            arrays = {name: as_array(given[name]) for name in axes if name in given}
            own = {name: axes[name] or min(x.ndim, 2) for name, x in arrays.items()}
            if all(x.ndim <= own[name] for name, x in arrays.items()):
                return function(*args, **kwargs)
            shape = np.broadcast_shapes(*(x.shape[: -own[name]] for name, x in arrays.items()))
            if 0 in shape:
                raise ValueError(f"{function.__name__} does not take stacks of no matrices")
            stacks = {
                name: broadcast_to(x, (*shape, *x.shape[-own[name] :]))
                for name, x in arrays.items()
            }
            parts = [
                function(**{**given, **{name: x[index] for name, x in stacks.items()}})
                for index in np.ndindex(shape)
            ]
            return _joined(parts, shape)

        return called

    return decorate
