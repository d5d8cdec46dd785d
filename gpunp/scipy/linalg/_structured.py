"""Banded, tridiagonal, Toeplitz and circulant matrices given by their elements."""

import operator
from typing import Any

import numpy as np

from ... import linalg as _nl
from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import concatenate, ndarray, where, zeros
from ..._core.numeric import moveaxis
from ...fft._pocketfft import fft, ifft, irfft, rfft
from ...linalg._stacks import common_type, conjugate
from ...linalg._triangular import linalg_is_checked
from ._banded import MOST_DIAGONALS, factors_of_diagonals
from ._decomp import eigh
from ._given import given, one_by_one
from ._special_matrices import toeplitz

__all__ = [
    "cho_solve_banded",
    "eig_banded",
    "eigh_tridiagonal",
    "eigvals_banded",
    "eigvalsh_tridiagonal",
    "matmul_toeplitz",
    "solve_banded",
    "solve_circulant",
    "solve_toeplitz",
    "solveh_banded",
]

# ---- systems of banded matrices ------------------------------------------------------------------


def _rows_of(ab: ndarray, below: int, above: int, dtype: Any) -> list[ndarray]:
    """Diagonals of a band's form by their elements' rows, the lowest first."""
    n, rows = ab.shape[1], []
    for offset in range(-below, above + 1):
        source = ab[above - offset]
        row = zeros(n, dtype)
        if offset >= 0:
            row[: n - offset] = source[offset:]
        elif n + offset > 0:
            row[-offset:] = source[: n + offset]
        rows.append(row)
    return rows


def _dense(rows: list, below: int, n: int, dtype: Any) -> ndarray:
    a = zeros((n, n), dtype)
    flat = a.reshape(-1)
    for d, row in enumerate(rows):
        offset = d - below
        first, last = max(0, -offset), n - max(0, offset)
        if last > first:
            flat[first * n + first + offset : (last - 1) * n + last + offset : n + 1] = row[
                first:last
            ]
    return a


def _solved(rows: list, below: int, b: ndarray, dtype: Any) -> ndarray:
    """The solution by few diagonals, or by a dense matrix of more than there are kernels for."""
    n = rows[0].size
    sides = b.reshape(n, -1).astype(dtype, copy=False)
    if len(rows) <= MOST_DIAGONALS:
        x = factors_of_diagonals(rows, below, dtype).solve(sides)
        if linalg_is_checked() and not bool(um.isfinite(x).all()):
            raise np.linalg.LinAlgError("singular matrix")
    else:
        x = _nl.solve(_dense(rows, below, n, dtype), sides)
    return x.reshape(b.shape)


def _sides(ab: ndarray, b: ndarray) -> None:
    if ab.ndim != 2:
        raise ValueError(f"the diagonals must be rows of a matrix, not of shape {ab.shape}")
    if b.ndim not in (1, 2) or b.shape[0] != ab.shape[1]:
        raise ValueError("shapes of ab and b are not compatible.")


@one_by_one(ab=2, b=0)
def solve_banded(
    l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True
) -> ndarray:
    """Solve a system of equations with a banded matrix.

    Parameters
    ----------
    l_and_u : pair of int
        Numbers of diagonals below and above the main one.
    ab : array_like, (l + u + 1, N)
        Diagonals: element ``ab[u + i - j, j]`` is that in row i and column j.
    b : array_like, (N,) or (N, K)
        Right-hand sides of the system.
    overwrite_ab, overwrite_b : bool, optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    ndarray, (N,) or (N, K)
        Solutions, of the shape of `b`.

    Raises
    ------
    LinAlgError
        If a solution is not finite. The check waits for the device; see `gpunp.errstate`.

    Notes
    -----
    Up to 17 diagonals are factored by reflections in ``log2(N)`` steps, as stably as by QR; more
    are solved as a dense matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> ab = cp.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
    >>> cp.scipy.linalg.solve_banded((1, 1), ab, cp.array([5.0, 6.0, 5.0])).round(12)
    array([1., 1., 1.])
    """
    below, above = (operator.index(k) for k in l_and_u)
    ab, b = given(check_finite, ab, b)
    _sides(ab, b)
    if ab.shape[0] != below + above + 1:
        raise ValueError(
            f"invalid values for the number of diagonals: l+u+1 ({below}+{above}+1) "
            f"does not equal ab.shape[0] ({ab.shape[0]})"
        )
    dtype = common_type(ab, b)
    if not b.size:
        return b.astype(dtype)
    n = ab.shape[1]
    below, above, ab = min(below, n - 1), min(above, n - 1), ab[max(above - n + 1, 0) :]
    return _solved(_rows_of(ab.astype(dtype, copy=False), below, above, dtype), below, b, dtype)


