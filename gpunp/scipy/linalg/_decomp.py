"""Decompositions under SciPy's names and signatures; see _basic for their common arguments."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import linalg as _nl
from ..._core import umath as um
from ..._core._convert import as_array, shown
from ..._core.multiarray import arange, asarray, empty, ndarray, where, zeros
from ...lib._stride_tricks_impl import broadcast_to
from ...linalg._stacks import (
    common_type,
    conjugate,
    matrix_transposed,
    square,
    triangle,
)
from ...linalg._triangular import triangle_solved
from ._basic import _filled
from ._given import given, one_by_one, single

__all__ = [
    "diagsvd",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "null_space",
    "orth",
    "polar",
    "qr",
    "rq",
    "subspace_angles",
    "svd",
    "svdvals",
]


def _taken(a: Any, check_finite: bool) -> ndarray:
    return given(check_finite, a)[0]


def _joined(parts: list, shape: tuple) -> Any:
    """Results of each matrix of a stack as stacks on the device."""
    if isinstance(parts[0], tuple):
        return tuple(_joined(list(column), shape) for column in zip(*parts, strict=True))
    whole = np.stack(parts)[: math.prod(shape)]
    return asarray(whole.reshape(*shape, *parts[0].shape))


def _each_on_host(function: Callable, *stacks: ndarray) -> Any:
    """The results of a function of SciPy's, which gets each matrix of the stacks on the host."""
    shape = np.broadcast_shapes(*(x.shape[:-2] for x in stacks))
    given = [np.broadcast_to(x.get(), (*shape, *x.shape[-2:])) for x in stacks]
    rows = [x.reshape(-1, *x.shape[-2:]) for x in given]
    parts = [function(*matrices) for matrices in zip(*rows, strict=True)]
    if not parts:  # those of some matrices tell shapes and types
        parts = [function(*(np.zeros(x.shape[-2:], x.dtype) for x in rows))]
    return _joined(parts, shape)


# ---- eigenvalues -------------------------------------------------------------------------------


# LAPACK's methods by whether the problem is a generalised one, and those that find all eigenvalues.
_DRIVERS = {False: ("ev", "evd", "evr", "evx"), True: ("gv", "gvd", "gvx")}
_OF_ALL = ("ev", "evd", "gv", "gvd")


def _check_driver(driver: Any, is_pair: bool, wants_part: bool) -> None:
    if driver is None:
        return
    if not isinstance(driver, str) or driver not in _DRIVERS[is_pair]:
        raise ValueError(f"driver must be None or in {_DRIVERS[is_pair]}, not {shown(driver)}")
    if wants_part and driver in _OF_ALL:
        raise ValueError(f'"{driver}" cannot compute subsets of eigenvalues')


def _reduced(a: ndarray, b: Any, lower: bool, kind: int, check: bool) -> tuple[ndarray, ndarray]:
    """The standard problem a generalised one is, and the factor that leads back.

    With b = L L^H: types 1 is L^-1 a L^-H, types 2 and 3 are L^H a L.
    """
    b = square(_taken(b, check))
    shape = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (broadcast_to(x, (*shape, *x.shape[-2:])) for x in (a, b))
    full = _filled(b, "hermitian", lower)
    factor = _nl.cholesky(full)
    dtype = common_type(a, b)
    a = _filled(a, "hermitian", lower).astype(dtype)
    factor = factor.astype(dtype, copy=False)
    if kind != 1:
        return um.matmul(conjugate(matrix_transposed(factor)), um.matmul(a, factor)), factor
    x, _ = triangle_solved(factor, a, True)  # L^-1 a
    y, _ = triangle_solved(
        factor, conjugate(matrix_transposed(x)), True
    )  # and this times L^-H: Hermitian
    return y, factor


def _led_back(v: ndarray, factor: ndarray, kind: int) -> ndarray:
    if kind == 3:
        return um.matmul(factor, v)
    return triangle_solved(factor, v, True, 2)[0]


def _subset(w: ndarray, by_index: Any, by_value: Any) -> slice:
    if by_index is not None and by_value is not None:
        raise ValueError("Either index or value subset can be requested.")
    n = w.shape[-1]
    if by_index is not None:
        low, high = (int(x) for x in by_index)
        if not 0 <= low <= high < n:
            raise ValueError(
                f"Requested eigenvalue indices are not valid. Valid range is [0, {n - 1}] and "
                f"start <= end, but start={low}, end={high} is given"
            )
        return slice(low, high + 1)
    if by_value is not None:
        below, top = (float(x) for x in by_value)
        if not below < top:
            raise ValueError(
                "Requested eigenvalue bounds are not valid. Valid range is (-inf, inf) and "
                f"low < high, but low={below}, high={top} is given"
            )
        return slice(int((w <= below).sum()), int((w <= top).sum()))
    return slice(0, n)


