"""Expansions of the complete elliptic integral of the second kind about m = 1."""

import mpmath as mp
from minimax import Table


def weight(k):
    """The coefficient of p^(k + 1) log(1 / p) in E(1 - p), DLMF 19.12.2."""
    half, more = mp.mpf(1) / 2, mp.mpf(3) / 2
    return mp.rf(half, k) * mp.rf(more, k) / (mp.rf(2, k) * mp.factorial(k)) / 4


def shift(k):
    """What is added to log(1 / k') there: d(k) - 1 / ((2 k + 1) (2 k + 2))."""
    d = mp.digamma(1 + k) - mp.digamma(mp.mpf(1) / 2 + k)
    return d - mp.mpf(1) / ((2 * k + 1) * (2 * k + 2))


FITS = [
    Table(
        "ELLIPE_LOG",
        lambda: [weight(k) for k in range(18)],
        "Factors of p^k log(1 / p) in E(1 - p) / p",
    ),
    Table(
        "ELLIPE_REST",
        lambda: [2 * weight(k) * shift(k) for k in range(18)],
        "The rest of (E(1 - p) - 1) / p",
    ),
]
