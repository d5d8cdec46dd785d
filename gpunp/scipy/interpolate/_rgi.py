"""Interpolation on a grid of any number of axes, and tensor products of B-splines."""

import math
import operator
import types
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, host_ndim, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, ascontiguousarray, concatenate, empty, ndarray
from ..._core.numeric import moveaxis
from ..._core.raw import ElementwiseKernel
from ...lib._function_base_impl import flip
from ._bivariate import RectBivariateSpline
from ._bsplines import (
    BSpline,
    _as_degree,
    _as_knots,
    _check_knots,
    basis_values,
    make_interp_spline,
    splder,
)
from ._cubic import PchipInterpolator
from ._grid_values import put_grid_values
from ._pieces import (
    as_evaluation_points,
    as_places,
    as_points,
    as_values,
    is_true,
    result_kind,
    um_moveaxis,
)
from ._ppoly import values_in_powers

__all__ = ["NdBSpline", "RegularGridInterpolator", "interpn"]

_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
_DEGREES |= {f"{name}_legacy": degree for name, degree in _DEGREES.items()}
_METHODS = ("linear", "nearest", *_DEGREES, "pchip")


def _as_grid(points: Any, values: Any) -> tuple[tuple, ndarray]:
    """The points of each axis in increasing order, and the values in that order."""
    values = as_array(values)
    if values.dtype.kind not in "biufc":
        raise ValueError(f"values must be numbers, not {values.dtype}")
    if values.dtype.kind in "biu":
        values = values.astype("d")
    if len(points) > values.ndim:
        raise ValueError(f"There are {len(points)} point arrays, but values has {values.ndim} axes")
    grid = []
    for axis, given in enumerate(points):
        own, steps = as_points(given, f"points of axis {axis}")
        if own.ndim != 1:
            raise ValueError(f"points of axis {axis} must be 1-D, not of shape {own.shape}")
        if own.size != values.shape[axis]:
            raise ValueError(
                f"There are {own.size} points and {values.shape[axis]} values on dimension {axis}"
            )
        if steps is not None and steps.size and not is_true(steps > 0):
            if not is_true(steps < 0):
                raise ValueError(f"points of axis {axis} must be strictly ascending or descending")
            own, values = ascontiguousarray(own[::-1]), flip(values, axis)
        grid.append(own)
    return tuple(grid), values


def _as_places(xi: Any, d: int) -> ndarray:
    """Points of shape (..., d) from an array, or a tuple of arrays of coordinates."""
    out = as_places(xi)
    if out.ndim == 1 and not isinstance(xi, tuple):
        out = out.reshape((-1, 1) if d == 1 else (1, -1))  # places, or a single one
    if out.ndim == 0 or out.shape[-1] != d:
        raise ValueError(
            f"The requested sample points xi have dimension {out.shape[-1] if out.ndim else 0} but "
            f"this interpolator has dimension {d}"
        )
    return out