def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
) -> Any:
    """Compute the eigenvalues and eigenvectors of Hermitian matrices, or of a generalized problem.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian matrix, or a stack of them.
    b : array_like, (..., M, M), optional
        Hermitian positive-definite matrix of the generalized problem ``a @ v = w * b @ v``.
    lower : bool, optional
        If True, the lower triangle is read, otherwise the upper one.
    eigvals_only : bool, optional
        If True, eigenvectors are not computed.
    overwrite_a, overwrite_b : optional
        Accepted for compatibility with SciPy and ignored.
    driver : str, optional
        Method of LAPACK; it must suit the problem and is not used.
    type : {1, 2, 3}, optional
        Type of the generalized problem: 2 means ``a @ b @ v = w * v``, 3 means ``b @ a @ v = w *
        v``.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    subset_by_index : pair of int, optional
        Indices of the first and last eigenvalue to return. All are computed.
    subset_by_value : pair of float, optional
        Interval ``(low, high]`` of the eigenvalues to return; their number waits for the device.

    Returns
    -------
    w : gpunp.ndarray
        Real eigenvalues, in ascending order.
    v : gpunp.ndarray
        Eigenvectors, unless `eigvals_only` is True.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eigh(cp.array([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True)
    array([1., 2.])
    """
    a = square(_taken(a, check_finite))
    if type not in (1, 2, 3):
        raise ValueError('"type" keyword only accepts 1, 2, and 3.')
    wants_part = subset_by_index is not None or subset_by_value is not None
    _check_driver(driver, b is not None, wants_part)
    factor = None
    if b is not None:
        a, factor = _reduced(a, b, lower, type, check_finite)
        lower = True
    uplo: Any = "L" if lower else "U"
    if eigvals_only:
        w = _nl.eigvalsh(a, uplo)
        return w[..., _subset(w, subset_by_index, subset_by_value)]
    w, v = _nl.eigh(a, uplo)
    part = _subset(w, subset_by_index, subset_by_value)
    w, v = w[..., part], v[..., part]
    return w, v if factor is None else _led_back(v, factor, type)


def eigvalsh(
    a,
    b=None,
    *,
    lower=True,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
) -> ndarray:
    """Compute the eigenvalues of a Hermitian matrix, or of a generalized problem; see `eigh`.

    Parameters
    ----------
    a : array_like, (M, M)
        Hermitian matrix, of which one triangle is read.
    b : array_like, (M, M), optional
        Hermitian positive-definite matrix of a generalized problem.
    lower : bool, optional
        If True, the lower triangle is read, otherwise the upper one.
    overwrite_a, overwrite_b : optional
        Accepted for compatibility with SciPy and ignored.
    driver : str, optional
        Method of LAPACK, as for `eigh`.
    type : {1, 2, 3}, optional
        Type of the generalized problem, as for `eigh`.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    subset_by_index, subset_by_value : pair, optional
        Indices or interval of the eigenvalues to return.

    Returns
    -------
    ndarray, (M,)
        Real eigenvalues, in ascending order.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge, or `b` is not positive definite. The check waits for the
        device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eigvalsh(cp.array([[0.0, 1.0], [1.0, 0.0]]))
    array([-1.,  1.])
    """
    return eigh(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        driver=driver,
    )


def _complex(w: ndarray) -> ndarray:
    return w if w.dtype.kind == "c" else w.astype(np.result_type(w.dtype, np.complex64))


def _pair(a: Any, b: Any, check_finite: bool, **options: Any) -> Any:
    """Eigenvalues and eigenvectors of pairs, by LAPACK's QZ iteration."""
    from scipy.linalg import eig as host

    a, b = (square(_taken(x, check_finite)) for x in (a, b))
    found = _each_on_host(lambda x, y: host(x, y, check_finite=False, **options), a, b)
    return tuple(map(_complex, found)) if isinstance(found, tuple) else found


