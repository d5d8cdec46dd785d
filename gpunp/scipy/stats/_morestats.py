"""Transforms to normality and their parameters, plots against quantiles, the test of Shapiro."""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown, without_cycles
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import array, asarray, concatenate, ndarray, where, zeros
from ..._core.numeric import full
from ..._core.raw import ReductionKernel
from .. import special
from ._axis import apply, floating, real, result_type
from ._correlation import linregress
from ._stats_py import _check_policy, boxcox_llf
from ._sums import pair_moments
from .contingency import chi2_contingency

__all__ = [
    "boxcox",
    "boxcox_normmax",
    "boxcox_normplot",
    "median_test",
    "obrientransform",
    "ppcc_max",
    "ppcc_plot",
    "probplot",
    "shapiro",
    "yeojohnson",
    "yeojohnson_normmax",
    "yeojohnson_normplot",
]

ShapiroResult: Any = result_type("ShapiroResult", "statistic pvalue")
MedianTestResult: Any = result_type("MedianTestResult", "statistic pvalue median table")


# ---- quantiles of order statistics ---------------------------------------------------------------


def _medians(n: int) -> np.ndarray:
    """Medians of the order statistics of n uniform variables (J. Filliben, 1975), on the host."""
    v = (np.arange(1, n + 1) - 0.3175) / (n + 0.365)
    if n:
        v[-1] = 0.5 ** (1.0 / n)
        v[0] = 1 - v[-1]
    return v


def _tukey_quantiles(p: ndarray, shape: float) -> ndarray:
    return um.log(p / (1 - p)) if shape == 0 else (p**shape - (1 - p) ** shape) / shape


def _quantiles(dist: Any, sparams: tuple, n: int) -> ndarray:
    """The quantiles of a distribution at the medians of order statistics."""
    p = asarray(_medians(n))
    if isinstance(dist, str):
        if dist == "norm" and not sparams:
            return special.ndtri(p)
        if dist == "tukeylambda" and len(sparams) == 1:
            return _tukey_quantiles(p, float(as_host(sparams[0])))
        from gpunp.scipy import stats

        found = getattr(stats, dist, None)
        if not hasattr(found, "ppf"):
            raise ValueError(f"{dist} is not a valid distribution name")
        dist = found
    elif not hasattr(dist, "ppf"):
        raise ValueError("`dist` should be a string or have a ppf method")
    return as_array(dist.ppf(p, *sparams))


def probplot(x, sparams=(), dist="norm", fit=True, plot=None, rvalue=False) -> tuple:
    """Compute what a plot of a sample against the quantiles of a distribution shows.

    Parameters
    ----------
    x : array_like
        Sample that is compared with the distribution.
    sparams : tuple or float, optional
        Shape parameters of the distribution.
    dist : str or object, optional
        Name of a distribution, or an object with a method `ppf` that takes device arrays.
    fit : bool, optional
        Whether a line is fitted to the points.
    plot : object, optional
        Module or axes of Matplotlib on which the points are drawn.
    rvalue : bool, optional
        Whether the drawing names the correlation.

    Returns
    -------
    (osm, osr) : tuple of ndarray
        Quantiles of the distribution, and the sample in order.
    (slope, intercept, r) : tuple of ndarray
        The line and the correlation, if `fit`.

    Raises
    ------
    ValueError
        If a line is to be fitted to a sample of several axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> _, (slope, intercept, r) = cp.scipy.stats.probplot(cp.arange(9.0))
    >>> intercept
    array(4.)
    """
    x = as_array(x)
    if x.size == 0:
        empty = real(x)
        return ((empty, empty), (np.nan, np.nan, 0.0)) if fit else (empty, empty)
    if fit and x.ndim > 1:
        raise ValueError(f"x must have one axis for a line to be fitted, and has {x.ndim}")
    sparams = () if sparams is None else sparams
    sparams = tuple(sparams) if isinstance(sparams, (tuple, list)) else (sparams,)
    theory = _quantiles(dist, sparams, x.size)
    ordered = sort(x.reshape(-1))
    line: Any = ()
    if fit:
        result = linregress(theory, ordered)
        line = (result.slope, result.intercept, result.rvalue)
    if plot is not None:
        _draw(plot, theory, ordered, line, rvalue)
    return ((theory, ordered), line) if fit else (theory, ordered)