class RegularGridInterpolator:
    """Function on a grid whose axes may be unequally spaced.

    Parameters
    ----------
    points : sequence of array_like
        Points of each axis in ascending or descending order. The check of those on the device
        waits for it; ``errstate(linalg="ignore")`` disables it.
    values : array_like
        Values, real or complex, of shape (lengths of the axes..., ...).
    method : {'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip'}, optional
        How values between the points are found. The names of splines with ``_legacy`` added, of
        which SciPy solves for the coefficients in another way, mean the same splines.
    bounds_error : bool, optional
        If True, points outside are an error, whose check waits for the device.
    fill_value : float or None, optional
        Value of points outside; None extrapolates.
    solver, solver_args : object, optional
        Accepted for splines only, and not called: coefficients are solved for axis by axis.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import RegularGridInterpolator
    >>> f = RegularGridInterpolator(([0, 1, 2], [0, 1]), cp.array([[0, 1], [2, 3], [4, 5]]))
    >>> f(cp.array([[0.5, 0.5], [1.5, 0.0]]))
    array([1.5, 3. ])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = np.nan,
        *,
        solver: Any = None,
        solver_args: Any = None,
    ) -> None:
        if method not in _METHODS:
            raise ValueError(f"Method {shown(method)} is not defined")
        self.method, self.bounds_error = method, bounds_error
        self.grid, self.values = _as_grid(points, values)
        _check_lengths(method, self.grid)
        self.fill_value = fill_value
        if fill_value is not None:
            fill = as_host(fill_value.get() if isinstance(fill_value, ndarray) else fill_value)
            if not np.can_cast(fill.dtype, self.values.dtype, "same_kind"):
                raise ValueError(
                    "fill_value must be either None or of a type compatible with values"
                )
        if method not in _DEGREES and (solver is not None or solver_args):
            raise ValueError(f"Method {shown(method)} takes no `solver`: it solves for nothing")
        self._spline: Any = None

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> ndarray:
        """Interpolate at points.

        Parameters
        ----------
        xi : array_like or tuple of array_like
            Points of shape (..., axes), or their coordinates one by one.
        method : str, optional
            How values are found, by default as the object was made.
        nu : sequence of int, optional
            Orders of derivatives by each axis, for splines only.

        Returns
        -------
        ndarray
            Values, of shape (..., rest of the axes of the values).
        """
        method = self.method if method is None else method
        if method not in _METHODS:
            raise ValueError(f"Method {shown(method)} is not defined")
        if nu is not None and method not in _DEGREES:
            raise ValueError(f"derivatives are of splines only, not of method {shown(method)}")
        d = len(self.grid)
        xi = _as_places(xi, d)
        flat = ascontiguousarray(xi.reshape(-1, d))
        self._check_bounds(flat)
        tail = self.values.shape[d:]
        if method in ("linear", "nearest"):
            out = self._on_cells(flat, method == "nearest")
        else:
            _check_lengths(method, self.grid)
            made = (
                self._by_splines(flat, method, nu) if method in _DEGREES else self._by_pchip(flat)
            )
            out = self._filled(made, flat)
            if method == "pchip":
                out = out.astype(self.values.dtype, copy=False)
        return out.reshape((*xi.shape[:-1], *tail))

    def _check_bounds(self, flat: ndarray) -> None:
        """Refuse points outside of the grid, NaN among them, where that is asked for."""
        for k, own in enumerate(self.grid if self.bounds_error else ()):
            if not is_true((flat[:, k] >= own[0]) & (flat[:, k] <= own[-1])):
                raise ValueError(f"One of the requested xi is out of bounds in dimension {k}")

    def _on_cells(self, flat: ndarray, nearest: bool) -> ndarray:
        d = len(self.grid)
        tail = self.values.shape[d:]
        columns = math.prod(tail)
        kind = self.values.dtype
        keeps = nearest and kind.char in "fF"
        inner = kind if keeps else result_kind(kind)
        out = empty((flat.shape[0], columns), inner)
        if out.size:
            f = ascontiguousarray(self.values.astype(inner, copy=False))
            fill = 0 if self.fill_value is None else as_host_number(self.fill_value)
            put_grid_values(flat, self.grid, f, (self.fill_value is not None, fill), nearest, out)
        return out

    def _by_splines(self, flat: ndarray, method: str, nu: Any) -> ndarray:
        k = _DEGREES[method]
        if self._spline is None or self._spline.k[0] != k:
            c = as_values(self.values)
            knots = []
            for axis, own in enumerate(self.grid):
                line = make_interp_spline(own, um_moveaxis(c, axis), k, check_finite=False)
                c = ascontiguousarray(moveaxis(line.c, 0, axis))
                knots.append(line.t)
            self._spline = NdBSpline(tuple(knots), c, k)
        return self._spline(flat, nu=nu, extrapolate=True)

    def _by_pchip(self, flat: ndarray) -> ndarray:
        """Axis by axis from the last: the first makes a column of each point, the others take only
        the point's own column."""
        d = len(self.grid)
        made = as_values(self.values)
        if made.dtype.kind == "c":
            raise ValueError("method 'pchip' takes real values")
        rest = made.shape[d:]
        made = moveaxis(made.reshape(*made.shape[:d], -1), -1, 0)  # (rest, axes)
        last = PchipInterpolator(self.grid[-1], made, axis=-1)
        made = last(flat[:, -1])  # (rest, other axes, points)
        for k in range(d - 2, -1, -1):
            lines = ascontiguousarray(um_moveaxis(made, made.ndim - 2))
            own = PchipInterpolator(self.grid[k], lines, axis=0)
            made = empty(lines.shape[1:])
            if made.size:
                values_in_powers(flat[:, k], own.c, own.x, 0, True, made)
        return made.T.reshape(flat.shape[0], *rest)

    def _filled(self, made: ndarray, flat: ndarray) -> ndarray:
        outside = None
        for k, own in enumerate(self.grid):
            flags = (flat[:, k] < own[0]) | (flat[:, k] > own[-1])
            outside = flags if outside is None else outside | flags
        bare = (-1,) + (1,) * (made.ndim - 1)
        if self.fill_value is not None and outside is not None:
            made = um.where(outside.reshape(bare), as_host_number(self.fill_value), made)
        is_nan = um.isnan(flat).any(axis=1)
        return um.where(is_nan.reshape(bare), np.nan, made)


