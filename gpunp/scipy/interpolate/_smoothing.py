"""Smoothing splines: with a penalty of the curvature, or with knots that FITPACK's rules choose."""

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.interpolate

from ..._core import umath as um
from ..._core._convert import array_on_host, check_host_memory, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, ascontiguousarray, concatenate, ndarray, zeros
from ._bsplines import BSpline, _Banded, _host_points, _through
from ._pieces import along_first, as_values, checks_values, is_true, um_moveaxis

__all__ = ["generate_knots", "make_smoothing_spline", "make_splprep", "make_splrep"]


def _smoothed(x: np.ndarray, y: ndarray, w: np.ndarray, lam: float) -> ndarray:
    """Values at the points of the natural cubic spline with the least sum of the weighted squares
    and `lam` times the integral of the squared second derivative.

    Its second derivatives solve a system with five diagonals (C. Reinsch, Numer. Math. 10, 1967;
    P. Green and B. Silverman, Nonparametric Regression and Generalized Linear Models, 1994, 2.3.3).
    """
    n, h = x.size, np.diff(x)
    # Second differences: row j of q has the factors of points j, j + 1 and j + 2.
    q = np.stack((1 / h[:-1], -1 / h[:-1] - 1 / h[1:], 1 / h[1:]), axis=1)
    matrix, rows = _Banded(n - 2, 2, 2), np.arange(n - 2)
    scaled = lam * q / np.stack((w[:-2], w[1:-1], w[2:]), axis=1)
    for apart, curved in ((0, (h[:-1] + h[1:]) / 3), (1, h[1:-1] / 6), (2, 0.0)):
        count = n - 2 - apart
        common = (scaled[:count, apart:] * q[apart:, : 3 - apart]).sum(axis=1) + curved
        matrix.set(rows[:count], rows[apart:], common)
        matrix.set(rows[apart:], rows[:count], common)
    slopes = (y[1:] - y[:-1]) / along_first(h, 2)
    second = matrix.solve(ascontiguousarray(slopes[1:] - slopes[:-1]))
    border = zeros((1, y.shape[1]), y.dtype)
    bent = concatenate((border, second, border))
    bent = (bent[1:] - bent[:-1]) / along_first(h, 2)
    bent = concatenate((border, bent, border))
    return y - (bent[1:] - bent[:-1]) * along_first(lam / w, 2)


def make_smoothing_spline(
    x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: int = 0
) -> BSpline:
    """Make the smooth cubic spline near to values, with a penalty of its curvature.

    It has the least sum of the weighted squares of the differences and `lam` times the integral of
    the squared second derivative.

    Parameters
    ----------
    x : array_like
        Points in strictly increasing order, five or more; they are copied to the host.
    y : array_like
        Values, one for each point along `axis`. The check that they are finite waits for the
        device; ``errstate(linalg="ignore")`` disables it.
    w : array_like, optional
        Positive weights of the points, by default all one; they are copied to the host.
    lam : float, optional
        Weight of the curvature. By default the one with the best generalised cross-validation of
        each column, which SciPy finds on the host; values are copied there then.
    axis : int, optional
        Axis of `y` along which the points are.

    Returns
    -------
    BSpline
        Natural cubic spline.

    Notes
    -----
    With `lam` the values stay on the device: a system with five diagonals gives the second
    derivatives, and another one the coefficients.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import make_smoothing_spline
    >>> x = cp.arange(9.0)
    >>> make_smoothing_spline(x, x + (-1) ** x, lam=1e6)(cp.array([4.0])).round(3)
    array([4.111])
    """
    points, values = _host_points(x), as_values(y)
    axis = normalize_axis_index(axis, values.ndim)
    values = ascontiguousarray(um_moveaxis(values, axis))
    if points.size != values.shape[0]:
        raise ValueError(f"x has {points.size} points, y {values.shape[0]} values along the axis")
    if points.size < 5:
        raise ValueError(f"x must have five points or more, not {points.size}")
    if not (np.diff(points) > 0).all():
        raise ValueError("x must be strictly increasing")
    weights = np.ones(points.size) if w is None else _host_points(w, "w")
    if weights.size != points.size or not (weights > 0).all():
        raise ValueError("w must have a positive weight for each point")
    if checks_values() and not is_true(um.isfinite(values)):
        raise ValueError("y must not contain infinities or NaN")
    if lam is None:
        made = scipy.interpolate.make_smoothing_spline(points, values.get(), weights)
        return BSpline.construct_fast(array(made.t), array(made.c), 3, axis=axis)
    if lam < 0:
        raise ValueError(f"lam must not be negative, but is {shown(lam)}")
    columns = values.reshape(points.size, -1)
    if columns.size:
        columns = _smoothed(points, columns, weights, float(lam))
    knots = np.r_[(points[0],) * 3, points, (points[-1],) * 3]
    flat = [(2, zeros(columns.shape[1:], columns.dtype))]
    c = _through(points, ascontiguousarray(columns), knots, 3, flat, flat)
    c = c.reshape(c.shape[0], *values.shape[1:])
    return BSpline.construct_fast(array(knots), c, 3, axis=axis)


