"""Drivers named as LAPACK names them: CuPy's `cupyx.lapack`.

Batches are broadcast; what raises waits for the device (see `gpunp.errstate`).
"""

from ._core._convert import as_array
from ._core.multiarray import ndarray
from .linalg import _triangular
from .linalg._solving import solve

__all__ = ["gels", "gesv", "posv", "potrs"]


def gesv(a, b) -> ndarray:
    """Solve ``a @ x = b`` by LU factorisation with partial pivoting.

    Parameters
    ----------
    a : array_like, (..., M, M)
    b : array_like, (M,) or (..., M, K)

    Returns
    -------
    gpunp.ndarray

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lapack.gesv(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.array([2.0, 2.0]))
    array([1. , 0.5])
    """
    return solve(a, b)


def gels(a, b) -> ndarray:
    """Solve ``a @ x = b`` in the sense of least squares, by QR factorisation.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Of full rank.
    b : array_like, (M,) or (..., M, K)

    Returns
    -------
    gpunp.ndarray
        (N,) or (..., N, K); where M < N, the solution of least norm.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.lapack.gels(cp.array([[1.0], [1.0]]), cp.array([1.0, 3.0]))
    >>> bool(cp.allclose(x, 2.0))
    True
    """
    return _triangular.gels(a, b)


def posv(a, b) -> ndarray:
    """Solve ``a @ x = b`` for Hermitian positive-definite `a`, by Cholesky factorisation.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Its lower triangle is read.
    b : array_like, (M,) or (..., M, K)

    Returns
    -------
    gpunp.ndarray

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lapack.posv(cp.array([[4.0]]), cp.array([8.0]))
    array([2.])
    """
    return _triangular.posv(a, b)


def potrs(L, b, lower) -> ndarray:
    """Solve ``a @ x = b`` with the Cholesky factor of `a`.

    Parameters
    ----------
    L : array_like, (..., M, M)
    b : array_like, (M,) or (..., M, K)
    lower : bool
        Whether L is the lower factor.

    Returns
    -------
    gpunp.ndarray

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.lapack.potrs(cp.array([[2.0]]), cp.array([8.0]), True)
    array([2.])
    """
    return _triangular.cho_solve((as_array(L), lower), b, check_finite=False)
