"""Matrix functions, and column-wise products."""

import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, ndarray, result_type, where
from ..._core.reductions import amax
from ..._core.reductions import sum as _sum
from ..._core.umath import matmul
from ...linalg._solving import solve
from ...linalg._stacks import common_type, identity_like, real_type, square

__all__ = ["coshm", "cosm", "expm", "khatri_rao", "sinhm", "sinm", "tanhm", "tanm"]

# Pade approximants of exp, the norm up to which each is exact: in double precision N. J. Higham,
# "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal.
# Appl. 26 (2005), table 2.3; in single precision the same bound, theta of unit roundoff 2^-24.
_BOUNDS = {
    np.dtype("f8"): {
        3: 1.495585217958292e-2,
        5: 2.539398330063230e-1,
        7: 9.504178996162932e-1,
        9: 2.097847961257068,
        13: 5.371920351148152,
    },
    np.dtype("f4"): {
        3: 4.258730016922831e-1,
        5: 1.880152677804762,
        7: 3.925724783138660,
    },
}


def expm(A) -> ndarray:
    """Compute the matrix exponential by scaling and squaring with Pade approximants.

    Parameters
    ----------
    A : array_like, (..., N, N)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    gpunp.ndarray
        Exponentials, with the shape of `A`.

    Notes
    -----
    The norms determine the number of squarings; they are read back, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.expm(cp.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    a = as_array(A)
    a = a.reshape(1, 1) if a.ndim == 0 else a
    if a.ndim < 2:
        raise np.linalg.LinAlgError("The input array must be at least two-dimensional")
    a = square(a)
    a = a.astype(common_type(a), copy=False)
    if not a.size:
        return a.copy()
    norms = amax(_sum(um.absolute(a), axis=-2), axis=-1).get().astype(np.float64)
    norms = np.where(np.isfinite(norms), norms, 0.0)
    real = np.dtype(real_type(a.dtype))
    bounds = _BOUNDS[real]
    # One order for a stack: the lowest that its largest norm allows, or the highest, scaled.
    largest = norms.max(initial=0)
    order = next((m for m, bound in bounds.items() if largest <= bound), max(bounds))
    ratio = np.maximum(norms / bounds[order], 1.0)
    times = np.ceil(np.log2(ratio)).astype(np.int64)
    x = a if not times.any() else a * array(np.exp2(-times).astype(real))[..., None, None]
    x = _pade(x, order)
    for i in range(int(times.max(initial=0))):
        squared = matmul(x, x)
        x = squared if times.ndim == 0 else where(array(times > i)[..., None, None], squared, x)
    return x


def _coefficients(order: int) -> list[float]:
    """Of the numerator of exp's diagonal Pade approximant, from x^0 on, the last being 1."""
    f = math.factorial
    # Coefficients are integers: b_k = (2m - k)! / (m - k)! / k!, divided by the last one, m!.
    return [float(f(2 * order - k) // (f(order - k) * f(k))) for k in range(order + 1)]


def _pade(a: ndarray, order: int) -> ndarray:
    b = [a.dtype.type(c) for c in _coefficients(order)]
    one = identity_like(a, a.shape[-1], a.dtype)
    a2 = matmul(a, a)
    if order < 13:
        power, odd, even = a2, b[1] * one + b[3] * a2, b[0] * one + b[2] * a2
        for k in range(4, order, 2):
            power = matmul(power, a2)
            even, odd = even + b[k] * power, odd + b[k + 1] * power
        odd = matmul(a, odd)
        return solve(even - odd, even + odd)
    a4 = matmul(a2, a2)
    a6 = matmul(a4, a2)
    odd = matmul(a6, b[13] * a6 + b[11] * a4 + b[9] * a2)
    odd = matmul(a, odd + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = matmul(a6, b[12] * a6 + b[10] * a4 + b[8] * a2)
    even = even + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    return solve(even - odd, even + odd)


def _parts(A: Any) -> tuple[ndarray, ndarray, bool]:
    """exp(iA), exp(-iA) and whether A is real."""
    a = square(as_array(A))
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
    a = as_array(A)
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
    a = as_array(A)
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
