"""The test of scales of Ansari and Bradley."""

import functools
from typing import Any

import numpy as np

from ..._core._docstrings import documented_as
from ..._core.fusion import fuse
from ..._core.multiarray import asarray, concatenate, ndarray, where
from ..._core.raw import ElementwiseKernel
from ..._core.reductions import sum
from ..._core.umath import minimum
from ..special import ndtr
from ._axis import apply, check_alternative, floating, result_type
from ._group_tests import _TAILS, mannwhitneyu
from ._ranks import spoilt_ranks
from ._sums import tie_sums

__all__ = ["ansari"]

AnsariResult: Any = result_type("AnsariResult", "statistic pvalue")

_EXACT_BELOW = 55


@functools.lru_cache(maxsize=16)
def _tails(n: int, m: int) -> np.ndarray:
    """Probabilities that the sum of n of the n + m scores is at most, and at least, each number."""
    scores = [min(rank, n + m + 1 - rank) for rank in range(1, n + m + 1)]
    ways = np.zeros((n + 1, np.sum(sorted(scores)[-n:]) + 1))
    ways[0, 0] = 1
    for score in scores:
        ways[1:, score:] += ways[:-1, :-score]
    shares = ways[n] / ways[n].sum()
    tails = np.stack([np.cumsum(shares), np.cumsum(shares[::-1])[::-1]])
    return np.minimum(tails, 1.0)


_EXACT = ElementwiseKernel(
    "float64 ab, raw float64 tails, int64 size, int32 tail",
    "float64 p",
    """
    const ptrdiff_t at = ab >= 0 && ab < size ? (ptrdiff_t)ab : 0;
    const double below = tails[at], above = tails[size + at];
    p = tail > 0 ? below : tail < 0 ? above : fmin(2 * (below < above ? below : above), 1.0);
    p = ab == ab ? p : NAN;
    """,
    "ansari_exact",
)


@fuse
def _normal(ab, squares, n, m, is_odd, tail):
    count = n + m
    odd = 16 * count * squares - (count + 1) * (count + 1) * (count + 1) * (count + 1)
    even = (16 * squares - count * (count + 2) * (count + 2)) * count
    mean = where(is_odd, n * (count + 1) * (count + 1) / (4 * count), n * (count + 2) / 4)
    var = n * m * where(is_odd, odd, even) / (16 * count * count * (count - 1))
    z = (mean - ab) / var**0.5
    return where(tail == 0, 2 * ndtr(-abs(z)), where(tail > 0, ndtr(-z), ndtr(z)))


@documented_as(mannwhitneyu)
def ansari(
    x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False
) -> tuple:
    """Test whether two samples have one scale, by how near to an end their ranks are.

    Parameters
    ----------
    alternative : {'two-sided', 'less', 'greater'}, optional
        Alternative hypothesis: the scales differ, or that of `x` is smaller or greater. P-values
        are exact for samples of less than 55 elements without ties.

    Returns
    -------
    statistic : ndarray
        Sum of the distances of the ranks of `x` from the nearer end, from 1 on.
    pvalue : ndarray
        The p-value of the hypothesis.

    Examples
    --------
    >>> import gpunp as cp
    >>> found = cp.scipy.stats.ansari(cp.array([-9, 8, 1]), cp.array([2, 3, 4, 5]))
    >>> found.statistic, found.pvalue.round(6)
    (array(5.), array(0.571429))
    """
    tail = _TAILS[check_alternative(alternative)]
    arrays = [floating(x, "x"), floating(y, "y")]

    def compute(u: ndarray, v: ndarray) -> list:
        n, m = u.shape[-1], v.shape[-1]
        ranks, keys = spoilt_ranks(concatenate([u, v], axis=-1))
        scores = minimum(ranks, n + m + 1 - ranks)
        ab = sum(scores[..., :n], axis=-1)
        squares = sum(scores * scores, axis=-1)
        p = _normal(ab, squares, float(n), float(m), bool((n + m) % 2), float(tail))
        if max(n, m) < _EXACT_BELOW:
            tails = asarray(_tails(n, m))
            exact = _EXACT(ab, tails, tails.shape[-1], tail)
            p = where((tie_sums(keys)[0] > 0).any(), p, exact)
        return [ab, p]

    values = apply(compute, arrays, axis, nan_policy, keepdims, propagates=True)
    dtype = np.result_type(*(a.dtype for a in arrays))
    return AnsariResult(*(value.astype(dtype, copy=False) for value in values))
