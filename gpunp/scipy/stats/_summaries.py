"""Numbers that describe samples: means of powers, trimmed moments, means on a circle, modes.

Each is one launch, or two where elements are compared with a center, but for those of quantiles.
"""

import math
from typing import Any

import numpy as np

from ..._core._convert import as_array, as_host, host_ndim, normalize_axis_tuple, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import ndarray
from ..._core.numeric import full
from ..._core.raw import ReductionKernel
from ..._core.shape_base import stack
from ..._core.umath import log
from ...lib._quantile_impl import median, percentile
from ...lib._stride_tricks_impl import broadcast_arrays
from .._host import also_named
from ._axis import apply, floating, result_type
from ._stats_py import zscore

__all__ = [
    "circmean",
    "circstd",
    "circvar",
    "gmean",
    "gstd",
    "gzscore",
    "hmean",
    "iqr",
    "median_abs_deviation",
    "mode",
    "moment",
    "pmean",
    "tmean",
    "tsem",
    "tstd",
    "tvar",
    "variation",
]

ModeResult: Any = result_type("ModeResult", "mode count")


# ---- means of powers -----------------------------------------------------------------------------

_SUM_OF_TWO = """
struct two_sums {
    double first, second;
};
__device__ inline two_sums operator+(const two_sums &a, const two_sums &b)
{
    return two_sums{a.first + b.first, a.second + b.second};
}
"""
# Weighted sums of a power, of the logarithm for the exponent zero, and of the weights.
_POWER_MEAN = ReductionKernel(
    "T x, float64 w, float64 exponent",
    "T y",
    "two_sums{w * powered(x, exponent), w}",
    "a + b",
    "const double m = a.first / a.second;"
    " y = (T)(exponent == 0 ? exp(m) : exponent == -1 ? 1 / m : pow(m, 1 / exponent))",
    "two_sums{0, 0}",
    "power_mean",
    reduce_type="two_sums",
    preamble=_SUM_OF_TWO
    + """
    __device__ inline double powered(double x, double exponent)
    {
        const double y = exponent == 0 ? log(x) : exponent == -1 ? 1 / x : pow(x, exponent);
        return x < 0 ? NAN : y;
    }
    """,
)


def _power_mean(
    a: Any, exponent: float, axis: Any, dtype: Any, weights: Any, nan_policy: Any, keepdims: Any
) -> ndarray:
    a = as_array(a) if dtype is None else as_array(a).astype(dtype, copy=False)
    arrays = [floating(a)]
    if weights is not None:
        arrays = list(broadcast_arrays(arrays[0], floating(weights, "weights")))

    def compute(x: ndarray, w: Any = 1.0) -> list:
        return [_POWER_MEAN(x, w, exponent, axis=-1)]

    kind = np.result_type(*(x.dtype for x in arrays))
    options: dict[str, Any] = {"paired": True, "outputs": 1, "propagates": True}
    return apply(compute, arrays, axis, nan_policy, keepdims, **options)[0].astype(kind, copy=False)


def gmean(
    a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False
) -> ndarray:
    """Return geometric means: e to the mean of the logarithms.

    Parameters
    ----------
    a : array_like
        Samples of numbers that are not negative.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    dtype : dtype, optional
        Type to which the sample is converted first.
    weights : array_like, optional
        Weights of the elements, which broadcast with them. By default all are equal.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    ndarray
        Means; NaN where there is a negative element.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.gmean(cp.array([1.0, 4.0])).round(12)
    array(2.)
    """
    return _power_mean(a, 0.0, axis, dtype, weights, nan_policy, keepdims)


@documented_as(gmean)
def hmean(
    a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False
) -> ndarray:
    """Return harmonic means: the reciprocal of the mean of the reciprocals.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.hmean(cp.array([1.0, 4.0]))
    array(1.6)
    """
    return _power_mean(a, -1.0, axis, dtype, weights, nan_policy, keepdims)


@documented_as(gmean)
def pmean(
    a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False
) -> ndarray:
    """Return the root of the mean of powers.

    Parameters
    ----------
    p : float
        The exponent; 0 stands for the geometric mean.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.pmean(cp.array([1.0, 7.0]), 2)
    array(5.)
    """
    if not isinstance(p, (int, float, np.number)):
        raise ValueError(f"p must be a number, not {shown(p)}")
    if math.isinf(p):
        raise NotImplementedError(f"p must be finite, not {p}")
    return _power_mean(a, float(p), axis, dtype, weights, nan_policy, keepdims)


