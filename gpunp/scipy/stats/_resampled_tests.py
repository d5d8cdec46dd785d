"""Tests whose p-values come from samples that are drawn: groups that are exchanged, models.

Draws are made on the device in batches, which bound the memory, and each batch is computed with a
few launches.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import shown
from ..._core.fromnumeric import argsort, take
from ..._core.multiarray import array, concatenate, ndarray, sorted_pairs, where
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import NoValue, cumsum
from ...lib._stride_tricks_impl import broadcast_arrays
from ...random import default_rng
from ._axis import SignificanceResult, check_alternative, real, result_type
from ._rank_parts import RUN_ENDS
from ._ranks import row_ranks

__all__ = ["anderson_ksamp", "bws_test"]

Anderson_ksampResult: Any = result_type(
    "Anderson_ksampResult", "statistic critical_values pvalue", "significance_level"
)

_BATCH = 1 << 22  # elements of a batch


@dataclass(eq=False)
class PermutationTestResult:
    """Statistic, p-value and the statistics of groups that were exchanged."""

    statistic: ndarray
    pvalue: ndarray
    null_distribution: ndarray


# ---- groups that are exchanged -------------------------------------------------------------------


def _options(method: Any) -> tuple[int, int | None, Any]:
    """Number of draws, size of batches and generator of SciPy's `PermutationMethod`, or None."""
    if method is None:
        return 9999, None, default_rng()
    count = getattr(method, "n_resamples", None)
    if count is None:
        raise ValueError(
            f"`method` must be an instance of `PermutationMethod`, got {shown(method)}"
        )
    rng = getattr(method, "rng", None)
    rng = getattr(method, "random_state", None) if rng is None else rng
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(1 << 62))
    elif isinstance(rng, np.random.RandomState):
        rng = int(rng.randint(1 << 31))
    generator = default_rng(rng) if rng is None or isinstance(rng, (int, np.integer)) else rng
    batch = method.batch
    return int(count), None if batch is None else int(batch), generator


def _all_groupings(sizes: list[int]) -> np.ndarray:
    """Every way to divide elements among groups of these sizes: rows of the groups' numbers."""
    rows = [np.full(sum(sizes), len(sizes) - 1)]
    for group, size in enumerate(sizes[:-1]):
        longer = []
        for row in rows:
            free = np.flatnonzero(row == len(sizes) - 1)
            for chosen in itertools.combinations(free, size):
                other = row.copy()
                other[list(chosen)] = group
                longer.append(other)
        rows = longer
    return np.array(rows)


def _ways(sizes: list[int]) -> float:
    """How many ways there are to divide elements among groups, infinity for many elements."""
    total = sum(sizes)
    if total > 400:
        return math.inf
    return math.factorial(total) // math.prod(map(math.factorial, sizes))


def _groupings(sizes: list[int], method: Any) -> Iterator[ndarray]:
    """Batches of rows of groups' numbers: all there are, if these are few, or drawn ones."""
    count, batch, generator = _options(method)
    total = sum(sizes)
    rows = max(1, _BATCH // total) if batch is None else batch
    if _ways(sizes) <= count:
        known = array(_all_groupings(sizes).astype(np.int32))
        for start in range(0, known.shape[0], rows):
            yield known[start : start + rows]
        return
    labels = array(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))
    for start in range(0, count, rows):
        keys = generator.random((min(rows, count - start), total))
        yield take(labels, argsort(keys, axis=-1))


def _exchanged(
    statistic: Callable[[ndarray], ndarray], observed: ndarray, sizes: list[int],
    alternative: str, method: Any,
) -> PermutationTestResult:  # fmt: skip
    """The p-value of a statistic, of which the function gives that of each row of groups."""
    is_exact = _ways(sizes) <= _options(method)[0]
    parts = [statistic(labels) for labels in _groupings(sizes, method)]
    null = concatenate(parts) if len(parts) > 1 else parts[0]
    margin = 1e-14 * abs(observed)
    added = 0 if is_exact else 1
    tails = {
        "less": (null <= observed + margin).sum(),
        "greater": (null >= observed - margin).sum(),
    }
    shares = {name: (tail + added) / (null.size + added) for name, tail in tails.items()}
    if alternative == "two-sided":
        p = um.minimum(2 * um.minimum(shares["less"], shares["greater"]), 1.0)
    else:
        p = shares[alternative]
    return PermutationTestResult(observed, p, null)


# ---- k samples -----------------------------------------------------------------------------------

