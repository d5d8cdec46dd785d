"""Matrix functions, and column-wise products."""

import math
from typing import Any

from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core.multiarray import ndarray, result_type
from ...linalg._solving import solve
from ...linalg._stacks import common_type, square
from ._expm import expm
from ._given import single

__all__ = ["coshm", "cosm", "khatri_rao", "sinhm", "sinm", "tanhm", "tanm"]


def _parts(A: Any) -> tuple[ndarray, ndarray, bool]:
    """exp(iA), exp(-iA) and whether A is real."""
    a = square(single(A))
    a = a.astype(common_type(a), copy=False)
    is_real = a.dtype.kind != "c"
    plus = expm(1j * a)
    return plus, plus if is_real else expm(-1j * a), is_real


def cosm(A) -> ndarray:
    """Compute the cosine of matrices by `expm`.

    Parameters
    ----------
    A : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    ndarray, (..., M, M)
        Values of the function, with the shape of `A`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.cosm(cp.zeros((1, 1)))
    array([[1.]])
    """
    plus, minus, is_real = _parts(A)
    return plus.real.copy() if is_real else 0.5 * (plus + minus)


@documented_as(cosm)
def sinm(A) -> ndarray:
    """Compute the sine of matrices by `expm`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.sinm(cp.zeros((1, 1)))
    array([[0.]])
    """
    plus, minus, is_real = _parts(A)
    return plus.imag.copy() if is_real else -0.5j * (plus - minus)


@documented_as(cosm)
def tanm(A) -> ndarray:
    """Compute the tangent of matrices, by solving with ``cosm(A)`` and ``sinm(A)``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.tanm(cp.zeros((1, 1)))
    array([[0.]])
    """
    return solve(cosm(A), sinm(A))


@documented_as(cosm)
def coshm(A) -> ndarray:
    """Compute the hyperbolic cosine of matrices by `expm`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.coshm(cp.zeros((1, 1)))
    array([[1.]])
    """
    a = single(A)
    return 0.5 * (expm(a) + expm(-a))


@documented_as(cosm)
def sinhm(A) -> ndarray:
    """Compute the hyperbolic sine of matrices by `expm`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.sinhm(cp.zeros((1, 1)))
    array([[0.]])
    """
    a = single(A)
    return 0.5 * (expm(a) - expm(-a))


@documented_as(cosm)
def tanhm(A) -> ndarray:
    """Compute the hyperbolic tangent of matrices, by solving with ``coshm(A)`` and ``sinhm(A)``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.tanhm(cp.zeros((1, 1)))
    array([[0.]])
    """
    return solve(coshm(A), sinhm(A))


def khatri_rao(a, b) -> ndarray:
    """Compute the Khatri-Rao product: Kronecker products of columns.

    Parameters
    ----------
    a : array_like, (..., N, K)
        First matrix, or a stack of them.
    b : array_like, (..., M, K)
        Second matrix, with as many columns.

    Returns
    -------
    gpunp.ndarray, (..., N * M, K)
        Kronecker products, as columns.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.khatri_rao(cp.array([[1, 2]]), cp.array([[3, 4], [5, 6]]))
    array([[ 3,  8],
           [ 5, 12]])
    """
    a, b = as_array(a), as_array(b)
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError("The both arrays should be 2-dimensional.")
    if a.shape[-1] != b.shape[-1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    result = (a[..., :, None, :] * b[..., None, :, :]).astype(result_type(a, b), copy=False)
    rows = math.prod(result.shape[-3:-1])
    return result.reshape((*result.shape[:-3], rows, result.shape[-1]))
