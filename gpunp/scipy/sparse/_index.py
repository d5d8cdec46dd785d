"""Indexing: slices, integers, arrays of integers, masks, pairs of arrays; and assignment."""

from typing import Any

import numpy as np

from ..._core import umath
from ..._core._convert import as_host
from ..._core.fromnumeric import ravel
from ..._core.multiarray import arange, asarray, broadcast_view, ndarray
from ..._core.numeric import flatnonzero
from ._matrix import Part
from ._sparsetools import begins_of, rows_of
from ._sputils import as_values, foreign_array


def is_integer(k: Any) -> bool:
    """Whether k is one whole number."""
    return (isinstance(k, (int, np.integer)) and not isinstance(k, (bool, np.bool_))) or (
        isinstance(k, ndarray) and k.ndim == 0 and k.dtype.kind in "iu"
    )


def one_key(k: Any, n: int) -> Any:
    """An index of an axis: an int from 0 on, a slice, or an array of int64 from 0 on."""
    if isinstance(k, slice):
        return k
    if is_integer(k):
        k = int(k)
        if not -n <= k < n:
            raise IndexError(f"index ({k}) out of range")
        return k % n
    if isinstance(k, np.ndarray):
        a, host = asarray(k), k
    elif isinstance(k, ndarray):
        a, host = k, None
    else:
        host = as_host(k)
        host = host.astype(np.int64) if host.size == 0 else host
        a = asarray(host)
    if a.dtype.kind == "b":
        if a.ndim != 1 or a.size != n:
            raise IndexError(f"boolean index has shape {a.shape} for an axis of {n}")
        return flatnonzero(a)
    if a.dtype.kind not in "iu":
        raise IndexError("Index results in an invalid type: integers, slices or masks are wanted")
    if a.ndim > 2:
        raise IndexError("Index dimension must be 1 or 2")
    if host is not None and host.size and not (-n <= host.min() and host.max() < n):
        raise IndexError(f"index is out of bounds for an axis of {n}")
    if a.size and n == 0:
        raise IndexError("index is out of bounds for an axis of 0")
    # Those of the device are not looked at: out of bounds they wrap around, as of dense arrays.
    return umath.remainder(a.astype(np.int64, copy=False), max(n, 1))


