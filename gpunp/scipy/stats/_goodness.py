"""Tests of fitted distributions, of groups against a control, and of a trend."""

import functools
import math
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core.fromnumeric import sort
from ..._core.multiarray import array, asarray, ndarray
from ..._core.raw import ReductionKernel
from ..._core.shape_base import stack
from .._host import by_scipy, to_host
from ._axis import ConfidenceInterval, SignificanceResult, check_alternative, real, result_type
from ._distn_fit import FitResult
from ._ranks import row_ranks

__all__ = ["anderson", "dunnett", "page_trend_test"]

FitParams = namedtuple("FitParams", "loc scale")
AndersonResult: Any = result_type(
    "AndersonResult", "statistic critical_values significance_level", "fit_result"
)


# ---- Anderson and Darling ------------------------------------------------------------------------

# The limits of critical values, by the percentages of significance, and the coefficients of powers
# of n that they are divided by. R. D'Agostino and M. Stephens, "Goodness-of-fit techniques", 1986,
# tables 4.7, 4.14, 4.17 and 4.22.
_NORMAL_LEVELS = (15.0, 10.0, 5.0, 2.5, 1.0)
_GUMBEL = (
    (25.0, 10.0, 5.0, 2.5, 1.0),
    (0.474, 0.637, 0.757, 0.877, 1.038),
    {-0.5: 0.2},
)
_CRITICAL: dict[str, tuple[tuple, tuple, dict]] = {
    "norm": (_NORMAL_LEVELS, (0.561, 0.631, 0.752, 0.873, 1.035), {-1: 0.75, -2: 2.25}),
    "expon": (_NORMAL_LEVELS, (0.916, 1.062, 1.321, 1.591, 1.959), {-1: 0.6}),
    "logistic": (
        (25.0, 10.0, 5.0, 2.5, 1.0, 0.5),
        (0.426, 0.563, 0.660, 0.769, 0.906, 1.010),
        {-1: 0.25},
    ),
    "gumbel_l": _GUMBEL,
    "gumbel_r": _GUMBEL,
}
_SYNONYMS = {"gumbel": "gumbel_l", "extreme1": "gumbel_l"}


# Sums of the equations for the greatest likelihood of a logistic distribution, and of the weighted
# mean exp(-(x - center) / scale) for extremes.
_TWO_SUMS = ReductionKernel(
    "float64 x, float64 center, float64 scale, bool is_logistic",
    "complex128 y",
    "likelihood_terms((x - center) / scale, is_logistic)",
    "a + b",
    "y = a",
    "complex<double>(0)",
    "likelihood_equations",
    reduce_type="complex<double>",
    preamble="""
    __device__ inline complex<double> likelihood_terms(double z, bool is_logistic)
    {
        const double t = is_logistic ? tanh(0.5 * z) : exp(-z);
        return complex<double>(t, z * t);
    }
    """,
)


def _logistic(x: ndarray) -> tuple[Any, Any]:
    """Location and scale of greatest likelihood, by the roots of its derivatives on the host."""
    from scipy.optimize import root

    n, center, spread = x.size, float(x.mean()), float(x.std(ddof=1))

    def equations(place: np.ndarray) -> list[float]:
        loc, scale = center + spread * place[0], spread * math.exp(place[1])
        found = complex(_TWO_SUMS(x, loc, scale, True))
        return [found.real / n, found.imag / n - 1.0]

    found = root(equations, [0.0, math.log(math.sqrt(3) / math.pi)], tol=1e-12).x
    return center + spread * found[0], spread * math.exp(found[1])


def _gumbel(x: ndarray, sign: float) -> tuple[Any, Any]:
    """Location and scale of greatest likelihood of largest or, by the sign, smallest extremes."""
    from scipy.optimize import brentq

    x = x * sign
    center, least = float(x.mean()), float(x.min())

    def sums(scale: float) -> complex:
        return complex(_TWO_SUMS(x, least, scale, False))

    def excess(scale: float) -> float:
        found = sums(scale)
        return (center - least) - scale - scale * found.imag / found.real

    high = low = 0.78 * float(x.std(ddof=1))
    while excess(high) > 0:
        high *= 2
    while excess(low) < 0:
        low /= 2
    scale = brentq(excess, low, high, xtol=1e-14 * high, rtol=1e-14) if low < high else low
    loc = least - scale * math.log(sums(scale).real / x.size)
    return sign * loc, scale