def _draw(plot: Any, theory: ndarray, ordered: ndarray, line: tuple, rvalue: bool) -> None:
    at, values = theory.get(), ordered.get()
    plot.plot(at, values, "bo")
    if line:
        slope, intercept, r = (float(v) for v in line)
        plot.plot(at, slope * at + intercept, "r-")
        if rvalue:
            plot.text(at[0], values.max(), f"$R^2={r**2:1.4f}$")
    labels = {"title": "Probability Plot", "xlabel": "Theoretical quantiles"}
    labels["ylabel"] = "Ordered Values"
    for name, text in labels.items():
        (getattr(plot, f"set_{name}", None) or getattr(plot, name))(text)


def _correlations(x: ndarray, y: ndarray) -> ndarray:
    return linregress(x, y).rvalue


def ppcc_max(x, brack=(0.0, 1.0), dist="tukeylambda") -> float:
    """Return the shape of a distribution whose quantiles correlate best with a sample.

    Each step of the search, which SciPy's `brent` makes, reads a number from the device.

    Parameters
    ----------
    x : array_like
        Sample that is compared with the distribution.
    brack : tuple of float, optional
        Two or three shapes that the search starts from.
    dist : str or object, optional
        Name of a distribution of one shape, or an object with a method `ppf`.

    Returns
    -------
    float
        The shape, a number of the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> round(cp.scipy.stats.ppcc_max(cp.arange(9.0)), 2)
    0.98
    """
    from scipy.optimize import brent

    ordered = sort(real(x).reshape(-1))
    if ordered.size < 2:
        raise ValueError("`x` must have two elements or more")

    def objective(shape: float) -> float:
        return 1.0 - float(_correlations(_quantiles(dist, (shape,), ordered.size), ordered))

    return float(brent(objective, brack=without_cycles(brack)))


@documented_as(ppcc_max)
def ppcc_plot(x, a, b, dist="tukeylambda", plot=None, N=80) -> tuple[ndarray, ndarray]:
    """Return the correlations of a sample with the quantiles of distributions of many shapes.

    Parameters
    ----------
    a, b : float
        Lowest and highest shape that is tried.
    plot : object, optional
        Module or axes of Matplotlib on which the correlations are drawn.
    N : int, optional
        Number of shapes that are tried.

    Returns
    -------
    svals : ndarray
        The shapes, on the device.
    ppcc : ndarray
        The correlation for each shape.

    Examples
    --------
    >>> import gpunp as cp
    >>> shapes, correlations = cp.scipy.stats.ppcc_plot(cp.arange(9.0), -1, 1, N=3)
    >>> shapes
    array([-1.,  0.,  1.])
    """
    if b <= a:
        raise ValueError("`b` has to be larger than `a`.")
    shapes = np.linspace(a, b, num=N)
    ordered = sort(real(x).reshape(-1))
    if ordered.size == 0:  # as SciPy has it
        return _drawn(plot, shapes, [zeros(N)], "Tukey-Lambda PPCC Plot")
    found = [_correlations(_quantiles(dist, (s,), ordered.size), ordered) for s in shapes]
    return _drawn(plot, shapes, found, "Tukey-Lambda PPCC Plot")


def _drawn(plot: Any, at: np.ndarray, found: list, title: str) -> tuple[ndarray, ndarray]:
    values = concatenate([f.reshape(-1) for f in found])
    if plot is not None:
        plot.plot(at, values.get(), "x")
        (getattr(plot, "set_title", None) or plot.title)(title)
    return array(at), values


