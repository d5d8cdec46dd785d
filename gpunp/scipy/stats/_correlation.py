"""Rank correlation and straight lines through points."""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.fusion import fuse
from ..._core.multiarray import (
    arange,
    asarray,
    concatenate,
    empty,
    ndarray,
    sorted_pairs,
    where,
    zeros,
)
from ..._core.numeric import full
from ..._core.raw import ElementwiseKernel, RawModule, ReductionKernel
from ..._core.shape_base import stack
from ...lib._quantile_impl import median
from ._axis import (
    apply,
    check_alternative,
    normal_pvalue,
    real,
    result_type,
    t_pvalue,
)
from ._means import correlation_of_rows
from ._rank_parts import RUN_ENDS
from ._ranks import ranks_in_order, row_ranks, spoilt_ranks
from ._stats_py import _check_policy
from ._sums import pair_moments, tie_sums

__all__ = [
    "kendalltau",
    "linregress",
    "pointbiserialr",
    "siegelslopes",
    "somersd",
    "spearmanr",
    "theilslopes",
    "weightedtau",
]

CorrelationResult: Any = result_type("SignificanceResult", "statistic pvalue", "correlation")
LinregressResult: Any = result_type(
    "LinregressResult", "slope intercept rvalue pvalue stderr", "intercept_stderr"
)
TheilslopesResult: Any = result_type("TheilslopesResult", "slope intercept low_slope high_slope")
SiegelslopesResult: Any = result_type("SiegelslopesResult", "slope intercept")


_TAILS = {"less": -1, "two-sided": 0, "greater": 1}  # of the kernels below


# ---- finishing of sums ---------------------------------------------------------------------------


@functools.cache
def _student_of(alternative: str) -> Any:
    """Correlation and p-value of sums of products, by Student's distribution, in one launch."""

    @fuse
    def finish(xy, xx, yy, df):
        r = um.maximum(um.minimum(xy / um.sqrt(xx * yy), 1.0), -1.0)
        return r, t_pvalue(r * um.sqrt(df / ((1.0 - r) * (1.0 + r))), df, alternative)

    return finish


def _rank_correlation(xy: ndarray, xx: ndarray, yy: ndarray, n: int, alternative: str) -> list:
    """Correlation of n pairs of ranks, with its p-value."""
    r, p = _student_of(alternative)(xy, xx, yy, float(max(n - 2, 1)))
    return [r, p] if n > 2 else [r, full(r.shape, np.nan)]


def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided") -> tuple:
    """Compute the rank correlation of Spearman, with its p-value.

    Parameters
    ----------
    a : array_like
        One sample, or a matrix with a variable in each column.
    b : array_like, optional
        Another sample or matrix, whose variables are added to those of `a`.
    axis : int or None, optional
        Axis of the observations, 0 or 1; None flattens both arrays.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out with its partner in each pair of variables, or
        raises. Both of the latter wait for the device.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the correlation is not zero, negative, or positive.

    Returns
    -------
    statistic : ndarray
        Correlation, or the matrix of correlations of more than two variables.
    pvalue : ndarray
        The p-values, of the same shape, by Student's distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.spearmanr(cp.arange(5), cp.array([1, 2, 3, 5, 4]))
    >>> result.statistic
    array(0.9)
    """
    alternative = check_alternative(alternative)
    if axis not in (None, 0, 1):
        raise ValueError(f"spearmanr only handles 1-D or 2-D arrays: axis is {shown(axis)}")
    columns = [_variables(x, axis) for x in (a, b) if x is not None]
    _check_policy(nan_policy, *columns)
    if b is None and (axis is None or as_array(a).ndim < 2):
        raise ValueError("`spearmanr` needs at least 2 variables to compare")
    if len({c.shape[1] for c in columns}) > 1:
        raise ValueError("the samples must be equally long")
    count = sum(c.shape[0] for c in columns)

    def compute(u: ndarray, v: ndarray) -> list:
        _, _, xx, xy, yy = pair_moments(*spoilt_ranks(stack([u, v]))[0])
        return _rank_correlation(xy, xx, yy, u.shape[-1], alternative)

    options: dict[str, Any] = {"paired": True, "least": 2, "propagates": True}
    if count == 2:
        pair = [c[k] for c in columns for k in range(c.shape[0])]
        values = apply(compute, pair, 0, nan_policy, False, **options)
        return CorrelationResult(*values, values[0])
    x = concatenate(columns) if len(columns) > 1 else columns[0]
    if nan_policy == "omit" and bool(um.isnan(x).any()):
        pairs = np.triu_indices(count)
        places = np.empty((count, count), np.int64)  # of each pair, and of its reverse
        places[pairs] = places[pairs[::-1]] = np.arange(len(pairs[0]))
        values = apply(compute, [x[asarray(k)] for k in pairs], 1, nan_policy, False, **options)
        r, p = (v[asarray(places)] for v in values)
        return CorrelationResult(r, p, r)
    n = x.shape[1]
    ranks = spoilt_ranks(x)[0] - (n + 1) / 2
    products = ranks @ ranks.T
    squares = products.diagonal()
    r, p = _rank_correlation(products, squares[:, None], squares, n, alternative)
    return CorrelationResult(r, p, r)