def eig(
    a,
    b=None,
    left=False,
    right=True,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    homogeneous_eigvals=False,
) -> Any:
    """Compute eigenvalues and eigenvectors of general matrices, or of a generalized problem.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.
    b : array_like, (..., M, M), optional
        Matrix of the generalized problem ``a @ v = w * b @ v``. Both are copied to the host, where
        SciPy computes; eigenvalues are infinite where `b` is singular.
    left, right : bool, optional
        Whether left and right eigenvectors are computed. Left ones of a matrix are those of the
        conjugate inverse of the right.
    overwrite_a, overwrite_b : bool, optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    homogeneous_eigvals : bool, optional
        If True, return two rows whose quotients are the eigenvalues, of a matrix ``(w, 1)``.

    Returns
    -------
    w : gpunp.ndarray
        Eigenvalues, always complex, as in SciPy.
    vl, vr : gpunp.ndarray
        Eigenvectors as requested.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eig(cp.array([[2.0, 0.0], [0.0, 3.0]]), right=False)
    array([2.+0.j, 3.+0.j])
    """
    if b is not None:
        options = {"left": left, "right": right, "homogeneous_eigvals": homogeneous_eigvals}
        return _pair(a, b, check_finite, **options)
    x = _taken(a, check_finite)
    if not left and not right:
        w = _complex(_nl.eigvals(x))
        return _homogeneous(w) if homogeneous_eigvals else w
    w, v = _nl.eig(x)
    w = _complex(w)
    results = [_homogeneous(w) if homogeneous_eigvals else w]
    if left:
        vl = conjugate(matrix_transposed(_nl.inv(v)))
        results.append(vl / um.sqrt(um.square(um.absolute(vl)).sum(axis=-2, keepdims=True)))
    if right:
        results.append(v)
    return tuple(results)


def _homogeneous(w: ndarray) -> ndarray:
    pair = empty((*w.shape[:-1], 2, w.shape[-1]), w.dtype)
    pair[..., 0, :] = w
    pair[..., 1, :] = 1
    return pair


def eigvals(
    a,
    b=None,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    homogeneous_eigvals=False,
) -> ndarray:
    """Compute the eigenvalues of a general square matrix, or of a generalized problem; see `eig`.

    Parameters
    ----------
    a : array_like, (M, M)
        Square matrix of the problem.
    b : array_like, (M, M), optional
        Second square matrix, of a generalized problem.
    overwrite_a, overwrite_b : bool, optional
        Accepted for compatibility with SciPy; the matrices are never overwritten. SciPy before 1.18
        has no `overwrite_b`: give `check_finite` and what follows by name.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.
    homogeneous_eigvals : bool, optional
        If True, return numerators and denominators as two rows.

    Returns
    -------
    ndarray, (M,) or (2, M)
        Complex eigenvalues, in no particular order.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.eigvals(cp.array([[2.0, 0.0], [0.0, 3.0]]))
    array([2.+0.j, 3.+0.j])
    """
    return eig(
        a,
        b,
        right=False,
        check_finite=check_finite,
        homogeneous_eigvals=homogeneous_eigvals,
    )