def _on_device(made: Any) -> BSpline:
    return BSpline.construct_fast(
        array(made.t), array(np.ascontiguousarray(made.c)), made.k, made.extrapolate, made.axis
    )


def _more(bc_type: Any) -> dict:
    return {} if bc_type is None else {"bc_type": bc_type}


def _degree(k: Any, points: Any, bc_type: Any) -> int:
    """A degree that SciPy's compiled code bears: for less than zero it ends the process, and for
    more than there are points it fills the memory with knots."""
    k, count = operator.index(k), np.size(points)
    if k < 0:
        raise ValueError(f"Expect non-negative k, not {k}")
    if k >= count and bc_type != "periodic":
        raise ValueError(f"degree {k} takes {k + 1} points, not {count}")
    check_host_memory(8 * (k + 1) * count)
    return k


def make_splrep(
    x: Any,
    y: Any,
    *,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    s: float = 0,
    t: Any = None,
    nest: Any = None,
    bc_type: Any = None,
) -> BSpline:
    """Make a smoothing spline whose knots are chosen by how well it fits.

    Knots are added until the sum of the weighted squares of the differences is near `s`. SciPy does
    so on the host, to which points and values are copied.

    Parameters
    ----------
    x : array_like
        Points in strictly increasing order.
    y : array_like
        Real values, one for each point.
    w : array_like, optional
        Positive weights of the points, by default all one.
    xb : float, optional
        Begin of the base interval, by default the first point.
    xe : float, optional
        End of the base interval, by default the last point.
    k : int, optional
        Degree of the spline, 3 for a cubic one.
    s : float, optional
        Sum of the weighted squares that is allowed; 0 interpolates.
    t : array_like, optional
        Knots to begin with, by default chosen.
    nest : int, optional
        Most knots that may be used.
    bc_type : str, optional
        'periodic' for a periodic spline.

    Returns
    -------
    BSpline
        Smoothing spline, on the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import make_splrep
    >>> x = cp.linspace(0, 3, 31)
    >>> make_splrep(x, x**3)(cp.array([1.5])).round(6)
    array([3.375])
    """
    x = array_on_host(x)
    made = scipy.interpolate.make_splrep(
        x, array_on_host(y), w=array_on_host(w), xb=xb, xe=xe,
        k=_degree(k, x, bc_type), s=s, t=array_on_host(t), nest=nest, **_more(bc_type),
    )  # fmt: skip
    return _on_device(made)


@documented_as(make_splrep)
def make_splprep(
    x: Any,
    *,
    w: Any = None,
    u: Any = None,
    ub: Any = None,
    ue: Any = None,
    k: int = 3,
    s: float = 0,
    t: Any = None,
    nest: Any = None,
    bc_type: Any = None,
) -> tuple[BSpline, ndarray]:
    """Make a smoothing curve through points, whose knots are chosen by how well it fits.

    SciPy computes on the host, to which points are copied.

    Parameters
    ----------
    x : array_like
        Coordinates of the points one after the other, of shape (coordinates, points).
    u : array_like, optional
        Parameters of the points, by default lengths along the polygon, from 0 to 1.
    ub : float, optional
        First parameter of the curve.
    ue : float, optional
        Last parameter of the curve.

    Returns
    -------
    spl : BSpline
        Curve, whose values have the coordinates along the first axis.
    u : ndarray
        Parameters of the points.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import make_splprep
    >>> angle = cp.linspace(0, 3, 31)
    >>> curve, u = make_splprep([cp.cos(angle), cp.sin(angle)])
    >>> float((curve(0.4) ** 2).sum().round(6))
    1.0
    """
    rows = [array_on_host(row) for row in x] if isinstance(x, (list, tuple)) else array_on_host(x)
    made, u = scipy.interpolate.make_splprep(
        rows, w=array_on_host(w), u=array_on_host(u), ub=ub, ue=ue,
        k=_degree(k, rows, bc_type), s=s, t=array_on_host(t), nest=nest, **_more(bc_type),
    )  # fmt: skip
    return _on_device(made), array(u)


@documented_as(make_splrep)
def generate_knots(
    x: Any,
    y: Any,
    *,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    s: float = 0,
    nest: Any = None,
    bc_type: Any = None,
) -> Iterator[ndarray]:
    """Yield the knots that `make_splrep` tries one after the other.

    SciPy computes on the host, to which points and values are copied.

    Yields
    ------
    ndarray
        Knots in increasing order, more and more of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import generate_knots
    >>> x = cp.linspace(0, 1, 9)
    >>> [t.size for t in generate_knots(x, cp.sin(9 * x), s=0.1)]
    [8, 9]
    """
    x = array_on_host(x)
    knots = scipy.interpolate.generate_knots(
        x,
        array_on_host(y),
        w=array_on_host(w),
        xb=xb,
        xe=xe,
        k=_degree(k, x, bc_type),
        s=s,
        nest=nest,
        **_more(bc_type),
    )
    for t in knots:
        yield array(t)