# ---- moments -------------------------------------------------------------------------------------

# Mean and squares of the elements within limits; `what` is the place of the function in _MOMENTS.
_TRIMMED = ReductionKernel(
    "T x, float64 low, float64 high, bool with_low, bool with_high, int32 what, float64 ddof",
    "T y",
    "element(what == 5 ? log((double)x) : (double)x, x, low, high, with_low, with_high)",
    "a + b",
    """
    const double rest = a.count - ddof, var = a.squares / rest;
    const double std = rest < 0 || (rest == 0 && what != 4) ? NAN : sqrt(var);
    const double mean = a.sum / a.count; // which is 0 where the sum is
    y = (T)(a.count == 0 ? NAN : what == 0 ? mean : what == 1 ? (rest > 0 ? var : NAN)
            : what == 2 ? std : what == 3 ? std / sqrt(a.count)
            : what == 4 ? std / mean : exp(std));
    """,
    "sample_moments{0, 0, 0, 0}",
    "trimmed_moment",
    reduce_type="sample_moments",
    preamble="""
    struct sample_moments {
        double count, mean, squares, sum;
    };
    __device__ inline sample_moments operator+(const sample_moments &a, const sample_moments &b)
    {
        if (b.count == 0) return a;
        if (a.count == 0) return b;
        const double count = a.count + b.count, share = b.count / count, d = b.mean - a.mean;
        return sample_moments{count, a.mean + d * share,
                              a.squares + b.squares + d * d * (a.count * share), a.sum + b.sum};
    }
    __device__ inline sample_moments element(double value, double x, double low, double high,
                                             bool with_low, bool with_high)
    {
        const bool is_below = with_low ? x < low : x <= low;
        const bool is_above = with_high ? x > high : x >= high;
        return sample_moments{is_below || is_above ? 0.0 : 1.0, value, 0, value};
    }
    """,
)
_MOMENTS = ("tmean", "tvar", "tstd", "tsem", "variation", "gstd")


def _trimmed(
    name: str, a: Any, limits: Any, inclusive: Any, ddof: Any, options: tuple, least: int = 1
) -> ndarray:
    low, high = (None, None) if limits is None else limits
    low = -math.inf if low is None else float(as_host(low))
    high = math.inf if high is None else float(as_host(high))
    with_low, with_high = (bool(flag) for flag in inclusive)
    # Infinite elements count where there is no limit.
    flags = (with_low or low == -math.inf, with_high or high == math.inf)

    def compute(x: ndarray) -> list:
        ends = (low, high, *flags, _MOMENTS.index(name), float(as_host(ddof)))
        return [_TRIMMED(x, *ends, axis=-1)]

    a = floating(a)
    axis, nan_policy, keepdims = options
    found = apply(
        compute, [a], axis, nan_policy, keepdims, outputs=1, least=least, propagates=True
    )[0]
    return found.astype(a.dtype, copy=False)


@documented_as(gmean)
def tmean(
    a, limits=None, inclusive=(True, True), axis=None, *, nan_policy="propagate", keepdims=False
) -> ndarray:
    """Return the means of the elements within limits.

    Parameters
    ----------
    a : array_like
        Samples of real numbers.
    limits : tuple of float, optional
        Lowest and highest number that counts; None stands for no limit.
    inclusive : tuple of bool, optional
        Whether elements that are equal to the limits count.

    Returns
    -------
    ndarray
        The result for each sample; NaN where no element is left.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.tmean(cp.arange(9.0), (2, 5))
    array(3.5)
    """
    return _trimmed("tmean", a, limits, inclusive, 0, (axis, nan_policy, keepdims))


@documented_as(tmean)
def tvar(
    a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate",
    keepdims=False,
) -> ndarray:  # fmt: skip
    """Return the variances of the elements within limits.

    Parameters
    ----------
    ddof : int, optional
        Degrees of freedom that are taken off the number of elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.tvar(cp.arange(9.0), (2, 4))
    array(1.)
    """
    return _trimmed("tvar", a, limits, inclusive, ddof, (axis, nan_policy, keepdims))


@documented_as(tvar)
def tstd(
    a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate",
    keepdims=False,
) -> ndarray:  # fmt: skip
    """Return the standard deviations of the elements within limits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.tstd(cp.arange(9.0), (2, 4))
    array(1.)
    """
    return _trimmed("tstd", a, limits, inclusive, ddof, (axis, nan_policy, keepdims))


