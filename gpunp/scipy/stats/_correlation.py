"""Rank correlation and straight lines through points."""

import functools
import math
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._docstrings import documented_as
from ..._core.fromnumeric import sort
from ..._core.multiarray import arange, asarray, concatenate, empty, ndarray, where, zeros
from ..._core.numeric import full
from ..._core.raw import ElementwiseKernel
from ...lib._quantile_impl import median
from ._axis import (
    apply,
    check_alternative,
    normal_pvalue,
    real,
    result_type,
    t_pvalue,
)
from ._ranks import row_ranks, run_lengths
from ._stats_py import _check_policy

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

SignificanceResult: Any = result_type("SignificanceResult", "statistic pvalue")
CorrelationResult: Any = result_type("SignificanceResult", "statistic pvalue", "correlation")
LinregressResult: Any = result_type(
    "LinregressResult", "slope intercept rvalue pvalue stderr", "intercept_stderr"
)
TheilslopesResult: Any = result_type("TheilslopesResult", "slope intercept low_slope high_slope")
SiegelslopesResult: Any = result_type("SiegelslopesResult", "slope intercept")


# ---- sums of rows --------------------------------------------------------------------------------


def _centered(x: ndarray) -> ndarray:
    return x - x.mean(axis=-1, keepdims=True)


def _pearson(x: ndarray, y: ndarray) -> ndarray:
    """Correlation of rows, within -1 and 1."""
    x, y = _centered(x), _centered(y)
    r = (x * y).sum(axis=-1) / um.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    return um.clip(r, -1.0, 1.0)


def _correlation_pvalue(r: ndarray, n: int, alternative: str) -> ndarray:
    """The p-value of a correlation of n pairs, by Student's distribution."""
    if n < 3:
        return full(r.shape, np.nan)
    df = n - 2
    t = r * um.sqrt(df / ((1.0 - r) * (1.0 + r)))
    return t_pvalue(t, float(df), alternative)


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
        Whether NaN spoils a result, is left out with its partner, or raises. Both of the latter
        wait for the device; 'omit' takes two samples.
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
    if b is None and as_array(a).ndim < 2:
        raise ValueError("`spearmanr` needs at least 2 variables to compare")
    if len({c.shape[1] for c in columns}) > 1:
        raise ValueError("the samples must be equally long")
    x = concatenate(columns) if len(columns) > 1 else columns[0]
    variables, n = x.shape
    if variables == 2:

        def compute(u: ndarray, v: ndarray) -> list:
            r = _pearson(row_ranks(u), row_ranks(v))
            return [r, _correlation_pvalue(r, u.shape[-1], alternative)]

        values = apply(compute, [x[0], x[1]], 0, nan_policy, False, paired=True, least=2)
        return CorrelationResult(*values, values[0])
    if nan_policy == "omit" and bool(um.isnan(x).any()):
        raise ValueError("nan_policy='omit' takes two samples, not more variables")
    ranks = _centered(row_ranks(x))
    products = ranks @ ranks.T
    same = arange(variables)
    squares = products[same, same]
    r = um.clip(products / um.sqrt(squares[:, None] * squares), -1.0, 1.0)
    r = where(same[:, None] == same, 1.0, r)
    p = _correlation_pvalue(r, n, alternative)
    spoilt = um.isnan(x).any(axis=1) | (squares == 0)
    either = spoilt[:, None] | spoilt
    r, p = where(either, np.nan, r), where(either, np.nan, p)
    return CorrelationResult(r, p, r)


def _variables(x: Any, axis: int | None) -> ndarray:
    """A variable in each row."""
    x = real(x, "a")
    if x.ndim > 2:
        raise ValueError("spearmanr only handles 1-D or 2-D arrays")
    if axis is None or x.ndim < 2:
        return x.reshape(1, -1)
    return x.T if axis == 0 else x


# ---- Kendall's tau -------------------------------------------------------------------------------

# One level of a merge sort of the rows: each element finds its place among the elements of the
# other half of its block by bisection. What a left element is greater than counts as inversions.
# W. Knight, "A computer method for calculating Kendall's tau with ungrouped data", 1966.
_MERGE = ElementwiseKernel(
    "raw int64 source, int64 count, int64 width",
    "raw int64 target, raw int64 inversions",
    """
    const ptrdiff_t size = count, half_block = width, start = i / size * size, j = i - start;
    const ptrdiff_t block = j / (2 * half_block) * 2 * half_block;
    const ptrdiff_t end = min(block + 2 * half_block, size);
    const ptrdiff_t middle = min(block + half_block, end);
    const bool is_left = j < middle;
    const long long value = source[i];
    ptrdiff_t low = is_left ? middle : block, high = is_left ? end : middle;
    const ptrdiff_t first = low;
    while (low < high) {
        const ptrdiff_t half = low + (high - low) / 2;
        const long long other = source[start + half];
        if (is_left ? other < value : other <= value) low = half + 1;
        else high = half;
    }
    const ptrdiff_t before = low - first;
    target[start + (is_left ? j + before : block + (j - middle) + before)] = value;
    if (is_left) inversions[i] += before;
    """,
    "count_and_merge",
)