class IndexMixin(Part):
    """`a[key]` and `a[key] = value` of compressed formats."""

    def _both_keys(self, key: Any) -> tuple:
        """Keys of rows and columns; (None, mask) for a mask of two axes."""
        from ._base import issparse

        if issparse(key):
            if key.dtype != bool:
                raise IndexError("sparse indices must be boolean")
            if key.shape != self.shape:
                raise IndexError("the mask has another shape")
            return None, key.nonzero()
        if (
            isinstance(key, (ndarray, np.ndarray))
            and key.dtype == bool
            and key.ndim == self.ndim == 2
        ):
            if key.shape != self.shape:
                raise IndexError("the mask has another shape")
            return None, asarray(key).nonzero()
        keys = list(key) if isinstance(key, tuple) else [key]
        if any(k is None for k in keys):
            raise IndexError(
                f"Indexing that leads to >2D is not supported by {self.format} format. "
                "Try converting to COO format"
            )
        if any(k is Ellipsis for k in keys):
            at = next(i for i, k in enumerate(keys) if k is Ellipsis)
            keys[at : at + 1] = [slice(None)] * (self.ndim - len(keys) + 1)
        if len(keys) > self.ndim:
            raise IndexError("invalid number of indices")
        keys += [slice(None)] * (self.ndim - len(keys))
        found = [one_key(k, n) for k, n in zip(keys, self.shape, strict=True)]
        return (0, found[0]) if self.ndim == 1 else tuple(found)

    def _shaped(self, made: Any, drops: tuple) -> Any:
        """Without the axes that an integer selected from, for arrays."""
        from ._matrix import spmatrix

        if isinstance(self, spmatrix) or not any(drops):
            return made
        kept = [n for n, drop in zip(made.shape, drops, strict=True) if not drop]
        return made.tocoo(copy=False)._reshaped(tuple(kept))

    def __getitem__(self, key: Any) -> Any:
        rows, columns = self._both_keys(key)
        if rows is None:
            values = self._values_at(*columns)
            return self._matrix_row(values)
        if self.ndim == 1:
            two = self.reshape(1, -1).tocsr()
            made = two._selected(0, columns)
            return made.tocsr() if hasattr(made, "format") else made
        return self._selected(rows, columns)

    def _matrix_row(self, values: ndarray) -> ndarray:
        from ._matrix import spmatrix

        return values.reshape(1, -1) if isinstance(self, spmatrix) else values

    def _selected(self, rows: Any, columns: Any) -> Any:
        scalar = isinstance(rows, int), isinstance(columns, int)
        arrays = isinstance(rows, ndarray), isinstance(columns, ndarray)
        if all(scalar):
            return self._values_at(asarray([rows]), asarray([columns]))[0]
        if all(arrays) or (any(arrays) and any(scalar)):
            pair = self._pair_of(rows, columns)
            if pair is not None:
                return pair
        made = self._rows_selected(rows.reshape(-1) if arrays[0] else rows)
        made = made._columns_selected(columns.reshape(-1) if arrays[1] else columns)
        return self._shaped(made, scalar)

    def _pair_of(self, rows: Any, columns: Any) -> Any:
        """Arrays that are broadcast to each other select elements; None where they are an outer
        product, or one of them is an integer."""
        if isinstance(rows, int) or isinstance(columns, int):
            return None
        if rows.ndim == 2 and rows.shape[1] == 1 and (columns.ndim == 1 or columns.shape[0] == 1):
            return None
        shape = np.broadcast_shapes(rows.shape, columns.shape)
        values = self._values_at(*(ravel(broadcast_view(k, shape)) for k in (rows, columns)))
        if len(shape) == 2:
            return self._class(self.format)(values.reshape(shape))
        return self._matrix_row(values)

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
        self._check_sound()
        first, end = self.indptr[[start, stop]].get().tolist()
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
        kept = flatnonzero((self.indices >= start) & (self.indices < stop))
        rows = rows_of(self.indptr, self.indices.size)[kept]
        indptr = begins_of(rows, self.shape[0], 0, self.indptr.dtype)
        made = self._new(
            self.data[kept], self.indices[kept] - start, indptr, (self.shape[0], stop - start)
        )
        made._flags = self._known()
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        from ._base import inefficient, issparse

        rows, columns = self._both_keys(key)
        if self.ndim == 1:
            rows = 0
        if rows is None:
            rows, columns = columns
            shape: tuple = rows.shape
        else:
            rows, columns, shape = self._grid(rows, columns)
        if issparse(value):
            value = value.toarray()
        value = foreign_array(value) if not isinstance(value, ndarray) else value
        value = as_values(value, self.dtype)
        if value.ndim > len(shape) and value.size == int(np.prod(shape)):
            value = value.reshape(shape)
        values = broadcast_view(value, shape).reshape(-1)
        before = self.data.size
        self._store(rows.reshape(-1), columns.reshape(-1), values)
        if self.data.size > before:
            inefficient(
                f"Changing the sparsity structure of a {self.format}_matrix is expensive. "
                "lil and dok are more efficient."
            )

    def _grid(self, rows: Any, columns: Any) -> tuple:
        """The pairs of indices that keys name, and the shape of a value."""
        shape = self._shape2
        if isinstance(rows, ndarray) and isinstance(columns, ndarray):
            both = np.broadcast_shapes(rows.shape, columns.shape)
        else:
            made = []
            for k, n in ((rows, shape[0]), (columns, shape[1])):
                made.append(
                    arange(*k.indices(n))
                    if isinstance(k, slice)
                    else asarray([k])
                    if isinstance(k, int)
                    else k.reshape(-1)
                )
            drops = isinstance(rows, int), isinstance(columns, int)
            rows, columns = made[0].reshape(-1, 1), made[1]
            both = (made[0].size, made[1].size)
            kept = tuple(n for n, drop in zip(both, drops, strict=True) if not drop)
            return broadcast_view(rows, both), broadcast_view(columns, both), kept or (1,)
        return broadcast_view(rows, both), broadcast_view(columns, both), both
