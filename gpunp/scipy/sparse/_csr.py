"""Compressed sparse rows."""

from typing import Any

from ..._core._docstrings import documented_as
from ._base import CLASSES, sparray
from ._compressed import _cs_matrix
from ._docs import COMPRESSED
from ._matrix import spmatrix
from ._products import sparse_times_sparse
from ._sparsetools import take_rows

__all__ = ["csr_array", "csr_matrix", "isspmatrix_csr"]


class _csr_base(_cs_matrix):
    format = "csr"

    @staticmethod
    def _swapped(pair: tuple) -> tuple:
        return pair

    @staticmethod
    def _along(axis: int) -> int:
        return 1 - axis

    @documented_as(_cs_matrix.tocoo)
    def tocoo(self, copy: bool = False) -> Any:
        """Convert to coordinates."""
        return super().tocoo(copy)

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
        csc matrix or array
            Transpose, which has the same arrays.
        """
        if self.ndim == 1:
            return self.copy() if copy else self
        return self._transposed("csc", axes, copy)

    def tocsr(self, copy: bool = False) -> Any:
        """Return this matrix.

        Parameters
        ----------
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        csr matrix or array
            This matrix, or its copy.
        """
        return self.copy() if copy else self

    def tocsc(self, copy: bool = False) -> Any:
        """Convert to compressed columns; the structure is kept for the next conversion.

        Parameters
        ----------
        copy : bool, optional
            If True, the indices are not shared with the structure kept.

        Returns
        -------
        csc matrix or array
            The same elements, column by column.
        """
        if self.ndim == 1:
            raise ValueError("Cannot convert a 1d sparse array to csc format")
        made = self._converted("csc")
        return made.copy() if copy else made

    def _times_sparse(self, other: Any) -> Any:
        if self.ndim == 1 or other.ndim == 1 or self.shape[1] != other.shape[0]:
            return super()._times_sparse(other)
        return sparse_times_sparse(self, other.tocsr())

    def _row(self, i: int) -> Any:
        n = self.shape[0]
        if not -n <= i < n:
            raise IndexError(f"index ({i}) out of range")
        return self[i % n : i % n + 1]

    def _column(self, j: int) -> Any:
        return self.tocsc()._column(j).tocsr()

    def _rows_at(self, rows: Any) -> Any:
        """The rows that an array of indices names."""
        self._check_sound()
        first = self.indptr[:-1][rows]
        lengths = self.indptr[1:][rows] - first
        indptr, indices, data = take_rows(self.indptr, self.indices, self.data, first, lengths)
        made = self._new(data, indices, indptr, (rows.size, self.shape[1]))
        made._flags = self._known()
        return made


class csr_array(_csr_base, sparray):
    __doc__ = COMPRESSED.format(name="csr_array", axis="rows", kind="array", other="columns")
    _ranks = (1, 2)


class csr_matrix(spmatrix, _csr_base):
    __doc__ = COMPRESSED.format(name="csr_matrix", axis="rows", kind="matrix", other="columns")


CLASSES["csr", False], CLASSES["csr", True] = csr_array, csr_matrix


def isspmatrix_csr(x: Any) -> bool:
    """Tell whether an object is a csr_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, csr_matrix)
