"""Fits of distributions within bounds: the optimizer runs on the host, sums on the device."""

import collections
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, shown
from ..._core._warnings import warn
from ..._core.fromnumeric import searchsorted, sort, take
from ..._core.multiarray import asarray, concatenate, ndarray, where, zeros
from ..._core.reductions import sum
from ..._core.umath import isfinite, log, maximum
from .._host import to_host
from ._distn_infrastructure import Distribution

__all__ = ["fit"]

_PENALTY = 100 * math.log(np.finfo(np.float64).max)  # for what is not finite
_COUNTS = {
    ("erlang", "a"),
    ("nbinom", "n"),
}  # shapes that may be any numbers, and are fitted as whole
_BOUND = re.compile(r"^(\w+) (>=|>|<=|<) (-?\d+(?:\.\d+)?)$")


def differential_evolution(fun: Callable[..., float], bounds: Any, **options: Any) -> Any:
    """The optimizer of `fit`, SciPy's of this name on the host.

    Parameters
    ----------
    fun : callable
        Function of a vector that becomes small.
    bounds : sequence of tuple
        Lower and upper bound of each variable.
    **options : object
        Options of SciPy's function.

    Returns
    -------
    OptimizeResult
        The best point and how it was found.
    """
    from scipy import optimize

    return optimize.differential_evolution(fun, bounds, **options)


class FitResult:
    """The result of `fit`.

    Attributes
    ----------
    params : namedtuple
        Estimated shapes, location and scale.
    success : bool or None
        Whether the optimizer ended well.
    message : str or None
        Message of the optimizer.
    discrete : bool
        Whether the distribution is one of whole numbers.
    pxf : callable
        Density or probabilities of the distribution.
    """

    def __init__(self, dist: Any, data: ndarray, params: Any, found: Any):
        self._dist, self._data, self.params = dist, data, params
        self.discrete = hasattr(dist, "pmf")
        self.pxf = dist.pmf if self.discrete else dist.pdf
        self.success = getattr(found, "success", None)
        self.message = getattr(found, "message", None)

    def __repr__(self) -> str:
        rows = [("params", self.params), ("success", self.success), ("message", self.message)]
        return "\n".join(f"{name:>8}: {value!r}" for name, value in rows if value is not None)

    def nllf(self, params=None, data=None) -> float:
        """Return minus the logarithm of the likelihood; reads it.

        Parameters
        ----------
        params : tuple of float, optional
            Shapes, location and scale, by default the estimated ones.
        data : array_like, optional
            Data to count, by default those of the fit.

        Returns
        -------
        float
            Sum of minus the logarithm of the density.
        """
        theta = tuple(self.params if params is None else params)
        return float(self._dist.nnlf(theta, self._data if data is None else as_array(data)))

    def plot(self, ax=None, *, plot_type="hist") -> Any:
        """Draw the fitted distribution with the data, which are copied to the host.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw into, by default the current ones.
        plot_type : {'hist', 'qq', 'pp', 'cdf'}, optional
            Histogram, quantiles, probabilities or distribution function.

        Returns
        -------
        matplotlib.axes.Axes
            The axes that were drawn into.
        """
        import matplotlib.pyplot as plt

        if plot_type not in ("hist", "qq", "pp", "cdf"):
            raise ValueError(
                f"`plot_type` must be one of {{'hist', 'qq', 'pp', 'cdf'}}, got {plot_type!r}"
            )
        ax = plt.gca() if ax is None else ax
        theta, x = tuple(self.params), np.sort(self._data.get())
        shares = (np.arange(1, x.size + 1) - 0.5) / x.size
        ax.set_title(f"Fitted {self._dist.name} distribution")
        if plot_type == "hist":
            self._histogram(ax, x, theta)
            return ax
        if plot_type == "qq":
            given, wanted = self._dist.ppf(asarray(shares), *theta).get(), x
            words = "Theoretical quantiles", "Observed quantiles"
        elif plot_type == "pp":
            given, wanted = self._dist.cdf(asarray(x), *theta).get(), shares
            words = "Theoretical percentiles", "Observed percentiles"
        else:
            ax.step(x, np.arange(1, x.size + 1) / x.size, "-", label="Data", where="post")
            points = np.linspace(x[0], x[-1], 300)
            ax.plot(points, self._dist.cdf(asarray(points), *theta).get(), label="Distribution")
            ax.set_xlabel("x"), ax.set_ylabel("Cumulative probability"), ax.legend()
            return ax
        ends = min(given.min(), wanted.min()), max(given.max(), wanted.max())
        ax.plot(ends, ends, "-", label="Equal")
        ax.plot(given, wanted, ".", label="Data")
        ax.set_xlabel(words[0]), ax.set_ylabel(words[1]), ax.legend()
        return ax

    def _histogram(self, ax: Any, x: np.ndarray, theta: tuple[float, ...]) -> None:
        low, high = x[0], x[-1]
        if self.discrete:
            values, counts = np.unique(x, return_counts=True)
            k = np.arange(math.floor(low), math.ceil(high) + 1)
            ax.vlines(k, 0, self.pxf(asarray(k), *theta).get(), label="Fitted probabilities")
            ax.plot(values, counts / x.size, "o", label="Data")
        else:
            points = np.linspace(low, high, 300)
            ax.plot(points, self.pxf(asarray(points), *theta).get(), label="Fitted density")
            ax.hist(x, density=True, bins=50 if x.size > 500 else "auto", alpha=0.5, label="Data")
        ax.set_xlabel("k" if self.discrete else "x")
        ax.set_ylabel("Probability" if self.discrete else "Density")
        ax.legend()