VARIANTS = ("midrank", "right", "continuous")
_RUNS = ElementwiseKernel(
    "raw float64 sorted, int64 count",
    "int64 first, int64 last",
    "first = run_first(sorted, 0, i); last = run_last(sorted, 0, i, count);",
    "tie_ends",
    preamble=RUN_ENDS,
)
# Terms of F. Scholz and M. Stephens, Journal of the American Statistical Association 82, 1987, of
# the elements in order: `upto` has the number of a sample's elements up to each, in rows.
_TERMS = ElementwiseKernel(
    "raw int64 upto, int64 first, int64 last, int64 count, int64 size, int32 variant",
    "float64 y",
    """
    const long long place = i % count, start = i - place;
    const double le = upto[start + (variant == 2 ? place : last)];
    const double lt = first > 0 ? (double)upto[start + first - 1] : 0.0;
    const double all = count, ties = variant == 0 ? last + 1 - first : 0;
    const double b = variant == 0 ? 0.5 * (last + 1 + first) : variant == 1 ? last + 1 : place + 1;
    const double d = all * (variant == 0 ? 0.5 * (le + lt) : le) - b * size;
    const double below = b * (all - b) - 0.25 * all * ties;
    y = b < all && below > 0 ? d * d / below / (all * size) : 0;
    """,
    "anderson_ksamp",
)


def _ksamp(labels: ndarray, sizes: list[int], ends: tuple, variant: str) -> ndarray:
    """The distance of each row of samples' numbers, of the elements in order."""
    first, last = ends
    total: Any = 0.0
    for group, size in enumerate(sizes):
        upto = cumsum(labels == group, axis=-1, dtype=np.int64)
        number = VARIANTS.index(variant)
        terms = _TERMS(upto, *broadcast_arrays(first, last, upto)[:2], upto.shape[-1], size, number)
        total = total + terms.sum(axis=-1)
    count = labels.shape[-1]
    return total * (count - 1) / count if variant == "midrank" else total


@functools.lru_cache(maxsize=8)
def _sums_of_reciprocals(count: int) -> tuple[float, float]:
    """The sums h and g of the variance."""
    sums = np.cumsum(1.0 / np.arange(count - 1, 1, -1))
    return float(sums[-1] + 1), float((sums / np.arange(2, count)).sum())


def _ksamp_deviation(sizes: list[int]) -> float:
    n, k = sum(sizes), len(sizes)
    inverse = math.fsum(1 / size for size in sizes)
    if n == 3:
        return math.nan  # the formula divides by n - 3
    h, g = _sums_of_reciprocals(n)
    a = (4 * g - 6) * (k - 1) + (10 - 6 * g) * inverse
    b = (2 * g - 4) * k**2 + 8 * h * k + (2 * g - 14 * h - 4) * inverse - 8 * h + 4 * g - 6
    c = (6 * h + 2 * g - 2) * k**2 + (4 * h - 4 * g + 6) * k + (2 * h - 6) * inverse + 4 * h
    d = (2 * h + 6) * k**2 - 4 * h * k
    return math.sqrt((a * n**3 + b * n**2 + c * n + d) / ((n - 1.0) * (n - 2) * (n - 3)))


# Critical values by 1, 1 / sqrt(m) and 1 / m for m = k - 1, and their probabilities (table 2).
_CRITICAL = (
    (0.675, 1.281, 1.645, 1.96, 2.326, 2.573, 3.085),
    (-0.245, 0.25, 0.678, 1.149, 1.822, 2.364, 3.615),
    (-0.105, -0.305, -0.362, -0.391, -0.396, -0.345, -0.154),
)
_LEVELS = (0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001)


def _variant(midrank: Any, variant: Any) -> str:
    if variant is not NoValue:
        if variant not in VARIANTS:
            raise ValueError(f"`variant` must be one of {set(VARIANTS)}.")
        return variant
    return "midrank" if midrank is NoValue or midrank else "right"


