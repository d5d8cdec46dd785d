"""Percentiles and expectiles, trimmed samples, the distribution function of a sample."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, concatenate, ndarray, where
from ..._core.numeric import flatnonzero, full, moveaxis
from ...lib._shape_base_impl import take_along_axis
from ...lib._stride_tricks_impl import broadcast_arrays, broadcast_to
from .._host import to_host
from ..special import bdtr, bdtrc
from ._axis import ConfidenceInterval, apply, check_alternative, floating, real
from ._censored import CensoredData, survival
from ._ranks import counts_below

__all__ = [
    "ecdf",
    "expectile",
    "percentileofscore",
    "quantile_test",
    "scoreatpercentile",
    "trim1",
    "trimboth",
]


def percentileofscore(a, score, kind="rank", nan_policy="propagate") -> ndarray:
    """Return the share of a sample that is below numbers, in percent.

    Parameters
    ----------
    a : array_like
        Sample of one dimension.
    score : float or array_like
        Numbers that the sample is compared with.
    kind : {'rank', 'weak', 'strict', 'mean'}, optional
        Whether elements equal to a number count by half and one half more, all, not at all, or by
        half.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN of the sample spoils all results, is left out, or raises; the latter two wait
        for the device.

    Returns
    -------
    ndarray
        Percentages, of the shape of `score`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.percentileofscore(cp.array([1, 2, 3, 4]), 3)
    array(75.)
    """
    a, score = real(a, "a"), real(score, "score")
    if a.ndim != 1:
        raise ValueError("`a` must be 1-dimensional.")
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError(f"nan_policy must be 'propagate', 'omit' or 'raise': {shown(nan_policy)}")
    if nan_policy == "raise" and any(bool(um.isnan(x).any()) for x in (a, score)):
        raise ValueError("The input contains nan values")
    if nan_policy == "omit":
        a = a[~um.isnan(a)]
    n = a.size
    if n == 0:
        return full(score.shape, np.nan)
    if kind not in ("rank", "strict", "weak", "mean"):
        raise ValueError("kind can only be 'rank', 'strict', 'weak' or 'mean'")
    keys, at = sort(a), score.reshape(-1)
    left, right = (counts_below(keys, at, equals) for equals in (False, True))
    if kind == "rank":
        share = (left + right + (left < right)) * (50.0 / n)
    elif kind == "mean":
        share = (left + right) * (50.0 / n)
    else:
        share = (left if kind == "strict" else right) * (100.0 / n)
    return where(um.isnan(at) | um.isnan(keys[-1]), np.nan, share).reshape(score.shape)


def scoreatpercentile(a, per, limit=(), interpolation_method="fraction", axis=None) -> ndarray:
    """Return the elements of which shares of a sample are below.

    Parameters
    ----------
    a : array_like
        Sample, whose order is computed.
    per : float or sequence
        Shares in percent, from 0 to 100.
    limit : (float, float), optional
        Ends of an interval outside of which elements do not count; how many remain is read from
        the device.
    interpolation_method : {'fraction', 'lower', 'higher'}, optional
        Whether two elements are interpolated, or the lower or higher is taken.
    axis : int, optional
        Axis along which the sample lies. By default all elements are one sample.

    Returns
    -------
    ndarray
        Elements, with a first axis for several shares.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.scoreatpercentile(cp.arange(5), [25, 60])
    array([1. , 2.4])
    """
    a = as_array(a)
    shares = as_host(to_host(per))
    if a.size == 0:
        return full(shares.shape, np.nan)
    if limit:
        low, high = (as_host(end).item() for end in limit)
        a = a[(low <= a) & (a <= high)]
    if axis is None:
        a, axis = a.reshape(-1), 0
    if interpolation_method not in ("fraction", "lower", "higher"):
        raise ValueError("interpolation_method can only be 'fraction', 'lower' or 'higher'")
    if ((shares < 0) | (shares > 100)).any():
        raise ValueError("percentile must be in the range [0, 100]")
    rows = moveaxis(sort(a, axis=axis), axis, 0)
    at = shares / 100.0 * (rows.shape[0] - 1)
    below = np.floor(at).astype(int)
    rest = at - below
    if interpolation_method == "lower":
        rest = np.zeros_like(rest)
    elif interpolation_method == "higher":
        rest = np.ceil(rest)
    above = np.minimum(below + 1, rows.shape[0] - 1)
    weight = asarray(rest.reshape(rest.shape + (1,) * (rows.ndim - 1)))
    low, high = rows[asarray(below)], rows[asarray(above)]
    # A weight of zero leaves an element out, also where it is not finite.
    return where(weight == 0, low, low * (1 - weight) + high * where(weight == 0, 0.0, weight))


def _trimmed(a: Any, share: Any, axis: Any, ends: str) -> ndarray:
    a = as_array(a)
    if a.size == 0 and ends == "both":
        return a
    if axis is None:
        a, axis = a.reshape(-1), 0
    axis = normalize_axis_index(int(as_host(axis)), a.ndim)
    n = a.shape[axis]
    cut = int(float(as_host(share)) * n)
    low = cut if ends in ("both", "left") else 0
    high = n - cut if ends in ("both", "right") else n
    if low >= high and ends == "both":
        raise ValueError("Proportion too big.")
    if ends != "both" and cut >= n:
        return a[:0] if a.ndim == 1 else moveaxis(moveaxis(a, axis, 0)[:0], 0, axis)
    ordered = moveaxis(sort(a, axis=axis), axis, 0)[low:high]
    return moveaxis(ordered, 0, axis)


def trimboth(a, proportiontocut, axis=0) -> ndarray:
    """Return a sample without a share of its smallest and of its largest elements.

    Parameters
    ----------
    a : array_like
        Sample that is trimmed.
    proportiontocut : float
        Share of the elements that is left out at each end.
    axis : int or None, optional
        Axis along which elements are left out; None takes all elements.

    Returns
    -------
    ndarray
        What is left, in ascending order.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.trimboth(cp.array([5, 1, 2, 9]), 0.25)
    array([2, 5])
    """
    return _trimmed(a, proportiontocut, axis, "both")


@documented_as(trimboth)
def trim1(a, proportiontocut, tail="right", axis=0) -> ndarray:
    """Return a sample without a share of its smallest or of its largest elements.

    Parameters
    ----------
    tail : {'right', 'left'}, optional
        Whether the largest or the smallest elements are left out.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.trim1(cp.array([5, 1, 2, 9]), 0.25)
    array([1, 2, 5])
    """
    side = tail.lower() if isinstance(tail, str) else tail
    if side not in ("right", "left"):
        raise ValueError(f"tail must be 'right' or 'left', not {shown(tail)}")
    return _trimmed(a, proportiontocut, axis, side)


def expectile(
    a, alpha=0.5, *, weights=None, axis=0, nan_policy="propagate", keepdims=False
) -> ndarray:
    """Return the number that minimises a sum of squares which weighs both signs differently.

    It is found exactly: between two elements the condition is linear, and sums of the elements in
    order say between which.

    Parameters
    ----------
    a : array_like
        Samples, along an axis.
    alpha : float, optional
        Weight of the elements above, from 0 to 1; with 0.5 the mean results.
    weights : array_like, optional
        Weights of the elements, none of them negative, broadcast with `a`. By default all are
        equal.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    ndarray
        The expectile of each sample.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.expectile(cp.array([1, 4, 2, -1]), 0.5)
    array(1.5)
    """
    alpha = float(as_host(to_host(alpha)))
    if not 0 <= alpha <= 1:
        raise ValueError("The expectile level alpha must be in the range [0, 1].")
    arrays = [floating(a, "a")]
    if weights is not None:
        arrays = list(broadcast_arrays(*arrays, floating(weights, "weights")))

    def compute(rows: ndarray, *given: ndarray) -> list:
        if given:
            order = rows.argsort(axis=-1)
            keys, w = (take_along_axis(v.astype(np.float64), order, -1) for v in (rows, *given))
        else:
            keys = sort(rows, axis=-1).astype(np.float64, copy=False)
            w = full(keys.shape, 1.0)
        sums, masses = (w * keys).cumsum(axis=-1), w.cumsum(axis=-1)
        root, fits = _roots(
            keys, _next(keys), sums, masses, sums[..., -1:], masses[..., -1:], alpha
        )
        # The first root not above its next element is right.
        return [take_along_axis(root, fits.argmax(axis=-1)[..., None], -1)[..., 0]]

    (found,) = apply(compute, arrays, axis, nan_policy, keepdims, paired=True, outputs=1)
    return found.astype(np.result_type(*(v.dtype for v in arrays)), copy=False)


def _next(keys: ndarray) -> ndarray:
    """The element after each of a row, infinite after the last."""
    return concatenate([keys[..., 1:], full((*keys.shape[:-1], 1), np.inf)], axis=-1)


@fuse
def _roots(keys, following, sums, masses, total, weight, alpha):
    """The root for each number of elements below, and whether it may be right."""
    below = (1 - alpha) * sums + alpha * (total - sums)
    mass = (1 - alpha) * masses + alpha * (weight - masses)
    root = where(mass > 0, below / mass, keys)  # nothing has weight above the largest
    root = where(weight == 0, np.nan, root)
    return root, ~(root > following)


# ---- tests of quantiles --------------------------------------------------------------------------


def _element(rows: ndarray, at: ndarray, has_none: ndarray) -> ndarray:
    """Element `at` of each row, NaN where it has none."""
    place = at.clip(0, rows.shape[-1] - 1).astype(np.int64)
    return where(has_none | um.isnan(at), np.nan, take_along_axis(rows, place, -1))


class QuantileTestResult:
    """Statistic, its type and p-value of `quantile_test`."""

    def __init__(self, results: list, sample: tuple) -> None:
        self.statistic, self.statistic_type, self.pvalue = results
        self._sample = sample

    def __repr__(self) -> str:
        return (
            f"QuantileTestResult(statistic={self.statistic}, "
            f"statistic_type={self.statistic_type}, pvalue={self.pvalue})"
        )

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the interval that covers the quantile with a probability.

        Parameters
        ----------
        confidence_level : float, optional
            Probability that the interval covers the quantile.

        Returns
        -------
        low, high : ndarray
            Ends of the interval, elements of the sample or NaN.
        """
        from ._distributions import binom

        level = float(as_host(confidence_level))
        if not 0 < level < 1:
            raise ValueError("`confidence_level` must be a number between 0 and 1.")
        keys, p, alternative, finish = self._sample
        n = keys.shape[-1]
        if n == 0:
            return ConfidenceInterval(finish(p * np.nan), finish(p * np.nan))
        tail = (1 - level) / (2 if alternative == "two-sided" else 1)
        low, high = p * 0 - np.inf, p * 0 + np.inf
        if alternative != "less":
            at = binom.ppf(tail, n, p) - 1
            low = _element(keys, at, at < 0)
        if alternative != "greater":
            at = binom.isf(tail, n, p)
            high = _element(keys, at, at >= n)
        spoilt = um.isnan(keys[..., -1:])  # NaN is sorted last
        return ConfidenceInterval(*(finish(where(spoilt, np.nan, end)) for end in (low, high)))


