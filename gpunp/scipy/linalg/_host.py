"""Functions that SciPy computes on the host: reductions of general matrices to Schur and Hessenberg
form and what is made of them, updates of factors, and equations of control theory.

They are chains of dependent rotations, for which cuSOLVER has no routines before its version 12.6.
Matrices are copied to the host and results to the device.
"""

from typing import Any

import numpy as np

from ..._core._convert import as_array, check_device_memory, number_on_host, without_cycles
from ..._core._docstrings import documented_as
from ..._core.multiarray import asarray, ndarray, zeros
from ..._core.umath import matmul
from ...linalg._stacks import common_type
from ...linalg._stacks import conjugate as conjugated
from ...linalg._triangular import refuse_infinite
from .._host import to_host
from ._decomp import qr
from ._expm import expm
from ._given import one_by_one

__all__ = [
    "cdf2rdf",
    "cholesky_banded",
    "cossin",
    "expm_cond",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "hessenberg",
    "invhilbert",
    "invpascal",
    "ldl",
    "logm",
    "matrix_balance",
    "ordqz",
    "pascal",
    "qr_delete",
    "qr_insert",
    "qr_multiply",
    "qr_update",
    "qz",
    "rsf2csf",
    "schur",
    "signm",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_sylvester",
    "sqrtm",
]


def _host(value: Any) -> Any:
    """A matrix on the host, in single precision if it was of bool or of half precision, as SciPy
    computes before 1.18 and warns of since; None and other values pass.
    """
    if isinstance(value, (list, tuple)):
        value = as_array(value)
    if isinstance(value, np.ndarray):
        as_array(value)  # raises an error for an array of the host
    if not isinstance(value, ndarray):
        return value
    return (value.astype(np.float32) if value.dtype.char in "e?" else value).get()


def _device(value: Any) -> Any:
    """Arrays among results on the device."""
    if isinstance(value, np.ndarray):
        return asarray(value)
    return tuple(map(_device, value)) if isinstance(value, tuple) else value


def _by_scipy(name: str, *args: Any, **options: Any) -> Any:
    import scipy.linalg

    options = {key: without_cycles(value) for key, value in options.items()}
    return _device(getattr(scipy.linalg, name)(*[_host(value) for value in args], **options))


# ---- decompositions ------------------------------------------------------------------------------


def schur(a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True) -> tuple:
    """Compute the Schur decomposition ``a = Z @ T @ Z^H`` of a matrix, on the host.

    Parameters
    ----------
    a : array_like, (M, M)
        Square matrix, which is copied to the host.
    output : {'real', 'complex'}, optional
        Form of `T` for a real matrix: blocks of two rows for pairs of eigenvalues, or triangular.
    lwork : int, optional
        Accepted for compatibility with SciPy; size of LAPACK's working space.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    sort : callable or {'lhp', 'rhp', 'iuc', 'ouc'}, optional
        Which eigenvalues come first.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    T : ndarray, (M, M)
        Schur form, upper triangular or nearly so.
    Z : ndarray, (M, M)
        Unitary matrix of the decomposition.
    sdim : int
        With `sort`: number of eigenvalues that come first.

    Raises
    ------
    LinAlgError
        If the iterations do not converge.

    Examples
    --------
    >>> import gpunp as cp
    >>> T, Z = cp.scipy.linalg.schur(cp.array([[2.0, 1.0], [0.0, 3.0]]))
    >>> T
    array([[2., 1.],
           [0., 3.]])
    """
    return _by_scipy("schur", a, output=output, lwork=lwork, sort=sort, check_finite=check_finite)


def rsf2csf(T, Z, check_finite=True) -> tuple[ndarray, ndarray]:
    """Convert a real Schur form to a complex one, on the host.

    Parameters
    ----------
    T, Z : array_like, (M, M)
        Real Schur form and its orthogonal matrix, which are copied to the host.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    T, Z : ndarray, (M, M)
        Upper triangular form, and its unitary matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> T, Z = cp.scipy.linalg.rsf2csf(cp.eye(2), cp.eye(2))
    >>> T.shape
    (2, 2)
    """
    return _by_scipy("rsf2csf", T, Z, check_finite=check_finite)


