"""Ways to compute the functions of random variables that `method` chooses from, and their numerical
methods: integrals of the density, sums of probabilities, inversion of distribution functions.

What runs until a tolerance is met reads at each step whether it is.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import shown
from ..._core.multiarray import arange, asarray, concatenate, ndarray, where
from ..._core.reductions import cumsum, sum
from ..._core.umath import (
    absolute,
    exp,
    expm1,
    floor,
    isfinite,
    isnan,
    log,
    log1p,
    logaddexp,
    maximum,
    minimum,
)
from ...lib._function_base_impl import flip
from ...lib._shape_base_impl import take_along_axis
from ...lib._stride_tricks_impl import broadcast_to
from ..special import logsumexp
from ._distn_integrals import root

__all__ = [
    "KINDS",
    "MOMENTS",
    "QUANTILES",
    "TAILS",
    "WAYS",
    "chosen",
    "density_by",
    "information_by",
    "inverted",
    "moment_by",
    "moment_ways",
    "pair_by",
    "quantile_by",
    "tail_by",
]

_HALVINGS, _STEPS = 44, 4  # bisections of a bracket, and Newton's steps at the end
_TOLERANCE = 1e-11  # of integrals, where a variable has none
_CUT = 1e-20  # probability of both tails that sums leave out
_MOST = 1 << 22  # terms of a sum
_ELEMENTS = 1 << 22  # values of a density at once, which bounds the memory
_LEVELS = (8, 16, 32, 64, 128)  # nodes in a unit of the double exponential formula

# Functions of numbers: whether they are of the upper tail, and logarithms.
TAILS = {
    "cdf": (False, False), "ccdf": (True, False), "logcdf": (False, True), "logccdf": (True, True),
}  # fmt: skip
QUANTILES = {f"i{name}": kind for name, kind in TAILS.items()}
KINDS = ("central", "raw", "standardized")
MOMENTS = ("cache", "formula", "general", "transform", "normalize", "quadrature")
WAYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("pdf", "logpdf", "pmf", "logpmf"), ("formula", "logexp")),
    **dict.fromkeys(TAILS, ("formula", "logexp", "complement", "quadrature")),
    **dict.fromkeys(("cdf2", "logcdf2"), ("logexp", "subtraction", "quadrature")),
    **dict.fromkeys(("ccdf2", "logccdf2"), ("addition",)),
    **dict.fromkeys(QUANTILES, ("formula", "complement", "inversion")),
    "median": ("formula", "icdf"),
    "mode": ("formula", "optimization"),
    **dict.fromkeys(KINDS, MOMENTS),
    **dict.fromkeys(("entropy", "logentropy"), ("formula", "logexp", "quadrature")),
    "sample": ("formula", "inverse_transform"),
}


def chosen(variable: Any, function: str, method: Any, order: int = 0, name: str = "") -> str | None:
    """The way that `method` means, None for the usual one."""
    if method is None:
        return None
    way = method.replace("/", "") if isinstance(method, str) else method
    if way in variable._names_of_formulas.get(function, ()):
        return "formula"
    ways = variable._ways(function, order)
    if way not in ways:
        choices = ", ".join(map(repr, (None, *ways)))
        raise NotImplementedError(
            f"`{type(variable).__name__}.{name or function.rstrip('2')}` has no method"
            f" {shown(method)}; there are: {choices}"
        )
    return way


def _log_complement(p: Any) -> Any:
    """log(1 - exp(p)), to the digits of the smaller of both."""
    return where(p > -math.log(2), log(-expm1(p)), log1p(-exp(p)))


# ---- densities, tails and quantiles --------------------------------------------------------------


def density_by(variable: Any, function: str, x: Any, way: str | None) -> Any:
    """The density or probability of numbers, or its logarithm."""
    is_log = function.startswith("log")
    if function.endswith("pmf") and not variable._discrete:
        return -math.inf if is_log else 0.0
    if way == "logexp":
        value = log(variable._density(x)) if is_log else exp(variable._log_density(x))
    else:
        value = variable._log_density(x) if is_log else variable._density(x)
    if variable._discrete and function.endswith("pdf"):  # infinite where there is probability
        return where(value > -math.inf, value + math.inf, value) if is_log else (
            where(value > 0, value * math.inf, value)
        )  # fmt: skip
    return value


def tail_by(variable: Any, function: str, x: Any, way: str | None) -> Any:
    """The probability of at most x, or of more, or its logarithm."""
    upper, is_log = TAILS[function]
    if way == "logexp":
        return log(variable._tail(x, upper)) if is_log else exp(variable._log_tail(x, upper))
    if way == "complement":
        if is_log:
            return _log_complement(variable._log_tail(x, not upper))
        return 1.0 - variable._tail(x, not upper)
    if way == "quadrature":
        return _tail_of_sums(variable, x, upper, is_log) if variable._discrete else (
            _tail_of_integral(variable, x, upper, is_log)
        )  # fmt: skip
    return variable._log_tail(x, upper) if is_log else variable._tail(x, upper)


def quantile_by(variable: Any, function: str, p: Any, way: str | None) -> Any:
    """The number whose tail has a probability, which may be given by its logarithm."""
    upper, is_log = QUANTILES[function]
    if way == "inversion":
        return _inversion(variable, p, upper, is_log)
    own = variable._log_quantile if is_log else variable._quantile
    if way == "complement":
        return own(_log_complement(p) if is_log else 1.0 - p, not upper)
    return own(p, upper)


def pair_by(variable: Any, function: str, x: Any, y: Any, way: str | None) -> Any:
    """The probability between two numbers, or its complement, or their logarithms.

    The probability is negative where the numbers are in descending order, and its logarithm a
    complex number.
    """
    upper, is_log = TAILS[function]
    if way == "addition":
        if is_log:
            return logaddexp(variable._log_tail(x, False), variable._log_tail(y, True))
        return variable._tail(x, False) + variable._tail(y, True)
    if way == "subtraction":
        if not is_log:
            return variable._tail(y, False) - variable._tail(x, False)
        a, b = variable._log_tail(x, False), variable._log_tail(y, False)
        size = maximum(a, b) + _log_complement(-absolute(where(a == b, 0.0, a - b)))
        return _signed_logarithm(size, y < x)
    low, high = minimum(x, y), maximum(x, y)
    if way == "quadrature":
        value = _log_integral(variable, low, high)
        return _signed_logarithm(value, y < x) if is_log else where(y < x, -1.0, 1.0) * exp(value)
    value = variable._between(low, high)
    if upper:
        value = where(y < x, 1.0 + value, 1.0 - value)
        return log(value) if is_log else value
    return _signed_logarithm(log(value), y < x) if is_log else where(y < x, -value, value)


def _signed_logarithm(value: Any, is_negative: Any) -> Any:
    return value + where(is_negative, math.pi * 1j, 0j)


# ---- inversion -----------------------------------------------------------------------------------


def inverted(variable: Any, p: Any, upper: bool, low: Any, high: Any) -> Any:
    """The number between low and high whose tail has a probability, by bisection; the last digits
    by Newton's steps. Nothing is read: the number of steps is fixed."""
    first, last = variable._ends()
    below, above = (1 - p, p) if upper else (p, 1 - p)
    a, b = low + 0 * p, high + 0 * p

    def excess(x: Any) -> Any:
        short = variable._tail(x, False) - below
        return where(below <= above, short, above - variable._tail(x, True))

    for _ in range(_HALVINGS):
        middle = 0.5 * a + 0.5 * b
        is_above = excess(middle) >= 0
        a, b = where(is_above, a, middle), where(is_above, middle, b)
    x = 0.5 * a + 0.5 * b
    for _ in range(_STEPS):
        step = excess(x) / variable._density(x)
        x = where(isfinite(step), minimum(maximum(x - step, low), high), x)
    x = where(below <= 0, first, where(above <= 0, last, x))
    return where((p >= 0) & (p <= 1) & (first == first), x, np.nan)


