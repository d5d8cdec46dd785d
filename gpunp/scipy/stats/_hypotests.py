"""Tests of counts and of groups; those of a handful of numbers are SciPy's, on the host."""

from collections import namedtuple
from typing import Any

import numpy as np

from ..._core._convert import as_host
from ..._core._docstrings import documented_as
from ..._core.multiarray import array, ndarray
from ..._core.shape_base import stack
from .._host import by_scipy
from ._axis import ConfidenceInterval, real

__all__ = [
    "barnard_exact",
    "bayes_mvs",
    "binomtest",
    "boschloo_exact",
    "fisher_exact",
    "mvsdist",
    "poisson_means_test",
    "tukey_hsd",
]


# ---- counts --------------------------------------------------------------------------------------


def fisher_exact(table, alternative=None, *, method=None) -> Any:
    """Test whether the two factors of a table of counts are independent, exactly.

    SciPy computes on the host; counts that lie on the device are read.

    Parameters
    ----------
    table : array_like of int
        The counts of the table, two rows and two columns unless `method` is given.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the odds ratio is not one, smaller, or greater.
    method : ResamplingMethod, optional
        SciPy's object that says how larger tables are resampled.

    Returns
    -------
    SignificanceResult
        SciPy's object with attributes `statistic`, the odds ratio, and `pvalue`, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> float(cp.scipy.stats.fisher_exact(cp.array([[2, 1], [1, 2]])).statistic)
    4.0
    """
    return by_scipy("fisher_exact", table, alternative, method=method)


@documented_as(fisher_exact)
def barnard_exact(table, alternative="two-sided", pooled=True, n=32) -> Any:
    """Test whether two binomial variables have one probability, by Barnard's method.

    SciPy computes on the host; counts that lie on the device are read.

    Parameters
    ----------
    pooled : bool, optional
        Whether the variance of both variables together is taken.
    n : int, optional
        Number of points at which the nuisance parameter is sampled.

    Returns
    -------
    BarnardExactResult
        SciPy's object with attributes `statistic` and `pvalue`, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(float(cp.scipy.stats.barnard_exact(cp.array([[7, 12], [8, 3]])).pvalue), 4)
    0.0682
    """
    return by_scipy("barnard_exact", table, alternative, pooled, n)


@documented_as(barnard_exact)
def boschloo_exact(table, alternative="two-sided", n=32) -> Any:
    """Test whether two binomial variables have one probability, by Boschloo's method.

    SciPy computes on the host; counts that lie on the device are read.

    Returns
    -------
    BoschlooExactResult
        SciPy's object with attributes `statistic` and `pvalue`, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(float(cp.scipy.stats.boschloo_exact(cp.array([[7, 12], [8, 3]])).pvalue), 4)
    0.0679
    """
    return by_scipy("boschloo_exact", table, alternative, n)


def binomtest(k, n, p=0.5, alternative="two-sided") -> Any:
    """Test whether the probability of successes is a given one.

    Parameters
    ----------
    k : int
        Number of the successes observed.
    n : int
        Number of the trials made.
    p : float, optional
        Probability of a success by the hypothesis.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the probability is another, a smaller or a greater one.

    Returns
    -------
    BinomTestResult
        SciPy's object, on the host, with attributes `statistic` and `pvalue`, and the method
        `proportion_ci`.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(float(cp.scipy.stats.binomtest(3, 15, 0.1, "greater").pvalue), 4)
    0.1841
    """
    return by_scipy("binomtest", *(_item(v) for v in (k, n, p)), alternative)


def _item(value: Any) -> Any:
    """A number or an array of the device as one of the host; others as they are."""
    if not isinstance(value, ndarray):
        return value
    return value.item() if value.size == 1 else value.get()


def poisson_means_test(k1, n1, k2, n2, *, diff=0, alternative="two-sided") -> Any:
    """Test whether the means of two Poisson variables differ by a number.

    Parameters
    ----------
    k1, k2 : int
        Numbers of events observed.
    n1, n2 : float
        Sizes of the samples in which they were.
    diff : float, optional
        Difference of the means by the hypothesis.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the difference is another, a smaller or a greater one.

    Returns
    -------
    SignificanceResult
        SciPy's object with attributes `statistic` and `pvalue`, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(float(cp.scipy.stats.poisson_means_test(0, 100, 3, 100).pvalue), 4)
    0.0884
    """
    counts = [_item(v) for v in (k1, n1, k2, n2)]
    return by_scipy("poisson_means_test", *counts, diff=diff, alternative=alternative)


# ---- mean and deviation --------------------------------------------------------------------------


