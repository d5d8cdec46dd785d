"""Compressed rows and columns: what csr and csc share.

`_major` and `_minor` are the lengths of the axis that is compressed and of the other one.
"""

import operator
from typing import Any

import numpy as np
import scipy.sparse

from ..._core import umath
from ..._core._convert import check_out
from ..._core.multiarray import arange, asarray, ascontiguousarray, empty, ndarray, zeros
from ..._core.numeric import flatnonzero
from ...cuda.stream import get_current_stream
from .._kept import kept
from . import _sparsetools as tools
from ._base import _spbase, issparse
from ._data import _data_matrix, _minmax_mixin
from ._index import IndexMixin
from ._matrix import spmatrix
from ._sputils import (
    as_indices,
    as_values,
    check_coordinates,
    check_dtype,
    check_exchanged,
    check_rows,
    check_shape,
    foreign_array,
    host_indices,
    is_shape,
    upcast,
)


class _cs_matrix(_data_matrix, _minmax_mixin, IndexMixin, _spbase):
    """Base of csr and csc."""

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
        self._flags: dict = {}
        if issparse(arg1):
            self._take(arg1.asformat(self.format, copy=copy and arg1.format == self.format), dtype)
        elif is_foreign(arg1):
            made = coo_or_compressed(arg1, isinstance(self, spmatrix)).asformat(self.format)
            self._take(made, dtype)
        elif is_shape(arg1) and not (len(arg1) == 2 and shape is not None):
            self._shape = check_shape(arg1, self._ranks)
            index = tools.index_dtype(*self._shape)
            self.data = zeros(0, check_dtype("d" if dtype is None else dtype))
            self.indices, self.indptr = zeros(0, index), zeros(self._major + 1, index)
            self._flags = {"sorted": True, "unique": True}
        elif isinstance(arg1, tuple):
            self._from_parts(arg1, shape, dtype, copy)
        else:
            self._take(self._class("coo")(arg1, dtype=dtype).asformat(self.format), dtype)
        if (shape is not None and not isinstance(arg1, tuple)) or (
            shape is not None and len(arg1) == 2 and self._shape != tuple(shape)
        ):
            self._check_given(check_shape(shape, self._ranks))

    def _check_given(self, shape: tuple) -> None:
        before, self._shape = self._shape, shape
        if len(shape) != len(before) or self._major + 1 != self.indptr.size:
            self._shape = before
        if self._shape != shape or any(n < m for n, m in zip(shape, before, strict=True)):
            raise ValueError(f"inconsistent shapes: {shape} and {before}")

    def _take(self, other: Any, dtype: Any) -> None:
        self.data, self.indices, self.indptr = other.data, other.indices, other.indptr
        self._shape, self._flags = other._shape, dict(other._flags)
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)

    def _from_parts(self, parts: tuple, shape: Any, dtype: Any, copy: bool) -> None:
        if len(parts) == 2:
            made = self._class("coo")(parts, shape=shape, dtype=dtype).asformat(self.format)
            self._take(made, dtype)
            return
        if len(parts) != 3:
            raise ValueError(f"unrecognized {self.format}_matrix constructor usage")
        data, indices, indptr = parts
        on_host = host_indices(indices), host_indices(indptr)
        self.data = as_values(data, dtype, copy)
        indices, indptr = as_indices(indices, "indices"), as_indices(indptr, "indptr")
        ours = indices.dtype == indptr.dtype and indices.dtype in (np.int32, np.int64)
        wide = tools.index_dtype(*(shape or ()), self.data.size)
        index = max(indices.dtype, wide) if ours else wide
        if not ours and np.int64 in (indices.dtype, indptr.dtype) and shape is None:
            index = np.dtype(np.int64)
        if shape is not None and index == np.int64 and wide == np.int32 and not ours:
            index = np.dtype(np.int32)
        self.indices = ascontiguousarray(indices.astype(index, copy=copy))
        self.indptr = ascontiguousarray(indptr.astype(index, copy=copy))
        self.data = ascontiguousarray(self.data)
        major = self.indptr.size - 1
        if shape is None:
            all_indices = self.indices if on_host[0] is None else on_host[0]
            minor = int(all_indices.max()) + 1 if self.indices.size else 0
            shape = self._swapped((major, minor))
        self._shape = check_shape(shape, self._ranks)
        self._check_sizes()
        self._check_given_parts(*on_host)

    def _check_given_parts(self, indices: Any, indptr: Any) -> None:
        """Check the parts that the host has; those on the device are checked by the first operation
        that waits for it."""
        if indices is None or indptr is None:
            self._flags = {"unchecked": None}
            return
        check_rows(indptr, indices, self._minor)
        end = int(indptr[-1])
        self.data, self.indices, self._flags = self.data[:end], self.indices[:end], {}

    def _check_sizes(self) -> None:
        if self.indptr.size != self._major + 1:
            raise ValueError(f"index pointer size {self.indptr.size} should be {self._major + 1}")
        if self.data.ndim != 1:
            raise ValueError("data must be 1-D")
        if self.indices.size != self.data.size:
            raise ValueError("indices and data should have the same size")

    def check_format(self, full_check: bool = True) -> None:
        """Check the arrays that the matrix is made of.

        Parameters
        ----------
        full_check : bool, optional
            If True, the indices are checked too, which waits for the device.
        """
        self._check_sizes()
        if full_check:
            check_rows(self.indptr.get(), self.indices.get(), self._minor)

    # ---- axes

    @property
    def _major(self) -> int:
        return self._swapped(self._shape2)[0]

    @property
    def _minor(self) -> int:
        return self._swapped(self._shape2)[1]

    @property
    def _shape2(self) -> tuple:
        return self._shape if len(self._shape) == 2 else (1, *self._shape)

    def _new(
        self,
        data: ndarray,
        indices: ndarray,
        indptr: ndarray,
        shape: Any = None,
        canonical: bool = False,
    ) -> Any:
        made = object.__new__(type(self))
        made.data, made.indices, made.indptr = data, indices, indptr
        made._shape = self._shape if shape is None else shape
        made._flags = {"sorted": True, "unique": True} if canonical else {}
        return made

    def _with_data(self, data: ndarray, copy: bool = False) -> Any:
        indices, indptr = self.indices, self.indptr
        if copy:
            indices, indptr = indices.copy(), indptr.copy()
        made = self._new(data, indices, indptr)
        made._flags = self._flags if not copy else dict(self._known())
        return made

    def _known(self) -> dict:
        return {k: v for k, v in self._flags.items() if k in ("sorted", "unique", "unchecked")}

    # ---- order and duplicates; what is known is kept until the arrays are others

    def _cached(self, name: str, make: Any) -> Any:
        return kept(self._flags, name, (self.indices, self.indptr), make)

    def _look(self) -> None:
        """Learn the order of the indices; raise ValueError where they or the begins do not fit."""
        end, ascends, strictly, longest = tools.look(self.indptr, self.indices, self._minor)
        known = {"sorted": ascends, "unique": strictly}
        if end < self.indices.size:  # memory behind the last element: not of those that share flags
            self.data, self.indices = self.data[:end], self.indices[:end]
            self._flags = known
        self._flags.pop("unchecked", None)
        for name, value in known.items():  # what the program said stays
            self._flags.setdefault(name, value)
        self._cached("most", lambda: longest)

    def _unify(self) -> None:
        """Give both arrays of indices one type: a program may have set one of them."""
        if self.indices.dtype != self.indptr.dtype:
            index = np.promote_types(self.indices.dtype, self.indptr.dtype)
            self.indices = self.indices.astype(index, copy=False)
            self.indptr = self.indptr.astype(index, copy=False)

    def _checked(self) -> Any:
        """This matrix, whose arrays fit together: those from the device are looked at once, and
        before them those of the matrix that this one was converted from."""
        self._unify()
        if "unchecked" in self._flags:
            origin = self._flags["unchecked"]
            if origin is not None:
                origin._checked()
            self._look()
        return self

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each row ascend; waits for the device the first time."""
        if "sorted" not in self._checked()._flags:
            self._look()
        return self._flags["sorted"]

    @has_sorted_indices.setter
    def has_sorted_indices(self, value: bool) -> None:
        self._flags = {**self._known(), "sorted": bool(value)}
        if not value:
            self._flags["unique"] = False

    @property
    def has_canonical_format(self) -> bool:
        """Whether indices ascend without duplicates; waits for the device the first time."""
        if "unique" not in self._checked()._flags:
            self._look()
        return self._flags["unique"]

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._flags = {**self._known(), "unique": bool(value)}
        if value:
            self._flags["sorted"] = True

    def sum_duplicates(self) -> None:
        """Sum duplicates and sort the indices, in place."""
        if not self.has_canonical_format:
            made = self._canonical()
            self.data, self.indices, self.indptr = made.data, made.indices, made.indptr
            self._flags = made._flags

    def _canonical(self) -> Any:
        """This matrix, or one with sorted indices without duplicates."""
        if self.has_canonical_format:
            return self
        made = self._cached("canonical", self._make_canonical)
        order, begins, longest, indices, indptr = made
        data = self.data if order is None else self.data[order]
        if begins is not None:
            data = tools.sum_of_rows(begins, data, data.dtype, longest=longest)
        return self._new(data, indices, indptr, canonical=True)

    def _make_canonical(self) -> tuple:
        shape = self._major, self._minor
        keys, order = tools.keys_of_rows(self.indptr, self.indices, shape), None
        if not self.has_sorted_indices:
            keys, order = tools.order_of(keys, sum(map(tools.column_bits, shape)))
        bits = tools.column_bits(self._minor)
        begins = tools.run_begins(keys, self.indptr.dtype)
        keys = keys if begins is None else keys[begins[:-1]]
        indices = (keys & ((1 << bits) - 1)).astype(self.indices.dtype)
        longest = None if begins is None else tools.longest_row(begins)
        indptr = tools.begins_of(keys, shape[0], bits, self.indptr.dtype)
        return order, begins, longest, indices, indptr

    def sort_indices(self) -> None:
        """Sort the indices of each row or column, in place; waits for the device."""
        if self.has_sorted_indices:
            return
        parts = self.indptr, self.indices, self.data
        self.indices, self.data = tools.sort_rows(*parts, (self._major, self._minor))
        self._flags = {"sorted": True}

    def sorted_indices(self) -> Any:
        """Return a copy with sorted indices.

        Returns
        -------
        sparse matrix
            The same elements, in order.
        """
        made = self.copy()
        made.sort_indices()
        return made

    def eliminate_zeros(self) -> None:
        """Remove stored zeros, in place; their number waits for the device."""
        kept = flatnonzero(self._checked().data != 0)
        if kept.size == self.data.size:
            return
        rows = tools.rows_of(self.indptr, self.data.size)[kept]
        known = self._known()
        self.data, self.indices = self.data[kept], self.indices[kept]
        self.indptr = tools.begins_of(rows, self._major, 0, self.indptr.dtype)
        self._flags = known if known.get("unique") else {}

    def prune(self) -> None:
        """Drop memory behind the last element; waits for the device."""
        self._checked()
        count = int(self.indptr[-1])
        self.data, self.indices = self.data[:count].copy(), self.indices[:count].copy()

    # ---- conversions

    def get(self) -> Any:
        """Copy to the host, as SciPy's object of the same class.

        Returns
        -------
        scipy.sparse matrix or array
            Copy in host memory.
        """
        theirs = getattr(scipy.sparse, type(self).__name__)
        data, indices, indptr = self.data.get(), self.indices.get(), self.indptr.get()
        check_rows(indptr, indices, self._minor)  # SciPy's functions trust them
        made = theirs((data, indices, indptr), shape=self.shape)
        for name, flag in (("sorted", "has_sorted_indices"), ("unique", "has_canonical_format")):
            if self._flags.get(name):
                setattr(made, flag, True)
        return made

    def tocoo(self, copy: bool = True) -> Any:
        """Convert to coordinates.

        Parameters
        ----------
        copy : bool, optional
            If False, the values are shared with this matrix.

        Returns
        -------
        coo matrix or array
            The same elements with their coordinates.
        """
        coo = self._class("coo")
        rows = tools.rows_of(self.indptr, self.indices.size)
        pair = self._swapped((rows, self.indices.copy() if copy else self.indices))
        data = self.data.copy() if copy else self.data
        coords = pair if len(self._shape) == 2 else (pair[1],)
        in_order = self.format == "csr" and bool(self._flags.get("unique"))
        made = coo._made(data, coords, self._shape, in_order)
        made._unchecked = self if "unchecked" in self._flags else False
        return made

    def toarray(self, order: Any = None, out: Any = None) -> ndarray:
        """Return the dense array of the elements.

        Parameters
        ----------
        order : {'C', 'F'}, optional
            Order of the result in memory, by default C.
        out : ndarray, optional
            Array of the same shape and type that the elements are written to.

        Returns
        -------
        ndarray
            Dense array, `out` where it was given.
        """
        check_out(out)
        if self.format == "csc":  # rows of the transposed matrix: places need not be sorted again
            if out is not None:
                self.transpose().toarray(order, out.T)
                return out
            return self.transpose().toarray({None: "F", "C": "F", "F": "C"}.get(order, order)).T
        return self._canonical().tocoo(copy=False).toarray(order, out)

    def _other_way(self) -> tuple:
        """(indptr, indices, places) of the same elements compressed along the other axis."""
        return self._cached("transposed", self._make_other_way)

    def _make_other_way(self) -> tuple:
        rows = tools.rows_of(self.indptr, self.indices.size)
        columns, places = tools.places_of(self.indices, tools.column_bits(self._minor))
        indptr = tools.begins_of(columns, self._minor, 0, self.indptr.dtype)
        return indptr, rows[places], places

    def _converted(self, kind: str) -> Any:
        indptr, indices, places = self._other_way()
        made = object.__new__(self._class(kind))
        made.data, made.indices, made.indptr = self.data[places], indices, indptr
        made._shape = self._shape
        made._flags = {"sorted": True}
        if "unchecked" in self._flags:
            made._flags = {"unchecked": self}
        elif self._flags.get("unique"):
            made._flags["unique"] = True
        return made

    def _transposed(self, kind: str, axes: Any, copy: bool) -> Any:
        check_exchanged(axes)
        made = object.__new__(self._class(kind))
        parts = self.data, self.indices, self.indptr
        made.data, made.indices, made.indptr = (p.copy() for p in parts) if copy else parts
        made._shape = self._shape[::-1]
        made._flags = dict(self._known()) if copy else self._flags
        return made

    # ---- products and sums

    def _operand(self, along: int) -> tuple:
        """The matrix with rows along an axis, as the kernels of products take it."""
        self._unify()
        if along == 0:
            indptr, indices, places = self.indptr, self.indices, None
        else:
            indptr, indices, places = self._other_way()
        longest = None
        if self.data.size >= tools.ONE_TILE and indptr.size > 1:
            longest = self._cached(f"longest{along}", lambda: tools.longest_row(indptr))
        return indptr, indices, places, self.data, longest

    def _times_dense(self, x: ndarray) -> ndarray:
        matrix, dtype = self._operand(self._along(1)), upcast(self.dtype, x.dtype)
        both = None if x.ndim != 1 or matrix[2] is None else self._ordered(matrix[2])
        if both is None:
            return tools.times_dense(matrix, x, dtype)
        return tools.times_vector(matrix, x, dtype, both)

    def _ordered(self, places: ndarray) -> ndarray | None:
        """The values in the order of `places`, and behind them as they are now: from the second
        product with the same arrays on. A comparison reads less than values in another order do."""
        data, (least, most) = self.data, tools.ORDERED
        if not least <= data.nbytes <= most:
            return None
        earlier = self._flags.get("multiplied")
        if earlier is None or earlier[0] is not data or earlier[1] is not places:
            self._flags["multiplied"] = data, places
            return None
        if "ordered" not in self._flags and get_current_stream().is_capturing():
            return None
        return kept(
            self._flags,
            "ordered",
            (data, places),
            lambda: tools.joined([data[places], data]),
        )

    def _sums(self, axis: int, dtype: Any) -> ndarray:
        indptr, _, places, data, longest = self._operand(self._along(axis))
        if data.dtype != dtype:
            data = data.astype(dtype)
        return tools.sum_of_rows(indptr, data, dtype, places, longest)

    def _getnnz(self, axis: Any = None) -> Any:
        if axis is None or self.ndim == 1:
            return int(self.data.size)
        return super()._getnnz(axis)

    # ---- element by element

    def _to_merge(self) -> tuple:
        """(indptr, indices, data, has duplicates, length of the longest row) with sorted indices
        and few duplicates; the length is None where it does not matter."""
        a = self if self.has_canonical_format else self._ascending()
        if a is None:
            a = self._canonical()
        return a.indptr, a.indices, a.data, not a.has_canonical_format, a._longest()

    def _longest(self) -> int | None:
        """The length of the longest row, which is waited for where there are many elements; None
        where it is not known."""
        if "most" not in self._flags and self.data.size < tools.AWAITED:
            return None
        return self._cached("most", lambda: int(tools.longest_row(self.indptr)[0]))

    def _ascending(self) -> Any:
        """This matrix, or one with sorted indices, which keeps duplicates; None where an element
        has many of them."""
        shape = self._major, self._minor
        if self.has_sorted_indices:
            few = self._cached(
                "few", lambda: tools.has_few_duplicates(self.indptr, self.indices, shape)
            )
            return self if few else None
        made = self._cached("ascending", self._make_ascending)
        if made is None:
            return None
        order, indices, flags = made
        found = self._new(self.data[order], indices, self.indptr)
        found._flags = flags
        found._cached("most", self._longest)
        return found

    def _make_ascending(self) -> tuple | None:
        bits = tools.column_bits(self._minor)
        keys = tools.keys_of_rows(self.indptr, self.indices, (self._major, self._minor))
        keys, order = tools.order_of(keys, tools.column_bits(self._major) + bits)
        if tools.are_repeated(keys, tools.FEW):
            return None
        indices = (keys & ((1 << bits) - 1)).astype(self.indices.dtype)
        flags = {"sorted": True, "unique": not tools.are_repeated(keys, 1)}
        return order.astype(self.indptr.dtype, copy=False), indices, flags

    def _merged(self, other: Any, operation: Any, result: Any = None) -> Any:
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        other = other.asformat(self.format)
        computed = upcast(self.dtype, other.dtype)
        if operation is umath.divide:
            computed = upcast(computed, np.float32)
        if operation is umath.subtract and computed.kind == "b":
            operation = umath.not_equal
        parts = [self._to_merge(), other._to_merge()]
        if parts[0][0].dtype != parts[1][0].dtype:
            parts = [(p.astype(np.int64), i.astype(np.int64), *rest) for p, i, *rest in parts]
        shape = self._major, self._minor
        result = np.dtype(computed if result is None else result)
        indptr, indices, data = tools.merge(  # type: ignore[call-arg]  # there are two parts
            operation, *parts, shape, computed, result
        )
        return self._new(data, indices, indptr, canonical=True)

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
        if self.ndim != 2:
            raise ValueError(f"diagonal requires two dimensions, not {self.ndim}")
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            return empty(0, self.dtype)
        k = operator.index(k)
        length = min(rows + min(k, 0), columns - max(k, 0))
        at = arange(length, dtype=self.indices.dtype)
        return self._values_at(at + max(-k, 0), at + max(k, 0))

    def _values_at(self, rows: ndarray, columns: ndarray) -> ndarray:
        """The elements at pairs of indices."""
        a = self._canonical()
        rows, columns = self._swapped((rows, columns))
        rows = ascontiguousarray(rows.reshape(-1).astype(a.indices.dtype, copy=False))
        columns = ascontiguousarray(columns.reshape(-1).astype(a.indices.dtype, copy=False))
        at = tools.find(a.indptr, a.indices, rows, columns)
        out = zeros(rows.size, self.dtype)
        if a.data.size and out.size:
            found = at >= 0
            out = a.data[umath.maximum(at, 0)] * found.astype(self.dtype)
        return out

    def setdiag(self, values: Any, k: int = 0) -> None:
        """Set the elements of a diagonal.

        Parameters
        ----------
        values : array_like
            New values, or one for the whole diagonal.
        k : int, optional
            Diagonal that is set, positive above the main one.
        """
        rows, columns = self.shape
        if k <= -rows or k >= columns:
            raise ValueError("k exceeds array dimensions")
        k = operator.index(k)
        length = min(rows + min(k, 0), columns - max(k, 0))
        given = foreign_array(values)
        if given.ndim > 1:
            raise ValueError("values must be a number or 1-D")
        length = min(length, given.size) if given.ndim else length
        at = arange(length, dtype=self.indices.dtype)
        self._store(at + max(-k, 0), at + max(k, 0), given if given.ndim == 0 else given[:length])

    def _store(self, rows: ndarray, columns: ndarray, values: ndarray) -> None:
        """Set elements at pairs of indices; the last of equal pairs wins."""
        new = empty(rows.size, self.dtype)
        new[...] = values
        rows, columns = self._swapped((rows, columns))
        index = self.indices.dtype
        shape = self._major, self._minor
        a = self._canonical()
        mine = tools.keys_of_rows(a.indptr, a.indices, shape)
        keys = tools.keys_of_pairs(
            ascontiguousarray(rows.astype(index, copy=False)),
            ascontiguousarray(columns.astype(index, copy=False)),
            shape,
        )
        bits = tools.column_bits(self._minor)
        all_bits = bits + tools.column_bits(self._major)
        keys, order = tools.order_of(tools.joined([mine, keys]), all_bits)
        data = tools.joined([a.data, new])[order]
        last = tools.run_begins(keys, index)
        if last is not None:
            ends = last[1:] - 1
            keys, data = keys[ends], data[ends]
        self.data, self.indices = data, (keys & ((1 << bits) - 1)).astype(index)
        self.indptr = tools.begins_of(keys, shape[0], bits, index)
        self._flags = {"sorted": True, "unique": True}

    def resize(self, *shape: Any) -> None:
        """Change the shape in place; elements outside of it are dropped.

        Parameters
        ----------
        *shape : int or tuple of int
            New lengths of the axes.
        """
        new = check_shape(shape, self._ranks)
        coo = self.tocoo()
        coo.resize(new)
        made = coo.asformat(self.format)
        self.__dict__ = made.__dict__

    def __getstate__(self) -> dict:
        known = self._known()
        if "unchecked" in known:
            known["unchecked"] = None  # not the matrix that this one was made of
        return {**self.__dict__, "_flags": known}


def is_foreign(x: Any) -> bool:
    """Whether x is a sparse matrix of another library."""
    if scipy.sparse.issparse(x):
        return True
    layout = str(getattr(x, "layout", ""))
    return layout.startswith("torch.sparse") or (
        type(x).__module__.startswith("cupyx.scipy.sparse") and hasattr(x, "format")
    )


def coo_or_compressed(x: Any, is_matrix: bool) -> Any:
    """A sparse matrix of another library: its parts come through DLPack, or from the host."""
    from ._base import CLASSES

    layout = str(getattr(x, "layout", ""))
    if layout in ("torch.sparse_csr", "torch.sparse_csc"):
        row = layout.endswith("csr")
        names = ("col_indices", "crow_indices") if row else ("row_indices", "ccol_indices")
        parts = (x.values(), *(getattr(x, name)() for name in names))
        return CLASSES["csr" if row else "csc", is_matrix](parts, shape=tuple(x.shape))
    if layout == "torch.sparse_coo":
        x = x.coalesce()
        indices = foreign_array(x.indices())
        return CLASSES["coo", is_matrix]((x.values(), tuple(indices)), shape=tuple(x.shape))
    if x.format not in ("csr", "csc", "coo"):
        x = x.tocoo()
    is_on_host = scipy.sparse.issparse(x)
    upload = asarray if is_on_host else foreign_array
    data = as_values(upload(x.data))
    if x.format == "coo":
        coords = tuple(x.coords if hasattr(x, "coords") else (x.row, x.col))
        made = CLASSES["coo", is_matrix]((data, tuple(map(upload, coords))), shape=x.shape)
        if is_on_host:
            check_coordinates(coords, x.shape)
            made._unchecked = False
        return made
    made = CLASSES[x.format, is_matrix]((data, upload(x.indices), upload(x.indptr)), shape=x.shape)
    if is_on_host:
        made._check_given_parts(x.indices, x.indptr)
    return made
