"""Solvers, inverses and factorizations under SciPy's names and signatures.

`overwrite_*` arguments are accepted for compatibility: inputs are never overwritten. `check_finite`
checks for NaN and infinity, which waits for the device; ``errstate(linalg='ignore')`` disables it.
"""

from typing import Any

import numpy as np

from ... import linalg as _nl
from ..._core import umath as um
from ..._core._convert import as_array, shown
from ..._core._docstrings import documented_as
from ..._core.lapack import lapack_potrf
from ..._core.multiarray import ndarray
from ..._core.raw import ReductionKernel
from ...linalg._stacks import (
    checked,
    common_type,
    conjugate,
    matrix_transposed,
    plain_copy,
    square,
    triangle,
)
from ...linalg._triangular import (
    all_finite,
    columns_of,
    posv,
    refuse_infinite,
    refuse_unsolved,
    singular_diagonal,
    stretch,
    triangle_solved,
)
from ._given import given, one_by_one

__all__ = [
    "bandwidth",
    "cho_factor",
    "cholesky",
    "det",
    "inv",
    "ishermitian",
    "issymmetric",
    "lstsq",
    "norm",
    "pinv",
    "pinvh",
    "solve",
    "solve_triangular",
]


_TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def solve_triangular(
    a,
    b,
    trans=0,
    lower=False,
    unit_diagonal=False,
    overwrite_b=False,
    check_finite=True,
) -> ndarray:
    """Solve ``a @ x = b`` for triangular `a`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Triangular matrix, or a stack of them, of which one triangle is read.
    b : array_like, (M,) or (..., M, K)
        Right-hand side: a vector, or matrices whose columns are right-hand sides.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Operation: 1 and 'T' solve ``a.T @ x = b``; 2 and 'C' solve ``a.conj().T @ x = b``.
    lower : bool, optional
        If True, the lower triangle is used, otherwise the upper one.
    unit_diagonal : bool, optional
        If True, the diagonal is taken to be ones and is not read.
    overwrite_b : bool, optional
        Accepted for compatibility with SciPy; `b` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    gpunp.ndarray
        Solution, with the shape of `b` after broadcasting.

    Raises
    ------
    LinAlgError
        If there is a zero on the diagonal. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve_triangular(cp.array([[2.0, 1.0], [0.0, 4.0]]), cp.array([3.0, 4.0]))
    array([1., 1.])
    """
    a, b = given(False, a, b)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("expected square matrix")
    finite = all_finite(a, b) if check_finite else None
    b, is_vector = columns_of(b, a.shape[-1], "solve_triangular")
    if trans not in _TRANS:
        raise ValueError(f"trans must be 0, 1, 2, 'N', 'T' or 'C', not {shown(trans)}")
    dtype = common_type(a, b)
    whole, b = stretch(a, b)
    x, flag = triangle_solved(
        whole, b.astype(dtype, copy=False), bool(lower), _TRANS[trans], bool(unit_diagonal)
    )
    refuse_unsolved(a, bool(unit_diagonal), finite, flag)
    return x[..., 0] if is_vector else x


_KINDS = {
    None: "general",
    "gen": "general",
    "general": "general",
    "sym": "symmetric",
    "symmetric": "symmetric",
    "her": "hermitian",
    "hermitian": "hermitian",
    "pos": "positive",
    "positive definite": "positive",
    "upper triangular": "upper",
    "lower triangular": "lower",
    "diagonal": "diagonal",
    "tridiagonal": "tridiagonal",
    "banded": "general",
}


def _filled(a: ndarray, kind: str, lower: bool) -> ndarray:
    """A full matrix from one triangle of a symmetric or Hermitian one."""
    near = triangle(a, not lower)
    far = matrix_transposed(triangle(a, not lower, -1 if lower else 1))
    return near + (conjugate(far) if kind != "symmetric" else far)


