"""Tests of spreads and of ranks of groups, and of counts against expected ones."""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_host, normalize_axis_index, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, concatenate, empty, ndarray, sorted_pairs, where
from ..._core.numeric import full, moveaxis
from ..._core.raw import ElementwiseKernel, ReductionKernel
from ..._core.shape_base import stack
from ...lib._quantile_impl import median
from ...lib._shape_base_impl import put_along_axis
from ...lib._stride_tricks_impl import broadcast_arrays, broadcast_to
from .._borrowed import borrowed_function
from ..special import chdtr, chdtrc, ndtr, ndtri, stdtr
from ._axis import SignificanceResult, apply, check_alternative, floating, real, result_type
from ._means import f_oneway, variance_ratio
from ._order_statistics import trimboth
from ._rank_parts import RUN_ENDS
from ._ranks import spoilt_ranks
from ._sums import group_moments, tie_sums
from .contingency import exponent_of  # type: ignore[attr-defined]  # not public

__all__ = [
    "bartlett",
    "brunnermunzel",
    "chisquare",
    "combine_pvalues",
    "false_discovery_control",
    "friedmanchisquare",
    "levene",
    "mannwhitneyu",
    "power_divergence",
]

_TAILS = {"less": -1, "two-sided": 0, "greater": 1}  # of the kernels below

BartlettResult: Any = result_type("BartlettResult", "statistic pvalue")
BrunnerMunzelResult: Any = result_type("BrunnerMunzelResult", "statistic pvalue")
FriedmanchisquareResult: Any = result_type("FriedmanchisquareResult", "statistic pvalue")
LeveneResult: Any = result_type("LeveneResult", "statistic pvalue")
MannwhitneyuResult: Any = result_type("MannwhitneyuResult", "statistic pvalue")
PowerDivergenceResult: Any = result_type("Power_divergenceResult", "statistic pvalue")


def _cast(values: list, arrays: list) -> list:
    dtype = np.result_type(*(a.dtype for a in arrays))
    return [v.astype(dtype, copy=False) for v in values]


# ---- spreads -------------------------------------------------------------------------------------


@fuse
def _distance(x, center):
    return abs(x - center)


@documented_as(f_oneway)
def levene(
    *samples, center="median", proportiontocut=0.05, axis=0, nan_policy="propagate", keepdims=False
) -> tuple:
    """Test whether groups have one variance, by the distances from their centers.

    Parameters
    ----------
    center : {'median', 'mean', 'trimmed'}, optional
        From where distances are taken: the median, the mean, or the mean of the elements which are
        left if some are trimmed at both ends.
    proportiontocut : float, optional
        Share of the elements that is trimmed at each end.

    Returns
    -------
    statistic : ndarray
        Variance of the distances between the groups, in units of that within.
    pvalue : ndarray
        The p-value, by the F distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.levene(cp.arange(6), 2 * cp.arange(6)).statistic.round(4)
    array(3.375)
    """
    if center not in ("mean", "median", "trimmed"):
        raise ValueError("center must be 'mean', 'median' or 'trimmed'.")
    if len(samples) < 2:
        raise ValueError("Must enter at least two input sample vectors.")
    arrays = [floating(x) for x in samples]

    def centered(x: ndarray) -> ndarray:
        if center == "median":
            return _distance(x, median(x, axis=-1)[..., None])
        kept = trimboth(x, proportiontocut, axis=-1) if center == "trimmed" else x
        return _distance(x, kept.mean(axis=-1, keepdims=True))

    def compute(*groups: ndarray) -> list:
        return variance_ratio([centered(g) for g in groups])

    values = apply(compute, arrays, axis, nan_policy, keepdims, propagates=True)
    return LeveneResult(*_cast(values, arrays))