def _variables(x: Any, axis: int | None) -> ndarray:
    """A variable in each row."""
    x = real(x, "a")
    if axis is None:
        return x.reshape(1, -1)
    if x.ndim > 2:
        raise ValueError("spearmanr only handles 1-D or 2-D arrays")
    if x.ndim < 2:
        return x.reshape(1, -1)
    return x.T if axis == 0 else x


# ---- Kendall's tau -------------------------------------------------------------------------------

# Discordant pairs by a merge sort: each element finds its place in the other half of its block by
# bisection, and what a left element is greater than counts. The first kernel takes the second ranks
# from the keys and sorts tiles of them in shared memory; the second kernel merges once. A block
# writes the number of its inversions to its place of `counts`, or adds it.
# W. Knight, "A computer method for calculating Kendall's tau with ungrouped data", 1966.
_THREADS, _TILE = 256, 2048
_MERGES = """
#define THREADS %d
#define TILE %d
typedef long long i64;

// The sum over the threads of a block, in thread 0.
__device__ i64 block_sum(i64 count)
{
    __shared__ i64 sums[THREADS];
    sums[threadIdx.x] = count;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    return sums[0];
}

// Where element j of a row goes if blocks of 2 * width are merged; counts what it is greater than.
template <class Rank>
__device__ i64 place_of(const Rank *row, i64 j, i64 width, i64 size, i64 &count)
{
    const i64 block = j / (2 * width) * 2 * width;
    const i64 end = min(block + 2 * width, size), middle = min(block + width, end);
    const bool is_left = j < middle;
    const Rank value = row[j];
    const i64 first = is_left ? middle : block;
    i64 low = first, high = is_left ? end : middle;
    while (low < high) {
        const i64 half = low + (high - low) / 2;
        const Rank other = row[half];
        if (is_left ? other < value : other <= value) low = half + 1;
        else high = half;
    }
    count += is_left ? low - first : 0;
    return low - first + (is_left ? j : block + j - middle);
}

template <class Rank>
__global__ void __launch_bounds__(THREADS)
sort_tiles(const i64 *keys, Rank *ranks, i64 *counts, i64 size, i64 tiles)
{
    __shared__ Rank buffers[2][TILE];
    const i64 row = blockIdx.x / tiles, start = (blockIdx.x - row * tiles) * TILE;
    const int length = (int)min((i64)TILE, size - start);
    Rank *from = buffers[0], *to = buffers[1];
    for (int j = threadIdx.x; j < length; j += THREADS) {
        from[j] = (Rank)(keys[row * size + start + j] %% size);
    }
    i64 count = 0;
    for (int width = 1; width < length; width *= 2) {
        __syncthreads();
        for (int j = threadIdx.x; j < length; j += THREADS) {
            to[place_of(from, j, width, length, count)] = from[j];
        }
        Rank *other = from;
        from = to, to = other;
    }
    __syncthreads();
    for (int j = threadIdx.x; j < length; j += THREADS) ranks[row * size + start + j] = from[j];
    count = block_sum(count);
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

template <class Rank>
__global__ void __launch_bounds__(THREADS)
merge_level(const Rank *ranks, Rank *merged, i64 *counts, i64 size, i64 tiles, i64 width)
{
    const i64 row = blockIdx.x / tiles, start = (blockIdx.x - row * tiles) * TILE;
    const i64 end = min(start + TILE, size);
    i64 count = 0;
    for (i64 j = start + threadIdx.x; j < end; j += THREADS) {
        merged[row * size + place_of(ranks + row * size, j, width, size, count)] =
            ranks[row * size + j];
    }
    count = block_sum(count);
    if (threadIdx.x == 0) counts[blockIdx.x] += count;
}
""" % (_THREADS, _TILE)


