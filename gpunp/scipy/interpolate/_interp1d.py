"""Interpolation between points on a line, in one launch for the simple kinds."""

import operator
import types
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, normalize_axis_index, shown
from ..._core.fusion import fuse
from ..._core.multiarray import ascontiguousarray, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel
from ...lib._stride_tricks_impl import broadcast_to
from ._bsplines import make_interp_spline
from ._pieces import BISECT, as_evaluation_points, as_points, restored, um_moveaxis
from ._value_tables import has_table, put_by_table

__all__ = ["interp1d"]

_SPLINES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_STEPS = {"linear": 0, "nearest": 1, "nearest-up": 2, "previous": 3, "next": 4}
_CONSTANT = 5  # the spline of degree zero, which goes on beyond the ends
# The interval is found by bisection; `kind` is a value of _STEPS. Points outside take the fill
# values where they are not extrapolated.
_INTERPOLATE = ElementwiseKernel(
    "float64 x, raw float64 t, raw T f, raw T below, raw T above, int64 n, int64 columns,"
    " int32 kind, bool extrapolate",
    "T y",
    """
    const ptrdiff_t column = columns == 1 ? 0 : i % columns;
    if (x != x) {
        y = kind == 0 || kind == 5 ? T(nan("")) : T(f[(n - 1) * columns + column]);
    }
    else if (!extrapolate && x < t[0]) {
        y = below[column];
    }
    else if (!extrapolate && x > t[n - 1]) {
        y = above[column];
    }
    else {
        const auto is_below = [&](long long k) { return kind == 0 ? x > t[k] : x >= t[k]; };
        const double first = t[0], last = t[n - 1];
        const long long a = n < 1ll << 31 ? find_place(0, int(n - 1), x, first, last, is_below)
                                          : find_place(0ll, n - 1, x, first, last, is_below);
        const long long b = n > 1 ? a + 1 : a;
        const double left = t[a], right = n > 1 ? double(t[b]) : left;
        if (kind == 0) {
            const T low = f[a * columns + column], high = f[b * columns + column];
            y = n > 1 ? low + (high - low) / (right - left) * (x - left) : low;
            if (y != y) { // one of them is not finite: from the other end
                const bool is_between = x > left && x < right;
                const T back = high + (high - low) / (right - left) * (x - right);
                if (x == left || (is_between && low == high)) y = low;
                else if (x == right) y = high;
                else if (is_between) y = back;
            }
        }
        else {
            const double half = left + (right - left) / 2;
            long long at = a;
            if (kind == 1) at = x > half ? b : a;
            else if (kind == 2) at = x >= half ? b : a;
            else if (kind != 4) at = x >= right ? b : a;
            else at = x <= left ? a : b;
            const bool beyond = kind == 3 ? x < t[0] : kind == 4 && x > t[n - 1];
            y = beyond ? T(nan("")) : T(f[at * columns + column]);
        }
    }
    """,
    "interpolate_line",
    preamble=BISECT,
)


@fuse
def _are_outside(x, low, high):
    return ((x < low) | (x > high)).any()