_BARTLETT = ReductionKernel(
    "float64 count, float64 squares",
    "float64 t, float64 df",
    "group(count, squares)",
    "a + b",
    """
    const double top = a.rest * log(a.squares / a.rest) - a.logs;
    t = fmax(top / (1 + (a.inverse - 1 / a.rest) / (3 * (a.groups - 1))), 0.0);
    t = top == top ? t : NAN;
    df = a.groups - 1;
    """,
    "spread_sums{0, 0, 0, 0, 0}",
    "bartlett_statistic",
    reduce_type="spread_sums",
    preamble="""
    struct spread_sums {
        double rest, squares, logs, inverse, groups;
    };
    __device__ inline spread_sums operator+(const spread_sums &a, const spread_sums &b)
    {
        return spread_sums{a.rest + b.rest, a.squares + b.squares, a.logs + b.logs,
                           a.inverse + b.inverse, a.groups + b.groups};
    }
    __device__ inline spread_sums group(double count, double squares)
    {
        const double rest = count - 1;
        return spread_sums{rest, squares, rest * log(squares / rest), 1 / rest, 1};
    }
    """,
)


@documented_as(f_oneway)
def bartlett(*samples, axis=0, nan_policy="propagate", keepdims=False) -> tuple:
    """Test whether normal groups have one variance.

    Returns
    -------
    statistic : ndarray
        The statistic of Bartlett.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.bartlett(cp.arange(6), 2 * cp.arange(6)).statistic.round(4)
    array(2.0286)
    """
    if len(samples) < 2:
        raise ValueError("Must enter at least two input sample vectors.")
    arrays = [floating(x) for x in samples]

    def compute(*groups: ndarray) -> list:
        table = group_moments(groups, groups[0].shape[:-1])
        t, df = _BARTLETT(table[0], table[2], axis=0)
        return [t, chdtrc(df, t)]

    options: dict[str, Any] = {"least": 1, "propagates": True}
    values = apply(compute, arrays, axis, nan_policy, keepdims, **options)
    return BartlettResult(*_cast(values, arrays))


# ---- ranks ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)
def _rank_sum_tail(n: int, m: int) -> np.ndarray:
    """Probability that the statistic U of n and m elements is at least k, for each k.

    The counts of U have the generating function prod (1 - x^(n+j)) / (1 - x^j), H. Mann and
    D. Whitney, 1947; probabilities are multiplied factor by factor, so that they stay in range.
    """
    n, m = max(n, m), min(n, m)
    table = np.ones(1)
    for j in range(1, m + 1):
        steps = np.zeros(table.size + n)
        # Divided by 1 - x^j and multiplied with 1 - x^(n + j), whose quotient ends.
        longer = np.concatenate([table, np.zeros(n)])
        for r in range(j):
            longer[r::j] = np.cumsum(longer[r::j])
        steps[:] = longer
        steps[n + j :] -= longer[: -(n + j)] if n + j < longer.size else 0
        table = steps * (j / (n + j))
    return np.minimum(np.cumsum(table[::-1])[::-1], 1.0)


# The statistic and its p-value of the sum of the first sample's ranks. `tail` is -1, 0 or 1 for
# 'less', 'two-sided' and 'greater'.
_MANN_WHITNEY = ElementwiseKernel(
    "float64 ranks, float64 pairs, float64 third, float64 n, float64 m, float64 correction,"
    " int32 tail",
    "float64 u, float64 p",
    """
    const double total = n + m, ties = (third + 6 * pairs) / (total * (total - 1));
    u = ranks - n * (n + 1) / 2;
    const double other = n * m - u, larger = u > other ? u : other;
    const double used = tail > 0 ? u : tail < 0 ? other : larger;
    // Of equal elements nothing varies: two-sided, nothing is there to be corrected.
    const double beyond = used - n * m / 2, shift = tail == 0 && beyond == 0 ? 0 : correction;
    const double z = (beyond - shift) / sqrt(n * m / 12 * (total + 1 - ties));
    const double upper = special::ndtr(-z) * (tail == 0 ? 2 : 1);
    p = upper > 1 ? 1.0 : upper;
    """,
    "mann_whitney",
    preamble="""
using namespace gnp;
#include "special/ndtr.cuh"
""",
)
_EXACT = ElementwiseKernel(
    "float64 u, raw float64 table, int64 size, int32 tail",
    "float64 p",
    """
    const double other = size - 1 - u, larger = u > other ? u : other;
    const double used = tail > 0 ? u : tail < 0 ? other : larger;
    const double tail_from = table[(ptrdiff_t)(used >= 0 && used < size ? used : 0)];
    p = used == used ? fmin(tail_from * (tail == 0 ? 2 : 1), 1.0) : NAN;
    """,
    "mann_whitney_exact",
)