def _fitted(x: ndarray, dist: str) -> tuple[Any, Any]:
    if dist == "norm":
        return x.mean(), x.std(ddof=1)
    if dist == "expon":
        return x.mean() * 0, x.mean()
    if not bool(um.isfinite(x).all()) or not bool((x != x[0]).any()):
        return math.nan, math.nan
    return _logistic(x) if dist == "logistic" else _gumbel(x, 1.0 if dist == "gumbel_r" else -1.0)


# Of rows in ascending order: logarithms of the probabilities below elements, and those of the
# probabilities above them in reversed order.
_ANDERSON = ReductionKernel(
    "float64 lower, float64 upper, int64 count",
    "float64 y",
    "(2 * _J + 1.0) / count * (lower + upper)",
    "a + b",
    "y = -count - a",
    "0",
    "anderson_darling",
)


def anderson_distance(dist: Any, rows: ndarray, parameters: tuple) -> ndarray:
    """The distance of Anderson and Darling of rows in ascending order from a distribution."""
    lower, upper = dist.logcdf(rows, *parameters), dist.logsf(rows, *parameters)
    return _ANDERSON(lower, upper[..., ::-1], rows.shape[-1], axis=-1)


def anderson(x, dist="norm", *, method=None) -> tuple:
    """Test whether a sample has a distribution whose location and scale are fitted to it.

    The fits of 'logistic' and of the extremes read sums at each step. The sample of 'weibull_min',
    or with a Monte Carlo method, is copied to the host, where SciPy computes.

    Parameters
    ----------
    x : array_like
        Sample of one dimension.
    dist : str, optional
        Name of the distribution: 'norm', 'expon', 'logistic', 'gumbel_l' (also 'gumbel' and
        'extreme1'), 'gumbel_r' or 'weibull_min'.
    method : {'interpolate'} or MonteCarloMethod, optional
        How a p-value is computed: from the critical values, within their percentages, or by SciPy's
        object. By default the critical values are returned.

    Returns
    -------
    statistic : ndarray
        The distance of Anderson and Darling.
    pvalue : ndarray
        The p-value, if there is a `method`.
    critical_values, significance_level : ndarray of NumPy
        Otherwise critical values of the statistic, and their percentages; the attribute
        `fit_result` has the parameters.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.anderson(cp.arange(9.0), method="interpolate")
    >>> result.statistic.round(4), result.pvalue
    (array(0.1368), array(0.15))
    """
    name = _SYNONYMS.get(dist, dist) if isinstance(dist, str) else dist
    if name not in (*_CRITICAL, "weibull_min"):
        raise ValueError(f"dist must be one of {(*_CRITICAL, 'weibull_min')}, not {shown(dist)}")
    if isinstance(method, str) and method != "interpolate":
        raise ValueError("`method` must be either 'interpolate' or a MonteCarloMethod")
    x = real(x, "x")
    if x.ndim != 1 or not x.size:
        raise ValueError(f"x must be of one dimension, with elements; its shape is {x.shape}")
    if name == "weibull_min" or not (method is None or isinstance(method, str)):
        options = {} if method is None else {"method": method}
        return by_scipy("anderson", x, name, **options)
    from gpunp.scipy import stats

    loc, scale = _fitted(x, name)
    statistic = anderson_distance(getattr(stats, name), sort(x), (loc, scale))
    levels, limits, powers = _CRITICAL[name]
    divisor = 1.0 + math.fsum(c * x.size**p for p, c in powers.items())
    critical = np.around(np.array(limits) / divisor, 3)
    if method is None:
        fit = FitResult(FitParams(loc, scale))
        return AndersonResult(statistic, critical, np.array(levels), fit)
    from ...lib._function_base_impl import interp

    at, share = array(critical), array(np.array(levels) / 100)
    return SignificanceResult(statistic, interp(statistic, at, share))


# ---- groups against a control --------------------------------------------------------------------