# ---- transforms ----------------------------------------------------------------------------------


def _positive(x: Any, name: str) -> ndarray:
    x = as_array(x)
    if x.dtype.kind == "c":
        raise ValueError(f"{name} is of real data, not of {x.dtype}")
    if x.ndim != 1:
        raise ValueError("Data must be 1-dimensional.")
    return x if x.dtype.kind == "f" else x.astype(np.float64)


_NOT_POSITIVE = (
    "The `x` argument of `boxcox_normmax` must contain only positive, finite, real numbers."
)


def _fitted(x: ndarray, nan_policy: str, refusal: str) -> ndarray | None:
    """Finite data that an exponent is searched for; None if NaN is among them and propagates."""
    _check_policy(nan_policy, x)
    if bool(um.isfinite(x).all()):
        return x
    nan = um.isnan(x)
    if nan_policy == "propagate" and bool(nan.any()):
        return None
    kept = x[~nan]
    if bool(um.isinf(kept).any()):
        raise ValueError(refusal)
    return kept


def boxcox(x, lmbda=None, alpha=None, optimizer=None, *, nan_policy="propagate") -> Any:
    """Transform positive data by a power, so that they become like normal ones.

    Parameters
    ----------
    x : array_like
        Positive data of one dimension; their check waits for the device.
    lmbda : float, optional
        Exponent of the transform. By default the one of greatest likelihood.
    alpha : float, optional
        If given, the interval of the exponent that has probability 1 - alpha is returned.
    optimizer : callable, optional
        Function that minimises a function of the exponent, with a result of attribute `x`.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN makes the exponent NaN, is left out of the search for it, or raises.

    Returns
    -------
    boxcox : ndarray
        The transformed data.
    maxlog : float
        The exponent, if it was not given; a number of the host.
    (min_ci, max_ci) : tuple of float
        Its interval, if `alpha` was given.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.boxcox(cp.array([1.0, 4.0]), 0.5)
    array([0., 2.])
    """
    x = _positive(x, "boxcox")
    if lmbda is not None:
        _check_policy(nan_policy, x)
        return special.boxcox(x, lmbda if isinstance(lmbda, ndarray) else float(as_host(lmbda)))
    if x.size == 0:
        return x
    kept = _fitted(x, nan_policy, _NOT_POSITIVE)
    if bool((x <= 0).any()):
        raise ValueError("Data must be positive.")
    if kept is None:
        best, ends = x.dtype.type(np.nan), (np.float64(np.nan),) * 2
    else:
        if not bool((kept != kept[:1]).any()):
            raise ValueError("Data must not be constant.")
        best = boxcox_normmax(kept, method="mle", optimizer=optimizer)
        ends = () if alpha is None else _interval(kept, float(best), float(as_host(alpha)))
    y = special.boxcox(x, float(best))
    return (y, best) if alpha is None else (y, best, ends)


def _interval(x: ndarray, best: float, alpha: float) -> tuple:
    """Exponents at which the likelihood has fallen by a quantile of chi-squared."""
    from scipy.optimize import brentq
    from scipy.special import chdtri

    target = float(boxcox_llf(best, x)) - 0.5 * chdtri(1, alpha)

    def excess(lmbda: float) -> float:
        return float(boxcox_llf(lmbda, x)) - target

    ends = []
    for step in (-0.1, 0.1):
        end = best + step
        for _ in range(500):
            if excess(end) <= 0:
                break
            end += step
        else:
            raise RuntimeError("Could not find endpoint.")
        ends.append(brentq(excess, min(best, end), max(best, end)))
    return tuple(ends)


_LARGEST = np.finfo(np.float64).max / 10000