def _both_sides(ab: ndarray, lower: bool) -> ndarray:
    """Diagonals of a Hermitian matrix of one of its halves."""
    count, n = ab.shape
    full = zeros((2 * count - 1, n), ab.dtype)
    for k in range(count):
        row = ab[k] if lower else ab[count - 1 - k]
        # `row` has the elements of the k-th diagonal from its own beginning or end.
        part = row[: n - k] if lower else row[k:]
        if k < n:
            full[count - 1 + k, : n - k] = part if lower else conjugate(part)
            full[count - 1 - k, k:] = conjugate(part) if lower else part
    return full


@documented_as(solve_banded)
@one_by_one(ab=2, b=0)
def solveh_banded(
    ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True
) -> ndarray:
    """Solve a system of equations with a Hermitian banded matrix.

    Parameters
    ----------
    ab : array_like, (u + 1, N)
        Diagonals of one half: in the upper form ``ab[u + i - j, j]``, in the lower one ``ab[i - j,
        j]`` is the element in row i and column j.
    lower : bool, optional
        If True, `ab` has the lower form.

    Returns
    -------
    ndarray, (N,) or (N, K)
        Solutions, of the shape of `b`.

    Raises
    ------
    LinAlgError
        If a solution is not finite. The check waits for the device; see `gpunp.errstate`.

    Notes
    -----
    Solved as `solve_banded`, so the matrix need not be positive definite.

    Examples
    --------
    >>> import gpunp as cp
    >>> ab = cp.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0]])
    >>> cp.scipy.linalg.solveh_banded(ab, cp.array([5.0, 6.0, 5.0])).round(12)
    array([1., 1., 1.])
    """
    ab, b = given(check_finite, ab, b)
    _sides(ab, b)
    width = ab.shape[0] - 1
    return solve_banded((width, width), _both_sides(ab, lower), b, check_finite=False)


def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True) -> ndarray:
    """Solve a system with the Cholesky factor of a banded matrix.

    Parameters
    ----------
    cb_and_lower : pair of array_like and bool
        The factor of shape (u + 1, N), as `cholesky_banded` returns it, and its form.
    b : array_like, (N,) or (N, K)
        Right-hand sides of the system.
    overwrite_b : bool, optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    ndarray, (N,) or (N, K)
        Solutions, of the shape of `b`.

    Examples
    --------
    >>> import gpunp as cp
    >>> factor = cp.array([[2.0, 4.0]])
    >>> cp.scipy.linalg.cho_solve_banded((factor, True), cp.array([4.0, 16.0]))
    array([1., 1.])
    """
    factor, lower = cb_and_lower
    return _cho_solved(factor, lower, b, check_finite)


@one_by_one(factor=2, b=0)
def _cho_solved(factor: Any, lower: Any, b: Any, check_finite: Any) -> ndarray:
    cb, b = given(check_finite, factor, b)
    _sides(cb, b)
    dtype = common_type(cb, b)
    width = cb.shape[0] - 1
    cb = cb.astype(dtype, copy=False)
    other = zeros(cb.shape, dtype)  # the conjugate transpose, in the other form
    n = cb.shape[1]
    for k in range(min(width + 1, n)):
        if lower:
            other[width - k, k:] = conjugate(cb[k, : n - k])
        else:
            other[k, : n - k] = conjugate(cb[width - k, k:])
    low, high = (cb, other) if lower else (other, cb)
    y = solve_banded((width, 0), low, b, check_finite=False)
    return solve_banded((0, width), high, y, check_finite=False)


# ---- eigenvalues ---------------------------------------------------------------------------------


