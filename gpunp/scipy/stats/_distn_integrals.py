"""Integrals and roots of a user's functions of arrays, many at once on the device.

A step calls the function once with all points that are wanted, and reads how many are left.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.fromnumeric import take
from ..._core.multiarray import arange, array, asarray, bincount, concatenate, ndarray, where, zeros
from ..._core.numeric import flatnonzero
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ..._core.shape_base import stack
from ...lib._stride_tricks_impl import broadcast_to

__all__ = ["derivative", "flat", "integral", "root"]

_PIECES = 8  # intervals at the start
_HALVINGS = 60
_ELEMENTS = 1 << 15  # integrals at once, which bounds the memory
_DIFFERENCE = 1e-11  # of both rules, beside the integral: the better one has some 1e-14


def flat(value: Any, size: int) -> ndarray:
    """A number, or an array, as a vector of float64."""
    value = asarray(value, np.float64).reshape(-1)
    return value if value.size == size else broadcast_to(value, (size,))


@functools.cache
def _rule() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes, weights of the Gauss-Kronrod rule of 21 points, and less those of Gauss's of 10.

    The nodes that are added to Gauss's are the roots of the Stieltjes polynomial: P_10 times it is
    orthogonal to all polynomials up to degree 10 (G. Monegato, SIAM Review 24, 1982).
    """
    legendre = np.polynomial.legendre
    inner, weights = legendre.leggauss(10)
    at, of_at = legendre.leggauss(24)
    odd = [legendre.legval(at, [0] * k + [1]) for k in range(1, 12, 2)]
    weight = of_at * legendre.legval(at, [0] * 10 + [1])
    products = np.array([[np.sum(weight * p * q) for q in odd] for p in odd[:-1]])
    stieltjes = np.zeros(12)
    stieltjes[1::2] = [*np.linalg.solve(products[:, :-1], -products[:, -1]), 1.0]
    nodes = np.sort(np.concatenate([inner, legendre.legroots(stieltjes).real]))
    moments = np.zeros(21)
    moments[0] = 2.0
    kronrod = np.linalg.solve(legendre.legvander(nodes, 20).T, moments)
    difference = kronrod.copy()
    difference[1::2] -= weights
    return nodes, kronrod, difference


# Points of an interval of t within (0, 1), and dx/dt. An infinite end is at t = 1 or 0.
_POINTS = ElementwiseKernel(
    "float64 node, float64 low, float64 high, float64 start, float64 end",
    "float64 x, float64 slope",
    """
    const double half = 0.5 * (high - low), t = low + half * (1 + node), rest = 1 - t;
    const bool up = isinf(end), down = isinf(start), is_empty = start == end;
    x = up ? start + t / rest : down ? end - rest / t : start + t * (end - start);
    slope = is_empty ? 0 : half * (up ? 1 / (rest * rest) : down ? 1 / (t * t) : end - start);
    """,
    "quadrature_points",
)
_TERMS = ElementwiseKernel(
    "float64 value, float64 slope, float64 weight, float64 difference",
    "float64 term, float64 error",
    """
    const double known = slope > 0 && isfinite(value) ? value * slope : 0;
    term = known * weight;
    error = known * difference;
    """,
    "quadrature_terms",
)


def integral(
    function: Callable[..., Any], low: Any, high: Any, args: tuple = (), size: int = 1,
    is_cut: bool = False,
) -> ndarray:  # fmt: skip
    """The integrals of function(x, *args) from `low` to `high`, each a number or `size` of them.

    Intervals are halved where the rules of 10 and 21 points differ. Ends may be infinite, both of
    them if `is_cut`: then integrals are of the parts below and above 0.
    """
    low, high = flat(low, size), flat(high, size)
    args = tuple(flat(value, size) for value in args)
    if is_cut:
        middle = where((low < 0) & (high > 0), 0.0, where(high <= 0, high, low))
        below = integral(function, low, middle, args, size)
        return below + integral(function, middle, high, args, size)
    parts = [slice(k, k + _ELEMENTS) for k in range(0, size, _ELEMENTS)]
    found = [
        _integrals(function, low[part], high[part], tuple(a[part] for a in args)) for part in parts
    ]
    return found[0] if len(found) == 1 else concatenate(found) if found else zeros(0)


