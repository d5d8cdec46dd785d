"""Decompositions, under NumPy's names and signatures, by cuSOLVER.

Computed in the arrays' own precision: float32 stays float32 throughout, where NumPy computes in
float64 and rounds. float16 and bfloat16 are refused, as NumPy refuses float16.
"""

from typing import Any, NamedTuple

import numpy as np

from .._core import umath as um
from .._core._ufunc_config import linalg_is_checked
from .._core._warnings import warn
from .._core.fromnumeric import argsort, sort
from .._core.lapack import (
    lapack_geev,
    lapack_geqrf,
    lapack_orgqr,
    lapack_ormqr,
    lapack_potrf,
    lapack_svd,
    lapack_syev,
    small_cholesky,
    small_eigh,
    small_svd,
)
from .._core.multiarray import arange, empty, ndarray, take_along, where
from .._core.norms import norm_two
from .._core.numeric import roll
from .._core.shape_base import stack
from .._core.umath import matmul
from ._stacks import (
    SMALL,
    LinAlgError,
    check,
    checked,
    column_copy,
    common_type,
    conjugate,
    finite,
    identity_like,
    masked,
    matrices,
    matrix_transposed,
    plain_copy,
    real_type,
    square,
    straight,
    triangle,
)
from ._triangular import triangle_solved

__all__ = ["cholesky", "eig", "eigh", "eigvals", "eigvalsh", "qr", "svd", "svdvals"]


class EigResult(NamedTuple):
    """Named tuple of eigenvalues, and right eigenvectors as columns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """Named tuple of eigenvalues in ascending order, and eigenvectors as columns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """Named tuple of a matrix with orthonormal columns, and an upper triangular matrix."""

    Q: ndarray
    R: ndarray


