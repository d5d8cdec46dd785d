"""Line searches for the strong conditions of Wolfe, on numbers of the host.

J. J. More, D. J. Thuente, "Line search algorithms with guaranteed sufficient decrease", ACM Trans.
Math. Softw. 20 (1994).
"""

import warnings
from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ..._core.umath import matmul
from ._objective import Line, Objective, read, tuple_of, vector

__all__ = ["line_search"]


class Point(NamedTuple):
    """A place on the line, the function there and its slope."""

    at: float
    f: float
    g: float


def _cubic(a: Point, b: Point) -> tuple[float, float, float]:
    """theta, s and gamma^2 of the cubic through two points, scaled."""
    theta = 3 * (a.f - b.f) / (b.at - a.at) + a.g + b.g
    s = max(abs(theta), abs(a.g), abs(b.g))
    return theta, s, (theta / s) ** 2 - (a.g / s) * (b.g / s) if s else 0.0


def _trial(low: Point, high: Point, now: Point, bracketed: bool, bounds: tuple) -> float:
    """The next place to try: section 4 of the paper, with its four cases."""
    opposite = now.g * np.sign(low.g) < 0
    theta, s, square = _cubic(low, now)
    if now.f > low.f:  # a minimum is between
        gamma = s * sqrt(max(0.0, square)) * (-1 if now.at < low.at else 1)
        r = (gamma - low.g + theta) / (gamma - low.g + gamma + now.g)
        cubic = low.at + r * (now.at - low.at)
        half = low.g / ((low.f - now.f) / (now.at - low.at) + low.g) / 2
        quadratic = low.at + half * (now.at - low.at)
        if abs(cubic - low.at) <= abs(quadratic - low.at):
            return cubic
        return cubic + (quadratic - cubic) / 2
    secant = now.at + now.g / (now.g - low.g) * (low.at - now.at) if now.g != low.g else now.at
    if opposite:  # between as well, by the signs of the slopes
        gamma = s * sqrt(max(0.0, square)) * (-1 if now.at > low.at else 1)
        r = (gamma - now.g + theta) / (gamma - now.g + gamma + low.g)
        cubic = now.at + r * (low.at - now.at)
        return cubic if abs(cubic - now.at) > abs(secant - now.at) else secant
    if abs(now.g) < abs(low.g):  # the slope becomes smaller
        return _extrapolated(low, high, now, bracketed, bounds, secant)
    if bracketed:
        theta, s, square = _cubic(now, high)
        gamma = s * sqrt(max(0.0, square)) * (-1 if now.at > high.at else 1)
        r = (gamma - now.g + theta) / (gamma - now.g + gamma + high.g)
        return now.at + r * (high.at - now.at)
    return bounds[1] if now.at > low.at else bounds[0]


def _extrapolated(
    low: Point, high: Point, now: Point, bracketed: bool, bounds: tuple, secant: float
) -> float:
    theta, s, square = _cubic(low, now)
    gamma = s * sqrt(max(0.0, square)) * (-1 if now.at > low.at else 1)
    r = (gamma - now.g + theta) / (gamma + (low.g - now.g) + gamma)
    if r < 0 and gamma != 0:
        cubic = now.at + r * (low.at - now.at)
    else:
        cubic = bounds[1] if now.at > low.at else bounds[0]
    nearer = abs(cubic - now.at) < abs(secant - now.at)
    if bracketed:
        found = cubic if nearer else secant
        limit = now.at + 0.66 * (high.at - now.at)
        return min(limit, found) if now.at > low.at else max(limit, found)
    found = secant if nearer else cubic
    return min(max(found, bounds[0]), bounds[1])


