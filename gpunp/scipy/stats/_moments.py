"""Skewness, kurtosis and the tests that they are used in: a sample is read once for each."""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, index_of_axis
from ..._core._docstrings import documented_as
from ..._core.fusion import fuse
from ..._core.multiarray import ndarray, where
from ..._core.shape_base import atleast_1d
from ..special import chdtrc
from ._axis import (
    SignificanceResult,
    apply,
    check_alternative,
    floating,
    normal_pvalue,
    result_type,
)
from ._stats_py import _check_policy

__all__ = [
    "describe",
    "jarque_bera",
    "kurtosis",
    "kurtosistest",
    "normaltest",
    "sem",
    "skew",
    "skewtest",
]

DescribeResult: Any = result_type("DescribeResult", "nobs minmax mean variance skewness kurtosis")
KurtosistestResult: Any = result_type("KurtosistestResult", "statistic pvalue")
NormaltestResult: Any = result_type("NormaltestResult", "statistic pvalue")
SkewtestResult: Any = result_type("SkewtestResult", "statistic pvalue")


def _sample(a: Any) -> ndarray:
    """An array of floating-point numbers, with an axis at least."""
    a = floating(a)
    return a if a.ndim else a.reshape(1)


def _reduced(name: str, a: Any, axis: Any, ddof: Any, nan_policy: Any, keepdims: Any) -> ndarray:
    """A reduction of the extension, or its form that ignores NaN."""
    a = _sample(a)
    name = f"nan{name}" if nan_policy == "omit" else name
    result = getattr(um, name)(a, axis=axis, ddof=ddof, keepdims=bool(keepdims))
    _check_policy(nan_policy, a)
    return result


def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """Return the third moment of samples about the mean, in units of the deviation.

    Parameters
    ----------
    a : array_like
        Samples of real numbers.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    bias : bool, optional
        If False, the estimate is corrected for its bias.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises, which waits for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    ndarray
        Skewness; NaN where the elements are equal but for rounding.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.skew(cp.array([1.0, 2.0, 3.0]))
    array(0.)
    """
    return _reduced("skewness", a, axis, 0 if bias else 1, nan_policy, keepdims)


@documented_as(skew)
def kurtosis(
    a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False
) -> ndarray:
    """Return the fourth moment of samples about the mean, in units of the deviation.

    Parameters
    ----------
    fisher : bool, optional
        If True, 3 is subtracted, so that a normal distribution has 0.

    Returns
    -------
    ndarray
        Kurtosis; NaN where the elements are equal but for rounding.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.kurtosis(cp.array([1.0, 2.0, 3.0]), fisher=False)
    array(1.5)
    """
    found = _reduced("kurtosis", a, axis, 0 if bias else 1, nan_policy, keepdims)
    return found - found.dtype.type(3) if fisher else found