# ---- bounds --------------------------------------------------------------------------------------


def _domain(dist: Any, name: str) -> tuple[float, float, bool]:
    """The interval of a parameter, and whether it must be whole, from the row's condition."""
    if name == "loc":
        return -math.inf, math.inf, hasattr(dist, "pmf")
    low, high = (0.0 if name == "scale" else -math.inf), math.inf
    whole = (dist.name, name) in _COUNTS
    row = getattr(dist, "_row", None)
    if row is not None:
        field = dict(zip(row.shapes, row.fields, strict=True)).get(name)
        for term in row.valid.replace("||", "&&").split("&&"):
            found = _BOUND.match(term.strip())
            whole |= term.strip() in (f"floor({field}) == {field}", f"{field} == floor({field})")
            size = re.match(rf"^fabs\({field}\) <=? (\d+)$", term.strip())
            if size:
                low, high = -float(size[1]), float(size[1])
            if found and found[1] == field:
                end = float(found[3])
                low, high = (end, high) if found[2][0] == ">" else (low, end)
    return low, high, whole


def _parameters_by_name(values: Any, names: tuple[str, ...], what: str, size: int) -> dict:
    """Bounds or guesses of parameters, from a dictionary or a sequence."""
    shapes = len(names) - (2 if names[-1] == "scale" else 1)
    if isinstance(values, dict):
        unknown = set(values) - set(names)
        if unknown:
            words = "Bounds" if what == "bounds" else "Guesses"
            warn(
                f"{words} provided for the following unrecognized parameters will be ignored:"
                f" {unknown}",
                RuntimeWarning,
            )
        return {name: to_host(value) for name, value in values.items() if name in names}
    values = to_host(values)
    try:
        values = [
            np.atleast_1d(as_host(value, np.float64))
            for value in itertools.islice(values, len(names) + 1)
        ]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"Each element of `{what}` must be numbers, got {shown(values)}"
        ) from error
    if any(value.size != size for value in values):
        raise ValueError(f"Each element of `{what}` must have {size} numbers")
    if not shapes <= len(values) <= len(names):
        raise ValueError(
            f"A `{what}` sequence must contain from {shapes} to {len(names)} elements, of the"
            f" parameters {', '.join(names)}; got {len(values)}"
        )
    return dict(zip(names, values, strict=False))


def _bounds(dist: Any, names: tuple[str, ...], bounds: Any) -> list[tuple[float, float, bool]]:
    """Lower and upper bound of each parameter, and whether it is whole."""
    given = _parameters_by_name({} if bounds is None else bounds, names, "bounds", 2)
    found = []
    for name in names:
        low, high, whole = _domain(dist, name)
        usual = {"loc": (0.0, 0.0), "scale": (1.0, 1.0)}.get(name, (low, high))
        wanted = as_host(given.get(name, usual), np.float64)
        if wanted.shape != (2,):
            raise ValueError(
                f"Bounds of `{name}` must be a tuple of two numbers, got {shown(given[name])}"
            )
        if wanted[0] > wanted[1]:
            raise ValueError(f"There are no values for `{name}` on the interval {wanted.tolist()}.")
        low, high = max(low, wanted[0]), min(high, wanted[1])
        if low > high:
            raise ValueError(
                f"There are no values for `{name}` on the interval defined by the user-provided"
                " bounds and the domain of the distribution."
            )
        if whole and math.isfinite(low + high) and math.ceil(low) > math.floor(high):
            raise ValueError(
                f"There are no integer values for `{name}` on the interval defined by the"
                " user-provided bounds and the domain of the distribution."
            )
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(
                f"The intersection of user-provided bounds for `{name}` and the domain of the"
                f" distribution is not finite. Please provide finite bounds for shape `{name}` in"
                " `bounds`."
            )
        found.append((low, high, whole))
    return found


