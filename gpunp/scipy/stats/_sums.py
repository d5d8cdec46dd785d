"""Reductions that tests share: moments of pairs and of groups, sums over runs of equal elements.

Each reads its rows once. Moments are merged by differences of means, so that they keep their digits
far from zero. P. Pebay, "Formulas for robust, one-pass parallel computation of covariances and
arbitrary-order statistical moments", 2008.
"""

from typing import Any

from ..._core.multiarray import empty, ndarray
from ..._core.raw import ReductionKernel

__all__ = ["group_moments", "pair_moments", "scaled_pair_moments", "tie_sums", "variance_between"]

# Number of pairs, means, sums of the products of distances from them.
_PAIR = """
struct pair_sums {
    double count, x, y, xx, xy, yy;
};
__device__ inline pair_sums pair(double x, double y)
{
    return pair_sums{1, x, y, 0, 0, 0};
}
// The power of two that brings numbers into [1, 2); NaN for elements that are all equal.
__device__ inline double scale_of(double low, double high)
{
    const double largest = fmax(fabs(low), fabs(high));
    const long long exponent = __double_as_longlong(largest) >> 52;
    const double scale = __longlong_as_double((exponent < 2045 ? 2046 - exponent : 1) << 52);
    return low == high ? NAN : scale;
}
__device__ inline pair_sums operator+(const pair_sums &a, const pair_sums &b)
{
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const double count = a.count + b.count, share = b.count / count, weight = a.count * share;
    const double x = b.x - a.x, y = b.y - a.y;
    return pair_sums{count, a.x + x * share, a.y + y * share, a.xx + b.xx + x * x * weight,
                     a.xy + b.xy + x * y * weight, a.yy + b.yy + y * y * weight};
}
"""
_OUTPUTS = "float64 mean_x, float64 mean_y, float64 xx, float64 xy, float64 yy"
_STORE = "mean_x = a.x, mean_y = a.y, xx = a.xx, xy = a.xy, yy = a.yy"
_MOMENTS_OF_PAIRS = ReductionKernel(
    "X x, Y y",
    _OUTPUTS,
    "pair(x, y)",
    "a + b",
    _STORE,
    "pair_sums{0, 0, 0, 0, 0, 0}",
    "pair_moments",
    reduce_type="pair_sums",
    preamble=_PAIR,
)
_MOMENTS_OF_SCALED_PAIRS = ReductionKernel(
    "X x, Y y, L low_x, L high_x, M low_y, M high_y",
    _OUTPUTS,
    "pair((double)x * scale_of(low_x, high_x), (double)y * scale_of(low_y, high_y))",
    "a + b",
    _STORE,
    "pair_sums{0, 0, 0, 0, 0, 0}",
    "scaled_pair_moments",
    reduce_type="pair_sums",
    preamble=_PAIR,
)


def pair_moments(x: ndarray, y: ndarray) -> tuple[ndarray, ...]:
    """Both means of rows, and sums of products of the distances from them: xx, xy, yy."""
    return _MOMENTS_OF_PAIRS(x, y, axis=-1)


def scaled_pair_moments(x: ndarray, y: ndarray, extents: list) -> tuple[ndarray, ...]:
    """Those of rows in units of powers of two, so that squares are in range.

    `extents` are the smallest and the largest elements of `x`, then of `y`, with their last axis.
    """
    return _MOMENTS_OF_SCALED_PAIRS(x, y, *extents, axis=-1)


