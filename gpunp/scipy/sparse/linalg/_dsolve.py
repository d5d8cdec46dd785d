"""Direct solvers: SciPy's SuperLU factorises on the host; systems of triangles are solved on the
device."""

import types
from typing import Any

import numpy as np
import scipy.sparse.linalg

from ...._core._convert import as_array, as_host, shown
from ...._core._docstrings import documented_as
from ...._core._sparse import sparse_triangle
from ...._core.multiarray import asarray, ascontiguousarray, empty, ndarray, zeros
from ...._core.umath import absolute
from ...linalg._banded import MOST_DIAGONALS, factors_of_elements
from .._base import CLASSES, inefficient, issparse
from .._sputils import upcast
from ._structure import spbandwidth

__all__ = ["SuperLU", "factorized", "spilu", "splu", "spsolve", "spsolve_triangular"]


def _square(A: Any) -> Any:
    A = A if issparse(A) else CLASSES["csc", False](A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"matrix must be square (has shape {A.shape})")
    if A.format in ("csr", "csc"):
        A = A._checked()
    return A.tocsc() if A.dtype.kind in "fc" else A.tocsc().astype("d")


class _Triangle:
    """A triangle in compressed rows on the device."""

    def __init__(self, parts: tuple, *, lower: bool, unit: bool) -> None:
        self._parts, self._lower, self._unit = parts, lower, unit

    def solve(self, b: ndarray) -> ndarray:
        """Solutions for right-hand sides of the same type, of one or two axes."""
        b = ascontiguousarray(b)
        if not self._parts[1].size:  # nothing but the diagonal of ones
            return b.copy()
        out = empty(b.shape, b.dtype)
        n, columns = b.shape[0], 1 if b.ndim == 1 else b.shape[1]
        if out.size:
            lists = -(-columns // 32) * (n // 2 + n // 8 + 2) + 64
            board = zeros(out.size * (b.itemsize // 4) + lists, "Q")
            sparse_triangle(*self._parts, b, out, board, n, columns, self._lower, self._unit)
        return out


class SuperLU:
    """Factors of a matrix by SciPy's SuperLU, with which systems are solved on the device.

    Parameters
    ----------
    factors : scipy.sparse.linalg.SuperLU
        Factors that `solve` uses.
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    _is_fixed = True  # `solve` is the same launches every time, and never waits

    def __init__(self, factors: Any) -> None:
        if not isinstance(factors, scipy.sparse.linalg.SuperLU):
            raise TypeError(f"factors must be SciPy's SuperLU, not {type(factors).__name__}")
        self._factors = factors
        self.shape, self.nnz = factors.shape, factors.nnz
        self._uploaded: dict = {}

    def _triangles(self, is_transposed: bool) -> tuple[_Triangle, _Triangle]:
        """Both triangles in the order in which they are solved; uploaded at the first use."""
        if is_transposed not in self._uploaded:
            made = []
            for factor, unit, lower in (
                (self._factors.L, True, True),
                (self._factors.U, False, False),
            ):
                rows = factor if is_transposed else factor.tocsr()
                parts = tuple(asarray(part) for part in (rows.indptr, rows.indices, rows.data))
                made.append(_Triangle(parts, lower=lower != is_transposed, unit=unit))
            self._uploaded[is_transposed] = tuple(made[:: -1 if is_transposed else 1])
        return self._uploaded[is_transposed]

    def _permutations(self) -> tuple[ndarray, ndarray, ndarray, ndarray]:
        """Permutations of rows and columns, and their inverses."""
        if "p" not in self._uploaded:
            both = self._factors.perm_r, self._factors.perm_c
            inverses = [np.argsort(p) for p in both]
            self._uploaded["p"] = tuple(asarray(p) for p in (*both, *inverses))
        return self._uploaded["p"]

    def solve(self, rhs: Any, trans: str = "N") -> ndarray:
        """Solve for one or several right-hand sides, on the device.

        Parameters
        ----------
        rhs : ndarray
            Right-hand sides, of shape (n,) or (n, k), whose type the factors' type can hold.
        trans : {'N', 'T', 'H'}, optional
            Whether the matrix, its transpose or its conjugate transpose is meant.

        Returns
        -------
        ndarray
            Solutions of the shape of `rhs`.

        Notes
        -----
        The factors are copied to the device at the first use. It does not wait for the device, and
        takes as long as the longest chain of rows that depend on each other.
        """
        if not isinstance(trans, str) or len(trans) != 1:
            raise TypeError(f"trans must be a letter, N, T, or H, not {shown(trans)}")
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans must be N, T, or H, not {trans!r}")
        rhs, dtype = as_array(rhs), self._factors.U.dtype
        if rhs.ndim not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(f"b is of incompatible size: {rhs.shape} for {self.shape}")
        if not np.can_cast(rhs.dtype, dtype, "safe"):
            raise TypeError(f"Cannot cast array data from {rhs.dtype!r} to {dtype!r}")
        row, column, row_before, column_before = self._permutations()
        is_transposed = trans != "N"
        x = rhs.astype(dtype, copy=False)
        x = x.conj() if trans == "H" else x
        x = x[column_before if is_transposed else row_before]
        for triangle in self._triangles(is_transposed):
            x = triangle.solve(x)
        x = x[row if is_transposed else column]
        return x.conj() if trans == "H" else x

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


@documented_as(splu)
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
    drop_tol : float, optional
        Size below which values are dropped, 1e-4 by default.
    fill_factor : float, optional
        How many times more values the factors may have, at least 1, by default 10.
    drop_rule : str, optional
        Rules of dropping, as SuperLU names them.

    Raises
    ------
    ValueError
        If `fill_factor` is less than 1, with which SuperLU would not end.
    """
    if fill_factor is not None and not float(fill_factor) >= 1:
        raise ValueError(f"fill_factor must be at least 1, not {fill_factor}")
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
    """Return a function that solves systems of a fixed matrix, which is factorised on the host.

    Parameters
    ----------
    A : sparse matrix
        Square matrix that is factorised once.

    Returns
    -------
    callable
        Function of a right-hand side that returns the solution, on the device.
    """
    return splu(A).solve


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    """Solve a system with a sparse matrix.

    Parameters
    ----------
    A : sparse matrix
        Square matrix of the system.
    b : ndarray or sparse matrix
        Right-hand sides, of shape (n,) or (n, k).
    permc_spec : str, optional
        How columns are ordered on the host, as SuperLU names it.
    use_umfpack : bool, optional
        Accepted for compatibility: SuperLU is used always.

    Returns
    -------
    ndarray or sparse matrix
        Solutions, of the kind and shape of `b`.

    Notes
    -----
    A matrix whose elements lie on 17 neighbouring diagonals or fewer is solved on the device, by
    orthogonal transformations; the device is waited for twice. Other matrices, those that seem
    singular, and all with a sparse `b` are copied to the host, where SuperLU solves.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.diags_array([cp.full(3, 4.0), -cp.ones(2)], offsets=[0, 1], format="csc")
    >>> sparse.linalg.spsolve(a, cp.array([2.0, 2.0, 8.0]))
    array([0.75, 1.  , 2.  ])
    """
    matrix, b = _square(A), b if issparse(b) else as_array(b)
    if b.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {b.shape}.")
    if b.shape[0] != matrix.shape[0]:
        raise ValueError(f"matrix - rhs dimension mismatch ({matrix.shape} - {b.shape[0]})")
    found = _solve_banded(matrix, b) if isinstance(b, ndarray) else None
    if found is not None:
        return found
    found = scipy.sparse.linalg.spsolve(matrix.get(), b.get(), permc_spec, use_umfpack=False)
    if not scipy.sparse.issparse(found):
        return asarray(as_host(found))
    return CLASSES[found.format, isinstance(found, scipy.sparse.spmatrix)](found)


def _solve_banded(matrix: Any, b: ndarray) -> ndarray | None:
    """The solution on the device for a csc matrix of few diagonals; None for other ones, and where
    the matrix seems singular."""
    below, above = spbandwidth(matrix)
    if below + above >= MOST_DIAGONALS or b.ndim not in (1, 2) or not b.size:
        return None
    dtype = np.promote_types(matrix.dtype, b.dtype)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    elements = matrix.tocoo()
    n, values = matrix.shape[0], elements.data.astype(dtype, copy=False)
    sides = b.reshape(n, -1).astype(dtype, copy=False)
    factors = factors_of_elements(elements.row, elements.col, values, n, below, above)
    found = factors.solve(sides)
    sizes = empty(3, "d")
    for k, numbers in enumerate((found, sides, values)):
        sizes[k] = absolute(numbers).max(initial=0)
    x, right, largest = sizes.get().tolist()
    limit = 1 / (64 * float(np.finfo(dtype).eps))
    if not x * largest <= limit * right:  # also NaN: SuperLU decides what is singular
        return None
    return found.reshape(-1) if b.ndim == 1 or b.shape[1] == 1 else found


def spsolve_triangular(
    A: Any,
    b: Any,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> ndarray:
    """Solve a system with a triangular sparse matrix, on the device.

    Parameters
    ----------
    A : sparse matrix
        Triangular matrix of the system; elements outside of the triangle are left out.
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

    Raises
    ------
    LinAlgError
        If a number of the diagonal is zero or missing, which is read from the device unless
        `unit_diagonal` is true.

    Notes
    -----
    Rows are solved as soon as those that they need are: it takes as long as the longest chain of
    rows that depend on each other.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> a = sparse.csr_array(cp.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> sparse.linalg.spsolve_triangular(a, cp.array([2.0, 9.0]))
    array([1., 2.])
    """
    if not issparse(A):
        A = CLASSES["csr", False](A)
    if A.format not in ("csr", "csc"):
        inefficient("spsolve_triangular needs a matrix of the format csr or csc")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be a square matrix but its shape is {A.shape}.")
    b = as_array(b)
    if b.ndim not in (1, 2):
        raise ValueError(f"b must have 1 or 2 dims but its shape is {b.shape}.")
    if b.shape[0] != A.shape[0]:
        raise ValueError(f"b has {b.shape[0]} rows, but A the shape {A.shape}")
    dtype = upcast(A.dtype, b.dtype, np.float64 if A.dtype.kind in "biu" else A.dtype)
    rows = A.tocsr()._checked()
    if not unit_diagonal and bool((rows.diagonal() == 0).any()):
        raise np.linalg.LinAlgError("A is singular: zero entry on diagonal.")
    parts = rows.indptr, rows.indices, ascontiguousarray(rows.data.astype(dtype, copy=False))
    triangle = _Triangle(parts, lower=bool(lower), unit=bool(unit_diagonal))
    return triangle.solve(b.astype(dtype, copy=False))