@documented_as(skew)
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False) -> ndarray:
    """Return the standard error of means.

    Parameters
    ----------
    ddof : int, optional
        Degrees of freedom that the deviation takes off.

    Returns
    -------
    ndarray
        Standard deviations, divided by the roots of the numbers of elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.sem(cp.array([1.0, 5.0]))
    array(2.)
    """
    a = _sample(a)
    deviation = _reduced("std", a, axis, ddof, nan_policy, keepdims)
    if nan_policy == "omit":
        count = (~um.isnan(a)).sum(axis=axis, keepdims=bool(keepdims)).astype(deviation.dtype)
    else:
        count = deviation.dtype.type(a.size // max(deviation.size, 1))
    return deviation / um.sqrt(count)


def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate") -> tuple:
    """Return number, extremes, mean, variance, skewness and kurtosis of samples.

    Parameters
    ----------
    a : array_like
        Samples of real numbers, not empty.
    axis : int or None, optional
        Axis of a sample; None takes all elements.
    ddof : int, optional
        Degrees of freedom that the variance takes off.
    bias : bool, optional
        If False, skewness and kurtosis are corrected for their bias.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises, which waits for the device.

    Returns
    -------
    nobs : int or ndarray of int
        Number of elements; of each sample if NaN is left out.
    minmax : tuple of ndarray
        Smallest and largest elements.
    mean, variance, skewness, kurtosis : ndarray
        Moments of the samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.describe(cp.array([1.0, 2.0, 3.0]))
    >>> result.nobs, result.mean, result.variance
    (3, array(2.), array(1.))
    """
    given = as_array(a)
    if given.size == 0:
        raise ValueError("The input must not be empty.")
    x = floating(given)
    if axis is None:
        given, x, axis = given.reshape(-1), x.reshape(-1), 0
    given, x = atleast_1d(given, x)
    axis = index_of_axis(axis, x.ndim)
    _check_policy(nan_policy, x)
    omits = nan_policy == "omit"
    low, high = (getattr(um, f"nan{n}" if omits else n)(given, axis=axis) for n in ("min", "max"))
    both = _reduced("nanmean_nanstd" if omits else "mean_std", x, axis, ddof, "propagate", False)
    nobs: Any = given.shape[axis]
    if omits and x.dtype.kind == "f":
        nobs = (~um.isnan(x)).sum(axis=axis)
    moments = (
        both.real.astype(x.dtype, copy=False),
        _reduced("var", x, axis, ddof, nan_policy, False),
        skew(x, axis, bias, nan_policy),
        kurtosis(x, axis, True, bias, nan_policy),
    )
    return DescribeResult(nobs, (low, high), *moments)


# ---- tests ---------------------------------------------------------------------------------------


def _skewness_constants(n: float) -> tuple[float, float, float]:
    """Factors with which the skewness of n elements becomes a standard normal number.

    R. D'Agostino, "Transformation to normality of the null distribution of g1", 1970.
    """
    beta = 3.0 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
    square = math.sqrt(2 * (beta - 1)) - 1
    spread = math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    return spread, math.sqrt(2.0 / (square - 1)), math.sqrt(0.5 * math.log(square))


def _skewness_score(found: ndarray, factor: Any, scale: Any, divisor: Any) -> ndarray:
    y = found * factor
    return um.arcsinh(where(y == 0, 1.0, y).astype(y.dtype) / scale) / divisor


def _kurtosis_constants(n: float) -> tuple[float, float, float]:
    """Mean, deviation and degrees of freedom with which the kurtosis becomes one.

    F. Anscombe and W. Glynn, "Distribution of the kurtosis statistic b2 for normal samples", 1983.
    """
    mean = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    third = 6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
    third *= math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    df = 6.0 + 8.0 / third * (2.0 / third + math.sqrt(1 + 4.0 / third**2))
    return mean, math.sqrt(variance), df


def _kurtosis_score(found: ndarray, mean: Any, deviation: Any, df: Any) -> ndarray:
    z = (found - mean) / deviation
    denominator = 1 + z * (2 / (df - 4.0)) ** 0.5
    root = um.cbrt((1 - 2.0 / df) / denominator)
    root = where(denominator == 0, np.nan, root).astype(z.dtype, copy=False)
    return (1 - 2 / (9.0 * df) - root) / (2 / (9.0 * df)) ** 0.5


@functools.cache
def _scored(score: Any, alternative: str) -> Any:
    """A score and its p-value, in one launch."""

    @fuse
    def finish(found, first, second, third):
        z = score(found, first, second, third)
        return z, normal_pvalue(z, alternative)

    return finish


@fuse
def _both_scores(skewness, a, b, c, kurtosis, d, e, f):
    first = _skewness_score(skewness, a, b, c)
    second = _kurtosis_score(kurtosis, d, e, f)
    found = first * first + second * second
    return found, chdtrc(2.0, found)


@fuse
def _jarque_bera(skewness, kurtosis, n):
    found = n / 6 * (skewness**2 + (kurtosis - 3) ** 2 / 4)
    return found, chdtrc(2.0, found)


def _tested(compute: Any, a: Any, axis: Any, nan_policy: Any, keepdims: Any, least: int) -> list:
    a = floating(a)
    values = apply(compute, [a], axis, nan_policy, keepdims, least=least, propagates=True)
    return [v.astype(a.dtype, copy=False) for v in values]


@documented_as(skew)
def skewtest(
    a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False
) -> tuple:
    """Test whether the skewness of a sample is that of a normal distribution.

    Parameters
    ----------
    a : array_like
        Samples of eight elements or more.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the skewness is another, a smaller or a greater one.

    Returns
    -------
    statistic : ndarray
        The skewness as a standard normal number.
    pvalue : ndarray
        The p-value of the hypothesis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.skewtest(cp.array([1, 2, 3, 4, 5, 6, 7, 8])).statistic.round(4)
    array(1.0108)
    """
    alternative = check_alternative(alternative)

    def compute(x: ndarray) -> list:
        constants = _skewness_constants(float(x.shape[-1]))
        return list(_scored(_skewness_score, alternative)(skew(x, -1), *constants))

    return SkewtestResult(*_tested(compute, a, axis, nan_policy, keepdims, 8))


@documented_as(skewtest)
def kurtosistest(
    a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False
) -> tuple:
    """Test whether the kurtosis of a sample is that of a normal distribution.

    Parameters
    ----------
    a : array_like
        Samples of five elements or more.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the kurtosis is another, a smaller or a greater one.

    Returns
    -------
    statistic : ndarray
        The kurtosis as a standard normal number.
    pvalue : ndarray
        The p-value of the hypothesis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.kurtosistest(cp.arange(20)).statistic.round(4)
    array(-1.7059)
    """
    alternative = check_alternative(alternative)

    def compute(x: ndarray) -> list:
        constants = _kurtosis_constants(float(x.shape[-1]))
        return list(_scored(_kurtosis_score, alternative)(kurtosis(x, -1, False), *constants))

    return KurtosistestResult(*_tested(compute, a, axis, nan_policy, keepdims, 5))


@documented_as(skew)
def normaltest(a, axis=0, nan_policy="propagate", *, keepdims=False) -> tuple:
    """Test whether a sample is normal, by its skewness and kurtosis.

    Parameters
    ----------
    a : array_like
        Samples of eight elements or more.

    Returns
    -------
    statistic : ndarray
        Sum of the squares of both as standard normal numbers.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.normaltest(cp.arange(20)).statistic.round(4)
    array(2.9352)
    """

    def compute(x: ndarray) -> list:
        n = float(x.shape[-1])
        first, second = skew(x, -1), kurtosis(x, -1, False)
        return list(_both_scores(first, *_skewness_constants(n), second, *_kurtosis_constants(n)))

    return NormaltestResult(*_tested(compute, a, axis, nan_policy, keepdims, 8))


@documented_as(skew)
def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False) -> tuple:
    """Test whether a sample is normal, by the statistic of Jarque and Bera.

    Parameters
    ----------
    x : array_like
        Samples of real numbers.

    Returns
    -------
    statistic : ndarray
        A weighted sum of the squares of skewness and kurtosis.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.jarque_bera(cp.arange(20)).statistic.round(4)
    array(1.2062)
    """

    def compute(u: ndarray) -> list:
        return list(_jarque_bera(skew(u, -1), kurtosis(u, -1, False), float(u.shape[-1])))

    return SignificanceResult(*_tested(compute, x, axis, nan_policy, keepdims, 1))
