"""Distances of distribution functions: of samples from each other and from given functions."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, concatenate, ndarray, zeros
from ..._core.raw import ReductionKernel
from ...lib._stride_tricks_impl import broadcast_to
from .._host import also_named, by_scipy
from ..special import kolmogorov, ndtr, smirnov
from ._axis import apply, check_alternative, floating, normal_pvalue, real, result_type
from ._rank_parts import RUN_ENDS
from ._ranks import counts_below, row_ranks, spoilt_ranks

__all__ = [
    "cramervonmises",
    "cramervonmises_2samp",
    "energy_distance",
    "ks_1samp",
    "ks_2samp",
    "kstest",
    "ranksums",
    "wasserstein_distance",
    "wasserstein_distance_nd",
]

KstestResult: Any = result_type(
    "KstestResult", "statistic pvalue", "statistic_location statistic_sign"
)
RanksumsResult: Any = result_type("RanksumsResult", "statistic pvalue")


@dataclass(eq=False)
class CramerVonMisesResult:
    """Statistic and p-value of a test by the distance of Cramer and von Mises."""

    statistic: ndarray
    pvalue: ndarray


def _distribution(name: str) -> Any:
    """The distribution of a name."""
    from gpunp.scipy import stats

    found = getattr(stats, name, None)
    if not hasattr(found, "cdf"):
        raise AttributeError(f"module 'gpunp.scipy.stats' has no distribution {name!r}")
    return found


def distribution_function(cdf: Any, args: Any) -> Any:
    """The distribution function that a name of `gpunp.scipy.stats` or a function stands for."""
    if isinstance(cdf, str):
        from gpunp.scipy import stats

        if cdf == "norm" and not args and not hasattr(stats, cdf):
            return ndtr
        cdf = _distribution(cdf).cdf
    args = tuple(args)
    return lambda x: as_array(cdf(x, *args)).astype(np.float64, copy=False)


def _on_host(function: Any, statistic: ndarray) -> ndarray:
    """Probabilities by a function of the host for each element; the statistics are read."""
    host = statistic.get()
    values = [function(float(d)) if d == d else np.nan for d in host.ravel()]
    return asarray(np.clip(np.array(values, np.float64).reshape(host.shape), 0.0, 1.0))


def _checked_method(method: Any, *names: str) -> str:
    if method not in names:
        raise ValueError(f"method must be one of {names}, not {shown(method)}")
    return method


# ---- Kolmogorov and Smirnov ----------------------------------------------------------------------


# The largest distances in both directions, with the first places where they are. The elements of a
# row are the places; `above` and `below` are the distances there.
_DISTANCES = """
struct distances {
    double above, below, at_above, at_below;
    ptrdiff_t first, second;
};
__device__ inline distances operator+(const distances &a, const distances &b)
{
    const bool is_above = b.above > a.above || (b.above == a.above && b.first < a.first);
    const bool is_below = b.below > a.below || (b.below == a.below && b.second < a.second);
    return distances{is_above ? b.above : a.above, is_below ? b.below : a.below,
                     is_above ? b.at_above : a.at_above, is_below ? b.at_below : a.at_below,
                     is_above ? b.first : a.first, is_below ? b.second : a.second};
}
// How many elements of a sorted row are at most a value.
template <class A>
__device__ double share_up_to(const A &keys, ptrdiff_t start, ptrdiff_t count, double value)
{
    ptrdiff_t low = 0, high = count;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (keys[start + middle] <= value) low = middle + 1;
        else high = middle;
    }
    return (double)low / count;
}
"""
_CHOSEN = """
    const double over = fmin(fmax(a.above, least), 1.0), under = fmin(fmax(a.below, least), 1.0);
    const bool is_above = tail > 0 || (tail == 0 && (prefers_above ? over >= under : over > under));
    distance = is_above ? over : under;
    location = is_above ? a.at_above : a.at_below;
    sign = is_above ? 1 : -1;