def _inversion(variable: Any, p: Any, upper: bool, is_log: bool) -> Any:
    """The root of a tail less its probability, by Chandrupatla's method."""
    tail = variable._log_tail if is_log else variable._tail
    most, least = (0.0, -math.inf) if is_log else (1.0, 0.0)
    first, last = variable._ends()
    shape = np.broadcast_shapes(p.shape, variable._shape)
    p, first, last = (broadcast_to(asarray(v), shape) for v in (p, first, last))
    is_inner = (p > least) & (p < most) & (first == first)
    target = where(is_inner, p, -math.log(2) if is_log else 0.5)

    def wanted(x: ndarray) -> ndarray:
        return broadcast_to(asarray(tail(x.reshape(shape), upper)), shape).reshape(-1)

    low, high = (where(isnan(end), 0.0, end).reshape(-1) for end in (first, last))
    sign = -1.0 if upper else 1.0
    x = root(wanted, target.reshape(-1), low, high, sign=sign, tol=variable.tol).reshape(shape)
    if variable._discrete:
        x = _least_whole(lambda k: tail(k, upper), target, x, upper)
    nothing, everything = (last, first) if upper else (first, last)
    x = where(p == least, nothing, where(p == most, everything, x))
    return where((p >= least) & (p <= most) & (first == first), x, np.nan)


