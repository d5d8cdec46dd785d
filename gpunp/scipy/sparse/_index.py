"""Indexing: slices, integers, arrays of integers, masks, pairs of arrays; and assignment."""

from typing import Any

import numpy as np

from ..._core.fromnumeric import ravel
from ..._core.multiarray import arange, asarray, broadcast_view, ndarray
from ..._core.numeric import flatnonzero
from ._keys import Keys, parse_keys
from ._matrix import Part, spmatrix
from ._sparsetools import begins_of, rows_of
from ._sputils import values_for


class IndexMixin(Part):
    """`a[key]` and `a[key] = value` of compressed formats."""

    def __getitem__(self, key: Any) -> Any:
        keys = parse_keys(key, self.shape)
        if len(keys.shape) > 2:
            raise IndexError(
                f"Indexing that leads to >2D is not supported by {self.format} format. "
                "Try converting to COO format"
            )
        return self._item(keys)

    def _item(self, keys: Keys) -> Any:
        if self.ndim == 2:
            return self._shaped(self._selected(*keys.axes), keys.shape)
        made = self.reshape(1, -1).tocsr()._selected(0, keys.axes[0])
        if not keys.shape:
            return made
        made = self._class("csr")(made.reshape(1)) if isinstance(made, ndarray) else made
        return self._shaped(made, keys.shape).tocsr()

    def _shaped(self, made: Any, shape: tuple) -> Any:
        """A selection in the shape of its key; those of matrices keep two axes."""
        if isinstance(self, spmatrix) and len(shape) < 2:
            if not shape or made.ndim == 2:
                return made
            shape = (1, *shape)
        if made.shape == shape:
            return made
        if isinstance(made, ndarray):
            return made.reshape(shape)
        return made.tocoo(copy=False)._reshaped(shape)

    def _selected(self, rows: Any, columns: Any) -> Any:
        arrays = isinstance(rows, ndarray), isinstance(columns, ndarray)
        if isinstance(rows, int) and isinstance(columns, int):
            return self._values_at(asarray([rows]), asarray([columns]))[0]
        if all(arrays) and not is_outer(rows, columns):
            return self._pairs(rows, columns)
        made = self._rows_selected(rows.reshape(-1) if arrays[0] else rows)
        return made._columns_selected(columns.reshape(-1) if arrays[1] else columns)

    def _pairs(self, rows: Any, columns: Any) -> Any:
        """The elements at pairs of indices; sparse where the arrays have two axes."""
        shape = np.broadcast_shapes(rows.shape, columns.shape)
        values = self._values_at(*(ravel(broadcast_view(k, shape)) for k in (rows, columns)))
        values = values.reshape(shape)
        return self._class(self.format)(values) if len(shape) == 2 else values

    def _rows_selected(self, rows: Any) -> Any:
        if isinstance(rows, int):
            rows = slice(rows, rows + 1)
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self.shape[0])
            if step == 1:
                return self._row_range(start, max(stop, start))
            rows = arange(start, stop, step)
        return self._rows_at(rows)

    def _row_range(self, start: int, stop: int) -> Any:
        if (start, stop) == (0, self.shape[0]):
            return self.copy()
        first, end = self._checked().indptr[[start, stop]].get().tolist()
        made = self._new(
            self.data[first:end].copy(),
            self.indices[first:end].copy(),
            self.indptr[start : stop + 1] - first,
            (stop - start, self.shape[1]),
        )
        made._flags = self._known()
        return made

    def _columns_selected(self, columns: Any) -> Any:
        n = self.shape[1]
        if isinstance(columns, int):
            columns = slice(columns, columns + 1)
        if isinstance(columns, slice):
            start, stop, step = columns.indices(n)
            if (start, step) == (0, 1) and stop == n:
                return self
            if step == 1:
                return self._column_range(start, max(stop, start))
            columns = arange(start, stop, step)
        return self.tocsc().T._rows_at(columns).T.tocsr()

    def _column_range(self, start: int, stop: int) -> Any:
        self._checked()
        kept = flatnonzero((self.indices >= start) & (self.indices < stop))
        rows = rows_of(self.indptr, self.indices.size)[kept]
        indptr = begins_of(rows, self.shape[0], 0, self.indptr.dtype)
        made = self._new(
            self.data[kept], self.indices[kept] - start, indptr, (self.shape[0], stop - start)
        )
        made._flags = self._known()
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        from ._base import inefficient

        keys = parse_keys(key, self.shape)
        values = values_for(keys.shape, value, self.dtype)
        places = keys.places(self.shape)
        rows, columns = places if self.ndim == 2 else (places[0] * 0, places[0])
        before = self.data.size
        self._store(rows, columns, values)
        if self.data.size > before:
            inefficient(
                f"Changing the sparsity structure of a {self.format}_matrix is expensive. "
                "lil and dok are more efficient."
            )


def is_outer(rows: ndarray, columns: ndarray) -> bool:
    """Whether arrays select all elements of rows and columns."""
    return rows.ndim == 2 and rows.shape[1] == 1 and (columns.ndim == 1 or columns.shape[0] == 1)