def _minimised(objective: Any, brack: Any, optimizer: Any) -> Any:
    if optimizer is None:
        from scipy.optimize import brent

        return brent(objective, brack=(-2.0, 2.0) if brack is None else without_cycles(brack))
    if not callable(optimizer):
        raise ValueError("`optimizer` must be a callable")
    if brack is not None:
        raise ValueError("`brack` must be None if `optimizer` is given")
    result = optimizer(objective)
    if not hasattr(result, "x"):
        raise ValueError("The object returned by `optimizer` must have an attribute `x`")
    return result.x


@documented_as(boxcox)
def boxcox_normmax(
    x, brack=None, method="pearsonr", optimizer=None, *, ymax=_LARGEST, nan_policy="propagate"
) -> Any:
    """Return the exponent with which a Box-Cox transform makes data most like normal ones.

    Each step of the search, which SciPy's `brent` makes, reads a number from the device.

    Parameters
    ----------
    brack : tuple of float, optional
        Two or three exponents that the search starts from, (-2, 2) by default.
    method : {'pearsonr', 'mle', 'all'}, optional
        Whether the correlation with normal quantiles or the likelihood is greatest, or both in
        turn.
    ymax : float, optional
        Largest magnitude that the transformed data may have, which limits the exponent.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN makes the exponent NaN, is left out of the search for it, or raises.

    Returns
    -------
    float or ndarray of NumPy
        The exponent, or both of them, on the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([1.0, 2.0, 5.0, 7.0])
    >>> round(float(cp.scipy.stats.boxcox_normmax(x, method="mle")), 3)
    0.255
    """
    kept = _fitted(real(x), nan_policy, _NOT_POSITIVE)
    if kept is None:
        return np.full(2, np.nan) if method == "all" else np.float64(np.nan)
    x = kept
    if bool((x < 0).any()):
        raise ValueError(_NOT_POSITIVE)
    if ymax is not None and not ymax > 0:
        raise ValueError("`ymax` must be strictly positive")
    if method not in ("pearsonr", "mle", "all"):
        raise ValueError(f"Method {shown(method)} not recognized.")
    if x.size < (1 if method == "mle" else 2):
        raise ValueError("`x` must have two elements or more, one for the method 'mle'")
    theory, ordered = _quantiles("norm", (), x.size), sort(x.reshape(-1))

    def unlike(lmbda: float) -> float:
        return 1.0 - float(_correlations(theory, special.boxcox(ordered, float(lmbda))))

    def unlikely(lmbda: float) -> float:
        return -float(boxcox_llf(np.ravel(lmbda)[0], x))

    objectives = {"pearsonr": [unlike], "mle": [unlikely], "all": [unlike, unlikely]}[method]
    found = [_minimised(objective, brack, optimizer) for objective in objectives]
    ends = ordered.get()[[0, -1]] if ymax is not None else None
    found = [_limited(f, ends, ymax) for f in found]
    return np.array(found, float) if method == "all" else found[0]


def _limited(lmbda: Any, ends: Any, ymax: Any) -> Any:
    """An exponent with which the data's extremes stay within a limit."""
    from scipy.special import boxcox as transform
    from scipy.special import lambertw

    if ends is None:
        return lmbda
    with np.errstate(all="ignore"):
        k = int(np.argmax(lmbda * np.log(ends)))  # which is the larger, where both overflow
        if not abs(transform(ends[k], lmbda)) > ymax:
            return lmbda
        # (x**l - 1) / l = y, solved for l.
        x, y = ends[k], ymax * np.sign(transform(ends[k], lmbda))
        w = lambertw(-(x ** (-1 / y)) * np.log(x) / y, k=-1)
    return np.real(-w / np.log(x) - 1 / y)


def _transform_plot(method: Any, x: Any, la: Any, lb: Any, plot: Any, N: int, name: str) -> tuple:
    x = as_array(x)
    if x.size == 0:
        return x, x
    if lb <= la:
        raise ValueError("`lb` has to be larger than `la`.")
    if name == "Box-Cox" and bool((x <= 0).any()):
        raise ValueError("Data must be positive.")
    at = np.linspace(la, lb, num=N)
    theory = _quantiles("norm", (), x.size)
    found = [_correlations(theory, sort(method(x, float(v)))) for v in at]
    return _drawn(plot, at, found, f"{name} Normality Plot")