def _inversions(rows: ndarray) -> ndarray:
    """How many pairs of each row are in descending order, as float64."""
    count = rows.shape[-1]
    source, target = rows.astype(np.int64), empty(rows.shape, np.int64)
    inversions = zeros(rows.shape, np.int64)
    width = 1
    while width < count:
        _MERGE(source, count, width, target, inversions, size=rows.size)
        source, target, width = target, source, 2 * width
    return inversions.sum(axis=-1).astype(np.float64)


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


def _exact_tau_pvalue(con: ndarray, n: int, alternative: str, is_whole: bool) -> ndarray:
    """Exact p-values for numbers of concordant pairs, of samples without ties.

    Of more than 33 pairs only those are right that have at most one inversion, unless `is_whole`.
    """
    total = n * (n - 1) // 2
    if n <= 33 or is_whole:
        table = asarray(_inversion_probabilities(n))
    else:  # only the two smallest numbers of inversions are asked for
        each = math.exp(-math.lgamma(n + 1))
        table = asarray(np.array([each, n * each]))

    def at_most(c: ndarray) -> ndarray:
        few = um.minimum(c, total - c - 1)  # the distribution is symmetric
        low = where(few < 0, 0.0, table[um.clip(few, 0, table.size - 1).astype(np.int64)])
        return where(2 * c > total - 1, 1.0 - low, low)

    if alternative == "two-sided":
        few = um.minimum(con, total - con)
        return where(2 * few == total, 1.0, um.minimum(2 * at_most(few), 1.0))
    return at_most(con if alternative == "less" else total - con)


def _tau(x: ndarray, y: ndarray, method: str, variant: str, alternative: str) -> list:
    """(tau, p-value) of rows."""
    n = x.shape[-1]
    total = n * (n - 1) // 2
    first = row_ranks(x, "min", np.int64) - 1
    second = row_ranks(y, "min", np.int64) - 1
    joint = sort(first * n + second, axis=-1)
    dis = _inversions(joint % n)
    ties = [run_lengths(sort(k, axis=-1)) - 1 for k in (first, second)]
    pairs = [t.sum(axis=-1) / 2 for t in ties]
    ntie = (run_lengths(joint) - 1).sum(axis=-1) / 2
    con_minus_dis = total - pairs[0] - pairs[1] + ntie - 2 * dis
    spoilt = (pairs[0] == total) | (pairs[1] == total)
    if variant == "b":
        tau = con_minus_dis / um.sqrt(total - pairs[0]) / um.sqrt(total - pairs[1])
    else:
        classes = [_different(k) for k in (first, second)]
        fewest = um.minimum(*classes)
        tau = 2 * con_minus_dis / (n * n * (fewest - 1) / fewest)
    tau = where(spoilt, np.nan, um.clip(tau, -1.0, 1.0))
    tied = (pairs[0] > 0) | (pairs[1] > 0)
    if method == "exact" and bool((tied & ~spoilt).any()):
        raise ValueError("Ties found, exact method cannot be used.")
    m = n * (n - 1.0)
    second_order = [(t * (t + 1) * (2 * (t + 1) + 5) / (t + 1)).sum(axis=-1) for t in ties]
    third_order = [(t * (t - 1)).sum(axis=-1) for t in ties]
    variance = (
        (m * (2 * n + 5) - second_order[0] - second_order[1]) / 18
        + 2 * pairs[0] * pairs[1] / m
        + (third_order[0] * third_order[1] / (9 * m * (n - 2)) if n > 2 else 0.0)
    )
    p = normal_pvalue(con_minus_dis / um.sqrt(variance), alternative)
    if method != "asymptotic":
        con = total - dis
        exact = _exact_tau_pvalue(con, n, alternative, method == "exact")
        chosen = ~tied
        if method == "auto" and n > 33:
            chosen = chosen & (um.minimum(dis, con) <= 1)
        p = where(chosen, exact, p)
    return [tau, where(spoilt, np.nan, p)]


