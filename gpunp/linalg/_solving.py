"""Linear systems, inverses, determinants and ranks, under NumPy's names and signatures."""

import math
from typing import Any, NamedTuple

import numpy as np

from .._core import umath as um
from .._core._convert import NoValue, as_array, per_axis
from .._core._ufunc_config import errstate
from .._core.lapack import (
    lapack_getrf,
    lapack_getrs,
    lapack_order,
    small_gauss,
)
from .._core.multiarray import broadcast_view, empty, ndarray, take_along, where
from .._core.reductions import amax, prod
from .._core.reductions import sum as _sum
from .._core.umath import matmul
from ._decomposition import eigvalsh, svd, svdvals
from ._stacks import (
    SMALL,
    LinAlgError,
    check,
    checked,
    column_copy,
    common_type,
    conjugate,
    matrices,
    matrix_transposed,
    plain_copy,
    real_type,
    square,
    straight,
)
from ._triangular import triangle_solved

__all__ = [
    "cond",
    "det",
    "inv",
    "lstsq",
    "matrix_rank",
    "pinv",
    "slogdet",
    "solve",
    "tensorinv",
    "tensorsolve",
]


class SlogdetResult(NamedTuple):
    """Named tuple of the sign and the logarithm of the absolute value of determinants."""

    sign: ndarray
    logabsdet: ndarray


# ---- systems -----------------------------------------------------------------------------------


def _stretched(a: ndarray, batch: tuple[int, ...]) -> ndarray:
    """`a` broadcast to another batch shape, as a view."""
    shape = (*batch, *a.shape[-2:])
    return a if a.shape == shape else broadcast_view(a, shape)


_ORDERED = 4096  # rows whose exchanges are put in order on chip
_INVERTED = 64  # rows up to which the library's inverses of a stack are faster than two triangles


def _solved(lu: ndarray, pivots: ndarray, b: ndarray) -> ndarray:
    """x of ``a @ x = b`` from the factors of `a`, as stacks."""
    n = lu.shape[-1]
    if lu.ndim == 2 and n > _ORDERED:
        x = column_copy(b, lu.dtype)
        lapack_getrs(lu, pivots, x, 0)
        return straight(x)
    order, _ = lapack_order(pivots, n)
    factors = matrix_transposed(lu)
    x, _ = triangle_solved(factors, take_along(b, order[..., None], -2), True, 0, True)
    return triangle_solved(factors, x, False)[0]


def solve(a, b) -> ndarray:
    """Solve ``a @ x = b`` by an LU factorization.

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

    Raises
    ------
    LinAlgError
        If a matrix is singular. The check waits for the device; see `gpunp.errstate`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.solve(cp.array([[2.0, 0.0], [0.0, 4.0]]), cp.array([2.0, 2.0]))
    array([1. , 0.5])
    """
    a, b = square(a), as_array(b)
    dtype = common_type(a, b)
    is_vector = b.ndim == 1
    if is_vector:
        b = b[:, None]
    elif b.ndim == 0:
        raise ValueError(
            "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with "
            "signature (m,m),(m,n)->(m,n) requires 2)"
        )
    if b.shape[-2] != a.shape[-1]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(m,m),(m,n)->(m,n) (size {b.shape[-2]} is different from {a.shape[-1]})"
        )
    if a.shape[:-2] != b.shape[:-2]:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = _stretched(a, batch), _stretched(b, batch)
    x = _small_solved(a, b, dtype) if a.shape[-1] <= SMALL else _large_solved(a, b, dtype)
    return x[..., 0] if is_vector else x


def _small_solved(a: ndarray, b: ndarray, dtype: Any) -> ndarray:
    x, _, flag = small_gauss(a.astype(dtype, copy=False), b.astype(dtype, copy=False), "solve")
    check("Singular matrix", flag)
    return x


def _large_solved(a: ndarray, b: ndarray, dtype: Any) -> ndarray:
    if not b.size:
        return plain_copy(b, dtype)
    lu = column_copy(a, dtype)
    pivots, info = lapack_getrf(lu, columns=b.shape[-1])
    return checked("Singular matrix", info, _solved(lu, pivots, b.astype(dtype, copy=False)))