def mvsdist(data) -> tuple:
    """Return the distributions of mean, variance and deviation that a sample suggests.

    Size, mean and variance of the sample are read from the device.

    Parameters
    ----------
    data : array_like
        Sample of two elements or more.

    Returns
    -------
    mdist, vdist, sdist : frozen distributions of SciPy
        Distributions of the mean, the variance and the standard deviation, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> mean, variance, deviation = cp.scipy.stats.mvsdist(cp.array([6, 9, 12, 7, 8, 8, 13]))
    >>> float(mean.mean())
    9.0
    """
    from scipy import stats

    x = real(data, "data").reshape(-1)
    n = x.size
    if n < 2:
        raise ValueError("Need at least 2 data-points.")
    mean, variance = float(x.mean()), float(x.var())
    if n > 1000:  # all of them are nearly normal
        deviation = variance**0.5
        return (
            stats.norm(loc=mean, scale=(variance / n) ** 0.5),
            stats.norm(loc=variance, scale=(2.0 / n) ** 0.5 * variance),
            stats.norm(loc=deviation, scale=(variance / (2.0 * n)) ** 0.5),
        )
    # T. Oliphant, "A Bayesian perspective on estimating mean, variance, and standard-deviation
    # from data", 2006.
    df, scale = n - 1, n * variance / 2.0
    return (
        stats.t(df, loc=mean, scale=(variance / df) ** 0.5),
        stats.invgamma(df / 2.0, scale=scale),
        stats.gengamma(df / 2.0, -2, scale=scale**0.5),
    )


Mean = namedtuple("Mean", "statistic minmax")
Variance = namedtuple("Variance", "statistic minmax")
Std_dev = namedtuple("Std_dev", "statistic minmax")


@documented_as(mvsdist)
def bayes_mvs(data, alpha=0.9) -> tuple:
    """Return intervals of mean, variance and deviation that a sample suggests.

    Size, mean and variance of the sample are read from the device.

    Parameters
    ----------
    alpha : float, optional
        Probability of the intervals, between 0 and 1.

    Returns
    -------
    mean_cntr, var_cntr, std_cntr : tuple of (statistic, (low, high))
        Expected values and intervals, numbers of the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> mean, _, _ = cp.scipy.stats.bayes_mvs(cp.array([6, 9, 12, 7, 8, 8, 13]))
    >>> float(mean.statistic)
    9.0
    """
    alpha = float(as_host(alpha))
    if not 0 < alpha < 1:
        raise ValueError(f"0 < alpha < 1 is required, but {alpha=} was given.")
    kinds = zip((Mean, Variance, Std_dev), mvsdist(data), strict=True)
    return tuple(kind(dist.mean(), dist.interval(alpha)) for kind, dist in kinds)


# ---- groups --------------------------------------------------------------------------------------


class TukeyHSDResult:
    """Differences of the means of all pairs of groups, and their p-values."""

    def __init__(self, statistic: np.ndarray, pvalue: np.ndarray, more: tuple) -> None:
        self.statistic, self.pvalue = array(statistic), array(pvalue)
        self._host = statistic
        self._error, self._df, self._groups = more

    def __repr__(self) -> str:
        return f"TukeyHSDResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return intervals that cover all differences with a probability.

        Parameters
        ----------
        confidence_level : float, optional
            Probability that the intervals cover the differences.

        Returns
        -------
        low, high : ndarray
            Ends of the intervals, a row and a column for each group.
        """
        from scipy.stats import studentized_range

        level = float(as_host(confidence_level))
        if not 0 < level < 1:
            raise ValueError("Confidence level must be between 0 and 1.")
        width = studentized_range.ppf(level, self._groups, self._df) * self._error
        return ConfidenceInterval(array(self._host - width), array(self._host + width))


def tukey_hsd(*samples, equal_var=True) -> TukeyHSDResult:
    """Test which of the groups of a sample differ in their means.

    Means and variances of the groups are read from the device; p-values are computed by SciPy's
    `studentized_range` on the host.

    Parameters
    ----------
    *samples : array_like
        Two groups or more, of one dimension and of two elements or more.
    equal_var : bool, optional
        Whether all groups have one variance, or each its own (Games and Howell).

    Returns
    -------
    TukeyHSDResult
        Object with attributes `statistic` and `pvalue`, arrays with a row and a column for each
        group, and the method `confidence_interval`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.tukey_hsd(cp.array([1.0, 2, 3]), cp.array([3.0, 4, 5])).statistic
    array([[ 0., -2.],
           [ 2.,  0.]])
    """
    from scipy.stats import studentized_range

    groups = [real(x) for x in samples]
    if len(groups) < 2:
        raise ValueError("There must be more than 1 treatment.")
    for x in groups:
        if x.ndim != 1:
            raise ValueError("Input samples must be one-dimensional.")
        if x.size <= 1:
            raise ValueError("Input sample size must be greater than one.")
    moments = stack([stack([x.mean(), x.var(ddof=1)]) for x in groups]).get()
    if np.isinf(moments).any():
        raise ValueError("Input samples must be finite.")
    mean, variance = moments.T
    size = np.array([x.size for x in groups], float)
    difference = mean[:, None] - mean
    if not isinstance(equal_var, (bool, np.bool_)):
        raise TypeError(f"equal_var must be a bool, not {type(equal_var).__name__}")
    if equal_var:
        df: Any = size.sum() - len(groups)
        pooled = ((size - 1) * variance).sum() / df
        error = np.sqrt((1 / size[:, None] + 1 / size) * pooled / 2)
    else:
        share = variance / size
        both = share[:, None] + share
        parts = share**2 / (size - 1)
        with np.errstate(all="ignore"):
            df = both**2 / (parts[:, None] + parts)
        error = np.sqrt(both / 2)
    with np.errstate(all="ignore"):
        found = np.abs(difference) / error
    pvalue = studentized_range.sf(found, len(groups), df)
    return TukeyHSDResult(difference, pvalue, (error, df, len(groups)))