def _different(numbers: ndarray) -> ndarray:
    """How many different numbers there are in each row, as float64."""
    keys = sort(numbers, axis=-1)
    return 1.0 + (keys[..., 1:] != keys[..., :-1]).sum(axis=-1)


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

    Discordant pairs are counted by the levels of a merge sort, one launch for each.

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
        raise ValueError(f"unknown variant of tau: {shown(variant)}; 'b' or 'c' is wanted")
    if method not in ("auto", "asymptotic", "exact"):
        raise ValueError(f"unknown method {shown(method)}")
    x, y = real(x, "x"), real(y, "y")
    if axis is None and x.size != y.size:
        raise ValueError(f"x and y must be of one size, not {x.size} and {y.size}")
    values = apply(
        lambda u, v: _tau(u, v, method, variant, alternative),
        [x, y], axis, nan_policy, keepdims, paired=True, least=2,
    )  # fmt: skip
    return CorrelationResult(*values, values[0])


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


def _weighted_tau(x: ndarray, y: ndarray, rank: ndarray, weigher: Any, additive: bool) -> ndarray:
    weights = 1.0 / (1.0 + rank) if weigher is None else _weighed(weigher, rank)
    parts = _WEIGHTED(x, y, weights, x.size, additive, size=x.size)
    swapped, tied_x, tied_y, tied, every = (part.sum() for part in parts)
    return um.clip(
        ((every - (tied_x + tied_y - tied)) - 2 * swapped)
        / um.sqrt(every - tied_x) / um.sqrt(every - tied_y), -1.0, 1.0,
    )  # fmt: skip


def _weighed(weigher: Any, rank: ndarray) -> ndarray:
    """Weights by a function of the user's, called with the array of ranks."""
    weights = as_array(weigher(rank)).astype(np.float64)
    return weights if weights.ndim else full(rank.shape, 1.0) * weights


def _descending_ranks(first: ndarray, second: ndarray) -> ndarray:
    """Ranks from 0 in descending order of the first array, then of the second."""
    n = first.size
    key = row_ranks(first, "min", np.int64) * (n + 1) + row_ranks(second, "min", np.int64)
    return n - row_ranks(key, "ordinal", np.float64)


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
    x, y : array_like
        The two samples, equally long.
    rank : bool or array_like of ints, optional
        Ranks, 0 the most important: descending ones of `x` (None); those of both samples in turn,
        of which results are averaged (True); places in the samples (False); or given ones.
    weigher : callable, optional
        Function of the array of ranks that returns the weights. By default 1 / (1 + rank).
    additive : bool, optional
        Whether the weight of a pair is the sum of the two weights, or their product.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None flattens both arrays.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out with its partner, or raises.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

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
    array(0.4)
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
        if rank is None:
            return _weighted_tau(u, v, _descending_ranks(u, v), weigher, bool(additive))
        if rank:
            ways = (_descending_ranks(u, v), _descending_ranks(v, u))
            return sum(_weighted_tau(u, v, way, weigher, bool(additive)) for way in ways) / 2
        return _weighted_tau(u, v, arange(u.size, dtype=float), weigher, bool(additive))

    def compute(u: ndarray, v: ndarray) -> list:
        lead, n = u.shape[:-1], u.shape[-1]
        pairs = zip(u.reshape(-1, n), v.reshape(-1, n), strict=True)
        tau = concatenate([one(*pair).reshape(1) for pair in pairs]).reshape(lead)
        return [tau, full(lead, np.nan)]

    values = apply(compute, [x, y], axis, nan_policy, keepdims, paired=True, least=2)
    return CorrelationResult(*values, values[0])


class SomersDResult:
    """Statistic, p-value and contingency table of `somersd`."""

    def __init__(self, statistic: ndarray, pvalue: ndarray, table: ndarray) -> None:
        self.statistic, self.pvalue, self.table = statistic, pvalue, table
        self.correlation = statistic

    def __repr__(self) -> str:
        return f"SomersDResult(statistic={self.statistic!r}, pvalue={self.pvalue!r})"


def _corner_sums(a: ndarray) -> tuple[ndarray, ndarray]:
    """For each cell the sum of those above left and below right, and of the other corners."""

    def before(x: ndarray, axis: int) -> ndarray:
        return x.cumsum(axis=axis) - x

    def after(x: ndarray, axis: int) -> ndarray:
        return x.sum(axis=axis, keepdims=True) - x.cumsum(axis=axis)

    agree = before(before(a, 0), 1) + after(after(a, 0), 1)
    differ = before(after(a, 0), 1) + after(before(a, 0), 1)
    return agree, differ


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
        table = crosstab(x, y).count
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
    a = table.astype(np.float64)
    n = a.sum()
    agree, differ = _corner_sums(a)
    excess = (a * (agree - differ)).sum()
    rows = a.sum(axis=1)
    d = excess / (n * n - (rows * rows).sum())
    spread = (a * (agree - differ) ** 2).sum() - excess**2 / n
    p = normal_pvalue(excess / um.sqrt(4 * spread), alternative)
    return SomersDResult(d, p, table)


