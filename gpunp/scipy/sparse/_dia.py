"""Diagonals."""

from typing import Any

import numpy as np
import scipy.sparse

from ..._core._convert import as_host
from ..._core.fromnumeric import ravel
from ..._core.multiarray import arange, asarray, ascontiguousarray, ndarray, where, zeros
from ..._core.numeric import flatnonzero
from . import _sparsetools as tools
from ._base import CLASSES, LATER, _spbase, issparse, sparray
from ._compressed import coo_or_compressed, is_foreign
from ._data import _data_matrix
from ._kept_rows import KeptRows
from ._matrix import spmatrix
from ._sputils import as_values, check_dtype, check_exchanged, check_shape, foreign_array, is_shape

__all__ = ["dia_array", "dia_matrix", "isspmatrix_dia"]

_DOC = """Sparse {kind} of diagonals.

    Row k of `data` has the diagonal of `offsets[k]`, each element at the place of its column.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        Dense elements, a sparse matrix of this or another library, the shape, or
        ``(data, offsets)``.
    shape : tuple of int, optional
        Numbers of rows and columns, needed with diagonals.
    dtype : dtype, optional
        Type of the values, by default that of `arg1`.
    copy : bool, optional
        If True, the arrays given are copied.
    maxprint : int, optional
        Largest number of elements that `str` shows, by default 50.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> sparse.{name}((cp.array([[1.0, 2.0]]), [1]), shape=(2, 2)).toarray()
    array([[0., 2.],
           [0., 0.]])
    """