# Of the elements of a row and those of another, both in order: how often an element is the greater,
# ties counting half, and what `tie_sums` says of both rows together, a share for each element.
_EXCEEDING = ReductionKernel(
    "T at, raw T own, raw T other, int64 n, int64 m",
    "float64 greater, float64 pairs, float64 third",
    "exceeding_of(own, other, _i * n, _i * m, n, m, _J, at)",
    "a + b",
    "greater = a.greater, pairs = a.pairs, third = a.third",
    "exceeding{0, 0, 0}",
    "mann_whitney_counts",
    reduce_type="exceeding",
    preamble=RUN_ENDS + """
struct exceeding {
    double greater, pairs, third;
};
__device__ inline exceeding operator+(const exceeding &a, const exceeding &b)
{
    return exceeding{a.greater + b.greater, a.pairs + b.pairs, a.third + b.third};
}
template <class A, class B, class T>
__device__ exceeding exceeding_of(const A &own, const B &other, ptrdiff_t of_own,
                                  ptrdiff_t of_other, ptrdiff_t n, ptrdiff_t m, ptrdiff_t j, T at)
{
    if (!(at == at)) return exceeding{NAN, NAN, NAN};
    ptrdiff_t low = 0, high = m;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (other[of_other + middle] < at) low = middle + 1;
        else high = middle;
    }
    const bool has_equal = low < m && other[of_other + low] == at;
    const double equal = has_equal ? run_last(other, of_other, low, m) - low + 1 : 0;
    const double ties = run_last(own, of_own, j, n) - run_first(own, of_own, j) + equal;
    return exceeding{low + 0.5 * equal, 0.5 * ties, ties * (ties - 1)};
}
""",
)  # fmt: skip


def _exceeding(u: ndarray, v: ndarray) -> tuple[ndarray, ndarray, ndarray]:
    """Sums of ranks of the first rows among both, and `tie_sums` of both."""
    dtype = np.promote_types(np.promote_types(u.dtype, v.dtype), np.float32)
    u, v = (sort(x.astype(dtype, copy=False), axis=-1) for x in (u, v))
    n, m = u.shape[-1], v.shape[-1]
    greater, pairs, third = _EXCEEDING(u, u, v, n, m, axis=-1)
    less, more_pairs, more_third = _EXCEEDING(v, v, u, m, n, axis=-1)
    return _summed(greater, less, pairs, more_pairs, third, more_third, n * (n + 1) / 2)


@fuse
def _summed(greater, less, pairs, more_pairs, third, more_third, least):
    # NaN of either sample spoils the sum
    return greater + least + 0.0 * less, pairs + more_pairs, third + more_third


