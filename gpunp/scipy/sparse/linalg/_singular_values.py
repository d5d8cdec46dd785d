"""Singular values of sparse matrices by the Lanczos method."""

from typing import Any

import numpy as np

from ...._core._convert import whole
from ....linalg import svd
from ._eigen import eigsh
from ._interface import LinearOperator, aslinearoperator
from ._system import are_fixed

__all__ = ["svds"]


def svds(
    A: Any,
    k: int = 6,
    ncv: Any = None,
    tol: float = 0,
    which: str = "LM",
    v0: Any = None,
    maxiter: Any = None,
    return_singular_vectors: Any = True,
    solver: str = "arpack",
    rng: Any = None,
    options: Any = None,
    *,
    random_state: Any = None,
) -> Any:
    """Compute some singular values and vectors of a matrix.

    Parameters
    ----------
    A : sparse matrix, ndarray or LinearOperator
        Matrix; an operator needs products of its adjoint.
    k : int, optional
        Number of singular values, less than the rows and columns.
    ncv : int, optional
        Number of Lanczos vectors, by default as many as `eigsh` has.
    tol : float, optional
        Relative accuracy of singular values, 0 for that of the type.
    which : {'LM', 'SM'}, optional
        Largest or smallest singular values.
    v0 : ndarray, optional
        Vector to start with, of the length of the shorter side; random by default.
    maxiter : int, optional
        Largest number of restarts, by default ten times the shorter side.
    return_singular_vectors : {True, False, 'u', 'vh'}, optional
        Which singular vectors are returned, besides the values.
    solver : {'arpack', 'propack', 'lobpcg'}, optional
        Accepted for compatibility: the Lanczos method is used always.
    rng : int, Generator or RandomState, optional
        Generator of the vector to start with, or the seed of one.
    options : dict, optional
        Accepted for compatibility: no solver has options.
    random_state : int, Generator or RandomState, optional
        Older name of the parameter `rng`.

    Returns
    -------
    u : ndarray
        Left singular vectors as columns; None with 'vh'.
    s : ndarray
        Singular values in ascending order, alone if no vectors are returned.
    vh : ndarray
        Right singular vectors as conjugated rows; None with 'u'.

    Notes
    -----
    The space comes from `eigsh` of the product of the matrix and its adjoint; values and vectors
    are those of the matrix times this space, so that small ones are accurate too.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.diags_array(cp.arange(10.0))
    >>> sparse.linalg.svds(a, k=2, return_singular_vectors=False).round(6)
    array([8., 9.])
    """
    operator = aslinearoperator(A)
    rows, columns = operator.shape
    short = min(rows, columns)
    _check_singular(k, which, tol, maxiter, return_singular_vectors, solver)
    if not 0 < k < short or int(k) != k:
        raise ValueError("`k` must be an integer satisfying `0 < k < min(A.shape)`.")
    if ncv is not None and not k < ncv < short:
        raise ValueError("`ncv` must be an integer satisfying `k < ncv < min(A.shape)`.")
    if v0 is not None and v0.shape != (short,):
        raise ValueError(f"`v0` must have shape {(short,)}.")
    dtype = operator.dtype if operator.dtype.char in "fdFD" else np.dtype("d")
    one, other = operator.matvec, operator.rmatvec
    if rows < columns:
        one, other = other, one
    gram = LinearOperator((short, short), matvec=lambda v: other(one(v)), dtype=dtype)
    gram._is_fixed = are_fixed(True, operator)
    rng = random_state if rng is None else rng
    _, space = eigsh(
        gram, int(k), which=which, v0=v0, ncv=ncv, maxiter=maxiter, tol=tol**2, rng=rng
    )
    image = (operator.matmat if rows >= columns else operator.rmatmat)(space)
    u, s, vh = svd(image, full_matrices=False)
    vh = vh @ space.conj().T
    if rows < columns:
        u, vh = vh.conj().T, u.conj().T
    u, s, vh = u[:, ::-1], s[::-1].copy(), vh[::-1]
    kind = return_singular_vectors
    if kind is False:
        return s
    return None if kind == "vh" else u, s, None if kind == "u" else vh


def _check_singular(k: Any, which: Any, tol: Any, maxiter: Any, vectors: Any, solver: Any) -> None:
    if not isinstance(which, str) or which not in ("LM", "SM"):
        raise ValueError("`which` must be in {'SM', 'LM'}.")
    if tol < 0:
        raise ValueError("`tol` must be a non-negative floating point value.")
    if maxiter is not None and whole(maxiter, "maxiter") <= 0:
        raise ValueError("`maxiter` must be a positive integer.")
    if vectors not in (True, False, "u", "vh"):
        raise ValueError("`return_singular_vectors` must be in {False, True, 'u', 'vh'}.")
    if solver not in ("arpack", "propack", "lobpcg"):
        raise ValueError("solver must be one of {'arpack', 'propack', 'lobpcg'}.")
