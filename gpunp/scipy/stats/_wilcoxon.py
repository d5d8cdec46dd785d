"""The signed-rank test of Wilcoxon."""

import functools
from typing import Any

import numpy as np

from ..._core._convert import shown
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, ndarray, where
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ..._core.umath import absolute
from .._borrowed import borrowed_function
from ..special import ndtr
from ._axis import apply, check_alternative, floating, result_type
from ._group_tests import _EXACT, _TAILS
from ._ranks import spoilt_ranks
from ._sums import tie_sums

__all__ = ["wilcoxon"]

WilcoxonResult: Any = result_type("WilcoxonResult", "statistic pvalue")
_WithZ: Any = result_type("WilcoxonResult", "statistic pvalue", "zstatistic")

_FEW = 13  # elements whose 2^13 signs are all counted, ties or not
_EXACT_AT_MOST = 50


@functools.lru_cache(maxsize=64)
def _signed_rank_tail(n: int) -> np.ndarray:
    """Probability that the sum of the positive ones of n ranks is at least k, for each k."""
    table = np.ones(1)
    for rank in range(1, n + 1):
        table = 0.5 * (np.pad(table, (0, rank)) + np.pad(table, (rank, 0)))
    return np.minimum(np.cumsum(table[::-1])[::-1], 1.0)


# The p-value of the sum of positive ranks among those of all signs, of at most 13 elements. Ranks
# of equal elements are halves, so sums of twice the ranks are counted.
_OF_ALL_SIGNS = ElementwiseKernel(
    "float64 shift, raw T d, raw float64 ranks, int64 n, int32 tail",
    "float64 p",
    """
    double ways[184];
    int top = 0, found = 0;
    for (int k = 0; k < 184; k++) ways[k] = k == 0;
    bool spoilt = false;
    for (ptrdiff_t j = i * n; j < (i + 1) * n; j++) {
        const double element = d[j];
        spoilt = spoilt || !(element == element);
        if (spoilt || element == 0) continue;
        const int rank = (int)(2 * (ranks[j] - shift) + 0.5);
        for (int k = top; k >= 0; k--) ways[k + rank] += ways[k];
        top += rank;
        found += element > 0 ? rank : 0;
    }
    double below = 0, above = 0, all = 0;
    for (int k = 0; k <= top; k++) {
        all += ways[k];
        below += k <= found ? ways[k] : 0;
        above += k >= found ? ways[k] : 0;
    }
    const double least = below < above ? below : above;
    p = spoilt ? NAN : (tail > 0 ? above : tail < 0 ? below : fmin(2 * least, all)) / all;
    """,
    "wilcoxon_all_signs",
)


@fuse
def _normal(plus, n, zeros, ties, is_pratt, correction, tail):
    mean = n * (n + 1) / 4 - is_pratt * zeros * (zeros + 1) / 4
    cubes = n * (n + 1) * (2 * n + 1) - is_pratt * zeros * (zeros + 1) * (2 * zeros + 1)
    spread = ((cubes - ties / 2) / 24) ** 0.5
    z = (plus - mean) / spread
    sign = where(tail == 0, where(z > 0, 1.0, where(z < 0, -1.0, 0.0)), tail)
    z = z - correction * sign * 0.5 / spread
    z = where(tail == 0, -abs(z), z)
    p = where(tail == 0, 2 * ndtr(z), where(tail > 0, ndtr(-z), ndtr(z)))
    return z, p