def hessenberg(a, calc_q=False, overwrite_a=False, check_finite=True) -> Any:
    """Compute the Hessenberg form ``a = Q @ H @ Q^H`` of a matrix, on the host.

    Parameters
    ----------
    a : array_like, (M, M)
        Square matrix, which is copied to the host.
    calc_q : bool, optional
        Whether the unitary matrix is returned.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `a` is never overwritten.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    H : ndarray, (M, M)
        Hessenberg form, zero below the first subdiagonal.
    Q : ndarray, (M, M)
        With `calc_q`: the unitary matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.hessenberg(cp.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [3., 4.]])
    """
    return _by_scipy("hessenberg", a, calc_q=bool(calc_q), check_finite=check_finite)


def qz(
    A,
    B,
    output="real",
    lwork=None,
    sort=None,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
) -> tuple:
    """Compute the generalized Schur decomposition of a pair of matrices, on the host.

    Parameters
    ----------
    A, B : array_like, (N, N)
        Square matrices, which are copied to the host.
    output : {'real', 'complex'}, optional
        Form of the result for real matrices.
    lwork : int, optional
        Accepted for compatibility with SciPy; size of LAPACK's working space.
    sort : None, optional
        Must be None; `ordqz` sorts.
    overwrite_a, overwrite_b : bool, optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    AA, BB : ndarray, (N, N)
        Schur form of `A`, and upper triangular form of `B`.
    Q, Z : ndarray, (N, N)
        Unitary matrices: ``A = Q @ AA @ Z^H``, ``B = Q @ BB @ Z^H``.

    Examples
    --------
    >>> import gpunp as cp
    >>> AA, BB, Q, Z = cp.scipy.linalg.qz(cp.eye(2), cp.eye(2))
    >>> AA.shape
    (2, 2)
    """
    return _by_scipy("qz", A, B, output=output, lwork=lwork, sort=sort, check_finite=check_finite)


@documented_as(qz)
def ordqz(
    A,
    B,
    sort="lhp",
    output="real",
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
) -> tuple:
    """Compute a generalized Schur decomposition with sorted eigenvalues, on the host.

    Parameters
    ----------
    sort : callable or {'lhp', 'rhp', 'iuc', 'ouc'}, optional
        Which eigenvalues come first: a function of device arrays of numerators and denominators
        returns truth values.

    Returns
    -------
    AA, BB : ndarray, (N, N)
        Schur form of `A`, and upper triangular form of `B`.
    alpha, beta : ndarray, (N,)
        Numerators and denominators of the eigenvalues.
    Q, Z : ndarray, (N, N)
        Unitary matrices: ``A = Q @ AA @ Z^H``, ``B = Q @ BB @ Z^H``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.ordqz(cp.eye(2), cp.eye(2), sort="rhp")[2]
    array([1.+0.j, 1.+0.j])
    """

    def chosen(alpha: np.ndarray, beta: np.ndarray) -> Any:
        return to_host(sort(asarray(alpha), asarray(beta)))

    sort_by = chosen if callable(sort) else sort
    return _by_scipy("ordqz", A, B, sort=sort_by, output=output, check_finite=check_finite)


@documented_as(hessenberg)
def ldl(A, lower=True, hermitian=True, overwrite_a=False, check_finite=True) -> tuple:
    """Compute the LDL decomposition of a symmetric or Hermitian matrix, on the host.

    Parameters
    ----------
    A : array_like, (M, M)
        Square matrix of which one triangle is read, and which is copied to the host.
    lower : bool, optional
        If True, the lower triangle is read and the factor is lower triangular.
    hermitian : bool, optional
        Whether a complex matrix is Hermitian, else symmetric.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `A` is never overwritten.

    Returns
    -------
    lu : ndarray, (M, M)
        Permuted triangular factor.
    d : ndarray, (M, M)
        Block diagonal factor.
    perm : ndarray, (M,)
        Permutation of the rows that makes the factor triangular.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.ldl(cp.array([[2.0, 1.0], [1.0, 3.0]]))[1]
    array([[2. , 0. ],
           [0. , 2.5]])
    """
    return _by_scipy(
        "ldl", A, lower=bool(lower), hermitian=bool(hermitian), check_finite=check_finite
    )