@functools.cache
def _merges(rank: str) -> tuple[Any, Any]:
    """Both kernels for ranks of a type of C."""
    names = [f"sort_tiles<{rank}>", f"merge_level<{rank}>"]
    module = RawModule(code=_MERGES, name_expressions=names, options=("--std=c++17",))
    return module.get_function(names[0]), module.get_function(names[1])


def _inversions(keys: ndarray) -> ndarray:
    """How many pairs of the ranks `keys % count` of each row are in descending order, as int64."""
    count = keys.shape[-1]
    rows, tiles = keys.size // count, -(-count // _TILE)
    if not rows:
        return zeros(keys.shape[:-1], np.int64)
    fits = count <= 2**31 - 1
    sort_tiles, merge_level = _merges("int" if fits else "long long")
    source = empty(keys.shape, np.int32 if fits else np.int64)
    found = empty((*keys.shape[:-1], tiles), np.int64)
    shape = (rows * tiles,), (_THREADS,)
    sizes = np.int64(count), np.int64(tiles)
    sort_tiles(*shape, (keys, source, found, *sizes))
    target, width = empty(source.shape, source.dtype) if tiles > 1 else source, _TILE
    while width < count:
        merge_level(*shape, (source, target, found, *sizes, np.int64(width)))
        source, target, width = target, source, 2 * width
    return found.sum(axis=-1) if tiles > 1 else found[..., 0]


# The key of a pair: its first rank times their number, and its second rank, both from 0.
_PAIR_KEYS = ElementwiseKernel(
    "raw T sorted, int64 order, int64 count, raw int64 first",
    "raw int64 keys",
    """
    const ptrdiff_t start = i / count * count, j = i - start, place = start + order;
    keys[place] = (first[place] - 1) * count + run_first(sorted, start, j);
    """,
    "pair_keys",
    preamble=RUN_ENDS,
)
# Tau and its p-value, of sums over runs of equals. `table` has the probabilities of few inversions,
# which give the p-value where at most `most` pairs, without ties, are discordant or concordant.
_TAU = ElementwiseKernel(
    "float64 pairs_x, float64 second_x, float64 third_x, float64 different_x,"
    " float64 pairs_y, float64 second_y, float64 third_y, float64 different_y,"
    " float64 pairs, int64 discordant, int64 count, bool is_b, int32 tail, raw float64 table,"
    " int64 size, float64 most",
    "float64 tau, float64 p, bool is_tied",
    """
    const double c = count, total = 0.5 * c * (c - 1), dis = discordant, con = total - dis;
    const double excess = total - pairs_x - pairs_y + pairs - 2 * dis;
    const double fewest = fmin(different_x, different_y);
    const double of_b = excess / sqrt(total - pairs_x) / sqrt(total - pairs_y);
    const double of_c = 2 * excess / (c * c * (fewest - 1) / fewest);
    const bool is_level = !(pairs_x < total && pairs_y < total);
    tau = is_level ? NAN : fmin(fmax(is_b ? of_b : of_c, -1.0), 1.0);
    is_tied = !is_level && (pairs_x > 0 || pairs_y > 0);
    const double m = c * (c - 1);
    const double variance = (m * (2 * c + 5) - second_x - second_y) / 18
                            + 2 * pairs_x * pairs_y / m
                            + (count > 2 ? third_x * third_y / (9 * m * (c - 2)) : 0);
    const double z = excess / sqrt(variance);
    p = tail == 0 ? 2 * special::ndtr(-fabs(z)) : special::ndtr(tail < 0 ? z : -z);
    if (!is_tied && fmin(dis, con) <= most) {
        const double few = fmin(con, dis);
        p = tail == 0 ? (2 * few == total ? 1 : fmin(2 * at_most(table, size, few, total), 1.0))
                      : at_most(table, size, tail < 0 ? con : dis, total);
    }
    p = is_level ? NAN : p;
    """,
    "kendall_tau",
    preamble="""
using namespace gnp;
#include "special/ndtr.cuh"
// The probability of at most c inversions, which is symmetric about half their number.
template <class A> __device__ double at_most(const A &table, ptrdiff_t size, double c, double total)
{
    const double few = fmin(c, total - c - 1);
    const double low = few < 0 ? 0 : table[(ptrdiff_t)fmin(few, (double)(size - 1))];
    return 2 * c > total - 1 ? 1 - low : low;
}
""",
)


