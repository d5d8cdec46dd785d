"""Tests by samples of a model: goodness of fit, and the power of a test."""

import inspect
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_host, check_device_memory, shown
from ..._core.fromnumeric import sort
from ..._core.multiarray import arange, array, asarray, concatenate, ndarray
from ..._core.shape_base import stack
from ...lib._quantile_impl import median
from .._host import to_host
from ..special import betaincinv
from ._axis import real
from ._distn_fit import FitResult
from ._distn_infrastructure import Continuous, generator_of
from ._distribution_tests import largest_distance, squared_distance
from ._goodness import anderson_distance

__all__ = ["goodness_of_fit", "power"]

_BATCH = 1 << 22  # elements of a batch


class GoodnessOfFitResult(NamedTuple):
    """Fit, statistic, p-value and the statistics of the model's samples."""

    fit_result: FitResult
    statistic: ndarray
    pvalue: ndarray
    null_distribution: ndarray


# ---- distances of samples in order from a distribution -------------------------------------------
# Functions of the distribution with its parameters, and of rows in ascending order.


def _columns(parameters: tuple) -> tuple:
    """Parameters of rows, to be combined with their elements."""
    return tuple(v[:, None] if isinstance(v, ndarray) and v.ndim else v for v in parameters)


def _anderson(dist: Any, rows: ndarray, parameters: tuple) -> ndarray:
    return anderson_distance(dist, rows, _columns(parameters))


def _kolmogorov(dist: Any, rows: ndarray, parameters: tuple) -> ndarray:
    return largest_distance(rows, dist.cdf(rows, *_columns(parameters)))[0]


def _cramer(dist: Any, rows: ndarray, parameters: tuple) -> ndarray:
    return squared_distance(dist.cdf(rows, *_columns(parameters)))


def _filliben(dist: Any, rows: ndarray, parameters: tuple) -> ndarray:
    """The correlation with the quantiles of the medians of uniform numbers in order.

    J. Filliben, Technometrics 17, 1975; the medians are those of beta distributions.
    """
    n = rows.shape[-1]
    place = arange(1.0, n + 1)
    quantiles = dist.ppf(betaincinv(place, n + 1 - place, 0.5), *_columns(parameters))
    x, q = (v - v.mean(axis=-1, keepdims=True) for v in (rows, quantiles))
    return (x * q).sum(axis=-1) / um.sqrt((x * x).sum(axis=-1) * (q * q).sum(axis=-1))


STATISTICS = {"ad": _anderson, "ks": _kolmogorov, "cvm": _cramer, "filliben": _filliben}


# ---- fits of many samples ------------------------------------------------------------------------
# Location and scale of rows in ascending order, those that are known as numbers.


def _of_norm(rows: ndarray, loc: Any, scale: Any) -> tuple:
    """With an unknown mean, the deviation is the root of the unbiased variance."""
    if scale is None:
        scale = rows.std(axis=-1, ddof=1) if loc is None else _root_mean(rows - loc)
    return rows.mean(axis=-1) if loc is None else loc, scale


def _root_mean(rows: ndarray) -> ndarray:
    return um.sqrt((rows * rows).mean(axis=-1))


def _of_expon(rows: ndarray, loc: Any, scale: Any) -> tuple:
    loc = rows[:, 0] if loc is None else loc
    return loc, rows.mean(axis=-1) - loc if scale is None else scale


def _of_laplace(rows: ndarray, loc: Any, scale: Any) -> tuple:
    loc = median(rows, axis=-1) if loc is None else loc
    if scale is None:
        at = loc[:, None] if isinstance(loc, ndarray) else loc
        scale = abs(rows - at).mean(axis=-1)
    return loc, scale


def _of_uniform(rows: ndarray, loc: Any, scale: Any) -> tuple:
    low, high = rows[:, 0], rows[:, -1]
    if scale is not None:
        return (low - 0.5 * (scale - (high - low)) if loc is None else loc), scale
    loc = low if loc is None else loc
    return loc, high - loc


_FITS: dict[str, Callable[..., Any]] = {
    "norm": _of_norm, "expon": _of_expon, "laplace": _of_laplace, "uniform": _of_uniform,
}  # fmt: skip


def _fit_of_rows(dist: Any, rows: ndarray, known: dict[str, Any], guessed: dict[str, Any]) -> tuple:
    """Parameters of each row: at once for some distributions, by an optimizer's run for a row."""
    quick = _FITS.get(dist.name) if hasattr(dist, "_row") else None
    if quick is not None:
        return quick(rows, known.get("loc"), known.get("scale"))
    fitted = [_fit_of(dist, row, known, guessed) for row in rows]
    return tuple(asarray(column) for column in np.array(fitted, float).T)


