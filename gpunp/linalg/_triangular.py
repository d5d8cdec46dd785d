"""Solvers with triangular matrices, and with Cholesky factors."""

import functools
from typing import Any

import numpy as np

from .._core import umath as um
from .._core._convert import as_array
from .._core._ufunc_config import linalg_is_checked
from .._core.fusion import fuse
from .._core.lapack import (
    lapack_geqrf,
    lapack_ormqr,
    lapack_potrf,
    lapack_triangle,
    lapack_trsm,
)
from .._core.multiarray import broadcast_view, empty, ndarray
from ._stacks import (
    LinAlgError,
    check,
    checked,
    column_copy,
    common_type,
    conjugate,
    identity_like,
    matrices,
    matrix_transposed,
    plain_copy,
    square,
    straight,
)

__all__ = ["cho_solve", "invh"]

_NORMAL, _TRANSPOSED, _CONJUGATE = 0, 1, 2


def columns_of(b: Any, rows: int, what: str) -> tuple[ndarray, bool]:
    """Return `b` as matrices with a number of rows, and whether it was a vector."""
    b = as_array(b)
    if b.ndim == 0 or b.shape[-min(b.ndim, 2)] != rows:
        raise ValueError(f"{what}: b has shape {b.shape}, where {rows} rows are needed")
    return (b[:, None], True) if b.ndim == 1 else (b, False)