def boxcox_normplot(x, la, lb, plot=None, N=80) -> tuple[ndarray, ndarray]:
    """Return how well transformed data correlate with normal quantiles, for many exponents.

    Parameters
    ----------
    x : array_like
        Data of one dimension; positive ones for the Box-Cox transform.
    la, lb : float
        Lowest and highest exponent that is tried.
    plot : object, optional
        Module or axes of Matplotlib on which the correlations are drawn.
    N : int, optional
        Number of exponents that are tried.

    Returns
    -------
    lmbdas : ndarray
        The exponents, on the device.
    ppcc : ndarray
        The correlation for each exponent.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.boxcox_normplot(cp.arange(1.0, 9), 0, 2, N=3)[0]
    array([0., 1., 2.])
    """
    return _transform_plot(boxcox, x, la, lb, plot, N, "Box-Cox")


@documented_as(boxcox_normplot)
def yeojohnson_normplot(x, la, lb, plot=None, N=80) -> tuple[ndarray, ndarray]:
    """Return how well data transformed by Yeo and Johnson correlate with normal quantiles.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.yeojohnson_normplot(cp.arange(-4.0, 5), 0, 2, N=3)[0]
    array([0., 1., 2.])
    """
    return _transform_plot(yeojohnson, x, la, lb, plot, N, "Yeo-Johnson")


@fuse
def _yeo_johnson(x, lmbda):
    size = um.log1p(abs(x))
    up = where(lmbda == 0, size, um.expm1(lmbda * size) / where(lmbda == 0, 1.0, lmbda))
    rest = 2.0 - lmbda
    down = where(rest == 0, size, um.expm1(rest * size) / where(rest == 0, 1.0, rest))
    return where(x >= 0, up, -down)


# The variance of transformed data, by merged means and squares (Pebay 2008), as of `_sums`.
_VARIANCE_OF_POWER = ReductionKernel(
    "float64 x, float64 lmbda",
    "float64 y",
    "spread{1, yeo_johnson(x, lmbda), 0}",
    "a + b",
    "y = a.squares / a.count",
    "spread{0, 0, 0}",
    "yeo_johnson_variance",
    reduce_type="spread",
    preamble="""
struct spread {
    double count, mean, squares;
};
__device__ inline spread operator+(const spread &a, const spread &b)
{
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const double count = a.count + b.count, share = b.count / count, d = b.mean - a.mean;
    return spread{count, a.mean + d * share, a.squares + b.squares + d * d * (a.count * share)};
}
__device__ inline double yeo_johnson(double x, double lmbda)
{
    const double power = x >= 0 ? lmbda : 2 - lmbda, size = log1p(fabs(x));
    const double y = power == 0 ? size : expm1(power * size) / power;
    return x >= 0 ? y : -y;
}
""",
)


def yeojohnson(x, lmbda=None, *, nan_policy="propagate") -> Any:
    """Transform data of either sign by a power, so that they become like normal ones.

    Parameters
    ----------
    x : array_like
        Data of one dimension.
    lmbda : float, optional
        Exponent of the transform. By default the one of greatest likelihood, for which numbers are
        read from the device.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN makes the exponent NaN, is left out of the search for it, or raises.

    Returns
    -------
    yeojohnson : ndarray
        The transformed data.
    maxlog : float
        The exponent, if it was not given; a number of the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.yeojohnson(cp.array([-1.0, 0.0, 3.0]), 1)
    array([-1.,  0.,  3.])
    """
    x = as_array(x)
    if x.size == 0:
        return x
    if x.dtype.kind == "c":
        raise ValueError("Yeo-Johnson transformation is not defined for complex numbers.")
    x = x if x.dtype.kind == "f" else x.astype(np.float64)
    _check_policy(nan_policy, x)
    if lmbda is not None:
        return _yeo_johnson(x, x.dtype.type(as_host(lmbda)))
    best = yeojohnson_normmax(x, nan_policy=nan_policy)
    return _yeo_johnson(x, x.dtype.type(best)), best


