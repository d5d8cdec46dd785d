"""LU factorization under SciPy's names."""

from typing import Any

import numpy as np

from ..._core._convert import as_array
from ..._core.lapack import lapack_getrf, lapack_order
from ..._core.multiarray import arange, broadcast_view, ndarray, take_along
from ...linalg._stacks import (
    column_copy,
    common_type,
    matrices,
    matrix_transposed,
    straight,
    triangle,
)
from ...linalg._triangular import columns_of, refuse_infinite, stretch, triangle_solved
from ._given import single

__all__ = ["lu", "lu_factor", "lu_solve"]


def _factor(a: Any, check_finite: bool) -> tuple[ndarray, ndarray]:
    """A stack with both factors, and pivots that count from 1."""
    a = matrices(single(a))
    if check_finite:
        refuse_infinite(a)
    work = column_copy(a, common_type(a))
    pivots, _ = lapack_getrf(work)
    return work, pivots


def lu_factor(a, overwrite_a=False, check_finite=True) -> tuple[ndarray, ndarray]:
    """Compute the LU factorization with partial pivoting, both factors in one matrix.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    lu : gpunp.ndarray, (..., M, N)
        U, and below its diagonal L without its unit diagonal.
    piv : gpunp.ndarray of int32, (..., min(M, N))
        Row i was exchanged with row ``piv[i]``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.lu_factor(cp.array([[1.0, 2.0], [2.0, 2.0]]))[1]
    array([1, 1], dtype=int32)
    """
    work, pivots = _factor(a, check_finite)
    return straight(work), (pivots - 1).astype(np.int32)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True) -> ndarray:
    """Solve ``a @ x = b`` with the result of `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple of gpunp.ndarray
        Factors and pivots returned by `lu_factor`.
    b : array_like, (M,) or (..., M, K)
        Right-hand side: a vector, or matrices whose columns are right-hand sides.
    trans : {0, 1, 2}, optional
        Operation: 1 solves ``a.T @ x = b``; 2 solves ``a.conj().T @ x = b``.
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
    >>> factors = cp.scipy.linalg.lu_factor(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    >>> cp.scipy.linalg.lu_solve(factors, cp.array([2.0, 2.0]))
    array([1. , 0.5])
    """
    lu, pivots = lu_and_piv
    lu, pivots = matrices(single(lu)), as_array(pivots)
    if trans not in (0, 1, 2):
        raise ValueError("illegal value in 4th argument of internal gesv|posv")
    if lu.shape[-1] != lu.shape[-2]:
        raise ValueError("expected square matrix")
    b, is_vector = columns_of(b, lu.shape[-1], "lu_solve")
    if check_finite:
        refuse_infinite(b)
    dtype = common_type(lu, b)
    lu, b = stretch(lu, b)
    x = _by_factors(
        lu.astype(dtype, copy=False),
        _from_one(pivots, lu.shape[:-1]),
        b.astype(dtype, copy=False),
        trans,
    )
    return x[..., 0] if is_vector else x


def _from_one(pivots: ndarray, shape: tuple[int, ...]) -> ndarray:
    """Pivots as the solvers count them, for each matrix of a stack."""
    pivots = pivots.astype(np.int32, copy=False) + 1
    return pivots if pivots.shape == shape else broadcast_view(pivots, shape).copy()


def _by_factors(lu: ndarray, pivots: ndarray, b: ndarray, trans: int) -> ndarray:
    """x of op(a) x = b where a = P L U."""
    order, inverse = lapack_order(pivots, lu.shape[-1])
    if trans:
        x, _ = triangle_solved(lu, b, False, trans)
        x, _ = triangle_solved(lu, x, True, trans, True)
        return take_along(x, inverse[..., None], -2)
    x, _ = triangle_solved(lu, take_along(b, order[..., None], -2), True, 0, True)
    return triangle_solved(lu, x, False)[0]


def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False) -> Any:
    """Compute the LU factorization with partial pivoting: ``a = p @ l @ u``.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    permute_l : bool, optional
        If True, return ``p @ l`` and u only.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    p_indices : bool, optional
        If True, return the permutation as indices: ``a = l[p] @ u``.

    Returns
    -------
    tuple of gpunp.ndarray
        Factors p, l and u, or those that `permute_l` and `p_indices` select.

    Examples
    --------
    >>> import gpunp as cp
    >>> p, l, u = cp.scipy.linalg.lu(cp.array([[0.0, 2.0], [1.0, 3.0]]))
    >>> p @ l @ u
    array([[0., 2.],
           [1., 3.]])
    """
    work, pivots = _factor(a, check_finite)
    rows, columns = work.shape[-1], work.shape[-2]
    least = min(rows, columns)
    both = matrix_transposed(work)
    upper = triangle(both[..., :least, :], True)
    lower = triangle(both[..., :, :least], False, -1)
    k = arange(least)
    lower[..., k, k] = 1
    order, back = lapack_order(pivots, rows)
    if permute_l:
        return take_along(lower, back[..., None], -2), upper
    if p_indices:
        return back.astype(np.int32), lower, upper
    p = order[..., None, :] == arange(rows)[:, None]
    return p.astype(work.real.dtype), lower, upper