@documented_as(tvar)
def tsem(
    a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate",
    keepdims=False,
) -> ndarray:  # fmt: skip
    """Return the standard errors of the means of the elements within limits.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.tsem(cp.array([1.0, 5.0, 90.0]), (0, 9))
    array(2.)
    """
    return _trimmed("tsem", a, limits, inclusive, ddof, (axis, nan_policy, keepdims))


@documented_as(tvar)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False) -> ndarray:
    """Return standard deviations in units of the means.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.variation(cp.array([1.0, 3.0]))
    array(0.5)
    """
    both = (True, True)
    return _trimmed("variation", a, None, both, ddof, (axis, nan_policy, keepdims))


@documented_as(tvar)
def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate") -> ndarray:
    """Return geometric standard deviations: e to the deviation of the logarithms.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.gstd(cp.array([1.0, 1.0, 1.0]))
    array(1.)
    """
    a = floating(a)
    if axis is not None:
        axis = normalize_axis_tuple(axis, a.ndim)  # a number has no axis 0 here
    return _trimmed("gstd", a, None, (True, True), ddof, (axis, nan_policy, keepdims))


def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate") -> ndarray:
    """Return the standard scores of the logarithms of numbers.

    Parameters
    ----------
    a : array_like
        Positive numbers to be scored.
    axis : int or None, optional
        Axis along which mean and deviation are taken; None takes all elements.
    ddof : int, optional
        Degrees of freedom that the deviation takes off.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a mean, is left out, or raises, which waits for the device.

    Returns
    -------
    ndarray
        Scores; NaN where the numbers are equal but for rounding.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.gzscore(cp.array([1.0, 4.0]))
    array([-1.,  1.])
    """
    return zscore(log(floating(a)), axis, ddof, nan_policy)


_CENTRAL = ReductionKernel(
    "T x, T center, int64 order",
    "T y",
    "two_sums{whole_power((double)x - (double)center, order), 1}",
    "a + b",
    "y = (T)(a.first / a.second)",
    "two_sums{0, 0}",
    "central_moment",
    reduce_type="two_sums",
    preamble=_SUM_OF_TWO
    + """
    __device__ inline double whole_power(double x, long long order)
    {
        double power = 1;
        for (long long k = order < 0 ? -order : order; k > 0; k >>= 1, x *= x) {
            power = k & 1 ? power * x : power;
        }
        return order < 0 ? 1 / power : power;
    }
    """,
)


@also_named("moment", "order")
@documented_as(tmean)
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False) -> ndarray:
    """Return means of whole powers of distances from a center.

    Parameters
    ----------
    order : int or array_like of int, optional
        The exponent; for several the results are stacked along a new first axis.
    center : float, optional
        The number from which distances are taken. By default the mean of the sample.

    Returns
    -------
    ndarray
        Moments of the samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.moment(cp.array([1.0, 3.0]), 2)
    array(1.)
    """
    orders = np.asarray(as_host(order) if host_ndim(order) == 0 else [as_host(k) for k in order])
    if orders.size and not np.all(orders == np.round(orders)):
        raise ValueError("`order` must be integral.")
    a = as_array(a)
    is_complex = a.dtype.kind == "c"
    a = a if is_complex else floating(a)
    given = None if center is None else (complex if is_complex else float)(as_host(center))

    def compute(x: ndarray) -> list:
        middle = x.mean(axis=-1, keepdims=True) if given is None else given
        powers = [int(k) for k in orders.ravel().tolist()]
        if is_complex:
            moved = x - middle
            found = [(moved**k).mean(axis=-1) for k in powers]
        else:
            found = [_CENTRAL(x, middle, k, axis=-1) for k in powers]
        return [
            v * 0 if k == 1 and given is None else v for k, v in zip(powers, found, strict=True)
        ]

    options: dict[str, Any] = {"outputs": orders.size, "propagates": True}
    values = apply(compute, [a], axis, nan_policy, keepdims, **options)
    values = [v.astype(a.dtype, copy=False) for v in values]
    return stack(values) if orders.ndim else values[0]


# ---- means on a circle ---------------------------------------------------------------------------

