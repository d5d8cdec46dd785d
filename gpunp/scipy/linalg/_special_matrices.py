"""Special matrices, defined by a few parameters."""

import math
import numbers
import operator
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, refuse_text, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import (
    arange,
    broadcast_view,
    concatenate,
    ndarray,
    result_type,
    strided_view,
    zeros,
)

__all__ = [
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "dft",
    "fiedler",
    "fiedler_companion",
    "hadamard",
    "hankel",
    "helmert",
    "hilbert",
    "leslie",
    "toeplitz",
]


def _vector(a: Any) -> ndarray:
    a = as_array(a)
    return a.reshape(1) if a.ndim == 0 else a


def _windows(
    values: ndarray, shape: tuple[int, int], first: int, steps: tuple[int, int]
) -> ndarray:
    """A new array: element (i, j) is ``values[..., first + i * steps[0] + j * steps[1]]``."""
    values = values.copy()
    item = values.itemsize
    strides = (*values.strides[:-1], steps[0] * item, steps[1] * item)
    if not all(shape):
        return zeros((*values.shape[:-1], *shape), values.dtype)
    return strided_view(values[..., first:], (*values.shape[:-1], *shape), strides).copy()


def _joined(c: Any, r: Any) -> tuple[ndarray, ndarray]:
    """Both with one batch shape and one type."""
    c, r = _vector(c), _vector(r)
    batch = np.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    dtype = result_type(c, r)
    return _stretched(c, batch, dtype), _stretched(r, batch, dtype)


def _stretched(x: ndarray, batch: tuple[int, ...], dtype: Any) -> ndarray:
    return broadcast_view(x, (*batch, x.shape[-1])).astype(dtype)


def toeplitz(c, r=None) -> ndarray:
    """Return a Toeplitz matrix, which is constant along its diagonals.

    Parameters
    ----------
    c : array_like, (..., M)
        First column of the matrix.
    r : array_like, (..., N), optional
        First row of the matrix, whose first element is not used. By default the conjugate of `c`.

    Returns
    -------
    gpunp.ndarray, (..., M, N)
        Toeplitz matrix, or a stack of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.toeplitz(cp.array([1, 2, 3]), cp.array([1, 4]))
    array([[1, 4],
           [2, 1],
           [3, 2]])
    """
    c = _vector(c)
    c, r = _joined(c, um.conjugate(c) if r is None else r)
    m, n = c.shape[-1], r.shape[-1]
    values = concatenate([c[..., ::-1], r[..., 1:]], axis=-1)
    return _windows(values, (m, n), m - 1, (-1, 1))


def hankel(c, r=None) -> ndarray:
    """Return a Hankel matrix, which is constant along its antidiagonals.

    Parameters
    ----------
    c : array_like, (..., M)
        First column of the matrix.
    r : array_like, (..., N), optional
        Last row of the matrix, whose first element is not used. By default zeros.

    Returns
    -------
    gpunp.ndarray, (..., M, N)
        Hankel matrix, or a stack of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.hankel(cp.array([1, 2]), cp.array([0, 3, 4]))
    array([[1, 2, 3],
           [2, 3, 4]])
    """
    c = _vector(c)
    c, r = _joined(c, zeros(c.shape, c.dtype) if r is None else r)
    m, n = c.shape[-1], r.shape[-1]
    return _windows(concatenate([c, r[..., 1:]], axis=-1), (m, n), 0, (1, 1))


