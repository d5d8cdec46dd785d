"""Element-wise functions, and extremes along an axis, of formats that have an array of values."""

from typing import Any

import numpy as np

from ..._core import umath
from ..._core._docstrings import documented_as
from ..._core.multiarray import arange, ascontiguousarray, empty, ndarray, where, zeros
from ._matrix import Part
from ._sparsetools import joined, rows_of
from ._sputils import check_axis, is_scalar


def _apply(self: Any, function: Any) -> Any:
    whole = self._canonical()  # a function of a sum is not the sum of the function's values
    return whole._with_data(function(whole.data))


class _data_matrix(Part):
    """Functions whose value at zero is zero: the structure stays."""

    def __imul__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data *= other
        return self

    def __itruediv__(self, other: Any) -> Any:
        if not is_scalar(other):
            return NotImplemented
        self.data /= other
        return self

    def sqrt(self) -> Any:
        """Return the square roots of the values.

        Waits for the device where duplicates may have to be summed first.

        Returns
        -------
        sparse matrix
            Matrix of the same structure.
        """
        return _apply(self, umath.sqrt)

    @documented_as(sqrt)
    def sin(self) -> Any:
        """Return the sines of the values."""
        return _apply(self, umath.sin)

    @documented_as(sqrt)
    def tan(self) -> Any:
        """Return the tangents of the values."""
        return _apply(self, umath.tan)

    @documented_as(sqrt)
    def arcsin(self) -> Any:
        """Return the inverse sines of the values."""
        return _apply(self, umath.arcsin)

    @documented_as(sqrt)
    def arctan(self) -> Any:
        """Return the inverse tangents of the values."""
        return _apply(self, umath.arctan)

    @documented_as(sqrt)
    def sinh(self) -> Any:
        """Return the hyperbolic sines of the values."""
        return _apply(self, umath.sinh)

    @documented_as(sqrt)
    def tanh(self) -> Any:
        """Return the hyperbolic tangents of the values."""
        return _apply(self, umath.tanh)

    @documented_as(sqrt)
    def arcsinh(self) -> Any:
        """Return the inverse hyperbolic sines of the values."""
        return _apply(self, umath.arcsinh)

    @documented_as(sqrt)
    def arctanh(self) -> Any:
        """Return the inverse hyperbolic tangents of the values."""
        return _apply(self, umath.arctanh)

    @documented_as(sqrt)
    def rint(self) -> Any:
        """Round the values to the nearest whole numbers."""
        return _apply(self, umath.rint)

    @documented_as(sqrt)
    def sign(self) -> Any:
        """Return the signs of the values."""
        return _apply(self, umath.sign)

    @documented_as(sqrt)
    def expm1(self) -> Any:
        """Return the values' exponentials less one."""
        return _apply(self, umath.expm1)

    @documented_as(sqrt)
    def log1p(self) -> Any:
        """Return the logarithms of one more than the values."""
        return _apply(self, umath.log1p)

    @documented_as(sqrt)
    def deg2rad(self) -> Any:
        """Convert the values from degrees to radians."""
        return _apply(self, umath.deg2rad)

    @documented_as(sqrt)
    def rad2deg(self) -> Any:
        """Convert the values from radians to degrees."""
        return _apply(self, umath.rad2deg)

    @documented_as(sqrt)
    def floor(self) -> Any:
        """Round the values down to whole numbers."""
        return _apply(self, umath.floor)

    @documented_as(sqrt)
    def ceil(self) -> Any:
        """Round the values up to whole numbers."""
        return _apply(self, umath.ceil)

    @documented_as(sqrt)
    def trunc(self) -> Any:
        """Round the values towards zero to whole numbers."""
        return _apply(self, umath.trunc)