@fuse
def _count_test(up_to, below, less, greater, spoilt, tail):
    # Of equal p-values, which rounding may part, the one of the elements up to the number.
    takes_below = where(tail == 0, less < greater * (1 - 1e-14), tail < 0)
    p = where(takes_below, less, greater)
    p = where(tail == 0, um.minimum(2 * p, 1.0), p)
    spoilt = spoilt | um.isnan(p)
    statistic = where(takes_below, below, up_to)
    kind = where(takes_below, 2.0, 1.0)
    return where(spoilt, np.nan, statistic), where(spoilt, np.nan, kind), where(spoilt, np.nan, p)


def _number(value: Any, name: str, kinds: str) -> ndarray:
    value = as_array(value)
    if value.dtype.kind not in kinds:
        raise ValueError(f"{name} must be of {'numbers' if 'i' in kinds else 'floats'}, "
                         f"not of {value.dtype}")  # fmt: skip
    return value


def _kept_axis(keepdims: Any, several: bool) -> bool:
    """Whether the axis of the sample stays in results."""
    if keepdims is not None and keepdims not in (True, False):
        raise ValueError("If specified, `keepdims` must be True or False.")
    if several and keepdims is not None and not keepdims:
        raise ValueError("keepdims is False, but there are several numbers for each sample")
    return several or bool(keepdims)