def circulant(c) -> ndarray:
    """Return a circulant matrix: each column is the previous one, shifted cyclically by one.

    Parameters
    ----------
    c : array_like, (..., N)
        First column of the matrix.

    Returns
    -------
    gpunp.ndarray, (..., N, N)
        Circulant matrix, or a stack of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.circulant(cp.array([1, 2, 3]))
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    c = _vector(c)
    n = c.shape[-1]
    reverse = c[..., ::-1]
    return _windows(concatenate([reverse, reverse[..., :-1]], axis=-1), (n, n), n - 1, (-1, 1))


def _power_of_two(n: Any) -> int:
    """n as an integer, also of a float."""
    if isinstance(n, numbers.Number):
        # Number declares nothing.
        whole = int(n.real) if n == n.real and n.real >= 0 else 0  # type: ignore[attr-defined]
        whole *= abs(whole) < 2**62
    else:
        whole = operator.index(n)
    if whole < 1 or whole & (whole - 1) or whole != n:
        raise ValueError("n must be a positive integer and a power of 2")
    return whole


def hadamard(n, dtype=int) -> ndarray:
    """Return a Hadamard matrix by Sylvester's construction.

    Parameters
    ----------
    n : int
        Order of the matrix, a power of two.
    dtype : data-type, optional
        Type of the result. By default int64.

    Returns
    -------
    gpunp.ndarray, (n, n)
        Matrix of elements 1 and -1.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.hadamard(2)
    array([[ 1,  1],
           [ 1, -1]])
    """
    n = _power_of_two(n)
    # Element (i, j) is negative where i & j has an odd number of ones.
    i = arange(n)
    both = i[:, None] & i
    return (1 - 2 * (um.bitwise_count(both) & 1).astype(np.int64)).astype(dtype)


def leslie(f, s) -> ndarray:
    """Return the Leslie matrix of an age-structured population.

    Parameters
    ----------
    f : array_like, (N,)
        Fecundity coefficients: the first row.
    s : array_like, (N - 1,)
        Survival coefficients: the subdiagonal.

    Returns
    -------
    gpunp.ndarray, (N, N)
        Leslie matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.leslie(cp.array([0.5, 2.0]), cp.array([0.25]))
    array([[0.5 , 2.  ],
           [0.25, 0.  ]])
    """
    f, s = _vector(f), _vector(s)
    if f.shape[-1] != s.shape[-1] + 1:
        raise ValueError(
            "Incorrect lengths for f and s. The length of s must be one less than the length of f"
        )
    if s.shape[-1] == 0:
        raise ValueError("The length of s must be at least 1.")
    n = f.shape[-1]
    batch = np.broadcast_shapes(f.shape[:-1], s.shape[:-1])
    a = zeros((*batch, n, n), result_type(f, s))
    a[..., 0, :] = f
    k = arange(n - 1)
    a[..., k + 1, k] = s
    return a


def block_diag(*arrs) -> ndarray:
    """Return a matrix with the given arrays along its diagonal and zeros elsewhere.

    Parameters
    ----------
    *arrs : array_like
        Blocks of the matrix. A vector is a row; axes before the last two are broadcast.

    Returns
    -------
    gpunp.ndarray
        Matrix of the common dtype of the blocks.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.block_diag(cp.array([1, 2]), cp.array([[3]]))
    array([[1, 2, 0],
           [0, 0, 3]])
    """
    blocks = [as_array(a) for a in arrs] or [zeros((1, 0))]
    blocks = [a.reshape((1,) * max(0, 2 - a.ndim) + a.shape) for a in blocks]
    batch = np.broadcast_shapes(*(a.shape[:-2] for a in blocks))
    shape = (sum(a.shape[-2] for a in blocks), sum(a.shape[-1] for a in blocks))
    result = zeros((*batch, *shape), result_type(*(a.dtype for a in blocks)))
    row = column = 0
    for a in blocks:
        m, n = a.shape[-2:]
        result[..., row : row + m, column : column + n] = a
        row, column = row + m, column + n
    return result


def companion(a) -> ndarray:
    """Return the companion matrix of a polynomial, whose eigenvalues are its roots.

    Parameters
    ----------
    a : array_like, (N,)
        Coefficients, highest power first; the first must be nonzero. The check waits for the
        device.

    Returns
    -------
    gpunp.ndarray, (N - 1, N - 1)
        Companion matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.companion(cp.array([1.0, -10.0, 31.0]))
    array([[ 10., -31.],
           [  1.,   0.]])
    """
    a = _vector(a)
    n = a.shape[-1]
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if bool((a[..., 0] == 0).any()):
        raise ValueError(
            "The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero."
        )
    row = -a[..., 1:] / a[..., :1]
    c = zeros((*a.shape[:-1], n - 1, n - 1), row.dtype)
    c[..., 0, :] = row
    k = arange(n - 2)
    c[..., k + 1, k] = 1
    return c


def helmert(n, full=False) -> ndarray:
    """Return a Helmert matrix, whose rows are orthonormal contrasts.

    Parameters
    ----------
    n : int
        Order of the matrix.
    full : bool, optional
        If True, include the first row, which is constant.

    Returns
    -------
    gpunp.ndarray, (n - 1, n) or (n, n)
        Helmert matrix of type float64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.helmert(2).shape
    (1, 2)
    """
    if isinstance(n, (bool, np.bool_)):
        raise TypeError("n must be an integer, not a bool")
    if n < 0:
        raise ValueError("negative dimensions are not allowed")
    i = arange(n, dtype=np.float64)
    h = um.tri(n, n, -1, np.float64) - um.eye(n, n, 0, np.float64, "C") * i
    size = i * (i + 1)
    h[0] = 1
    size[0] = n
    h = h / um.sqrt(size)[:, None]
    return h if full else h[1:]


def hilbert(n) -> ndarray:
    """Return the Hilbert matrix, whose element (i, j) is ``1 / (i + j + 1)``.

    Parameters
    ----------
    n : int
        Number of rows and of columns.

    Returns
    -------
    ndarray, (n, n)
        Matrix of type float64.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.hilbert(2)[0]
    array([1. , 0.5])
    """
    i = arange(n, dtype=np.float64)
    return 1.0 / (i[:, None] + i + 1.0)


def dft(n, scale=None) -> ndarray:
    """Return the matrix of the discrete Fourier transform.

    Parameters
    ----------
    n : int
        Order of the matrix.
    scale : {None, 'sqrtn', 'n'}, optional
        Divisor of the matrix: 1, the square root of n, or n.

    Returns
    -------
    gpunp.ndarray, (n, n)
        Complex matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.dft(2).real
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {shown(scale)} is not valid.")
    refuse_text(n, "n")
    k = arange(n, dtype=np.int64)
    angle = (k[:, None] * k % n).astype(np.float64) * (-2 * math.pi / max(n, 1))
    m = um.exp(1j * angle)
    return m if scale is None else m / (math.sqrt(n) if scale == "sqrtn" else n)