@fuse
def _signed_log(x):
    return where(x < 0, -1.0, 1.0) * um.log1p(abs(x))


def yeojohnson_normmax(x, brack=None, *, nan_policy="propagate") -> Any:
    """Return the exponent of greatest likelihood for the transform of Yeo and Johnson.

    Each step of the search, which SciPy makes, reads a number from the device.

    Parameters
    ----------
    x : array_like
        Data of one dimension; that they are finite is checked, which waits for the device.
    brack : tuple of float, optional
        Two or three exponents that the search starts from; by default it is within those at
        which transformed numbers and their variance are in range.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN makes the exponent NaN, is left out of the search for it, or raises.

    Returns
    -------
    float
        The exponent, a number of the host.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([-1.0, 0.0, 1.0, 2.0, 5.0])
    >>> round(float(cp.scipy.stats.yeojohnson_normmax(x)), 3)
    0.454
    """
    kept = _fitted(real(x), nan_policy, "Yeo-Johnson input must be finite.")
    if kept is None:
        return np.float64(np.nan)
    x = kept
    if not bool((x != 0).any()):
        return 1.0
    if not bool((x != x.reshape(-1)[0]).any()):
        raise ValueError("Data must not be constant.")
    logs = float(_signed_log(x).sum())

    def unlikely(lmbda: float) -> float:
        variance = float(_VARIANCE_OF_POWER(x, float(lmbda)))
        if not 0 < variance < math.inf:
            return 1e9 * x.size  # a number, with which a search can do arithmetic
        return x.size / 2 * math.log(variance) - (lmbda - 1) * logs

    if brack is not None:
        return np.float64(_minimised(unlikely, brack, None))
    from scipy.optimize import fminbound

    sizes = (math.log1p(20 * max(float(end), 0.0)) for end in (x.max(), -x.min()))  # somewhat more
    return np.float64(fminbound(unlikely, *_safe_exponents(*sizes), xtol=1e-8))


def _safe_exponents(above: float, below: float) -> tuple[float, float]:
    """Exponents at which squares of powers are in range, from logarithms of the largest numbers.

    Numbers below zero are raised to 2 - lmbda.
    """
    kind = np.finfo(np.float64)
    least = 0.5 * (math.log(kind.tiny) - math.log(kind.eps))
    most = 0.5 * (math.log(kind.max) + math.log(kind.eps))
    low, high = -math.inf, math.inf
    if above:
        low, high = least / above, most / above
    if below:
        low, high = max(low, 2 - most / below), min(high, 2 - least / below)
    return low, high


# ---- tests ---------------------------------------------------------------------------------------

# Polynomials of P. Royston, "Remark AS R94: a remark on algorithm AS 181: the W-test for
# normality", 1995, by ascending powers.
_FIRST = (0.0, 0.221157, -0.147981, -2.071190, 4.434685, -2.706056)
_SECOND = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
_MEAN_FEW = (0.5440, -0.39978, 0.025054, -6.714e-4)
_LOG_SPREAD_FEW = (1.3822, -0.77857, 0.062767, -0.0020322)
_MEAN = (-1.5861, -0.31082, -0.083751, 0.0038915)
_LOG_SPREAD = (-0.4803, -0.082676, 0.0030302)
_SHIFT = (-2.273, 0.459)


def _polynomial(coefficients: tuple, x: float) -> float:
    return float(np.polynomial.polynomial.polyval(x, coefficients))