class interp1d:
    """Function through points on a line.

    Parameters
    ----------
    x : array_like
        Points in any order, all different.
    y : array_like
        Values, real or complex, one for each point along `axis`.
    kind : str or int, optional
        'linear', 'nearest', 'nearest-up', 'previous', 'next', or a spline: 'zero', 'slinear',
        'quadratic', 'cubic' or its degree.
    axis : int, optional
        Axis of `y` along which the points are, by default the last.
    copy : bool, optional
        If False, arrays that need no conversion are used themselves.
    bounds_error : bool, optional
        If True, points outside are an error, whose check waits for the device; if False they get
        the fill value. By default they are an error unless they are extrapolated.
    fill_value : array_like, tuple or 'extrapolate', optional
        Value of points outside, or a pair for those below and above.
    assume_sorted : bool, optional
        If True, `x` is in increasing order already.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import interp1d
    >>> interp1d([0, 1, 2], [0, 10, 30])(cp.array([0.5, 1.5]))
    array([ 5., 20.])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Any = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: Any = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        self.copy = copy
        if kind in _SPLINES and isinstance(kind, str):
            degree: Any = _SPLINES[kind]
        elif isinstance(kind, str):
            if kind not in _STEPS:
                raise NotImplementedError(f"{shown(kind)} is unsupported: use fitpack routines")
            degree = None
        else:
            degree = operator.index(kind)
            if degree < 0:
                raise ValueError(f"kind must not be negative, but is {degree}")
        points, values = as_array(as_points(x)[0]), as_array(y)
        if points.ndim != 1:
            raise ValueError(f"x must be 1-D, not of shape {points.shape}")
        if values.ndim == 0:
            raise ValueError("y must have an axis or more")
        if not np.issubdtype(values.dtype, np.inexact):
            values = values.astype("d")
        self.axis = normalize_axis_index(axis, values.ndim)
        if values.shape[self.axis] != points.size:
            raise ValueError(
                f"x and y must have equal lengths along axis {self.axis}: {points.size} and "
                f"{values.shape[self.axis]}"
            )
        if not assume_sorted:
            order = points.argsort(kind="stable")
            points, values = points[order], values.take(order, axis=self.axis)
        self.x, self.y = (v.copy() if copy and assume_sorted else v for v in (points, values))
        self.dtype = self.y.dtype
        self._given = x.dtype if isinstance(x, ndarray) else np.dtype("d")
        self.x_bds: Any = None
        self._kind, self._degree = kind, degree
        least = 1 if degree is None else degree + 1
        if points.size < least:
            raise ValueError(f"x and y must have at least {least} points")
        self._prepare()
        self._take_fill(fill_value, bounds_error)

    def _prepare(self) -> None:
        kind = np.dtype("D" if self.y.dtype.kind == "c" else "d")
        first = ascontiguousarray(um_moveaxis(self.y, self.axis).astype(kind, copy=False))
        self._points = ascontiguousarray(self.x.astype("d", copy=False))
        self._tail = first.shape[1:]
        self._values = first.reshape(self.x.size, -1)
        self._spline = None
        if self._degree == 0:
            self._step = _CONSTANT
        elif self._degree is not None:
            self._spline = make_interp_spline(
                self._points, self._values, self._degree, check_finite=False
            )
        else:
            self._step = _STEPS[self._kind]
        if self._step_is("nearest", "nearest-up"):
            self.x_bds = self.x[:-1] + (self.x[1:] - self.x[:-1]) / 2

    def _step_is(self, *names: str) -> bool:
        return self._degree is None and self._kind in names

    def _take_fill(self, fill_value: Any, bounds_error: Any) -> None:
        self._extrapolates = isinstance(fill_value, str) and fill_value == "extrapolate"
        if self._extrapolates:
            if bounds_error:
                raise ValueError("points cannot be extrapolated and be an error at once")
            self.fill_value: Any = "extrapolate"
            self.bounds_error = False
            return
        pair = fill_value if isinstance(fill_value, tuple) and len(fill_value) == 2 else None
        names = ("fill_value", "fill_value")
        if pair is not None:
            names = ("fill_value (below)", "fill_value (above)")
        sides = pair or (fill_value, fill_value)
        self._fills = [self._as_fill(v, name) for v, name in zip(sides, names, strict=True)]
        self.fill_value = fill_value
        self.bounds_error = bounds_error is None or bool(bounds_error)

    def _as_fill(self, value: Any, name: str) -> ndarray:
        value = as_array(value)
        try:
            whole = broadcast_to(value, self._tail or (1,))
        except ValueError as error:
            raise ValueError(
                f"{name} of shape {value.shape} cannot be broadcast to {self._tail}"
            ) from error
        return ascontiguousarray(whole.astype(self._values.dtype)).reshape(-1)

    def __call__(self, x: Any) -> ndarray:
        """Interpolate at points.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.

        Returns
        -------
        ndarray
            Values; the axes of `x` stand where the axis of the points was.
        """
        x = as_array(x)
        places = x.dtype if x.dtype.kind == "f" else np.dtype("d")
        x = as_evaluation_points(x)
        columns, intervals = self._values.shape[1], self.x.size - 1
        if self._spline is not None:
            self._check(x)
            made = self._spline(x.reshape(-1), extrapolate=True)
            made = self._filled(made, x.reshape(-1, 1))
        else:
            made = empty((x.size, columns), self._values.dtype)
            is_line = self._step == _STEPS["linear"] and intervals > 0
            if is_line and has_table(x, self._values, intervals, made):
                self._put_lines(x, made)
            else:
                self._check(x)
                self._put_steps(x, made)
        if self._degree is None:
            if self._kind == "linear":
                made = made.astype(np.result_type(places, self._given, self.dtype), copy=False)
            else:
                made = made.astype(self.dtype, copy=False)
        return restored(made.reshape(x.shape + self._tail), x.ndim, self.axis)

    def _check(self, x: ndarray) -> None:
        """Refuse points outside if they are an error."""
        low, high = self._points[0], self._points[-1]
        if self.bounds_error and bool(_are_outside(x, low, high)):
            self._refuse([bool((x < low).any()), True])

    def _refuse(self, beyond: Any) -> None:
        for flag, word in zip(beyond, ("below", "above"), strict=True):
            if flag:
                raise ValueError(f"A value in x_new is {word} the interpolation range.")

    def _put_steps(self, x: ndarray, out: ndarray) -> None:
        fills = self._fills if not self._extrapolates else [self._values[0]] * 2
        if out.size:
            _INTERPOLATE(
                x.reshape(-1, 1), self._points, self._values, *fills, self.x.size, out.shape[1],
                self._step, self._extrapolates, out,
            )  # fmt: skip

    def _put_lines(self, x: ndarray, out: ndarray) -> None:
        """Straight lines at very many points, which are checked on the way."""
        beyond = zeros(2, np.int32) if self.bounds_error else None
        fills = (None, None) if self._extrapolates else self._fills
        ends = (*fills, beyond, np.int32(self._extrapolates))
        put_by_table("line_table", (self._points, self._values), x, self._points, 1, ends, out)
        if beyond is not None:
            self._refuse(beyond.get())

    def _filled(self, made: ndarray, x: ndarray) -> ndarray:
        if self._extrapolates:
            return made
        below, above = self._fills
        made = um.where(x < self._points[0], below[None], made)
        return um.where(x > self._points[-1], above[None], made)
