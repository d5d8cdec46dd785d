"""Tests of means and of ranks of groups, and Pearson's correlation."""

import functools
import itertools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import clip, sort
from ..._core.fusion import fuse
from ..._core.multiarray import concatenate, ndarray, where
from ..._core.numeric import full
from .._borrowed import borrowed_function
from ..special import betainc, chdtrc, fdtrc, stdtrit
from ._axis import ConfidenceInterval, apply, check_alternative, floating, result_type, t_pvalue
from ._ranks import spoilt_ranks
from ._sums import group_moments, scaled_pair_moments, tie_sums, variance_between

__all__ = ["f_oneway", "kruskal", "pearsonr", "ttest_1samp", "ttest_ind", "ttest_rel"]

F_onewayResult: Any = result_type("F_onewayResult", "statistic pvalue")
KruskalResult: Any = result_type("KruskalResult", "statistic pvalue")
_TtestResult: Any = result_type("TtestResult", "statistic pvalue", "df _more")
_PearsonRResult: Any = result_type("PearsonRResult", "statistic pvalue", "correlation _more")


def _level(confidence_level: Any) -> float:
    level = float(as_host(confidence_level))
    if not 0 <= level <= 1:
        raise ValueError("`confidence_level` must be a number between 0 and 1.")
    return level


class TtestResult(_TtestResult):
    """Statistic and p-value of a t-test, with attribute `df`, the degrees of freedom."""

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the interval that covers the mean, or the difference, with a probability.

        Parameters
        ----------
        confidence_level : float, optional
            Probability that the interval covers it.

        Returns
        -------
        low, high : ndarray
            Ends of the interval.
        """
        alternative, error, estimate = self._more
        level = _level(confidence_level)
        tail = (1 + level) / 2 if alternative == "two-sided" else level
        width = stdtrit(self.df, tail) * error
        low, high = estimate - width, estimate + width
        if alternative == "less":
            low = where(um.isnan(estimate), np.nan, -np.inf)
        if alternative == "greater":
            high = where(um.isnan(estimate), np.nan, np.inf)
        dtype = self.statistic.dtype
        return ConfidenceInterval(low.astype(dtype), high.astype(dtype))


class PearsonRResult(_PearsonRResult):
    """Correlation and its p-value."""

    def confidence_interval(
        self, confidence_level: float = 0.95, method: Any = None
    ) -> ConfidenceInterval:
        """Return the interval that covers the correlation, by Fisher's transformation.

        Parameters
        ----------
        confidence_level : float, optional
            Probability that the interval covers it.
        method : BootstrapMethod, optional
            SciPy's object that says how samples are drawn, in SciPy's array API mode.

        Returns
        -------
        low, high : ndarray
            Ends of the interval.
        """
        from scipy.special import ndtri

        alternative, n, again = self._more
        level = _level(confidence_level)
        if method is not None:
            return again().confidence_interval(level, method)
        r = self.statistic
        if n <= 3:
            return ConfidenceInterval(full(r.shape, -1.0), full(r.shape, 1.0))
        tail = 0.5 + level / 2 if alternative == "two-sided" else level
        z, width = um.arctanh(r), float(ndtri(tail)) * math.sqrt(1 / (n - 3))
        low = um.tanh(z - width) if alternative != "less" else r * 0 - 1
        high = um.tanh(z + width) if alternative != "greater" else r * 0 + 1
        return ConfidenceInterval(low, high)


def _scipys(name: str) -> Any:
    """SciPy's function in its array API mode, for what is resampled."""
    import scipy.stats

    return borrowed_function("stats", name, getattr(scipy.stats, name))


def _moments(x: ndarray) -> tuple[ndarray, ndarray]:
    """Mean and unbiased standard deviation of rows, in one pass."""
    both = um.mean_std(x, axis=-1, ddof=1)
    return both.real, both.imag


def _trimmed_moments(x: ndarray, cut: int) -> tuple[ndarray, ndarray]:
    """The mean of rows without `cut` elements at each end, and the deviation of what they become.

    K. Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61 (1974): the
    deviation is that of rows whose ends are moved to the outermost elements that are left.
    """
    if cut == 0:
        return _moments(x)
    left = sort(x)[..., cut : x.shape[-1] - cut]
    moved = clip(x, left[..., :1], left[..., -1:])
    return left.mean(axis=-1), um.std(moved, axis=-1, ddof=2 * cut + 1)