def inv(a) -> ndarray:
    """Invert square matrices.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    gpunp.ndarray
        Inverses, with the shape of `a`.

    Raises
    ------
    LinAlgError
        If a matrix is singular. The check waits for the device; see `gpunp.errstate`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.inv(cp.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    a = square(a)
    dtype = common_type(a)
    if a.shape[-1] <= SMALL:
        x, _, flag = small_gauss(a.astype(dtype, copy=False), None, "inv")
        check("Singular matrix", flag)
        return x
    if not a.size:
        return plain_copy(a, dtype)
    return _large_solved(
        a, broadcast_view(um.eye(a.shape[-1], a.shape[-1], 0, dtype, "C"), a.shape), dtype
    )


def tensorsolve(a, b, axes=None) -> ndarray:
    """Solve ``tensordot(a, x, x.ndim) = b`` for the array x.

    Parameters
    ----------
    a : array_like
        Array of shape ``b.shape + Q``, with ``prod(Q) == prod(b.shape)``.
    b : array_like
        Right-hand side, of any shape.
    axes : tuple of int, optional
        Axes of `a` that are moved to the end first.

    Returns
    -------
    ndarray
        Solution, of shape Q.

    Raises
    ------
    LinAlgError
        If the shapes do not fit, or `a` is singular. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.tensorsolve(cp.eye(4).reshape(2, 2, 2, 2), cp.ones((2, 2)))
    array([[1., 1.],
           [1., 1.]])
    """
    a, b = as_array(a), as_array(b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in per_axis(axes):
            order.remove(axis)
            order.append(axis)
        a = a.transpose(order)
    shape = a.shape[b.ndim :]
    size = math.prod(shape)
    if a.size != size**2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == "
            "prod(a.shape[:b.ndim])"
        )
    return solve(a.reshape(size, size), b.ravel()).reshape(shape)


def tensorinv(a, ind=2) -> ndarray:
    """Compute the inverse of an array with respect to ``tensordot(., ., ind)``.

    Parameters
    ----------
    a : array_like
        Array to invert, with ``prod(a.shape[:ind]) == prod(a.shape[ind:])``.
    ind : int, optional
        Number of leading axes that belong to the inverse sum.

    Returns
    -------
    ndarray
        Inverse, of shape ``a.shape[ind:] + a.shape[:ind]``.

    Raises
    ------
    LinAlgError
        If the two sides differ in size, or `a` is singular. The check waits for the device.
    ValueError
        If `ind` is not positive.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.tensorinv(cp.eye(4).reshape(2, 2, 2, 2)).shape
    (2, 2, 2, 2)
    """
    a = as_array(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return inv(a.reshape(math.prod(a.shape[ind:]), -1)).reshape(shape)


# ---- determinants ------------------------------------------------------------------------------


def _is_small(a: ndarray) -> bool:
    return 0 < a.shape[-1] <= SMALL


def _factors(a: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Diagonal of U, sign of the permutation, and whether each matrix is singular."""
    lu = plain_copy(a, common_type(a))
    pivots, info = lapack_getrf(lu)
    n = a.shape[-1]
    moved = _sum(pivots != um.arange_fill(n, 1, 2, pivots.dtype), axis=-1) & 1
    sign = (1 - 2 * moved).astype(lu.dtype)
    return lu.diagonal(axis1=-2, axis2=-1), sign, info > 0


def det(a) -> ndarray:
    """Compute the determinants of square matrices.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    gpunp.ndarray
        Determinants, of shape (...).

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.det(cp.array([[1.0, 2.0], [3.0, 4.0]]))
    array(-2.)
    """
    a = square(a)
    if _is_small(a):
        return small_gauss(a.astype(common_type(a), copy=False), None, "det")[0]
    diagonal, sign, is_singular = _factors(a)
    zero = np.zeros((), diagonal.dtype)[()]
    return where(is_singular, zero, prod(diagonal, axis=-1) * sign)