class _dia_base(KeptRows, _data_matrix, _spbase):
    format = "dia"

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        *,
        maxprint: Any = None,
    ) -> None:
        if maxprint is not None:
            self.maxprint = maxprint
        if isinstance(arg1, tuple) and is_shape(arg1) and shape is None:
            self._shape = check_shape(arg1)
            self.data = zeros((0, 0), check_dtype("d" if dtype is None else dtype))
            self.offsets = zeros(0, tools.index_dtype(*self._shape))
        elif isinstance(arg1, tuple):
            self._from_parts(arg1, shape, dtype, copy)
        else:
            made = arg1
            if is_foreign(made):
                made = coo_or_compressed(made, isinstance(self, spmatrix))
            elif not issparse(made):
                made = self._class("coo")(made, dtype=dtype)
            if made.ndim != 2:
                raise ValueError(f"DIA arrays don't support {made.ndim}D input, they are 2D")
            made = made.todia(copy=copy)
            self.data, self.offsets, self._shape = made.data, made.offsets, made._shape
            if dtype is not None:
                self.data = self.data.astype(check_dtype(dtype), copy=False)
            if shape is not None and tuple(shape) != self._shape:
                raise ValueError(f"inconsistent shapes: {shape} and {self._shape}")

    def _from_parts(self, parts: tuple, shape: Any, dtype: Any, copy: bool) -> None:
        if len(parts) != 2:
            raise ValueError("unrecognized form for dia_array constructor")
        if shape is None:
            raise ValueError("expected a shape argument")
        self._shape = check_shape(shape)
        data = as_values(parts[0], dtype, copy)
        self.data = ascontiguousarray(data.reshape(1, -1) if data.ndim < 2 else data)
        offsets = foreign_array(parts[1]).reshape(-1)
        if offsets.dtype.kind not in "iu":
            offsets = offsets.astype(np.int64)
        self.offsets = offsets.astype(tools.index_dtype(*self._shape), copy=copy)
        if self.data.ndim != 2:
            raise ValueError("data array must have rank 2")
        if self.data.shape[0] != self.offsets.size:
            raise ValueError(
                f"number of diagonals ({self.data.shape[0]}) does not match the number of offsets "
                f"({self.offsets.size})"
            )
        is_host = isinstance(parts[1], (int, list, tuple, range, np.integer, np.ndarray))
        host = as_host(parts[1]) if is_host else self.offsets.get()
        if len(np.unique(host)) != host.size:
            raise ValueError("offset array contains duplicate values")

    def _with_data(self, data: ndarray, copy: bool = False) -> Any:
        made = object.__new__(type(self))
        made.data, made._shape = data, self._shape
        made.offsets = self.offsets.copy() if copy else self.offsets
        made._kept = self._kept
        return made

    def _made_of(self) -> tuple:
        return self.offsets, *self._shape, *self.data.shape

    def _make_rows(self) -> tuple:
        m, n = self._shape
        width, index = self.data.shape[1], tools.index_dtype(*self._shape, self.data.size)
        order = self.offsets.argsort()
        rows = arange(m, dtype=index)[:, None]
        columns = rows + self.offsets[order].astype(index, copy=False)
        kept = flatnonzero((columns >= 0) & (columns < min(n, width)))
        places = columns + order.astype(index) * width
        begins = tools.begins_of((rows + columns * 0).reshape(-1)[kept], m, 0, index)
        return begins, columns.reshape(-1)[kept], places.reshape(-1)[kept]

    def _more_words(self) -> str:
        return f" ({self.offsets.size} diagonals)"

    def _inside(self) -> tuple:
        """Row and column of each place of `data`, and whether it is an element."""
        m, n = self._shape
        index = self.offsets.dtype
        columns = arange(self.data.shape[1], dtype=index).reshape(1, -1)
        rows = columns - self.offsets.reshape(-1, 1)
        return rows, columns + rows * 0, (rows >= 0) & (rows < m) & (columns < n)

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is not None:
            raise NotImplementedError("counts along an axis: convert the matrix by tocsr() first")
        m, n = self._shape
        width = self.data.shape[1]
        return sum(max(min(m + k, n, width) - max(k, 0), 0) for k in self.offsets.get().tolist())

    def count_nonzero(self, axis: Any = None) -> Any:
        """Count the values that are not zero.

        Parameters
        ----------
        axis : None, optional
            Not supported, as in SciPy: it must be None.

        Returns
        -------
        int
            Count, which waits for the device.
        """
        if axis is not None:
            raise NotImplementedError("counts along an axis: convert the matrix by tocsr() first")
        return int(((self.data != 0) & self._inside()[2]).sum())

    def get(self) -> Any:
        """Copy to the host, as SciPy's object of the same class.

        Returns
        -------
        scipy.sparse matrix or array
            Copy in host memory.
        """
        theirs = getattr(scipy.sparse, type(self).__name__)
        return theirs((self.data.get(), self.offsets.get()), shape=self._shape)

    def resize(self, *shape: Any) -> None:
        """Change the shape in place; elements outside of it are dropped.

        Parameters
        ----------
        *shape : int or tuple of int
            New numbers of rows and columns.
        """
        before, self._shape = self._shape, check_shape(shape)
        self.data = self.data[:, : self._shape[1]]
        if self._shape[0] < before[0]:
            self.data = where(self._inside()[2], self.data, self.data.dtype.type(0))

    def tocoo(self, copy: bool = False) -> Any:
        """Convert to coordinates; zeros are left out.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        coo matrix or array
            The same elements with their coordinates.
        """
        rows, columns, inside = self._inside()
        kept = flatnonzero(inside & (self.data != 0))
        coo = self._class("coo")
        coords = (ravel(rows)[kept], ravel(columns)[kept])
        return coo._made(ravel(self.data)[kept], coords, self._shape)

    def todia(self, copy: bool = False) -> Any:
        """Return this matrix.

        Parameters
        ----------
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        dia matrix or array
            This matrix, or its copy.
        """
        return self.copy() if copy else self

    def diagonal(self, k: int = 0) -> ndarray:
        """Return a diagonal as a dense array.

        Parameters
        ----------
        k : int, optional
            Diagonal that is returned, positive above the main one.

        Returns
        -------
        ndarray
            Elements on the diagonal.
        """
        rows, columns = self._shape
        if k <= -rows or k >= columns:
            return zeros(0, self.dtype)
        first, last = max(k, 0), min(rows + k, columns)
        out = zeros(last - first, self.dtype)
        places = np.flatnonzero(self.offsets.get() == k)
        if places.size:
            found = self.data[int(places[0]), first:last]
            out[: found.size] = found
        return out

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Exchange the axes.

        Parameters
        ----------
        axes : None, optional
            Not supported, as in SciPy: it must be None.
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        dia matrix or array
            Transpose, diagonals with their places along the other axis.
        """
        check_exchanged(axes)
        m, n = self._shape
        width = min(max(m, n), max(m, 1)) if self.data.size else 0
        offsets = self.offsets.reshape(-1, 1)
        source = arange(width, dtype=self.offsets.dtype).reshape(1, -1) + offsets
        inside = (source >= 0) & (source < self.data.shape[1])
        row = arange(self.offsets.size, dtype=self.offsets.dtype).reshape(-1, 1)
        data = self.data[row, source * inside] * inside if width else zeros((0, 0), self.dtype)
        made = self._with_data(data.astype(self.dtype, copy=False))
        made.offsets, made._shape = -self.offsets, (n, m)
        return made


class dia_array(_dia_base, sparray):
    __doc__ = _DOC.format(kind="array", name="dia_array")


class dia_matrix(spmatrix, _dia_base):
    __doc__ = _DOC.format(kind="matrix", name="dia_matrix")


CLASSES["dia", False], CLASSES["dia", True] = dia_array, dia_matrix


def isspmatrix_dia(x: Any) -> bool:
    """Tell whether an object is a dia_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, dia_matrix)


def dia_from_coo(a: Any) -> Any:
    """Diagonals of coordinates without duplicates; reads the offsets."""
    offsets = np.unique((a.col.astype(np.int64) - a.row).get())
    cls = a._class("dia")
    made = object.__new__(cls)
    made._shape = a.shape
    index = tools.index_dtype(*a.shape)
    made.offsets = asarray(offsets.astype(index))
    width = int(a.col.max()) + 1 if a.data.size else 0
    made.data = zeros((offsets.size, width), a.dtype)
    if a.data.size:
        place = made.offsets.searchsorted((a.col - a.row).astype(index))
        made.data[place, a.col] = a.data
    return made


LATER["dia"] = dia_from_coo