@functools.cache
def _student(alternative: str) -> Any:
    """What one sample's mean and deviation give, in one launch: t, p-value, df, error, estimate."""

    @fuse
    def finish(mean, deviation, expected, n):
        error = deviation / um.sqrt(n)
        t = (mean - expected) / error
        df = n - 1 + 0 * mean
        return t, t_pvalue(t, df, alternative), df, error, mean + 0

    return finish


@functools.cache
def _student_of_two(alternative: str, equal_var: bool) -> Any:
    """The same of two samples."""

    @fuse
    def finish(mean, deviation, other_mean, other_deviation, n, m):
        first, second = deviation * deviation, other_deviation * other_deviation
        if equal_var:
            df = n + m - 2 + 0 * mean
            pooled = ((n - 1) * first + (m - 1) * second) / df
            error = um.sqrt(pooled * (1 / n + 1 / m))
        else:
            first, second = first / n, second / m
            df = (first + second) ** 2 / (first * first / (n - 1) + second * second / (m - 1))
            df = where(um.isnan(df), 1.0, df)
            error = um.sqrt(first + second)
        difference = mean - other_mean
        t = difference / error
        return t, t_pvalue(t, df, alternative), df, error, difference

    return finish


def _cast(values: list, arrays: list) -> list:
    dtype = np.result_type(*(a.dtype for a in arrays))
    return [v.astype(dtype, copy=False) for v in values]


# ---- Student's tests -----------------------------------------------------------------------------


def ttest_1samp(
    a, popmean, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False
) -> Any:
    """Test whether a sample has a given mean, by Student's distribution.

    Parameters
    ----------
    a : array_like
        Samples of real numbers.
    popmean : float or array_like
        Means by the hypothesis, of size one along the axis.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the mean is another, a smaller or a greater one.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    TtestResult
        Statistic and p-value, with attribute `df` and method `confidence_interval`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.ttest_1samp(cp.array([1.0, 2.0, 3.0]), 2).statistic
    array(0.)
    """
    x = floating(a)
    mean = as_array(popmean)
    mean = mean.astype(np.result_type(x.dtype, mean.dtype)) if mean.ndim else floating(mean)
    if mean.ndim and axis is not None and mean.size > 1:
        if mean.ndim == x.ndim and mean.shape[normalize_axis_index(int(axis), x.ndim)] != 1:
            raise ValueError("`popmean.shape[axis]` must equal 1.")
        x, mean, shift = x - mean, mean * 0, mean
    else:
        mean = mean.reshape(())
        shift = mean
    alternative = check_alternative(alternative)

    def compute(u: ndarray) -> list:
        expected = mean if mean.ndim == 0 else 0.0
        return _student(alternative)(*_moments(u), expected, float(u.shape[-1]))

    values = apply(compute, [x], axis, nan_policy, keepdims, outputs=5, propagates=True)
    t, p, df, error, middle = _cast(values, [x])
    if mean.ndim:
        middle = middle + shift.reshape(middle.shape if shift.size == middle.size else shift.shape)
    return TtestResult(t, p, df, (alternative, error, middle))


@documented_as(ttest_1samp)
def ttest_rel(
    a, b, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False
) -> Any:
    """Test whether two samples of pairs have one mean, by Student's distribution.

    Parameters
    ----------
    a, b : array_like
        The two samples, equally long.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the mean of `a` is another, a smaller or a greater one.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.ttest_rel(cp.array([1.0, 2.0, 4.0]), cp.array([1.0, 3.0, 3.0])).statistic
    array(0.)
    """
    alternative = check_alternative(alternative)

    def compute(u: ndarray, v: ndarray) -> list:
        return _student(alternative)(*_moments(u - v), 0.0, float(u.shape[-1]))

    arrays = [floating(a), floating(b)]
    options: dict[str, Any] = {"paired": True, "outputs": 5, "propagates": True}
    values = apply(compute, arrays, axis, nan_policy, keepdims, **options)
    t, p, df, error, middle = _cast(values, arrays)
    return TtestResult(t, p, df, (alternative, error, middle))