def as_host_number(value: Any) -> Any:
    """A number of the host or the device as one of the host."""
    return value.item() if isinstance(value, (ndarray, np.generic)) else value


def _check_lengths(method: str, grid: tuple) -> None:
    least = _DEGREES.get(method, 3 if method == "pchip" else 0) + 1
    for k, own in enumerate(grid):
        if own.size < least:
            raise ValueError(
                f"There are {own.size} points in dimension {k}, but method {method} requires at "
                f"least {least} points per dimension."
            )


@documented_as(RegularGridInterpolator)
def interpn(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    bounds_error: bool = True,
    fill_value: Any = np.nan,
) -> ndarray:
    """Interpolate once on a grid whose axes may be unequally spaced.

    Parameters
    ----------
    points : sequence of array_like
        Points of each axis in ascending or descending order.
    xi : array_like or tuple of array_like
        Where values are wanted, of shape (..., axes), or the coordinates one by one.
    method : str, optional
        As of `RegularGridInterpolator`, or 'splinef2d': a `RectBivariateSpline` through values on
        two axes.

    Returns
    -------
    ndarray
        Values, of shape (..., rest of the axes of the values).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import interpn
    >>> interpn(([0, 1, 2],), cp.array([0, 1, 4]), cp.array([0.5, 1.5]))
    array([0.5, 2.5])
    """
    if method != "splinef2d":
        return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)
    if fill_value is None and not bounds_error:
        raise ValueError("method 'splinef2d' does not extrapolate")
    made = RegularGridInterpolator(points, values, "linear", bounds_error, fill_value)
    if len(made.grid) != 2 or made.values.ndim != 2:
        raise ValueError(f"method 'splinef2d' takes values on 2 axes, not {made.values.ndim}")
    return _by_surface(made, xi)


def _by_surface(made: RegularGridInterpolator, xi: Any) -> ndarray:
    xi = _as_places(xi, 2)
    flat = xi.reshape(-1, 2)
    made._check_bounds(flat)
    (x, y), (rows, columns) = flat.T, made.grid
    inside = (x >= rows[0]) & (x <= rows[-1]) & (y >= columns[0]) & (y <= columns[-1])
    surface = RectBivariateSpline(rows, columns, made.values)
    values = surface.ev(um.where(inside, x, rows[0]), um.where(inside, y, columns[0]))
    fill = np.nan if made.fill_value is None else as_host_number(made.fill_value)
    return um.where(inside, values, fill).reshape(xi.shape[:-1])


# ---- tensor products of B-splines ----------------------------------------------------------------