def _fit_of(dist: Any, data: ndarray, known: dict[str, Any], guessed: dict[str, Any]) -> tuple:
    quick = _FITS.get(dist.name) if hasattr(dist, "_row") else None
    if quick is not None:
        found = quick(sort(data)[None], known.get("loc"), known.get("scale"))
        return tuple(float(asarray(value).reshape(())) for value in found)
    fixed = {f"f{name}": value for name, value in known.items()}
    guess = dict(guessed)
    shapes = [guess.pop(name, 1.0) for name in dist._names[: dist.numargs]]
    given = shapes if any(name in guessed for name in dist._names[: dist.numargs]) else []
    guess = {name: value for name, value in guess.items() if name not in known}
    return tuple(dist.fit(data, *given, **guess, **fixed))


def _count(value: Any, name: str, error: type[Exception] = ValueError) -> int:
    """A positive number of samples."""
    number = as_host(value)
    if int(number) != number:
        raise error(f"`{name}` must be a positive integer, got {shown(value)}")
    if number < 1:
        raise ValueError(f"`{name}` must be a positive integer, got {shown(value)}")
    check_device_memory(int(number))  # of the statistics
    return int(number)


def _parameters(dist: Any, given: Any, what: str) -> dict[str, Any]:
    found = {} if given is None else dict(given)
    for name in found:
        if name not in dist._names:
            raise TypeError(f"`{what}` has {name!r}, which is no parameter of {dist.name}")
    return found


