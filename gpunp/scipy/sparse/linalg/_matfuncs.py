"""Functions of sparse matrices."""

from operator import index
from typing import Any

import numpy as np

from ...._core._convert import as_array
from ...._core.multiarray import asarray, ndarray, zeros
from ....linalg import matrix_power as dense_power
from ....linalg import norm as dense_norm
from ...linalg import expm as dense_expm
from .._base import issparse
from .._construct import eye_array
from ._dsolve import spsolve
from ._krylov import Basis
from ._norm import norm
from ._system import square_operator

__all__ = ["expm", "funm_multiply_krylov", "inv", "matrix_power"]

DENSE = 2048  # rows up to which an exponential is computed as of a dense matrix
DEGREE, PART = 16, 4  # of the Taylor polynomial, and of the polynomials that it is made of
LARGEST_NORM = 0.78  # at which the remainder of the series, norm**17 / 17!, is below 2**-53 / 2


def inv(A: Any) -> Any:
    """Compute the inverse of a sparse matrix, on the host.

    Parameters
    ----------
    A : sparse matrix
        Square matrix; it is copied to the host.

    Returns
    -------
    sparse matrix
        Inverse, whose elements are mostly not zero.

    Raises
    ------
    RuntimeError
        If the matrix is exactly singular.

    Notes
    -----
    SciPy's SuperLU solves the systems. A solution of one system is cheaper by `spsolve`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.csc_array(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    >>> sparse.linalg.inv(a).toarray()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    if not issparse(A):
        raise TypeError("Input must be a sparse matrix or array")
    if A.format not in ("csc", "csr"):
        A = A.tocsc()
    unit = eye_array(A.shape[0], A.shape[1], dtype=A.dtype, format="csc")
    found = spsolve(A, unit)
    return A._class(A.format)(found if found.ndim == 2 else found.reshape(A.shape))


def matrix_power(A: Any, power: int) -> Any:
    """Raise a square matrix to a power.

    Parameters
    ----------
    A : sparse matrix or ndarray
        Matrix of as many rows as columns.
    power : int
        Exponent, which is not negative.

    Returns
    -------
    sparse matrix or ndarray
        Product of `power` factors `A`, the identity for 0.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[1.0, 1.0], [0.0, 1.0]]))
    >>> sparse.linalg.matrix_power(a, 3).toarray()
    array([[1., 3.],
           [0., 1.]])
    """
    try:
        exponent = index(power)
    except TypeError:
        raise ValueError(f"exponent must be an integer, not {power!r}") from None
    if exponent < 0:
        raise ValueError(f"exponent must be >= 0, not {exponent}")
    A = A if issparse(A) else as_array(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise TypeError(f"A must be a square matrix, not of shape {A.shape}")
    return A._matrix_power(exponent) if issparse(A) else dense_power(as_array(A), exponent)


def expm(A: Any) -> Any:
    """Compute the exponential of a matrix.

    Parameters
    ----------
    A : sparse matrix or ndarray
        Square matrix of any type.

    Returns
    -------
    sparse matrix or ndarray
        Exponential, of the format of `A` where it is csr or csc, otherwise csr. Most of its
        elements are not zero unless `A` consists of small blocks.

    Notes
    -----
    Matrices of up to 2048 rows are computed as dense ones. Larger ones are divided by a power of 2,
    and squares are taken of a Taylor polynomial of degree 16 (Paterson and Stockmeyer, SIAM J.
    Comput. 2, 1973), in sparse products. The norm is read from the device.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.linalg.expm(sparse.csr_array((2, 2))).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    if not issparse(A):
        return dense_expm(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError("expected a square matrix")
    kind = A.format if A.format in ("csr", "csc") else "csr"
    dtype = A.dtype if A.dtype.kind in "fc" else np.dtype("d")
    a = A.asformat(kind).astype(dtype)
    if a.shape[0] <= DENSE:
        return A._class(kind)(dense_expm(a.toarray()))
    size = float(norm(a, 1))
    if not np.isfinite(size):
        raise ValueError("the matrix has elements that are not finite")
    halvings = max(int(np.ceil(np.log2(size / LARGEST_NORM))), 0) if size else 0
    found = _taylor(a * dtype.type(0.5**halvings))
    for _ in range(halvings):
        found = found @ found
    return found


def _taylor(a: Any) -> Any:
    """The Taylor polynomial of the exponential: PART powers, then Horner's rule in the last."""
    factors = 1 / np.cumprod([1.0, *range(1, DEGREE + 1)])
    powers = [eye_array(a.shape[0], dtype=a.dtype, format=a.format), a]
    while len(powers) <= PART:
        powers.append(powers[-1] @ a)
    powers = [a._class(a.format)(power) for power in powers]

    def part(first: int) -> Any:
        found = powers[0] * a.dtype.type(factors[first])
        for k in range(1, PART):
            found = found + powers[k] * a.dtype.type(factors[first + k])
        return found

    found = powers[0] * a.dtype.type(factors[DEGREE])
    for first in range(DEGREE - PART, -1, -PART):
        found = found @ powers[PART] + part(first)
    return found


def funm_multiply_krylov(
    f: Any,
    A: Any,
    b: Any,
    *,
    assume_a: str = "general",
    t: float = 1.0,
    atol: float = 0.0,
    rtol: float = 1e-6,
    restart_every_m: Any = None,
    max_restarts: int = 20,
) -> ndarray:
    """Compute a function of a matrix times a vector, by a restarted Krylov method.

    Parameters
    ----------
    f : callable
        Function of a small dense matrix on the device, such as `gpunp.scipy.linalg.expm`.
    A : sparse matrix, ndarray or LinearOperator
        Square matrix, of floats or complex numbers.
    b : ndarray
        Vector that the function of ``t * A`` is multiplied with.
    assume_a : {'general', 'gen', 'hermitian', 'her'}, optional
        Whether `A` is Hermitian, of which use is made.
    t : float, optional
        Factor of the matrix, 1 by default.
    atol : float, optional
        Norm of a restart's change at which the iteration stops.
    rtol : float, optional
        Norm of a restart's change, relative to that of `b`, at which the iteration stops.
    restart_every_m : int, optional
        Steps between restarts, at most 20 by default.
    max_restarts : int, optional
        Largest number of restarts, 20 by default.

    Returns
    -------
    ndarray
        Product of the function of ``t * A`` and `b`.

    Notes
    -----
    The method of Eiermann and Ernst (SIAM J. Numer. Anal. 44, 2006) as Afanasjew, Eiermann, Ernst
    and Guttel (Linear Algebra Appl. 429, 2008) restart it. It waits for the device once a restart.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.linalg import expm
    >>> from gpunp.scipy.sparse.linalg import funm_multiply_krylov
    >>> funm_multiply_krylov(expm, cp.zeros((2, 2)), cp.array([1.0, 2.0]))
    array([1., 2.])
    """
    operator = square_operator(A)
    _check_function_arguments(assume_a, b, restart_every_m, max_restarts)
    n = operator.shape[0]
    if b.size != n:
        raise ValueError(f"b has {b.size} elements, the matrix {n} rows")
    dtype = np.result_type(operator.dtype, b.dtype, np.float32)
    if dtype.char not in "fdFD":
        raise ValueError(f"data type {dtype} is not float32, float64 or complex")
    m = min(20 if restart_every_m is None else int(restart_every_m), n)
    y, start = zeros(n, dtype), b.astype(dtype)
    limit: Any
    size, limit, small, last = None, None, np.zeros((0, 0), dtype), 0.0
    for _ in range(max_restarts):
        basis = Basis(m, n, dtype)
        basis.put(0, start)
        for k in range(m):
            w = operator.matvec(basis.vectors[k])
            basis.extend(k, w)
        coefficients, lengths = basis.read()
        if size is None:
            size = float(lengths[0])
            limit = max(rtol * size, atol)
            if size == 0:
                return y
        count = _invariant_after(coefficients, lengths)
        small = _extended(small, last, coefficients, lengths, count, assume_a)
        column = asarray(f(asarray(t * small)))[-count:, 0] * size
        change = column.astype(dtype) @ basis.vectors[:count]
        y = y + change
        if count < m or float(dense_norm(change)) <= limit:
            break
        start, last = basis.vectors[m], float(lengths[m])
    return y


def _check_function_arguments(assume_a: Any, b: Any, every: Any, restarts: int) -> None:
    name = "funm_multiply_krylov"
    if assume_a not in ("general", "gen", "hermitian", "her"):
        raise ValueError(f"{name}: {assume_a} is not a recognized matrix structure")
    if b.ndim != 1:
        raise ValueError(f"{name}: argument 'b' must be a 1D array.")
    if every is not None and every <= 0:
        raise ValueError(f"{name}: argument 'restart_every_m' must be positive.")
    if restarts <= 0:
        raise ValueError(f"{name}: argument 'max_restarts' must be positive.")


def _invariant_after(coefficients: Any, lengths: Any) -> int:
    """The number of vectors that span an invariant space, or all."""
    scale = np.abs(np.nan_to_num(coefficients)).max(initial=0)
    ends = np.flatnonzero(~(lengths[1:] > 1e2 * np.finfo(lengths.dtype).eps * scale))
    return int(ends[0]) + 1 if ends.size else coefficients.shape[1]


def _extended(before: Any, last: float, h: Any, lengths: Any, count: int, assume_a: str) -> Any:
    """The Hessenberg matrix of all restarts, with that of the last one."""
    old = before.shape[0]
    out = np.zeros((old + count, old + count), before.dtype)
    out[:old, :old] = before
    block = h[:count, :count].copy()
    places = np.arange(1, count), np.arange(count - 1)
    block[places] = lengths[1:count]
    if assume_a in ("her", "hermitian"):
        block = np.diag(np.diagonal(block).real.astype(block.dtype))
        block[places] = block[places[::-1]] = lengths[1:count]
    out[old:, old:] = block
    if old:
        out[old, old - 1] = last
    return out