def quantile_test(
    x, *, q=0.0, p=0.5, alternative="two-sided", axis=0, keepdims=None
) -> QuantileTestResult:
    """Test whether numbers are quantiles of the distributions of samples.

    Parameters
    ----------
    x : array_like
        Samples, along an axis.
    q : float or array_like, optional
        Numbers that the hypothesis takes as the quantiles, one or more for each sample.
    p : float or array_like, optional
        Probabilities of the quantiles, broadcast with `q`; the results are NaN where one is not
        between 0 and 1.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the quantile is another number, a smaller or a greater one.
    axis : int or None, optional
        Axis of a sample; None takes all elements.
    keepdims : bool, optional
        Whether the axis is kept with the tests of a sample along it. By default it is where there
        are several; then False raises.

    Returns
    -------
    QuantileTestResult
        Object with attributes `statistic`, `statistic_type` (1: elements up to the number, 2:
        those below) and `pvalue`, arrays, and the method `confidence_interval`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.quantile_test(cp.arange(9.0), q=4).statistic
    array(5.)
    """
    alternative = check_alternative(alternative)
    given = [_number(x, "x", "iuf"), _number(q, "q", "iuf"), _number(p, "p", "f")]
    typed = [a for a, v in zip(given, (x, q, p), strict=True) if not isinstance(v, (int, float))]
    dtype = np.result_type(1.0, *(a.dtype for a in typed))
    most = max(1, *(a.ndim for a in given))
    arrays = [a.reshape((1,) * (most - a.ndim) + a.shape).astype(np.float64) for a in given]
    takes_all = axis is None
    if takes_all:
        arrays, axis = [a.reshape((*(1,) * (most - 1), -1)) for a in arrays], most - 1
    axis = normalize_axis_index(int(as_host(axis)), most)
    rows, q, p = (moveaxis(a, axis, -1) for a in arrays)
    q, p = broadcast_arrays(q, p)
    keeps = _kept_axis(keepdims, q.shape[-1] != 1)
    lead = np.broadcast_shapes(rows.shape[:-1], q.shape[:-1])
    rows = broadcast_to(rows, (*lead, rows.shape[-1]))
    q, p = (broadcast_to(a, (*lead, a.shape[-1])) for a in (q, p))
    p = where((p > 0) & (p < 1), p, np.nan)

    def finish(found: ndarray) -> ndarray:
        if keeps:
            found = moveaxis(found, -1, axis)
        else:
            found = found.reshape(() if takes_all else lead)
        return found.astype(dtype, copy=False)

    keys, n = sort(rows, axis=-1), rows.shape[-1]
    up_to, below = (counts_below(keys, q, equals) for equals in (True, False))
    less = bdtrc(below - 1, float(n), p)
    greater = bdtr(up_to, float(n), p)
    spoilt = um.isnan(q) | (um.isnan(keys[..., -1:]) if n else True)
    tail = ("less", "two-sided", "greater").index(alternative) - 1
    found = _count_test(up_to, below, less, greater, spoilt, tail)
    sample = (keys, p, alternative, finish)
    return QuantileTestResult([finish(part) for part in found], sample)


