"""The Riemann zeta function less 1, and the numbers of Euler and Maclaurin's formula."""

import mpmath as mp
from minimax import Fit, Table


def scaled(s):
    """2^s (zeta(s) - 1) - 1"""
    return (mp.zeta(s, 3) if s > 2 else mp.zeta(s) - 1 - mp.mpf(2) ** -s) * mp.mpf(2) ** s


def near_pole(s):
    """(zeta(s) - 1)(s - 1)"""
    if abs(s - 1) < mp.mpf("1e-20"):
        return mp.mpf(1) + (s - 1) * (mp.euler - 1)
    return (mp.zeta(s) - 1) * (s - 1)


FITS = [
    Fit(
        "ZETAC_LOW",
        lambda t: near_pole(t) - 1,
        (0, 1),
        12,
        "(zeta(x) - 1)(x - 1) - 1",
        weight=lambda t: 1 / near_pole(t),
    ),
    Fit(
        "ZETAC_HIGH",
        lambda t: near_pole(t + 1) - 1,
        (0, 1),
        12,
        "(zeta(1 + x) - 1) x - 1",
        weight=lambda t: 1 / near_pole(t + 1),
    ),
    Fit(
        "ZETAC_2",
        lambda t: scaled(t + 2),
        (0, 2),
        (8, 7),
        "2^(2 + x) (zeta(2 + x) - 1) - 1",
        weight=lambda t: 1 / (1 + scaled(t + 2)),
    ),
    Fit(
        "ZETAC_4",
        lambda t: scaled(t + 4),
        (0, 6),
        (8, 8),
        "2^(4 + x) (zeta(4 + x) - 1) - 1",
        weight=lambda t: 1 / (1 + scaled(t + 4)),
    ),
    Fit(
        "ZETAC_10",
        lambda t: scaled(t + 10),
        (0, 20),
        (8, 8),
        "2^(10 + x) (zeta(10 + x) - 1) - 1",
        weight=lambda t: 1 / (1 + scaled(t + 10)),
    ),
    Table(
        "BERNOULLI_OVER_FACTORIAL",
        [mp.bernoulli(2 * k) / mp.factorial(2 * k) for k in range(1, 13)],
        "B(2 k)/(2 k)!, k = 1 ...",
    ),
    Table("LOG2_HALF", [mp.log(mp.mpf(n) / 2, 2) for n in range(3, 8)], "log2(n/2), n = 3 ..."),
]