# The values of the B-splines of each axis are given; a thread sums over their products. `info` has,
# for each axis, k + 1, where its values begin, and the stride in the coefficients.
_PRODUCT = ElementwiseKernel(
    "raw float64 values, raw int64 first, raw T c, raw int64 info, int64 d, int64 n, int64 columns",
    "T y",
    """
    const ptrdiff_t point = i / columns, column = i - point * columns;
    long long digit[32];
    long long base = 0;
    bool inside = true;
    for (long long k = 0; k < d; k++) {
        const long long at = first[k * n + point];
        inside = inside && at >= 0;
        base += at * info[3 * k + 2];
        digit[k] = 0;
    }
    y = inside ? T(0) : T(nan(""));
    for (bool more = inside; more;) {
        double weight = 1;
        long long at = base;
        for (long long k = 0; k < d; k++) {
            weight *= values[info[3 * k + 1] + point * info[3 * k] + digit[k]];
            at += digit[k] * info[3 * k + 2];
        }
        y += c[at * columns + column] * weight;
        long long k = d - 1;
        while (k >= 0 && ++digit[k] == info[3 * k]) digit[k--] = 0;
        more = k >= 0;
    }
    """,
    "spline_products",
)


class NdBSpline:
    """Spline in several variables: sums of products of B-splines.

    Parameters
    ----------
    t : sequence of array_like
        Knots of each variable in non-decreasing order.
    c : array_like
        Coefficients, of shape (splines of all variables..., ...).
    k : int or sequence of int
        Degree of each variable.
    extrapolate : bool, optional
        If True, the default, polynomials at the ends are used beyond the base intervals; if False,
        results are NaN there.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import NdBSpline
    >>> spline = NdBSpline(([0, 0, 1, 1], [0, 0, 1, 1]), cp.array([[0, 1], [2, 3]]), 1)
    >>> spline(cp.array([[0.5, 0.5]]))
    array([1.5])
    """

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, t: Any, c: Any, k: Any, *, extrapolate: Any = None) -> None:
        d = len(t)
        try:
            degrees = tuple(k)
        except TypeError:
            degrees = (k,) * d
        if len(degrees) != d:
            raise ValueError(f"k has {len(degrees)} degrees for {d} variables")
        self.k = tuple(_as_degree(one) for one in degrees)
        pairs = [_as_knots(one) for one in t]
        self.t = tuple(own for own, _ in pairs)
        self.c = as_values(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        if self.c.ndim < d:
            raise ValueError(f"c must have {d} axes or more, not {self.c.ndim}")
        for axis, (own, host) in enumerate(pairs):
            n = own.size - self.k[axis] - 1
            if own.ndim != 1:
                raise ValueError(f"knots of axis {axis} must be 1-D, not of shape {own.shape}")
            if n < self.k[axis] + 1:
                raise ValueError(f"axis {axis} needs {2 * self.k[axis] + 2} knots or more")
            _check_knots(host, self.k[axis])
            if self.c.shape[axis] != n:
                raise ValueError(
                    f"axis {axis} has {n} splines, c has {self.c.shape[axis]} coefficients"
                )

    def _bases(self, xi: ndarray, nu: Any, extrapolate: bool) -> list:
        given = [0] * len(self.k) if nu is None else as_host(nu)
        if host_ndim(given) != 1:
            raise ValueError(f"nu must have an order for each of {len(self.k)} variables")
        orders = [operator.index(one) for one in given]
        if len(orders) != len(self.k) or min(orders) < 0:
            raise ValueError(f"nu must have {len(self.k)} orders, none negative, not {shown(nu)}")
        columns = [ascontiguousarray(xi[:, axis]) for axis in range(len(self.k))]
        return [
            basis_values(x, t, k, order, extrapolate)
            for x, t, k, order in zip(columns, self.t, self.k, orders, strict=True)
        ]

    def __call__(self, xi: Any, *, nu: Any = None, extrapolate: Any = None) -> ndarray:
        """Evaluate the spline or a derivative.

        Parameters
        ----------
        xi : array_like
            Points, of shape (..., variables).
        nu : sequence of int, optional
            Orders of the derivatives by each variable.
        extrapolate : bool, optional
            What is done beyond the base intervals, by default as the spline was made.

        Returns
        -------
        ndarray
            Values, of shape (..., rest of the axes of the coefficients).
        """
        d = len(self.k)
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        xi = as_evaluation_points(xi)
        if xi.ndim == 0 or xi.shape[-1] != d:
            raise ValueError(
                f"points must have {d} coordinates along the last axis, not {xi.shape}"
            )
        flat = xi.reshape(-1, d)
        tail = self.c.shape[d:]
        n, columns = flat.shape[0], math.prod(tail)
        out = empty((n, columns), self.c.dtype)
        if out.size:
            bases = self._bases(flat, nu, extrapolate)
            info, begin = [], 0
            for axis, k in enumerate(self.k):
                info += [k + 1, begin, math.prod(self.c.shape[axis + 1 : d])]
                begin += n * (k + 1)
            values = concatenate([own.reshape(-1) for own, _ in bases])
            first = concatenate([own for _, own in bases])
            _PRODUCT(values, first, self.c, array(info), d, n, columns, out)
        return out.reshape((*xi.shape[:-1], *tail))

    def derivative(self, nu: Any) -> "NdBSpline":
        """Return a derivative as a spline.

        Parameters
        ----------
        nu : sequence of int
            Orders of the derivatives by each variable.

        Returns
        -------
        NdBSpline
            Derivative, a spline of lower degrees; zero for an order above the degree.
        """
        orders = as_host(nu)
        if orders.shape != (len(self.k),):
            raise ValueError(f"nu must have {len(self.k)} orders, not {shown(nu)}")
        if min(orders.tolist()) < 0:
            raise ValueError(f"nu must not have negative orders, but is {shown(nu)}")
        c, knots, degrees = self.c, [], []
        for axis, order in enumerate(orders.tolist()):
            t, k = self.t[axis], self.k[axis]
            rows = ascontiguousarray(um_moveaxis(c, axis))
            if order > k:  # zero in all steps of the base interval
                t, rows = t[k : t.size - k], rows[: t.size - 2 * k - 1] * 0
                k = 0
            elif order:
                t, rows, k = splder((t, BSpline.construct_fast(t, rows, k)._padded(), k), order)
            c = moveaxis(rows[: t.size - k - 1], 0, axis)
            knots.append(t)
            degrees.append(k)
        return NdBSpline(knots, ascontiguousarray(c), degrees, extrapolate=self.extrapolate)

    @classmethod
    def design_matrix(cls, xvals: Any, t: Any, k: Any, extrapolate: Any = True) -> Any:
        """Return the values of all products of B-splines as a sparse matrix.

        Parameters
        ----------
        xvals : array_like
            Points, of shape (points, variables).
        t : sequence of array_like
            Knots of each variable.
        k : int or sequence of int
            Degree of each variable.
        extrapolate : bool, optional
            Whether points beyond the base intervals have the values of the polynomials at the ends.

        Returns
        -------
        csr_array
            Matrix of shape (points, products of splines).
        """
        from ..sparse import csr_array

        xvals = as_evaluation_points(xvals)
        d = len(t)
        if xvals.ndim != 2 or xvals.shape[1] != d:
            raise ValueError(f"xvals must be of shape (points, {d}), not {xvals.shape}")
        knots = [_as_knots(one)[0] for one in t]
        try:
            degrees = tuple(k)
        except TypeError:
            degrees = (k,) * d
        values: Any = None
        columns: Any = None
        n = xvals.shape[0]
        for axis in range(d):
            own, first = basis_values(
                ascontiguousarray(xvals[:, axis]), knots[axis], degrees[axis], 0, bool(extrapolate)
            )
            at = first[:, None] + array(np.arange(degrees[axis] + 1))
            size = knots[axis].size - degrees[axis] - 1
            if values is None:
                values, columns, total = own, at, size
                continue
            values = (values[:, :, None] * own[:, None, :]).reshape(n, -1)
            columns = (columns[:, :, None] * size + at[:, None, :]).reshape(n, -1)
            total *= size
        rows = array(np.arange(n + 1) * values.shape[1])
        return csr_array((values.reshape(-1), columns.reshape(-1), rows), shape=(n, total))
