"""Splines of two variables, under the names of FITPACK's: on rectangles and on spheres.

Through values on a grid a spline is found on the device, by the banded systems of each variable.
FITPACK, which SciPy calls on the host, finds smoothing splines and those of scattered points, which
are copied to the host. All are evaluated on the device.
"""

import functools
import math
import operator
from typing import Any

import numpy as np
import scipy.interpolate

from ..._core import umath as um
from ..._core._convert import array_on_host, number_on_host, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, ascontiguousarray, empty, ndarray
from ..._core.raw import ElementwiseKernel, RawKernel
from ._bsplines import (
    BASIS,
    BSpline,
    _host_points,
    _not_a_knot,
    _ordered,
    _through,
    basis_values,
    splder,
)
from ._pieces import as_bound, as_box, as_evaluation_points, as_values

__all__ = [
    "BivariateSpline",
    "LSQBivariateSpline",
    "LSQSphereBivariateSpline",
    "RectBivariateSpline",
    "RectSphereBivariateSpline",
    "SmoothBivariateSpline",
    "SmoothSphereBivariateSpline",
    "bisplev",
    "bisplrep",
]

# A thread a point: the B-splines of each variable there, and the sum over their products. Points
# beyond the base intervals are moved to the ends. Degrees are known to the compiler, so that
# B-splines stay in registers.
_AT_POINTS = """
    enum { KX = %(kx)s, KY = %(ky)s };
    double bx[KX + 1], by[KY + 1], sum = 0;
    const double x0 = tx[KX], x1 = tx[nx], y0 = ty[KY], y1 = ty[ny];
    const double u = x < x0 ? x0 : x > x1 ? x1 : x, v = y < y0 ? y0 : y > y1 ? y1 : y;
    const long long row = basis_at<KX>(tx, nx, u, dx, bx), column = basis_at<KY>(ty, ny, v, dy, by);
    const bool known = row >= 0 && column >= 0;
    if (known) {
        #pragma unroll
        for (int j = 0; j <= KX; j++) {
            const ptrdiff_t first = (row + j) * ny + column;
            double part = 0;
            #pragma unroll
            for (int k = 0; k <= KY; k++) part += c[first + k] * by[k];
            sum += part * bx[j];
        }
    }
    z = known ? sum : nan("");
"""
# The same for all pairs of coordinates, whose B-splines are known: in one launch, or in two where
# there are as many points of the second variable as coefficients. Both have the same sums.
_ON_GRID = ElementwiseKernel(
    "raw float64 bx, raw int64 rows, raw float64 by, raw int64 columns, raw float64 c, int64 kx,"
    " int64 ky, int64 ny, int64 width",
    "float64 z",
    """
    const ptrdiff_t a = i / width, b = i - a * width, row = rows[a], column = columns[b];
    const bool known = row >= 0 && column >= 0;
    double sum = 0;
    for (int k = 0; k <= ky && known; k++) {
        double part = 0;
        for (int j = 0; j <= kx; j++)
            part = fma(c[(row + j) * ny + column + k], bx[a * (kx + 1) + j], part);
        sum = fma(part, by[b * (ky + 1) + k], sum);
    }
    z = known ? sum : nan("");
    """,
    "bispline_on_grid",
)
_SUM_ROWS = """
    const ptrdiff_t a = i / width, b = i - a * width, row = rows[a];
    double sum = 0;
    if (row >= 0) {
        #pragma unroll
        for (int j = 0; j <= %(k)s; j++)
            sum = fma(c[(row + j) * width + b], bx[a * (%(k)s + 1) + j], sum);
    }
    z = row < 0 ? nan("") : sum;
"""
# A thread a point of the second variable, and ROWS of the first, for which its B-splines stay in
# registers.
_COLUMNS, _ROWS = 256, 16
_SUM_COLUMNS = """
enum { K = %(k)s, COLUMNS = %(columns)s, ROWS = %(rows)s };

extern "C" __global__ void __launch_bounds__(COLUMNS)
bispline_columns(const double *by, const long long *columns, const double *part, double *out,
    const long long height, const long long width, const long long ny)
{
    const long long b = blockIdx.x * (long long)COLUMNS + threadIdx.x;
    if (b >= width) return;
    const long long column = columns[b];
    double y[K + 1];
    #pragma unroll
    for (int k = 0; k <= K; k++) y[k] = by[b * (K + 1) + k];
    #pragma unroll 1
    for (long long first = blockIdx.y * ROWS; first < height; first += gridDim.y * ROWS) {
        #pragma unroll 4
        for (int j = 0; j < ROWS; j++) {
            const long long a = first + j;
            if (a >= height) break;
            double sum = 0;
            #pragma unroll
            for (int k = 0; k <= K; k++)
                sum = column < 0 ? nan("") : fma(part[a * ny + column + k], y[k], sum);
            out[a * width + b] = sum;
        }
    }
}
"""