@functools.lru_cache(maxsize=16)
def _inversion_probabilities(n: int) -> np.ndarray:
    """Probability of at most c inversions of a random permutation of n, for each c."""
    table = np.ones(1)
    for k in range(2, n + 1):
        steps = np.zeros(table.size + k - 1)
        steps[: table.size] = table
        steps = np.cumsum(steps)
        steps[k:] -= steps[:-k].copy()
        table = steps / k
    return np.minimum(np.cumsum(table), 1.0)


def _few_inversions(n: int, method: str) -> tuple[np.ndarray, float]:
    """Probabilities of few inversions of n, and the number up to which exact p-values are taken.

    Of more than 33 pairs that is one, unless the method is exact.
    """
    if method == "asymptotic":
        return np.zeros(1), -1.0
    if n <= 33 or method == "exact":
        return _inversion_probabilities(n), math.inf
    each = math.exp(-math.lgamma(n + 1))
    return np.array([each, n * each]), 1.0


def _tau(x: ndarray, y: ndarray, method: str, variant: str, alternative: str) -> list:
    """(tau, p-value) of rows."""
    n = x.shape[-1]
    ordered, order = sorted_pairs(stack([x, y]))  # both at once, in half of the launches
    first = ranks_in_order(ordered[0], order[0], "min", np.int64)
    keys = empty(x.shape, np.int64)
    _PAIR_KEYS(ordered[1], order[1].ravel(), n, first, keys)
    keys = sort(keys, axis=-1)
    table, most = _few_inversions(n, method)
    ties = tie_sums(ordered)
    tau, p, is_tied = _TAU(
        *(s[0] for s in ties), *(s[1] for s in ties), tie_sums(keys)[0], _inversions(keys),
        n, variant == "b", _TAILS[alternative], asarray(table), table.size, most,
    )  # fmt: skip
    if method == "exact" and bool(is_tied.any()):
        raise ValueError("Ties found, exact method cannot be used.")
    return [tau, p]


@documented_as(spearmanr)
def kendalltau(
    x,
    y,
    *,
    nan_policy="propagate",
    method="auto",
    variant="b",
    alternative="two-sided",
    axis=None,
    keepdims=False,
) -> tuple:
    """Compute the rank correlation of Kendall, with its p-value.

    Discordant pairs are counted by a merge sort: tiles of 2048 pairs are one launch, each further
    level is another one.

    Parameters
    ----------
    x, y : array_like
        The two samples, equally long.
    method : {'auto', 'asymptotic', 'exact'}, optional
        How p-values are computed: by the normal distribution, by counting permutations, which
        samples with ties refuse (this waits for the device), or by the latter where there are at
        most 33 pairs or nearly all agree, and no ties.
    variant : {'b', 'c'}, optional
        The tau whose denominator corrects for ties, or Stuart's.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None flattens both arrays.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        The correlation tau; NaN where all elements are equal.
    pvalue : ndarray
        The p-value of the hypothesis that there is none.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.kendalltau(cp.arange(4), cp.array([1, 2, 4, 3])).statistic.round(6)
    array(0.666667)
    """
    alternative = check_alternative(alternative)
    if variant not in ("b", "c"):
        raise ValueError(f"unknown variant of tau {shown(variant)}: it must be 'b' or 'c'")
    if method not in ("auto", "asymptotic", "exact"):
        raise ValueError(f"unknown method {shown(method)}")
    x, y = real(x, "x"), real(y, "y")
    if axis is None and x.size != y.size:
        raise ValueError(f"x and y must be of one size, not {x.size} and {y.size}")
    values = apply(
        lambda u, v: _tau(u, v, method, variant, alternative),
        [x, y], axis, nan_policy, keepdims, paired=True, least=2, propagates=True,
    )  # fmt: skip
    return CorrelationResult(*values, values[0])


def _each_row(compute: Any, outputs: int = 2) -> Any:
    """A function of one-dimensional samples, called with each row, if there are rows."""

    def rows(*samples: ndarray) -> list:
        lead, n = samples[0].shape[:-1], samples[0].shape[-1]
        if not samples[0].size:
            return [empty(lead) for _ in range(outputs)]
        each = zip(*(sample.reshape(-1, n) for sample in samples), strict=True)
        found = [[asarray(v).reshape(1) for v in compute(*given)] for given in each]
        return [concatenate(list(column)).reshape(lead) for column in zip(*found, strict=True)]

    return rows


# ---- weighted tau --------------------------------------------------------------------------------