def _least_whole(tail: Callable[[Any], Any], target: Any, x: Any, upper: bool) -> Any:
    """The least whole number about x up to which there is a probability."""
    found = floor(x) + 2
    for less in (1, 0, -1):
        k = floor(x) + less
        value = tail(k)
        found = where(value <= target if upper else value >= target, k, found)
    return found


# ---- integrals -----------------------------------------------------------------------------------


@functools.cache
def _rule(per_unit: int) -> tuple[np.ndarray, ...]:
    """Nodes of the double exponential formula: shares of an interval from both of its ends, and
    distances from its finite end for one without other end; logarithms of both kinds of weights."""
    t = np.arange(-6 * per_unit, 6 * per_unit + 1) / per_unit
    wide = np.pi * np.sinh(t)
    below, above = -np.logaddexp(0, -wide), -np.logaddexp(0, wide)
    slope = np.log(np.pi * np.cosh(t) / per_unit)
    return np.exp(below), np.exp(above), np.exp(wide / 2), slope + below + above, (
        slope - math.log(2) + wide / 2
    )  # fmt: skip


def _log_integral(variable: Any, start: Any, end: Any) -> ndarray:
    """The logarithm of the integral of the density between two points, to the tolerance."""
    low, high = variable._ends()
    middle, quarter = (variable._quantile(asarray(p), False) for p in (0.5, 0.25))
    start, end = (maximum(minimum(point, high), low) for point in (start, end))
    width = absolute(middle - quarter)
    width = where((width > 0) & isfinite(width), width, 1.0)
    below = _log_part(variable, start, minimum(end, middle), width)
    return logaddexp(below, _log_part(variable, maximum(start, middle), end, width))


