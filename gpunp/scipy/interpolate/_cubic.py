"""Cubic interpolators: slopes at the points, and the cubic polynomials that have them."""

from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_host, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import ascontiguousarray, concatenate, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel
from ._pieces import (
    as_extrapolate,
    as_points,
    as_values,
    checks_values,
    leading,
)
from ._ppoly import PPoly
from ._tridiagonal import solve_cyclic, solve_tridiagonal

__all__ = [
    "Akima1DInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PchipInterpolator",
    "pchip",
    "pchip_interpolate",
]

_COEFFICIENTS = ElementwiseKernel(
    "float64 x0, float64 x1, T y0, T y1, T d0, T d1",
    "T c0, T c1, T c2, T c3",
    """
    const double dx = x1 - x0;
    const T slope = (y1 - y0) / dx, t = (d0 + d1 - slope - slope) / dx;
    c0 = t / dx;
    c1 = (slope - d0) / dx - t;
    c2 = d0;
    c3 = y0;
    """,
    "cubic_coefficients",
)
# F. N. Fritsch & J. Butland, SIAM J. Sci. Stat. Comput. 5, 1984: weighted harmonic means of the
# neighbouring slopes, and at the ends the three-point formula, limited so that shapes are kept.
_MONOTONE = ElementwiseKernel(
    "raw float64 x, raw float64 y, int64 n, int64 columns",
    "float64 d",
    """
    const ptrdiff_t k = i / columns, at = i;
    auto slope = [&](ptrdiff_t j, ptrdiff_t here) {
        return (y[here + columns] - y[here]) / (x[j + 1] - x[j]);
    };
    if (n == 2) {
        d = slope(0, at - k * columns);
    }
    else if (k == 0 || k == n - 1) {
        const ptrdiff_t j = k == 0 ? 0 : n - 2, next = k == 0 ? 1 : n - 3;
        const ptrdiff_t here = at + (j - k) * columns, there = at + (next - k) * columns;
        const double h0 = x[j + 1] - x[j], h1 = x[next + 1] - x[next];
        const double m0 = slope(j, here), m1 = slope(next, there);
        d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
        if ((d > 0) - (d < 0) != (m0 > 0) - (m0 < 0)) d = 0;
        else if ((m0 > 0) - (m0 < 0) != (m1 > 0) - (m1 < 0) && fabs(d) > 3 * fabs(m0)) d = 3 * m0;
    }
    else {
        const double h0 = x[k] - x[k - 1], h1 = x[k + 1] - x[k];
        const double m0 = slope(k - 1, at - columns), m1 = slope(k, at);
        const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
        d = m0 * m1 > 0 || m0 != m0 || m1 != m1 ? (w0 + w1) / (w0 / m0 + w1 / m1) : 0;
    }
    """,
    "monotone_slopes",
)


# The equations of the slopes at all points but the first and the last, whose rows are zero. The
# diagonals are written with the first column.
_EQUATIONS = ElementwiseKernel(
    "raw float64 x, raw T y, int64 n, int64 columns",
    "T side, raw float64 low, raw float64 middle, raw float64 high",
    """
    const ptrdiff_t k = columns == 1 ? i : i / columns;
    double before = 0, after = 0;
    side = T(0);
    if (k > 0 && k < n - 1) {
        before = x[k] - x[k - 1];
        after = x[k + 1] - x[k];
        const T left = (y[i] - y[i - columns]) / before, right = (y[i + columns] - y[i]) / after;
        side = (left * after + right * before) * 3.0;
    }
    if (i == k * columns) {
        low[k] = after;
        middle[k] = 2 * (before + after);
        high[k] = before;
    }
    """,
    "spline_equations",
)


def _checked(x: Any, y: Any, axis: Any, *more: Any) -> tuple:
    """Points, values with the axis first, that axis, and more values of the same shape."""
    points, steps = as_points(x)
    values = as_values(y)
    if points.ndim != 1:
        raise ValueError(f"x must be 1-D, not of shape {points.shape}")
    if points.size < 2:
        raise ValueError(f"x must have two points or more, not {points.size}")
    rest = []
    for other in more:
        other = as_values(other)
        if other.shape != values.shape:
            raise ValueError(f"shapes of y and dydx differ: {values.shape} and {other.shape}")
        rest.append(other)
    values, axis = leading(values, axis)
    if values.shape[0] != points.size:
        raise ValueError(
            f"y has {values.shape[0]} values along axis {axis}, x {points.size} points"
        )
    rest = [leading(other, axis)[0] for other in rest]
    if steps is not None:
        flags: list = [um.isfinite(v).all() for v in (values, *rest)] if checks_values() else []
        flags.append(um.isfinite(points).all())
        flags.append((steps > 0).all() if isinstance(steps, ndarray) else bool((steps > 0).all()))
        if not all(flags):
            raise ValueError("x and y must be finite and x strictly increasing")
    return points, values, axis, *rest