# The sums of all pairs of which an element is the first: exchanges, ties of x, of y, of both, all.
_WEIGHTED = ElementwiseKernel(
    "raw float64 x, raw float64 y, raw float64 w, int64 n, bool adds",
    "float64 swapped, float64 tied_x, float64 tied_y, float64 tied, float64 every",
    """
    double s = 0, tx = 0, ty = 0, t = 0, all = 0;
    const double a = x[i], b = y[i], v = w[i];
    #pragma unroll 1
    for (ptrdiff_t j = 0; j < n; j++) {
        const double weight = i < j ? (adds ? v + w[j] : v * w[j]) : 0;
        const bool same_x = a == x[j], same_y = b == y[j];
        all += weight;
        tx += same_x ? weight : 0;
        ty += same_y ? weight : 0;
        t += same_x && same_y ? weight : 0;
        s += !same_x && !same_y && (a < x[j]) != (b < y[j]) ? weight : 0;
    }
    swapped = s;
    tied_x = tx;
    tied_y = ty;
    tied = t;
    every = all;
    """,
    "weighted_pairs",
)


@fuse
def _finished(swapped, tied_x, tied_y, tied, every):
    agree = (every - (tied_x + tied_y - tied)) - 2 * swapped
    tau = agree / um.sqrt(every - tied_x) / um.sqrt(every - tied_y)
    return um.maximum(um.minimum(tau, 1.0), -1.0)


def _weighted_tau(x: ndarray, y: ndarray, rank: ndarray, weigher: Any, additive: bool) -> ndarray:
    weights = 1.0 / (1.0 + rank) if weigher is None else _weighed(weigher, rank)
    parts = empty((5, x.size))
    _WEIGHTED(x, y, weights, x.size, additive, *parts)
    return _finished(*parts.sum(axis=1))


def _weighed(weigher: Any, rank: ndarray) -> ndarray:
    """Weights by a function of the user's, called with the array of ranks."""
    weights = as_array(weigher(rank)).astype(np.float64)
    return weights if weights.ndim else full(rank.shape, 1.0) * weights


def _descending_ranks(first: ndarray, second: ndarray) -> ndarray:
    """Ranks from 0 in descending order of the first ranks, then of the second ones."""
    n = first.size
    return n - row_ranks(_joint_key(first, second, n + 1), "ordinal", np.float64)


@fuse
def _joint_key(first, second, count):
    return first * count + second


@documented_as(kendalltau)
def weightedtau(
    x,
    y,
    rank=True,
    weigher=None,
    additive=True,
    *,
    axis=None,
    nan_policy="propagate",
    keepdims=False,
) -> tuple:
    """Compute a tau of Kendall whose pairs have weights by their ranks.

    All pairs are compared, which takes time in proportion to the square of the sample.

    Parameters
    ----------
    rank : bool or array_like of ints, optional
        Ranks, 0 the most important: descending ones of `x` (None); those of both samples in turn,
        of which results are averaged (True); places in the samples (False); or given ones.
    weigher : callable, optional
        Function of the array of ranks that returns the weights. By default 1 / (1 + rank).
    additive : bool, optional
        Whether the weight of a pair is the sum of the two weights, or their product.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out with its partner, or raises.

    Returns
    -------
    statistic : ndarray
        The weighted correlation tau.
    pvalue : ndarray
        NaN, as the distribution is not known.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.weightedtau(cp.arange(4), cp.array([1, 2, 4, 3])).statistic.round(6)
    array(0.52)
    """
    x, y = real(x, "x"), real(y, "y")
    if axis is None and x.size != y.size:
        raise ValueError(f"x and y must be of one size, not {x.size} and {y.size}")
    given = None
    if rank is not None and not isinstance(rank, (bool, np.bool_)):
        given = as_array(rank).reshape(-1).astype(np.float64)
        if given.size != x.size:
            raise ValueError(f"rank must have {x.size} elements, not {given.size}")

    def one(u: ndarray, v: ndarray) -> ndarray:
        if given is not None:
            return _weighted_tau(u, v, given, weigher, bool(additive))
        if rank is not None and not rank:
            return _weighted_tau(u, v, arange(u.size, dtype=float), weigher, bool(additive))
        first, second = (row_ranks(a, "min", np.int64) for a in (u, v))
        ways = [_descending_ranks(first, second)]
        if rank:
            ways.append(_descending_ranks(second, first))
        found: Any = [_weighted_tau(u, v, way, weigher, bool(additive)) for way in ways]
        return sum(found) / len(found)

    compute = _each_row(lambda u, v: [one(u, v), np.nan])
    values = apply(compute, [x, y], axis, nan_policy, keepdims, paired=True, least=2)
    return CorrelationResult(*values, values[0])


