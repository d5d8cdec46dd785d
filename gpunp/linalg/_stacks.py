"""Preparation for the solvers: types, contiguous copies, and checks of success.

The solvers take contiguous stacks of column-major matrices, and overwrite them. A C-contiguous
array of shape (..., columns, rows) is such a stack; so a plain copy of an array passes its
transposes, and a copy with the last two axes exchanged the matrices.
"""

from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from .._core import umath as um
from .._core._convert import as_array
from .._core._ufunc_config import linalg_is_checked
from .._core.multiarray import empty, ndarray, where
from .._core.numeric import moveaxis

__all__ = ["LinAlgError"]

_TYPES = {"f", "d", "F", "D"}
SMALL = 32  # largest number of rows of the kernels that keep a matrix on chip


def matrices(a: Any) -> ndarray:
    """`a` as an array of at least two dimensions."""
    a = as_array(a)
    if a.ndim < 2:
        raise LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least two-dimensional"
        )
    return a


def square(a: Any) -> ndarray:
    """`a` as an array of square matrices."""
    a = matrices(a)
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    return a


def common_type(*arrays: ndarray) -> np.dtype[Any]:
    """The type to compute in: float32, float64, complex64 or complex128."""
    result: Any = None
    for a in arrays:
        dtype = a.dtype
        if dtype.kind in "biu":
            dtype = np.dtype(np.float64)
        elif dtype.char not in _TYPES:
            raise TypeError(f"array type {dtype.name} is unsupported in linalg")
        if dtype is not result:
            result = dtype if result is None else np.promote_types(result, dtype)
    return result


def real_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type of the real part."""
    return np.dtype(dtype.char.lower())


def matrix_transposed(a: ndarray) -> ndarray:
    """Return a view with the last two axes exchanged."""
    return moveaxis(a, -1, -2)


def plain_copy(a: ndarray, dtype: Any) -> ndarray:
    """Return a contiguous copy: for a column-major solver, the transposes."""
    return a.astype(dtype, order="C", copy=True)


def column_copy(a: ndarray, dtype: Any) -> ndarray:
    """Return a contiguous copy with the last two axes exchanged: for a solver, the matrices."""
    return matrix_transposed(a).astype(dtype, order="C", copy=True)


def straight(a: ndarray) -> ndarray:
    """Return a stack as a C-contiguous array of its matrices."""
    if a.shape[-1] == 1 or a.shape[-2] == 1:
        return a.reshape((*a.shape[:-2], a.shape[-1], a.shape[-2]))
    return matrix_transposed(a).astype(a.dtype, order="C", copy=True)


def conjugate(a: ndarray) -> ndarray:
    """The conjugate of complex arrays; real ones as they are."""
    return um.conjugate(a) if a.dtype.kind == "c" else a


def triangle(a: ndarray, upper: bool, k: int = 0) -> ndarray:
    """Return a new C-contiguous array with zeros outside one triangle of `a`."""
    rows, columns = a.shape[-2:]
    mask = um.tri(rows, columns, k - 1 if upper else k, bool)
    zero = np.zeros((), a.dtype)[()]
    return where(mask, zero, a) if upper else where(mask, a, zero)


def identity_like(a: ndarray, n: int, dtype: Any) -> ndarray:
    """Identity matrices of size n, one for each matrix of `a`."""
    result = empty((*a.shape[:-2], n, n), dtype)
    result[...] = um.eye(n, n, 0, dtype, "C")
    return result


def finite(work: ndarray) -> ndarray:
    """Whether each matrix of a stack is free of NaN and infinity."""
    return um.isfinite(work).all(axis=(-2, -1))


def _failed(info: ndarray, is_finite: ndarray | None) -> ndarray:
    """Whether each matrix failed. Some solvers miss NaN and infinity; `is_finite` tells."""
    bad = info != 0
    return bad if is_finite is None else um.logical_or(bad, um.logical_not(is_finite))


def check(message: str, info: ndarray, is_finite: ndarray | None = None) -> None:
    """Raise LinAlgError if a matrix failed, if errors are checked: this waits."""
    if not linalg_is_checked() or not info.size:
        return
    if is_finite is None:  # a single number is read back directly, several are reduced first
        failed = info.item() != 0 if info.size == 1 else bool(info.any())
    else:
        failed = bool(_failed(info, is_finite).any())
    if failed:
        raise LinAlgError(message)


def masked(info: ndarray, is_finite: ndarray | None, *results: ndarray) -> tuple[ndarray, ...]:
    """Return the results, NaN for matrices that failed if errors are ignored."""
    if linalg_is_checked() or not info.size:
        return results
    bad = _failed(info, is_finite)
    return tuple(
        where(
            bad.reshape(info.shape + (1,) * (x.ndim - info.ndim)),
            np.full((), np.nan, x.dtype)[()],
            x,
        )
        for x in results
    )


def checked(message: str, info: ndarray, result: ndarray) -> ndarray:
    """Return `result` after `check`; NaN for matrices that failed if errors are ignored."""
    check(message, info)
    return masked(info, None, result)[0]
