"""Splines whose knots are chosen by how well they fit: FITPACK, which SciPy calls on the host.

Points and values are copied to the host, where a spline is fitted; it is evaluated on the device.
"""

import operator
from typing import Any

import numpy as np
import scipy.interpolate

from ..._core import umath as um
from ..._core._convert import array_on_host, shown
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, concatenate, ndarray
from ...lib._twodim_base_impl import eye
from .._host import to_host
from ._bsplines import BSpline, as_tck, splantider, splder, with_knot
from ._pieces import as_bound, as_box, as_evaluation_points, is_true

__all__ = [
    "InterpolatedUnivariateSpline",
    "LSQUnivariateSpline",
    "UnivariateSpline",
    "insert",
    "spalde",
    "splev",
    "splint",
    "splprep",
    "splrep",
    "sproot",
]

_MODES = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


def _as_mode(ext: Any) -> int:
    mode = _MODES.get(ext, ext) if isinstance(ext, str) else ext
    if mode not in (0, 1, 2, 3):
        raise ValueError(f"ext must be 0, 1, 2, 3 or one of {tuple(_MODES)}, not {shown(ext)}")
    return int(mode)


def _valued(tck: tuple, x: Any, nu: int, ext: int) -> ndarray:
    """Values of a spline; `ext` says what is done beyond the base interval."""
    t, c, k = tck
    x = as_evaluation_points(x)
    first, last = t[k], t[-k - 1]
    if ext == 3 and nu == 0:  # FITPACK's derivatives extrapolate then
        x = um.clip(x, first, last)
    outside = (x < first) | (x > last)
    if ext == 2 and not is_true(~outside):
        raise ValueError("x has points beyond the base interval of the spline")
    n = t.size - k - 1
    made = BSpline.construct_fast(t, c[:n], k)(x, nu)
    return um.where(outside, 0.0, made) if ext == 1 else made