def cossin(
    X, p=None, q=None, separate=False, swap_sign=False, compute_u=True, compute_vh=True
) -> tuple:
    """Compute the cosine-sine decomposition of a unitary matrix, on the host.

    Parameters
    ----------
    X : array_like, (M, M), or tuple of four
        Unitary matrix, or its four blocks, which are copied to the host.
    p, q : int, optional
        Rows and columns of the upper left block.
    separate : bool, optional
        Whether the blocks of the factors are returned, and angles instead of the middle factor.
    swap_sign : bool, optional
        Whether the signs of the sines are exchanged.
    compute_u, compute_vh : bool, optional
        Whether the factors are computed.

    Returns
    -------
    u, cs, vh : ndarray or tuple of ndarray
        Factors of the decomposition.

    Examples
    --------
    >>> import gpunp as cp
    >>> u, cs, vh = cp.scipy.linalg.cossin(cp.eye(2), p=1, q=1)
    >>> cs.shape
    (2, 2)
    """
    import scipy.linalg

    if not hasattr(X, "__len__"):
        raise ValueError("X must be a matrix or its four blocks")
    blocks = X if isinstance(X, ndarray) or len(X) != 4 else tuple(map(_host, X))
    return _device(
        scipy.linalg.cossin(
            blocks if isinstance(blocks, tuple) else _host(blocks),
            p,
            q,
            separate,
            swap_sign,
            compute_u,
            compute_vh,
        )
    )


def cdf2rdf(w, v) -> tuple[ndarray, ndarray]:
    """Convert complex eigenvalues and eigenvectors to real blocks, on the host.

    Parameters
    ----------
    w : array_like, (..., M)
        Eigenvalues in conjugate pairs, which are copied to the host.
    v : array_like, (..., M, M)
        Eigenvectors as columns, which are copied to the host.

    Returns
    -------
    wr : ndarray, (..., M, M)
        Real block diagonal form.
    vr : ndarray, (..., M, M)
        Real matrix with ``vr @ wr = X @ vr``.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.cdf2rdf(cp.array([1.0, 2.0]), cp.eye(2))[0]
    array([[1., 0.],
           [0., 2.]])
    """
    return _by_scipy("cdf2rdf", w, v)


def matrix_balance(A, permute=True, scale=True, separate=False, overwrite_a=False) -> tuple:
    """Balance rows and columns of a matrix by a similarity transformation, on the host.

    Parameters
    ----------
    A : array_like, (N, N)
        Square matrix, which is copied to the host.
    permute : bool, optional
        Whether rows and columns are permuted.
    scale : bool, optional
        Whether rows and columns are scaled, by powers of two.
    separate : bool, optional
        Whether scaling and permutation are returned as vectors.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy; `A` is never overwritten.

    Returns
    -------
    B : ndarray, (N, N)
        Balanced matrix.
    T : ndarray or tuple of ndarray
        Transformation with ``B = inv(T) @ A @ T``, or scaling and permutation.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.matrix_balance(cp.array([[1.0, 64.0], [1.0, 1.0]]))[0]
    array([[1., 8.],
           [8., 1.]])
    """
    flags = {"permute": bool(permute), "scale": bool(scale), "separate": bool(separate)}
    return _by_scipy("matrix_balance", A, **flags)


@documented_as(hessenberg)
def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True) -> ndarray:
    """Compute the Cholesky factor of a Hermitian banded matrix, on the host.

    Parameters
    ----------
    ab : array_like, (u + 1, M)
        Diagonals of one half, as `solveh_banded` takes them, which are copied to the host.
    overwrite_ab : bool, optional
        Accepted for compatibility with SciPy; `ab` is never overwritten.
    lower : bool, optional
        If True, `ab` has the lower form.

    Returns
    -------
    ndarray, (u + 1, M)
        Factor in the same form, for `cho_solve_banded`.

    Raises
    ------
    LinAlgError
        If the matrix is not positive definite.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.cholesky_banded(cp.array([[4.0, 16.0]]))
    array([[2., 4.]])
    """
    return _by_scipy("cholesky_banded", ab, lower=bool(lower), check_finite=check_finite)


