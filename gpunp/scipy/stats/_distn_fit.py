"""Fits of distributions to data, and expected values of functions.

Data stay on the device. A likelihood is one reduction; what is read back are single numbers, since
the optimizer, SciPy's, runs on the host.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core._convert import per_axis, shown, without_cycles
from ..._core.fromnumeric import ravel, sort
from ..._core.multiarray import asarray, ndarray, where
from ..._core.reductions import amax, amin, mean, sum
from ..._core.umath import absolute, cos, exp, isfinite, log, log1p, maximum, minimum, sin, tanh
from ...lib._quantile_impl import percentile
from ._censored import CensoredData

__all__ = ["FitResult", "expected", "expected_count", "expected_on_circle", "fit", "nnlf"]

_PENALTY = 100 * math.log(np.finfo(np.float64).max)  # of a point outside of the support


@dataclass(eq=False)
class FitResult:
    """Parameters of a fitted distribution."""

    params: Any
    success: bool = True
    message: str = "The fit was performed successfully."


def nnlf(dist: Any, theta: Any, x: Any) -> ndarray:
    """Minus the logarithm of the likelihood; infinite for parameters out of their domain."""
    if getattr(theta, "ndim", 1) == 0:
        raise ValueError(f"theta must be a sequence of numbers, not {shown(theta)}")
    numbers = [value if isinstance(value, ndarray) else float(value) for value in per_axis(theta)]
    if len(numbers) != len(dist._names):
        error = TypeError if len(numbers) > 1 else ValueError  # SciPy looks for loc and scale first
        raise error(f"theta must have {len(dist._names)} parameters, got {len(numbers)}")
    if not dist._is_valid(numbers):
        return asarray(math.inf)
    return dist._likelihood()(x, *numbers, 0.0)


# ---- arguments of fit ----------------------------------------------------------------------------


def _fixed(dist: Any, kwds: dict[str, Any]) -> dict[str, float]:
    """The parameters that are fixed, which are taken out of the keywords."""
    found: dict[str, float] = {}
    for place, name in enumerate(dist._names):
        keys = [f"f{name}"]
        if place < dist.numargs:
            keys = [f"f{place}", f"f{name}", f"fix_{name}"]
        given = [key for key in keys if kwds.get(key) is not None]
        if len(given) > 1:
            raise ValueError(
                "fit method got multiple keyword arguments to specify the same fixed parameter: "
                + ", ".join(given)
            )
        for key in keys:
            value = kwds.pop(key, None)
            if value is not None:
                found[name] = float(value)
    return found


def _starts(dist: Any, x: ndarray, shapes: tuple[float, ...]) -> list[list[float]]:
    """Shapes with the location and scale of mean and variance, and with those of the quartiles,
    all data within the support."""
    m, v = (float(t) for t in dist.stats(*shapes))
    low, high = (float(t) for t in dist.support(*shapes))
    center, spread = float(mean(x)), math.sqrt(float(x.var()))
    least, most = float(amin(x)), float(amax(x))

    def within(loc: float, scale: float, margin: float) -> list[float]:
        if loc + scale * low >= least or loc + scale * high <= most:
            if math.isfinite(low) and math.isfinite(high):
                scale = (most - least + 2 * margin) / (high - low)
            at_low, at_high = least - margin - scale * low, most + margin - scale * high
            loc = at_low if math.isfinite(low) else at_high
        return [*shapes, loc, scale]

    scale = spread / math.sqrt(v) if v > 0 and math.isfinite(v) and spread > 0 else spread or 1.0
    loc = center - scale * m if math.isfinite(m) else center
    starts = [within(loc, scale, 0.1 * (most - least) or 0.1)]
    first, last = (float(t) for t in percentile(x, [25, 75]))
    left, right = (float(t) for t in dist.ppf([0.25, 0.75], *shapes))
    if last > first and right > left:
        scale = (last - first) / (right - left)
        starts.append(within(first - scale * left, scale, (last - first) / x.size))
    return starts


def fit(dist: Any, data: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> tuple[float, ...]:
    """The parameters of a distribution that fit data best."""
    method = str(kwds.pop("method", "mle")).lower()
    if method not in ("mle", "mm"):
        raise ValueError(f"Method '{method}' not available; must be one of ['MLE', 'MM']")
    if len(args) > dist.numargs:
        raise TypeError("Too many input arguments.")
    censored = data if isinstance(data, CensoredData) else None
    if censored is not None and method != "mle":
        raise ValueError('For censored data, the method must be "MLE".')
    x = ravel(data) if censored is None else censored._uncensor()
    fixed = _fixed(dist, kwds)
    optimizer = kwds.pop("optimizer", None)
    start = {name: kwds.pop(name) for name in ("loc", "scale") if name in kwds}
    if kwds:
        raise TypeError(f"Unknown arguments: {kwds}.")
    if len(fixed) == len(dist._names):
        raise ValueError("All parameters fixed. There is nothing to optimize.")
    if not bool(isfinite(x).all()):
        raise ValueError("The data contains non-finite values.")
    is_known = hasattr(dist, "_row")  # of a table, and not a user's of the same name
    if is_known and dist.name in ("loguniform", "reciprocal"):
        fixed.setdefault("scale", 1.0)  # which the ends determine
    table = _CLOSED if method == "mle" else _OF_MOMENTS
    closed = table.get(dist.name) if is_known else None
    if closed is not None and censored is None:
        found = closed(x, fixed)
        if found is not None:
            return found
    if not x.size:
        raise ValueError("The data must have elements.")
    shapes = tuple(float(value) for value in args) + (1.0,) * (dist.numargs - len(args))
    if is_known:
        several = _SHAPES[dist.name](x) if not args and dist.name in _SHAPES else [shapes]
        starts = [values for each in several for values in _starts(dist, x, each)]
    else:
        starts = [[*map(float, dist._fitstart(x))]]
        starts[0][: len(args)] = shapes[: len(args)]
    known = {name: float(value) for name, value in start.items()} | fixed
    guesses = [dict(zip(dist._names, values, strict=True)) | known for values in starts]
    data = x if censored is None else censored
    return _optimized(dist, data, guesses, fixed, method, optimizer)


def _censored_nnlf(dist: Any, data: CensoredData, theta: list[float]) -> float:
    """Minus the logarithm of the likelihood of values, limits and intervals, with penalties."""
    parts = []
    for x, name in ((data._uncensored, "logpdf"), (data._left, "logcdf"), (data._right, "logsf")):
        if x.size:
            parts.append(getattr(dist, name)(x, *theta))
    if data._interval.size:
        low, high = data._interval[:, 0], data._interval[:, 1]
        below = dist.cdf(high, *theta) - dist.cdf(low, *theta)
        above = dist.sf(low, *theta) - dist.sf(high, *theta)
        parts.append(log(where(dist.cdf(low, *theta) > 0.5, above, below)))
    total: Any = 0.0
    for part in parts:
        total = total - sum(where(isfinite(part), part, -_PENALTY))
    return float(total)


def _objective(dist: Any, x: Any, method: str, count: int) -> Callable[[list[float]], float]:
    """What the optimizer makes small: minus the likelihood, or the distance of moments."""
    if isinstance(x, CensoredData):
        return lambda theta: _censored_nnlf(dist, x, theta)
    if method == "mle":
        sums = dist._likelihood()
        return lambda theta: float(sums(x, *theta, _PENALTY))
    wanted = [float(mean(x**order)) for order in range(1, count + 1)]

    def distance(theta: list[float]) -> float:
        found = [float(dist.moment(order, *theta)) for order in range(1, count + 1)]
        pairs = zip(found, wanted, strict=True)
        return math.fsum(((a - b) / max(abs(b), 1e-8)) ** 2 for a, b in pairs)

    return distance


def _by_simplexes(function: Callable, start: Any) -> Any:
    """The least place of a function by SciPy's `fmin`, which begins anew while that gains. A search
    that did not converge is the last one: there may be no least value."""
    from scipy.optimize import fmin

    value = math.inf
    for _ in range(5):
        before = value
        start, value, _, _, failure = fmin(function, start, disp=0, full_output=True)
        if failure or not before - value > 1e-7 * abs(value):
            break
    return start


def _optimized(
    dist: Any, x: Any, guesses: list[dict], fixed: Any, method: str, optimizer: Any
) -> tuple[float, ...]:
    """The result of a search from the best of several guesses."""
    from scipy import optimize
    from scipy.stats import FitError

    optimizer = optimize.fmin if optimizer is None else optimizer
    if not callable(optimizer):
        name = str(optimizer)
        name = name if name.startswith("fmin_") else f"fmin_{name}".removesuffix("_")
        found = getattr(optimize, "fmin" if name == "fmin_fmin" else name, None)
        if found is None:
            raise ValueError(f"{optimizer} is not a valid optimizer")
        optimizer = found
    free = [name for name in dist._names if name not in fixed]
    objective = _objective(dist, x, method, len(free))

    def parameters(values: Any) -> list[float]:
        known = fixed | dict(zip(free, map(float, values), strict=True))
        return [known[name] for name in dist._names]

    def penalised(values: Any) -> float:
        theta = parameters(values)
        value = objective(theta) if dist._is_valid(theta) else math.inf
        return math.inf if math.isnan(value) else value

    starts = [[guess[name] for name in free] for guess in guesses]
    start = min(starts, key=penalised) if len(starts) > 1 else starts[0]
    if optimizer is optimize.fmin:
        best = _by_simplexes(penalised, start)
    else:
        best = optimizer(penalised, start, args=(), disp=0)
    theta = parameters(np.atleast_1d(best))
    if not dist._is_valid(theta) or not math.isfinite(penalised(np.atleast_1d(best))):
        raise FitError(
            "Optimization converged to parameters that are outside the range allowed by the"
            " distribution."
        )
    return tuple(theta)


# ---- closed forms --------------------------------------------------------------------------------
# Functions of the data and the fixed parameters; None where there is no closed form for these.


def _of_norm(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    loc = fixed.get("loc")
    loc = float(mean(x)) if loc is None else loc
    return loc, fixed.get("scale") or math.sqrt(float(mean((x - loc) ** 2)))


def _of_expon(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    loc = _lower_end(x, fixed, "expon")
    return loc, fixed.get("scale") or float(mean(x)) - loc


def _of_uniform(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    least, most = float(amin(x)), float(amax(x))
    if "scale" in fixed:
        width = fixed["scale"]
        _refuse_beyond(most - least > width, "uniform")
        return least - 0.5 * (width - (most - least)), width
    loc = fixed.get("loc", least)
    _refuse_beyond(loc > least, "uniform")
    return loc, most - loc


def _of_laplace(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    loc = fixed.get("loc")
    if loc is None:
        ordered, half = sort(x), x.size // 2
        loc = float(ordered[half])
        if x.size % 2 == 0:
            loc = 0.5 * (loc + float(ordered[half - 1]))
    return loc, fixed.get("scale") or float(mean(absolute(x - loc)))


def _of_halfnorm(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    loc = _lower_end(x, fixed, "halfnorm")
    return loc, fixed.get("scale") or math.sqrt(float(mean((x - loc) ** 2)))


def _of_halfcauchy(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    return _of_half(x, fixed, "halfcauchy", lambda z: 2 * z * z / (1 + z * z))


def _of_halflogistic(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    return _of_half(x, fixed, "halflogistic", lambda z: z * tanh(0.5 * z))


def _of_half(
    x: ndarray, fixed: dict[str, float], name: str, force: Callable[[ndarray], ndarray]
) -> tuple[float, ...]:
    """For densities that fall from loc on: the mean of -z d log(pdf)/dz is 1 at the best scale."""
    loc = _lower_end(x, fixed, name)
    y = x - loc
    scale = fixed.get("scale")
    if scale is None:
        scale = _root_of_scale(lambda s: float(mean(force(y / s))) - 1, float(mean(y)))
    return loc, scale


def _of_gumbel_r(x: ndarray, fixed: dict[str, float], sign: float = 1.0) -> tuple[float, ...]:
    """Location and scale of maxima, or with a sign of -1 of minima, from the likelihood's slope."""
    center, spread = float(mean(x)), float(x.std())
    least = sign * float((sign * x).min())

    def weights(scale: float) -> ndarray:
        return exp(sign * (least - x) / scale)  # none above 1

    def location(scale: float) -> float:
        return least - sign * scale * math.log(float(mean(weights(scale))))

    def slope(scale: float) -> float:
        if "loc" in fixed:
            z = sign * (x - fixed["loc"]) / scale
            return float(mean(z - z * exp(-z))) - 1
        w = weights(scale)
        return sign * (center - float(sum(x * w) / sum(w))) / scale - 1

    scale = fixed.get("scale") or _root_of_scale(slope, spread)
    return fixed.get("loc", location(scale)), scale