@functools.cache
def _rows_kernel(k: int) -> Any:
    arguments = "raw float64 bx, raw int64 rows, raw float64 c, int64 width"
    return ElementwiseKernel(arguments, "float64 z", _SUM_ROWS % {"k": k}, "bispline_rows")


@functools.cache
def _columns_kernel(k: int) -> Any:
    words = {"k": k, "columns": _COLUMNS, "rows": _ROWS}
    return RawKernel(_SUM_COLUMNS % words, "bispline_columns")


def _sizes(tck: tuple, degrees: tuple) -> tuple[int, int]:
    return tck[0].size - degrees[0] - 1, tck[1].size - degrees[1] - 1


@functools.cache
def _points_kernel(kx: int, ky: int) -> Any:
    return ElementwiseKernel(
        "float64 x, float64 y, raw float64 tx, raw float64 ty, raw float64 c, int64 nx, int64 ny,"
        " int64 dx, int64 dy",
        "float64 z",
        _AT_POINTS % {"kx": kx, "ky": ky},
        "bispline_at_points",
        preamble=BASIS,
    )


def _at_points(tck: tuple, degrees: tuple, x: ndarray, y: ndarray, orders: tuple) -> ndarray:
    tx, ty, c = tck
    out = empty(np.broadcast_shapes(x.shape, y.shape))
    if out.size:
        _points_kernel(*degrees)(x, y, tx, ty, c, *_sizes(tck, degrees), *orders, out)
    return out


