"""Arguments that the functions of sparse matrices share: shapes, types, axes, foreign objects."""

import operator
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse

from ..._core._convert import (
    MAX_DIMS,
    as_array,
    as_host,
    number_on_host,
    per_axis,
    without_cycles,
)  # fmt: skip
from ..._core.multiarray import array, broadcast_view, from_dlpack, ndarray

SUPPORTED = "?bBhHiIlLqQfdFD"


def check_dtype(dtype: Any) -> np.dtype:
    """A dtype that elements of sparse matrices may have."""
    dtype = np.dtype(dtype)
    if dtype.char not in SUPPORTED:
        raise ValueError(f"scipy.sparse does not support dtype {dtype.name}")
    return dtype


def upcast(*dtypes: Any) -> np.dtype:
    """The type of a result of these types."""
    return check_dtype(np.result_type(*dtypes))


def is_scalar(x: Any) -> bool:
    """Whether x is a number, or an array without axes."""
    return isinstance(x, (bool, int, float, complex, np.generic)) or (
        isinstance(x, ndarray) and x.ndim == 0
    )


def is_shape(x: Any) -> bool:
    """Whether x is a tuple of whole numbers, from one to as many as an array has axes."""
    if not isinstance(x, tuple) or not 0 < len(x) <= MAX_DIMS:
        return False
    return all(isinstance(number_on_host(n), (int, np.integer)) for n in x)


def check_exchanged(axes: Any) -> None:
    """Refuse axes of the transpose of a matrix that are not exchanged."""
    if axes is not None and axes not in ((1, 0), (-1, -2), [1, 0], [-1, -2]):
        raise ValueError("Sparse arrays/matrices do not support an 'axes' parameter")


