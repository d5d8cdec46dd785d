"""Solvers under LAPACK's names: CuPy's `cupyx.lapack`.

Batches are broadcast; what raises waits for the device (see `gpunp.errstate`).
"""

from collections.abc import Callable
from typing import Any

from ._core._convert import as_array
from ._core.multiarray import ndarray
from .linalg import _triangular
from .linalg._solving import solve

__all__ = ["gels", "gesv", "posv", "potrs"]


def _by_columns(solver: Callable[..., ndarray], a: Any, b: Any) -> ndarray:
    """Call solver(a, b), where `b` has a matrix or a vector for each matrix of `a`."""
    a, b = as_array(a), as_array(b)
    if a.ndim > 2 and b.shape == a.shape[:-1]:
        return solver(a, b[..., None])[..., 0]
    return solver(a, b)


def gesv(a, b) -> ndarray:
    """Solve ``a @ x = b`` by an LU factorization with partial pivoting.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    b : array_like, (M,) or (..., M, K)
        Right-hand side: a vector, or matrices whose columns are right-hand sides.

    Returns
    -------
    gpunp.ndarray
        Solution, with the shape of `b` after broadcasting.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lapack.gesv(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.array([2.0, 2.0]))
    array([1. , 0.5])
    """
    return solve(a, b)


def gels(a, b) -> ndarray:
    """Solve ``a @ x = b`` in the least-squares sense by a QR factorization.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix of full rank, or a stack of them.
    b : array_like, (M,) or (..., M, K)
        Right-hand side: a vector, or matrices whose columns are right-hand sides.

    Returns
    -------
    gpunp.ndarray
        Solutions, of shape (N,) or (..., N, K); if M < N, those of minimum norm.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.lapack.gels(cp.array([[1.0], [1.0]]), cp.array([1.0, 3.0]))
    >>> bool(cp.allclose(x, 2.0))
    True
    """
    return _triangular.gels(a, b)


def posv(a, b) -> ndarray:
    """Solve ``a @ x = b`` for Hermitian positive-definite `a` by a Cholesky factorization.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian matrix, or a stack of them, of which the lower triangle is read.
    b : array_like, (M,), (..., M) or (..., M, K)
        Right-hand side: a vector, one for each matrix of a stack, or matrices whose columns are
        right-hand sides.

    Returns
    -------
    gpunp.ndarray
        Solution, with the shape of `b` after broadcasting.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lapack.posv(cp.array([[4.0]]), cp.array([8.0]))
    array([2.])
    """
    return _by_columns(_triangular.posv, a, b)


def potrs(L, b, lower) -> ndarray:
    """Solve ``a @ x = b`` with the Cholesky factor of `a`.

    Parameters
    ----------
    L : array_like, (..., M, M)
        Triangular Cholesky factor, or a stack of them.
    b : array_like, (M,), (..., M) or (..., M, K)
        Right-hand side: a vector, one for each matrix of a stack, or matrices whose columns are
        right-hand sides.
    lower : bool
        If True, `L` is the lower factor, otherwise the upper one.

    Returns
    -------
    gpunp.ndarray
        Solution, with the shape of `b` after broadcasting.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lapack.potrs(cp.array([[2.0]]), cp.array([8.0]), True)
    array([2.])
    """
    return _by_columns(
        lambda factor, columns: _triangular.cho_solve((factor, lower), columns, check_finite=False),
        L,
        b,
    )
