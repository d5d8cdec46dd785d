"""Direct solvers: SciPy's SuperLU factorises on the host; matrices are copied there and back."""

from typing import Any

import numpy as np
import scipy.sparse.linalg

from ...._core._convert import as_host
from ...._core.multiarray import asarray, ndarray
from .._base import CLASSES, issparse
from .._sputils import upcast

__all__ = ["SuperLU", "factorized", "spilu", "splu", "spsolve", "spsolve_triangular"]


def _square(A: Any) -> Any:
    A = A if issparse(A) else CLASSES["csc", False](A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"matrix must be square (has shape {A.shape})")
    return A.tocsc() if A.dtype.kind in "fc" else A.tocsc().astype("d")


class SuperLU:
    """Factors of a matrix, which SciPy's SuperLU object on the host has.

    Parameters
    ----------
    factors : scipy.sparse.linalg.SuperLU
        Factors that `solve` uses.
    """

    def __init__(self, factors: Any) -> None:
        self._factors = factors
        self.shape, self.nnz = factors.shape, factors.nnz

    def solve(self, rhs: Any, trans: str = "N") -> ndarray:
        """Solve for one or several right-hand sides, on the host.

        Parameters
        ----------
        rhs : ndarray
            Right-hand sides, of shape (n,) or (n, k).
        trans : {'N', 'T', 'H'}, optional
            Whether the matrix, its transpose or its conjugate transpose is meant.

        Returns
        -------
        ndarray
            Solutions of the shape of `rhs`.
        """
        return asarray(self._factors.solve(rhs.get(), trans))

    @property
    def L(self) -> Any:
        """Lower triangle with ones on the diagonal, a csc_array."""
        return CLASSES["csc", False](self._factors.L)

    @property
    def U(self) -> Any:
        """Upper triangle, a csc_array."""
        return CLASSES["csc", False](self._factors.U)

    @property
    def perm_r(self) -> ndarray:
        """Permutation of the rows."""
        return asarray(self._factors.perm_r)

    @property
    def perm_c(self) -> ndarray:
        """Permutation of the columns."""
        return asarray(self._factors.perm_c)


def splu(
    A: Any,
    permc_spec: Any = None,
    diag_pivot_thresh: Any = None,
    relax: Any = None,
    panel_size: Any = None,
    options: Any = None,
) -> SuperLU:
    """Factorise a square matrix, on the host.

    Parameters
    ----------
    A : sparse matrix
        Matrix that is factorised; it is copied to the host.
    permc_spec : str, optional
        How columns are ordered, as SuperLU names it.
    diag_pivot_thresh : float, optional
        Threshold for a pivot on the diagonal.
    relax : int, optional
        Degree of relaxing of supernodes.
    panel_size : int, optional
        Number of columns of a panel.
    options : dict, optional
        Further options of SuperLU, by their names.

    Returns
    -------
    SuperLU
        Factors with a method `solve`.
    """
    host = _square(A).get()
    given = {} if options is None else options
    return SuperLU(
        scipy.sparse.linalg.splu(
            host, permc_spec, diag_pivot_thresh, relax, panel_size, options=given
        )
    )


def spilu(
    A: Any,
    drop_tol: Any = None,
    fill_factor: Any = None,
    drop_rule: Any = None,
    permc_spec: Any = None,
    diag_pivot_thresh: Any = None,
    relax: Any = None,
    panel_size: Any = None,
    options: Any = None,
) -> SuperLU:
    """Factorise a square matrix incompletely, on the host.

    Parameters
    ----------
    A : sparse matrix
        Matrix that is factorised; it is copied to the host.
    drop_tol : float, optional
        Size below which values are dropped, 1e-4 by default.
    fill_factor : float, optional
        How many times more values the factors may have, 10 by default.
    drop_rule : str, optional
        Rules of dropping, as SuperLU names them.
    permc_spec : str, optional
        How columns are ordered, as SuperLU names it.
    diag_pivot_thresh : float, optional
        Threshold for a pivot on the diagonal.
    relax : int, optional
        Degree of relaxing of supernodes.
    panel_size : int, optional
        Number of columns of a panel.
    options : dict, optional
        Further options of SuperLU, by their names.

    Returns
    -------
    SuperLU
        Factors with a method `solve`.
    """
    return SuperLU(
        scipy.sparse.linalg.spilu(
            _square(A).get(),
            drop_tol,
            fill_factor,
            drop_rule,
            permc_spec,
            diag_pivot_thresh,
            relax,
            panel_size,
            options={} if options is None else options,
        )
    )


def factorized(A: Any) -> Any:
    """Return a function that solves systems of a fixed matrix, on the host.

    Parameters
    ----------
    A : sparse matrix
        Square matrix that is factorised once.

    Returns
    -------
    callable
        Function of a right-hand side that returns the solution.
    """
    return splu(A).solve


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """Solve a system with a sparse matrix, on the host.

    Parameters
    ----------
    A : sparse matrix
        Square matrix of the system; it is copied to the host.
    b : ndarray or sparse matrix
        Right-hand sides, of shape (n,) or (n, k).
    permc_spec : str, optional
        How columns are ordered, as SuperLU names it.
    use_umfpack : bool, optional
        Accepted for compatibility: SuperLU is used always.

    Returns
    -------
    ndarray or sparse matrix
        Solutions, of the kind and shape of `b`.
    """
    matrix = _square(A)
    if b.shape[0] != matrix.shape[0]:
        raise ValueError(f"matrix - rhs dimension mismatch ({matrix.shape} - {b.shape[0]})")
    found = scipy.sparse.linalg.spsolve(matrix.get(), b.get(), permc_spec, use_umfpack=False)
    if not scipy.sparse.issparse(found):
        return asarray(as_host(found))
    return CLASSES[found.format, isinstance(found, scipy.sparse.spmatrix)](found)


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> ndarray:
    """Solve a system with a triangular sparse matrix, on the host.

    Parameters
    ----------
    A : sparse matrix
        Triangular matrix of the system; it is copied to the host.
    b : ndarray
        Right-hand sides, of shape (n,) or (n, k).
    lower : bool, optional
        Whether `A` is a lower triangle, otherwise an upper one.
    overwrite_A : bool, optional
        Accepted for compatibility: `A` is never changed.
    overwrite_b : bool, optional
        Accepted for compatibility: `b` is never changed.
    unit_diagonal : bool, optional
        If True, the diagonal is taken as ones.

    Returns
    -------
    ndarray
        Solutions of the shape of `b`.
    """
    matrix = A.tocsr().get()
    dtype = upcast(A.dtype, b.dtype, np.float64 if A.dtype.kind in "biu" else A.dtype)
    found = scipy.sparse.linalg.spsolve_triangular(
        matrix, b.get(), lower, unit_diagonal=unit_diagonal
    )
    return asarray(found).astype(dtype, copy=False)