# Number, mean and sum of squared distances from it; of groups with weights, the sum of weights,
# their mean and the variance between them, and sums for the degrees of freedom of Welch.
_GROUP = """
struct group_sums {
    double weight, mean, between, within, count, inverse, first, second;
};
__device__ inline group_sums element(double x)
{
    return group_sums{1, x, 0, 0, 0, 0, 0, 0};
}
__device__ inline group_sums group(double count, double mean, double squares, bool is_welch)
{
    const double weight = is_welch ? count * (count - 1) / squares : count;
    const double inverse = 1 / (count - 1), first = weight * inverse;
    return group_sums{weight, mean, 0, squares, count, inverse, first, first * weight};
}
__device__ inline group_sums operator+(const group_sums &a, const group_sums &b)
{
    if (b.weight == 0) return a;
    if (a.weight == 0) return b;
    const double weight = a.weight + b.weight, share = b.weight / weight, d = b.mean - a.mean;
    return group_sums{weight, a.mean + d * share,
                      a.between + b.between + d * d * (a.weight * share), a.within + b.within,
                      a.count + b.count, a.inverse + b.inverse,
                      a.first + b.first, a.second + b.second};
}
"""
_NOTHING = "group_sums{0, 0, 0, 0, 0, 0, 0, 0}"
_MOMENTS_OF_GROUP = ReductionKernel(
    "T x, S origin",
    "float64 count, float64 mean, float64 squares",
    "element((double)x - origin)",
    "a + b",
    "count = a.weight, mean = a.mean, squares = a.between",
    _NOTHING,
    "group_moments",
    reduce_type="group_sums",
    preamble=_GROUP,
)
_BETWEEN = ReductionKernel(
    "float64 count, float64 mean, float64 squares, bool is_welch",
    "float64 between, float64 within, float64 spread",
    "group(count, mean, squares, is_welch)",
    "a + b",
    "between = a.between, within = a.within,"
    " spread = a.inverse - (2 * a.first - a.second / a.weight) / a.weight",
    _NOTHING,
    "variance_between",
    reduce_type="group_sums",
    preamble=_GROUP,
)


def group_moments(groups: Any, lead: tuple[int, ...], origin: Any = 0.0) -> ndarray:
    """Number, mean and sum of squares of the rows of each group: axes for these, groups, rows.

    Means are distances from the origin, by which those of numbers that are far from zero and close
    to each other keep their digits.
    """
    table = empty((3, len(groups), *lead))
    for k, g in enumerate(groups):
        _MOMENTS_OF_GROUP(g, origin, table[0, k], table[1, k], table[2, k], axis=-1)
    return table


def variance_between(table: ndarray, is_welch: bool = False) -> tuple[ndarray, ...]:
    """Squares between groups and within them, each group weighted by its number of elements.

    With `is_welch` the weight is that number in units of the group's variance; the last of the
    results is the sum of (1 - share of the weight)**2 / (number - 1) over the groups.
    """
    return _BETWEEN(table[0], table[1], table[2], is_welch, axis=0)


# The first element of each run finds its end by steps that double, and stands for all of it. NaN,
# which comes last, differs from all, and makes the sums NaN.
_TIES = ReductionKernel(
    "T key, raw T keys, int64 count",
    "float64 pairs, float64 second, float64 third, float64 different",
    "run_sums(keys, i / count * count, i % count, count)",
    "a + b",
    "pairs = a.pairs, second = a.second, third = a.third, different = a.different",
    "tie_sums{0, 0, 0, 0}",
    "tie_sums",
    reduce_type="tie_sums",
    preamble="""
    struct tie_sums {
        double pairs, second, third, different;
    };
    __device__ inline tie_sums operator+(const tie_sums &a, const tie_sums &b)
    {
        return tie_sums{a.pairs + b.pairs, a.second + b.second, a.third + b.third,
                        a.different + b.different};
    }
    template <class A>
    __device__ tie_sums run_sums(const A &keys, ptrdiff_t start, ptrdiff_t j, ptrdiff_t count)
    {
        const auto key = keys[start + j];
        if (!(key == key)) return tie_sums{NAN, NAN, NAN, NAN};
        const bool is_first = j == 0 || keys[start + (j > 0 ? j - 1 : 0)] != key;
        ptrdiff_t inside = j, step = 1, outside = j + 1;
        while (is_first && outside < count && keys[start + outside] == key) {
            inside = outside;
            step *= 2;
            outside = j + step;
        }
        outside = outside < count ? outside : count;
        while (is_first && outside - inside > 1) {
            const ptrdiff_t middle = inside + (outside - inside) / 2;
            const bool is_equal = keys[start + middle] == key;
            inside = is_equal ? middle : inside;
            outside = is_equal ? outside : middle;
        }
        const double t = is_first ? inside - j + 1 : 0, pairs = t * (t - 1);
        return tie_sums{pairs / 2, pairs * (2 * t + 5), pairs * (t - 2), (double)is_first};
    }
    """,
)


def tie_sums(keys: ndarray) -> tuple[ndarray, ...]:
    """Of sorted rows sums over the runs of t equal elements, NaN where there is NaN.

    They are t (t - 1) / 2, t (t - 1) (2 t + 5) and t (t - 1) (t - 2), and the number of runs.
    """
    return _TIES(keys, keys, keys.shape[-1], axis=-1)