# ---- QR and singular values --------------------------------------------------------------------


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True) -> Any:
    """Compute the QR factorization of matrices.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    overwrite_a, lwork : optional
        Accepted for compatibility with SciPy and ignored.
    mode : {'full', 'r', 'economic', 'raw'}, optional
        Parts to return: 'full' gives Q (M, M) and R (M, N); 'economic' their leading min(M, N)
        columns and rows; 'r' (R,); 'raw' ((reflectors, factors), R).
    pivoting : bool, optional
        If True, columns are exchanged so that the diagonal of R does not increase. The matrix is
        copied to the host, where SciPy computes: cuSOLVER has no pivoted QR.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    Q, R : ndarray
        The factors that `mode` selects.
    P : ndarray of int32, (..., N)
        With `pivoting`: the columns in their new order, so that ``a[:, P] = Q @ R``.

    Raises
    ------
    ValueError
        If the mode is unknown.

    Examples
    --------
    >>> import gpunp as cp
    >>> q, r = cp.scipy.linalg.qr(cp.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> bool(cp.allclose(q @ r, cp.array([[3.0, 1.0], [4.0, 2.0]])))
    True
    """
    if mode not in ("full", "qr", "r", "economic", "raw"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic', 'raw']")
    a = _taken(a, check_finite)
    if pivoting:
        from scipy.linalg import qr as host

        return _each_on_host(lambda x: host(x, mode=mode, pivoting=True, check_finite=False), a)
    if mode in ("full", "qr"):
        return tuple(_nl.qr(a, "complete"))
    if mode == "economic":
        return tuple(_nl.qr(a, "reduced"))
    if mode == "r":
        return (_nl.qr(a, "complete").R,)
    h, tau = _nl.qr(a, "raw")
    rows, columns = a.shape[-2:]
    return (matrix_transposed(h), tau), triangle(
        matrix_transposed(h)[..., : min(rows, columns), :], True
    )


def svd(
    a,
    full_matrices=True,
    compute_uv=True,
    overwrite_a=False,
    check_finite=True,
    lapack_driver="gesdd",
) -> Any:
    """Compute the singular value decomposition; see `gpunp.linalg.svd`.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    full_matrices, compute_uv : bool, optional
        Options, as for `gpunp.linalg.svd`.
    overwrite_a, lapack_driver : optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    U, s, Vh : ndarray
        Left singular vectors, singular values in descending order, and right singular vectors;
        without `compute_uv`, `s` alone.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.svd(cp.array([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False)
    array([4., 3.])
    """
    if not isinstance(lapack_driver, str):
        raise TypeError(f"lapack_driver must be a string, not {shown(lapack_driver)}")
    if lapack_driver not in ("gesdd", "gesvd"):
        raise ValueError(f'lapack_driver must be "gesdd" or "gesvd", not "{lapack_driver}"')
    result = _nl.svd(_taken(a, check_finite), full_matrices, compute_uv)
    return tuple(result) if compute_uv else result


def svdvals(a, overwrite_a=False, check_finite=True) -> ndarray:
    """Compute singular values, in descending order.

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
    ndarray, (..., min(M, N))
        Real singular values.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.svdvals(cp.array([[0.0, 2.0], [1.0, 0.0]]))
    array([2., 1.])
    """
    return _nl.svdvals(_taken(a, check_finite))


def diagsvd(s, M, N) -> ndarray:
    """Return a matrix of a given size with singular values on its diagonal.

    Parameters
    ----------
    s : array_like, (..., K)
        Vector of singular values, or a stack of them.
    M, N : int
        Numbers of rows and columns; K is one of them.

    Returns
    -------
    ndarray, (..., M, N)
        Matrices with zeros off the diagonal.

    Raises
    ------
    ValueError
        If K is neither.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.diagsvd(cp.array([2.0, 1.0]), 2, 3)
    array([[2., 0., 0.],
           [0., 1., 0.]])
    """
    s = as_array(s)
    if s.ndim == 0:
        raise ValueError("s must be of one dimension or more")
    n = s.shape[-1]
    if n not in (M, N):
        raise ValueError("Length of s must be M or N.")
    result = zeros((*s.shape[:-1], M, N), s.dtype)
    k = arange(n)
    result[..., k, k] = s
    return result


def _rank(s: ndarray, shape: tuple[int, ...], rcond: Any) -> int:
    """The rank of matrices of a shape, which all of a stack have."""
    relative = float(np.finfo(s.dtype).eps) * max(shape[-2:]) if rcond is None else rcond
    largest = s.max(axis=-1, initial=0, keepdims=True)
    ranks = {int(r) for r in (s > largest * relative).sum(-1).reshape(-1).get()}
    if len(ranks) > 1:
        raise ValueError(f"the matrices of the stack differ in rank: {sorted(ranks)}")
    return ranks.pop() if ranks else 0


def orth(A, rcond=None) -> ndarray:
    """Return an orthonormal basis of the range of a matrix. Waits for its rank.

    Parameters
    ----------
    A : array_like, (..., M, N)
        Matrix, or a stack of matrices of one rank.
    rcond : float, optional
        Relative cutoff for small singular values.

    Returns
    -------
    ndarray, (..., M, K)
        Basis as columns; K is the rank.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.orth(cp.ones((3, 2))).shape
    (3, 1)
    """
    a = single(A)
    u, s, _ = _nl.svd(a, full_matrices=False)
    return u[..., : _rank(s, a.shape, rcond)]


def null_space(
    A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd"
) -> ndarray:
    """Return an orthonormal basis of the null space of a matrix. Waits for its rank.

    Parameters
    ----------
    A : array_like, (..., M, N)
        Matrix, or a stack of matrices of one rank.
    rcond : float, optional
        Relative cutoff for small singular values.
    overwrite_a, lapack_driver : optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    ndarray, (..., N, K)
        Basis as columns; K is N minus the rank.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.null_space(cp.ones((2, 3))).shape
    (3, 2)
    """
    a = _taken(A, check_finite)
    _, s, vh = _nl.svd(a, full_matrices=True)
    return conjugate(matrix_transposed(vh[..., _rank(s, a.shape, rcond) :, :]))


def polar(a, side="right") -> tuple[ndarray, ndarray]:
    """Compute the polar decomposition: a unitary and a positive semidefinite factor.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    side : {'right', 'left'}, optional
        Order of the factors: ``a = u @ p`` or ``a = p @ u``.

    Returns
    -------
    u, p : gpunp.ndarray
        Unitary factor, and positive semidefinite factor.

    Examples
    --------
    >>> import gpunp as cp
    >>> u, p = cp.scipy.linalg.polar(cp.array([[2.0, 0.0], [0.0, 3.0]]))
    >>> bool(cp.allclose(u, cp.eye(2)))
    True
    """
    if side not in ("right", "left"):
        raise ValueError("`side` must be either 'right' or 'left'")
    w, s, vh = _nl.svd(single(a), full_matrices=False)
    u = um.matmul(w, vh)
    if side == "right":
        return u, um.matmul(conjugate(matrix_transposed(vh)) * s[..., None, :], vh)
    return u, um.matmul(w * s[..., None, :], conjugate(matrix_transposed(w)))


@one_by_one(A=2, B=2)
def subspace_angles(A, B) -> ndarray:
    """Compute the angles between the ranges of two matrices, in radians, in descending order.

    A. V. Knyazev and M. E. Argentati, "Principal angles between subspaces in an A-based scalar
    product", SIAM J. Sci. Comput. 23 (2002): large angles from cosines, small ones from sines. The
    ranks decide the shape, which waits for the device.

    Parameters
    ----------
    A : array_like, (M, N)
        Matrix whose shape is (M, N).
    B : array_like, (M, K)
        Matrix whose shape is (M, K).

    Returns
    -------
    gpunp.ndarray, (min(N, K),)
        Angles; fewer if a matrix does not have full rank.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[1.0], [0.0]])
    >>> cp.scipy.linalg.subspace_angles(a, a)
    array([0.])
    """
    a, b = _taken(A, True), _taken(B, True)
    for x in (a, b):
        if x.ndim != 2:
            raise ValueError(f"expected 2D array, got shape {x.shape}")
    if a.shape[0] != b.shape[0]:
        raise ValueError(
            f"A and B must have the same number of rows, got {a.shape[0]} and {b.shape[0]}"
        )
    qa, qb = orth(a), orth(b)
    overlap = um.matmul(conjugate(qa.T), qb)
    cosine = _nl.svdvals(overlap)
    if qa.shape[1] >= qb.shape[1]:
        rest = qb - um.matmul(qa, overlap)
    else:
        rest = qa - um.matmul(qb, conjugate(overlap.T))
    # Sines and cosines both descend, so the angles of one are in reverse order of the other.
    sine = _nl.svdvals(rest)
    is_small = um.square(cosine) >= 0.5
    small = um.arcsin(um.minimum(sine[::-1], 1))
    return where(is_small, small, um.arccos(um.minimum(cosine, 1)))[::-1]


def rq(a, overwrite_a=False, lwork=None, mode="full", check_finite=True) -> Any:
    """Compute the RQ factorization: an upper triangular matrix times orthonormal rows.

    By the QR factorisation of the conjugate transpose with its columns reversed.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    overwrite_a, lwork : optional
        Accepted for compatibility with SciPy and ignored.
    mode : {'full', 'r', 'economic'}, optional
        Parts to return: 'full' gives R (M, N) and Q (N, N); 'economic', with ``K = min(M, N)``, R
        (M, K) and Q (K, N); 'r' R alone.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    R, Q : ndarray
        The factors that `mode` selects.

    Examples
    --------
    >>> import gpunp as cp
    >>> r, q = cp.scipy.linalg.rq(cp.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> bool(cp.allclose(r @ q, cp.array([[3.0, 1.0], [4.0, 2.0]])))
    True
    """
    if mode not in ("full", "r", "economic"):
        raise ValueError("Mode argument should be one of ['full', 'r', 'economic']")
    a = _taken(a, check_finite)
    if a.ndim < 2:
        raise ValueError("expected matrix")
    reversed_rows = conjugate(matrix_transposed(a[..., ::-1, :]))
    q, r = _nl.qr(reversed_rows, "reduced" if mode == "economic" else "complete")
    upper = conjugate(matrix_transposed(r))[..., ::-1, ::-1].copy()
    return upper if mode == "r" else (upper, conjugate(matrix_transposed(q))[..., ::-1, :].copy())