def _selection(select: Any, select_range: Any) -> dict:
    """Arguments of `eigh` for a part of the eigenvalues."""
    kinds = {"a": 0, "v": 1, "i": 2, "all": 0, "value": 1, "index": 2, 0: 0, 1: 1, 2: 2}
    key = select.lower() if isinstance(select, str) else select
    if key not in kinds:
        raise ValueError("invalid argument for select")
    if kinds[key] == 0:
        return {}
    is_pair = hasattr(type(select_range), "__len__") and getattr(select_range, "ndim", 1) == 1
    if not is_pair or len(select_range) != 2:
        raise ValueError("select_range must be a 2-element array-like in nondecreasing order")
    dtype = getattr(select_range, "dtype", None) or as_host(select_range).dtype
    if kinds[key] == 2 and dtype.kind not in "iu":
        raise ValueError("when using select='i', select_range must contain integers")
    low, high = select_range
    if not low <= high:
        raise ValueError("select_range must be a 2-element array-like in nondecreasing order")
    return {"subset_by_value" if kinds[key] == 1 else "subset_by_index": (low, high)}


@one_by_one(a_band=2)
def eig_banded(
    a_band,
    lower=False,
    eigvals_only=False,
    overwrite_a_band=False,
    select="a",
    select_range=None,
    max_ev=0,
    check_finite=True,
) -> Any:
    """Compute eigenvalues and eigenvectors of a Hermitian banded matrix.

    Parameters
    ----------
    a_band : array_like, (u + 1, N)
        Diagonals of one half, as `solveh_banded` takes them.
    lower : bool, optional
        If True, `a_band` has the lower form.
    eigvals_only : bool, optional
        If True, eigenvectors are not computed.
    overwrite_a_band, max_ev : optional
        Accepted for compatibility with SciPy and ignored.
    select : {'a', 'v', 'i'}, optional
        Which eigenvalues are returned: all, those in an interval, those of some indices.
    select_range : pair, optional
        The interval ``(low, high]``, or the first and the last index.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    w : ndarray
        Real eigenvalues, in ascending order.
    v : ndarray
        Eigenvectors as columns, unless `eigvals_only` is True.

    Notes
    -----
    Computed as those of a dense matrix of N^2 elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eig_banded(cp.array([[0.0, 1.0], [2.0, 2.0]]), eigvals_only=True)
    array([1., 3.])
    """
    (a,) = given(check_finite, a_band)
    if a.ndim != 2:
        raise ValueError("expected a 2-D array")
    a = a.astype(common_type(a), copy=False)
    if not a.size:
        return eigh(zeros((0, 0), a.dtype), eigvals_only=eigvals_only)
    part = _selection(select, select_range)
    width, n = a.shape[0] - 1, a.shape[1]
    rows = _rows_of(_both_sides(a, lower), width, width, a.dtype)
    dense = _dense(rows, width, n, a.dtype)
    return eigh(dense, eigvals_only=eigvals_only, check_finite=False, **part)


@documented_as(eig_banded)
def eigvals_banded(
    a_band,
    lower=False,
    overwrite_a_band=False,
    select="a",
    select_range=None,
    check_finite=True,
) -> ndarray:
    """Compute the eigenvalues of a Hermitian banded matrix; see `eig_banded`.

    Parameters
    ----------
    overwrite_a_band : bool, optional
        Accepted for compatibility with SciPy and ignored.

    Returns
    -------
    ndarray
        Real eigenvalues, in ascending order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eigvals_banded(cp.array([[0.0, 1.0], [2.0, 2.0]]))
    array([1., 3.])
    """
    return eig_banded(
        a_band, lower, True, select=select, select_range=select_range, check_finite=check_finite
    )


_DRIVERS = ("auto", "stemr", "sterf", "stebz", "stev", "stevd")
_OF_ALL = ("sterf", "stev", "stevd")  # those that find all eigenvalues


def _check_driver(driver: Any, wants_all: bool, only_values: bool) -> None:
    if not isinstance(driver, str):
        raise TypeError(f"lapack_driver must be a string, not {shown(driver)}")
    if driver not in _DRIVERS:
        raise ValueError(f"lapack_driver must be one of {_DRIVERS}, not {shown(driver)}")
    if driver in _OF_ALL and not wants_all:
        raise ValueError(f'{driver} can only be used when select == "a"')
    if driver == "sterf" and not only_values:
        raise ValueError("sterf can only be used when eigvals_only is True")