class SomersDResult:
    """Statistic, p-value and contingency table of `somersd`."""

    def __init__(self, statistic: ndarray, pvalue: ndarray, table: ndarray) -> None:
        self.statistic, self.pvalue, self.table = statistic, pvalue, table
        self.correlation = statistic

    def __repr__(self) -> str:
        return f"SomersDResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"


# Sums over the elements a of a table, whose sums up to each place are `upto`: of a times the excess
# of the elements that agree with it over those that differ, and of its square.
_EXCESSES = ReductionKernel(
    "float64 a, raw float64 upto, int64 rows, int64 columns",
    "complex128 y",
    "excess(upto, rows, columns, _J, a)",
    "a + b",
    "y = a",
    "complex<double>(0)",
    "somers_excesses",
    reduce_type="complex<double>",
    preamble="""
template <class A>
__device__ complex<double> excess(const A &upto, const long long rows, const long long columns,
                                  const long long place, const double a)
{
    const long long i = place / columns, j = place % columns, last = (rows - 1) * columns;
    const double all = upto[last + columns - 1];
    const double above = i ? (double)upto[(i - 1) * columns + columns - 1] : 0;
    const double left = j ? (double)upto[last + j - 1] : 0;
    const double both = i && j ? (double)upto[(i - 1) * columns + j - 1] : 0;
    const double up = i ? (double)upto[(i - 1) * columns + j] : 0;
    const double beside = j ? (double)upto[i * columns + j - 1] : 0;
    const double below = all - upto[i * columns + columns - 1] - upto[last + j] + upto[place];
    const double d = both + below - (above - up) - (left - beside);
    return complex<double>(a * d, a * d * d);
}
""",
)
_SOMERS = ElementwiseKernel(
    "complex128 sums, float64 n, float64 squares",
    "float64 d, float64 z",
    """
    const double excess = sums.real();
    d = excess / (n * n - squares);
    z = excess / sqrt(4 * (sums.imag() - excess * excess / n));
    """,
    "somers_statistic",
)


def somersd(x, y=None, alternative="two-sided") -> Any:
    """Compute the ordinal association of Somers, with its p-value.

    Parameters
    ----------
    x : array_like
        Ranks of the independent variable, or a contingency table with its values in rows.
    y : array_like, optional
        Ranks of the dependent variable.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the association is not zero, negative, or positive.

    Returns
    -------
    SomersDResult
        Object with attributes `statistic`, `pvalue` and `table`, the contingency table. The number
        of different ranks is read from the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.somersd(cp.array([[4, 1], [1, 4]])).statistic
    array(0.6)
    """
    from .contingency import crosstab

    alternative = check_alternative(alternative)
    x = as_array(x)
    if x.ndim == 1:
        y = None if y is None else as_array(y)
        if y is None or x.size != y.size:
            raise ValueError("Rankings must be of equal length.")
        table: Any = crosstab(x, y).count
    elif x.ndim == 2:
        table = x
        host = table.get()  # the checks of a table need its numbers
        if np.any(host < 0):
            raise ValueError("All elements of the contingency table must be non-negative.")
        if np.any(host != host.astype(int)):
            raise ValueError("All elements of the contingency table must be integer.")
        if host.nonzero()[0].size < 2:
            raise ValueError("At least two elements of the contingency table must be nonzero.")
    else:
        raise ValueError("x must be either a 1D or 2D array")
    if min(table.shape) < 2:  # one variable is constant
        return SomersDResult(full((), np.nan), full((), np.nan), table)
    a = table.astype(np.float64)
    upto = a.cumsum(axis=0).cumsum(axis=1)
    rows = a.sum(axis=1)
    sums = _EXCESSES(a.reshape(-1), upto.reshape(-1), *a.shape)
    d, z = _SOMERS(sums, upto[-1, -1], (rows * rows).sum())
    p = normal_pvalue(z, alternative)
    return SomersDResult(d, p, table)


# ---- lines ---------------------------------------------------------------------------------------