class SVDResult(NamedTuple):
    """Named tuple of left singular vectors, singular values, right singular vectors as rows."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def cholesky(a, /, *, upper=False) -> ndarray:
    """Compute the Cholesky factors of Hermitian positive-definite matrices.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian positive-definite matrix, or a stack of them. Only one triangle is read: the lower
        one, or the upper one if `upper` is True.
    upper : bool, optional
        If True, return U with ``U.H @ U = a`` instead of L with ``L @ L.H = a``.

    Returns
    -------
    gpunp.ndarray
        Triangular factors; the other triangle is zero.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite. The check waits for the device; see `gpunp.errstate`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.cholesky(cp.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 0.],
           [1., 2.]])
    """
    a = square(a)
    if a.shape[-1] <= SMALL:
        factor, flag = small_cholesky(a.astype(common_type(a), copy=False), upper)
        check("Matrix is not positive definite", flag)
        return factor
    # The lower factor is the faster one; that of the conjugates, which a plain copy hands over, is
    # the upper factor row by row.
    work = (plain_copy if upper else column_copy)(a, common_type(a))
    info = lapack_potrf(work, False)
    factor = triangle(work if upper else matrix_transposed(work), upper)
    return checked("Matrix is not positive definite", info, factor)


# ---- QR ----------------------------------------------------------------------------------------


# Up to this size the Q of a stack are computed at once; larger ones fill the device one by one.
_Q_AT_ONCE = 128


def _orthonormal_at_once(work: ndarray, tau: ndarray, columns: int) -> ndarray:
    """The first columns of Q = 1 - V T V^H, of all matrices of a stack together.

    The inverse of T is the upper triangle of V^H V with 1 / tau on its diagonal: C. Puglisi,
    "Modification of the Householder method based on the compact WY representation", SIAM J. Sci.
    Stat. Comput. 13 (1992). Where tau is 0 there is no reflector.
    """
    n = tau.shape[-1]
    is_there = tau != 0
    one = work.dtype.type(1)
    k = arange(n)
    v = triangle(work[..., :n, :], True, 1)  # transposed
    v[..., k, k] = 1
    v *= is_there[..., None]
    t = triangle(matmul(conjugate(v), matrix_transposed(v)), True, 1)
    t[..., k, k] = um.divide(one, where(is_there, tau, one))
    x, _ = triangle_solved(t, conjugate(v)[..., :columns], False)
    q = um.negative(matmul(matrix_transposed(v), x))
    j = arange(columns)
    q[..., j, j] += 1
    return q


def _orthonormal(work: ndarray, tau: ndarray, columns: int) -> ndarray:
    """The first columns of Q from the reflectors in a stack."""
    have = work.shape[-2]
    if work.ndim > 2 and tau.size and max(work.shape[-1], columns) <= _Q_AT_ONCE:
        return _orthonormal_at_once(work, tau, columns)
    if columns > have:
        wide = empty((*work.shape[:-2], columns, work.shape[-1]), work.dtype)
        wide[..., :have, :] = work
        wide[..., have:, :] = 0
        work = wide
    elif columns < have:
        work = work[..., :columns, :].copy()
    lapack_orgqr(work, tau)
    return straight(work)


def qr(a, mode="reduced") -> Any:
    """Compute the QR factorization: orthonormal columns times an upper triangular matrix.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    mode : {'reduced', 'complete', 'r', 'raw'}, optional
        Parts to return, with ``K = min(M, N)``: 'reduced' gives Q (M, K) and R (K, N), 'complete' Q
        (M, M) and R (M, N), 'r' R alone, 'raw' the Householder reflectors (N, M) and their factors
        (K,).

    Returns
    -------
    QRResult, or gpunp.ndarray, or tuple
        The factors that `mode` selects.

    Examples
    --------
    >>> import gpunp as cp
    >>> q, r = cp.linalg.qr(cp.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> bool(cp.allclose(q @ r, cp.array([[3.0, 1.0], [4.0, 2.0]])))
    True
    """
    if mode not in ("reduced", "complete", "r", "raw"):
        if mode in ("f", "full"):
            warn("The 'full' option is deprecated in favor of 'reduced'.", DeprecationWarning)
            mode = "reduced"
        elif mode in ("e", "economic"):
            warn("The 'economic' option is deprecated.", DeprecationWarning)
            mode = "economic"
        else:
            raise ValueError(f"Unrecognized mode '{mode}'")
    a = matrices(a)
    work = column_copy(a, common_type(a))
    tau = lapack_geqrf(work)
    rows, columns = a.shape[-2:]
    least = min(rows, columns)
    if mode == "raw":
        return work, tau
    if mode == "economic":
        return straight(work)
    height = rows if mode == "complete" and rows > columns else least
    r = triangle(matrix_transposed(work)[..., :height, :], True)
    if mode == "r":
        return r
    return QRResult(_orthonormal(work, tau, rows if mode == "complete" else least), r)


# ---- symmetric eigenvalues ---------------------------------------------------------------------


def _is_upper(uplo: Any) -> bool:
    uplo = uplo.upper()
    if uplo not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo == "U"


# Largest number of rows of our own Jacobi kernels; a lane keeps two rows in its registers.
_JACOBI_ROWS = {"f": SMALL, "d": SMALL, "F": SMALL, "D": SMALL // 2}


def _symmetric(a: Any, uplo: Any, vectors: bool) -> tuple[ndarray, Any]:
    """Eigenvalues, and eigenvectors as columns."""
    upper = _is_upper(uplo)
    a = square(a)
    dtype = common_type(a)
    if a.shape[-1] <= _JACOBI_ROWS[dtype.char]:
        w, v, flag = small_eigh(a.astype(dtype, copy=False), vectors, upper)
        check("Eigenvalues did not converge", flag)
        return w, v
    # The solver sees the conjugates, whose eigenvectors are the conjugates of ours.
    work = plain_copy(a, dtype)
    is_finite = finite(triangle(work, upper))
    w, info = lapack_syev(work, vectors, not upper)
    check("Eigenvalues did not converge", info, is_finite)
    w, work = masked(info, is_finite, w, work)
    return w, conjugate(straight(work)) if vectors else None


def eigh(a, UPLO="L") -> EighResult:
    """Compute the eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian matrix, or a stack of them.
    UPLO : {'L', 'U'}, optional
        Whether the lower or the upper triangle is read.

    Returns
    -------
    EighResult
        Eigenvalues (..., M) in ascending order, and eigenvectors (..., M, M) as columns.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device; see `gpunp.errstate`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.eigh(cp.array([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    array([1., 2.])
    """
    return EighResult(*_symmetric(a, UPLO, True))


def eigvalsh(a, UPLO="L") -> ndarray:
    """Compute the eigenvalues of Hermitian matrices, in ascending order; see `eigh`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Hermitian matrix, or a stack of them, of which one triangle is read.
    UPLO : {'L', 'U'}, optional
        Whether the lower or the upper triangle is read.

    Returns
    -------
    ndarray, (..., M)
        Real eigenvalues.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device; under
        ``errstate(linalg="ignore")`` the result is NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.eigvalsh(cp.array([[0.0, 1.0], [1.0, 0.0]]))
    array([-1.,  1.])
    """
    return _symmetric(a, UPLO, False)[0]


# ---- general eigenvalues -----------------------------------------------------------------------


def _general(a: Any, vectors: bool, may_be_real: bool = False) -> tuple[ndarray, ndarray]:
    """Eigenvalues and stack of eigenvectors, complex, or real if allowed and all of them are."""
    a = square(a)
    dtype = common_type(a)
    work = column_copy(a, dtype)
    is_checked = linalg_is_checked()
    # The solver fails on NaN and infinity, so these are replaced before.
    is_finite = finite(work)
    if is_checked and not bool(is_finite.all()):
        raise LinAlgError("Array must not contain infs or NaNs")
    if not is_checked:
        work = where(is_finite[..., None, None], work, np.zeros((), dtype)[()])
    w, v, info = lapack_geev(work, vectors)
    is_real = dtype.kind != "c" and may_be_real
    if is_checked:
        failed = (info != 0).any() if info.size else um.logical_not(is_finite.all())
        if is_real:  # one read from the device answers both
            failed, has_pairs = stack([failed, (w.imag != 0).any()]).get()
            is_real = not has_pairs
        if bool(failed):
            raise LinAlgError("Eigenvalues did not converge")
    else:
        is_real = False
        w = where(is_finite[..., None], w, np.full((), np.nan, w.dtype)[()])
    if vectors and not is_real and v.dtype.kind != "c":
        v = _complex_vectors(w, v)
    return (w.real.copy() if is_real else w), v


def eig(a) -> EigResult:
    """Compute the eigenvalues and right eigenvectors of general square matrices.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    EigResult
        Eigenvalues (..., M) in no particular order, and eigenvectors (..., M, M) as columns. Both
        are complex, as in the array API and in NumPy 2.5: whether they are real is known on the
        device only.

    Notes
    -----
    Matrices of a stack are processed one after the other. Requires cuSOLVER of CUDA 12.6 or newer.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.eig(cp.array([[2.0, 0.0], [0.0, 3.0]])).eigenvalues.real
    array([2., 3.])
    """
    w, v = _general(a, True)
    return EigResult(w, straight(v))


def _complex_vectors(w: ndarray, v: ndarray) -> ndarray:
    """Eigenvectors of real matrices from LAPACK's form: a pair of complex ones, which conjugates
    are, is kept as the real part and the imaginary part, in this order."""
    sign = um.sign(w.imag)[..., None]
    after, before = roll(v, -1, axis=-2), roll(v, 1, axis=-2)
    real = where(sign < 0, before, v)
    imaginary = where(sign > 0, after, where(sign < 0, -v, np.zeros((), v.dtype)[()]))
    result = empty(v.shape, w.dtype)
    result.real = real
    result.imag = imaginary
    return result


def eigvals(a) -> ndarray:
    """Compute the eigenvalues of general square matrices; see `eig`.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Square matrix, or a stack of square matrices.

    Returns
    -------
    ndarray, (..., M)
        Eigenvalues in no particular order.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device; under
        ``errstate(linalg="ignore")`` the result is NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.eigvals(cp.array([[0.0, -1.0], [1.0, 0.0]])).imag.max()
    array(1.)
    """
    return _general(a, False)[0]


def eigenvalues_of_companion(a: ndarray) -> ndarray:
    """Eigenvalues as `roots` and `poly` have them in every version of NumPy: real where all are."""
    return _general(a, False, may_be_real=True)[0]


# ---- singular values ---------------------------------------------------------------------------


def _empty_svd(a: ndarray, dtype: Any, full: bool) -> SVDResult:
    """Decomposition of matrices without elements: identities for the full square factors."""
    batch = a.shape[:-2]
    rows, columns = a.shape[-2:]
    least = min(rows, columns)
    s = empty((*batch, least), real_type(dtype))
    if full:
        return SVDResult(identity_like(a, rows, dtype), s, identity_like(a, columns, dtype))
    return SVDResult(empty((*batch, rows, least), dtype), s, empty((*batch, least, columns), dtype))


def _svd(a: ndarray, full: bool, vectors: bool, method: str | None = None) -> Any:
    dtype = common_type(a)
    if not a.size:
        result = _empty_svd(a, dtype, full)
        return result if vectors else result.S
    rows, columns = a.shape[-2:]
    if max(rows, columns) <= _JACOBI_ROWS[dtype.char]:
        u, s, vh, flag = small_svd(a.astype(dtype, copy=False), vectors, full)
        check("SVD did not converge", flag)
        return SVDResult(u, s, vh) if vectors else s
    is_tall = rows > columns
    # The solver wants tall matrices: ours, or, as a plain copy, their transposes.
    work = column_copy(a, dtype) if is_tall else plain_copy(a, dtype)
    is_finite = finite(work)
    is_slender = work.ndim == 2 and work.shape[-1] >= 2 * work.shape[-2]
    decompose = _svd_of_slender if is_slender and not (vectors and full) else _svd_of_any
    u, s, v, v_is_rows, info = decompose(work, vectors, full, method)
    check("SVD did not converge", info, is_finite)
    if not vectors:
        return masked(info, is_finite, s)[0]
    u, s, v = masked(info, is_finite, u, s, v)
    if not full and u.shape[-2] > s.shape[-1]:
        u = u[..., : s.shape[-1], :]
    # u has left vectors of the solver's matrix as rows here; v right vectors, conjugated as rows
    # of the solver's matrix (columns here) or plain (rows here).
    if is_tall:
        return SVDResult(straight(u), s, straight(v) if v_is_rows else conjugate(v))
    vh = u if u.flags.c_contiguous else u.copy()
    return SVDResult(v if v_is_rows else conjugate(straight(v)), s, vh)


# Number of columns from which the polar decomposition is fastest, as measured on an H200.
_POLAR = 192
_WIDER = {np.dtype("f4"): np.dtype("f8"), np.dtype("c8"): np.dtype("c16")}


def _svd_of_any(work: ndarray, vectors: bool, full: bool, method: str | None = None) -> Any:
    """What lapack_svd returns, by the fastest method that gives a decomposition.

    The polar method decomposes a perturbed matrix, without a word, where some singular value is
    small, so its result is looked at: that waits, as the question whether it converged does.
    In single precision random matrices are perturbed beyond their accuracy already; in double the
    perturbation is some 1e-6 of the largest value at worst, so where the device is about as fast
    there, single precision is worked on in double.
    """
    if method is not None or work.shape[-2] < _POLAR or not linalg_is_checked():
        return lapack_svd(work, vectors, full, method)
    dtype = work.dtype
    wide = _WIDER.get(dtype, dtype) if _doubles_are_fast(work.device) else dtype
    copy = work.copy() if wide == dtype else work.astype(wide)
    u, s, v, v_is_rows, info = lapack_svd(copy, True, full, "gesvdp")
    u, v = u.astype(dtype, copy=False), v.astype(dtype, copy=False)
    s = s.astype(real_type(dtype), copy=False)
    if bool(_is_svd(work, u, s, v).all()):
        return u, s, v, v_is_rows, info
    return lapack_svd(work, vectors, full, None)


def _doubles_are_fast(device: Any) -> bool:
    """Whether single precision is at most twice as fast, as on the devices made for computing."""
    return int(device.attributes["SingleToDoublePrecisionPerfRatio"]) <= 2


def _is_svd(work: ndarray, u: ndarray, s: ndarray, v: ndarray) -> ndarray:
    """Whether stacks are a decomposition of matrices, to a small multiple of n eps."""
    n = s.shape[-1]
    limit = 4 * max(work.shape[-2:]) * float(np.finfo(s.dtype).eps)
    product = matmul(matrix_transposed(u[..., :n, :]) * s[..., None, :], conjugate(v))
    size = norm_two(work, (-2, -1))
    is_good = norm_two(matrix_transposed(work) - product, (-2, -1)) <= limit * size
    for x in (u, v):
        one = um.eye(x.shape[-2], x.shape[-2], 0, x.dtype, "C")
        error = norm_two(matmul(conjugate(x), matrix_transposed(x)) - one, (-2, -1))
        is_good = um.logical_and(is_good, error <= limit * x.shape[-2] ** 0.5)
    return is_good


def _svd_of_slender(work: ndarray, vectors: bool, full: bool, method: str | None) -> Any:
    """What lapack_svd returns, of a matrix that is much taller than wide: by that of its R.

    T. F. Chan, "An improved algorithm for computing the singular value decomposition", ACM Trans.
    Math. Softw. 8 (1982).
    """
    columns = work.shape[-2]
    tau = lapack_geqrf(work)
    r = column_copy(triangle(matrix_transposed(work)[..., :columns, :], True), work.dtype)
    u, s, v, v_is_rows, info = _svd_of_any(r, vectors, full, method)
    if vectors:
        tall = empty(work.shape, work.dtype)
        tall[..., :columns] = u
        tall[..., columns:] = 0
        lapack_ormqr(work, tau, tall, False)
        u = tall
    return u, s, v, v_is_rows, info


def svd(a, full_matrices=True, compute_uv=True, hermitian=False) -> Any:
    """Decompose matrices into singular vectors and singular values.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of matrices.
    full_matrices : bool, optional
        If True, U is (M, M) and Vh is (N, N); otherwise they have K = min(M, N) columns and rows.
    compute_uv : bool, optional
        If False, return the singular values alone.
    hermitian : bool, optional
        If True, the matrices are taken to be Hermitian and decomposed by `eigh`.

    Returns
    -------
    SVDResult, or gpunp.ndarray
        U, S (descending) and Vh with ``(U[..., :K] * S) @ Vh[..., :K, :] = a``; or S alone.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device; see `gpunp.errstate`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.svd(cp.array([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False)
    array([4., 3.])
    """
    a = matrices(a)
    if not hermitian:
        return _svd(a, full_matrices, compute_uv)
    if not compute_uv:
        return sort(um.absolute(eigvalsh(a)), axis=-1)[..., ::-1]
    w, v = eigh(a)
    order = argsort(um.absolute(w), axis=-1)[..., ::-1]
    one = np.ones((), w.dtype)[()]
    sign = take_along(where(w < 0, -one, one), order, -1)  # of 0 too: Vh stays unitary
    u = take_along(v, order[..., None, :], -1)
    s = take_along(um.absolute(w), order, -1)
    return SVDResult(u, s, conjugate(matrix_transposed(u * sign[..., None, :])))


def svdvals(x, /) -> ndarray:
    """Compute the singular values of matrices, in descending order.

    Parameters
    ----------
    x : array_like, (..., M, N)
        Matrix, or a stack of matrices.

    Returns
    -------
    ndarray, (..., min(M, N))
        Real singular values.

    Raises
    ------
    LinAlgError
        If the algorithm does not converge. The check waits for the device; under
        ``errstate(linalg="ignore")`` the result is NaN.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.linalg.svdvals(cp.array([[0.0, 2.0], [1.0, 0.0]]))
    array([2., 1.])
    """
    return _svd(matrices(x), False, False)