def stretch(a: ndarray, b: ndarray) -> tuple[ndarray, ndarray]:
    """Broadcast both to their common batch shape, as views."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return (
        broadcast_view(a, (*batch, *a.shape[-2:])),
        broadcast_view(b, (*batch, *b.shape[-2:])),
    )


def as_stack(a: ndarray, dtype: Any) -> ndarray:
    """Return C-contiguous memory of a type: for a column-major solver, the transposes."""
    return a.astype(dtype, order="C", copy=False)


def _solve_triangle(a: ndarray, x: ndarray, lower: bool, trans: int, unit: bool) -> None:
    """op(a) x = b in place of `x`, a stack of columns; `a` in NumPy's order.

    Row-major memory is the transpose, with the other triangle; conjugating without transposing is
    nothing the library knows, so there `a` is conjugated first.
    """
    columns = matrix_transposed(a)
    if columns.flags.c_contiguous:
        lapack_trsm(columns, x, not lower, trans, unit, False)
        return
    if trans == _CONJUGATE:
        a = conjugate(a)
    a = as_stack(a, x.dtype)
    lapack_trsm(a, x, lower, _TRANSPOSED if trans == _NORMAL else _NORMAL, unit, False)


def triangle_solved(
    a: ndarray, b: ndarray, lower: bool, trans: int = _NORMAL, unit: bool = False
) -> tuple[ndarray, ndarray | None]:
    """x of op(a) x = b, a new C-contiguous array of b's type, and a number that is not zero where
    there is a zero on a diagonal; None where nobody looked. Both have the same batch shape."""
    a = a.astype(b.dtype, copy=False)
    result = lapack_triangle(a, b, lower, trans, unit)
    if result is not None:
        return result
    # Two transposed copies cost less than the library's solver on the other side of `a`.
    x = column_copy(b, b.dtype)
    if x.size:
        _solve_triangle(a, x, lower, trans, unit)
    return straight(x), None


def cholesky_solved(c: ndarray, b: ndarray, lower: bool) -> ndarray:
    """Solve with Cholesky factors: c c^H x = b, or c^H c x = b if they are upper."""
    first, second = (_NORMAL, _CONJUGATE) if lower else (_CONJUGATE, _NORMAL)
    x, _ = triangle_solved(c, b, lower, first)
    return triangle_solved(c, x, lower, second)[0]


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True) -> ndarray:
    """Solve ``a @ x = b`` with the Cholesky factor of `a`.

    Parameters
    ----------
    c_and_lower : tuple of (array, bool)
        Factor and flag returned by `gpunp.scipy.linalg.cho_factor`. Batches are broadcast.
    b : array_like, (M,) or (..., M, K)
        Right-hand side: a vector, or matrices whose columns are right-hand sides.
    overwrite_b : bool, optional
        Accepted for compatibility with SciPy; `b` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    gpunp.ndarray
        Solution, with the shape of `b` after broadcasting.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.cho_solve((cp.array([[2.0]]), True), cp.array([8.0]))
    array([2.])
    """
    c, lower = c_and_lower
    c = square(c)
    b, is_vector = columns_of(b, c.shape[-1], "cho_solve")
    if check_finite:
        refuse_infinite(c, b)
    dtype = common_type(c, b)
    c, b = stretch(c, b)
    x = cholesky_solved(c, b.astype(dtype, copy=False), bool(lower))
    return x[..., 0] if is_vector else x


def all_finite(*arrays: ndarray) -> ndarray | None:
    """Whether there is neither NaN nor infinity: one number on the device, None where errors are
    not checked or there are neither."""
    if not linalg_is_checked():
        return None
    different = {id(a): a for a in arrays if a.dtype.kind in "fc"}
    finite = [um.isfinite(a).all() for a in different.values()]
    return functools.reduce(um.logical_and, finite) if finite else None


def refuse_infinite(*arrays: ndarray) -> None:
    """Raise ValueError for NaN or infinity, if errors are checked: this waits."""
    _refuse_unless(all_finite(*arrays))


def _refuse_unless(finite: ndarray | None) -> None:
    if finite is not None and not bool(finite):  # one number is read back
        raise ValueError("array must not contain infs or NaNs")


def posv(a: Any, b: Any) -> ndarray:
    """Solve ``a @ x = b`` for Hermitian positive-definite `a`, by Cholesky factorisation."""
    a = square(a)
    b, is_vector = columns_of(b, a.shape[-1], "posv")
    dtype = common_type(a, b)
    a, b = stretch(a, b)
    x = b.astype(dtype, copy=False)
    if x.size:
        factor = column_copy(a, dtype)
        info = lapack_potrf(factor, False)
        x = cholesky_solved(matrix_transposed(factor), x, True)
        x = checked("Matrix is not positive definite", info, x)
    else:
        x = plain_copy(b, dtype)
    return x[..., 0] if is_vector else x


def invh(a) -> ndarray:
    """Invert Hermitian positive-definite matrices by a Cholesky factorization.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian positive-definite matrix, or a stack of them.

    Returns
    -------
    gpunp.ndarray
        Inverses, with the shape of `a`.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite. The check waits for the device; see `gpunp.errstate`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.invh(cp.array([[4.0, 0.0], [0.0, 2.0]]))
    array([[0.25, 0.  ],
           [0.  , 0.5 ]])
    """
    a = square(a)
    return posv(a, identity_like(a, a.shape[-1], common_type(a)))


def gels(a: Any, b: Any) -> ndarray:
    """Solve full-rank least squares by QR: the solution of least norm if there are many."""
    a = matrices(a)
    b, is_vector = columns_of(b, a.shape[-2], "gels")
    dtype = common_type(a, b)
    a, b = stretch(a, b)
    rows, columns = a.shape[-2:]
    if rows >= columns:
        work, x = column_copy(a, dtype), column_copy(b, dtype)
        tau = lapack_geqrf(work)
        lapack_ormqr(work, tau, x, True)
        r = matrix_transposed(work[..., :columns])
        _refuse_zeros(r)
        x, _ = triangle_solved(r, matrix_transposed(x[..., :columns]), False)
    else:
        # The factors of the conjugate transpose: a = R^H Q^H, so R^H y = b and x = Q y.
        work = conjugate(plain_copy(a, dtype))
        tau = lapack_geqrf(work)
        r = matrix_transposed(work[..., :rows])
        _refuse_zeros(r)
        y, _ = triangle_solved(r, b.astype(dtype, copy=False), False, _CONJUGATE)
        tall = empty((*y.shape[:-2], y.shape[-1], columns), dtype)
        tall[..., :rows] = matrix_transposed(y)
        tall[..., rows:] = 0
        lapack_ormqr(work, tau, tall, False)
        x = straight(tall)
    return x[..., 0] if is_vector else x


def _refuse_zeros(r: ndarray) -> None:
    diagonal = r.diagonal(axis1=-2, axis2=-1)
    if diagonal.size:
        check("Matrix does not have full rank", (diagonal == 0).any(axis=-1).astype(np.int32))


@fuse
def _both_hold(finite, flag):
    return finite & (flag == 0)


def refuse_unsolved(a: ndarray, unit: bool, finite: ndarray | None, flag: ndarray | None) -> None:
    """What `refuse_infinite` and `singular_diagonal` refuse, of a system that is being solved: one
    wait, after its launches.
    """
    if unit:
        _refuse_unless(finite)
        return
    if finite is not None:
        if flag is None:
            flag = (a.diagonal(axis1=-2, axis2=-1) == 0).any()
        if bool(_both_hold(finite, flag)):
            return
        _refuse_unless(finite)
    singular_diagonal(a, flag)


def singular_diagonal(a: ndarray, flag: ndarray | None = None) -> None:
    """Raise LinAlgError for a zero on the diagonal of a triangle, if errors are checked; `flag` is
    the one of `triangle_solved`."""
    if linalg_is_checked() and a.size and (flag is None or flag.item()):
        zero = a.diagonal(axis1=-2, axis2=-1) == 0
        if bool(zero.any()):
            at = int(np.argwhere(zero.get())[0][-1])
            raise LinAlgError(f"singular matrix: resolution failed at diagonal {at}")