@functools.lru_cache(maxsize=8)
def _nodes(count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(count)


def _all_below(t: float, shares: np.ndarray, df: float, is_two_sided: bool) -> float:
    """Probability that the statistics of all groups are at most t, in magnitude if two-sided.

    Their correlations are products of roots of the groups' shares, so that they are independent for
    a given deviation of the control and of the variance: C. Dunnett, "A multiple comparison
    procedure for comparing several treatments with a control", 1955.
    """
    from scipy import special

    u, w = _nodes(128)
    # The trapezoidal rule has an error of exp(-2 pi rest / step) and less.
    step = max(math.sqrt(1 - shares.max()), 0.005) / 6
    z = np.arange(-8.5, 8.5 + step, step)
    of_z = step * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    low, high = (special.chdtri(df, p) for p in (1 - 1e-15, 1e-15))
    chi = 0.5 * (math.sqrt(high) - math.sqrt(low)) * (u + 1) + math.sqrt(low)
    logs = (df - 1) * np.log(chi) - 0.5 * chi**2 - special.gammaln(df / 2)
    of_chi = w * np.exp(logs - (df / 2 - 1) * math.log(2))
    of_chi *= 0.5 * (math.sqrt(high) - math.sqrt(low))
    at = t * chi[:, None] / math.sqrt(df)
    product = np.ones((chi.size, z.size))
    for share in shares:
        root, rest = math.sqrt(share), math.sqrt(1 - share)
        inside = special.ndtr((at - root * z) / rest)
        if is_two_sided:
            inside = inside - special.ndtr((-at - root * z) / rest)
        product *= inside
    return float(np.clip(of_chi @ product @ of_z, 0.0, 1.0))


class DunnettResult:
    """Statistics and p-values of groups against a control."""

    def __init__(self, statistic: np.ndarray, more: tuple) -> None:
        self._alternative, self._difference, self._error, self._shares, self._df = more
        self._is_two_sided = self._alternative == "two-sided"
        at = abs(statistic) if self._is_two_sided else statistic
        at = -at if self._alternative == "less" else at
        known = [math.nan if math.isnan(t) else 1.0 - self._probability(t) for t in at]
        self.statistic, self.pvalue = array(statistic), array(np.array(known))

    def __repr__(self) -> str:
        return f"DunnettResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"

    def _probability(self, t: float) -> float:
        return _all_below(t, self._shares, self._df, self._is_two_sided)

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return intervals that cover all differences from the control with a probability.

        Parameters
        ----------
        confidence_level : float, optional
            Probability that the intervals cover the differences.

        Returns
        -------
        low, high : ndarray
            Ends of the intervals, one for each group.
        """
        from scipy.optimize import brentq

        level = float(as_host(confidence_level))
        if not 0 < level < 1:
            raise ValueError("Confidence level must be between 0 and 1.")
        least, most = (0.0, 1.0) if self._is_two_sided else (-1.0, 1.0)
        while self._probability(most) < level:
            most *= 2
        while not self._is_two_sided and self._probability(least) > level:
            least *= 2
        width = brentq(lambda t: self._probability(t) - level, least, most) * self._error
        low, high = self._difference - width, self._difference + width
        if self._alternative == "greater":
            high = np.full(high.shape, np.inf)
        if self._alternative == "less":
            low = np.full(low.shape, -np.inf)
        return ConfidenceInterval(array(low), array(high))


def dunnett(*samples, control, alternative="two-sided", rng=None, random_state=None) -> Any:
    """Test which groups differ from a control in their means.

    Means and squares of the groups are read from the device; p-values are integrals that the host
    computes, to some 1e-12.

    Parameters
    ----------
    *samples : array_like
        The groups, of one dimension.
    control : array_like
        The group that all others are compared with.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the means of the groups differ from that of the control, or are
        smaller or greater.
    rng, random_state : object, optional
        Accepted for compatibility, as nothing is drawn.

    Returns
    -------
    DunnettResult
        Object with attributes `statistic` and `pvalue`, arrays of a number for each group, and the
        method `confidence_interval`.

    Examples
    --------
    >>> import gpunp as cp
    >>> a, b, control = cp.arange(5.0), cp.arange(5.0) + 2, cp.arange(5.0)
    >>> cp.scipy.stats.dunnett(a, b, control=control).pvalue.round(4)
    array([1.    , 0.1199])
    """
    alternative = check_alternative(alternative)
    groups = [real(x) for x in (*samples, control)]
    if len(groups) < 2:
        raise ValueError("At least one sample is needed besides the control.")
    if any(x.ndim != 1 for x in groups):
        raise ValueError("Control and samples groups must be 1D arrays")
    if any(x.size < 1 for x in groups):
        raise ValueError("Control and samples groups must have at least 1 observation")
    moments = stack([stack([x.mean(), x.var() * x.size]) for x in groups]).get()
    size = np.array([x.size for x in groups], float)
    df = size.sum() - len(groups)
    if not df > 0:
        raise ValueError("the groups must have more elements than there are groups")
    mean, squares = moments.T
    error = np.sqrt(squares.sum() / df * (1 / size[:-1] + 1 / size[-1]))
    difference = mean[:-1] - mean[-1]
    with np.errstate(all="ignore"):
        statistic = difference / error
    shares = size[:-1] / (size[:-1] + size[-1])
    return DunnettResult(statistic, (alternative, difference, error, shares, float(df)))


# ---- a trend -------------------------------------------------------------------------------------


@dataclass(eq=False)
class PageTrendTestResult:
    """Statistic, p-value and method of a test of a trend."""

    statistic: ndarray
    pvalue: ndarray
    method: str


@functools.lru_cache(maxsize=16)
def _one_row(n: int) -> np.ndarray:
    """How many permutations p of n have each sum of j p(j), by the sets of numbers used so far."""
    size = n * (n + 1) * (2 * n + 1) // 6 + 1
    counts = {0: np.array([1.0])}
    for j in range(1, n + 1):
        longer: dict[int, np.ndarray] = {}
        for used, known in counts.items():
            for value in range(1, n + 1):
                if not used >> value & 1:
                    place = longer.setdefault(used | 1 << value, np.zeros(size))
                    place[j * value : j * value + known.size] += known[: size - j * value]
        counts = longer
    (found,) = counts.values()
    return found


def _page_tail(total: int, m: int, n: int) -> float:
    """Probability that the statistic of m rows of n is at least `total`."""
    one = _one_row(n) / math.factorial(n)
    least = n * (n + 1) * (n + 2) // 6
    one = one[least:]  # of sums beyond the least
    found = np.array([1.0])
    for _ in range(m):
        found = np.convolve(found, one)
    return float(found[max(total - m * least, 0) :].sum())


_MOST_RANKS = 14  # of exact p-values: the sets of ranks are enumerated


def page_trend_test(data, ranked=False, predicted_ranks=None, method="auto") -> Any:
    """Test whether treatments have their effects in a predicted order.

    That there is no NaN is checked, which waits for the device.

    Parameters
    ----------
    data : array_like
        Observations: a row for each subject, a column for each treatment.
    ranked : bool, optional
        Whether `data` are ranks within each row already.
    predicted_ranks : array_like of int, optional
        Ranks that the treatments have by the hypothesis. By default they are in ascending order.
    method : {'auto', 'asymptotic', 'exact'}, optional
        How the p-value is computed: by the normal distribution, by counting permutations on the
        host for up to 14 treatments, or by the latter for few rows and columns.

    Returns
    -------
    PageTrendTestResult
        Object with attributes `statistic` and `pvalue`, arrays without axes, and `method`.

    Examples
    --------
    >>> import gpunp as cp
    >>> data = cp.array([[3, 4, 3], [2, 2, 4], [3, 3, 5], [1, 3, 2], [2, 3, 2]])
    >>> cp.scipy.stats.page_trend_test(data).statistic
    array(64.)
    """
    if not isinstance(method, str) or method.lower() not in ("asymptotic", "exact", "auto"):
        raise ValueError(f"`method` must be in {{'asymptotic', 'exact', 'auto'}}: {shown(method)}")
    if not isinstance(ranked, (bool, np.bool_)):
        raise TypeError(f"`ranked` must be a bool, not {type(ranked).__name__}")
    method = method.lower()
    data = real(data, "data")
    if data.ndim != 2:
        raise ValueError("`data` must be a 2d array.")
    m, n = data.shape
    if m < 2 or n < 3:
        raise ValueError(
            "Page's L is only appropriate for data with two or more rows and three or more columns."
        )
    if bool(um.isnan(data).any()):
        raise ValueError("`data` contains NaNs, which cannot be ranked meaningfully")
    ranks = row_ranks(data)
    if ranked and not bool((ranks == data).all()):
        raise ValueError("`data` is not properly ranked. Rank the data or pass `ranked=False`.")
    wanted = np.arange(1, n + 1)
    if predicted_ranks is not None:
        wanted = np.array(to_host(as_array(predicted_ranks)))
        if wanted.shape != (n,) or set(wanted.tolist()) != set(range(1, n + 1)):
            raise ValueError(
                f"`predicted_ranks` must include each integer from 1 to {n} (the number of columns"
                " in `data`) exactly once."
            )
    statistic = (ranks * asarray(wanted.astype(float))).sum()
    if method == "auto":
        method = "asymptotic" if n > 8 or m > 20 or (m > 12 and n > 3) else "exact"
    if method == "exact" and n > _MOST_RANKS:
        raise ValueError(f"exact p-values are computed for up to {_MOST_RANKS} columns, not {n}")
    if method == "exact":
        p = array(_page_tail(math.floor(float(statistic)), m, n))
    else:
        mean = m * n * (n + 1) ** 2 / 4
        deviation = math.sqrt(m * n**2 * (n + 1) * (n**2 - 1) / 144)
        from ..special import ndtr

        p = ndtr((mean - statistic) / deviation)
    return PageTrendTestResult(statistic, p, method)