class UnivariateSpline:
    """Smoothing spline through points on a line.

    Knots are added until the sum of the weighted squares is at most `s`. SciPy does so on the host,
    to which points and values are copied; values of the spline are computed on the device.

    Parameters
    ----------
    x : array_like
        Points in increasing order, strictly where `s` is 0.
    y : array_like
        Real values, one for each point.
    w : array_like, optional
        Positive weights of the points, by default all one.
    bbox : sequence of two floats, optional
        Ends of the base interval, by default the first and last point.
    k : int, optional
        Degree of the spline, from 1 to 5.
    s : float, optional
        Largest sum of the weighted squares, by default the number of points; 0 interpolates.
    ext : int or str, optional
        Beyond the base interval: 0 or 'extrapolate', 1 or 'zeros', 2 or 'raise' (the check waits
        for the device), 3 or 'const'.
    check_finite : bool, optional
        If True, NaN and infinity among the arguments are an error.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import UnivariateSpline
    >>> x = cp.linspace(0, 3, 31)
    >>> UnivariateSpline(x, x**3, s=0)(cp.array([1.25])).round(6)
    array([1.953125])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        s: Any = None,
        ext: Any = 0,
        check_finite: bool = False,
    ) -> None:
        self.ext = _as_mode(ext)
        self._take(
            scipy.interpolate.UnivariateSpline(
                array_on_host(x), array_on_host(y), array_on_host(w),
                as_box(bbox, 2), operator.index(k), as_bound(s), self.ext,
                check_finite,
            )
        )  # fmt: skip

    def _take(self, fitted: Any) -> None:
        self._fitted = fitted
        t, c, k = fitted._eval_args
        self._tck = array(t), array(c), int(k)

    @classmethod
    def _of(cls, tck: tuple, ext: int) -> "UnivariateSpline":
        self = object.__new__(UnivariateSpline)
        self.ext, self._tck = ext, tck
        self._fitted = None
        return self

    def set_smoothing_factor(self, s: float) -> None:
        """Fit again with another bound of the sum of squares, from the knots there are.

        Parameters
        ----------
        s : float
            Largest sum of the weighted squares.

        Raises
        ------
        ValueError
            If `s` is negative or NaN, or the spline is a derivative.
        """
        if self._fitted is None:
            raise ValueError("a derivative has no points to be fitted to")
        s = as_bound(s)
        if not s >= 0:
            raise ValueError(f"s must not be negative, but is {shown(s)}")
        self._fitted.set_smoothing_factor(s)
        self._take(self._fitted)

    def __call__(self, x: Any, nu: int = 0, ext: Any = None) -> ndarray:
        """Evaluate the spline or a derivative.

        Parameters
        ----------
        x : array_like
            Points, real numbers of any shape.
        nu : int, optional
            Order of the derivative, at most the degree.
        ext : int or str, optional
            What is done beyond the base interval, by default as the spline was made.

        Returns
        -------
        ndarray
            Values, of the shape of `x`.
        """
        nu = operator.index(nu)
        if not 0 <= nu <= self._tck[2]:
            raise ValueError(f"nu must be from 0 to {self._tck[2]}, not {nu}")
        return _valued(self._tck, x, nu, self.ext if ext is None else _as_mode(ext))

    def get_knots(self) -> ndarray:
        """Return the inner knots and the two ends.

        Returns
        -------
        ndarray
            Knots in increasing order.
        """
        t, _, k = self._tck
        return t[k : t.size - k]

    def get_coeffs(self) -> ndarray:
        """Return the coefficients.

        Returns
        -------
        ndarray
            Coefficients of the B-splines.
        """
        t, c, k = self._tck
        return c[: t.size - k - 1]

    def get_residual(self) -> float:
        """Return the sum of the weighted squares of the differences from the values.

        Returns
        -------
        float
            Sum that the fit has left.
        """
        if self._fitted is None:
            raise ValueError("a derivative has no points to be compared with")
        return self._fitted.get_residual()

    def integral(self, a: float, b: float) -> ndarray:
        """Integrate over an interval; the spline is zero beyond its base interval.

        Parameters
        ----------
        a : float
            Lower end of the interval.
        b : float
            Upper end of the interval.

        Returns
        -------
        ndarray
            Integral, an array without axes.
        """
        return splint(a, b, self._tck)

    def derivatives(self, x: float) -> ndarray:
        """Evaluate the spline and all its derivatives at a point.

        Parameters
        ----------
        x : float
            Point at which they are evaluated.

        Returns
        -------
        ndarray
            Value and derivatives up to the degree.
        """
        return spalde(x, self._tck)

    def roots(self) -> ndarray:
        """Return the zeros of a cubic spline; it is copied to the host.

        Returns
        -------
        ndarray
            Zeros in increasing order.
        """
        t, _, k = self._tck
        if k != 3:
            raise NotImplementedError("finding roots is not supported for non-cubic splines")
        return sproot(self._tck, 3 * (t.size - 7))  # a cubic has three zeros at most

    def derivative(self, n: int = 1) -> "UnivariateSpline":
        """Return a derivative as a spline.

        Parameters
        ----------
        n : int, optional
            Order of the derivative, at most the degree.

        Returns
        -------
        UnivariateSpline
            Derivative; where this spline is constant beyond its ends, it is zero there.
        """
        return self._of(splder(self._whole(), n), 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: int = 1) -> "UnivariateSpline":
        """Return an antiderivative as a spline.

        Parameters
        ----------
        n : int, optional
            How often the spline is integrated.

        Returns
        -------
        UnivariateSpline
            Antiderivative, zero at the first knot.
        """
        return self._of(splantider(self._whole(), n), self.ext)

    def _whole(self) -> tuple:
        t, c, k = self._tck
        return t, BSpline.construct_fast(t, c, k)._padded(), k


@documented_as(UnivariateSpline)
class InterpolatedUnivariateSpline(UnivariateSpline):
    """Spline through all points on a line.

    SciPy fits it on the host, to which points and values are copied; values of the spline are
    computed on the device. `make_interp_spline` leaves values on the device.

    Parameters
    ----------
    x : array_like
        Points in strictly increasing order.
    ext : int or str, optional
        What is done beyond the base interval, as `UnivariateSpline` has it.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import InterpolatedUnivariateSpline
    >>> x = cp.arange(5.0)
    >>> InterpolatedUnivariateSpline(x, x**2)(cp.array([1.5])).round(6)
    array([2.25])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        ext: Any = 0,
        check_finite: bool = False,
    ) -> None:
        self.ext = _as_mode(ext)
        self._take(
            scipy.interpolate.InterpolatedUnivariateSpline(
                array_on_host(x),
                array_on_host(y),
                array_on_host(w),
                as_box(bbox, 2),
                operator.index(k),
                self.ext,
                check_finite,
            )
        )