def anderson_ksamp(samples, midrank=NoValue, *, variant=NoValue, method=None) -> tuple:
    """Test whether several samples have the same distribution.

    The p-value is interpolated in a table between 0.25 and 0.001, and one of these beyond. Whether
    all elements are equal is read.

    Parameters
    ----------
    samples : sequence of array_like
        Samples of one dimension, two at least.
    midrank : bool, optional
        Whether ties count half; otherwise they count as smaller. True by default.
    variant : {'midrank', 'right', 'continuous'}, optional
        The same, or elements without ties. With it the result has no critical values.
    method : PermutationMethod, optional
        SciPy's object, which asks for a p-value of samples whose elements are exchanged.

    Returns
    -------
    statistic : ndarray
        The distance of Anderson and Darling, standardized.
    critical_values : ndarray of NumPy
        Critical values of the probabilities 0.25, 0.1, 0.05, 0.025, 0.01, 0.005 and 0.001.
    pvalue : ndarray
        The p-value of the statistic.

    Examples
    --------
    >>> import gpunp as cp
    >>> x, y = cp.arange(10.0), cp.arange(8.0) + 3
    >>> result = cp.scipy.stats.anderson_ksamp([x, y])
    >>> result.statistic.round(4), result.pvalue.round(4)
    (array(0.4008), array(0.2279))
    """
    kind = _variant(midrank, variant)
    rows = []
    for x in map(real, samples):  # a range of any length ends at its first number
        if x.ndim != 1:
            raise ValueError("anderson_ksamp needs samples of one dimension")
        rows.append(x)
    if len(rows) < 2:
        raise ValueError("anderson_ksamp needs at least two samples")
    sizes = [x.size for x in rows]
    if min(sizes) == 0:
        raise ValueError("anderson_ksamp encountered sample without observations")
    if sum(sizes) < 3:
        raise ValueError(f"anderson_ksamp needs three observations, and there are {sum(sizes)}")
    keys, order = sorted_pairs(concatenate(rows))
    if not bool(keys[0] != keys[-1]):
        raise ValueError("anderson_ksamp needs more than one distinct observation")
    groups = array(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))
    ends = _RUNS(keys, keys.size, size=keys.size)
    labels = take(groups, order)
    m, deviation = len(sizes) - 1, _ksamp_deviation(sizes)

    def statistic(of: ndarray) -> ndarray:
        return (_ksamp(of, sizes, ends, kind) - m) / deviation

    found = statistic(labels)
    critical = np.array([1, m**-0.5, 1 / m]) @ np.array(_CRITICAL)
    if method is not None:
        p = _exchanged(statistic, found, sizes, "greater", method).pvalue
    else:
        c2, c1, c0 = np.polyfit(critical, np.log(_LEVELS), 2)
        p = um.exp((c2 * found + c1) * found + c0)
        p = where(found < critical.min(), _LEVELS[0], where(found > critical.max(), _LEVELS[-1], p))
    if variant is not NoValue:
        return SignificanceResult(found, p)
    return Anderson_ksampResult(found, critical, p, p)


# ---- two samples ---------------------------------------------------------------------------------

_BWS = ElementwiseKernel(
    "float64 rank, int64 upto, bool is_first, int64 n, int64 m, int64 count, bool is_signed",
    "float64 y",
    """
    const double all = n + m, place = i % count + 1;
    const double size = is_first ? n : m, other = is_first ? m : n;
    const double j = is_first ? upto : place - upto, d = rank - all / size * j;
    const double share = j / (size + 1), scale = share * (1 - share) * other * all / size;
    const double term = (is_signed ? d * fabs(d) : d * d) / scale / size;
    y = 0.5 * (is_signed && !is_first ? -term : term);
    """,
    "baumgartner_weiss_schindler",
)


def bws_test(x, y, *, alternative="two-sided", method=None) -> PermutationTestResult:
    """Test by Baumgartner, Weiss and Schindler whether two samples have the same distribution.

    Samples are checked for NaN, which reads them.

    Parameters
    ----------
    x, y : array_like
        Samples of one dimension.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the distributions differ, or that of `x` is the smaller or the
        greater one.
    method : PermutationMethod, optional
        SciPy's object, with the number of exchanges; by default 9999, or all if these are fewer.

    Returns
    -------
    PermutationTestResult
        Object with attributes `statistic`, `pvalue` and `null_distribution`, the statistics of the
        exchanged samples.

    Examples
    --------
    >>> import gpunp as cp
    >>> result = cp.scipy.stats.bws_test(cp.array([1, 2, 3.5]), cp.array([4, 5, 6.0, 2]))
    >>> result.statistic.round(4), result.pvalue.round(4)
    (array(1.7245), array(0.1429))
    """
    alternative = check_alternative(alternative)
    x, y = real(x, "x"), real(y, "y")
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("`x` and `y` must be exactly one-dimensional.")
    pooled = concatenate([x, y])
    if bool(um.isnan(pooled).any()):
        raise ValueError("`x` and `y` must not contain NaNs.")
    if min(x.size, y.size) < 2:
        raise ValueError("`x` and `y` must have two or more elements.")
    sizes = [x.size, y.size]
    keys, order = sorted_pairs(pooled)
    ranks = take(row_ranks(pooled), order)
    is_signed = alternative != "two-sided"

    def statistic(labels: ndarray) -> ndarray:
        is_first = labels == 0
        upto = cumsum(is_first, axis=-1, dtype=np.int64)
        terms = _BWS(ranks, upto, is_first, *sizes, keys.size, is_signed)
        return terms.sum(axis=-1)

    labels = take(array(np.repeat(np.arange(2, dtype=np.int32), sizes)), order)
    side = alternative if is_signed else "greater"
    return _exchanged(statistic, statistic(labels), sizes, side, method)
