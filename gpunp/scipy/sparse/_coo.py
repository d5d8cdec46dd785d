"""Coordinates of the values, along any number of axes."""

import math
from typing import Any

import numpy as np
import scipy.sparse

from ..._core._convert import check_out, host_ndim, per_axis
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, ascontiguousarray, bincount, empty, ndarray, zeros
from ..._core.numeric import flatnonzero, ones
from . import _ranges as ranges
from . import _sparsetools as tools
from ._base import CLASSES, _spbase, issparse, sparray
from ._compressed import coo_or_compressed, is_foreign
from ._data import _data_matrix, _minmax_mixin
from ._docs import COORDINATES
from ._keys import Keys, parse_keys
from ._matrix import spmatrix
from ._nd_products import tensordot
from ._sputils import (
    as_indices,
    as_values,
    check_coordinates,
    check_dtype,
    check_exchanged,
    check_shape,
    host_indices,
    is_scalar,
    is_shape,
    values_for,
)

__all__ = ["coo_array", "coo_matrix", "isspmatrix_coo"]


class _coo_base(_data_matrix, _minmax_mixin, _spbase):
    format = "coo"
    _shape: tuple
    # Whether coordinates came from the device, where nobody looked at them; or the compressed
    # matrix they were made of, if nobody looked at that.
    _unchecked: Any = False

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
        if issparse(arg1) or is_foreign(arg1):
            made = arg1 if issparse(arg1) else coo_or_compressed(arg1, isinstance(self, spmatrix))
            self._take(made.tocoo(copy=copy), dtype)
            if shape is not None and tuple(shape) != self._shape:
                raise ValueError(f"inconsistent shapes: {shape} and {self._shape}")
        elif is_shape(arg1) and shape is None:
            self._shape = check_shape(arg1, self._ranks)
            index = tools.index_dtype(*self._shape)
            self.coords = tuple(zeros(0, index) for _ in self._shape)
            self.data = zeros(0, check_dtype("d" if dtype is None else dtype))
            self._canonical_flag = True
        elif isinstance(arg1, tuple):
            self._from_parts(arg1, shape, dtype, copy)
        else:
            self._from_dense(arg1, shape, dtype)

    def tensordot(self, other: Any, axes: Any = 2) -> Any:
        """Sum products over several axes.

        Parameters
        ----------
        other : sparse array or array_like
            Second operand of the product.
        axes : int or pair of sequences, optional
            How many of the last axes of this array meet as many first axes of `other`; or the axes
            of either one.

        Returns
        -------
        coo_array or ndarray
            Products with the remaining axes of both, sparse where both operands are.

        Examples
        --------
        >>> import gpunp as cp
        >>> from gpunp.scipy import sparse
        >>> sparse.coo_array(cp.ones((2, 3, 4))).tensordot(cp.ones((3, 4)))
        array([12., 12.])
        """
        return tensordot(self, other, axes)

    @documented_as(_spbase.dot)
    def dot(self, other: Any) -> Any:
        """Multiply as `numpy.dot` does, or by a number."""
        other = as_values(other) if isinstance(other, (list, tuple)) else other
        if is_scalar(other) or max(self.ndim, getattr(other, "ndim", 0)) <= 2:
            return super().dot(other)
        return tensordot(self, other, (-1, max(-2, -other.ndim)))

    def _take(self, other: Any, dtype: Any) -> None:
        self.data, self.coords, self._shape = other.data, other.coords, other._shape
        self._canonical_flag, self._unchecked = other._canonical_flag, other._unchecked
        if dtype is not None:
            self.data = self.data.astype(check_dtype(dtype), copy=False)

    def _from_parts(self, parts: tuple, shape: Any, dtype: Any, copy: bool) -> None:
        if len(parts) != 2:
            raise TypeError("invalid input format")
        data, coords = parts
        if any(host_ndim(c) == 0 for c in coords):
            raise TypeError("coordinates must be a sequence of arrays, one for each axis")
        on_host = [host_indices(c) for c in coords]
        coords = [as_indices(c, "coordinates") for c in coords]
        self.data = as_values(data, dtype, copy)
        if self.data.ndim != 1:
            raise ValueError("data must be 1-D")
        if any(c.size != self.data.size for c in coords):
            raise ValueError("all index and data arrays must have the same length")
        if shape is None:
            shape = _least_shape(
                [c if h is None else h for c, h in zip(coords, on_host, strict=True)]
            )
        self._shape = check_shape(shape, self._ranks)
        if len(coords) != len(self._shape):
            raise ValueError("the number of coordinates is not that of the axes")
        same = {c.dtype for c in coords}
        self._unchecked = any(c is None for c in on_host)
        if not self._unchecked:
            check_coordinates(on_host, self._shape)
        index = tools.index_dtype(*self._shape)
        if same == {np.dtype("q")} and shape is None:
            index = np.dtype("q")
        self.coords = tuple(
            ascontiguousarray(c.astype(index) if copy else c.astype(index, copy=False))
            for c in coords
        )
        self.data = ascontiguousarray(self.data)
        self._canonical_flag = False

    def _from_dense(self, arg1: Any, shape: Any, dtype: Any) -> None:
        a = as_values(arg1, dtype)
        if a.ndim == 0 and not isinstance(self, spmatrix):
            raise ValueError("sparse arrays are not made of a scalar")
        least = 2 if isinstance(self, spmatrix) else 1
        if a.ndim < least:
            a = a.reshape((1,) * (least - a.ndim) + a.shape)
        if a.ndim not in self._ranks:
            raise TypeError(f"expected an array of {self._ranks[-1]} axes at most, not {a.ndim}")
        self._shape = check_shape(a.shape, self._ranks)
        if shape is not None and check_shape(shape, self._ranks) != self._shape:
            raise ValueError(f"inconsistent shapes: {shape} and {self._shape}")
        index = tools.index_dtype(*self._shape)
        flags = a != 0
        self.coords = tuple(c.astype(index) for c in flags.nonzero())
        self.data = a[flags]
        self._canonical_flag = True

    @classmethod
    def _made(cls, data: ndarray, coords: Any, shape: Any, canonical: bool = False) -> Any:
        made = object.__new__(cls)
        made.data, made.coords, made._shape = data, tuple(coords), tuple(shape)
        made._canonical_flag = canonical
        return made

    def _with_data(self, data: ndarray, copy: bool = False) -> Any:
        coords = tuple(c.copy() for c in self.coords) if copy else self.coords
        made = self._made(data, coords, self._shape, self._canonical_flag)
        made._unchecked = self._unchecked
        return made

    def _checked(self) -> Any:
        """This matrix, whose coordinates are within the shape: those from the device are looked at
        once, which waits for it."""
        if not isinstance(self._unchecked, bool):
            self._unchecked._checked()
        if self._unchecked is not False and self.data.size:
            largest = empty(self.ndim, np.uint64)
            for axis, c in enumerate(
                self.coords
            ):  # as unsigned numbers negative ones are the largest
                largest[axis] = c.view(f"u{c.itemsize}").max()
            if any(x >= n for x, n in zip(largest.get().tolist(), self._shape, strict=True)):
                check_coordinates([c.get() for c in self.coords], self._shape)
        self._unchecked = False
        return self

    @property
    def row(self) -> ndarray:
        """Indices along the first of two axes."""
        return self.coords[-2] if self.ndim > 1 else zeros(self.data.size, self.coords[0].dtype)

    @row.setter
    def row(self, value: Any) -> None:
        self.coords = (*self.coords[:-2], as_indices(value, "row"), self.coords[-1])
        self._canonical_flag, self._unchecked = False, True

    @property
    def col(self) -> ndarray:
        """Indices along the last axis."""
        return self.coords[-1]

    @col.setter
    def col(self, value: Any) -> None:
        self.coords = (*self.coords[:-1], as_indices(value, "col"))
        self._canonical_flag, self._unchecked = False, True

    @property
    def has_canonical_format(self) -> bool:
        """Whether duplicates were summed: as known, not as the indices are."""
        return self._canonical_flag

    @has_canonical_format.setter
    def has_canonical_format(self, value: bool) -> None:
        self._canonical_flag = bool(value) and self._canonical_flag  # the order is not known

    def get(self) -> Any:
        """Copy to the host, as SciPy's object of the same class.

        Returns
        -------
        scipy.sparse matrix or array
            Copy in host memory.
        """
        theirs = getattr(scipy.sparse, type(self).__name__)
        made = theirs((self.data.get(), tuple(c.get() for c in self.coords)), shape=self._shape)
        made.has_canonical_format = self._canonical_flag
        return made

    # ---- two axes, whatever they are

    def _pair(self) -> tuple:
        """Rows, columns and shape of the elements with all axes but the last one as rows."""
        if self.ndim == 2:
            return self.coords[0], self.coords[1], self._shape
        rows, last = math.prod(self._shape[:-1]), self._shape[-1]
        index = tools.index_dtype(rows, last)
        if self.ndim == 1:
            return zeros(self.data.size, index), self.coords[0].astype(index, copy=False), (1, last)
        flat = zeros(self.data.size, index)
        for c, n in zip(self.coords[:-1], self._shape[:-1], strict=True):
            flat = flat * n + c.astype(index, copy=False)
        return flat, self.coords[-1].astype(index, copy=False), (rows, last)

    def _compressed(self, kind: str) -> Any:
        if self.ndim > 2 or kind == "csc":
            self._need_two_axes(kind)
        ordered = self._canonical_flag and kind == "csr"
        looks = self.data.size > tools.ONE_TILE and not ordered
        if not looks or self.ndim == 1 or self._unchecked is not True:
            self._checked()
        rows, columns, shape = self._pair()
        if kind == "csc":
            rows, columns, shape = columns, rows, shape[::-1]
        index = tools.index_dtype(*shape, self.data.size)
        rows, columns = (ascontiguousarray(c.astype(index, copy=False)) for c in (rows, columns))
        ascends, ascending, places = False, False, None
        shift = ranges.shift_of(rows, shape) if looks else None
        if looks:
            if shift is None:
                fits, ascends, ascending = tools.look_at_pairs(rows, columns, shape)
            else:
                fits, ascends, ascending, places = ranges.look(rows, columns, shape, shift)
            if not fits:
                self._checked()  # raises
            self._unchecked = False
        if ordered:
            indptr = tools.begins_of(rows, shape[0], 0, index)
            indices, data = columns.copy(), self.data.copy()
        elif not ascending and (
            made := tools.compress_rows(rows, columns, self.data, shape, ascends)
            if ascends or shift is None or places is None
            else ranges.compress((rows, columns), self.data, shape, shift, places)
        ):
            indptr, indices, data = made
        else:
            keys = tools.keys_of_pairs(rows, columns, shape)
            indptr, indices, data = tools.compress(keys, self.data, shape, index, ascending)
        made = object.__new__(self._class(kind))
        made.data, made.indices, made.indptr, made._shape = data, indices, indptr, self._shape
        made._flags = {"sorted": True, "unique": True}
        return made

    def tocsr(self, copy: bool = False) -> Any:
        """Convert to compressed rows; duplicates are summed.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        csr matrix or array
            The same elements, row by row.
        """
        return self._compressed("csr")

    def tocsc(self, copy: bool = False) -> Any:
        """Convert to compressed columns; duplicates are summed.

        Parameters
        ----------
        copy : bool, optional
            Accepted for compatibility: the result never shares memory.

        Returns
        -------
        csc matrix or array
            The same elements, column by column.
        """
        return self._compressed("csc")

    def tocoo(self, copy: bool = False) -> Any:
        """Return this matrix.

        Parameters
        ----------
        copy : bool, optional
            If True, a copy is returned.

        Returns
        -------
        coo matrix or array
            This matrix, or its copy.
        """
        return self.copy() if copy else self

    def _canonical(self) -> Any:
        if self._canonical_flag:
            return self
        rows, columns, shape = self._checked()._pair()
        flat = self._made(self.data, (rows, columns), shape)._compressed("csr")
        made = flat.tocoo(copy=False)
        made._canonical_flag = True
        return made if self.ndim == 2 else made._reshaped(self._shape)

    def sum_duplicates(self) -> None:
        """Sum elements with equal coordinates and sort, in place; waits for the device."""
        made = self._canonical()
        self.data, self.coords, self._canonical_flag = made.data, made.coords, True

    def eliminate_zeros(self) -> None:
        """Remove stored zeros, in place; their number waits for the device."""
        kept = flatnonzero(self.data != 0)
        self.data = self.data[kept]
        self.coords = tuple(c[kept] for c in self.coords)

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
        if out is None:
            out = zeros(self._shape, self.dtype, "C" if order is None else order)
        else:
            if order is not None:
                raise ValueError("order cannot be specified if out is not None")
            check_out(out)
            if out.shape != self._shape or out.dtype != self.dtype:
                raise ValueError("out array must be same dtype and shape as sparse array")
            out[...] = 0
        a = self._canonical()
        if a.data.size:
            out[a.coords] = a.data
        return out

    # ---- shapes

    def _reshaped(self, shape: tuple, order: str = "C") -> Any:
        size = math.prod(self._shape)
        index = np.int64 if size > np.iinfo(np.int32).max else np.int32
        axes = list(zip(self.coords, self._shape, strict=True))
        flat = zeros(self.data.size, index)
        for c, n in axes if order == "C" else axes[::-1]:
            flat = flat * n + c.astype(index, copy=False)
        coords: Any = []
        for n in reversed(shape) if order == "C" else shape:
            coords.append(flat % n if n else flat)
            flat = flat // n if n else flat
        if order == "C":
            coords.reverse()
        index = tools.index_dtype(*shape)
        coords = tuple(c.astype(index, copy=False) for c in coords)
        made = self._made(self.data, coords, shape, self._canonical_flag and order == "C")
        made._unchecked = self._unchecked
        return made

    def _broadcast_to(self, shape: tuple) -> Any:
        """Each element as often as its axes of length one are repeated."""
        own = (1,) * (len(shape) - self.ndim) + self._shape
        index = tools.index_dtype(*shape)
        a = self._canonical()
        count = a.data.size
        coords = [zeros(count, index)] * (len(shape) - self.ndim)
        coords += [c.astype(index, copy=False) for c in a.coords]
        data = a.data
        for axis, (n, wanted) in enumerate(zip(own, shape, strict=True)):
            if n == wanted:
                continue
            times, count = arange(wanted, dtype=index), data.size
            coords = [
                c.reshape(-1, 1).repeat(wanted, 1).reshape(-1)
                if i != axis
                else times.reshape(1, -1).repeat(count, 0).reshape(-1)
                for i, c in enumerate(coords)
            ]
            data = data.reshape(-1, 1).repeat(wanted, 1).reshape(-1)
        made = self._made(data, coords, shape)
        made.__class__ = self._class("coo")
        return made

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Exchange the axes.

        Parameters
        ----------
        axes : tuple of int, optional
            New order of the axes of an array, by default reversed.
        copy : bool, optional
            If True, the result shares no memory with this matrix.

        Returns
        -------
        coo matrix or array
            Transpose, which has the same arrays.
        """
        if isinstance(self, spmatrix):
            check_exchanged(axes)
        axes = range(self.ndim)[::-1] if axes is None else axes
        axes = per_axis(axes if hasattr(axes, "__iter__") else (axes,))
        if sorted(a % self.ndim for a in axes) != list(range(self.ndim)):
            raise ValueError("axes don't match array")
        coords, shape = zip(*((self.coords[a], self._shape[a]) for a in axes), strict=True)
        same = all(a % self.ndim == i for i, a in enumerate(axes))
        made = self._made(self.data, coords, shape, self._canonical_flag and same)
        made._unchecked = self._unchecked
        return made.copy() if copy else made

    def resize(self, *shape: Any) -> None:
        """Change the shape in place; elements outside of it are dropped.

        Parameters
        ----------
        *shape : int or tuple of int
            New lengths of the axes.
        """
        new = check_shape(shape, self._ranks)
        if len(new) != self.ndim:
            size = math.prod(new)
            flat = self._checked()._reshaped((math.prod(self._shape),))
            flat.resize(size)
            self._take(flat._reshaped(new), None)
            self._shape = new
            return
        inside = None
        self._checked()
        for c, n, before in zip(self.coords, new, self._shape, strict=True):
            if n < before:
                inside = c < n if inside is None else inside & (c < n)
        if inside is not None:
            kept = flatnonzero(inside)
            self.data = self.data[kept]
            self.coords = tuple(c[kept] for c in self.coords)
        self._shape = new

    def _count_along(self, axis: Any) -> ndarray:
        if self.ndim > 2:
            return self._with_data(ones(self.data.size, self.coords[0].dtype)).sum(axis)
        rest = next(c for i, c in enumerate(self.coords) if i != axis)
        length = next(n for i, n in enumerate(self._shape) if i != axis)
        return bincount(rest, minlength=length).astype(rest.dtype, copy=False)

    def _rows_over(self, axis: Any) -> tuple:
        """(rows, shape): compressed rows, each of them of all elements along some axes of several,
        and the lengths of the other axes."""
        over = list(axis) if isinstance(axis, tuple) else [axis]
        rest = [i for i in range(self.ndim) if i not in over]
        lengths = tuple(self._shape[i] for i in rest)
        flat = math.prod(lengths), math.prod(self._shape[i] for i in over)
        return self._checked().transpose([*rest, *over])._reshaped(flat).tocsr(), lengths

    def _cut(self, axes: list) -> Any:
        """What integers and slices select; the axes of arrays stay whole."""
        a = self._canonical()
        inside = None
        coords, shape = [], []
        for c, n, k in zip(a.coords, a._shape, axes, strict=True):
            if isinstance(k, slice):
                start, stop, step = k.indices(n)
                length = len(range(start, stop, step))
                place = (c - start) // step
                good = ((c - start) % abs(step) == 0) & (place >= 0) & (place < length)
                coords.append(place)
                shape.append(length)
            elif isinstance(k, int):
                good = c == k
            else:
                coords.append(c)
                shape.append(n)
                continue
            inside = good if inside is None else inside & good
        if inside is None:
            return a
        kept = flatnonzero(inside)
        return self._made(a.data[kept], [c[kept] for c in coords], shape)

    def _gathered(self, keys: Keys) -> Any:
        """What the arrays among keys select, their axes being the rows of a matrix."""
        left = [k for k in keys.axes if not isinstance(k, int)]
        ours = [i for i, k in enumerate(left) if isinstance(k, ndarray)]
        others = [i for i in range(len(left)) if i not in ours]
        both = np.broadcast_shapes(*(left[i].shape for i in ours))
        rows = zeros(both, np.int64)
        for i in ours:
            rows = rows * self._shape[i] + left[i]
        lengths = tuple(self._shape[i] for i in others)
        shape = math.prod(self._shape[i] for i in ours), math.prod(lengths)
        flat = self.transpose([*ours, *others])._reshaped(shape).tocsr()
        made = flat._rows_at(rows.reshape(-1)).tocoo()._reshaped((*both, *lengths))
        begins = [b for k, b in zip(keys.axes, keys.begins, strict=True) if isinstance(k, slice)]
        at = next(b for k, b in zip(keys.axes, keys.begins, strict=True) if isinstance(k, ndarray))
        before = sum(b < at for b in begins)
        axes = list(range(made.ndim))
        first, last = len(both), len(both) + before
        return made.transpose([*axes[first:last], *axes[:first], *axes[last:]])


def _least_shape(coords: list) -> tuple[int, ...]:
    """The least shape that holds coordinates, which waits for those on the device."""
    if any(not c.size for c in coords):
        raise ValueError("cannot infer dimensions from zero sized index arrays")
    return tuple(int(c.max()) + 1 for c in coords)


class coo_array(_coo_base, sparray):
    __doc__ = COORDINATES.format(name="coo_array", kind="array")
    _ranks = tuple(range(1, 65))

    def __getitem__(self, key: Any) -> Any:
        keys = parse_keys(key, self._shape)
        if self.ndim > 2 or len(keys.shape) > 2:
            made = self._cut(keys.axes)
            if any(isinstance(k, ndarray) for k in keys.axes):
                made = made._gathered(keys)
            return made._reshaped(keys.shape) if keys.shape else made.data.sum(dtype=self.dtype)
        made = self.tocsr()._item(keys)
        if issparse(made):
            return made.tocoo()
        return made if made.ndim == 0 else coo_array(made)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self.ndim <= 2:
            made = self.tocsr()
            made[key] = value
            self._take(made.tocoo(), None)
            return
        keys = parse_keys(key, self._shape)
        values = values_for(keys.shape, value, self.dtype)
        places = zeros(values.size, np.int64)
        for at, n in zip(keys.places(self._shape), self._shape, strict=True):
            places = places * n + at
        made = self._reshaped((1, math.prod(self._shape))).tocsr()
        made._store(places * 0, places, values)
        self._take(made.tocoo()._reshaped(self._shape), None)


class coo_matrix(spmatrix, _coo_base):
    __doc__ = COORDINATES.format(name="coo_matrix", kind="matrix")


CLASSES["coo", False], CLASSES["coo", True] = coo_array, coo_matrix


def isspmatrix_coo(x: Any) -> bool:
    """Tell whether an object is a coo_matrix.

    Parameters
    ----------
    x : object
        Object to be checked, of any class.

    Returns
    -------
    bool
        True for matrices, not for arrays.
    """
    return isinstance(x, coo_matrix)