def _flat(values: ndarray) -> ndarray:
    return values.reshape(values.shape[0], -1)


class CubicHermiteSpline(PPoly):
    """Piecewise cubic with given values and first derivatives.

    Parameters
    ----------
    x : array_like
        Points in strictly increasing order. Values are checked, which waits for the device;
        ``errstate(linalg="ignore")`` disables it.
    y : array_like
        Values, real or complex, one for each point along `axis`.
    dydx : array_like
        First derivatives, of the shape of `y`.
    axis : int, optional
        Axis of `y` along which the points are.
    extrapolate : bool or 'periodic', optional
        What is done beyond the ends; None extrapolates.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import CubicHermiteSpline
    >>> CubicHermiteSpline([0, 1], [0, 1], [0, 0])(cp.array([0.25, 0.5]))
    array([0.15625, 0.5    ])
    """

    def __init__(self, x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> None:
        points, values, axis, slopes = _checked(x, y, axis, dydx)
        self._take(points, values, slopes, axis, as_extrapolate(extrapolate))

    def _take(self, x: ndarray, y: ndarray, slopes: ndarray, axis: int, extrapolate: Any) -> None:
        kind = np.dtype("D" if "D" in (y.dtype.char, slopes.dtype.char) else "d")
        y, slopes = (v.astype(kind, copy=False) for v in (y, slopes))
        shape = (-1,) + (1,) * (y.ndim - 1)
        c = empty((4, y.shape[0] - 1, *y.shape[1:]), kind)
        if c.size:
            _COEFFICIENTS(
                x[:-1].reshape(shape), x[1:].reshape(shape), y[:-1], y[1:], slopes[:-1], slopes[1:],
                *c,
            )  # fmt: skip
        self.c, self.x, self.axis, self.extrapolate = c, x, axis, extrapolate


def _real(y: Any, name: str) -> ndarray:
    values = as_values(y)
    if values.dtype.kind == "c":
        raise ValueError(f"{name} takes real values, not {values.dtype}")
    return values


@documented_as(CubicHermiteSpline)
class PchipInterpolator(CubicHermiteSpline):
    """Piecewise cubic that is monotone where the data are (PCHIP).

    Parameters
    ----------
    y : array_like
        Real values, one for each point along `axis`.

    References
    ----------
    F. N. Fritsch and J. Butland, A method for constructing local monotone piecewise cubic
    interpolants, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import PchipInterpolator
    >>> PchipInterpolator([0, 1, 2, 3], [0, 0, 1, 1])(cp.array([0.5, 1.5]))
    array([0. , 0.5])
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> None:
        points, values, axis = _checked(x, _real(y, "PchipInterpolator"), axis)
        slopes = empty(values.shape)
        if slopes.size:
            _MONOTONE(points, values, points.size, values[0].size, slopes)
        self._take(points, values, slopes, axis, as_extrapolate(extrapolate))


pchip = PchipInterpolator


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: int = 0) -> Any:
    """Evaluate a monotone piecewise cubic through points once.

    Parameters
    ----------
    xi : array_like
        Points in strictly increasing order.
    yi : array_like
        Real values, one for each point along `axis`.
    x : array_like
        Where the interpolator is evaluated.
    der : int or list of int, optional
        Orders of the derivatives that are evaluated.
    axis : int, optional
        Axis of `yi` along which the points are.

    Returns
    -------
    ndarray or list of ndarray
        Values, a list of them where `der` is a list.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import pchip_interpolate
    >>> pchip_interpolate([0, 1, 2, 3], [0, 0, 1, 1], [0.5, 1.5])
    array([0. , 0.5])
    """
    made = PchipInterpolator(xi, yi, axis=axis)
    orders = as_host(der)
    if orders.ndim == 0:
        return made(x, int(orders))
    return [made(x, int(nu)) for nu in orders]


@documented_as(PchipInterpolator)
class Akima1DInterpolator(CubicHermiteSpline):
    """Piecewise cubic whose slopes are weighted by how the slopes of the data change (Akima).

    Parameters
    ----------
    method : {'akima', 'makima'}, optional
        Weights: Akima's of 1970, or the modified ones, which avoid overshoots of flat data.
    extrapolate : bool or 'periodic', optional
        What is done beyond the ends; by default results are NaN there.

    References
    ----------
    H. Akima, A new method of interpolation and smooth curve fitting based on local procedures,
    J. ACM 17 (1970) 589-602.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import Akima1DInterpolator
    >>> Akima1DInterpolator([0, 1, 2, 3], [0, 1, 2, 3])(cp.array([0.5, 2.5]))
    array([0.5, 2.5])
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, *, method: str = "akima", extrapolate: Any = None
    ) -> None:
        if method not in ("akima", "makima"):
            raise NotImplementedError(f"method must be 'akima' or 'makima', not {shown(method)}")
        points, values, axis = _checked(x, _real(y, "Akima1DInterpolator"), axis)
        slopes = _akima_slopes(points, values, method == "makima")
        self._take(points, values, slopes, axis, as_extrapolate(extrapolate, False))