class MoreThuente:
    """The search: an interval that holds a minimum shrinks around it.

    Parameters
    ----------
    decrease, curvature : float
        Constants of the two conditions.
    width : float
        Relative length of the interval at which the search gives up.
    bounds : pair of float
        Smallest and largest step.
    most : int
        Largest number of evaluations.
    """

    def __init__(
        self, decrease: float, curvature: float, width: float, bounds: tuple, most: int
    ) -> None:
        self.decrease, self.curvature, self.width = decrease, curvature, width
        self.bounds, self.most = bounds, most
        self.evaluations = 0
        self.stuck_at: float | None = None  # where rounding, the width or a bound ended the search

    def __call__(self, function: Callable, f0: float, g0: float, step: float) -> float | None:
        """A step that meets the conditions, or None."""
        least, largest = self.bounds
        if g0 >= 0 or not least <= step <= largest:
            return None
        low = high = Point(0.0, f0, g0)
        bracketed, first_stage = False, True
        test = self.decrease * g0
        length = largest - least
        before = 2 * length
        inner, outer = 0.0, step + 4 * step
        for _ in range(self.most):
            f, g = function(step)
            self.evaluations += 1
            if not (np.isfinite(f) and np.isfinite(g)):
                return None
            line = f0 + step * test
            if first_stage and f <= line and g >= 0:
                first_stage = False
            if f <= line and abs(g) <= self.curvature * -g0:
                return step
            if self._stuck(bracketed, step, inner, outer, f > line or g >= test, f <= line):
                self.stuck_at = step
                return None
            now = Point(step, f, g)
            tilt = test if first_stage and low.f >= f > line else 0.0
            points = [Point(p.at, p.f - p.at * tilt, p.g - tilt) for p in (low, high, now)]
            # For mypy the list may hold any number of points.
            trial = _trial(*points, bracketed, (inner, outer))  # type: ignore[call-arg, arg-type]
            low, high, bracketed = self._interval(points, (low, high, now), bracketed)
            if bracketed:
                if abs(high.at - low.at) >= 0.66 * before:
                    trial = low.at + 0.5 * (high.at - low.at)
                before, length = length, abs(high.at - low.at)
                inner, outer = min(low.at, high.at), max(low.at, high.at)
            else:
                inner, outer = trial + 1.1 * (trial - low.at), trial + 4 * (trial - low.at)
            step = min(max(trial, least), largest)
            if bracketed and (
                step <= inner or step >= outer or outer - inner <= self.width * outer
            ):
                step = low.at
        return None

    def _stuck(
        self, bracketed: bool, step: float, inner: float, outer: float, bad: bool, low: bool
    ) -> bool:
        """Whether rounding, the width, or a bound ends the search."""
        if bracketed and (step <= inner or step >= outer):
            return True
        if bracketed and outer - inner <= self.width * outer:
            return True
        least, largest = self.bounds
        return (step == largest and low and not bad) or (step == least and bad)

    @staticmethod
    def _interval(points: list, whole: tuple, bracketed: bool) -> tuple[Point, Point, bool]:
        """The interval after a trial, of the points as they are; `points` are the tilted ones."""
        low, _, now = points
        if now.f > low.f:
            return whole[0], whole[2], True
        if now.g * np.sign(low.g) < 0:
            return whole[2], whole[0], True
        return whole[2], whole[1], bracketed


def first_trial(f0: float, g0: float, before: float | None) -> float:
    """The step that would decrease the function as much as the last one did, at most 1."""
    if before is None or g0 == 0:
        return 1.0
    step = min(1.0, 1.01 * 2 * (f0 - before) / g0)
    return step if step >= 0 else 1.0


def wolfe_step(
    line: Line,
    f0: float,
    g0: float,
    before: float | None,
    c1: float,
    c2: float,
    accepts: Any = None,
    limits: tuple[float, float] = (1e-100, 1e100),
) -> float | None:
    """A step along a line that meets Wolfe's conditions; None if none is found.

    A second method, SciPy's `line_search` on numbers, is tried where the first one fails.
    """
    search = MoreThuente(c1, c2, 1e-14, limits, 100)
    step = search(line, f0, g0, first_trial(f0, g0, before))
    if step is not None:
        line(step)
        if accepts is None or accepts(step):
            return step
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _search_of_scipy(line, f0, g0, before, c1=c1, c2=c2, amax=1e100, accepts=accepts)[0]
    if found is not None:
        line(float(found))
    return None if found is None else float(found)