# Line, correlation, p-value and errors of the moments of pairs; `tail` as of `kendall_tau`.
_LINE = ElementwiseKernel(
    "float64 mean_x, float64 mean_y, float64 sum_xx, float64 sum_xy, float64 sum_yy,"
    " float64 count, float64 df, int32 tail",
    "float64 slope, float64 intercept, float64 r, float64 p, float64 error, float64 at_zero",
    """
    const double xx = sum_xx / count, xy = sum_xy / count, yy = sum_yy / count;
    const double ratio = xy / sqrt(xx * yy);
    r = ratio > 1 ? 1.0 : ratio < -1 ? -1.0 : ratio;
    slope = xy / xx;
    intercept = mean_y - slope * mean_x;
    const double t = r * sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)));
    p = special::stdtr(df, tail == 0 ? -fabs(t) : tail < 0 ? t : -t) * (tail == 0 ? 2 : 1);
    error = sqrt((1 - r * r) * yy / xx / df);
    at_zero = error * sqrt(xx + mean_x * mean_x);
    """,
    "fitted_line",
    preamble="""
using namespace gnp;
#include "special/binomial.cuh"
""",
)


@documented_as(weightedtau)
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """Fit a straight line to points by least squares.

    Parameters
    ----------
    x, y : array_like
        Coordinates of the points, equally many.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the slope is not zero, negative, or positive.

    Returns
    -------
    slope, intercept : ndarray
        The line.
    rvalue : ndarray
        Correlation of the coordinates.
    pvalue : ndarray
        The p-value of the hypothesis that the slope is zero, by Student's distribution.
    stderr : ndarray
        Standard error of the slope; that of the intercept is the attribute `intercept_stderr`.
        These and the p-value are NaN for two points.

    Examples
    --------
    >>> import gpunp as cp
    >>> line = cp.scipy.stats.linregress(cp.arange(4), cp.array([1, 3, 5, 7]))
    >>> line.slope, line.intercept
    (array(2.), array(1.))
    """
    alternative = check_alternative(alternative)
    x, y = real(x, "x"), real(y, "y")

    def compute(u: ndarray, v: ndarray) -> list:
        n = u.shape[-1]
        df = n - 2 if n > 2 else np.nan  # two points say nothing about errors
        return list(_LINE(*pair_moments(u, v), n, df, _TAILS[alternative]))

    options = {"paired": True, "least": 2, "outputs": 6, "propagates": True}
    values = apply(compute, [x, y], axis, nan_policy, keepdims, **options)
    return LinregressResult(*values)


@documented_as(spearmanr)
def pointbiserialr(x, y, *, axis=0, nan_policy="propagate", keepdims=False) -> tuple:
    """Compute the correlation of a variable of two values and another, with its p-value.

    Parameters
    ----------
    x : array_like
        Sample of two values, as numbers or bool.
    y : array_like
        The other sample, equally long.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None flattens both arrays.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        Correlation of the samples.
    pvalue : ndarray
        The p-value of the hypothesis that there is none, by Student's distribution.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.pointbiserialr(cp.array([0, 0, 1, 1]), cp.array([1, 1, 2, 2])).statistic
    array(1.)
    """

    arrays = [real(x, "x"), real(y, "y")]
    dtype = np.result_type(as_array(x).dtype, as_array(y).dtype, np.float32)
    options: dict[str, Any] = {"paired": True, "least": 2, "propagates": True}
    compute = functools.partial(correlation_of_rows, "two-sided")
    values = apply(compute, arrays, axis, nan_policy, keepdims, **options)
    values = [v.astype(dtype, copy=False) for v in values]
    return CorrelationResult(*values, values[0])


_SLOPES = ElementwiseKernel(
    "raw float64 x, raw float64 y, int64 n, bool is_every",
    "float64 slope",
    """
    const ptrdiff_t row = i / n, column = i - row * n;
    const double dx = x[column] - x[row];
    const bool is_used = is_every ? dx != 0 : dx > 0;
    slope = is_used ? (y[column] - y[row]) / dx : NAN;
    """,
    "pair_slopes",
)


def _checked_points(y: Any, x: Any) -> list:
    """The coordinates that are given; of the others each sample has its own, from 0."""
    y = real(y, "y")
    if x is None:
        return [y]
    x = real(x, "x")
    if x.size != y.size:
        raise ValueError(f"Incompatible lengths: x has {x.size} elements, y {y.size}")
    return [y, x]


def _numbers_of(v: ndarray, u: ndarray | None) -> ndarray:
    return arange(v.size, dtype=float) if u is None else u


_NUMBERS = ReductionKernel(
    "T x", "int64 y", "x == x", "a + b", "y = a", "0", "count_numbers", reduce_type="long long"
)
_MIDDLE = ElementwiseKernel(
    "raw T sorted, int64 count",
    "T y",
    "y = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);",
    "middle_of_sorted",
)