@documented_as(InterpolatedUnivariateSpline)
class LSQUnivariateSpline(UnivariateSpline):
    """Spline with given inner knots, fitted to points on a line by least squares.

    SciPy fits it on the host, to which points and values are copied; values of the spline are
    computed on the device. `make_lsq_spline` leaves values on the device.

    Parameters
    ----------
    x : array_like
        Points in increasing order.
    t : array_like
        Inner knots in increasing order.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import LSQUnivariateSpline
    >>> x = cp.arange(9.0)
    >>> LSQUnivariateSpline(x, x**2, [4.0])(cp.array([1.5])).round(6)
    array([2.25])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        t: Any,
        w: Any = None,
        bbox: Any = (None, None),
        k: int = 3,
        ext: Any = 0,
        check_finite: bool = False,
    ) -> None:
        self.ext = _as_mode(ext)
        self._take(
            scipy.interpolate.LSQUnivariateSpline(
                *(array_on_host(a) for a in (x, y, t, w)), as_box(bbox, 2), operator.index(k),
                self.ext, check_finite,
            )
        )  # fmt: skip

    def set_smoothing_factor(self, s: float) -> None:
        """Do nothing but say that the knots are given: an error.

        Parameters
        ----------
        s : float
            Bound that cannot be applied.
        """
        raise ValueError(f"the knots are given: a sum of squares of {shown(s)} cannot be asked for")


# ---- functions -----------------------------------------------------------------------------------


@documented_as(UnivariateSpline)
def splrep(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> tuple:
    """Fit a smoothing spline to points; SciPy computes on the host.

    Parameters
    ----------
    x : array_like
        Points in increasing order, copied to the host.
    y : array_like
        Real values, copied to the host.
    xb : float, optional
        Begin of the base interval, by default the first point.
    xe : float, optional
        End of the base interval, by default the last point.
    task : int, optional
        0 chooses knots, 1 goes on from the last call, -1 takes those of `t`.
    s : float, optional
        Largest sum of the weighted squares; 0, the default without weights, interpolates.
    t : array_like, optional
        Inner knots, for ``task=-1``.
    full_output : int, optional
        If not 0, the sum of squares, a flag and a message are returned too.
    per : int, optional
        If not 0, the spline is periodic.
    quiet : int, optional
        If 0, messages of FITPACK are shown.

    Returns
    -------
    tuple
        Knots, coefficients, both on the device, and the degree; see `full_output`.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import splev, splrep
    >>> tck = splrep([0, 1, 2, 3], [0, 1, 4, 9])
    >>> splev([1.5], tck).round(6)
    array([2.25])
    """
    made = scipy.interpolate.splrep(
        array_on_host(x),
        array_on_host(y),
        array_on_host(w),
        to_host(xb),
        to_host(xe),
        to_host(k),
        task,
        as_bound(s),
        array_on_host(t),
        full_output,
        per,
        quiet,
    )
    if full_output:
        (knots, c, degree), *rest = made
        return (array(knots), array(c), degree), *rest
    knots, c, degree = made
    return array(knots), array(c), degree


@documented_as(splrep)
def splprep(
    x: Any,
    w: Any = None,
    u: Any = None,
    ub: Any = None,
    ue: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    nest: Any = None,
    per: int = 0,
    quiet: int = 1,
) -> tuple:
    """Fit a smoothing curve to points; SciPy computes on the host.

    Parameters
    ----------
    x : list of array_like
        Coordinates of the points, an array for each, copied to the host.
    w : array_like, optional
        Positive weights of the points, by default all one.
    u : array_like, optional
        Parameters of the points, by default lengths along the polygon, from 0 to 1.
    ub : float, optional
        First parameter of the curve.
    ue : float, optional
        Last parameter of the curve.
    k : int, optional
        Degree of the curve, from 1 to 5.
    nest : int, optional
        Most knots that may be used.

    Returns
    -------
    tck : list
        Knots, a list with the coefficients of each coordinate, all on the device, and the degree.
    u : ndarray
        Parameters of the points; see `full_output`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import splev, splprep
    >>> angle = cp.linspace(0, 3, 31)
    >>> tck, u = splprep([cp.cos(angle), cp.sin(angle)], s=0)
    >>> x, y = splev(0.4, tck)
    >>> float((x**2 + y**2).round(6))
    1.0
    """
    rows = [array_on_host(row) for row in x] if isinstance(x, (list, tuple)) else array_on_host(x)
    made = scipy.interpolate.splprep(
        rows,
        array_on_host(w),
        array_on_host(u),
        to_host(ub),
        to_host(ue),
        to_host(k),
        task,
        as_bound(s),
        array_on_host(t),
        full_output,
        nest,
        per,
        quiet,
    )
    ((knots, c, degree), parameters), rest = made[0] if full_output else made, made[1:]
    moved = [array(knots), [array(row) for row in c], degree]
    return ((moved, array(parameters)), *rest) if full_output else (moved, array(parameters))


def _curves(tck: Any) -> list:
    """The splines of a curve, one for each coordinate: the first axis of the coefficients, or a
    list of them. Empty for one spline."""
    if isinstance(tck, BSpline):
        return []
    t, c, k = tck
    if isinstance(c, (list, tuple)):
        is_curve = len(c) > 0 and not np.isscalar(c[0]) and getattr(c[0], "ndim", 1) > 0
    else:
        is_curve = getattr(c, "ndim", 1) > 1
    return [(t, one, k) for one in c] if is_curve else []


def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """Evaluate a spline or a derivative.

    Parameters
    ----------
    x : array_like
        Points, real numbers of any shape.
    tck : tuple or BSpline
        Knots, coefficients, one row for each coordinate of a curve, and degree; or a spline.
    der : int, optional
        Order of the derivative, at most the degree.
    ext : int, optional
        Beyond the base interval: 0 extrapolates, 1 is zero, 2 an error (the check waits for the
        device), 3 the value at the end.

    Returns
    -------
    ndarray
        Values, of the shape of `x`; a list of them where the spline is a parametric curve.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import splev, splrep
    >>> splev([1.5], splrep([0, 1, 2, 3], [0, 1, 4, 9]), der=1).round(6)
    array([3.])
    """
    curves = _curves(tck)
    if curves:
        return [splev(x, one, der, ext) for one in curves]
    knots, c, k = as_tck(tck)
    der = operator.index(der)
    if not 0 <= der <= k:
        raise ValueError(f"der must be from 0 to {k}, not {der}")
    return _valued((knots, c, k), x, der, _as_mode(ext))


def insert(x: float, tck: Any, m: int = 1, per: int = 0) -> Any:
    """Insert a knot into a spline, which stays the same function.

    Parameters
    ----------
    x : float
        Knot within the base interval, whose check waits for the device;
        ``errstate(linalg="ignore")`` disables it.
    tck : tuple or BSpline
        Knots, coefficients, or a list of them for each coordinate, and degree; or a spline.
    m : int, optional
        How often the knot is inserted, once or more.
    per : int, optional
        If not 0, the spline is periodic; SciPy inserts on the host then.

    Returns
    -------
    tuple or BSpline
        Spline of the kind of `tck` with more knots; it has as many coefficients as knots.

    Notes
    -----
    W. Boehm, Inserting new knots into B-spline curves, Computer-Aided Design 12, 1980.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import insert
    >>> t, c, k = insert(0.5, (cp.array([0.0, 0, 1, 1]), cp.array([0.0, 2, 0, 0]), 1))
    >>> t, c
    (array([0. , 0. , 0.5, 1. , 1. ]), array([0., 1., 2., 0., 0.]))
    """
    curves = _curves(tck)
    if curves:
        made = [insert(x, one, m, per) for one in curves]
        return made[0][0], [own[1] for own in made], made[0][2]
    t, c, k = as_tck(tck)
    count = operator.index(m)
    if count < 1:
        raise ValueError(f"m must be positive, but is {count}")
    if per:
        if float(x) != float(x):
            raise ValueError("cannot insert a knot at nan")
        t, c, k = scipy.interpolate.insert(
            float(x), (t.get(), c.get(), k), to_host(count), to_host(per)
        )
        t, c = array(t), array(c)[: t.size - k - 1]
    else:
        t, c = with_knot(t, c, k, float(x), count)
    c = BSpline.construct_fast(t, c, k)._padded()
    if isinstance(tck, BSpline):
        return BSpline.construct_fast(t, c, k, tck.extrapolate, tck.axis)
    return t, c, k


def splint(a: float, b: float, tck: Any, full_output: int = 0) -> Any:
    """Integrate a spline, which is zero beyond its base interval.

    Parameters
    ----------
    a : float
        Lower end of the interval.
    b : float
        Upper end of the interval.
    tck : tuple or BSpline
        Knots, coefficients, one row for each coordinate of a curve, and degree; or a spline.
    full_output : int, optional
        If not zero, return also what is described below as `wrk`.

    Returns
    -------
    integral : ndarray
        Integral, an array without axes. For a curve there is a list of what follows for each.
    wrk : ndarray
        With `full_output`: integrals of the B-splines that the coefficients multiply.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import splint, splrep
    >>> splint(0, 3, splrep([0, 1, 2, 3], [0, 1, 4, 9])).round(6)
    array(9.)
    """
    curves = _curves(tck)
    if curves:
        return [splint(a, b, one, full_output) for one in curves]
    t, c, k = as_tck(tck)
    integral = BSpline.construct_fast(t, c, k).integrate(a, b, extrapolate=False)
    if not full_output:
        return integral
    basis = BSpline.construct_fast(t, eye(t.size - k - 1), k)
    return integral, basis.integrate(a, b, extrapolate=False)


def spalde(x: Any, tck: Any) -> Any:
    """Evaluate a spline and all its derivatives at points.

    Parameters
    ----------
    x : float or array_like
        Point, or points along an axis.
    tck : tuple or BSpline
        Knots, coefficients, one row for each coordinate of a curve, and degree; or a spline.

    Returns
    -------
    ndarray or list
        Values and derivatives up to the degree along the last axis; a list of them for a curve.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import spalde, splrep
    >>> spalde(2.0, splrep([0, 1, 2, 3], [0, 1, 4, 9])).round(6) + 0.0
    array([4., 4., 2., 0.])
    """
    curves = _curves(tck)
    if curves:
        return [spalde(x, one) for one in curves]
    t, c, k = as_tck(tck)
    x = as_evaluation_points(x)
    spline = BSpline.construct_fast(t, c[: t.size - k - 1], k)
    rows = [spline(x, nu)[..., None] for nu in range(k + 1)]
    return concatenate(rows, axis=-1)


def sproot(tck: Any, mest: int = 10) -> Any:
    """Return the zeros of a cubic spline; SciPy computes on the host.

    Parameters
    ----------
    tck : tuple or BSpline
        Knots, coefficients, one row for each coordinate of a curve, and degree; or a spline.
        It is copied to the host.
    mest : int, optional
        Estimate of the number of zeros.

    Returns
    -------
    ndarray or list
        Zeros in increasing order; a list of them for a curve.

    Examples
    --------
    >>> from gpunp.scipy.interpolate import splrep, sproot
    >>> sproot(splrep([0, 1, 2, 3, 4], [-1, 0, 3, 8, 15])).round(6)
    array([1.])
    """
    curves = _curves(tck)
    if curves:
        return [sproot(one, mest) for one in curves]
    t, c, k = as_tck(tck)
    if c.ndim > 1:
        raise ValueError(f"sproot takes splines of numbers, not coefficients of shape {c.shape}")
    return array(scipy.interpolate.sproot((t.get(), c.get(), k), to_host(mest)))