def goodness_of_fit(
    dist, data, *, known_params=None, fit_params=None, guessed_params=None, statistic="ad",
    n_mc_samples=9999, rng=None, random_state=None,
) -> GoodnessOfFitResult:  # fmt: skip
    """Test whether a sample has a distribution, some parameters of which are fitted to it.

    Samples of the fitted distribution are drawn and fitted as the data are. Fits of norm, expon,
    laplace and uniform are made for all of them together; those of other distributions one after
    another, by an optimizer that reads a likelihood at each step.

    Parameters
    ----------
    dist : rv_continuous
        Distribution without its parameters.
    data : array_like
        Sample of one dimension.
    known_params : dict, optional
        Parameters that are known, by their names.
    fit_params : dict, optional
        Parameters that were fitted to the data before, with which samples are drawn.
    guessed_params : dict, optional
        Starting values of the fit.
    statistic : {'ad', 'ks', 'cvm', 'filliben'} or callable, optional
        Distance of Anderson and Darling, of Kolmogorov and Smirnov, of Cramér and von Mises,
        Filliben's correlation, or a function of the frozen distribution, the samples and their
        axis (`axis=-1`).
    n_mc_samples : int, optional
        Number of samples that are drawn.
    rng, random_state : None, int, Generator or RandomState, optional
        Source of random numbers.

    Returns
    -------
    GoodnessOfFitResult
        Object with attributes `fit_result`, which has `params`, `statistic`, `pvalue` and
        `null_distribution`, the statistics of the samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.stats import goodness_of_fit, norm
    >>> result = goodness_of_fit(norm, cp.arange(9.0), rng=1)
    >>> result.statistic.round(4), bool(result.pvalue > 0.9)
    (array(0.1368), True)
    """
    if not isinstance(dist, Continuous):
        raise TypeError("`dist` must be a (non-frozen) instance of `stats.rv_continuous`.")
    data = real(data, "data")
    if data.ndim != 1:
        raise ValueError("`data` must be a one-dimensional array of numbers.")
    if not callable(statistic) and statistic not in STATISTICS:
        raise ValueError(f"`statistic` must be one of {set(STATISTICS)}.")
    count = _count(n_mc_samples, "n_mc_samples", TypeError)
    known = _parameters(dist, known_params, "known_params")
    guessed = _parameters(dist, guessed_params, "guessed_params")
    fixed = known | _parameters(dist, fit_params, "fit_params")
    if len(fixed) == len(dist._names):
        values = tuple(float(fixed[name]) for name in dist._names)
    else:
        values = tuple(map(float, _fit_of(dist, data, fixed, guessed)))
    is_known = len(known) == len(dist._names)

    def distance(rows: ndarray, parameters: tuple) -> ndarray:
        if callable(statistic):
            return asarray(statistic(dist(*_columns(parameters)), rows, axis=-1))
        return STATISTICS[statistic](dist, sort(rows, axis=-1), parameters)

    def fitted(rows: ndarray) -> ndarray:
        parameters = values if is_known else _fit_of_rows(dist, rows, known, guessed | start)
        return distance(rows, parameters)

    start = {k: v for k, v in zip(dist._names, values, strict=True) if k not in known}
    source = generator_of(random_state if rng is None else rng)
    parts, rows = [], max(1, _BATCH // max(data.size, 1))
    for first in range(0, count, rows):
        size = (min(rows, count - first), data.size)
        parts.append(fitted(sort(dist.rvs(*values, size=size, random_state=source), axis=-1)))
    # As SciPy's, parameters that were fitted before serve to draw samples, not to judge the data.
    found = fitted(sort(data)[None]) if fit_params else distance(data[None], values)
    null, found = concatenate(parts), found.reshape(())
    below = statistic == "filliben"
    margin = 1e-14 * abs(found)
    extreme = (null <= found + margin) if below else (null >= found - margin)
    pvalue = (extreme.sum() + 1) / (count + 1)
    Params: Any = namedtuple("FitParams", " ".join(dist._names))  # type: ignore[misc]
    return GoodnessOfFitResult(FitResult(Params(*values)), found, pvalue, null)


# ---- power ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class PowerResult:
    """The power of a test and the p-values that it comes from."""

    power: ndarray
    pvalues: ndarray


def _pvalues(result: Any) -> ndarray:
    return asarray(getattr(result, "pvalue", result))


def power(
    test, rvs, n_observations, *, significance=0.01, vectorized=None, n_resamples=10000, batch=None,
    kwargs=None,
) -> PowerResult:  # fmt: skip
    """Return how often a test finds an effect in samples of a model.

    Parameters
    ----------
    test : callable
        Test of samples of the device, which returns a p-value or an object with `pvalue`.
    rvs : callable or sequence of callables
        Functions of `size` that draw a sample each, as methods of `gpunp.random` do.
    n_observations : tuple of int or array_like
        Number of elements of each sample.
    significance : float or array_like, optional
        Probabilities below which a p-value says that there is an effect.
    vectorized : bool, optional
        Whether the test takes `axis`, and many samples at once. By default its signature says so.
    n_resamples : int, optional
        Number of samples that are drawn.
    batch : int, optional
        How many are computed at once; by default as many as have 2**22 elements.
    kwargs : dict, optional
        Arguments of the test, numbers or arrays that broadcast with `n_observations`.

    Returns
    -------
    PowerResult
        Object with attributes `power`, the part of p-values below the significance, and `pvalues`.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.stats import power, ttest_1samp
    >>> rng = cp.random.default_rng(1)
    >>> result = power(ttest_1samp, lambda size: rng.normal(0.5, 1, size), 50,
    ...                kwargs={"popmean": 0}, n_resamples=200)
    >>> bool(result.power > 0.5)
    True
    """
    is_one = not isinstance(rvs, (list, tuple))
    draws, n_observations = ([rvs], [n_observations]) if is_one else (rvs, n_observations)
    if not all(map(callable, draws)):
        raise TypeError("`rvs` must be callable or sequence of callables.")
    if len(draws) != len(n_observations):
        raise ValueError("If `rvs` is a sequence, `len(rvs)` must equal `len(n_observations)`.")
    levels = np.asarray(as_host(to_host(significance)), float)
    if not ((levels >= 0) & (levels <= 1)).all():
        raise ValueError("`significance` must contain floats between 0 and 1.")
    if vectorized not in (True, False, None):
        raise ValueError("`vectorized` must be `True`, `False`, or `None`.")
    total = _count(n_resamples, "n_resamples")
    batch = None if batch is None else _count(batch, "batch")
    if vectorized is None:
        vectorized = "axis" in inspect.signature(test).parameters
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(kwargs, dict):
        raise TypeError(f"`kwargs` must be a dict, not {type(kwargs).__name__}")
    options = {name: as_host(to_host(value)) for name, value in kwargs.items()}
    sizes = [as_host(to_host(n)) for n in n_observations]
    grid = np.broadcast_arrays(*sizes, *options.values())
    columns = [part.reshape(-1) for part in grid]
    found = []
    for place in range(grid[0].size):
        counts = [int(column[place]) for column in columns[: len(sizes)]]
        given = dict(zip(options, (c[place].item() for c in columns[len(sizes) :]), strict=True))
        found.append(_drawn_pvalues(test, draws, counts, given, vectorized, total, batch))
    pvalues = stack(found).reshape(*grid[0].shape, total)
    at = array(levels).reshape(levels.shape + (1,) * pvalues.ndim)
    shares = (pvalues < at).mean(axis=-1)
    lead = levels.shape + grid[0].shape
    return PowerResult(shares.reshape(lead), pvalues)


def _drawn_pvalues(
    test: Any, draws: list, counts: list[int], given: dict, vectorized: bool, total: int, batch: Any
) -> ndarray:
    rows = max(1, _BATCH // max(1, max(counts))) if batch is None else batch
    parts = []
    for first in range(0, total, rows):
        size = min(rows, total - first)
        samples = [asarray(f(size=(size, n))) for f, n in zip(draws, counts, strict=True)]
        if vectorized:
            parts.append(_pvalues(test(*samples, **given, axis=-1)).reshape(size))
        else:
            parts += [
                _pvalues(test(*row, **given)).reshape(1) for row in zip(*samples, strict=True)
            ]
    return concatenate(parts)