def _shapiro_weights(n: int) -> np.ndarray:
    """Weights of the order statistics, on the host."""
    from scipy.special import ndtri

    if n == 3:
        return np.array([-math.sqrt(0.5), 0.0, math.sqrt(0.5)])
    m = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    squares, root = float(m @ m), 1 / math.sqrt(n)
    a = m.copy()
    last = _polynomial(_FIRST, root) + m[-1] / math.sqrt(squares)
    if n > 5:
        before = _polynomial(_SECOND, root) + m[-2] / math.sqrt(squares)
        rest = squares - 2 * m[-1] ** 2 - 2 * m[-2] ** 2
        a /= math.sqrt(rest / (1 - 2 * last**2 - 2 * before**2))
        a[1], a[-2] = -before, before
    else:
        a /= math.sqrt((squares - 2 * m[-1] ** 2) / (1 - 2 * last**2))
    a[0], a[-1] = -last, last
    return a


def _shapiro_constants(n: int) -> tuple[float, float, float]:
    """Mean, spread and shift of the statistic of n elements."""
    if n <= 11:
        spread = math.exp(_polynomial(_LOG_SPREAD_FEW, n))
        return _polynomial(_MEAN_FEW, n), spread, _polynomial(_SHIFT, n)
    size = math.log(n)
    return _polynomial(_MEAN, size), math.exp(_polynomial(_LOG_SPREAD, size)), 0.0


@functools.cache
def _shapiro_finish(group: int) -> Any:
    """Statistic and p-value of sums, in one launch, for 3 elements, up to 11 and more."""

    @fuse
    def finish(product, squares, least, most, mean, spread, gamma):
        w = um.minimum(product * product / squares, 1.0)
        if group == 0:
            p = um.maximum(6 / math.pi * (um.arcsin(um.sqrt(w)) - math.pi / 3), 0.0)
        elif group == 1:
            y = um.log(1.0 - w)
            p = special.ndtr((mean + um.log(um.maximum(gamma - y, 0.0))) / spread)
            p = where(y >= gamma, 1e-99, p)
        else:
            p = special.ndtr((mean - um.log(1.0 - w)) / spread)
        return where(least == most, math.nan, w), where(least == most, math.nan, p)

    return finish


def shapiro(x, *, axis=None, nan_policy="propagate", keepdims=False) -> tuple:
    """Test whether a sample is normal, by the statistic of Shapiro and Wilk.

    Parameters
    ----------
    x : array_like
        Sample of three elements or more.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        The statistic W, 1 of a sample that is exactly normal, NaN of equal elements.
    pvalue : ndarray
        The p-value, accurate for up to 5000 elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.shapiro(cp.array([1.0, 2.0, 4.0, 5.0])).statistic.round(4)
    array(0.9497)
    """

    def compute(u: ndarray) -> list:
        n = u.shape[-1]
        ordered = sort(u, axis=-1)
        _, _, squares, product, _ = pair_moments(ordered, asarray(_shapiro_weights(n)))
        group = 0 if n == 3 else 1 if n <= 11 else 2
        sums = (product, squares, ordered[..., 0], ordered[..., -1])
        return list(_shapiro_finish(group)(*sums, *_shapiro_constants(n)))

    options: dict[str, Any] = {"least": 3, "propagates": True}
    return ShapiroResult(*apply(compute, [real(x, "x")], axis, nan_policy, keepdims, **options))


_SIDES = ReductionKernel(
    "float64 x, float64 middle",
    "complex128 y",
    "complex<double>(x > middle, x < middle)",
    "a + b",
    "y = a",
    "complex<double>(0)",
    "sides_of_median",
    reduce_type="complex<double>",
)