# `what` is 0 for the mean, 1 for the variance, 2 for the deviation and 3 for it in radians.
_CIRCULAR = ReductionKernel(
    "T x, float64 low, float64 high, int32 what",
    "T y",
    "on_circle(x, high - low)",
    "a + b",
    """
    const double period = high - low, turn = period / (2 * 3.141592653589793);
    const double s = a.sine / a.count, c = a.cosine / a.count, place = atan2(s, c) * turn - low;
    const double rest = fmod(place, period), lost = rest != 0 && (rest < 0) != (period < 0);
    const double length = hypot(s, c), r = length > 1 ? 1.0 : length;
    const double spread = sqrt(-2 * log(r)) + 0.0;
    y = (T)(what == 0 ? rest + lost * period + low
            : what == 1 ? 1 - r : what == 2 ? spread * turn : spread);
    """,
    "circle_sums{0, 0, 0}",
    "circular_moment",
    reduce_type="circle_sums",
    preamble="""
    struct circle_sums {
        double sine, cosine, count;
    };
    __device__ inline circle_sums operator+(const circle_sums &a, const circle_sums &b)
    {
        return circle_sums{a.sine + b.sine, a.cosine + b.cosine, a.count + b.count};
    }
    __device__ inline circle_sums on_circle(double x, double period)
    {
        const double angle = x * (2 * 3.141592653589793 / period);
        return circle_sums{sin(angle), cos(angle), 1};
    }
    """,
)


def _circular(what: int, a: Any, high: Any, low: Any, options: tuple) -> ndarray:
    a = floating(a)
    ends = [float(as_host(end)) for end in (low, high)]
    axis, nan_policy, keepdims = options
    found = apply(
        lambda x: [_CIRCULAR(x, *ends, what, axis=-1)],
        [a], axis, nan_policy, keepdims, outputs=1, propagates=True,
    )[0]  # fmt: skip
    return found.astype(a.dtype, copy=False)


@documented_as(gmean)
def circmean(
    samples, high=2 * math.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False
) -> ndarray:
    """Return the directions of the means of points on a circle.

    Parameters
    ----------
    samples : array_like
        Angles, or other numbers that come around.
    high : float, optional
        Number at which a turn ends, 2 pi by default.
    low : float, optional
        Number at which a turn begins.

    Returns
    -------
    ndarray
        The result for each sample.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.circmean(cp.array([350.0, 20.0]), 360).round(6)
    array(5.)
    """
    return _circular(0, samples, high, low, (axis, nan_policy, keepdims))


@documented_as(circmean)
def circvar(
    samples, high=2 * math.pi, low=0, axis=None, nan_policy="propagate", *, keepdims=False
) -> ndarray:
    """Return by how much the means of points on a circle fall short of it.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.circvar(cp.array([0.0, 180.0]), 360).round(6)
    array(1.)
    """
    return _circular(1, samples, high, low, (axis, nan_policy, keepdims))


@documented_as(circmean)
def circstd(
    samples, high=2 * math.pi, low=0, axis=None, nan_policy="propagate", *, normalize=False,
    keepdims=False,
) -> ndarray:  # fmt: skip
    """Return the standard deviations of points on a circle.

    Parameters
    ----------
    normalize : bool, optional
        If True, the result is in radians whatever a turn is.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.circstd(cp.array([0.0, 90.0]), 360).round(4)
    array(47.7022)
    """
    return _circular(3 if normalize else 2, samples, high, low, (axis, nan_policy, keepdims))


# ---- quantiles and modes -------------------------------------------------------------------------


def _scale(scale: Any, normal: float, name: str) -> float:
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} not a valid scale for `{name}`")
        return normal
    return float(as_host(scale))


@documented_as(gmean)
def iqr(
    x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear",
    keepdims=False,
) -> ndarray:  # fmt: skip
    """Return the distances of two percentiles of samples.

    Parameters
    ----------
    x : array_like
        Samples of real numbers.
    rng : sequence of float, optional
        The two percentiles, quartiles by default.
    scale : float or {'normal'}, optional
        Number by which the distance is divided; 'normal' makes it the deviation of normal samples.
    interpolation : str, optional
        The method of `percentile` by which quantiles between elements are found.

    Returns
    -------
    ndarray
        The distance for each sample.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.iqr(cp.arange(9.0))
    array(4.)
    """
    x = floating(x)
    if len(rng) != 2:
        raise TypeError("quantile range must be two element sequence")
    ends = sorted(float(as_host(q)) for q in rng)
    if any(math.isnan(q) for q in ends):
        raise ValueError("range must not contain NaNs")
    by = _scale(scale, 1.3489795003921634, "iqr")

    def compute(rows: ndarray) -> list:
        low, high = percentile(rows, ends, axis=-1, method=interpolation)
        return [high - low if by == 1 else (high - low) / by]

    options: dict[str, Any] = {"outputs": 1, "propagates": True}
    found = apply(compute, [x], axis, nan_policy, keepdims, **options)[0]
    return found.astype(x.dtype, copy=False)