def mannwhitneyu(
    x,
    y,
    use_continuity=True,
    alternative="two-sided",
    axis=0,
    method="auto",
    *,
    nan_policy="propagate",
    keepdims=False,
) -> tuple:
    """Test whether two samples have one distribution, by how often one exceeds the other.

    Parameters
    ----------
    x, y : array_like
        The two samples, which may be of different size.
    use_continuity : bool, optional
        Whether the approximation is corrected for the statistic's being a whole number.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the distributions differ, or that of `x` is smaller or greater.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    method : {'auto', 'asymptotic', 'exact'} or PermutationMethod, optional
        How p-values are computed: by the normal distribution, by counting orders in a table that
        the host makes, or by the latter where a sample has at most 8 elements and no sample has
        ties. SciPy's object is SciPy's, in its array API mode.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        The number of pairs in which `x` is greater; equal ones count as one half.
    pvalue : ndarray
        The p-value of the hypothesis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.mannwhitneyu(cp.array([1, 4, 6]), cp.array([2, 3, 5])).statistic
    array(5.)
    """
    import scipy.stats

    if isinstance(method, scipy.stats.PermutationMethod):
        return borrowed_function("stats", "mannwhitneyu", scipy.stats.mannwhitneyu)(
            x, y, use_continuity, alternative, axis, method, nan_policy=nan_policy,
            keepdims=keepdims,
        )  # fmt: skip
    alternative = check_alternative(alternative)
    if use_continuity not in (True, False):
        raise ValueError("`use_continuity` must be one of {True, False}.")
    name = str(method).lower()
    if name not in ("auto", "asymptotic", "exact"):
        raise ValueError(f"method must be 'auto', 'asymptotic' or 'exact', not {shown(method)}")
    tail = _TAILS[alternative]
    arrays = [floating(x, "x"), floating(y, "y")]

    def compute(u: ndarray, v: ndarray) -> list:
        n, m = u.shape[-1], v.shape[-1]
        total, pairs, third = _exceeding(u, v)
        correction = 0.5 if use_continuity else 0.0
        statistic, p = _MANN_WHITNEY(total, pairs, third, float(n), float(m), correction, tail)
        if name == "exact" or (name == "auto" and min(n, m) <= 8):
            table = asarray(_rank_sum_tail(n, m))
            exact = _EXACT(statistic, table, table.size, tail)
            p = exact if name == "exact" else where((pairs > 0).any(), p, exact)
        return [statistic, p]

    values = apply(compute, arrays, axis, nan_policy, keepdims, propagates=True)
    return MannwhitneyuResult(*_cast(values, arrays))


@fuse
def _friedman(squares, tied, n, k):
    correction = 1.0 - tied / (k * (k * k - 1) * n)
    found = (12.0 / (k * n * (k + 1)) * squares - 3 * n * (k + 1)) / correction
    return found, chdtrc(k - 1, found)


@documented_as(f_oneway)
def friedmanchisquare(*samples, axis=0, nan_policy="propagate", keepdims=False) -> tuple:
    """Test whether repeated measurements have one distribution, by ranks within each of them.

    Parameters
    ----------
    *samples : array_like
        Three samples or more, equally long.

    Returns
    -------
    statistic : ndarray
        The statistic of Friedman, corrected for ties.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> x = cp.arange(6.0)
    >>> cp.scipy.stats.friedmanchisquare(x, x + 1, x + 2).statistic.round(6)
    array(12.)
    """
    k = len(samples)
    if k < 3:
        raise ValueError(f"At least 3 samples must be given for Friedman test, got {k}.")
    arrays = [floating(x) for x in samples]

    def compute(*groups: ndarray) -> list:
        ranks, keys = spoilt_ranks(stack(list(groups), axis=-1))
        sums = ranks.sum(axis=-2)
        pairs, _, third, _ = tie_sums(keys)
        tied = (third + 6.0 * pairs).sum(axis=-1)
        return list(_friedman((sums * sums).sum(axis=-1), tied, float(keys.shape[-2]), float(k)))

    options = {"paired": True, "propagates": True}
    values = apply(compute, arrays, axis, nan_policy, keepdims, **options)
    return FriedmanchisquareResult(*_cast(values, arrays))


