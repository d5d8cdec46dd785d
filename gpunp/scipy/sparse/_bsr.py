"""Dense blocks in compressed rows."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.sparse

from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, ascontiguousarray, ndarray, zeros
from . import _sparsetools as tools
from ._base import CLASSES, LATER, _spbase, issparse, sparray
from ._compressed import _cs_matrix, coo_or_compressed, is_foreign
from ._data import _data_matrix, _minmax_mixin
from ._kept_rows import KeptRows
from ._matrix import spmatrix
from ._sputils import (
    as_indices,
    as_values,
    check_dtype,
    check_exchanged,
    check_rows,
    check_shape,
    host_indices,
    is_shape,
)

__all__ = ["bsr_array", "bsr_matrix", "isspmatrix_bsr"]

_DOC = """Sparse {kind} of dense blocks in compressed rows.

    Parameters
    ----------
    arg1 : array_like, sparse matrix or tuple
        Dense elements, a sparse matrix of this or another library, the shape, ``(data, coords)`` or
        ``(data, indices, indptr)`` with blocks in `data`.
    shape : tuple of int, optional
        Numbers of rows and columns, by default the least that hold the indices.
    dtype : dtype, optional
        Type of the values, by default that of `arg1`.
    copy : bool, optional
        If True, the arrays given are copied.
    blocksize : tuple of int, optional
        Rows and columns of a block, by default one where `data` does not say.
    maxprint : int, optional
        Largest number of elements that `str` shows, by default 50.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> sparse.{name}(cp.eye(4), blocksize=(2, 2)).data.shape
    (2, 2, 2)
    """


class _bsr_base(KeptRows, _data_matrix, _minmax_mixin, _spbase):
    format = "bsr"
    _unchecked = False  # whether indices came from the device, where nobody looked at them
    _stated: Mapping[str, bool] = MappingProxyType(
        {}
    )  # what the program set of the order of the blocks

    def __init__(
        self,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        blocksize: Any = None,
        *,
        maxprint: Any = None,
    ) -> None:
        if maxprint is not None:
            self.maxprint = maxprint
        if is_shape(arg1) and shape is None:
            self._shape = check_shape(arg1)
            r, c = blocksize or (1, 1)
            if self._shape[0] % r or self._shape[1] % c:
                raise ValueError("shape must be multiple of blocksize")
            index = tools.index_dtype(*self._shape)
            self.data = zeros((0, r, c), check_dtype("d" if dtype is None else dtype))
            self.indices, self.indptr = zeros(0, index), zeros(self._shape[0] // r + 1, index)
        elif isinstance(arg1, tuple) and len(arg1) == 3:
            self._from_parts(arg1, shape, dtype, copy)
            if blocksize is not None and tuple(blocksize) != self.blocksize:
                raise ValueError(f"mismatching blocksize={blocksize} vs {self.blocksize}")
        else:
            self._from_other(arg1, shape, dtype, blocksize)

    def _from_parts(self, parts: tuple, shape: Any, dtype: Any, copy: bool) -> None:
        self.data = ascontiguousarray(as_values(parts[0], dtype, copy))
        if self.data.ndim != 3:
            raise ValueError("BSR data must be 3-dimensional")
        host, host_ptr = host_indices(parts[1]), host_indices(parts[2])
        indices, indptr = as_indices(parts[1], "indices"), as_indices(parts[2], "indptr")
        index = tools.index_dtype(*(shape or ()), self.data.shape[0])
        self.indices = ascontiguousarray(indices.astype(index, copy=copy))
        self.indptr = ascontiguousarray(indptr.astype(index, copy=copy))
        r, c = self.blocksize
        if shape is None:
            n = int(indices.max()) + 1 if indices.size else 0
            shape = ((indptr.size - 1) * r, n * c)
        self._shape = check_shape(shape)
        if self._shape[0] % r or self._shape[1] % c:
            raise ValueError("invalid blocksize for this shape")
        if self.indptr.size != self._shape[0] // r + 1:
            raise ValueError("index pointer size does not fit the shape")
        if self.indices.size != self.data.shape[0]:
            raise ValueError("indices and data should have the same size")
        self._unchecked = host is None or host_ptr is None
        if host is not None and host_ptr is not None:
            check_rows(host_ptr, host, self._shape[1] // c)

    def _from_other(self, arg1: Any, shape: Any, dtype: Any, blocksize: Any) -> None:
        if is_foreign(arg1):
            blocksize = blocksize or getattr(arg1, "blocksize", None)
            made = coo_or_compressed(arg1, isinstance(self, spmatrix))
        else:
            made = arg1 if issparse(arg1) else self._class("coo")(arg1, shape=shape, dtype=dtype)
        made = made.tobsr(blocksize=blocksize)
        if shape is not None and tuple(shape) != made._shape:
            raise ValueError(f"inconsistent shapes: {shape} and {made._shape}")
        self.data, self.indices, self.indptr = made.data, made.indices, made.indptr
        self._shape = made._shape
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)

    @property
    def blocksize(self) -> tuple:
        """Rows and columns of a block."""
        return self.data.shape[1:]

    def _more_words(self) -> str:
        return f" (blocksize={self.blocksize[0]}x{self.blocksize[1]})"

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is not None:
            raise NotImplementedError("counts along an axis: convert the matrix by tocsr() first")
        return int(self.data.size)

    def _with_data(self, data: ndarray, copy: bool = False) -> Any:
        made = object.__new__(type(self))
        made.data, made._shape, made._unchecked = data, self._shape, self._unchecked
        made.indices = self.indices.copy() if copy else self.indices
        made.indptr = self.indptr.copy() if copy else self.indptr
        made._kept = self._kept
        return made

    def _made_of(self) -> tuple:
        return self.indices, self.indptr, *self._shape, *self.data.shape

    def _make_rows(self) -> tuple:
        r, c = self.blocksize
        index = tools.index_dtype(*self._shape, self.data.size)
        indptr, columns = (a.astype(index, copy=False) for a in (self.indptr, self.indices))
        lengths, places = indptr[1:] - indptr[:-1], arange(self.data.size, dtype=index)
        row, column = arange(r, dtype=index), arange(c, dtype=index)
        begins = zeros(self._shape[0] + 1, index)
        begins[:-1] = (indptr[:-1, None] * r + row * lengths[:, None]).reshape(-1) * c
        begins[-1] = self.data.size
        block = tools.rows_of(indptr, columns.size)  # the row of blocks of each block
        ahead = arange(columns.size, dtype=index) - indptr[block]
        first = indptr[block][:, None] * r + row * lengths[block][:, None] + ahead[:, None]
        at = ((first * c)[:, :, None] + column).reshape(-1)
        # Zeros, since blocks whose indptr does not ascend leave places out.
        indices, order = zeros(self.data.size, index), zeros(self.data.size, index)
        if at.size:
            indices[at] = (columns[:, None, None] * c + column + zeros((r, 1), index)).reshape(-1)
            order[at] = places
        return begins, indices, order

    def get(self) -> Any:
        """Copy to the host, as SciPy's object of the same class.

        Returns
        -------
        scipy.sparse matrix or array
            Copy in host memory.
        """
        theirs = getattr(scipy.sparse, type(self).__name__)
        indices, indptr = self.indices.get(), self.indptr.get()
        check_rows(indptr, indices, self._shape[1] // self.blocksize[1])  # SciPy trusts them
        return theirs((self.data.get(), indices, indptr), shape=self._shape)

    def tocoo(self, copy: bool = True) -> Any:
        """Convert to coordinates; zeros inside of blocks are kept.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        coo matrix or array
            The same elements with their coordinates.
        """
        r, c = self.blocksize
        index = tools.index_dtype(*self._shape)
        block = tools.rows_of(self.indptr, self.indices.size).astype(index, copy=False)
        rows = block.reshape(-1, 1, 1) * r + arange(r, dtype=index).reshape(1, -1, 1)
        columns = self.indices.astype(index, copy=False).reshape(-1, 1, 1) * c
        columns = columns + arange(c, dtype=index).reshape(1, 1, -1)
        flat = zeros(self.data.shape, index)
        coords = (rows + flat).reshape(-1), (columns + flat).reshape(-1)
        made = self._class("coo")._made(self.data.reshape(-1).copy(), coords, self._shape)
        made._unchecked = self._unchecked
        return made

    def tocsr(self, copy: bool = False) -> Any:
        """Convert to compressed rows; zeros inside of blocks are kept.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        csr matrix or array
            The same elements, row by row.
        """
        return self.tocoo().tocsr()

    def tobsr(self, blocksize: Any = None, copy: bool = False) -> Any:
        """Return this matrix, or one of other blocks.

        Parameters
        ----------
        blocksize : tuple of int, optional
            Rows and columns of a block, by default those of this matrix.
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        bsr matrix or array
            This matrix, its copy, or the same elements in other blocks.
        """
        if blocksize is None or tuple(blocksize) == self.blocksize:
            return self.copy() if copy else self
        return self.tocsr().tobsr(blocksize)

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
        bsr matrix or array
            Transpose, with transposed blocks.
        """
        check_exchanged(axes)
        c = self.blocksize[1]
        rows = tools.rows_of(self.indptr, self.indices.size)
        columns, places = tools.places_of(self.indices, tools.column_bits(self._shape[1] // c))
        made = object.__new__(type(self))
        made.data = ascontiguousarray(self.data[places].transpose(0, 2, 1))
        made.indices, made._shape = rows[places], self._shape[::-1]
        made._unchecked = self._unchecked
        made.indptr = tools.begins_of(columns, self._shape[1] // c, 0, self.indptr.dtype)
        return made

    def _structure(self) -> Any:
        """The numbers of the blocks, as a matrix in compressed rows."""
        r, c = self.blocksize
        parts = arange(self.indices.size), self.indices, self.indptr
        return CLASSES["csr", False](parts, shape=(self._shape[0] // r, self._shape[1] // c))

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError("bsr matrices have no items: convert the matrix by tocsr() first")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotImplementedError("bsr matrices have no items: convert the matrix by tocsr() first")

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each row of blocks ascend; waits for the device unless set."""
        if "sorted" in self._stated:
            return self._stated["sorted"]
        return self._structure().has_sorted_indices

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._stated = {**self._stated, "sorted": bool(value)} | (
            {} if value else {"unique": False}
        )

    @property
    def has_canonical_format(self) -> bool:
        """Whether indices ascend without duplicates; waits for the device unless set."""
        if "unique" in self._stated:
            return self._stated["unique"]
        return self._structure().has_canonical_format

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._stated = {**self._stated, "unique": bool(value)} | ({"sorted": True} if value else {})

    @documented_as(_cs_matrix.check_format)
    def check_format(self, full_check: bool = True) -> None:
        """Check the arrays that the matrix is made of."""
        self._structure().check_format(full_check)

    def sort_indices(self) -> None:
        """Sort the blocks of each row, in place; duplicates stay."""
        if self._stated.get("sorted"):
            return
        sorted_ones = self._structure()
        sorted_ones.sort_indices()
        self.data, self.indices = self.data[sorted_ones.data], sorted_ones.indices
        self._stated = {}

    @documented_as(_cs_matrix.sorted_indices)
    def sorted_indices(self) -> Any:
        """Return a copy with sorted blocks."""
        made = self.copy()
        made.sort_indices()
        return made

    def sum_duplicates(self) -> None:
        """Sum duplicates and sort the blocks, in place."""
        if not self.has_canonical_format:
            made = self._canonical()
            self.data, self.indices, self.indptr = made.data, made.indices, made.indptr
            self._stated = {}

    def _canonical(self) -> Any:
        return self if self.has_canonical_format else self.tocsr().tobsr(self.blocksize)

    def prune(self) -> None:
        """Drop memory behind the last block; waits for the device."""
        count = int(self.indptr[-1])
        self.data, self.indices = self.data[:count].copy(), self.indices[:count].copy()

    def resize(self, *shape: Any) -> None:
        """Change the shape in place; elements outside of it are dropped.

        Parameters
        ----------
        *shape : int or tuple of int
            New numbers of rows and columns, multiples of those of a block.
        """
        new = check_shape(shape)
        if any(n % k for n, k in zip(new, self.blocksize, strict=True)):
            raise ValueError(f"shape must be divisible into {self.blocksize} blocks. Got {new}")
        coo = self.tocoo()
        coo.resize(new)
        made = coo.tobsr(self.blocksize)
        self.data, self.indices, self.indptr = made.data, made.indices, made.indptr
        self._shape, self._stated = new, {}

    def eliminate_zeros(self) -> None:
        """Remove blocks of zeros, in place; their number waits for the device."""
        kept = (self.data != 0).any(axis=(1, 2))
        rows = tools.rows_of(self.indptr, self.indices.size)[kept]
        self.data, self.indices = self.data[kept], self.indices[kept]
        self.indptr = tools.begins_of(rows, self.indptr.size - 1, 0, self.indptr.dtype)


class bsr_array(_bsr_base, sparray):
    __doc__ = _DOC.format(kind="array", name="bsr_array")


class bsr_matrix(spmatrix, _bsr_base):
    __doc__ = _DOC.format(kind="matrix", name="bsr_matrix")


CLASSES["bsr", False], CLASSES["bsr", True] = bsr_array, bsr_matrix


def isspmatrix_bsr(x: Any) -> bool:
    """Tell whether an object is a bsr_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, bsr_matrix)


def bsr_from_csr(a: Any, blocksize: Any = None) -> Any:
    """Blocks of a canonical csr matrix; their number waits for the device."""
    m, n = a.shape
    if blocksize is None:
        blocksize = _best_blocks(a)
    r, c = (int(k) for k in blocksize)
    if r < 1 or c < 1 or m % r or n % c:
        raise ValueError(f"invalid blocksize {blocksize} for the shape {a.shape}")
    rows = tools.rows_of(a.indptr, a.indices.size)
    shape = (m // r, n // c)
    keys = tools.keys_of_pairs(
        ascontiguousarray(rows // r), ascontiguousarray(a.indices // c), shape
    )
    keys, order = tools.order_of(keys)
    begins = tools.run_begins(keys, np.int64)
    if begins is None:
        begins = arange(keys.size + 1, dtype=np.int64)
    block = tools.rows_of(begins, keys.size)
    data = zeros((begins.size - 1, r, c), a.dtype)
    if keys.size:
        data[block, rows[order] % r, a.indices[order] % c] = a.data[order]
    keys = keys[begins[:-1]]
    bits = tools.column_bits(shape[1])
    made = object.__new__(a._class("bsr"))
    made.data, made._shape = data, a.shape
    made.indices = (keys & ((1 << bits) - 1)).astype(a.indices.dtype)
    made.indptr = tools.begins_of(keys, shape[0], bits, a.indptr.dtype)
    return made


def _best_blocks(a: Any) -> tuple:
    """The largest of a few block sizes that the elements fill for the greater part."""
    m, n = a.shape
    for size in (6, 4, 3, 2):
        if m % size == 0 and n % size == 0 and a.data.size:
            rows = tools.rows_of(a.indptr, a.indices.size) // size
            keys = rows.astype(np.int64) * math.ceil(n / size) + a.indices // size
            runs = tools.run_begins(tools.order_of(keys)[0], np.int64)
            count = a.data.size if runs is None else runs.size - 1
            if a.data.size > 0.7 * count * size * size:
                return size, size
    return 1, 1


LATER["bsr"] = bsr_from_csr