@documented_as(ttest_rel)
def ttest_ind(
    a,
    b,
    *,
    axis=0,
    equal_var=True,
    nan_policy="propagate",
    alternative="two-sided",
    trim=0,
    method=None,
    keepdims=False,
) -> Any:
    """Test whether two samples have one mean, by Student's distribution.

    Parameters
    ----------
    a, b : array_like
        The two samples, which may be of different size.
    equal_var : bool, optional
        Whether both have one variance, or each its own (Welch).
    trim : float, optional
        Share of the elements that is left out at each end (Yuen), below one half.
    method : ResamplingMethod, optional
        SciPy's object that says how p-values are found by resampling, in its array API mode.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.ttest_ind(cp.array([1.0, 2.0, 3.0]), cp.array([2.0, 3.0, 4.0]))
    >>> result.statistic.round(4), result.df
    (array(-1.2247), array(4.))
    """
    if method is not None:
        return _scipys("ttest_ind")(
            a, b, axis=axis, equal_var=equal_var, nan_policy=nan_policy, alternative=alternative,
            trim=trim, method=method, keepdims=keepdims,
        )  # fmt: skip
    alternative, share = check_alternative(alternative), float(as_host(trim))
    if not 0 <= share < 0.5:
        raise ValueError(f"`trim` must be at least 0 and below 0.5, not {share}")

    def compute(u: ndarray, v: ndarray) -> list:
        cuts = [int(x.shape[-1] * share) for x in (u, v)]
        sizes = [x.shape[-1] - 2 * cut for x, cut in zip((u, v), cuts, strict=True)]
        if (not equal_var and min(sizes) < 2) or max(sizes) < 2:
            return [full(u.shape[:-1], np.nan)] * 5
        parts = [_trimmed_moments(x, cut) for x, cut in zip((u, v), cuts, strict=True)]
        # A sample of one element has no variance, but counts where variances are pooled.
        parts = [
            (mean, mean * 0 if n == 1 else deviation)
            for n, (mean, deviation) in zip(sizes, parts, strict=True)
        ]
        finish = _student_of_two(alternative, bool(equal_var))
        return finish(*parts[0], *parts[1], *map(float, sizes))

    arrays = [floating(a), floating(b)]
    options: dict[str, Any] = {"outputs": 5, "propagates": share == 0}
    values = apply(compute, arrays, axis, nan_policy, keepdims, **options)
    t, p, df, error, difference = _cast(values, arrays)
    return TtestResult(t, p, df, (alternative, error, difference))


# ---- groups --------------------------------------------------------------------------------------


@fuse
def _variance_ratio(between, within, dfn, dfd):
    f = between / dfn / (within / dfd)
    return f, fdtrc(dfn, dfd, f)


def variance_ratio(groups: Any) -> list:
    """Variance between the rows of groups in units of that within, and its p-value."""
    k, total = len(groups), sum(g.shape[-1] for g in groups)
    table = group_moments(groups, groups[0].shape[:-1], groups[0][..., :1])
    between, within, _ = variance_between(table)
    if total == k:
        return [between * np.nan] * 2
    return list(_variance_ratio(between, within, float(k - 1), float(total - k)))


@fuse
def _welch_ratio(between, spread, k):
    f = between / (k - 1) / (1 + 2 * (k - 2) / (k * k - 1) * spread)
    return f, fdtrc(k - 1, (k * k - 1) / (3 * spread), f)


@fuse
def _rank_ratio(between, pairs, third, n, df):
    """The statistic of Kruskal and Wallis, corrected for ties, and its p-value."""
    h = 12.0 / (n * (n + 1)) * between / (1.0 - (third + 6.0 * pairs) / (n * n * n - n))
    return h, chdtrc(df, um.maximum(h, 0.0))


@documented_as(ttest_1samp)
def f_oneway(*samples, axis=0, equal_var=True, nan_policy="propagate", keepdims=False) -> tuple:
    """Test whether groups have one mean, by the variance between them.

    Parameters
    ----------
    *samples : array_like
        Two groups or more.
    axis : int, tuple of ints or None, optional
        Axis or axes of a group; None takes all elements.
    equal_var : bool, optional
        Whether all groups have one variance, or each its own (Welch).

    Returns
    -------
    statistic : ndarray
        Variance between the groups, in units of that within.
    pvalue : ndarray
        The p-value, by the F distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.f_oneway(cp.array([1.0, 2.0, 3.0]), cp.array([2.0, 3.0, 4.0])).statistic
    array(1.5)
    """
    if len(samples) < 2:
        raise TypeError(f"at least two inputs are required; got {len(samples)}.")
    if not isinstance(equal_var, (bool, np.bool_)):
        raise TypeError(f"equal_var must be a bool, not {type(equal_var).__name__}")
    arrays = [floating(x) for x in samples]

    def compute(*groups: ndarray) -> list:
        if equal_var:
            return variance_ratio(groups)
        table = group_moments(groups, groups[0].shape[:-1])
        between, _, spread = variance_between(table, True)
        return list(_welch_ratio(between, spread, float(len(groups))))

    least = 1 if equal_var else 2
    options: dict[str, Any] = {"least": least, "propagates": True}
    values = apply(compute, arrays, axis, nan_policy, keepdims, **options)
    return F_onewayResult(*_cast(values, arrays))