def _middle(values: ndarray) -> ndarray:
    """The median of a vector in order, without NaN."""
    return _MIDDLE(values, values.size, size=1).reshape(())


@documented_as(linregress)
def theilslopes(
    y,
    x=None,
    alpha=0.95,
    method="separate",
    *,
    axis=None,
    nan_policy="propagate",
    keepdims=False,
):
    """Fit a straight line by the median of the slopes of all pairs of points.

    There is a slope for each pair, so memory is in proportion to the square of the sample.

    Parameters
    ----------
    y : array_like
        Ordinates of the points.
    x : array_like, optional
        Abscissas of the points. By default their numbers, from 0.
    alpha : float, optional
        Probability that the interval of the slope covers it, or its complement.
    method : {'separate', 'joint'}, optional
        Whether the intercept is the median ordinate less the slope times the median abscissa, or
        the median of what the slope leaves of the ordinates.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None flattens both arrays.

    Returns
    -------
    slope, intercept : ndarray
        The line.
    low_slope, high_slope : ndarray
        Interval of the slope; the number of different abscissas is read from the device.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.theilslopes(cp.array([0, 2, 4, 60])).slope
    array(11.)
    """
    if method not in ("joint", "separate"):
        raise ValueError(f"method must be either 'joint' or 'separate', not {shown(method)}")
    alpha = float(as_host(alpha))

    def compute(v: ndarray, u: ndarray | None = None) -> list:
        from scipy.special import ndtri

        n, u = v.size, _numbers_of(v, u)
        slopes = sort(_SLOPES(u, v, n, False, size=n * n))
        in_order = [sort(k) for k in (u, v)]
        ties = [float(tie_sums(k)[1]) for k in in_order]  # NaN if there is NaN
        count = int(_NUMBERS(slopes))
        if not count or math.isnan(sum(ties)):
            return [full((), np.nan)] * 4
        slopes = slopes[:count]
        slope = _middle(slopes)
        if method == "joint":
            intercept = median(v - slope * u)
        else:
            intercept = _middle(in_order[1]) - slope * _middle(in_order[0])
        z = float(ndtri((1 - alpha if alpha > 0.5 else alpha) / 2))
        sigma = math.sqrt(max((n * (n - 1) * (2 * n + 5) - ties[0] - ties[1]) / 18, 0.0))
        top = min(round((count - z * sigma) / 2), count - 1)
        bottom = max(round((count + z * sigma) / 2) - 1, 0)
        return [slope, intercept, slopes[bottom], slopes[top]]

    arrays = _checked_points(y, x)
    rows = _each_row(compute, 4)
    values = apply(rows, arrays, axis, nan_policy, keepdims, paired=True, least=2, outputs=4)
    return TheilslopesResult(*values)


@documented_as(theilslopes)
def siegelslopes(
    y, x=None, method="hierarchical", *, axis=None, nan_policy="propagate", keepdims=False
):
    """Fit a straight line by the median of each point's median slope to the others.

    There is a slope for each pair, so memory is in proportion to the square of the sample.

    Parameters
    ----------
    y : array_like
        Ordinates of the points.
    method : {'hierarchical', 'separate'}, optional
        Whether the intercept is the median of what the slope leaves of the ordinates, or the median
        of each point's median intercept.

    Returns
    -------
    slope, intercept : ndarray
        The line.

    Examples
    --------
    >>> import gpunp as cp
    >>> cp.scipy.stats.siegelslopes(cp.array([0, 2, 4, 60])).slope
    array(2.)
    """
    if method not in ("hierarchical", "separate"):
        raise ValueError(f"method must be 'hierarchical' or 'separate', not {shown(method)}")

    def compute(v: ndarray, u: ndarray | None = None) -> list:
        from ...lib._nanfunctions_impl import nanmedian

        n, u = v.size, _numbers_of(v, u)
        slopes = _SLOPES(u, v, n, True, size=n * n).reshape(n, n)
        slope = nanmedian(nanmedian(slopes, axis=1))
        if method == "hierarchical":
            return [slope, median(v - slope * u)]
        lines = where(um.isnan(slopes), np.nan, v[:, None] - slopes * u[:, None])
        return [slope, nanmedian(nanmedian(lines, axis=1))]

    arrays = _checked_points(y, x)
    values = apply(_each_row(compute), arrays, axis, nan_policy, keepdims, paired=True, least=2)
    return SiegelslopesResult(*values)