def wilcoxon(
    x,
    y=None,
    zero_method="wilcox",
    correction=False,
    alternative="two-sided",
    method="auto",
    *,
    axis=0,
    nan_policy="propagate",
    keepdims=False,
) -> tuple:
    """Test whether differences of pairs are symmetric about zero, by their signed ranks.

    Parameters
    ----------
    x : array_like
        The first elements of the pairs, or the differences if `y` is not given.
    y : array_like, optional
        The second elements of the pairs.
    zero_method : {'wilcox', 'pratt', 'zsplit'}, optional
        Whether differences of zero are left out, have ranks that are left out, or ranks of which
        either side gets one half.
    correction : bool, optional
        Whether the approximation is corrected for the statistic's being a whole number.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: differences are not symmetric about zero, or are smaller or greater.
    method : {'auto', 'asymptotic', 'exact'} or PermutationMethod, optional
        How p-values are computed: by the normal distribution, by counting signs as if there were
        neither ties nor zeros, which reads how many zeros there are, or, by default, exactly for
        13 elements or less, and for 50 or less without ties and zeros.
    axis : int, tuple of ints or None, optional
        Axis or axes of a sample; None takes all elements.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaN spoils a result, is left out, or raises. The latter two wait for the device.
    keepdims : bool, optional
        If True, the reduced axes are kept with size one.

    Returns
    -------
    statistic : ndarray
        Sum of the ranks of positive differences; two-sided, or of negative ones if it is less.
    pvalue : ndarray
        The p-value of the hypothesis. The attribute `zstatistic` is there with 'asymptotic',
        negative or zero if the alternative is two-sided.

    Examples
    --------
    >>> import gpunp as cp
    >>> found = cp.scipy.stats.wilcoxon(cp.array([6, 8, 14, 16, -3, 23, 24, 28]))
    >>> found.statistic, found.pvalue
    (array(1.), array(0.015625))
    """
    import scipy.stats

    if isinstance(method, scipy.stats.PermutationMethod):
        return borrowed_function("stats", "wilcoxon", scipy.stats.wilcoxon)(
            x, y, zero_method, correction, alternative, method, axis=axis,
            nan_policy=nan_policy, keepdims=keepdims,
        )  # fmt: skip
    method = "asymptotic" if method == "approx" else method  # its name before SciPy 1.13
    zeros_are = str(zero_method).lower()
    for name, value, known in (
        ("zero_method", zeros_are, ("wilcox", "pratt", "zsplit")),
        ("correction", correction, (True, False)),
        ("method", method, ("auto", "asymptotic", "exact")),
    ):
        if value not in known:
            raise ValueError(f"`{name}` must be one of {known}, not {shown(value)}")
    tail = _TAILS[check_alternative(alternative)]
    arrays = [floating(x, "x")] + ([] if y is None else [floating(y, "y")])

    def compute(u: ndarray, v: ndarray | None = None) -> list:
        d = u if v is None else u - v
        return _of_rows(d, zeros_are, bool(correction), tail, method)

    outputs = 3 if method == "asymptotic" else 2
    values = apply(
        compute, arrays, axis, nan_policy, keepdims,
        paired=True, outputs=outputs, propagates=True,
    )  # fmt: skip
    dtype = np.result_type(*(a.dtype for a in arrays))
    values = [value.astype(dtype, copy=False) for value in values]
    return (_WithZ if outputs == 3 else WilcoxonResult)(*values)


def _of_rows(d: ndarray, zeros_are: str, correction: bool, tail: int, method: str) -> list:
    """The statistic, the p-value and, where it is asymptotic, z of the rows of an array."""
    n = d.shape[-1]
    zeros = sum(d == 0, axis=-1).astype(np.float64)
    ranks, keys = spoilt_ranks(absolute(d))
    shift = zeros if zeros_are == "wilcox" else zeros * 0
    used = ranks - shift[..., None]
    plus, minus = (sum(where(side, used, 0), axis=-1) for side in (d > 0, d < 0))
    pairs, _, third, _ = tie_sums(keys)
    plus = plus + 0 * pairs  # NaN spoils it
    if zeros_are == "zsplit":
        half = zeros * (zeros + 1) / 4
        plus, minus = plus + half, minus + half
    ties = third + 6 * pairs - (0 if zeros_are == "zsplit" else zeros**3 - zeros)
    is_pratt = float(zeros_are == "pratt")
    z, p = _normal(plus, n - shift, zeros, ties, is_pratt, float(correction), float(tail))
    statistic = plus if tail else where(minus < plus, minus, plus)
    if method == "asymptotic":
        return [statistic, p, z]
    if method == "exact":
        p = _exact(plus, n - shift, n, tail)
    elif n <= _FEW:
        p = _OF_ALL_SIGNS(shift, d, ranks, n, tail)
    elif n <= _EXACT_AT_MOST:
        has_ties = ((pairs > 0) | (zeros > 0)).any()
        p = where(has_ties, p, _exact(plus, None, n, tail))
    return [statistic, p]


def _exact(plus: ndarray, counts: ndarray | None, n: int, tail: int) -> ndarray:
    """P-values of sums of ranks of as many elements as `counts` says, or of n in all rows."""
    different = {n} if counts is None else {*map(int, counts.ravel().tolist())}
    p = plus
    for count in sorted(different):
        table = asarray(_signed_rank_tail(count))
        found = _EXACT(plus, table, table.size, tail)
        p = found if counts is None or len(different) == 1 else where(counts == count, found, p)
    return p