def _akima_slopes(x: ndarray, y: ndarray, modified: bool) -> ndarray:
    steps = (x[1:] - x[:-1]).reshape((-1,) + (1,) * (y.ndim - 1))
    inner = (y[1:] - y[:-1]) / steps
    if x.size == 2:
        return concatenate((inner, inner))
    before = 2 * inner[:1] - inner[1:2]
    after = 2 * inner[-1:] - inner[-2:-1]
    m = concatenate(
        (2 * before - inner[:1], before, inner, after, 2 * after - inner[-1:])
    )  # two more slopes on either side, as if a parabola went on
    change = abs(m[1:] - m[:-1])
    if modified:
        change = change + 0.5 * abs(m[1:] + m[:-1])
    f2 = change[:-2]
    total = change[2:] + f2
    mean = m[1:-2] + f2 / total * (m[2:-1] - m[1:-2])  # products of slopes would overflow
    return um.where(total > 1e-9 * total.max(initial=0), mean, 0.5 * (m[3:] + m[:-3]))


# ---- splines -------------------------------------------------------------------------------------


@documented_as(CubicHermiteSpline)
class CubicSpline(CubicHermiteSpline):
    """Piecewise cubic with continuous first and second derivatives.

    The system for the slopes is solved on the device by parallel cyclic reduction.

    Parameters
    ----------
    bc_type : str or tuple, optional
        Conditions at the ends: 'not-a-knot', 'periodic', 'clamped', 'natural', or a pair of them or
        of (order of the derivative, its value).
    extrapolate : bool or 'periodic', optional
        What is done beyond the ends; by default periodic splines go on, others extrapolate.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import CubicSpline
    >>> CubicSpline([0, 1, 2, 3], [0, 1, 8, 27])(cp.array([0.5, 2.5]))
    array([ 0.125, 15.625])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: Any = None,
    ) -> None:
        points, values, axis = _checked(x, y, axis)
        conditions, values = _conditions(bc_type, values, axis)
        periodic = conditions[0] == "periodic"
        slopes = _spline_slopes(points, values, conditions)
        chosen = as_extrapolate(extrapolate, "periodic" if periodic else True)
        self._take(points, values, slopes, axis, chosen)


_NAMED = {"clamped": (1, 0.0), "natural": (2, 0.0)}


def _conditions(bc_type: Any, y: ndarray, axis: int) -> tuple[list, ndarray]:
    """The conditions at both ends: names, or pairs (order, values); and the values, complex where a
    condition is."""
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            _check_periodic(y, axis)
        bc_type = (bc_type, bc_type)
    elif len(bc_type) != 2:
        raise ValueError("bc_type must have two elements, for both ends")
    elif any(isinstance(bc, str) and bc == "periodic" for bc in bc_type):
        raise ValueError("'periodic' is a condition for both ends: bc_type='periodic'")
    made: list = []
    for bc in bc_type:
        if isinstance(bc, str):
            if bc not in ("not-a-knot", "periodic", *_NAMED):
                raise ValueError(f"bc_type={shown(bc)} is not allowed")
            made.append(_NAMED.get(bc, bc))
            continue
        try:
            order, value = bc
        except Exception as error:
            raise ValueError("a condition must be a name or (order, value)") from error
        if order not in (1, 2):
            raise ValueError(f"order of a derivative must be 1 or 2, not {shown(order)}")
        value = as_values(value)
        if value.shape != y.shape[1:]:
            raise ValueError(
                f"value of a derivative must be of shape {y.shape[1:]}, not {value.shape}"
            )
        if value.dtype.kind == "c":
            y = y.astype("D", copy=False)
        made.append((order, value))
    return made, y


def _check_periodic(y: ndarray, axis: int) -> None:
    if y.size and checks_values():
        close = abs(y[0] - y[-1]) <= 1e-15 + 1e-15 * abs(y[-1])
        if not bool(close.all()):
            raise ValueError(f"first and last value along axis {axis} must be equal for 'periodic'")


def _spline_slopes(x: ndarray, y: ndarray, conditions: list) -> ndarray:
    n, flat = x.size, _flat(y)
    dx, slope = _steps(x[:3], flat[:3])  # all that the first equations need
    if n == 2:
        conditions = [
            (1, slope[0]) if bc in ("not-a-knot", "periodic") else bc for bc in conditions
        ]
    names = [bc if isinstance(bc, str) else None for bc in conditions]
    if names[0] == "periodic":
        return _periodic_slopes(*_steps(x, flat)).reshape(y.shape)
    if n == 3 and names == ["not-a-knot"] * 2:  # one parabola
        second = (slope[1] - slope[0]) / (dx[0] + dx[1])
        made: Any = [
            slope[0] - second * dx[0],
            slope[0] + second * dx[0],
            slope[1] + second * dx[1],
        ]
        return concatenate([row[None] for row in made]).reshape(y.shape)
    low, middle, high, sides = _inner_equations(x, flat)
    _end_equation(conditions[0], dx, slope, flat, (middle, high, sides), 1)
    backwards: Any = [a[::-1] for a in (*_steps(x[-3:], flat[-3:]), flat)]
    _end_equation(  # type: ignore[call-arg]  # three arrays before the others
        conditions[1], *backwards, (middle[::-1], low[::-1], sides[::-1]), -1
    )
    if n > 2:
        _absorb(conditions[0], (low, middle, high, sides))
        _absorb(conditions[1], (high[::-1], middle[::-1], low[::-1], sides[::-1]))
    made = solve_tridiagonal(low, middle, high, ascontiguousarray(sides))
    return made.reshape(y.shape)


def _steps(x: ndarray, flat: ndarray) -> tuple[ndarray, ndarray]:
    """Differences of points, and slopes between them."""
    dx = x[1:] - x[:-1]
    return dx, (flat[1:] - flat[:-1]) / dx[:, None]


def _inner_equations(x: ndarray, flat: ndarray) -> tuple:
    n, columns = flat.shape
    sides = empty((n, columns), np.result_type(flat.dtype, np.float64))
    rows = [empty(n) if columns else zeros(n) for _ in range(3)]
    if columns:
        _EQUATIONS(x, flat.astype(sides.dtype, copy=False), n, columns, sides, *rows)
    return *rows, sides


def _end_equation(
    bc: Any, dx: ndarray, slope: ndarray, flat: ndarray, row: tuple, sign: int
) -> None:
    """The equation of the first point, or with sign -1 and all arrays backwards, of the last."""
    middle, high, sides = row
    if bc == "not-a-knot":
        d = dx[0] + dx[1]
        middle[:1], high[:1] = dx[1:2], d
        sides[0] = ((dx[0] + 2 * d) * dx[1] * slope[0] + dx[0] ** 2 * slope[1]) / d
        return
    order, value = bc
    value = value.reshape(-1) if isinstance(value, ndarray) else value
    if order == 1:
        middle[:1], high[:1] = 1, 0
        sides[0] = value
        return
    middle[:1], high[:1] = 2 * dx[:1], dx[:1]
    sides[0] = sign * (3 * (flat[1] - flat[0]) - 0.5 * value * dx[0] ** 2)


def _periodic_slopes(dx: ndarray, slope: ndarray) -> ndarray:
    if dx.size == 2:
        mean = (slope / dx[:, None]).sum(axis=0) / (1 / dx).sum()
        return concatenate([mean[None]] * 3)
    before, before_slope = concatenate((dx[-1:], dx[:-1])), concatenate((slope[-1:], slope[:-1]))
    sides = 3 * (dx[:, None] * before_slope + before[:, None] * slope)
    made = solve_cyclic(dx, 2 * (before + dx), before, ascontiguousarray(sides))
    return concatenate((made, made[:1]))


def _absorb(bc: Any, rows: tuple) -> None:
    """Take a not-a-knot equation into its neighbour, which makes the matrix diagonally dominant."""
    if bc != "not-a-knot":
        return
    low, middle, high, sides = rows
    factor = low[1:2] / middle[:1]
    middle[1:2] -= factor * high[:1]
    sides[1] -= factor * sides[0]
    low[1:2] = 0