# ---- the distribution of a sample ----------------------------------------------------------------


class EmpiricalDistributionFunction:
    """Step function of a sample: its distribution or survival function."""

    _is_bound = False  # of an interval, which has no interval of its own

    def __init__(
        self, quantiles: ndarray, counts: tuple, kind: str, survival: ndarray | None = None
    ) -> None:
        at_risk, events = counts
        self.quantiles, self._at_risk, self._events, self._kind = quantiles, at_risk, events, kind
        if survival is None:
            survival = 1 - (events.cumsum() / events.sum())
            survival[-1:] = 0.0
        self._survival = survival
        self.probabilities = self._survival if kind == "sf" else 1 - self._survival

    def __repr__(self) -> str:
        return (
            f"EmpiricalDistributionFunction(quantiles={self.quantiles!r}, "
            f"probabilities={self.probabilities!r})"
        )

    def evaluate(self, x: Any) -> ndarray:
        """Return the values of the function.

        Parameters
        ----------
        x : array_like
            Numbers at which the function is evaluated.

        Returns
        -------
        ndarray
            Values of float64, of the shape of `x`.
        """
        start = full(1, 1.0 if self._kind == "sf" else 0.0)
        steps = concatenate([start, self.probabilities])
        return steps[self.quantiles.searchsorted(real(x, "x"), side="right")]

    def plot(self, ax: Any = None, **matplotlib_kwargs: Any) -> list:
        """Draw the function with Matplotlib.

        Parameters
        ----------
        ax : Axes of Matplotlib, optional
            Where the function is drawn.
        **matplotlib_kwargs : object
            Further arguments of `step`.

        Returns
        -------
        list
            The lines that were drawn.
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.gca()
        q = self.quantiles.get()
        margin = (q[-1] - q[0]) * 0.05
        at = np.array([q[0] - margin, *q, q[-1] + margin])
        values = self.evaluate(asarray(at)).get()
        return ax.step(at, values, where="post", **{"label": f"Empirical {self._kind}"
                                                    } | matplotlib_kwargs)  # fmt: skip

    def confidence_interval(
        self, confidence_level: float = 0.95, *, method: str = "linear"
    ) -> ConfidenceInterval:
        """Return the functions between which the true one lies with a probability at each number.

        Parameters
        ----------
        confidence_level : float, optional
            Probability at each number.
        method : {'linear', 'log-log'}, optional
            Whether the interval is symmetric, or that of the logarithm of the logarithm.

        Returns
        -------
        low, high : EmpiricalDistributionFunction
            The two functions, which have no intervals of their own.
        """
        from scipy.special import ndtri

        if self._is_bound:
            raise NotImplementedError("bounds of an interval have no `confidence_interval`")
        level = as_host(confidence_level)
        if level.ndim or not 0 <= float(level) <= 1:
            raise ValueError("`confidence_level` must be a scalar between 0 and 1.")
        if method not in ("linear", "log-log"):
            raise ValueError("`method` must be one of linear, log-log")
        n, d = self._at_risk, self._events
        # M. Greenwood, "The natural duration of cancer", 1926.
        variance = self._survival**2 * (d / (n * (n - d))).cumsum()
        z, s = float(ndtri(0.5 + float(level) / 2)), self._survival
        if method == "linear":
            ends = [s - z * um.sqrt(variance), s + z * um.sqrt(variance)]
        else:
            middle = um.log(-um.log(s))
            error = z * um.sqrt(variance) / (s * um.log(s))
            ends = [um.exp(-um.exp(middle - error)), um.exp(-um.exp(middle + error))]
            ends = [um.minimum(*ends), um.maximum(*ends)]
        if self._kind == "cdf":
            ends = [1 - ends[1], 1 - ends[0]]
        return ConfidenceInterval(*(self._with(um.clip(end, 0.0, 1.0)) for end in ends))

    def _with(self, probabilities: ndarray) -> "EmpiricalDistributionFunction":
        counts = (self._at_risk, self._events)
        other = EmpiricalDistributionFunction(self.quantiles, counts, self._kind, self._survival)
        other.probabilities, other._is_bound = probabilities, True
        return other


@dataclass(eq=False)
class ECDFResult:
    """The distribution function `cdf` and the survival function `sf` of a sample."""

    cdf: EmpiricalDistributionFunction
    sf: EmpiricalDistributionFunction


def _of_lifetimes(known: ndarray, keys: ndarray) -> ECDFResult:
    """The estimate of E. Kaplan and P. Meier (1958), from values in order and those with limits."""
    first = flatnonzero(concatenate([full(1, True), keys[1:] != keys[:-1]])[: keys.size])
    q = keys[first]
    at_risk = (keys.size - first).astype(np.float64)
    ends = (known.searchsorted(q, side=side) for side in ("left", "right"))
    before, upto = ends
    counts = (at_risk, (upto - before).astype(np.float64))
    survival = ((at_risk - counts[1]) / at_risk).cumprod()
    return ECDFResult(
        *(EmpiricalDistributionFunction(q, counts, kind, survival) for kind in ("cdf", "sf"))
    )


def ecdf(sample) -> ECDFResult:
    """Return the distribution function of a sample.

    How many different elements there are, and whether there is NaN, is read from the device.

    Parameters
    ----------
    sample : array_like or CensoredData
        Sample of one dimension, of which values may be censored from the right.

    Returns
    -------
    ECDFResult
        Object with attributes `cdf` and `sf`, of which each has `quantiles`, `probabilities` and
        the methods `evaluate`, `confidence_interval` and `plot`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.ecdf(cp.array([3, 1, 3, 4])).cdf.probabilities
    array([0.25, 0.75, 1.  ])
    """
    if isinstance(sample, CensoredData):
        return _of_lifetimes(*survival(sample, "sample"))
    keys, _ = survival(sample, "sample")
    n = keys.size
    last = concatenate([keys[1:] != keys[:-1], full(1, True)])
    at = flatnonzero(last[:n])
    up_to = (at + 1).astype(np.float64)
    before = concatenate([full(1, 0.0), up_to[:-1]])[: at.size]
    counts = (n - before, up_to - before)
    return ECDFResult(
        *(EmpiricalDistributionFunction(keys[at], counts, kind) for kind in ("cdf", "sf"))
    )