"""
_NO_DISTANCE = "distances{-INFINITY, -INFINITY, NAN, NAN, 0x7fffffffffffffff, 0x7fffffffffffffff}"
_OF_FUNCTION = ReductionKernel(
    "float64 x, float64 value, int64 count, int32 tail, bool prefers_above, float64 least",
    "float64 distance, float64 location, float64 sign",
    "distances{(double)(_J + 1) / count - value, value - (double)_J / count, x, x, _J, _J}",
    "a + b",
    _CHOSEN,
    _NO_DISTANCE,
    "distance_from_function",
    reduce_type="distances",
    preamble=_DISTANCES,
)
_OF_SAMPLES = ReductionKernel(
    "bool place, raw T x, raw T y, int64 n, int64 m, int32 tail, bool prefers_above, float64 least",
    "float64 distance, float64 location, float64 sign",
    "both_shares(x, y, _i * n, _i * m, n, m, _J)",
    "a + b",
    _CHOSEN,
    _NO_DISTANCE,
    "distance_of_samples",
    reduce_type="distances",
    preamble=_DISTANCES
    + RUN_ENDS
    + """
    // The j-th of the elements of both rows: its share of its own row is that of the last of its
    // equals there.
    template <class A, class B>
    __device__ distances both_shares(const A &x, const B &y, ptrdiff_t of_x, ptrdiff_t of_y,
                                     ptrdiff_t n, ptrdiff_t m, ptrdiff_t j)
    {
        const bool is_x = j < n;
        const double at = is_x ? x[of_x + j] : y[of_y + j - n];
        const double of_first =
            is_x ? (run_last(x, of_x, j, n) + 1.0) / n : share_up_to(x, of_x, n, at);
        const double of_other =
            is_x ? share_up_to(y, of_y, m, at) : (run_last(y, of_y, j - n, m) + 1.0) / m;
        return distances{of_first - of_other, of_other - of_first, at, at, j, j};
    }
    """,
)
_TAILS = {"less": -1, "two-sided": 0, "greater": 1}


def largest_distance(x: ndarray, values: ndarray, alternative: str = "two-sided") -> tuple:
    """(statistic, location, sign) of rows in ascending order, and values of a function there."""
    options = (x.shape[-1], _TAILS[alternative], False, -math.inf)
    return _OF_FUNCTION(x, values, *options, axis=-1)


def _kstwo(n: int) -> Any:
    from scipy.stats import kstwo

    return lambda d: kstwo.sf(d, n)


def _distance_result(values: list, samples: list) -> Any:
    """A result whose location has the type of the samples; signs are 0 where a sample has NaN."""
    d, p, location, sign = values
    dtype = np.result_type(*(x.dtype for x in samples))
    if dtype.kind not in "iuf" or min(x.size for x in samples) == 0:
        dtype = location.dtype
    return KstestResult(d, p, location.astype(dtype, copy=False), sign.astype(np.int8))


@also_named("mode", "method")
def ks_1samp(
    x,
    cdf,
    args=(),
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
) -> tuple:
    """Test whether a sample has a given distribution, by the largest distance of the two.

    Parameters
    ----------
    x : array_like
        Sample of a continuous variable.
    cdf : callable or str
        Distribution function, called with device arrays, or the name of a distribution.
    args : sequence, optional
        Further arguments of the function, such as a distribution's parameters.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the distance is that in either direction, that of the function above the sample's,
        or that of the sample's above the function.
    method : {'auto', 'exact', 'approx', 'asymp'}, optional
        How p-values are computed. Two-sided ones are computed by SciPy on the host, which waits for
        the statistic, except by 'asymp', Kolmogorov's limit. 'auto' is 'exact'.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        The distance; attributes `statistic_location` and `statistic_sign` say where it is and
        which function is larger there: 1 for that of the sample, -1 for the other one, of type
        int8, and 0 where a sample has NaN.
    pvalue : ndarray
        The p-value of the hypothesis that the sample has the distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.array([0.1, 0.4, 0.7])
    >>> cp.scipy.stats.ks_1samp(x, lambda u: u).statistic.round(6)
    array(0.3)
    """
    alternative = check_alternative(alternative)
    _checked_method(method, "auto", "exact", "approx", "asymp")
    function = distribution_function(cdf, args)

    def compute(u: ndarray) -> list:
        u, n = sort(u, axis=-1), u.shape[-1]
        d, location, sign = largest_distance(u, function(u), alternative)
        if alternative != "two-sided":
            p = um.clip(smirnov(float(n), d), 0.0, 1.0)
        elif method == "asymp":
            p = kolmogorov(d * math.sqrt(n))
        elif method == "approx":
            p = um.minimum(2 * smirnov(float(n), d), 1.0)
        else:
            p = _on_host(_kstwo(n), d)
        return [d, p, location, sign]

    values = apply(compute, [real(x, "x")], axis, nan_policy, keepdims, outputs=4)
    return _distance_result(values, [floating(x)])


@functools.lru_cache(maxsize=64)
def _paths_outside(n: int, m: int, steps: int, is_two_sided: bool) -> float:
    """Probability that a random path from (0, 0) to (n, m) gets `steps` / lcm(n, m) off.

    The probability for each end (i, j) is a mean of those of its two predecessors (J. Hodges,
    "The significance probability of the Smirnov two-sample test", 1958), computed for one i + j
    after another: sums of positive terms, which lose no digits.
    """
    divisor = math.gcd(n, m)
    per_x, per_y = m // divisor, n // divisor
    i = np.arange(n + 1)
    found = np.zeros(n + 1)
    for s in range(1, n + m + 1):
        share = i / s
        before = found
        found = (1 - share) * before
        found[1:] += share[1:] * before[:-1]
        excess = i * per_x - (s - i) * per_y
        found[(abs(excess) if is_two_sided else excess) >= steps] = 1.0
    return float(found[n])


def _two_distances(x: ndarray, y: ndarray, alternative: str) -> tuple:
    """(statistic, location, sign) of rows."""
    x, y = sort(x, axis=-1), sort(y, axis=-1)
    n, m = x.shape[-1], y.shape[-1]
    places = broadcast_to(zeros((), bool), (*x.shape[:-1], n + m))  # of which only the shape counts
    return _OF_SAMPLES(places, x, y, n, m, _TAILS[alternative], True, 0.0, axis=-1)


def _two_sample_pvalue(d: ndarray, n: int, m: int, alternative: str, method: str) -> ndarray:
    if method == "exact":
        lcm = n * m // math.gcd(n, m)

        def outside(value: float) -> float:
            steps = round(value * lcm)
            return _paths_outside(n, m, steps, alternative == "two-sided") if steps else 1.0

        return _on_host(outside, d)
    large, small = float(max(n, m)), float(min(n, m))
    en = large * small / (large + small)
    if alternative == "two-sided":
        return _on_host(_kstwo(round(en)), d)
    z = math.sqrt(en) * d
    shift = (large + 2 * small) / math.sqrt(large * small * (large + small)) / 3.0
    return um.clip(um.exp(-2 * z * z - 2 * z * shift), 0.0, 1.0)


@also_named("mode", "method")
@documented_as(ks_1samp)
def ks_2samp(
    data1,
    data2,
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
) -> tuple:
    """Test whether two samples have one distribution, by their largest distance.

    Parameters
    ----------
    data1, data2 : array_like
        The two samples, which may be of different size.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Whether the distance is that in either direction, that of the second function above the
        first, or that of the first above the second.
    method : {'auto', 'exact', 'asymp'}, optional
        How p-values are computed: by counting orders on the host, which waits for the statistic, or
        by approximations, on the host too where they are two-sided. By default exactly for samples
        of up to 10000 elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.ks_2samp(cp.arange(4), cp.arange(4) + 2).statistic
    array(0.5)
    """
    alternative = check_alternative(alternative)
    _checked_method(method, "auto", "exact", "asymp")
    given = [as_array(data1), as_array(data2)]
    arrays = [floating(a, f"data{k}") for k, a in enumerate(given, 1)]
    if any(a.dtype != np.float32 for a in arrays):
        arrays = [a.astype(np.float64, copy=False) for a in arrays]
    if axis is None and min(a.size for a in arrays) == 0:
        raise ValueError("Data passed to ks_2samp must not be empty")

    def compute(x: ndarray, y: ndarray) -> list:
        n, m = x.shape[-1], y.shape[-1]
        d, location, sign = _two_distances(x, y, alternative)
        way = method
        if way == "auto":
            way = "exact" if max(n, m) <= 10000 else "asymp"
        p = _two_sample_pvalue(d, n, m, alternative, way)
        return [d, p, location, sign]

    values = apply(compute, arrays, axis, nan_policy, keepdims, outputs=4)
    return _distance_result(values, given)


@also_named("mode", "method")
@documented_as(ks_1samp)
def kstest(
    rvs,
    cdf,
    args=(),
    N=20,
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
) -> tuple:
    """Test a sample against a distribution (`ks_1samp`) or another sample (`ks_2samp`).

    Parameters
    ----------
    rvs : array_like, callable or str
        Sample, a function that draws one of a `size`, or the name of a distribution that is drawn
        from.
    cdf : array_like, callable or str
        Another sample, a distribution function, or the name of a distribution.
    N : int, optional
        Size of a sample that is drawn.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.kstest(cp.array([0.1, 0.4, 0.7]), lambda u: u).statistic.round(6)
    array(0.3)
    """
    options = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
    if isinstance(rvs, str):
        rvs = _distribution(rvs).rvs
    if callable(rvs):
        rvs = rvs(*args, size=N)
    if not isinstance(cdf, str) and not callable(cdf):
        return ks_2samp(rvs, cdf, alternative, method, **options)
    return ks_1samp(rvs, cdf, args, alternative, method, **options)


# ---- Cramer and von Mises ------------------------------------------------------------------------


def _host_cvm_cdf(statistic: float, n: int) -> float:
    """Distribution function of the statistic of n elements, by SciPy for a sample that has it."""
    place = (2 * np.arange(1, n + 1) - 1) / (2 * n)
    shift = math.sqrt(max(statistic - 1 / (12 * n), 0.0) / n)
    return 1.0 - by_scipy("cramervonmises", place + shift, lambda u: u).pvalue


def _cvm_cdf(statistic: float, n: float) -> float:
    """Distribution function of the statistic; the approximation has a term in 1 / n."""
    if n <= 10000:
        return _host_cvm_cdf(statistic, int(n))
    few, many = (_host_cvm_cdf(statistic, k) for k in (5000, 10000))
    return 2 * many - few + (few - many) * 10000 / n


_SQUARE = "__device__ inline double square(double x) { return x * x; }"
_SQUARED_DISTANCE = ReductionKernel(
    "float64 value, int64 count",
    "float64 w",
    "square((2 * _J + 1) / (2.0 * count) - value)",
    "a + b",
    "w = a + 1 / (12.0 * count)",
    "0",
    "squared_distance_from_function",
    preamble=_SQUARE,
)
# Ranks of the first sample, which has `n` elements, and then of the second one, each in order.
_RANK_DISTANCE = ReductionKernel(
    "float64 rank, int64 n, int64 m",
    "float64 t",
    "(_J < n ? n : m) * square(rank - (_J < n ? _J : _J - n) - 1)",
    "a + b",
    "const double product = (double)n * m, total = (double)n + m;"
    " t = a / (product * total) - (4 * product - 1) / (6 * total)",
    "0",
    "squared_distance_of_ranks",
    preamble=_SQUARE,
)


def squared_distance(values: ndarray) -> ndarray:
    """The distance of a function from rows in ascending order, of its values there."""
    return _SQUARED_DISTANCE(values, values.shape[-1], axis=-1)


@documented_as(ks_1samp)
def cramervonmises(rvs, cdf, args=(), *, axis=0, nan_policy="propagate", keepdims=False) -> Any:
    """Test whether a sample has a given distribution, by the squared distance of the two.

    The p-value is computed by SciPy on the host, which waits for the statistic.

    Parameters
    ----------
    rvs : array_like
        Sample of a continuous variable, of two elements or more.

    Returns
    -------
    CramerVonMisesResult
        Object with attributes `statistic` and `pvalue`.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.cramervonmises(cp.array([0.1, 0.4, 0.7]), lambda u: u).statistic.round(6)
    array(0.06)
    """
    function = distribution_function(cdf, args)

    def compute(x: ndarray) -> list:
        n = x.shape[-1]
        w = squared_distance(function(sort(x, axis=-1)))
        return [w, _on_host(lambda t: max(0.0, 1.0 - _cvm_cdf(t, n)), w)]

    values = apply(compute, [real(rvs, "rvs")], axis, nan_policy, keepdims, least=2)
    return CramerVonMisesResult(*values)


def _exact_cvm(x: ndarray, y: ndarray) -> ndarray:
    """Exact p-values of rows of few elements, by SciPy on the host."""
    return asarray(by_scipy("cramervonmises_2samp", x, y, "exact", axis=-1).pvalue)


@documented_as(cramervonmises)
def cramervonmises_2samp(
    x, y, method="auto", *, axis=0, nan_policy="propagate", keepdims=False
) -> Any:
    """Test whether two samples have one distribution, by their squared distance.

    The p-value is computed by SciPy on the host, which waits for the statistic.

    Parameters
    ----------
    x, y : array_like
        The two samples, of two elements or more.
    method : {'auto', 'asymptotic', 'exact'}, optional
        How p-values are computed: from the limit, or by counting orders. By default exactly for
        samples of up to 20 elements.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.cramervonmises_2samp(cp.arange(4), cp.arange(4) + 2).statistic
    array(0.34375)
    """
    _checked_method(method, "auto", "exact", "asymptotic")

    def compute(u: ndarray, v: ndarray) -> list:
        n, m = u.shape[-1], v.shape[-1]
        ranks = row_ranks(concatenate([sort(u, axis=-1), sort(v, axis=-1)], axis=-1))
        t = _RANK_DISTANCE(ranks, n, m, axis=-1)
        total, product = n + m, n * m
        if method == "exact" or (method == "auto" and max(n, m) <= 20):
            return [t, _exact_cvm(u, v)]
        mean = (1 + 1 / total) / 6
        variance: float = (total + 1) * (4 * product * total - 3 * (n * n + m * m) - 2 * product)
        variance /= 45 * total**2 * 4 * product
        scaled = 1 / 6 + (t - mean) / math.sqrt(45 * variance)

        def pvalue(value: float) -> float:
            return 1.0 if value < 0.003 else max(0.0, 1.0 - _cvm_cdf(value, math.inf))

        return [t, _on_host(pvalue, scaled)]

    arrays = [real(x, "x"), real(y, "y")]
    values = apply(compute, arrays, axis, nan_policy, keepdims, least=2)
    return CramerVonMisesResult(*values)


@functools.cache
def _normal_of(alternative: str) -> Any:
    """A sum in deviations from its mean, and its p-value, in one launch."""

    @fuse
    def finish(total, mean, deviation):
        z = (total - mean) / deviation
        return z, normal_pvalue(z, alternative)

    return finish


@documented_as(ks_2samp)
def ranksums(
    x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False
) -> tuple:
    """Test whether two samples have one distribution, by the sum of ranks of the first.

    Parameters
    ----------
    x, y : array_like
        The two samples, which may be of different size.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the distributions differ, or that of `x` is smaller or greater.

    Returns
    -------
    statistic : ndarray
        The sum of ranks in standard deviations from its mean, without regard to ties.
    pvalue : ndarray
        The p-value, by the normal distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.ranksums(cp.arange(4), cp.arange(4) + 4).statistic.round(6)
    array(-2.309401)
    """
    alternative = check_alternative(alternative)

    def compute(u: ndarray, v: ndarray) -> list:
        n, m = u.shape[-1], v.shape[-1]
        total = spoilt_ranks(concatenate([u, v], axis=-1))[0][..., :n].sum(axis=-1)
        mean, deviation = n * (n + m + 1) / 2.0, math.sqrt(n * m * (n + m + 1) / 12.0)
        return list(_normal_of(alternative)(total, mean, deviation))

    arrays = [real(x, "x"), real(y, "y")]
    return RanksumsResult(*apply(compute, arrays, axis, nan_policy, keepdims, propagates=True))


# ---- distances -----------------------------------------------------------------------------------


def _weighted_cdf(values: ndarray, weights: Any, at: ndarray, name: str) -> ndarray:
    """The distribution function of weighted values at the points `at`."""
    if weights is None:
        return counts_below(sort(values), at, True) / values.size
    weights = real(weights, name)
    if weights.shape != values.shape:
        raise ValueError(
            "Value and weight array-likes for the same empirical distribution must be of the same "
            f"size: {name} has {weights.size} elements"
        )
    if not bool((weights >= 0).all()):
        raise ValueError("All weights must be non-negative.")
    if not 0 < float(weights.sum()) < math.inf:
        raise ValueError("Weight array-like sum must be positive and finite.")
    order = values.argsort()
    sums = concatenate([weights[:1] * 0, weights[order].cumsum()])
    return sums[counts_below(values[order], at, True)] / sums[-1]


# The area between two distribution functions, or that of their squared difference: of samples
# without weights, and of given values.
_AREA = ReductionKernel(
    "float64 at, float64 next, raw float64 x, raw float64 y, int64 n, int64 m, bool is_squared",
    "float64 area",
    "area_of(share_up_to(x, 0, n, at) - share_up_to(y, 0, m, at), next - at, is_squared)",
    "a + b",
    "area = is_squared ? sqrt(2 * a) : a",
    "0",
    "area_between",
    preamble=_DISTANCES
    + """
    __device__ inline double area_of(double difference, double step, bool is_squared)
    {
        return (is_squared ? difference * difference : fabs(difference)) * step;
    }
    """,
)


def _area(u_values: Any, v_values: Any, u_weights: Any, v_weights: Any, is_squared: bool) -> Any:
    arrays = [real(u_values, "u_values"), real(v_values, "v_values")]
    for a, name in zip(arrays, ("u_values", "v_values"), strict=True):
        if a.ndim != 1:
            raise ValueError(f"{name} must be of one dimension, not {a.ndim}")
        if not a.size:
            raise ValueError("Distribution can't be empty.")
    pooled = sort(concatenate(arrays))
    at = pooled[:-1]
    if u_weights is None and v_weights is None:
        ordered = [sort(a) for a in arrays]
        sizes = [a.size for a in arrays]
        return _AREA(at, pooled[1:], *ordered, *sizes, is_squared)
    u = _weighted_cdf(arrays[0], u_weights, at, "u_weights")
    v = _weighted_cdf(arrays[1], v_weights, at, "v_weights")
    steps, difference = pooled[1:] - at, u - v
    if is_squared:
        return math.sqrt(2) * um.sqrt((difference * difference * steps).sum())
    return (abs(difference) * steps).sum()


def wasserstein_distance(u_values, v_values, u_weights=None, v_weights=None) -> ndarray:
    """Return the area between the distribution functions of two samples.

    Parameters
    ----------
    u_values, v_values : array_like
        Values of the two samples, of one dimension.
    u_weights, v_weights : array_like, optional
        Weights of the values; their checks wait for the device. By default all are equal.

    Returns
    -------
    ndarray
        The distance, without axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.wasserstein_distance(cp.array([0, 1, 3]), cp.array([5, 6, 8]))
    array(5.)
    """
    return _area(u_values, v_values, u_weights, v_weights, False)


@documented_as(wasserstein_distance)
def energy_distance(u_values, v_values, u_weights=None, v_weights=None) -> ndarray:
    """Return the energy distance of two samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.energy_distance(cp.array([0]), cp.array([2]))
    array(2.)
    """
    return _area(u_values, v_values, u_weights, v_weights, True)


def wasserstein_distance_nd(u_values, v_values, u_weights=None, v_weights=None) -> ndarray:
    """Return the least work that moves one distribution of points to another.

    SciPy solves a linear program on the host, to which the points are copied; its size is the
    product of their numbers.

    Parameters
    ----------
    u_values, v_values : array_like
        Points as rows of coordinates, or numbers.
    u_weights, v_weights : array_like, optional
        Weights of the points. By default all are equal.

    Returns
    -------
    ndarray
        The distance, without axes.

    Examples
    --------
    >>> import gpunp as cp
    >>> u, v = cp.array([[0.0, 2], [1, 5]]), cp.array([[3.0, 4], [2, 7]])
    >>> cp.scipy.stats.wasserstein_distance_nd(u, v).round(4)
    array(2.9208)
    """
    arrays = [None if x is None else real(x) for x in (u_values, v_values, u_weights, v_weights)]
    return asarray(float(by_scipy("wasserstein_distance_nd", *arrays)))