def _search_of_scipy(
    line: Line, f0: float, g0: float, before: float | None, *, accepts: Any, **options: Any
) -> tuple:
    """What SciPy's `line_search` returns for the function of the distance alone."""
    from scipy.optimize import line_search

    return line_search(
        lambda a: line(float(a[0]))[0],
        lambda a: np.array([line(float(a[0]))[1]]),
        np.zeros(1),
        np.ones(1),
        np.array([g0]),
        f0,
        before,
        extra_condition=None if accepts is None else lambda a, x, f, g: accepts(float(a)),
        **options,
    )


def line_search(
    f,
    myfprime,
    xk,
    pk,
    gfk=None,
    old_fval=None,
    old_old_fval=None,
    args=(),
    c1=0.0001,
    c2=0.9,
    amax=None,
    extra_condition=None,
    maxiter=10,
) -> tuple:
    """Find a step along a direction that meets the strong conditions of Wolfe.

    Parameters
    ----------
    f : callable
        Function ``f(x, *args)`` of a device array of shape (n,), that returns a number.
    myfprime : callable
        Its gradient ``myfprime(x, *args)``.
    xk : array_like, (n,)
        Vector at which the search begins.
    pk : array_like, (n,)
        Direction of the search.
    gfk : array_like, (n,), optional
        Gradient at `xk`; by default it is computed.
    old_fval : float, optional
        Value at `xk`; by default it is computed.
    old_old_fval : float, optional
        Value at the vector before `xk`, from which the first step is guessed.
    args : tuple, optional
        Further arguments of the functions.
    c1, c2 : float, optional
        Constants of the conditions of decrease and of curvature.
    amax : float, optional
        Largest step of the search.
    extra_condition : callable, optional
        Function ``extra_condition(alpha, x, f, g)`` that says whether a step is accepted.
    maxiter : int, optional
        Largest number of iterations.

    Returns
    -------
    alpha : float or None
        Step that meets the conditions, None if none is found.
    fc, gc : int
        Numbers of evaluations of the function and of its gradient.
    new_fval : float or None
        Value after the step.
    old_fval : float
        Value at `xk`.
    new_slope : ndarray, (n,), or None
        Gradient after the step.

    Notes
    -----
    Vectors stay on the device; the steps are SciPy's. Each evaluation reads value and slope
    together.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.optimize import line_search
    >>> x, p = cp.array([1.8, 1.7]), cp.array([-1.0, -1.0])
    >>> line_search(lambda x: (x**2).sum(), lambda x: 2 * x, x, p)[:3]
    (1.0, 2, 1)
    """
    x = vector(xk)
    objective = Objective(f, tuple_of(args), myfprime, None)
    line = Line(objective, x, vector(pk))
    counted = int(old_fval is None)
    if old_fval is None or gfk is None:
        value, slope = line(0.0)
        old_fval = value if old_fval is None else old_fval
    if gfk is not None:
        slope = read(matmul(vector(gfk), line.p))[0]

    def accepts(step: float) -> Any:
        value = line(step)[0]
        return extra_condition(step, line.point, value, line.gradient)

    options = {"c1": c1, "c2": c2, "amax": amax, "maxiter": maxiter}
    alpha, calls, gradients, new, old, _ = _search_of_scipy(
        line,
        old_fval,
        slope,
        old_old_fval,
        accepts=None if extra_condition is None else accepts,
        **options,
    )
    if alpha is not None:
        line(float(alpha))
    return alpha, calls + counted, gradients, new, old, None if alpha is None else line.gradient