class _minmax_mixin(Part):
    """Extremes: elements that are not stored count as zeros."""

    def max(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Return the maximum over an axis or all elements.

        Waits for the device where duplicates may have to be summed first, and along an axis, since
        the number of extremes that are not zero is a shape.

        Parameters
        ----------
        axis : int or tuple of ints, optional
            Axis or axes along which elements are compared; None compares all.
        out : None, optional
            Not supported, as in SciPy: it must be None.
        explicit : bool, optional
            If True, only stored values are compared.

        Returns
        -------
        ndarray or sparse matrix
            Extreme, an array without axes, or coordinates of those along an axis.
        """
        return self._extremes(axis, out, explicit, umath.maximum)

    @documented_as(max)
    def min(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Return the minimum over an axis or all elements."""
        return self._extremes(axis, out, explicit, umath.minimum)

    @documented_as(max)
    def nanmax(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Return the maximum, in which NaNs are ignored."""
        return self._extremes(axis, out, explicit, umath.fmax)

    @documented_as(max)
    def nanmin(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Return the minimum, in which NaNs are ignored."""
        return self._extremes(axis, out, explicit, umath.fmin)

    def argmax(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Return the index of the first maximum over an axis or all elements.

        Parameters
        ----------
        axis : int, optional
            Axis along which elements are compared; None compares all, row by row.
        out : None, optional
            Not supported, as in SciPy: it must be None.
        explicit : bool, optional
            If True, only stored values are compared.

        Returns
        -------
        int or ndarray
            Index of the element, which waits for the device, or indices along the axis.
        """
        return self._places(axis, out, explicit, umath.maximum)

    @documented_as(argmax)
    def argmin(self, axis: Any = None, out: Any = None, *, explicit: bool = False) -> Any:
        """Return the index of the first minimum over an axis or all."""
        return self._places(axis, out, explicit, umath.minimum)

    def _extremes(self, axis: Any, out: Any, explicit: bool, operation: Any) -> Any:
        if out is not None:
            raise ValueError("Sparse arrays do not support an 'out' parameter.")
        axis = check_axis(axis, self.ndim)
        if axis is None or self.ndim == 1:
            if 0 in self.shape:
                raise ValueError("zero-size array to reduction operation")
            a = self._canonical() if self.ndim > 2 else self._as_rows(1)
            if a.nnz == 0:
                return zeros((), self.dtype)
            most = operation.reduce(a.data)
            whole = explicit or a.nnz == int(np.prod(self.shape, dtype=object))
            return most if whole else operation(most, zeros((), self.dtype))
        rows, lengths = self._lines(axis)
        width = rows.shape[1]
        if width == 0:
            raise ValueError("zero-size array to reduction operation")
        found = _reduce_rows(operation, rows.indptr, rows.data, zeros((), self.dtype))
        if not explicit:
            partial = umath.less(_lengths(rows), width)
            found = where(partial, operation(found, zeros((), self.dtype)), found)
        made = found.reshape(lengths) if self.ndim > 2 else self._result_along(axis, found)
        return self._class("coo")(made)

    def _lines(self, axis: Any) -> tuple:
        """(rows, lengths): canonical rows of what is along an axis, and lengths of the others."""
        if self.ndim > 2:
            return self.tocoo()._rows_over(axis)
        made = self._as_rows(axis)
        return (made if axis == 1 else made.T), None

    def _as_rows(self, axis: int) -> Any:
        """Compressed along the other axis, canonical, so that an extreme is one of a row."""
        made = self.tocsr() if axis == 1 else self.tocsc()
        return made._canonical()

    def _places(self, axis: Any, out: Any, explicit: bool, operation: Any) -> Any:
        if out is not None:
            raise ValueError("Sparse arrays do not support an 'out' parameter.")
        axis = check_axis(axis, self.ndim)
        over = range(self.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        if any(self.shape[i] == 0 for i in over):
            raise ValueError("Cannot apply the operation to zero-size dimension.")
        if axis is None and explicit and self.nnz == 0:
            raise ValueError("Cannot apply the operation to zero elements when explicit=True.")
        if axis is None or self.ndim == 1:
            flat = self.tocoo()._reshaped((1, int(np.prod(self.shape, dtype=object)))).tocsr()
            return int(_first_places(flat._canonical(), flat.shape[1], explicit, operation)[0])
        rows, lengths = self._lines(axis)
        found = _first_places(rows, rows.shape[1], explicit, operation)
        return found.reshape(lengths) if self.ndim > 2 else self._result_along(axis, found)


def _lengths(a: Any) -> ndarray:
    return a.indptr[1:] - a.indptr[:-1]


def _reduce_rows(operation: Any, indptr: ndarray, data: ndarray, otherwise: ndarray) -> ndarray:
    """operation.reduceat of each row, and a value where a row is empty."""
    if data.size == 0:
        out = empty(indptr.size - 1, otherwise.dtype)
        out[...] = otherwise
        return out
    # One element more: the begin of an empty last row is that of an element too.
    padded = joined([ascontiguousarray(data), otherwise.astype(data.dtype).reshape(1)])
    found = operation.reduceat(padded, indptr)[:-1]
    return where(indptr[1:] > indptr[:-1], found, otherwise)


def _first_places(rows: Any, width: int, explicit: bool, operation: Any) -> ndarray:
    """The column of the first extreme of each row; `width` is the number of columns."""
    far = zeros((), np.int64) + width
    none = zeros((), rows.dtype)
    best = _reduce_rows(operation, rows.indptr, rows.data, none)
    row = rows_of(rows.indptr, rows.indices.size)
    same = umath.equal(rows.data, best[row])
    if rows.dtype.kind in "fc":
        same |= umath.isnan(rows.data)  # an extreme that is NaN is the first NaN
    column = rows.indices.astype(np.int64)
    first = _reduce_rows(umath.minimum, rows.indptr, where(same, column, far), far)
    if explicit:
        return where(_lengths(rows) > 0, first, zeros((), np.int64))
    # The first column that is not stored: where columns stop being 0, 1, 2 ...
    place = _positions(rows, row)
    lengths = _lengths(rows).astype(np.int64)
    gap = umath.minimum(
        _reduce_rows(umath.minimum, rows.indptr, where(column != place, place, far), far), lengths
    )
    beaten = umath.less(best, none) if operation is umath.maximum else umath.less(none, best)
    gap = where(lengths < width, gap, far)
    first = where(lengths > 0, first, far)
    tied = umath.minimum(first, gap)
    return where(beaten & (gap < far), gap, where(umath.equal(best, none), tied, first))


def _positions(rows: Any, row: ndarray) -> ndarray:
    """The position of each element in its row."""
    return arange(rows.indices.size, dtype=np.int64) - rows.indptr[:-1].astype(np.int64)[row]
