"""The orthogonal matrix that maps one set of points closest to another."""

from typing import Any

from ... import linalg as _nl
from ..._core import umath as um
from ..._core._convert import as_array
from ..._core.multiarray import ndarray
from ...linalg._stacks import conjugate, matrix_transposed
from ...linalg._triangular import refuse_infinite
from ._given import one_by_one

__all__ = ["orthogonal_procrustes"]


@one_by_one(A=2, B=2)
def orthogonal_procrustes(A, B, check_finite=True) -> tuple[ndarray, Any]:
    """Compute the unitary R for which ``A @ R`` is closest to `B` in the Frobenius norm.

    P. H. Schonemann, "A generalized solution of the orthogonal Procrustes problem", Psychometrika
    31 (1966).

    Parameters
    ----------
    A, B : array_like, (M, N)
        Matrices of equal shape to be mapped and matched.
    check_finite : bool, optional
        If True, raise ValueError if the input contains NaN or infinity. The check waits for the
        device.

    Returns
    -------
    R : gpunp.ndarray, (N, N)
        Unitary matrix that maps `A` closest to `B`.
    scale : gpunp.ndarray
        Sum of the singular values of ``A^H @ B``, a 0-d array.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.array([[2.0, 0.0], [0.0, 1.0]])
    >>> cp.scipy.linalg.orthogonal_procrustes(a, a)[0]
    array([[1., 0.],
           [0., 1.]])
    """
    a, b = as_array(A), as_array(B)
    if check_finite:
        refuse_infinite(a, b)
    if a.ndim != 2:
        raise ValueError(f"expected ndim to be 2, but observed {a.ndim}")
    if a.shape != b.shape:
        raise ValueError(f"the shapes of A and B differ ({a.shape} vs {b.shape})")
    u, s, vh = _nl.svd(conjugate(um.matmul(conjugate(matrix_transposed(b)), a)).T)
    return um.matmul(u, vh), s.sum()