def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
) -> ndarray:
    """Solve ``a @ x = b`` for square `a`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    b : array_like, (M,) or (..., M, K)
        Right-hand side: a vector, or matrices whose columns are right-hand sides.
    lower : bool, optional
        If True, the lower triangle is read where `assume_a` needs only one, otherwise the upper
        one.
    overwrite_a, overwrite_b : bool, optional
        Accepted for compatibility with SciPy; the inputs are never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    assume_a : str, optional
        Structure of `a`: 'general' (the default, by LU), 'symmetric', 'hermitian', 'positive
        definite' (Cholesky), 'upper triangular', 'lower triangular', 'diagonal', 'tridiagonal',
        'banded' (by LU as well), or SciPy's short forms.
    transposed : bool, optional
        If True, solve ``a.T @ x = b``.

    Returns
    -------
    gpunp.ndarray
        Solution, with the shape of `b` after broadcasting.

    Notes
    -----
    Unlike in SciPy, the structure of `a` is not detected, and there is no warning for an
    ill-conditioned matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.array([2.0, 2.0]))
    array([1. , 0.5])
    """
    a, b = given(check_finite, a, b)
    a = a.reshape((1,) * (2 - a.ndim) + a.shape) if a.ndim < 2 else a
    if a.shape[-1] != a.shape[-2]:
        raise ValueError("Input a needs to be a square matrix.")
    if a.shape == (1, 1) and b.ndim < 2:  # any number of right-hand sides
        b = b.reshape(1, -1)
        return solve(a, b, lower=lower, check_finite=False, assume_a=assume_a).reshape(-1)
    if assume_a not in _KINDS:
        raise ValueError(f"{shown(assume_a)} is not a recognized matrix structure")
    kind = _KINDS[assume_a]
    columns_of(b, a.shape[-1], "solve")
    if kind in ("upper", "lower"):
        return solve_triangular(a, b, int(transposed), kind == "lower", check_finite=False)
    if kind == "diagonal":
        singular_diagonal(a)
        d = a.diagonal(axis1=-2, axis2=-1)
        return b / (d if b.ndim == 1 else d[..., None])
    if kind == "positive":
        a = a if lower else conjugate(matrix_transposed(a))
        return posv(conjugate(a) if transposed else a, b)
    if kind in ("symmetric", "hermitian"):
        a = _filled(a, kind, lower)
    if kind == "tridiagonal":  # elements elsewhere are ignored
        a = triangle(triangle(a, True, -1), False, 1)
    return _nl.solve(matrix_transposed(a) if transposed else a, b)