@fuse
def _distance(x, center):
    return abs(x - center)


@documented_as(iqr)
def median_abs_deviation(
    x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False
) -> ndarray:
    """Return the medians of the distances from a center.

    Parameters
    ----------
    center : callable, optional
        Function of an array and an `axis` that returns the center. By default the median.

    Returns
    -------
    ndarray
        The median distance for each sample.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.median_abs_deviation(cp.array([1.0, 2.0, 4.0, 9.0]))
    array(2.)
    """
    if center is not None and not callable(center):
        raise TypeError(f"The argument 'center' must be callable: {shown(center)} is not callable.")
    by = _scale(scale, 0.6744897501960817, "median_abs_deviation")
    x = floating(x)
    middle = median if center is None or center is np.median else center

    def compute(rows: ndarray) -> list:
        found = median(_distance(rows, middle(rows, axis=-1)[..., None]), axis=-1)
        return [found if by == 1 else found / by]

    options: dict[str, Any] = {"outputs": 1, "propagates": True}
    found = apply(compute, [x], axis, nan_policy, keepdims, **options)[0]
    return found.astype(x.dtype, copy=False)


# The longest run of equals of sorted rows, the first of several; NaN is equal to itself.
_MODE = ReductionKernel(
    "T key, raw T keys, int64 count",
    "T value, int64 number",
    "run_from(keys, i / count * count, i % count, count)",
    "longer(a, b)",
    "value = keys[_i * count + a.place]; number = a.length;",
    "longest_run{0, 0}",
    "longest_run",
    reduce_type="longest_run",
    preamble="""
    struct longest_run {
        long long length, place;
    };
    __device__ inline longest_run longer(const longest_run &a, const longest_run &b)
    {
        const bool is_second = b.length > a.length || (b.length == a.length && b.place < a.place);
        return is_second ? b : a;
    }
    template <class T> __device__ bool are_equal(T a, T b) { return a == b || (a != a && b != b); }
    template <class A>
    __device__ longest_run run_from(const A &keys, ptrdiff_t start, ptrdiff_t j, ptrdiff_t count)
    {
        const auto key = keys[start + j];
        if (j > 0 && are_equal(keys[start + j - 1], key)) return longest_run{0, (long long)j};
        ptrdiff_t inside = j, step = 1, outside = j + 1;
        while (outside < count && are_equal(keys[start + outside], key)) {
            inside = outside;
            step *= 2;
            outside = j + step;
        }
        outside = outside < count ? outside : count;
        while (outside - inside > 1) {
            const ptrdiff_t middle = inside + (outside - inside) / 2;
            if (are_equal(keys[start + middle], key)) inside = middle;
            else outside = middle;
        }
        return longest_run{(long long)(inside - j + 1), (long long)j};
    }
    """,
)


@documented_as(tmean)
def mode(a, axis=0, nan_policy="propagate", keepdims=False) -> tuple:
    """Return the most frequent element of samples, the smallest of several, and its number.

    Parameters
    ----------
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN is an element as others are, is left out, or raises. The latter two wait for the
        device.

    Returns
    -------
    mode : ndarray
        The elements, of the type of `a`.
    count : ndarray of int
        How often they occur.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.mode(cp.array([3, 1, 3, 2]))
    ModeResult(mode=array(3), count=array(2))
    """
    a = as_array(a)
    if a.dtype.kind not in "iuf":
        raise TypeError(f"a must be of real numbers, not of {a.dtype}")

    def compute(rows: ndarray) -> list:
        if not rows.shape[-1]:
            return [full(rows.shape[:-1], np.nan), full(rows.shape[:-1], 0)]
        keys = sort(rows, axis=-1)
        return list(_MODE(keys, keys, keys.shape[-1], axis=-1))

    options: dict[str, Any] = {"propagates": True, "least": 0}
    return ModeResult(*apply(compute, [a], axis, nan_policy, keepdims, **options))
