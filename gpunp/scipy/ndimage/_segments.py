"""Sums and extremes of the elements of each label: what the measurements are made of."""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, shown
from ..._core._filters import segment_index, segment_keys, segments, segments_sorted
from ..._core.fromnumeric import argsort, searchsorted, sort
from ..._core.multiarray import arange, asarray, empty, ndarray
from ..._core.numeric import ones
from ...lib._stride_tricks_impl import broadcast_to
from ._ni_support import numbers

__all__ = ["Segments", "is_single", "labels_of", "one_segment", "selected"]


def is_single(index: Any) -> bool:
    """Whether an index asks for one result, which is no array then."""
    return index is None or np.isscalar(index)


def labels_of(input: Any, labels: Any) -> tuple[ndarray, ndarray | None]:
    """An image and its labels, both of the shape to which they broadcast."""
    a = numbers(as_array(input))
    if labels is None:
        return a, None
    k = as_array(labels)
    if k.dtype.kind not in "biuf":
        raise TypeError(f"labels must be real numbers, not {k.dtype}")
    shape = np.broadcast_shapes(a.shape, k.shape)
    return broadcast_to(a, shape), broadcast_to(k, shape)


def selected(labels: ndarray, index: Any) -> ndarray:
    """Which elements have a label: the one given, or any above zero for None."""
    if index is None:
        return labels > 0
    found = labels == index
    if not isinstance(found, ndarray):  # what is no number compares as a whole
        raise TypeError(f"index must be real numbers, not {shown(index)}")
    return found


class Segments:
    """The elements of an image by label.

    Parameters
    ----------
    a, labels : ndarray
        Image and its labels, of one shape.
    index : array_like
        Labels whose results are wanted.
    """

    def __init__(self, a: ndarray, labels: ndarray, index: Any):
        self.a = a if a.flags.c_contiguous else a.copy("C")
        self.labels = labels if labels.flags.c_contiguous else labels.copy("C")
        given = index if isinstance(index, ndarray) else as_host(index)
        if given.size and given.dtype.kind not in "biuf":
            raise TypeError(f"index must be real numbers, not {given.dtype}")
        if not a.size and given.size:
            raise ValueError("labels are of no element")
        is_exact = given.dtype.kind in "biu" and labels.dtype.kind in "biu"
        self.shape = given.shape
        self.table, self.places = _table(given, np.dtype(np.int64 if is_exact else np.float64))
        self._order: Any = None

    def keys(self) -> ndarray:
        """The place of each element's label in the table, the table's length where it is absent."""
        keys = empty(self.labels.shape, np.int32)
        if self.table.size:
            segment_keys(self.labels, self.table, keys)
        return keys

    def sorted(self) -> tuple[ndarray, ndarray]:
        """The elements in the order of their labels, and where each label of the table starts."""
        if self._order is None:
            keys = self.keys().ravel()
            order = argsort(keys)
            starts = searchsorted(keys[order], arange(self.table.size + 1, dtype=np.int32))
            self._order = order, starts
        return self._order

    def of_index(self, found: ndarray) -> ndarray:
        """Results of the table as results of the index."""
        found = found if self.places is None else found[self.places]
        return found.reshape(self.shape + found.shape[1:])

    def _run(self, values, centres, out, at, operation, source, order, axis) -> None:
        shape = self.labels.shape
        length = shape[axis] if axis is not None else 1
        step = math.prod(shape[axis + 1 :]) if axis is not None else 1
        rule = (centres, out, at, operation, source, order, length, step)
        if not self.table.size:
            return
        if not segments(values, self.labels, self.table, *rule):
            segments_sorted(values, *self.sorted(), *rule)

    def total(
        self, source: str = "value", axis: int | None = None, centres: ndarray | None = None
    ) -> ndarray:
        """Sums, as float64: of 'one', of each 'value', its 'moment' or 'square'."""
        if source != "one" and self.a.dtype.kind == "c":
            raise TypeError("sums by label are of real numbers, not complex ones")
        out = empty(self.table.shape, np.float64)
        self._run(
            None if source == "one" else self.a, centres, out, None, "sum", source, "sorted", axis
        )
        return out

    def extreme(self, operation: str, order: str = "sorted") -> tuple[ndarray, ndarray]:
        """The 'least' or 'most' elements and their flat indices, 0 and 0 of absent labels."""
        out, at = empty(self.table.shape, self.a.dtype), empty(self.table.shape, np.int64)
        self._run(self.a, None, out, at, operation, "value", order, None)
        return out, at

    def coordinates(self, operation: str, axis: int) -> tuple[ndarray, ndarray]:
        """The 'least' or 'most' coordinates along an axis, and flat indices of such elements."""
        out, at = empty(self.table.shape, np.int64), empty(self.table.shape, np.int64)
        self._run(None, None, out, at, operation, "place", "first", axis)
        return out, at


def _table(index: Any, dtype: np.dtype) -> tuple[ndarray, ndarray | None]:
    """An index in ascending order, and where its items are there: None for one in that order."""
    if isinstance(index, ndarray):
        flat = index.ravel()
        table: Any = empty(flat.shape, dtype)
        found = empty(flat.shape, np.int64)
        if not flat.size or segment_index(flat, table, found):
            return table, found
        flat = flat.astype(dtype)
        table = sort(flat)
        return table, searchsorted(table, flat)
    flat = index.ravel().astype(dtype)
    if (flat[1:] > flat[:-1]).all():
        return asarray(flat), None
    table, places = np.unique(flat, return_inverse=True)
    return asarray(table), asarray(places)


def one_segment(a: ndarray, mask: ndarray) -> Segments:
    """The elements that a mask selects, as the only label."""
    return Segments(a, mask, ones(1, np.int64))