def _log_part(variable: Any, start: ndarray, end: ndarray, width: ndarray) -> ndarray:
    shape = np.broadcast_shapes(start.shape, end.shape, variable._shape)
    start, end = broadcast_to(start, shape), broadcast_to(end, shape)
    rows = max(1, _ELEMENTS // (12 * _LEVELS[1] * max(1, math.prod(shape[1:]))))
    if len(shape) > len(variable._shape) and shape[0] > rows:
        return concatenate([
            _log_part(variable, start[k : k + rows], end[k : k + rows], width)
            for k in range(0, shape[0], rows)
        ])  # fmt: skip
    tolerance = _TOLERANCE if variable.tol is None else variable.tol
    value = _log_sum(variable, start, end, width, _LEVELS[0])
    for level in _LEVELS[1:]:
        last, value = value, _log_sum(variable, start, end, width, level)
        if not bool((absolute(value - last) > tolerance).any()):
            break
    return value


def _log_sum(variable: Any, start: Any, end: Any, width: Any, level: int) -> ndarray:
    lead = (-1,) + (1,) * start.ndim
    below, above, far, weight, far_weight = (asarray(a.reshape(lead)) for a in _rule(level))
    is_up, is_down = end == math.inf, start == -math.inf
    inner = where(below < 0.5, start + (end - start) * below, end - (end - start) * above)
    x = where(is_up, start + width * far, where(is_down, end - width * far, inner))
    scale = where(is_up | is_down, log(width) + far_weight, log(end - start) + weight)
    terms = variable._log_density(x) + scale
    terms = where(terms < math.inf, terms, -math.inf)  # neither poles at the ends nor NaN far out
    value = logsumexp(terms, axis=0)
    return where(start < end, value, where(start >= end, -math.inf, np.nan))


def _tail_of_integral(variable: Any, x: Any, upper: bool, is_log: bool) -> Any:
    low, high = variable._ends()
    value = minimum(_log_integral(variable, *((x, high) if upper else (low, x))), 0.0)
    return value if is_log else exp(value)


# ---- sums ----------------------------------------------------------------------------------------


def _masses(variable: Any) -> tuple[ndarray, ndarray]:
    """Whole numbers along a first axis, and their probabilities; what is left out has less than
    the tolerance."""
    cut = asarray(_CUT if variable.tol is None else min(variable.tol, 1.0) * 1e-3)
    ends = [variable._quantile(cut, upper).get() for upper in (False, True)]
    known = np.isfinite(ends[0]) & np.isfinite(ends[1])
    first = float(ends[0][known].min()) if known.any() else 0.0
    last = float(ends[1][known].max()) if known.any() else 0.0
    count = min(int(last - first) + 1, max(1, _MOST // max(1, math.prod(variable._shape))))
    k = (first + arange(count)).reshape((-1,) + (1,) * len(variable._shape))
    shape = (count, *variable._shape)
    return k, broadcast_to(variable._density(k), shape)


def _summed(variable: Any, function: Callable[[Any, Any], Any]) -> Any:
    """The sum of function(k, probability of k) over the numbers of a discrete variable."""
    k, mass = _masses(variable)
    return sum(where(mass == 0, 0.0, function(k, where(mass == 0, 1.0, mass))), axis=0)


def _tail_of_sums(variable: Any, x: Any, upper: bool, is_log: bool) -> Any:
    k, mass = _masses(variable)
    sums = cumsum(mass, axis=0)
    if upper:
        sums = flip(cumsum(flip(mass, 0), axis=0), 0)
    shape, count = np.broadcast_shapes(x.shape, variable._shape), k.shape[0]
    place = floor(x) - k.reshape(-1)[0] + (1 if upper else 0)
    is_before, is_behind = place < 0, place >= count
    own = shape[len(shape) - len(variable._shape) :]
    index = where(is_before | is_behind | isnan(place), 0.0, place).astype(np.int64)
    index = broadcast_to(index, shape).reshape(-1, *own)
    value = take_along_axis(broadcast_to(sums, (count, *own)), index, axis=0).reshape(shape)
    value = minimum(value, 1.0)
    ends = (1.0, 0.0) if upper else (0.0, 1.0)
    value = where(is_before, ends[0] + 0 * value, where(is_behind, ends[1] + 0 * value, value))
    value = where(isnan(x), np.nan, value)
    return log(value) if is_log else value


# ---- moments and entropies -----------------------------------------------------------------------

_GENERAL = {
    ("raw", 0): 1.0, ("central", 0): 1.0, ("central", 1): 0.0, ("standardized", 0): 1.0,
    ("standardized", 1): 0.0, ("standardized", 2): 1.0,
}  # fmt: skip


def moment_ways(variable: Any, kind: str, order: int) -> tuple[str, ...]:
    """The ways that there are to compute a moment."""
    known = {
        "cache": (kind, order) in variable._cache,
        "formula": variable._has_formula(kind, order),
        "general": (kind, order) in _GENERAL,
        "transform": kind == "central" or (kind == "raw" and order > 1),
        "normalize": kind == "standardized" or (kind == "central" and order > 2),
        "quadrature": kind != "standardized",
    }
    return tuple(way for way in MOMENTS if known[way])


def moment_by(variable: Any, kind: str, order: int, way: str | None) -> Any:
    """A moment of a kind and order."""
    if (kind, order) in _GENERAL and way in (None, "formula", "general"):
        return variable._constant(_GENERAL[kind, order])
    if way == "transform":
        return _transformed(variable, kind, order)
    if way == "normalize":
        power = variable._moment(2, "central") ** (order / 2)
        if kind == "standardized":
            return variable._moment(order, "central") / power
        return variable._moment(order, "standardized") * power
    if way == "quadrature":
        center = 0.0 if kind == "raw" else variable._moment(1, "raw")
        if variable._discrete:
            return _summed(variable, lambda k, mass: (k - center) ** order * mass)
        return variable._expectation(lambda x: (x - center) ** order)
    return getattr(variable, f"_{kind}")(order)


def _transformed(variable: Any, kind: str, order: int) -> Any:
    """A raw moment from the central ones, or a central one from the raw ones."""
    mean = variable._moment(1, "raw")
    other, shift = ("central", mean) if kind == "raw" else ("raw", -mean)
    total: Any = 0.0
    for k in range(order + 1):
        part = variable._moment(k, other) * shift ** (order - k)
        total = total + math.comb(order, k) * part
    return total


def information_by(variable: Any, way: str | None) -> Any:
    """The entropy."""
    if way != "quadrature":
        return variable._information()
    if variable._discrete:
        return _summed(variable, lambda k, mass: -mass * log(mass))
    return variable._expectation(lambda x: -variable._log_density(x))