def slogdet(a) -> SlogdetResult:
    """Compute the sign and logarithm of determinants, which may overflow themselves.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    SlogdetResult
        The determinant is ``sign * exp(logabsdet)``; for a singular matrix these are 0 and -inf.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.slogdet(cp.array([[0.0, 1.0], [1.0, 0.0]])).sign
    array(-1.)
    """
    a = square(a)
    if _is_small(a):
        return SlogdetResult(
            *small_gauss(a.astype(common_type(a), copy=False), None, "slogdet")[:2]
        )
    diagonal, sign, is_singular = _factors(a)
    real = real_type(diagonal.dtype)
    sign = sign * prod(um.sign(diagonal), axis=-1)
    logarithm = _sum(um.log(um.absolute(diagonal)), axis=-1)
    zero = np.zeros((), diagonal.dtype)[()]
    return SlogdetResult(
        where(is_singular, zero, sign), where(is_singular, real.type(-np.inf), logarithm)
    )


# ---- by singular values ------------------------------------------------------------------------


def cond(x, p=None) -> ndarray:
    """Compute the condition numbers of matrices.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    p : {None, 1, -1, 2, -2, inf, -inf, 'fro', 'nuc'}, optional
        Order of the norm; None and 2 give the ratio of the largest and the smallest singular value.
        The others require square matrices.

    Returns
    -------
    ndarray
        Condition numbers; infinite for singular matrices.

    Raises
    ------
    LinAlgError
        If `x` is empty, or its matrices have to be square and are not.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.cond(cp.array([[2.0, 0.0], [0.0, 1.0]]))
    array(2.)
    """
    from ._linalg import norm

    x = as_array(x)
    if not x.size:
        raise LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = svdvals(x)
        result = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    else:
        x = square(x)
        with errstate(linalg="ignore"):
            inverse = inv(x)
        result = norm(x, p, (-2, -1)) * norm(inverse, p, (-2, -1))
        result = result.astype(real_type(common_type(x)), copy=False)
    is_nan = um.isnan(result)
    own_nan = um.isnan(x).any(axis=(-2, -1)) if x.dtype.kind in "fc" else False
    infinite = np.full((), np.inf, result.dtype)[()]
    return where(um.logical_and(is_nan, um.logical_not(own_nan)), infinite, result)