def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False) -> ndarray:
    """Invert square matrices; see `gpunp.linalg.inv`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    assume_a, lower : optional
        Structure of `a`, as for `solve`.

    Returns
    -------
    ndarray, (..., M, M)
        Inverses of the matrices.

    Raises
    ------
    LinAlgError
        If a matrix is singular. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.inv(cp.array([[2.0]]))
    array([[0.5]])
    """
    (a,) = given(check_finite, a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("Expected a square matrix")
    if _KINDS.get(assume_a, "") == "general":
        return _nl.inv(a)
    n = a.shape[-1]
    one = um.eye(n, n, 0, common_type(a), "C")
    return solve(a, one, lower, check_finite=False, assume_a=assume_a)


def det(a, overwrite_a=False, check_finite=True) -> ndarray:
    """Compute determinants; see `gpunp.linalg.det`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    ndarray, (...)
        Determinants of the matrices.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.det(cp.array([[2.0, 0.0], [0.0, 3.0]]))
    array(6.)
    """
    found = _nl.det(*given(check_finite, a))
    return found.astype(np.result_type(found.dtype, np.float64), copy=False)


# Squares of large, of ordinary and of small parts have a sum each, the first and the last of parts
# that are scaled by powers of two so that squares neither overflow nor underflow: J. L. Blue, "A
# portable Fortran program to find the Euclidean norm of a vector" (1978). NaN is an ordinary part.
_BLUE = """
struct scaled_squares {
    double large, ordinary, small;
};
__device__ inline scaled_squares operator+(const scaled_squares &a, const scaled_squares &b)
{
    return scaled_squares{a.large + b.large, a.ordinary + b.ordinary, a.small + b.small};
}
__device__ inline scaled_squares squares(double x)
{
    const double size = fabs(x), down = x * 0x1p-538, up = x * 0x1p+537;
    return size > 0x1p+486 ? scaled_squares{down * down, 0, 0}
           : size < 0x1p-511 ? scaled_squares{0, 0, up * up} : scaled_squares{0, x * x, 0};
}
template <class R> __device__ inline scaled_squares squares(const complex<R> &x)
{
    return squares((double)x.real()) + squares((double)x.imag());
}
__device__ inline double root(const scaled_squares &a)
{
    if (a.large > 0) return sqrt(a.large + (a.ordinary * 0x1p-538) * 0x1p-538) * 0x1p+538;
    return a.small > 0 && a.ordinary < 0x1p-900
        ? sqrt(a.small + (a.ordinary * 0x1p+537) * 0x1p+537) * 0x1p-537 : sqrt(a.ordinary);
}
"""
_EUCLIDEAN = {
    kind: ReductionKernel(
        "T x",
        f"{name} y",
        "squares(x)",
        "a + b",
        "y = root(a)",
        "scaled_squares{0, 0, 0}",
        "euclidean_norm",
        reduce_type="scaled_squares",
        preamble=_BLUE,
    )
    for kind, name in zip("fdFD", ("float32", "float64") * 2, strict=True)
}


def norm(a, ord=None, axis=None, keepdims=False, check_finite=True) -> ndarray:
    """Compute a matrix or vector norm; see `gpunp.linalg.norm`.

    The Euclidean norm of an array of one dimension does not overflow where squares do.

    Parameters
    ----------
    a : array_like
        Array of vectors or matrices.
    ord : number or str, optional
        Order of the norm, as for `gpunp.linalg.norm`.
    axis : int or pair of int, optional
        Axis of the vectors, or the two axes of the matrices.
    keepdims : bool, optional
        If True, these axes are kept with size one, so that the result broadcasts against the input.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    ndarray
        Real norms.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.norm(cp.array([3.0, 4.0]))
    array(5.)
    """
    a = as_array(a)
    if check_finite:
        refuse_infinite(a)
    is_euclidean = ord is None or (isinstance(ord, (int, float, np.number)) and ord == 2)
    kernel = _EUCLIDEAN.get(a.dtype.char) if a.ndim == 1 and a.size and is_euclidean else None
    if kernel and axis is None and not keepdims:
        return kernel(a)
    return _nl.norm(a, ord, axis, keepdims)


@one_by_one(a=2, b=0)
def lstsq(
    a,
    b,
    cond=None,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    lapack_driver=None,
) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Compute the least-squares solution of ``a @ x = b``; see `gpunp.linalg.lstsq`.

    Parameters
    ----------
    a : array_like, (M, N)
        Matrix whose shape is (M, N).
    b : array_like, (M,) or (M, K)
        Right-hand side: a vector, or a matrix whose columns are right-hand sides.
    cond : float, optional
        Relative cutoff for small singular values. By default eps.
    overwrite_a, overwrite_b, lapack_driver : optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    tuple of gpunp.ndarray
        Solution, residuals, rank and singular values.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.scipy.linalg.lstsq(cp.array([[1.0], [1.0]]), cp.array([1.0, 3.0]))[0]
    >>> bool(cp.allclose(x, 2.0))
    True
    """
    a, b = given(check_finite, a, b)
    x, residuals, rank, s = _nl.lstsq(a, b, -1 if cond is None else cond)
    if b.ndim == 1 and residuals.size:
        residuals = residuals[0]
    return x, residuals, rank, s


def pinv(a, *, atol=None, rtol=None, return_rank=False, check_finite=True) -> Any:
    """Compute the pseudo-inverse of matrices by singular values.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    atol, rtol : float, optional
        Absolute and relative tolerance: singular values up to ``atol + rtol * S.max()`` count as
        zero. By default rtol is ``max(M, N) * eps`` if `atol` is not given, otherwise 0.
    return_rank : bool, optional
        If True, also return the effective rank.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    gpunp.ndarray, or a tuple of it and the rank
        Pseudo-inverses, and, if `return_rank` is True, the effective ranks.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.pinv(cp.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    (a,) = given(check_finite, a)
    if a.dtype.kind not in "biufc":
        raise TypeError(f"array type {a.dtype.name} is unsupported in linalg")
    u, s, vh = _nl.svd(a, full_matrices=False)
    if (atol is not None and atol < 0) or (rtol is not None and rtol < 0):
        raise ValueError("atol and rtol values must be positive.")
    if rtol is None:
        rtol = max(a.shape[-2:]) * float(np.finfo(s.dtype).eps) if atol is None else 0.0
    kept = s > (atol or 0.0) + s.max(axis=-1, keepdims=True, initial=0) * rtol
    inverse = um.divide(kept.astype(s.dtype), s + um.logical_not(kept).astype(s.dtype))
    result = um.matmul(
        conjugate(matrix_transposed(vh)), inverse[..., None] * conjugate(matrix_transposed(u))
    )
    return (result, kept.sum(axis=-1)) if return_rank else result


def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True) -> Any:
    """Compute the pseudo-inverse of Hermitian matrices by eigenvalues.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of them, of which only one triangle is read.
    atol, rtol : float, optional
        Absolute and relative tolerance: eigenvalues of magnitude up to ``atol + rtol *
        max(abs(w))`` count as zero. By default rtol is ``M * eps`` if `atol` is not given,
        otherwise 0.
    lower : bool, optional
        If True, the lower triangle is used, otherwise the upper one.
    return_rank : bool, optional
        If True, also return the effective rank.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    gpunp.ndarray, or a tuple of it and the rank
        Pseudo-inverses, and, if `return_rank` is True, the effective ranks.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.pinvh(cp.array([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    (a,) = given(check_finite, a)
    if (atol is not None and atol < 0) or (rtol is not None and rtol < 0):
        raise ValueError("atol and rtol values must be positive.")
    w, v = _nl.eigh(a, "L" if lower else "U")
    size = um.absolute(w)
    if rtol is None:
        rtol = a.shape[-1] * float(np.finfo(w.dtype).eps) if atol is None else 0.0
    kept = size > (atol or 0.0) + size.max(axis=-1, keepdims=True, initial=0) * rtol
    inverse = um.divide(kept.astype(w.dtype), w + um.logical_not(kept).astype(w.dtype))
    result = um.matmul(v * inverse[..., None, :], conjugate(matrix_transposed(v)))
    return (result, kept.sum(axis=-1)) if return_rank else result


# ---- Cholesky ----------------------------------------------------------------------------------


def cholesky(a, lower=False, overwrite_a=False, check_finite=True) -> ndarray:
    """Compute Cholesky factors, by default upper ones; see `gpunp.linalg.cholesky`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of them, of which only one triangle is read.
    lower : bool, optional
        If True, the lower triangle is used, otherwise the upper one.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    ndarray, (..., M, M)
        Triangular factors; the other triangle is zero.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.cholesky(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 1.],
           [0., 2.]])
    """
    (a,) = given(check_finite, a)
    return _nl.cholesky(a, upper=not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True) -> tuple[ndarray, bool]:
    """Compute Cholesky factors for `cho_solve`; the other triangle is not set to zero.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    lower : bool, optional
        If True, the lower triangle is used, otherwise the upper one.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    c : gpunp.ndarray
        Matrix with the factor in one triangle.
    lower : bool
        Whether it is the lower triangle.

    Examples
    --------
    >>> import gpunp as cp
    >>> factor = cp.scipy.linalg.cho_factor(cp.array([[4.0]]))
    >>> cp.scipy.linalg.cho_solve(factor, cp.array([8.0]))
    array([2.])
    """
    (a,) = given(check_finite, a)
    a = square(a)
    work = plain_copy(a, common_type(a))
    info = lapack_potrf(work, bool(lower))
    return checked("Matrix is not positive definite", info, work), bool(lower)


# ---- structure ---------------------------------------------------------------------------------


def bandwidth(a) -> tuple[Any, Any]:
    """Return the number of nonzero diagonals below and above the main one.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.

    Returns
    -------
    tuple of int or ndarray
        Numbers on the host, so the call waits for the device; arrays of a stack, which do not.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.bandwidth(cp.array([[1, 0], [2, 3]]))
    (1, 0)
    """
    a = as_array(a)
    if a.ndim < 2:
        raise ValueError("Input array must be at least 2D.")
    rows, columns = a.shape[-2:]
    below = um.arange_fill(rows, 0, 1, np.int64)[:, None] - um.arange_fill(columns, 0, 1, np.int64)
    distance = below * (a != 0)
    low, high = distance.max((-2, -1), initial=0), -distance.min((-2, -1), initial=0)
    return (low, high) if a.ndim > 2 else (int(low), int(high))


def _is_its_own(a: Any, other: Any, atol: Any, rtol: Any) -> Any:
    a = as_array(a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("Input array must be a 2D square array.")
    mirrored = other(matrix_transposed(a))
    if atol is None and rtol is None:
        same = a == mirrored
    else:
        limit = (atol or 0.0) + (rtol or 0.0) * um.absolute(mirrored)
        same = um.absolute(a - mirrored) <= limit
    found = same.all((-2, -1))
    return found if a.ndim > 2 else bool(found)


def issymmetric(a, atol=None, rtol=None) -> Any:
    """Return whether a matrix equals its transpose. Waits for the device, but for stacks.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Matrix, or a stack of matrices.
    atol, rtol : float, optional
        Absolute and relative tolerance. By default elements have to be equal.

    Returns
    -------
    bool or ndarray of bool
        True if the matrix has this property; an array of the device for a stack.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.issymmetric(cp.array([[1, 2], [2, 1]]))
    True
    """
    return _is_its_own(a, lambda x: x, atol, rtol)


@documented_as(issymmetric)
def ishermitian(a, atol=None, rtol=None) -> Any:
    """Return whether a matrix equals its conjugate transpose. Waits, but for stacks.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.ishermitian(cp.array([[1, 2j], [-2j, 1]]))
    True
    """
    return _is_its_own(a, conjugate, atol, rtol)