@documented_as(f_oneway)
def kruskal(*samples, nan_policy="propagate", axis=0, keepdims=False) -> tuple:
    """Test whether groups have one median, by the sums of their ranks.

    Returns
    -------
    statistic : ndarray
        The statistic H of Kruskal and Wallis, corrected for ties.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.kruskal(cp.array([1, 3, 5]), cp.array([2, 4, 6])).statistic.round(6)
    array(0.428571)
    """
    if len(samples) < 2:
        raise ValueError("Need at least two groups in stats.kruskal()")
    arrays = [floating(x) for x in samples]

    def compute(*groups: ndarray) -> list:
        ranks, keys = spoilt_ranks(concatenate(list(groups), axis=-1))
        ends = list(itertools.accumulate(g.shape[-1] for g in groups))
        parts = [ranks[..., e - g.shape[-1] : e] for e, g in zip(ends, groups, strict=True)]
        between = variance_between(group_moments(parts, keys.shape[:-1]))[0]
        pairs, _, third, _ = tie_sums(keys)
        return list(_rank_ratio(between, pairs, third, float(ends[-1]), float(len(groups) - 1)))

    values = apply(compute, arrays, axis, nan_policy, keepdims, propagates=True)
    return KruskalResult(*_cast(values, arrays))


# ---- correlation ---------------------------------------------------------------------------------


@functools.cache
def _correlated(alternative: str) -> Any:
    """Correlation and p-value of sums of products; (1 + r) / 2 has a beta distribution."""

    @fuse
    def finish(xy, xx, yy, half):
        r = um.maximum(um.minimum(xy / (um.sqrt(xx) * um.sqrt(yy)), 1.0), -1.0)
        if alternative == "two-sided":
            return r, 2 * betainc(half, half, (1 - abs(r)) / 2)
        tail = r if alternative == "less" else -r
        return r, betainc(half, half, (1 + tail) / 2)

    return finish


def correlation_of_rows(alternative: str, x: ndarray, y: ndarray) -> list:
    """Pearson's correlation of rows and its p-value; NaN where all elements are equal."""
    extents = [um.extent(a, axis=-1, keepdims=True) for a in (x, y)]
    ends = [end for e in extents for end in (e.real, e.imag)]
    _, _, xx, xy, yy = scaled_pair_moments(x, y, ends)
    n = x.shape[-1]
    r, p = _correlated(alternative)(xy, xx, yy, max(n / 2 - 1, 0.5))
    return [um.rint(r), r * 0 + 1] if n == 2 else [r, p]


def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0) -> Any:
    """Compute the correlation of two samples, with its p-value.

    Parameters
    ----------
    x, y : array_like
        The two samples, equally long along the axis.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the correlation is not zero, negative, or positive.
    method : ResamplingMethod, optional
        SciPy's object that says how p-values are found by resampling, in its array API mode.
    axis : int or None, optional
        Axis of a sample; None takes all elements.

    Returns
    -------
    PearsonRResult
        Statistic and p-value, with method `confidence_interval`. NaN where all elements of a sample
        are equal.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.pearsonr(cp.array([1.0, 2.0, 3.0]), cp.array([1.0, 3.0, 2.0])).statistic
    array(0.5)
    """
    alternative = check_alternative(alternative)
    arrays = [as_array(x), as_array(y)]
    if any(a.dtype.kind == "c" for a in arrays):
        raise ValueError("`x` and `y` must be of real numbers, not of complex ones")
    arrays = [floating(a) for a in arrays]

    def again() -> Any:
        return _scipys("pearsonr")(x, y, alternative=alternative, method=method, axis=axis)

    if method is not None:
        return again()
    if axis is None:
        arrays, axis = [a.reshape(-1) for a in arrays], 0
    axis = as_host(axis)
    whole = int(axis)
    if whole != axis:
        raise ValueError(f"`axis` must be an integer, not {shown(axis)}")
    ndim = max(a.ndim for a in arrays)
    axis = normalize_axis_index(whole, ndim)
    shapes = [(1,) * (ndim - a.ndim) + a.shape for a in arrays]
    if shapes[0][axis] != shapes[1][axis]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    n = shapes[0][axis]
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")

    compute = functools.partial(correlation_of_rows, alternative)
    options: dict[str, Any] = {"paired": True, "least": 2, "propagates": True}
    values = apply(compute, arrays, axis, "propagate", False, **options)
    r, p = _cast(values, arrays)
    return PearsonRResult(r, p, r, (alternative, n, again))