_BRUNNER = ElementwiseKernel(
    "float64 mean_x, float64 squares_x, float64 mean_y, float64 squares_y, float64 n, float64 m,"
    " bool is_t, int32 tail",
    "float64 w, float64 p",
    """
    const double of_x = n * squares_x / (n - 1), of_y = m * squares_y / (m - 1);
    const double both = of_x + of_y, difference = mean_y + m / 2 - mean_x - n / 2;
    w = n * m * difference / ((n + m) * sqrt(both));
    const double df = both * both / (of_x * of_x / (n - 1) + of_y * of_y / (m - 1));
    const double at = tail == 0 ? -fabs(w) : tail < 0 ? -w : w;
    p = (is_t ? special::stdtr(df, at) : special::ndtr(at)) * (tail == 0 ? 2 : 1);
    """,
    "brunner_munzel",
    preamble="""
using namespace gnp;
#include "special/binomial.cuh"
#include "special/ndtr.cuh"
""",
)


@documented_as(mannwhitneyu)
def brunnermunzel(
    x,
    y,
    alternative="two-sided",
    distribution="t",
    nan_policy="propagate",
    *,
    axis=0,
    keepdims=False,
) -> tuple:
    """Test whether the elements of two samples are as often greater as they are smaller.

    Parameters
    ----------
    distribution : {'t', 'normal'}, optional
        Distribution of the statistic by which the p-value is computed.

    Returns
    -------
    statistic : ndarray
        The statistic W of Brunner and Munzel.
    pvalue : ndarray
        The p-value of the hypothesis.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.brunnermunzel(cp.array([1, 4, 6]), cp.array([2, 3, 5])).statistic.round(4)
    array(-0.1768)
    """
    alternative = check_alternative(alternative)
    if distribution not in ("t", "normal"):
        raise ValueError("distribution should be 't' or 'normal'")
    arrays = [real(x, "x"), real(y, "y")]

    def compute(u: ndarray, v: ndarray) -> list:
        n, m = u.shape[-1], v.shape[-1]
        pooled = spoilt_ranks(concatenate([u, v], axis=-1))[0]
        parts = [pooled[..., :n] - spoilt_ranks(u)[0], pooled[..., n:] - spoilt_ranks(v)[0]]
        _, mean, squares = group_moments(parts, u.shape[:-1])
        options = (float(n), float(m), distribution == "t", _TAILS[alternative])
        return list(_BRUNNER(mean[0], squares[0], mean[1], squares[1], *options))

    values = apply(compute, arrays, axis, nan_policy, keepdims, propagates=True)
    return BrunnerMunzelResult(*values)


# ---- p-values ------------------------------------------------------------------------------------


@functools.cache
def _combined(method: str) -> Any:
    """Statistic and p-value of sums over n p-values, in one launch."""

    @fuse
    def finish(total, n, scale):
        if method == "fisher":
            return -2 * total, chdtrc(2 * n, -2 * total)
        if method == "pearson":
            return 2 * total, chdtr(2 * n, -2 * total)
        if method == "mudholkar_george":
            return -total, stdtr(5 * n + 4, total * scale)
        if method == "tippett":
            return total, -um.expm1(n * um.log1p(-total))
        return total, ndtr(-total)

    return finish


@fuse
def _logits(p):
    return um.log(p) - um.log1p(-p)