@documented_as(eig_banded)
@one_by_one(d=1, e=1)
def eigh_tridiagonal(
    d,
    e,
    eigvals_only=False,
    select="a",
    select_range=None,
    check_finite=True,
    tol=0.0,
    lapack_driver="auto",
) -> Any:
    """Compute eigenvalues and eigenvectors of a real symmetric tridiagonal matrix.

    Parameters
    ----------
    d : array_like, (N,)
        Diagonal of the matrix, real.
    e : array_like, (N - 1,)
        Elements beside the diagonal, real.
    tol : float, optional
        Accepted for compatibility with SciPy and ignored.
    lapack_driver : {'auto', 'stemr', 'stebz', 'sterf', 'stev', 'stevd'}, optional
        Method of LAPACK; it must suit the other arguments and is not used.

    Returns
    -------
    w : ndarray
        Real eigenvalues, in ascending order.
    v : ndarray
        Eigenvectors as columns, unless `eigvals_only` is True.

    Notes
    -----
    Computed as those of a dense matrix of N^2 elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eigh_tridiagonal(cp.array([2.0, 2.0]), cp.array([1.0]), eigvals_only=True)
    array([1., 3.])
    """
    d, e = given(check_finite, d, e)
    for name, x in (("d", d), ("e", e)):
        if x.ndim != 1:
            raise ValueError("expected a 1-D array")
        if x.dtype.kind not in "biuf":
            raise TypeError(f"Only real arrays currently supported, {name} is {x.dtype}")
    if d.size != e.size + 1:
        raise ValueError(f"d ({d.size}) must have one more element than e ({e.size})")
    _check_driver(lapack_driver, not _selection(select, select_range), bool(eigvals_only))
    band = zeros((2, d.size), common_type(d, e))
    band[0], band[1, : e.size] = d, e
    return eig_banded(
        band, True, eigvals_only, select=select, select_range=select_range, check_finite=False
    )


@documented_as(eigh_tridiagonal)
def eigvalsh_tridiagonal(
    d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"
) -> ndarray:
    """Compute the eigenvalues of a real symmetric tridiagonal matrix; see `eigh_tridiagonal`.

    Returns
    -------
    ndarray
        Real eigenvalues, in ascending order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eigvalsh_tridiagonal(cp.array([2.0, 2.0]), cp.array([1.0]))
    array([1., 3.])
    """
    return eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)


# ---- Toeplitz and circulant matrices -------------------------------------------------------------


def _column_and_row(c_or_cr: Any, check_finite: bool) -> tuple[ndarray, ndarray]:
    parts = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr,)
    c, *rows = (x if x.ndim else x.reshape(1) for x in given(check_finite, *parts))
    (r,) = rows or (conjugate(c),)
    return c, r


def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None) -> ndarray:
    """Multiply by a Toeplitz matrix, by Fourier transforms.

    Parameters
    ----------
    c_or_cr : array_like or tuple of two
        First column of the matrix, or its first column and its first row.
    x : array_like, (N,) or (N, K)
        Vector, or matrix, that is multiplied.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    workers : None, optional
        Accepted for compatibility with SciPy and ignored.

    Returns
    -------
    ndarray, (M,) or (M, K)
        Product of the matrix and `x`.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.matmul_toeplitz(cp.array([1.0, 2.0]), cp.array([1.0, 1.0])).round(12)
    array([3., 3.])
    """
    return _toeplitz_product(*_column_and_row(c_or_cr, check_finite), *given(check_finite, x))


@one_by_one(c=1, r=1, x=0)
def _toeplitz_product(c: ndarray, r: ndarray, x: ndarray) -> ndarray:
    if x.ndim not in (1, 2) or x.shape[0] != r.size:
        raise ValueError(f"Incompatible dimensions: {c.size} x {r.size}, {x.shape}")
    m, n = c.size, r.size
    dtype = common_type(c, r, x)
    if not x.size or not m:
        return zeros((m, *x.shape[1:]), dtype)
    whole = concatenate((c, r[:0:-1])).astype(dtype)
    columns = x.reshape(n, -1).astype(dtype, copy=False)
    length = m + n - 1
    if dtype.kind == "c":
        product = ifft(fft(whole)[:, None] * fft(columns, length, axis=0), axis=0)
    else:
        product = irfft(rfft(whole)[:, None] * rfft(columns, length, axis=0), length, axis=0)
    return product[:m].astype(dtype, copy=False).reshape(m, *x.shape[1:])