def _guesses(names: tuple[str, ...], limits: list[tuple[float, float, bool]], guess: Any) -> Any:
    """Starts of all parameters: those given, within the bounds, or the middle."""
    given = _parameters_by_name(guess, names, "guess", 1)
    starts = []
    for name, (low, high, whole) in zip(names, limits, strict=True):
        start = float(as_host(given.get(name, 0.5 * (low + high)), np.float64).reshape(-1)[0])
        rounded = float(np.round(start)) if whole else start
        if name in given and rounded != start:
            warn(f"Guess for parameter `{name}` rounded from {start} to {rounded}.", RuntimeWarning)
        clipped = min(max(rounded, low), high)
        if name in given and clipped != rounded:
            warn(
                f"Guess for parameter `{name}` clipped from {rounded} to {clipped}.", RuntimeWarning
            )
        starts.append(clipped)
    return np.array(starts)


# ---- what becomes small --------------------------------------------------------------------------


def _likelihood(dist: Any, x: ndarray) -> Callable[[Any], float]:
    sums = dist._likelihood()
    return lambda theta: float(sums(x, *map(float, theta), _PENALTY))


def _spacings(dist: Any, x: ndarray) -> Callable[[Any], float]:
    """Minus the logarithms of the probabilities between neighbours, of which equals have parts."""
    x = sort(x)
    before, upto = searchsorted(x, x, "left"), searchsorted(x, x, "right")
    count, first = (upto - before).astype(np.float64), zeros(1)

    def total(theta: Any) -> float:
        theta = tuple(map(float, theta))
        below, above = dist.cdf(x, *theta), dist.sf(x, *theta)
        up = below - take(concatenate([first, below]), before)
        down = take(concatenate([first + 1, above]), before) - above
        steps = where(below < 0.5, up, down) / count
        terms = log(maximum(concatenate([steps, above[-1:]]), 0.0))
        return -float(sum(where(isfinite(terms), terms, -_PENALTY)))

    return total


_METHODS = {"mle": _likelihood, "mse": _spacings}


def fit(
    dist, data, bounds=None, *, guess=None, method="mle", optimizer=differential_evolution
) -> FitResult:
    """Fit a distribution to data with parameters within bounds; waits for the device.

    Parameters
    ----------
    dist : distribution
        Distribution of the module, or an `rv_continuous` or `rv_discrete` of one's own.
    data : array_like
        Vector of finite numbers, which stays on the device.
    bounds : dict or sequence of tuple, optional
        Lower and upper bound of each parameter by its name, or in order. Shapes whose domain is
        finite need none; location and scale are 0 and 1 without.
    guess : dict or sequence of float, optional
        Starting values for the optimizer, by name or in order; others start in the middle.
    method : {'mle', 'mse'}, optional
        Largest likelihood, or largest product of spacings.
    optimizer : callable, optional
        Function of the objective, and of `bounds`, `x0` and `integrality` where needed, by
        default SciPy's `differential_evolution`.

    Returns
    -------
    FitResult
        Object with the estimates `params`, `success`, `message`, `nllf` and `plot`.

    Notes
    -----
    The optimizer runs on the host and **reads a sum at each step**.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import stats
    >>> data = cp.asarray([1.0, 2.0, 3.0, 6.0])
    >>> result = stats.fit(stats.norm, data, {"loc": (0, 9), "scale": (0.1, 9)})
    >>> round(result.params.loc, 4)
    3.0
    """
    if not isinstance(dist, Distribution):
        raise ValueError(
            f"`dist` must be a distribution of gpunp.scipy.stats, got {type(dist).__name__}"
        )
    if not isinstance(data, ndarray) and as_host(data).dtype.kind not in "biuf":
        raise ValueError("All elements of `data` must be finite numbers.")
    x = as_array(data).astype(np.float64)
    if x.ndim != 1:
        raise ValueError("`data` must be exactly one-dimensional.")
    if x.size and not bool(isfinite(x).all()):
        raise ValueError("All elements of `data` must be finite numbers.")
    shapes = tuple(name.strip() for name in (dist.shapes or "").split(",") if name.strip())
    names = (*shapes, "loc") if hasattr(dist, "pmf") else (*shapes, "loc", "scale")
    limits = _bounds(dist, names, bounds)
    if not isinstance(method, str):
        raise TypeError(f"`method` must be 'mle' or 'mse', not {shown(method)}")
    objective = _METHODS[method](dist, x)

    def penalised(theta: Any) -> float:
        value = objective(theta)
        return value if math.isfinite(value) else _PENALTY * (x.size + 1)

    options: dict[str, Any] = {"bounds": [(low, high) for low, high, _ in limits]}
    if guess is not None:
        options["x0"] = _guesses(names, limits, guess)
    if any(whole for *_, whole in limits):
        options["integrality"] = np.array([whole for *_, whole in limits])
    found = optimizer(penalised, **options)
    params = collections.namedtuple("FitParams", names)  # type: ignore[misc]
    result = FitResult(dist, x, params(*map(float, found.x)), found)
    if result.success and not math.isfinite(result.nllf()):
        result.success = False
        result.message = (
            "Optimization converged to parameter values that are inconsistent with the data."
        )
    return result