# ---- functions of matrices -----------------------------------------------------------------------


def sqrtm(A) -> ndarray:
    """Compute the principal square root of a matrix from its Schur form, on the host.

    Parameters
    ----------
    A : array_like, (..., N, N)
        Square matrix, or a stack of them, which is copied to the host.

    Returns
    -------
    ndarray, (..., N, N)
        Square root, complex where it must be.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.sqrtm(cp.array([[4.0, 0.0], [0.0, 9.0]]))
    array([[2., 0.],
           [0., 3.]])
    """
    return _by_scipy("sqrtm", A)


@documented_as(sqrtm)
def logm(A) -> ndarray:
    """Compute the logarithm of a matrix by inverse scaling and squaring, on the host.

    Returns
    -------
    ndarray, (..., N, N)
        Logarithm, complex where it must be.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.logm(cp.eye(2))
    array([[0., 0.],
           [0., 0.]])
    """
    return _by_scipy("logm", A)


@documented_as(sqrtm)
def signm(A) -> ndarray:
    """Compute the matrix sign function, with the signs of the eigenvalues, on the host.

    Returns
    -------
    ndarray, (..., N, N)
        Values of the sign function.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.signm(cp.array([[4.0, 0.0], [0.0, -9.0]]))
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    return _by_scipy("signm", A)


def funm(A, func, disp=True) -> Any:
    """Compute a function of a matrix from its Schur form, on the host.

    Parameters
    ----------
    A : array_like, (N, N)
        Square matrix, which is copied to the host.
    func : callable
        Function of device arrays, elementwise, such as `gpunp.sin`.
    disp : bool, optional
        If True, print a warning if the estimated error is large, else return the estimate.

    Returns
    -------
    fA : ndarray, (N, N)
        Value of the function.
    errest : float
        With ``disp=False``: estimated error, as a 1-norm.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.funm(cp.array([[1.0, 1.0], [0.0, 2.0]]), cp.square)
    array([[1., 3.],
           [0., 4.]])
    """
    import scipy.linalg

    return _device(scipy.linalg.funm(_host(A), lambda x: to_host(func(asarray(x))), disp))


@documented_as(funm)
def fractional_matrix_power(A, t) -> ndarray:
    """Compute a fractional power of a matrix from its Schur form, on the host.

    Parameters
    ----------
    t : float
        Exponent of the power.

    Returns
    -------
    ndarray, (N, N)
        Power of the matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.fractional_matrix_power(cp.array([[4.0, 0.0], [0.0, 9.0]]), 0.5)
    array([[2., 0.],
           [0., 3.]])
    """
    return _by_scipy("fractional_matrix_power", A, t)


@one_by_one(A=2, E=2)
def expm_frechet(A, E, method=None, compute_expm=True, check_finite=True) -> Any:
    """Compute the matrix exponential and its derivative in a direction.

    Parameters
    ----------
    A : array_like, (N, N)
        Square matrix at which the exponential is wanted.
    E : array_like, (N, N)
        Direction of the derivative.
    method : {'SPS', 'blockEnlarge'}, optional
        Accepted for compatibility with SciPy: both compute the exponential of a matrix of 2N rows.
    compute_expm : bool, optional
        Whether the exponential is returned.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    expm_A : ndarray, (N, N)
        With `compute_expm`: exponential of `A`.
    expm_frechet_AE : ndarray, (N, N)
        Derivative of the exponential in the direction `E`.

    Notes
    -----
    Computed on the device, as `expm`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.expm_frechet(cp.zeros((1, 1)), cp.ones((1, 1)))
    (array([[1.]]), array([[1.]]))
    """
    a, e = as_array(A), as_array(E)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise ValueError("expected A to be a square matrix")
    if e.ndim != 2 or e.shape[0] != e.shape[1]:
        raise ValueError("expected E to be a square matrix")
    if a.shape != e.shape:
        raise ValueError("expected A and E to be the same shape")
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(f"Unknown implementation {method}")
    if check_finite:
        refuse_infinite(a, e)
    n, dtype = a.shape[0], common_type(a, e)
    both = zeros((2 * n, 2 * n), dtype)
    both[:n, :n], both[n:, n:], both[:n, n:] = a, a, e
    found = expm(both)
    return (found[:n, :n], found[:n, n:]) if compute_expm else found[:n, n:]


@documented_as(funm)
def expm_cond(A, check_finite=True) -> float:
    """Compute the relative condition number of the matrix exponential, on the host.

    Parameters
    ----------
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    float
        Condition number in the Frobenius norm, a number of the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(float(cp.scipy.linalg.expm_cond(cp.array([[-0.5, 0.2], [0.0, 0.3]]))), 3)
    0.618
    """
    return _by_scipy("expm_cond", A, check_finite=check_finite)


# ---- equations -----------------------------------------------------------------------------------


def solve_sylvester(a, b, q) -> ndarray:
    """Solve the Sylvester equation ``a @ x + x @ b = q``, on the host.

    Parameters
    ----------
    a : array_like, (M, M)
        Left matrix, which is copied to the host.
    b : array_like, (N, N)
        Right matrix, which is copied to the host.
    q : array_like, (M, N)
        Right-hand side, which is copied to the host.

    Returns
    -------
    ndarray, (M, N)
        Solution of the equation.

    Raises
    ------
    LinAlgError
        If there is no unique solution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve_sylvester(cp.eye(1), cp.eye(1), 4 * cp.eye(1))
    array([[2.]])
    """
    return _by_scipy("solve_sylvester", a, b, q)


def solve_continuous_lyapunov(a, q) -> ndarray:
    """Solve the Lyapunov equation ``a @ x + x @ a^H = q``, on the host.

    Parameters
    ----------
    a : array_like, (N, N)
        Square matrix, which is copied to the host.
    q : array_like, (N, N)
        Right-hand side, which is copied to the host.

    Returns
    -------
    ndarray, (N, N)
        Solution of the equation.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve_continuous_lyapunov(cp.eye(1), 4 * cp.eye(1))
    array([[2.]])
    """
    return _by_scipy("solve_continuous_lyapunov", a, q)


@documented_as(solve_continuous_lyapunov)
def solve_discrete_lyapunov(a, q, method=None) -> ndarray:
    """Solve the Lyapunov equation ``a @ x @ a^H - x + q = 0``, on the host.

    Parameters
    ----------
    q : array_like, (N, N)
        Constant matrix, which is copied to the host.
    method : {'direct', 'bilinear'}, optional
        Method of SciPy's: by default 'direct' below ten rows.

    Returns
    -------
    ndarray, (N, N)
        Solution of the equation.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.solve_discrete_lyapunov(0.5 * cp.eye(1), 3 * cp.eye(1)).round(12)
    array([[4.]])
    """
    return _by_scipy("solve_discrete_lyapunov", a, q, method=method)


def solve_continuous_are(a, b, q, r, e=None, s=None, balanced=True) -> ndarray:
    """Solve the algebraic Riccati equation of continuous time, on the host.

    Parameters
    ----------
    a : array_like, (M, M)
        Matrix of the system, which is copied to the host as all others.
    b : array_like, (M, N)
        Matrix of the inputs.
    q : array_like, (M, M)
        Weights of the states.
    r : array_like, (N, N)
        Weights of the inputs, not singular.
    e : array_like, (M, M), optional
        Matrix before the derivatives, not singular.
    s : array_like, (M, N), optional
        Weights of products of states and inputs.
    balanced : bool, optional
        Whether the pencil is balanced before it is decomposed.

    Returns
    -------
    ndarray, (M, M)
        Solution of the equation.

    Raises
    ------
    LinAlgError
        If no stable part can be separated.

    Examples
    --------
    >>> import gpunp as cp
    >>> one = cp.eye(1)
    >>> cp.scipy.linalg.solve_continuous_are(0 * one, one, one, one).round(12)
    array([[1.]])
    """
    return _by_scipy("solve_continuous_are", a, b, q, r, e, s, balanced=balanced)


@documented_as(solve_continuous_are)
def solve_discrete_are(a, b, q, r, e=None, s=None, balanced=True) -> ndarray:
    """Solve the algebraic Riccati equation of discrete time, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> one = cp.eye(1)
    >>> cp.scipy.linalg.solve_discrete_are(0 * one, one, one, one).round(12)
    array([[1.]])
    """
    return _by_scipy("solve_discrete_are", a, b, q, r, e, s, balanced=balanced)


# ---- QR ------------------------------------------------------------------------------------------


@one_by_one(a=2, c=0)
def qr_multiply(
    a, c, mode="right", pivoting=False, conjugate=False, overwrite_a=False, overwrite_c=False
) -> tuple:
    """Compute a QR decomposition, and the product of Q and a matrix.

    Parameters
    ----------
    a : array_like, (M, N)
        Matrix that is decomposed.
    c : array_like
        Vector or matrix that is multiplied: with min(M, N) rows for 'left', M columns for 'right'.
    mode : {'left', 'right'}, optional
        Whether ``Q @ c`` or ``c @ Q`` is returned.
    pivoting : bool, optional
        Whether columns are exchanged, as by `qr`.
    conjugate : bool, optional
        Whether Q is conjugated.
    overwrite_a : bool, optional
        Accepted for compatibility with SciPy and ignored.
    overwrite_c : bool, optional
        If True, Q is square for 'left', and `c` has M rows. `c` is never overwritten.

    Returns
    -------
    CQ : ndarray
        Product of Q and `c`.
    R : ndarray, (K, N)
        Triangular factor.
    P : ndarray, (N,)
        With `pivoting`: permutation of the columns.

    Raises
    ------
    ValueError
        If the shapes do not match.

    Notes
    -----
    Computed on the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.qr_multiply(cp.eye(2), cp.array([1.0, 2.0]))[1].shape
    (2, 2)
    """
    if mode not in ("left", "right"):
        raise ValueError(f"Mode argument can only be 'left' or 'right' but not '{mode}'")
    a, c = as_array(a), as_array(c)
    if c.ndim == 0:
        raise ValueError("c must have one or two axes, not none")
    whole = mode == "left" and overwrite_c
    found = qr(a, mode="full" if whole else "economic", pivoting=pivoting)
    q, rest = found[0], list(found[1:])
    rest[0] = rest[0][: min(a.shape)]
    factor = conjugated(q) if conjugate else q
    if mode == "left":
        if c.shape[0] != q.shape[1]:
            raise ValueError(
                f"Array shapes are not compatible for Q @ c operation: {a.shape} vs {c.shape}"
            )
        product = matmul(factor, c)
    else:
        if c.shape[-1] != q.shape[0]:
            raise ValueError(
                f"Array shapes are not compatible for c @ Q operation: {c.shape} vs {a.shape}"
            )
        product = matmul(c, factor)
    return (product, *rest)


def qr_update(Q, R, u, v, overwrite_qruv=False, check_finite=True) -> tuple[ndarray, ndarray]:
    """Update a QR decomposition for ``A + u @ v^H``, on the host.

    Parameters
    ----------
    Q, R : array_like
        Factors of `A`, which are copied to the host.
    u : array_like, (M,) or (M, K)
        Left vectors of the change.
    v : array_like, (N,) or (N, K)
        Right vectors of the change.
    overwrite_qruv : bool, optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    Q1, R1 : ndarray
        Factors of the changed matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> Q, R = cp.scipy.linalg.qr_update(cp.eye(2), cp.eye(2), cp.ones(2), cp.ones(2))
    >>> abs(Q @ R).round(12)
    array([[2., 1.],
           [1., 2.]])
    """
    return _by_scipy("qr_update", Q, R, u, v, check_finite=check_finite)


@documented_as(qr_update)
def qr_insert(
    Q, R, u, k, which="row", rcond=None, overwrite_qru=False, check_finite=True
) -> tuple[ndarray, ndarray]:
    """Update a QR decomposition for rows or columns that are inserted, on the host.

    Parameters
    ----------
    Q, R : array_like
        Factors of a matrix, which are copied to the host.
    u : array_like
        Rows or columns that are inserted.
    k : int
        Index before which they are inserted.
    which : {'row', 'col'}, optional
        Whether `u` has rows or columns.
    rcond : float, optional
        Lower bound of the reciprocal condition number of `Q` with new columns.
    overwrite_qru : bool, optional
        Accepted for compatibility with SciPy and ignored.

    Returns
    -------
    Q1, R1 : ndarray
        Factors of the changed matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> Q, R = cp.scipy.linalg.qr_insert(cp.eye(2), cp.eye(2), cp.ones(2), 2)
    >>> (Q @ R).round(12)
    array([[1., 0.],
           [0., 1.],
           [1., 1.]])
    """
    return _by_scipy("qr_insert", Q, R, u, k, which=which, rcond=rcond, check_finite=check_finite)


@documented_as(qr_insert)
def qr_delete(
    Q, R, k, p=1, which="row", overwrite_qr=False, check_finite=True
) -> tuple[ndarray, ndarray]:
    """Update a QR decomposition for rows or columns that are deleted, on the host.

    Parameters
    ----------
    k : int
        Index of the first row or column that is deleted.
    p : int, optional
        Number of rows or columns that are deleted.
    which : {'row', 'col'}, optional
        Whether rows or columns are deleted.
    overwrite_qr : bool, optional
        Accepted for compatibility with SciPy and ignored.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity.

    Returns
    -------
    Q1, R1 : ndarray
        Factors of the changed matrix.

    Examples
    --------
    >>> import gpunp as cp
    >>> Q, R = cp.scipy.linalg.qr_delete(cp.eye(2), cp.eye(2), 1)
    >>> (Q @ R).round(12)
    array([[1., 0.]])
    """
    return _by_scipy("qr_delete", Q, R, k, p, which=which, check_finite=check_finite)


# ---- special matrices ----------------------------------------------------------------------------


def _uploaded(matrix: np.ndarray, name: str) -> ndarray:
    if matrix.dtype == object:
        raise ValueError(f"{name} of this size needs integers of more than 64 bits: exact=False")
    return asarray(matrix)


def _refuse_large(n: Any, exact: Any, name: str) -> None:
    """Raise ValueError for exact elements of more than 64 bits, which SciPy computes one by one."""
    if exact and n > 34:
        raise ValueError(f"{name} of this size needs integers of more than 64 bits: exact=False")


def pascal(n, kind="symmetric", exact=True) -> ndarray:
    """Create a matrix of binomial coefficients, Pascal's triangle.

    Parameters
    ----------
    n : int
        Number of rows and columns.
    kind : {'symmetric', 'lower', 'upper'}, optional
        Form of the matrix.
    exact : bool, optional
        Whether elements are integers, which have 64 bits, or floats.

    Returns
    -------
    ndarray, (n, n)
        Pascal matrix, made on the host.

    Raises
    ------
    ValueError
        If exact elements need more than 64 bits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.pascal(3)
    array([[1, 1, 1],
           [1, 2, 3],
           [1, 3, 6]], dtype=uint64)
    """
    import scipy.linalg

    check_device_memory(n, n)
    _refuse_large(n, exact, "a Pascal matrix")
    return _uploaded(scipy.linalg.pascal(n, kind, exact), "a Pascal matrix")


@documented_as(pascal)
def invpascal(n, kind="symmetric", exact=True) -> ndarray:
    """Create the inverse of a Pascal matrix.

    Returns
    -------
    ndarray, (n, n)
        Inverse of the matrix, made on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.invpascal(2)
    array([[ 2, -1],
           [-1,  1]])
    """
    import scipy.linalg

    check_device_memory(n, n)
    _refuse_large(n, exact, "an inverse Pascal matrix")
    return _uploaded(scipy.linalg.invpascal(n, kind, exact), "an inverse Pascal matrix")


@documented_as(pascal)
def invhilbert(n, exact=False) -> ndarray:
    """Create the inverse of a Hilbert matrix.

    Returns
    -------
    ndarray, (n, n)
        Inverse of the matrix, made on the host.

    Raises
    ------
    ValueError
        If exact elements need more than 64 bits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.linalg.invhilbert(2)
    array([[ 4., -6.],
           [-6., 12.]])
    """
    import scipy.linalg

    n = number_on_host(n)
    check_device_memory(n, n)
    return _uploaded(scipy.linalg.invhilbert(n, exact), "an inverse Hilbert matrix")