def fiedler(a) -> ndarray:
    """Return the Fiedler matrix of a list of numbers: their absolute differences.

    Parameters
    ----------
    a : array_like, (..., N)
        Vector of numbers, or a stack of them.

    Returns
    -------
    ndarray, (..., N, N)
        Symmetric matrix, or a stack of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.fiedler(cp.array([1, 4]))
    array([[0, 3],
           [3, 0]])
    """
    a = _vector(a)
    if a.size == 0:
        return zeros(0, np.float64)
    if a.size == 1:
        return zeros((1, 1), a.dtype) if a.ndim == 1 else zeros((*a.shape, 1), a.dtype)
    return um.absolute(a[..., :, None] - a[..., None, :])


@documented_as(companion)
def fiedler_companion(a) -> ndarray:
    """Return Fiedler's companion matrix of a polynomial, which is pentadiagonal.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.fiedler_companion(cp.array([1.0, -3.0, 2.0]))
    array([[ 3., -2.],
           [ 1.,  0.]])
    """
    a = _vector(a)
    rest = a.shape[:-1]
    if a.shape[-1] <= 2:
        one = a.shape[-1] == 2
        # No row of no column for a constant; for no coefficient SciPy has no matrix.
        none = zeros((*rest, *(0,) * (1 + a.shape[-1])), a.dtype)
        return (-a[..., 1:] / a[..., :1])[..., None, :] if one else none
    if bool((a[..., 0] == 0).any()):
        raise ValueError("Leading coefficient is zero.")
    a = a / a[..., :1]
    n = a.shape[-1] - 1
    c = zeros((*rest, n, n), a.dtype)
    # M. Fiedler, "A note on companion matrices", Linear Algebra Appl. 372 (2003).
    c[..., 0, 0] = -a[..., 1]
    c[..., 1, 0] = 1
    for first, column, power in ((0, 1, 2), (2, -1, 1)):  # coefficients next to the diagonal
        k = arange(first, n - max(column, 0), 2)
        c[..., k, k + column] = -a[..., k + power]
    for first, column in ((0, 2), (3, -2)):
        k = arange(first, n - max(column, 0), 2)
        c[..., k, k + column] = 1
    return c


def convolution_matrix(a, n, mode="full") -> ndarray:
    """Return the matrix whose product with a vector of length `n` is its convolution with `a`.

    Parameters
    ----------
    a : array_like, (M,)
        Vector to convolve with.
    n : int
        Number of columns of the matrix.
    mode : {'full', 'valid', 'same'}, optional
        Size of the convolution, as for `gpunp.convolve`.

    Returns
    -------
    gpunp.ndarray, (K, n)
        Matrix of the dtype of `a`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.convolution_matrix(cp.array([1, 2]), 2)
    array([[1, 0],
           [2, 1],
           [0, 2]])
    """
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    a = _vector(a)
    if a.size == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    m = a.shape[-1]
    pad = zeros((*a.shape[:-1], n - 1), a.dtype)
    column = concatenate([a, pad], axis=-1)
    row = concatenate([a[..., :1], pad], axis=-1)
    full = toeplitz(column, row)
    if mode == "full":
        return full
    if mode == "same":
        first = (min(n, m) - 1) // 2
        return full[..., first : first + max(n, m), :].copy()
    first = min(n, m) - 1
    return full[..., first : first + max(n, m) - min(n, m) + 1, :].copy()