@documented_as(matmul_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True) -> ndarray:
    """Solve a system of equations with a Toeplitz matrix.

    Parameters
    ----------
    b : array_like, (N,) or (N, K)
        Right-hand sides of the system.

    Returns
    -------
    ndarray, (N,) or (N, K)
        Solutions, of the shape of `b`.

    Raises
    ------
    LinAlgError
        If the matrix is singular. The check waits for the device; see `gpunp.errstate`.

    Notes
    -----
    Solved as a dense matrix with pivots, not by Levinson's recursion, which is a chain of N steps
    and fails where a leading part is singular.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve_toeplitz(cp.array([2.0, 1.0]), cp.array([3.0, 3.0])).round(12)
    array([1., 1.])
    """
    return _toeplitz_solved(*_column_and_row(c_or_cr, check_finite), *given(check_finite, b))


@one_by_one(c=1, r=1, b=0)
def _toeplitz_solved(c: ndarray, r: ndarray, b: ndarray) -> ndarray:
    if c.size != r.size or b.ndim < 1 or b.shape[0] != c.size:
        raise ValueError("Incompatible dimensions.")
    dtype = common_type(c, r, b)
    dtype = np.dtype(np.complex128 if dtype.kind == "c" else np.float64)
    if not b.size:
        return b.astype(dtype)
    matrix = toeplitz(c.astype(dtype), r.astype(dtype))
    return _nl.solve(matrix, b.reshape(c.size, -1).astype(dtype)).reshape(b.shape)


def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0) -> ndarray:
    """Solve systems of equations with circulant matrices, by Fourier transforms.

    Parameters
    ----------
    c : array_like
        First columns of the matrices, along one axis.
    b : array_like
        Right-hand sides, along one axis; the other axes are broadcast against those of `c`.
    singular : {'raise', 'lstsq'}, optional
        What is done for a matrix that is nearly singular: raise LinAlgError, or solve by least
        squares.
    tol : float, optional
        Size of an eigenvalue below which a matrix is nearly singular: by default the largest one
        times N units of rounding.
    caxis, baxis, outaxis : int, optional
        Axes of `c`, of `b` and of the result.

    Returns
    -------
    ndarray
        Solutions of the systems.

    Raises
    ------
    LinAlgError
        If a matrix is nearly singular and `singular` is 'raise'. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve_circulant(cp.array([2.0, 1.0, 0.0]), cp.array([3.0, 3, 3])).round(12)
    array([1., 1., 1.])
    """
    c, b = as_array(c), as_array(b)
    c, b = (x.reshape(1) if x.ndim == 0 else x for x in (c, b))
    n = c.shape[caxis]
    if n != b.shape[baxis]:
        raise ValueError(f"Shapes of c {c.shape} and b {b.shape} are incompatible")
    if n == 0:
        one = zeros(1, c.dtype) + c.dtype.type(1)
        return zeros(b.shape, solve_circulant(one, zeros(1, b.dtype)).dtype)
    is_real = c.dtype.kind != "c" and b.dtype.kind != "c"
    values = fft(moveaxis(c, caxis, -1), axis=-1)
    sizes = um.absolute(values)
    if tol is None:
        limit = sizes.max(axis=-1) * n * np.finfo(np.float64).eps
    else:
        limit = zeros(sizes.shape[:-1]) + tol
    near = sizes <= limit[..., None]
    is_near = bool(near.any())
    if is_near and singular == "raise":
        raise np.linalg.LinAlgError("near singular circulant matrix.")
    if is_near:
        values = where(near, 1, values)
    q = fft(moveaxis(b, baxis, -1), axis=-1) / values
    if is_near:
        q = where(near & (q == q), 0, q)
    x = ifft(q, axis=-1)
    x = x.real if is_real else x
    return moveaxis(x, -1, outaxis)
