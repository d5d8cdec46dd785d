"""Compressed sparse columns."""

from typing import Any

from ..._core.multiarray import ndarray
from ._base import CLASSES, sparray
from ._compressed import _cs_matrix
from ._docs import COMPRESSED
from ._index import is_outer
from ._matrix import spmatrix
from ._products import sparse_times_sparse

__all__ = ["csc_array", "csc_matrix", "isspmatrix_csc"]


class _csc_base(_cs_matrix):
    format = "csc"

    @staticmethod
    def _swapped(pair: tuple) -> tuple:
        return pair[1], pair[0]

    @staticmethod
    def _along(axis: int) -> int:
        return axis

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Exchange the axes.

        Parameters
        ----------
        axes : None, optional
            Not supported, as in SciPy: it must be None.
        copy : bool, optional
            If True, the result shares no memory with this matrix.

        Returns
        -------
        csr matrix or array
            Transpose, which has the same arrays.
        """
        return self._transposed("csr", axes, copy)

    def tocsr(self, copy: bool = False) -> Any:
        """Convert to compressed rows; the structure is kept for the next conversion.

        Parameters
        ----------
        copy : bool, optional
            If True, the indices are not shared with the structure kept.

        Returns
        -------
        csr matrix or array
            The same elements, row by row.
        """
        made = self._converted("csr")
        return made.copy() if copy else made

    def tocsc(self, copy: bool = False) -> Any:
        """Return this matrix.

        Parameters
        ----------
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        csc matrix or array
            This matrix, or its copy.
        """
        return self.copy() if copy else self

    def _times_sparse(self, other: Any) -> Any:
        if other.ndim == 1 or self.shape[1] != other.shape[0]:
            return super()._times_sparse(other)
        # (A B) = (Bᵀ Aᵀ)ᵀ, whose rows are these columns
        return sparse_times_sparse(other.tocsc().T, self.T).T

    def _selected(self, rows: Any, columns: Any) -> Any:
        if isinstance(rows, ndarray) and isinstance(columns, ndarray):
            if not is_outer(rows, columns):
                return self._pairs(rows, columns)
            rows, columns = rows.reshape(1, -1), columns.reshape(-1, 1)
        made = self.T._selected(columns, rows)
        return made.T if made.ndim == 2 else made

    def _row(self, i: int) -> Any:
        return self.tocsr()._row(i).tocsc()

    def _column(self, j: int) -> Any:
        return self.T._row(j).T


class csc_array(_csc_base, sparray):
    __doc__ = COMPRESSED.format(name="csc_array", axis="columns", kind="array", other="rows")


class csc_matrix(spmatrix, _csc_base):
    __doc__ = COMPRESSED.format(name="csc_matrix", axis="columns", kind="matrix", other="rows")


CLASSES["csc", False], CLASSES["csc", True] = csc_array, csc_matrix


def isspmatrix_csc(x: Any) -> bool:
    """Tell whether an object is a csc_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, csc_matrix)