def combine_pvalues(
    pvalues, method="fisher", weights=None, *, axis=0, nan_policy="propagate", keepdims=False
) -> tuple:
    """Combine the p-values of independent tests into one.

    Parameters
    ----------
    pvalues : array_like
        The p-values of continuous statistics.
    method : {'fisher', 'pearson', 'tippett', 'stouffer', 'mudholkar_george'}, optional
        Whose statistic is computed of them.
    weights : array_like, optional
        Weights of the p-values, which 'stouffer' takes.
    axis : int, tuple of ints or None, optional
        Axis or axes of the p-values that are combined; None takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        The statistic of the method.
    pvalue : ndarray
        The combined p-value.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.combine_pvalues(cp.array([0.01, 0.2, 0.3])).pvalue.round(4)
    array(0.0216)
    """
    names = ("fisher", "pearson", "tippett", "stouffer", "mudholkar_george")
    if method not in names:
        raise ValueError(f"Invalid method {shown(method)}: it must be one of {names}")
    arrays = [floating(pvalues, "pvalues")]
    if method == "stouffer" and weights is not None:
        given = floating(weights, "weights")
        if given.shape[-1:] != arrays[0].shape[-1:] and given.ndim == arrays[0].ndim == 1:
            raise ValueError("pvalues and weights must be of the same length.")
        arrays = list(broadcast_arrays(arrays[0], given))

    def compute(p: ndarray, *rest: ndarray) -> list:
        n = p.shape[-1]
        scale = math.sqrt(3 / n) / math.pi * math.sqrt((5 * n + 4) / (5 * n + 2)) if n else 1.0
        if method == "tippett":
            total = p.min(axis=-1)
        elif method == "stouffer":
            w = rest[0] if rest else full(p.shape[-1:], 1.0)
            total = -(ndtri(p) * w).sum(axis=-1) / um.sqrt((w * w).sum(axis=-1))
        else:
            terms: Any = {"fisher": um.log, "pearson": lambda a: um.log1p(-a)}.get(method, _logits)
            total = terms(p).sum(axis=-1)
        return list(_combined(method)(total, float(n), scale))

    values = apply(compute, arrays, axis, nan_policy, keepdims, paired=True, propagates=True)
    return SignificanceResult(*_cast(values, arrays))