# ---- lines ---------------------------------------------------------------------------------------


def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """Fit a straight line to points by least squares.

    Parameters
    ----------
    x, y : array_like
        Coordinates of the points, equally many.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the slope is not zero, negative, or positive.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None flattens both arrays.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out with its partner, or raises.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

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
        mx, my = u.mean(axis=-1), v.mean(axis=-1)
        du, dv = u - mx[..., None], v - my[..., None]
        xx, xy, yy = ((p * q).sum(axis=-1) / n for p, q in ((du, du), (du, dv), (dv, dv)))
        r = um.clip(xy / um.sqrt(xx * yy), -1.0, 1.0)
        slope = xy / xx
        intercept = my - slope * mx
        if n == 2:
            flat = v[..., 0] == v[..., 1]
            p = where(flat, 1.0, 0.0)
            error = slope * 0
            return [slope, intercept, where(flat, 0.0, r), p, error, error]
        df = float(n - 2)
        t = r * um.sqrt(df / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
        error = um.sqrt((1 - r * r) * yy / xx / df)
        at_zero = error * um.sqrt(xx + mx * mx)
        return [slope, intercept, r, t_pvalue(t, df, alternative), error, at_zero]

    values = apply(compute, [x, y], axis, nan_policy, keepdims, paired=True, least=2, outputs=6)
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

    def compute(u: ndarray, v: ndarray) -> list:
        r = _pearson(u, v)
        n = u.shape[-1]
        p = _correlation_pvalue(r, n, "two-sided") if n > 2 else full(r.shape, 1.0)
        return [r, p]

    arrays = [real(x, "x"), real(y, "y")]
    dtype = np.result_type(as_array(x).dtype, as_array(y).dtype, np.float32)
    values = apply(compute, arrays, axis, nan_policy, keepdims, paired=True, least=2)
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
    y = real(y, "y")
    if x is None:
        x = arange(y.size, dtype=float).reshape(y.shape)
    else:
        x = real(x, "x")
        if x.size != y.size:
            raise ValueError(f"Incompatible lengths: x has {x.size} elements, y {y.size}")
    return [y, x]


def _each_row(compute: Any) -> Any:
    """A function of one-dimensional samples, called with each row."""

    def rows(y: ndarray, x: ndarray) -> list:
        lead, n = y.shape[:-1], y.shape[-1]
        pairs = zip(y.reshape(-1, n), x.reshape(-1, n), strict=True)
        found = [[asarray(v).reshape(1) for v in compute(*pair)] for pair in pairs]
        return [concatenate(list(column)).reshape(lead) for column in zip(*found, strict=True)]

    return rows


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

    def compute(v: ndarray, u: ndarray) -> list:
        from scipy.special import ndtri

        n = u.size
        slopes = sort(_SLOPES(u, v, n, False, size=n * n))
        ranks = [run_lengths(sort(k)) for k in (u, v)]
        count = int((~um.isnan(slopes)).sum())
        if not count:
            return [full((), np.nan)] * 4
        slopes = slopes[:count]
        slope = median(slopes)
        intercept = median(v - slope * u) if method == "joint" else median(v) - slope * median(u)
        ties = [float(((t * t - 1) * 0 + (t - 1) * (2 * t + 5)).sum()) for t in ranks]
        z = float(ndtri((1 - alpha if alpha > 0.5 else alpha) / 2))
        sigma = math.sqrt(max((n * (n - 1) * (2 * n + 5) - ties[0] - ties[1]) / 18, 0.0))
        top = min(round((count - z * sigma) / 2), count - 1)
        bottom = max(round((count + z * sigma) / 2) - 1, 0)
        return [slope, intercept, slopes[bottom], slopes[top]]

    arrays = _checked_points(y, x)
    values = apply(
        _each_row(compute), arrays, axis, nan_policy, keepdims, paired=True, least=2, outputs=4
    )
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

    def compute(v: ndarray, u: ndarray) -> list:
        from ...lib._nanfunctions_impl import nanmedian

        n = u.size
        slopes = _SLOPES(u, v, n, True, size=n * n).reshape(n, n)
        slope = nanmedian(nanmedian(slopes, axis=1))
        if method == "hierarchical":
            return [slope, median(v - slope * u)]
        lines = where(um.isnan(slopes), np.nan, v[:, None] - slopes * u[:, None])
        return [slope, nanmedian(nanmedian(lines, axis=1))]

    arrays = _checked_points(y, x)
    values = apply(_each_row(compute), arrays, axis, nan_policy, keepdims, paired=True, least=2)
    return SiegelslopesResult(*values)