def median_test(
    *samples, ties="below", correction=True, lambda_=1, nan_policy="propagate"
) -> tuple:
    """Test whether samples have one median, by the numbers of elements above and below it.

    Parameters
    ----------
    *samples : array_like
        Two samples or more, of one dimension.
    ties : {'below', 'above', 'ignore'}, optional
        Where elements count that are equal to the median of all.
    correction : bool, optional
        Whether differences of two samples are reduced by half a count.
    lambda_ : float or str, optional
        Exponent of the power divergence, or its name.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils the result, is left out, or raises.

    Returns
    -------
    statistic : ndarray
        Power divergence of the table of counts.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.
    median : ndarray
        Median of all elements.
    table : ndarray of int
        Counts above and below, a column for each sample.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.median_test(cp.arange(6), cp.arange(6) + 2).table
    array([[2, 4],
           [4, 2]])
    """
    from ...lib._quantile_impl import median

    if len(samples) < 2:
        raise ValueError("median_test requires two or more samples.")
    if ties not in ("below", "above", "ignore"):
        raise ValueError(f"invalid 'ties' option {shown(ties)}; 'below', 'above' or 'ignore'")
    arrays = [real(x) for x in samples]
    for k, x in enumerate(arrays):
        if x.size == 0:
            raise ValueError(
                f"Sample {k + 1} is empty. All samples must contain at least one value"
            )
        if x.ndim != 1:
            raise ValueError(
                f"Sample {k + 1} has {x.ndim} dimensions. All must be one-dimensional."
            )
    if nan_policy not in ("propagate", "omit", "raise"):
        raise ValueError(f"nan_policy must be 'propagate', 'omit' or 'raise': {shown(nan_policy)}")
    pooled = concatenate(arrays)
    if bool(um.isnan(pooled).any()):
        if nan_policy == "raise":
            raise ValueError("The input contains nan values")
        if nan_policy == "propagate":
            nan = full((), np.nan)
            return MedianTestResult(nan, nan, nan, None)
        arrays = [x[~um.isnan(x)] for x in arrays]
        pooled = concatenate(arrays)
    middle = median(pooled)
    sides = [_SIDES(x, middle, keepdims=True) for x in arrays]  # numbers above and below
    counts = concatenate(sides).get()
    above, below = counts.real.astype(np.int64), counts.imag.astype(np.int64)
    equal = np.array([x.size for x in arrays]) - above - below
    if ties != "ignore":
        above, below = (above + equal, below) if ties == "above" else (above, below + equal)
    host = np.stack([above, below])
    table = array(host)
    if (host.sum(axis=1) == 0).any():
        side = "below" if host[1].sum() == 0 else "above"
        raise ValueError(f"All values are {side} the grand median ({float(middle)}).")
    if ties == "ignore" and (host.sum(axis=0) == 0).any():
        raise ValueError("All values of a sample are equal to the grand median.")
    result: Any = chi2_contingency(table, correction, lambda_)
    return MedianTestResult(result.statistic, result.pvalue, middle, table)


def obrientransform(*samples, nan_policy="propagate") -> tuple[ndarray, ...]:
    """Transform samples so that the means of the results are the variances of the samples.

    Parameters
    ----------
    *samples : array_like
        Samples, of all elements of an array.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils the sample's results, is left out, or raises, which waits for the device.

    Returns
    -------
    tuple of ndarray
        The transformed samples, of the shapes of the samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([1.0, 2.0, 3.0, 6.0])
    >>> cp.scipy.stats.obrientransform(x)[0].mean().round(6) == x.var(ddof=1).round(6)
    array(True)
    """
    arrays = [floating(sample) for sample in samples]
    _check_policy(nan_policy, *arrays)
    found = []
    for x in arrays:
        kept: Any = ~um.isnan(x) if nan_policy == "omit" else True
        n = x.size if kept is True else kept.sum()
        wide = x.astype(np.float64, copy=False)
        squares = (wide - wide.mean(where=kept)) ** 2
        scaled = (n - 1.5) * n * squares - 0.5 * squares.sum(where=kept)
        found.append((scaled / ((n - 1) * (n - 2))).astype(x.dtype, copy=False))
    return tuple(found)