def false_discovery_control(ps, *, axis=0, method="bh") -> ndarray:
    """Adjust p-values so that a limit on them is one on the rate of false discoveries.

    That they lie between 0 and 1 is checked, which waits for the device.

    Parameters
    ----------
    ps : array_like
        The p-values of the tests.
    axis : int or None, optional
        Axis along which the tests are one family; None takes all, and the result has one axis.
    method : {'bh', 'by'}, optional
        The method of Benjamini and Hochberg, or that of Benjamini and Yekutieli for tests that
        depend on each other.

    Returns
    -------
    ndarray
        Adjusted p-values.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.false_discovery_control(cp.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    name = method.lower() if isinstance(method, str) else method
    if name not in ("bh", "by"):
        raise ValueError(f"Unrecognized `method` {shown(method)}: it must be 'bh' or 'by'")
    ps = floating(ps, "ps")
    if ps.size and not bool(((ps >= 0) & (ps <= 1)).all()):
        raise ValueError("`ps` must include only numbers between 0 and 1.")
    if not (axis is None or hasattr(type(axis), "__index__")):
        raise ValueError(f"`axis` must be an integer or None, not {shown(axis)}")
    rows = ps.reshape(-1) if axis is None else ps
    last = 0 if axis is None else normalize_axis_index(int(as_host(axis)), max(ps.ndim, 1))
    if ps.ndim == 0 or rows.shape[last] <= 1:
        return ps.copy()
    rows = moveaxis(rows, last, -1)
    keys, order = sorted_pairs(rows)
    m = rows.shape[-1]
    factors = m / np.arange(1, m + 1)
    factors = factors * (1 / np.arange(1, m + 1)).sum() if name == "by" else factors
    scaled = (keys * asarray(factors.astype(ps.dtype)))[..., ::-1]
    least = um.minimum(um.minimum.accumulate(scaled, axis=-1)[..., ::-1], 1.0)
    found = empty(rows.shape, ps.dtype)
    put_along_axis(found, order, least, -1)
    return moveaxis(found, -1, last)


# ---- counts --------------------------------------------------------------------------------------

# N. Cressie and T. Read, "Multinomial goodness-of-fit tests", 1984.
_DIVERGENCE = ReductionKernel(
    "T observed, E expected, float64 exponent",
    "float64 found",
    "divergence(observed, expected, exponent)",
    "a + b",
    "found = a",
    "0",
    "power_divergence",
    preamble="""
    __device__ inline double log_term(double x, double y)
    {
        return x == 0 ? 0 : 2 * x * log(x / y);
    }
    __device__ inline double divergence(double o, double e, double exponent)
    {
        if (exponent == 1) return (o - e) * (o - e) / e;
        if (exponent == 0) return log_term(o, e);
        if (exponent == -1) return log_term(e, o);
        return o * (pow(o / e, exponent) - 1) / (0.5 * exponent * (exponent + 1));
    }
    """,
)


def power_divergence(
    f_obs, f_exp=None, ddof=0, axis=0, lambda_=None, *, nan_policy="propagate", keepdims=False
) -> tuple:
    """Test whether counts have given expected values, by a power divergence.

    Parameters
    ----------
    f_obs : array_like
        Counts of the categories.
    f_exp : array_like, optional
        Expected counts, of which the sum must be that of `f_obs`: that is checked, which waits for
        the device. By default all are equal.
    ddof : int or array_like of int, optional
        Degrees of freedom that are taken off the number of categories, besides one.
    axis : int or None, optional
        Axis of the categories; None takes all elements.
    lambda_ : float or str, optional
        Exponent of the divergence, or its name, such as 'pearson' (the default) or
        'log-likelihood'.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        Divergence of the counts from the expected ones.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Raises
    ------
    ValueError
        If the sums of counts differ by more than rounding makes of them.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.power_divergence(cp.array([16, 18, 16, 14])).statistic
    array(0.5)
    """
    options = (axis, nan_policy, keepdims)
    return _diverging(f_obs, f_exp, ddof, exponent_of(lambda_), True, options)


@documented_as(power_divergence)
def chisquare(
    f_obs, f_exp=None, ddof=0, axis=0, *, sum_check=True, nan_policy="propagate", keepdims=False
) -> tuple:
    """Test whether counts have given expected values, by squared differences.

    Parameters
    ----------
    sum_check : bool, optional
        Whether it is checked that the sums of counts and of expected ones agree.

    Returns
    -------
    statistic : ndarray
        Sum of the squared differences, each in units of the expected count.
    pvalue : ndarray
        The p-value, by the chi-squared distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.chisquare(cp.array([16, 18, 16, 14])).statistic
    array(0.5)
    """
    options = (axis, nan_policy, keepdims)
    return _diverging(f_obs, f_exp, ddof, 1.0, bool(sum_check), options)


def _diverging(
    f_obs: Any, f_exp: Any, ddof: Any, exponent: float, is_checked: bool, options: tuple
) -> Any:
    arrays = [floating(f_obs, "f_obs")]
    if f_exp is not None:
        arrays.append(floating(f_exp, "f_exp"))
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        arrays = [broadcast_to(a, shape) for a in arrays]
    spare: Any = ddof if isinstance(ddof, ndarray) else as_host(ddof)
    if isinstance(spare, np.ndarray):
        spare = asarray(spare) if spare.ndim else spare.item()
    tolerance = math.sqrt(np.finfo(np.result_type(*(a.dtype for a in arrays))).eps)

    def compute(observed: ndarray, *rest: ndarray) -> list:
        expected = rest[0] if rest else observed
        if not rest and observed.shape[-1]:
            expected = observed.mean(axis=-1, keepdims=True)
        if rest and is_checked:
            sums = [a.sum(axis=-1) for a in (observed, expected)]
            off = abs(sums[0] - sums[1]) > tolerance * abs(um.minimum(*sums))
            if bool(off.any()):
                raise ValueError(
                    "the sums of the observed and of the expected frequencies must agree to a"
                    f" relative tolerance of {tolerance:.2g}"
                )
        found = _DIVERGENCE(observed, expected, exponent, axis=-1)
        return [found, full(found.shape, observed.shape[-1] - 1.0)]

    axis, nan_policy, keepdims = options
    given: dict[str, Any] = {"paired": True, "propagates": True, "least": 0}
    found, freedom = apply(compute, arrays, axis, nan_policy, keepdims, **given)
    return PowerDivergenceResult(*_cast([found, chdtrc(freedom - spare, found)], arrays))