def _tolerance(a: ndarray, s: ndarray, relative: Any) -> ndarray:
    """Cutoff below which singular values count as zero, with an axis for them."""
    largest = amax(s, axis=-1, keepdims=True, initial=0)
    if relative is None:
        relative = max(a.shape[-2:]) * float(np.finfo(s.dtype).eps)
    elif isinstance(relative, ndarray) and relative.ndim:
        relative = relative[..., None]
    return largest * relative


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None) -> ndarray:
    """Compute the ranks of matrices: the number of singular values above a tolerance.

    Parameters
    ----------
    A : array_like, (M,) or (..., M, N)
        Matrix, a stack of matrices, or a vector.
    tol : array_like, optional
        Absolute tolerance. By default, without `rtol`, ``S.max() * max(M, N) * eps``.
    hermitian : bool, optional
        If True, the matrices are taken to be Hermitian, and eigenvalues are used.
    rtol : array_like, optional
        Tolerance relative to the largest singular value.

    Returns
    -------
    ndarray
        Ranks, of type int64.

    Raises
    ------
    ValueError
        If both tolerances are given.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.matrix_rank(cp.ones((3, 3)))
    array(1)
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    a = as_array(A)
    if a.ndim < 2:
        return (a != 0).any().astype(np.int64)
    s = um.absolute(eigvalsh(a)) if hermitian else svdvals(a)
    if tol is None:
        limit: Any = _tolerance(a, s, rtol)
    else:
        limit = as_array(tol)[..., None]
    return _sum(s > limit, axis=-1)


def pinv(a, rcond=None, hermitian=False, *, rtol=NoValue) -> ndarray:
    """Compute the (Moore-Penrose) pseudo-inverse of matrices by singular values.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    rcond : array_like, optional
        Relative cutoff for small singular values; 1e-15 by default.
    hermitian : bool, optional
        If True, the matrices are taken to be Hermitian.
    rtol : array_like, optional
        Same as `rcond`; None means ``max(M, N) * eps``.

    Returns
    -------
    gpunp.ndarray, (..., N, M)
        Pseudo-inverses of the matrices.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.pinv(cp.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    a = as_array(a)
    if a.dtype.kind not in "biufc":
        raise TypeError("cannot conjugate non-numeric dtype")
    a = matrices(a)
    if rcond is None:
        relative = 1e-15 if rtol is NoValue else rtol
    elif rtol is not NoValue:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    else:
        relative = rcond
    rows, columns = a.shape[-2:]
    if not a.size:
        return empty((*a.shape[:-2], columns, rows), common_type(a))
    u, s, vh = svd(conjugate(a), full_matrices=False, hermitian=hermitian)
    limit = _tolerance(a, s, relative if relative is None else as_array(relative))
    zero = np.zeros((), s.dtype)[()]
    inverse = where(s > limit, 1 / s, zero)
    return matmul(matrix_transposed(vh), inverse[..., None] * matrix_transposed(u))


def lstsq(a, b, rcond=None) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Compute the least-squares solution of ``a @ x = b`` by singular values.

    Parameters
    ----------
    a : array_like, (M, N)
        Matrix whose shape is (M, N).
    b : array_like, (M,) or (M, K)
        Right-hand side: a vector, or a matrix whose columns are right-hand sides.
    rcond : float, optional
        Relative cutoff for small singular values. By default eps times the larger of M and N; a
        negative value means LAPACK's unit roundoff, half of eps.

    Returns
    -------
    x : gpunp.ndarray, (N,) or (N, K)
        Solution, or one for each column of `b`.
    residuals : gpunp.ndarray, (K,)
        Sums of squares of ``b - a @ x``; empty unless M > N and the rank is N.
    rank : gpunp.ndarray
        Rank of `a` as a 0-d array, where NumPy returns an int.
    s : gpunp.ndarray
        Singular values of `a`.

    Notes
    -----
    Where M > N the rank decides the shape of `residuals`, which waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> x, residuals, rank, s = cp.linalg.lstsq(a, cp.array([1.0, 3.0, 5.0]))
    >>> bool(cp.allclose(x, cp.array([2.0, 1.0])))
    True
    """
    a, b = as_array(a), as_array(b)
    is_vector = b.ndim == 1
    if is_vector:
        b = b[:, None]
    for x in (a, b):
        if x.ndim != 2:
            raise LinAlgError(f"{x.ndim}-dimensional array given. Array must be two-dimensional")
    rows, columns = a.shape
    if rows != b.shape[0]:
        raise LinAlgError("Incompatible dimensions")
    dtype = common_type(a, b)
    a, b = a.astype(dtype, copy=False), b.astype(dtype, copy=False)
    eps = float(np.finfo(dtype).eps)
    relative = eps * max(rows, columns) if rcond is None else rcond if rcond >= 0 else eps / 2
    if not a.size:
        x = empty((columns, b.shape[1]), dtype)
        x[...] = 0
        rank = _sum(empty(0, np.int32), dtype=np.int32)
        s = empty(0, real_type(dtype))
    else:
        u, s, vh = svd(a, full_matrices=False)
        is_kept = s > _tolerance(a, s, relative)
        rank = _sum(is_kept, dtype=np.int32)
        inverse = where(is_kept, 1 / s, np.zeros((), s.dtype)[()])
        x = matmul(
            conjugate(matrix_transposed(vh)),
            inverse[:, None] * matmul(conjugate(matrix_transposed(u)), b),
        )
    if rows > columns and (columns == 0 or int(rank) == columns):
        residuals = _sum(um.square(um.absolute(b - matmul(a, x))), axis=0)
    else:
        residuals = empty(0, real_type(dtype))
    return x[:, 0] if is_vector else x, residuals, rank, s
