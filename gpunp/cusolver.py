"""Decompositions under cuSOLVER's names: CuPy's `cupyx.cusolver`.

They are those of `gpunp.linalg`, which chooses the method by the shape.
"""

from ._core._convert import as_array
from ._core.fromnumeric import swapaxes
from ._core.multiarray import ndarray
from ._core.umath import conjugate
from .lapack import gels
from .linalg import eigh, eigvalsh, svd, svdvals
from .scipy.sparse import issparse
from .scipy.sparse.linalg import spsolve

__all__ = ["check_availability", "csrlsvqr", "gels", "gesvda", "gesvdj", "syevj"]


def check_availability(name) -> bool:
    """Return whether a function of this module exists.

    Parameters
    ----------
    name : str
        Name of the function, such as "gesvdj".

    Returns
    -------
    bool
        Whether it can be called.
    """
    return name in __all__


def _decomposed(a, full_matrices):
    u, s, vh = svd(a, full_matrices=full_matrices)
    return u, s, conjugate(swapaxes(vh, -1, -2))


def gesvdj(a, full_matrices=True, compute_uv=True, overwrite_a=False):
    """Decompose a matrix into its singular values and vectors.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Matrix, or a stack of them.
    full_matrices : bool, optional
        Whether the vectors make square matrices, rather than min(M, N) columns.
    compute_uv : bool, optional
        Whether to return the vectors as well.
    overwrite_a : bool, optional
        Whether `a` may be overwritten; it never is.

    Returns
    -------
    tuple of ndarray, or ndarray
        `u`, `s` and `v` with ``a = u @ diag(s) @ v.conj().T``, or `s` alone.

    Examples
    --------
    >>> import gpunp as cp
    >>> u, s, v = cp.cusolver.gesvdj(cp.diag(cp.array([1.0, 2.0])))
    >>> s
    array([2., 1.])
    """
    return _decomposed(as_array(a), full_matrices) if compute_uv else svdvals(a)


def gesvda(a, compute_uv=True):
    """Decompose a stack of tall matrices into their singular values and vectors.

    Parameters
    ----------
    a : array_like, (..., M, N)
        Stack of matrices that have at least as many rows as columns.
    compute_uv : bool, optional
        Whether to return the vectors as well.

    Returns
    -------
    tuple of ndarray, or ndarray
        `u` of shape (..., M, N), `s` and `v` as those of `gesvdj`, or `s` alone.
    """
    a = as_array(a)
    if a.ndim < 2 or a.shape[-2] < a.shape[-1]:
        raise ValueError(f"gesvda: a must have a shape (..., M, N) with M >= N, not {a.shape}")
    return _decomposed(a, False) if compute_uv else svdvals(a)


def syevj(a, UPLO="L", with_eigen_vector=True):
    """Compute eigenvalues and eigenvectors of a symmetric or Hermitian matrix.

    Parameters
    ----------
    a : array_like, (..., M, M)
        Matrix, or a stack of them.
    UPLO : {'L', 'U'}, optional
        Triangle that is read.
    with_eigen_vector : bool, optional
        Whether to return the vectors as well.

    Returns
    -------
    tuple of ndarray, or ndarray
        Eigenvalues, ascending, and eigenvectors as columns, or eigenvalues alone.
    """
    if not isinstance(UPLO, str):
        raise TypeError(f"UPLO is 'L' or 'U', not {type(UPLO).__name__}")
    return tuple(eigh(a, UPLO)) if with_eigen_vector else eigvalsh(a, UPLO)


def csrlsvqr(A, b, tol=0, reorder=1) -> ndarray:
    """Solve a sparse linear system; see `gpunp.scipy.sparse.linalg.spsolve`.

    Parameters
    ----------
    A : sparse matrix, (M, M)
        Square matrix of the system.
    b : ndarray, (M,)
        Right-hand side of the system.
    tol : float, optional
        Accepted for compatibility; singular matrices are found exactly.
    reorder : int, optional
        Accepted for compatibility; columns are always reordered.

    Returns
    -------
    ndarray
        Solution of the system.
    """
    if not issparse(A):
        raise TypeError(f"csrlsvqr: A is a sparse matrix, not {type(A).__name__}")
    return spsolve(A, as_array(b))