def _of_gumbel_l(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    return _of_gumbel_r(x, fixed, -1.0)


def _root_of_scale(slope: Callable[[float], float], start: float) -> float:
    """The scale at which a slope is zero that falls from small scales to large ones."""
    from scipy import optimize

    low = high = start or 1.0
    for _ in range(1100):
        if slope(low) > 0:
            break
        low /= 2
    for _ in range(1100):
        if slope(high) < 0:
            break
        high *= 2
    return optimize.brentq(slope, low, high, xtol=1e-15 * low, rtol=1e-14)


def _of_pareto(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    """The lower end of the support is the least element, unless location and scale are fixed."""
    x = x.astype(np.float64, copy=False)
    least = float(amin(x))
    if "loc" in fixed:
        loc = fixed["loc"]
        scale = fixed.get("scale", least - loc)
        _refuse_beyond(least - loc < scale or least <= loc, "pareto")
        return fixed.get("b") or 1 / float(mean(log((x - loc) / scale))), loc, scale

    def of(scale: float) -> tuple[float, tuple[float, ...]]:
        loc = least - scale
        logs = float(mean(log1p((x - least) / scale)))
        b = fixed.get("b") or 1 / logs
        return (b + 1) * logs + math.log(scale) - math.log(b), (b, loc, least - loc)

    width = float(amax(x)) - least
    if not width > 0:
        return None
    if "scale" in fixed:
        return (*of(fixed["scale"])[1][:2], fixed["scale"])
    return _best_of_gaps(of, width * _GAPS)


def _of_powerlaw(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    """The upper end of the support is the largest element, unless location and scale are fixed."""
    x = x.astype(np.float64, copy=False)
    least, most = float(amin(x)), float(amax(x))
    room = fixed.get("scale", math.inf) - (most - least)
    if room <= 0:
        raise ValueError("`fscale` must be greater than the range of data.")

    def of(gap: float) -> tuple[float, tuple[float, ...]]:
        loc = fixed.get("loc", min(least - gap, math.nextafter(least, -math.inf)))
        scale = fixed.get("scale", math.nextafter(most - loc, math.inf))
        logs = float(mean(log(x - loc))) - math.log(scale)
        a = fixed.get("a") or -1 / logs
        return (1 - a) * logs + math.log(scale) - math.log(a), (a, loc, scale)

    if "loc" in fixed:
        loc = fixed["loc"]
        _refuse_beyond(least <= loc or most - loc > fixed.get("scale", math.inf), "powerlaw")
        return of(0.0)[1]
    if not most > least:
        return None
    # Densities that fall have an infinite likelihood at the least element, next to which they end.
    gaps = (most - least) * _GAPS if room == math.inf else room * _GAPS[_GAPS <= 1]
    inner = least - _best_of_gaps(of, gaps)[1]
    return min(of(0.0), of(inner))[1]


def _of_truncpareto(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    """Both ends of the support are those of the data, where the location alone may be fixed."""
    from scipy import optimize

    x = x.astype(np.float64, copy=False)
    least, most = float(amin(x)), float(amax(x))
    if not set(fixed) <= {"loc"} or not most > least:
        return None

    def of(gap: float) -> tuple[float, tuple[float, ...]]:
        loc = least - gap
        scale = least - loc
        c = math.nextafter((most - loc) / scale, math.inf)
        logs, span = float(mean(log((x - loc) / scale))), math.log(c)

        def slope(b: float) -> float:  # falls with b
            rest = span / math.expm1(b * span) if b * span < 700 else 0.0
            return 1 / b - rest - logs

        b = 1e-6 / span  # where the logarithms are not nearer to the lower end
        if slope(b) > 0:
            b = optimize.brentq(slope, b, 2 / logs, rtol=1e-14)
        value = math.log(-math.expm1(-b * span)) + (b + 1) * logs + math.log(scale / b)
        return value, (b, c, loc, scale)

    if "loc" in fixed:
        _refuse_beyond(least <= fixed["loc"], "truncpareto")
        return of(least - fixed["loc"])[1]
    return _best_of_gaps(of, (most - least) * _GAPS)


_GAPS = 2.0 ** np.arange(-30, 13)  # between the lower end of a support and data of width 1


def _best_of_gaps(of: Callable[[float], tuple[float, Any]], gaps: np.ndarray) -> tuple[float, ...]:
    """The parameters of the least of a function of gaps: of an inner minimum, where there is one,
    since likelihoods may grow without limit towards one end."""
    from scipy import optimize

    values = [of(float(gap))[0] for gap in gaps]
    inner = [k for k in range(1, len(gaps) - 1) if values[k] <= min(values[k - 1], values[k + 1])]
    k = min(inner or range(len(gaps)), key=values.__getitem__)
    if not inner:
        return of(float(gaps[k]))[1]
    found = optimize.minimize_scalar(
        lambda t: of(math.exp(t))[0],
        bounds=(math.log(gaps[k - 1]), math.log(gaps[k + 1])),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return of(math.exp(found.x))[1]


def _of_vonmises(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    """The mean direction and the concentration of Mardia and Jupp (2000); the scale is 1."""
    from scipy import optimize, special

    c, s = float(mean(cos(x))), float(mean(sin(x)))
    loc = fixed.get("loc", math.atan2(s, c))
    r = c * math.cos(loc) + s * math.sin(loc)
    kappa = fixed.get("kappa")
    if kappa is None and r > 1 - 1e-15:
        kappa = 1e16
    elif kappa is None and r <= 0:
        kappa = float(np.finfo(np.float64).tiny)
    elif kappa is None:
        high = 1 / (1 - r) + 2 * r  # I1(k) / I0(k) > 1 - 1 / k, and k / (2 + k) from below
        kappa = optimize.brentq(lambda k: special.i1e(k) / special.i0e(k) - r, 0, 2 * high)
    return kappa, math.remainder(loc, 2 * math.pi), 1.0


def _of_lognorm(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    if "loc" not in fixed:
        return None
    loc = fixed["loc"]
    _refuse_beyond(float(amin(x)) <= loc, "lognorm")
    y = log(x - loc)
    center = math.log(fixed["scale"]) if "scale" in fixed else float(mean(y))
    spread = fixed.get("s") or math.sqrt(float(mean((y - center) ** 2)))
    return spread, loc, math.exp(center)


def _of_rayleigh(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    if "loc" not in fixed:
        return None
    _refuse_beyond(float(amin(x)) <= fixed["loc"], "rayleigh")
    return fixed["loc"], math.sqrt(0.5 * float(mean((x - fixed["loc"]) ** 2)))


def _of_gamma(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    """With a known location, a solves log(a) - psi(a) = log(mean) - mean of logarithms."""
    from scipy import optimize, special

    if "loc" not in fixed:
        return None
    y = x - fixed["loc"]
    _refuse_beyond(float(amin(y)) <= 0, "gamma")
    center, logs = float(mean(y)), float(mean(log(y)))
    if "scale" in fixed:
        if "a" in fixed:
            return None
        target = logs - math.log(fixed["scale"])
        a = optimize.brentq(
            lambda t: special.psi(math.exp(t)) - target, math.log(1e-9), max(target, 0) + 10
        )
        return math.exp(a), fixed["loc"], fixed["scale"]
    if "a" not in fixed:
        s = math.log(center) - logs
        if not s > 0:
            return None  # the data look equal: a search decides
        guess = (3 - s + math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)
        a = optimize.brentq(
            lambda a: math.log(a) - special.psi(a) - s, 0.5 * guess, 1.5 * guess, xtol=1e-14 * guess
        )
    else:
        a = fixed["a"]
    return a, fixed["loc"], center / a


def _of_invgauss(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...] | None:
    if "loc" not in fixed or "mu" in fixed:
        return None
    y = x - fixed["loc"]
    _refuse_beyond(float(amin(y)) <= 0, "invgauss")
    center = float(mean(y))
    scale = fixed.get("scale") or 1 / float(mean(1 / y - 1 / center))
    return center / scale, fixed["loc"], scale


def _lower_end(x: ndarray, fixed: dict[str, float], name: str) -> float:
    least = float(amin(x))
    loc = fixed.get("loc", least)
    _refuse_beyond(loc > least, name)
    return loc


def _refuse_beyond(condition: bool, name: str) -> None:
    if condition:
        raise ValueError(f"Invalid values in `data`: they lie beyond the support of {name}.")


_CLOSED: dict[str, Callable[..., tuple[float, ...] | None]] = {
    "expon": _of_expon,
    "gamma": _of_gamma,
    "gumbel_l": _of_gumbel_l,
    "gumbel_r": _of_gumbel_r,
    "halfcauchy": _of_halfcauchy,
    "halflogistic": _of_halflogistic,
    "halfnorm": _of_halfnorm,
    "invgauss": _of_invgauss,
    "laplace": _of_laplace,
    "lognorm": _of_lognorm,
    "norm": _of_norm,
    "pareto": _of_pareto,
    "powerlaw": _of_powerlaw,
    "rayleigh": _of_rayleigh,
    "truncpareto": _of_truncpareto,
    "uniform": _of_uniform,
    "vonmises": _of_vonmises,
}


def _gamma_of_moments(x: ndarray, fixed: dict[str, float]) -> tuple[float, ...]:
    """Mean, variance and skewness of the data, as many as there are free parameters."""
    center = float(mean(x))
    var = float(mean((x - center) ** 2)) if len(fixed) < 2 else math.nan
    a, loc, scale = (fixed.get(name, math.nan) for name in ("a", "loc", "scale"))
    if not fixed:
        a = 4 / (float(mean((x - center) ** 3)) / var**1.5) ** 2
    if "scale" not in fixed and "loc" not in fixed:
        scale = math.sqrt(var / a)
    elif "scale" not in fixed:
        scale = (center - loc) / a if "a" in fixed else var / (center - loc)
    if fixed and "a" not in fixed:
        a = (center - loc) / scale if "loc" in fixed else var / scale**2
    return a, loc if "loc" in fixed else center - a * scale, scale


_OF_MOMENTS = {"gamma": _gamma_of_moments, "erlang": _gamma_of_moments}


def _gamma_shape(x: ndarray) -> list[tuple[float, ...]]:
    center = x - mean(x)
    var, third = float(mean(center**2)), float(mean(center**3))
    return [(4 / (1e-8 + (third / var**1.5) ** 2) if var > 0 else math.nan,)]


def _beta_shapes(x: ndarray) -> list[tuple[float, ...]]:
    """Shapes of the mean and variance about an interval somewhat wider than the data."""
    least, most = float(amin(x)), float(amax(x))
    width = most - least
    if not width > 0:
        return [(1.0, 1.0)]
    m = (float(mean(x)) - least + 0.1 * width) / (1.2 * width)
    total = m * (1 - m) / (float(x.var()) / (1.2 * width) ** 2) - 1
    return [(m * total, (1 - m) * total)]


def _ends(x: ndarray) -> list[tuple[float, ...]]:
    least, most = float(amin(x)), float(amax(x))
    return [(least, most) if 0 < least < most else (1.0, 2.0)]


# Starts of the shapes, by moments or several to choose from, where 1 is a bad one or none.
_SHAPES: dict[str, Callable[[ndarray], list[tuple[float, ...]]]] = {
    "gamma": _gamma_shape,
    "erlang": _gamma_shape,
    "beta": _beta_shapes,
    "crystalball": lambda _: [(1.0, 2.0)],
    "genextreme": lambda _: [(-0.1,), (0.1,)],
    "genhyperbolic": lambda _: [(1.0, 1.0, 0.0)],
    "genpareto": lambda _: [(0.1,), (-0.1,)],
    "loguniform": _ends,
    "norminvgauss": lambda _: [(1.0, -0.5), (1.0, 0.5)],
    "reciprocal": _ends,
    "skewcauchy": lambda _: [(-0.1,), (0.1,)],
    "studentized_range": lambda _: [(3.0, 10.0)],
    "trapezoid": lambda _: [(0.25, 0.75)],
    "triang": lambda _: [(0.5,)],
    "truncnorm": lambda _: [(-1.0, 1.0), (-3.0, 3.0)],
    "truncpareto": lambda _: [(1.0, 2.0)],
    "truncweibull_min": lambda _: [(1.0, 0.1, 2.0)],
    "wrapcauchy": lambda _: [(0.5,)],
    "levy_stable": lambda _: [(1.5, 0.0)],  # 1 is an end for beta, where a search stays
}


# ---- expected values -----------------------------------------------------------------------------


@functools.cache
def _nodes(per_unit: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Points of (0, 1) and their weights: the double exponential formula."""
    t = np.arange(-6 * per_unit, 6 * per_unit + 1) / per_unit
    wide = np.pi * np.sinh(t)
    u, rest = 1 / (1 + np.exp(-wide)), 1 / (1 + np.exp(wide))
    return u, np.pi / per_unit * np.cosh(t) * u * rest


def _half(function: Any, quantile: Any, low: Any, high: Any) -> ndarray:
    """The integral of function(quantile(u)) for u from low to high, or 0 if low > high."""
    nodes, weights = (asarray(part) for part in _nodes())
    width = maximum(high - low, 0.0)
    values = function(quantile(low + width * nodes))
    terms = where(isfinite(values) | (weights > 1e-15), values * weights, 0.0)
    return where(width > 0, sum(terms) * width, 0.0)


def expected(
    dist: Any, function: Any, given: Any, bounds: tuple[Any, Any], conditional: bool
) -> ndarray:
    """E f(X) within bounds, by quantiles of both halves of the probability."""
    low, high = (
        math.copysign(math.inf, k - 0.5) if b is None else without_cycles(b)
        for k, b in enumerate(bounds)
    )
    if None not in bounds and bool(low > high):
        total = expected(dist, function, given, (high, low), conditional)
        return total if conditional else -total
    cdf, sf = (lambda x, f=f: f(x, **given) for f in (dist.cdf, dist.sf))
    left = (cdf(low), minimum(cdf(high), 0.5))
    right = (sf(high), minimum(sf(low), 0.5))
    total = _half(function, lambda u: dist.ppf(u, **given), *left)
    total = total + _half(function, lambda u: dist.isf(u, **given), *right)
    if conditional:
        total = total / sum(maximum(left[1] - left[0], 0.0) + maximum(right[1] - right[0], 0.0))
    return total


def expected_on_circle(
    dist: Any, function: Any, given: Any, bounds: tuple[Any, Any], conditional: bool
) -> ndarray:
    """E f(X) of an angle within bounds, by halves of turns; reads the probabilities of the ends."""
    loc = given["loc"]
    low, high = ((2 * k - 1) * math.pi + loc if b is None else b for k, b in enumerate(bounds))
    first, last = float(dist.cdf(low, **given)), float(dist.cdf(high, **given))
    angle, total = 2 * math.pi * given["scale"], asarray(0.0)
    for half in range(math.floor(2 * first), math.ceil(2 * last)):
        turn, a, b = half // 2, max(first, half / 2), min(last, (half + 1) / 2)
        if half % 2 == 0:
            total = total + _half(
                lambda x, t=turn: function(x + t * angle),
                lambda u: dist.ppf(u, **given),
                asarray(a - turn),
                asarray(b - turn),
            )
        else:
            total = total + _half(
                lambda x, t=turn: function(x + t * angle),
                lambda u: dist.isf(u, **given),
                asarray(turn + 1 - b),
                asarray(turn + 1 - a),
            )
    return total / (last - first) if conditional else total


def expected_count(
    dist: Any, function: Any, given: Any, bounds: tuple[Any, Any], conditional: bool
) -> ndarray:
    """The sum of f(k) pmf(k) within bounds, where probabilities count."""
    from ..._core.multiarray import arange

    if not callable(function):
        raise TypeError(f"func must be callable, not {type(function).__name__}")
    low, high = (float(t) for t in dist.support(**given))
    least, most = float(dist.ppf(1e-17, **given)), float(dist.isf(1e-17, **given))
    low = max(low, least if bounds[0] is None else math.ceil(bounds[0]))
    high = min(high, most if bounds[1] is None else math.floor(bounds[1]), low + (1 << 22))
    if not low <= high:
        return asarray(0.0) if low > high else asarray(math.nan)
    k = arange(int(low), int(high) + 1)
    p = dist.pmf(k, **given)
    total = sum(where(p > 0, function(k) * p, 0.0))
    return total / sum(p) if conditional else total