def check_shape(shape: Any, ranks: tuple = (2,), current: tuple | None = None) -> tuple:
    """A shape as a tuple of integers; with `current`, one of the same size that may have a -1."""
    shape = per_axis(shape)
    if len(shape) == 1:
        with suppress(TypeError):  # a number
            shape = iter(shape[0])
    new = tuple(operator.index(n) for n in per_axis(shape))
    if current is None:
        if len(new) not in ranks:
            raise ValueError(f"shape must have {' or '.join(map(str, ranks))} axes, not {new}")
        if any(n < 0 for n in new):
            raise ValueError("'shape' elements cannot be negative")
        return new
    size = int(np.prod(current, dtype=object))
    if new.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if -1 in new:
        known = int(np.prod([n for n in new if n != -1], dtype=object))
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape array of size {size} into shape {new}")
        new = tuple(size // known if n == -1 else n for n in new)
    if int(np.prod(new, dtype=object)) != size:
        raise ValueError(f"cannot reshape array of size {size} into shape {new}")
    if len(new) not in ranks:
        raise ValueError(f"shape must have {' or '.join(map(str, ranks))} axes, not {new}")
    return new


def check_axis(axis: Any, ndim: int) -> Any:
    """An axis from 0 on, a tuple of several, or None for all of them."""
    if axis is None:
        return None
    if isinstance(axis, list):
        raise TypeError("axis must be an integer or a tuple of integers, not list")
    if isinstance(axis, tuple):
        if not axis:
            raise ValueError("axis must not be an empty tuple")
        axes = tuple(check_axis(operator.index(a), ndim) for a in axis)
        if len({*axes}) != len(axes):
            raise ValueError("duplicate value in 'axis'")
        return None if len(axes) == ndim else axes if len(axes) > 1 else axes[0]
    if not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be an integer, not {type(axis).__name__}")
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise ValueError("axis out of range")
    return axis % ndim


def sum_dtype(dtype: np.dtype) -> np.dtype:
    """The type in which elements are summed."""
    if dtype.kind in "bi":
        return np.dtype(np.int64)
    return np.dtype(np.uint64) if dtype.kind == "u" else dtype


def as_values(x: Any, dtype: Any = None, copy: bool = False) -> ndarray:
    """Values of a matrix: an array of a type that sparse matrices have."""
    if isinstance(x, (list, tuple)) and dtype is not None and np.dtype(dtype).kind in "iu":
        with suppress(TypeError):  # complex numbers
            return array(without_cycles(x), check_dtype(dtype))  # of 64 bits, not as floats first
    a = foreign_array(x)
    wanted = check_dtype(a.dtype if dtype is None else dtype)
    return a.astype(wanted) if copy else a.astype(wanted, copy=False)


def as_operand(x: Any) -> Any:
    """A number, a sparse matrix, or an array of this library; NotImplemented for what is none of
    them, which may have an operator of its own."""
    if is_scalar(x) or (hasattr(x, "asformat") and not scipy.sparse.issparse(x)):
        return x
    try:
        return x if isinstance(x, ndarray) else as_values(x)
    except (TypeError, ValueError):
        if isinstance(x, (list, tuple, np.ndarray)) or scipy.sparse.issparse(x):
            raise
        return NotImplemented


def as_indices(x: Any, name: str) -> ndarray:
    """Indices: an array of whole numbers of one axis."""
    a = foreign_array(x)
    if a.dtype.kind not in "iu" and a.size:
        raise TypeError(f"{name} must be integers, not {a.dtype}")
    if a.ndim != 1:
        raise ValueError(f"{name} must be 1-D, not {a.ndim}-D")
    return a


def host_indices(x: Any) -> np.ndarray | None:
    """Whole numbers of one axis that are in host memory, None for others."""
    if not isinstance(x, (list, tuple, range, np.ndarray)):
        return None
    a = as_host(x)
    return a if a.ndim == 1 and a.dtype.kind in "iu" else None


def check_rows(indptr: np.ndarray, indices: np.ndarray, minor: int) -> None:
    """Raise ValueError where arrays of the host are not those of a compressed matrix."""
    check_begins(indptr, indices.size)
    used = indices[: int(indptr[-1])]
    if used.size:
        if int(used.max()) >= minor:
            raise ValueError(f"indices must be < {minor}, not {used.max()}")
        if int(used.min()) < 0:
            raise ValueError(f"indices must be >= 0, not {used.min()}")


def check_begins(indptr: np.ndarray, count: int) -> None:
    """Raise ValueError where these are not the begins of rows of so many elements."""
    if int(indptr[0]) != 0:
        raise ValueError(f"index pointer should start with 0, not {indptr[0]}")
    if int(indptr[-1]) > count:
        raise ValueError(
            f"last value of index pointer should be at most the number of indices, {count}, "
            f"not {indptr[-1]}"
        )
    if (indptr[1:] < indptr[:-1]).any():
        raise ValueError("indptr must be a non-decreasing sequence")


def check_coordinates(coords: Any, shape: tuple) -> None:
    """Raise ValueError where arrays of the host are not coordinates within a shape."""
    for axis, (c, n) in enumerate(zip(coords, shape, strict=True)):
        if c.size and int(c.max()) >= n:
            raise ValueError(f"axis {axis} index {c.max()} exceeds matrix dimension {n}")
        if c.size and int(c.min()) < 0:
            raise ValueError(f"negative axis {axis} index: {c.min()}")


def foreign_array(x: Any) -> ndarray:
    """An array of this library; those of others come through DLPack, lists are copied."""
    if isinstance(x, ndarray):
        return x
    if scipy.sparse.issparse(x):
        raise TypeError(
            f"a scipy.sparse matrix is in host memory: move it to the device with "
            f"gpunp.scipy.sparse.{x.format}_array(x)"
        )
    if hasattr(x, "__dlpack__") and not isinstance(x, (np.ndarray, np.generic)):
        return from_dlpack(x)
    return as_array(x)


def values_for(shape: tuple, value: Any, dtype: Any) -> ndarray:
    """What is assigned to a selection of a shape, all elements of it on one axis."""
    a = foreign_array(value.toarray() if hasattr(value, "toarray") else value)
    if a.dtype.kind == "c" and dtype.kind not in "bc" and not isinstance(value, ndarray):
        raise TypeError(f"complex values cannot be assigned to elements of {dtype}")
    a = as_values(a, dtype)
    if [n for n in a.shape if n != 1] == [n for n in shape if n != 1]:
        return a.reshape(-1)
    while a.ndim > len(shape) and a.shape[0] == 1:
        a = a[0]
    return broadcast_view(a, shape).reshape(-1)