def _on_grid(tck: tuple, degrees: tuple, x: ndarray, y: ndarray, orders: tuple) -> ndarray:
    out = empty((x.size, y.size))
    if not out.size:
        return out
    parts: list = []
    for at, t, k, order in zip((x, y), tck, degrees, orders, strict=False):
        inside = ascontiguousarray(um.clip(at, t[k], t[-k - 1]))
        parts += basis_values(inside, t, k, order, True)
    (kx, ky), (_, ny) = degrees, _sizes(tck, degrees)
    if y.size < ny:
        _ON_GRID(*parts, tck[2], kx, ky, ny, y.size, out)
        return out
    part = _rows_kernel(kx)(*parts[:2], tck[2], ny, empty((x.size, ny)))
    grid = (-(-y.size // _COLUMNS), min(-(-x.size // _ROWS), 1 << 15))
    sizes = [np.int64(n) for n in (x.size, y.size, ny)]
    _columns_kernel(ky)(grid, (_COLUMNS,), (*parts[2:], part, out, *sizes))
    return out


def _as_orders(orders: tuple, degrees: tuple) -> tuple:
    orders = tuple(operator.index(order) for order in orders)
    for order, degree, name in zip(orders, degrees, ("x", "y"), strict=True):
        if not 0 <= order < degree:
            raise ValueError(f"the order of d{name} must be from 0 to {degree - 1}, not {order}")
    return orders


class _Tensor:
    """What splines of two variables have in common."""

    degrees: tuple
    tck: tuple
    fp: Any = None

    def _take(self, fitted: Any) -> None:
        """Knots and coefficients that SciPy has found."""
        self.tck = tuple(array(part) for part in fitted.tck)
        self.degrees, self.fp = tuple(fitted.degrees), fitted.fp

    def get_knots(self) -> tuple:
        """Return the knots of each variable.

        Returns
        -------
        tuple of ndarray
            Knots of the first and of the second variable.
        """
        return self.tck[:2]

    def get_coeffs(self) -> ndarray:
        """Return the coefficients.

        Returns
        -------
        ndarray
            Coefficients of all products of B-splines, those of the second variable one by one.
        """
        return self.tck[2]

    def get_residual(self) -> float:
        """Return the sum of the weighted squares of the differences from the values.

        Returns
        -------
        float
            Sum that the fit has left.
        """
        if self.fp is None:
            raise AttributeError("a spline that was not fitted has no residual")
        return self.fp

    def _valued(self, x: Any, y: Any, orders: tuple, grid: bool) -> ndarray:
        orders = _as_orders(orders, self.degrees)
        x, y = as_evaluation_points(x), as_evaluation_points(y)
        if grid:
            return _on_grid(self.tck, self.degrees, x.reshape(-1), y.reshape(-1), orders)
        return _at_points(self.tck, self.degrees, x, y, orders)

    def _derived(self, dx: int, dy: int) -> "BivariateSpline":
        orders = _as_orders((dx, dy), self.degrees)
        made = object.__new__(BivariateSpline)
        if orders == (0, 0):
            made.tck, made.degrees, made.fp = self.tck, self.degrees, self.fp
            return made
        (tx, ty, c), (kx, ky) = self.tck, self.degrees
        c = c.reshape(_sizes(self.tck, self.degrees))
        tx, c, kx = _derivative(tx, c, kx, orders[0])
        ty, c, ky = _derivative(ty, c.T, ky, orders[1])
        made.tck = tx, ty, ascontiguousarray(c.T).reshape(-1)
        made.degrees = kx, ky
        return made


def _derivative(t: ndarray, c: ndarray, k: int, order: int) -> tuple:
    """Knots, coefficients along the first axis, and degree of a derivative."""
    if not order:
        return t, c, k
    padded = BSpline.construct_fast(t, ascontiguousarray(c), k)._padded()
    t, c, k = splder((t, padded, k), order)
    return t, c[: t.size - k - 1], k


class BivariateSpline(_Tensor):
    """Spline of two variables on a rectangle; the base class of those that are fitted.

    Attributes
    ----------
    tck : tuple of ndarray
        Knots of both variables, and coefficients.
    degrees : tuple of int
        Degrees in both variables.
    fp : float
        Sum of the weighted squares that the fit has left.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import RectBivariateSpline
    >>> x = cp.arange(5.0)
    >>> spline = RectBivariateSpline(x, x, x[:, None] * x**2).partial_derivative(1, 1)
    >>> spline.ev(2.5, 1.5).round(9)
    array(3.)
    """

    @classmethod
    def _from_tck(cls, tck: tuple) -> "BivariateSpline":
        """The spline of knots, coefficients and degrees as `bisplrep` gives them."""
        made = object.__new__(cls)
        made.tck, made.degrees = _as_bivariate(tck)
        return made

    def __call__(self, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> ndarray:
        """Evaluate the spline or a derivative.

        Parameters
        ----------
        x : array_like
            Coordinates of the first variable, in any order.
        y : array_like
            Coordinates of the second variable, in any order.
        dx : int, optional
            Order of the derivative by the first variable, below its degree.
        dy : int, optional
            Order of the derivative by the second variable, below its degree.
        grid : bool, optional
            If True, all pairs of coordinates are points; otherwise coordinates broadcast.

        Returns
        -------
        ndarray
            Values, of shape (coordinates of x, coordinates of y), or the broadcast shape. Points
            beyond the rectangle have the value of its border.
        """
        return self._valued(x, y, (dx, dy), grid)

    @documented_as(__call__)
    def ev(self, xi: Any, yi: Any, dx: int = 0, dy: int = 0) -> ndarray:
        """Evaluate the spline or a derivative at points.

        Parameters
        ----------
        xi : array_like
            Coordinates of the first variable, which broadcast with the others.
        yi : array_like
            Coordinates of the second variable.

        Returns
        -------
        ndarray
            Values, of the broadcast shape.
        """
        return self._valued(xi, yi, (dx, dy), False)

    def integral(self, xa: float, xb: float, ya: float, yb: float) -> ndarray:
        """Integrate over a rectangle; the spline is zero beyond its own one.

        Parameters
        ----------
        xa : float
            Lower end of the first variable.
        xb : float
            Upper end of the first variable.
        ya : float
            Lower end of the second variable.
        yb : float
            Upper end of the second variable.

        Returns
        -------
        ndarray
            Integral, an array without axes.
        """
        (tx, ty, c), (kx, ky) = self.tck, self.degrees
        rows = c.reshape(_sizes(self.tck, self.degrees))
        columns = BSpline.construct_fast(tx, rows, kx).integrate(xa, xb, extrapolate=False)
        columns = ascontiguousarray(columns)
        return BSpline.construct_fast(ty, columns, ky).integrate(ya, yb, extrapolate=False)

    def partial_derivative(self, dx: int, dy: int) -> "BivariateSpline":
        """Return a derivative as a spline.

        Parameters
        ----------
        dx : int
            Order by the first variable, below its degree.
        dy : int
            Order by the second variable, below its degree.

        Returns
        -------
        BivariateSpline
            Derivative, a spline of lower degrees.
        """
        return self._derived(dx, dy)


def _knots_on(x: np.ndarray, k: int, ends: list, name: str) -> np.ndarray:
    """Knots of the spline of a degree through values at points, with the ends of a box."""
    _ordered(x)
    if not 1 <= k <= 5:
        raise ValueError(f"k{name} must be from 1 to 5, not {k}")
    if x.size <= k:
        raise ValueError(f"{name} must have {k + 1} points or more, not {x.size}")
    first, last = (x[0] if ends[0] is None else ends[0]), (x[-1] if ends[1] is None else ends[1])
    if first > x[0] or last < x[-1]:
        raise ValueError(f"bbox must contain {name}, from {x[0]} to {x[-1]}")
    t = _not_a_knot(x, k)
    t[: k + 1], t[t.size - k - 1 :] = first, last
    return t


class RectBivariateSpline(BivariateSpline):
    """Spline of two variables through values on a grid, or near to them.

    Parameters
    ----------
    x : array_like
        Coordinates of the first variable in strictly increasing order, copied to the host.
    y : array_like
        Coordinates of the second variable in strictly increasing order, copied to the host.
    z : array_like
        Real values, of shape (coordinates of x, coordinates of y).
    bbox : sequence of four floats, optional
        Ends of the rectangle: of x, then of y; by default the first and last coordinates.
    kx : int, optional
        Degree in the first variable, from 1 to 5.
    ky : int, optional
        Degree in the second variable, from 1 to 5.
    s : float, optional
        Largest sum of the squares of the differences. For 0 the spline goes through the values, and
        is found on the device; otherwise FITPACK finds it on the host, to which they are copied.
    maxit : int, optional
        Most steps of FITPACK, where `s` is not 0.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import RectBivariateSpline
    >>> x = cp.arange(4.0)
    >>> spline = RectBivariateSpline(x, x, x[:, None] * x**2)
    >>> spline([1.5], [0.5, 2.0]).round(9)
    array([[0.375, 6.   ]])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        bbox: Any = (None, None, None, None),
        kx: int = 3,
        ky: int = 3,
        s: float = 0,
        maxit: int = 20,
    ) -> None:
        points, box = (_host_points(x), _host_points(y, "y")), as_box(bbox, 4)
        values = as_values(z)
        if values.dtype.kind == "c":
            raise ValueError("z must be real numbers")
        shape = tuple(at.size for at in points)
        if values.shape != shape:
            raise ValueError(f"z must be of shape {shape} as x and y are, not {values.shape}")
        if not s >= 0:
            raise ValueError(f"s must not be negative, but is {shown(s)}")
        self.degrees = operator.index(kx), operator.index(ky)
        knots = [
            _knots_on(at, k, ends, name)
            for at, k, ends, name in zip(
                points, self.degrees, (box[:2], box[2:]), "xy", strict=True
            )
        ]
        if s > 0:
            self._take(
                scipy.interpolate.RectBivariateSpline(
                    *points, values.get(), box, *self.degrees, s, maxit
                )
            )
            return
        for at, t, k in zip(points, knots, self.degrees, strict=True):
            values = ascontiguousarray(_through(at, values, t, k, [], []).T)
        self.tck = (*(array(t) for t in knots), values.reshape(-1))
        self.fp = 0.0


@documented_as(RectBivariateSpline)
class SmoothBivariateSpline(BivariateSpline):
    """Smoothing spline of two variables near to values at scattered points.

    FITPACK chooses knots on the host, to which points and values are copied.

    Parameters
    ----------
    x : array_like
        Coordinates of the first variable, one for each point.
    y : array_like
        Coordinates of the second variable, one for each point.
    z : array_like
        Real values, one for each point.
    w : array_like, optional
        Positive weights of the points, by default all one.
    bbox : sequence of four floats, optional
        Ends of the rectangle: of x, then of y; by default those of the points.
    s : float, optional
        Largest sum of the weighted squares, by default the number of points.
    eps : float, optional
        Share below which singular values count as zero, between 0 and 1.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import SmoothBivariateSpline
    >>> x, y = cp.random.default_rng(1).random((2, 40))
    >>> SmoothBivariateSpline(x, y, x * y, s=0.1).ev(0.5, 0.5).round(6)
    array(0.25)
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        w: Any = None,
        bbox: Any = (None, None, None, None),
        kx: int = 3,
        ky: int = 3,
        s: Any = None,
        eps: float = 1e-16,
    ) -> None:
        given = array_on_host(x), array_on_host(y), array_on_host(z), array_on_host(w)
        self._take(
            scipy.interpolate.SmoothBivariateSpline(
                *given, as_box(bbox, 4), kx, ky, as_bound(s), eps
            )
        )


@documented_as(SmoothBivariateSpline)
class LSQBivariateSpline(BivariateSpline):
    """Spline of two variables with given inner knots, fitted to scattered points.

    FITPACK computes on the host, to which points and values are copied.

    Parameters
    ----------
    tx : array_like
        Inner knots of the first variable in increasing order.
    ty : array_like
        Inner knots of the second variable in increasing order.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import LSQBivariateSpline
    >>> x, y = cp.random.default_rng(1).random((2, 60))
    >>> LSQBivariateSpline(x, y, x * y, [0.5], [0.5]).ev(0.5, 0.5).round(6)
    array(0.25)
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        tx: Any,
        ty: Any,
        w: Any = None,
        bbox: Any = (None, None, None, None),
        kx: int = 3,
        ky: int = 3,
        eps: Any = None,
    ) -> None:
        given = (
            array_on_host(x),
            array_on_host(y),
            array_on_host(z),
            array_on_host(tx),
            array_on_host(ty),
            array_on_host(w),
        )
        self._take(scipy.interpolate.LSQBivariateSpline(*given, as_box(bbox, 4), kx, ky, eps))


# ---- functions -----------------------------------------------------------------------------------


def _as_bivariate(tck: Any) -> tuple:
    """((knots of x, knots of y, coefficients) on the device, degrees)."""
    tx, ty, c, kx, ky = tck
    parts = tuple(as_values(array(part, copy=None)).reshape(-1) for part in (tx, ty, c))
    degrees = operator.index(kx), operator.index(ky)
    if any(t.size < 2 * k + 2 for t, k in zip(parts, degrees, strict=False)):
        raise ValueError(f"tck has too few knots for the degrees {degrees}")
    if not all(0 <= k <= 5 for k in degrees):
        raise ValueError(f"degrees must be from 0 to 5, not {degrees}")
    if parts[2].size != math.prod(_sizes(parts, degrees)):
        raise ValueError(f"tck needs {math.prod(_sizes(parts, degrees))} coefficients")
    return parts, degrees


@documented_as(SmoothBivariateSpline)
def bisplrep(
    x: Any,
    y: Any,
    z: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    yb: Any = None,
    ye: Any = None,
    kx: int = 3,
    ky: int = 3,
    task: int = 0,
    s: Any = None,
    eps: float = 1e-16,
    tx: Any = None,
    ty: Any = None,
    full_output: int = 0,
    nxest: Any = None,
    nyest: Any = None,
    quiet: int = 1,
) -> Any:
    """Fit a spline of two variables to scattered points; FITPACK computes on the host.

    Parameters
    ----------
    xb : float, optional
        Begin of the base interval of x.
    xe : float, optional
        End of the base interval of x.
    yb : float, optional
        Begin of the base interval of y.
    ye : float, optional
        End of the base interval of y.
    task : int, optional
        0 chooses knots, 1 goes on from the last call, -1 takes those of `tx` and `ty`.
    s : float, optional
        Largest sum of the weighted squares.
    tx : array_like, optional
        Knots of x, for ``task=-1``.
    ty : array_like, optional
        Knots of y, for ``task=-1``.
    full_output : int, optional
        If not 0, the sum of squares, a flag and a message are returned too.
    nxest : int, optional
        Most knots of x.
    nyest : int, optional
        Most knots of y.
    quiet : int, optional
        If 0, messages of FITPACK are shown.

    Returns
    -------
    list
        Knots of x, of y, coefficients, all on the device, and both degrees; see `full_output`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import bisplev, bisplrep
    >>> x, y = cp.random.default_rng(1).random((2, 40))
    >>> bisplev([0.5], [0.25, 0.5], bisplrep(x, y, x * y, s=0.1)).round(6)
    array([0.125, 0.25 ])
    """
    made = scipy.interpolate.bisplrep(
        *(array_on_host(a) for a in (x, y, z, w)),
        *(number_on_host(n) for n in (xb, xe, yb, ye, kx, ky, task, as_bound(s), eps)),
        *(array_on_host(t) for t in (tx, ty)),
        *(number_on_host(n) for n in (full_output, nxest, nyest, quiet)),
    )  # fmt: skip
    tck, rest = (made[0], made[1:]) if full_output else (made, ())
    moved = [*(array(part) for part in tck[:3]), *tck[3:]]
    return [moved, *rest] if full_output else moved


@documented_as(BivariateSpline.__call__)
def bisplev(x: Any, y: Any, tck: Any, dx: int = 0, dy: int = 0) -> ndarray:
    """Evaluate a spline of two variables, or a derivative, for all pairs of coordinates.

    Parameters
    ----------
    tck : list
        Knots of x, of y, coefficients and both degrees, as `bisplrep` returns them.

    Returns
    -------
    ndarray
        Values, of shape (coordinates of x, coordinates of y), without the first axis where its
        length is one, and without axes where both are.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import bisplev
    >>> bisplev([0.5], [0.25, 0.5], ([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 2], 1, 1))
    array([0.75, 1.  ])
    """
    parts, degrees = _as_bivariate(tck)
    x, y = as_evaluation_points(x), as_evaluation_points(y)
    if x.ndim > 1 or y.ndim > 1:
        raise ValueError(f"x and y must be numbers or 1-D, not of {x.ndim} and {y.ndim} axes")
    made = _on_grid(parts, degrees, x.reshape(-1), y.reshape(-1), _as_orders((dx, dy), degrees))
    if made.shape[0] != 1:
        return made
    return made[0, 0] if made.shape[1] == 1 else made[0]


# ---- spheres -------------------------------------------------------------------------------------


class _OnSphere(_Tensor):
    """Splines of a colatitude and a longitude."""

    _turn: Any = None  # where longitudes must be, if anywhere

    def __call__(
        self, theta: Any, phi: Any, dtheta: int = 0, dphi: int = 0, grid: bool = True
    ) -> ndarray:
        """Evaluate the spline or a derivative.

        Parameters
        ----------
        theta : array_like
            Colatitudes from 0 to pi, in any order. The check of the ends waits for the device.
        phi : array_like
            Longitudes, in any order; those beyond the turn of the spline are moved to its ends, or
            an error where the spline is one of scattered points.
        dtheta : int, optional
            Order of the derivative by the colatitude, below 3.
        dphi : int, optional
            Order of the derivative by the longitude, below 3.
        grid : bool, optional
            If True, all pairs of angles are points; otherwise angles broadcast.

        Returns
        -------
        ndarray
            Values, of shape (colatitudes, longitudes), or the broadcast shape.
        """
        theta, phi = as_evaluation_points(theta), as_evaluation_points(phi)
        if bool(((theta < 0) | (theta > math.pi)).any()):
            raise ValueError("theta must be from 0 to pi")
        if self._turn and bool(((phi < 0) | (phi > self._turn)).any()):
            raise ValueError("phi must be from 0 to 2 pi")
        return self._valued(theta, phi, (dtheta, dphi), grid)

    @documented_as(__call__)
    def ev(self, theta: Any, phi: Any, dtheta: int = 0, dphi: int = 0) -> ndarray:
        """Evaluate the spline or a derivative at points.

        Returns
        -------
        ndarray
            Values, of the shape that the angles broadcast to.
        """
        return self(theta, phi, dtheta, dphi, grid=False)

    def partial_derivative(self, dx: int, dy: int) -> BivariateSpline:
        """Return a derivative as a spline on a rectangle.

        Parameters
        ----------
        dx : int
            Order by the colatitude, below 3.
        dy : int
            Order by the longitude, below 3.

        Returns
        -------
        BivariateSpline
            Derivative, a spline of lower degrees.
        """
        return self._derived(dx, dy)


class RectSphereBivariateSpline(_OnSphere):
    """Smoothing spline on a sphere, near to values on a grid of angles.

    FITPACK computes on the host, to which angles and values are copied.

    Parameters
    ----------
    u : array_like
        Colatitudes between 0 and pi, in strictly increasing order.
    v : array_like
        Longitudes in strictly increasing order, within one turn.
    r : array_like
        Real values, of shape (colatitudes, longitudes).
    s : float, optional
        Largest sum of the squares of the differences, 0 by default.
    pole_continuity : bool or pair of bools, optional
        Whether derivatives are continuous at the poles.
    pole_values : float or pair of floats, optional
        Values at the poles.
    pole_exact : bool or pair of bools, optional
        Whether values at the poles are taken exactly.
    pole_flat : bool or pair of bools, optional
        Whether derivatives at the poles are zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import RectSphereBivariateSpline
    >>> u, v = cp.linspace(0.2, 3.0, 15), cp.linspace(0, 6.0, 16)
    >>> f = RectSphereBivariateSpline(u, v, cp.cos(u)[:, None] + 0 * v)
    >>> f.ev(1.0, 2.0).round(4)
    array(0.5403)
    """

    def __init__(
        self,
        u: Any,
        v: Any,
        r: Any,
        s: float = 0.0,
        pole_continuity: Any = False,
        pole_values: Any = None,
        pole_exact: Any = False,
        pole_flat: Any = False,
    ) -> None:
        fitted = scipy.interpolate.RectSphereBivariateSpline(
            *(array_on_host(a) for a in (u, v, r)), as_bound(s), pole_continuity,
            array_on_host(pole_values), pole_exact, pole_flat,
        )  # fmt: skip
        self._take(fitted)
        self.v0 = fitted.v0


class SmoothSphereBivariateSpline(_OnSphere):
    """Smoothing spline on a sphere, near to values at scattered points.

    FITPACK chooses knots on the host, to which points and values are copied.

    Parameters
    ----------
    theta : array_like
        Colatitudes from 0 to pi, one for each point.
    phi : array_like
        Longitudes from 0 to 2 pi, one for each point.
    r : array_like
        Real values, one for each point.
    w : array_like, optional
        Positive weights of the points, by default all one.
    s : float, optional
        Largest sum of the weighted squares.
    eps : float, optional
        Share below which singular values count as zero, between 0 and 1.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import SmoothSphereBivariateSpline
    >>> theta = cp.linspace(0.1, 3.0, 40)
    >>> f = SmoothSphereBivariateSpline(theta, theta * 2, 0 * theta + 2, s=1.0)
    >>> f.ev(1.0, 2.0).round(4)
    array(2.)
    """

    _turn = 2 * math.pi

    def __init__(
        self, theta: Any, phi: Any, r: Any, w: Any = None, s: float = 0.0, eps: float = 1e-16
    ) -> None:
        given = array_on_host(theta), array_on_host(phi), array_on_host(r), array_on_host(w)
        self._take(scipy.interpolate.SmoothSphereBivariateSpline(*given, as_bound(s), eps))


@documented_as(SmoothSphereBivariateSpline)
class LSQSphereBivariateSpline(_OnSphere):
    """Spline on a sphere with given knots, fitted to values at scattered points.

    FITPACK computes on the host, to which points and values are copied.

    Parameters
    ----------
    tt : array_like
        Inner knots of the colatitude in increasing order.
    tp : array_like
        Inner knots of the longitude in increasing order.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import LSQSphereBivariateSpline
    >>> theta, phi = (a.reshape(-1) for a in cp.meshgrid(cp.linspace(0.1, 3.0, 9), cp.arange(6.0)))
    >>> f = LSQSphereBivariateSpline(theta, phi, 0 * theta + 2, [1.5], [3.0])
    >>> f.ev(1.0, 2.0).round(4)
    array(2.)
    """

    _turn = 2 * math.pi

    def __init__(
        self,
        theta: Any,
        phi: Any,
        r: Any,
        tt: Any,
        tp: Any,
        w: Any = None,
        eps: float = 1e-16,
    ) -> None:
        given = (
            array_on_host(theta),
            array_on_host(phi),
            array_on_host(r),
            array_on_host(tt),
            array_on_host(tp),
            array_on_host(w),
        )
        self._take(scipy.interpolate.LSQSphereBivariateSpline(*given, eps))