def _integrals(function: Callable[..., Any], start: ndarray, end: ndarray, args: tuple) -> ndarray:
    count = start.size
    nodes, kronrod, difference = (array(part[:, None]) for part in _rule())
    owner = arange(count * _PIECES) // _PIECES
    left = (arange(count * _PIECES) % _PIECES) / _PIECES
    width, known = 1.0 / _PIECES, zeros(count)
    for _ in range(_HALVINGS):
        points = _POINTS(nodes, left, left + width, take(start, owner), take(end, owner))
        x, slope = points
        given = [broadcast_to(take(a, owner), x.shape).reshape(-1) for a in args]
        values = flat(function(x.reshape(-1), *given), x.size).reshape(x.shape)
        terms = _TERMS(values, slope, kronrod, difference)
        part, error = (sum(t, axis=0) for t in terms)
        total = known + bincount(owner, part, minlength=count)
        is_rough = abs(error) > _DIFFERENCE * abs(take(total, owner))
        known = known + bincount(owner, where(is_rough, 0.0, part), minlength=count)
        rest = flatnonzero(is_rough)
        if not rest.size:
            return known
        width *= 0.5
        owner, left, part = take(owner, rest), take(left, rest), take(part, rest)
        last, owner = owner, concatenate([owner, owner])
        left = concatenate([left, left + width])
    return known + bincount(last, part, minlength=count)


def derivative(function: Callable[..., Any], x: ndarray, args: tuple) -> ndarray:
    """The derivative of function(x, *args) by differences of five points."""
    h = 1e-5 * where(abs(x) > 1, abs(x), 1.0)
    near = function(x + h, *args) - function(x - h, *args)
    return (8 * near - (function(x + 2 * h, *args) - function(x - 2 * h, *args))) / (12 * h)


# A step of T. R. Chandrupatla's method (Advances in Engineering Software 28, 1997): the root is
# between x1, the newest point, and x2; x3 is the point before. `state` has x1 x2 x3 f1 f2 f3.
_STEP = ElementwiseKernel(
    "float64 f, int64 count, float64 tol",
    "float64 x, raw float64 state, bool goes_on",
    """
    double *const at = &state[i];
    double x1 = at[0], x2 = at[count], f1 = at[3 * count], f2 = at[4 * count], x3, f3;
    if ((f > 0) == (f1 > 0)) {
        x3 = x1;
        f3 = f1;
    } else {
        x3 = x2;
        f3 = f2;
        x2 = x1;
        f2 = f1;
    }
    x1 = x;
    f1 = f;
    const double best = fabs(f2) < fabs(f1) ? x2 : x1, least = fmin(fabs(f1), fabs(f2));
    const double narrow = (tol * fabs(best) + 1e-300) / fabs(x2 - x1);
    goes_on = narrow < 0.5 && least > 0;
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    double t = 0.5;
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
        t = f1 / (f2 - f1) * (f3 / (f2 - f3))
            + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
    t = fmin(fmax(t, narrow), 1 - narrow);
    at[0] = x1;
    at[count] = x2;
    at[2 * count] = x3;
    at[3 * count] = f1;
    at[4 * count] = f2;
    at[5 * count] = f3;
    x = goes_on ? x1 + t * (x2 - x1) : best;
    """,
    "root_step",
)


def _end(difference: Callable[[Any], Any], end: Any, size: int, sign: float) -> ndarray:
    """Finite ends of brackets: an infinite one becomes a number beyond the root."""
    end = flat(end, size)
    is_open = abs(end) == math.inf
    x, step = where(is_open, sign * 8.0, end), 8.0
    for _ in range(300):
        is_short = is_open & (sign * difference(x) < 0)
        if not bool(is_short.any()):
            break
        step *= 8.0
        x = where(is_short, sign * step, x)
    return x


def root(
    function: Callable[..., Any], target: ndarray, low: Any, high: Any, args: tuple = (),
    sign: float = 1, tol: float | None = None,
) -> ndarray:  # fmt: skip
    """The x with function(x, *args) = target between `low` and `high`; `sign` is the slope's.

    It has a relative error of `tol`, or of rounding.
    """
    size, tol = target.size, max(4.5e-16, tol or 0.0)

    def difference(x: Any) -> Any:
        return sign * (function(x, *args) - target)

    low, high = _end(difference, low, size, -1.0), _end(difference, high, size, 1.0)
    # A function that is not defined at an end of the support has the sign there that it must have.
    at_low, at_high = difference(low), difference(high)
    at_low, at_high = where(at_low < 0, at_low, -1.0), where(at_high > 0, at_high, 1.0)
    state = stack([low, high, high, at_low, at_high, at_high])
    x = 0.5 * (low + high)
    for _ in range(200):
        _, _, goes_on = _STEP(difference(x), size, tol, x, state, where(x == x, True, False))
        if not bool(goes_on.any()):
            break
    return x
