"""Coefficients of the Bessel function of the second kind of order 1, up to 8."""

from functools import partial

import mpmath as mp
from minimax import Table, remez, rounded

ENDS = (1.6, 3.2, 7, 8)
PSI = [mp.digamma(k + 1) for k in range(47)]
LOG_FREE = [-(PSI[k] + PSI[k + 1]) / (mp.factorial(k) * mp.factorial(k + 1)) for k in range(46)]


def rest(x, log_unit):
    """Y_1(x) - (2/pi) log(x/unit) J_1(x) for x <= 8 by DLMF 10.8.1."""
    t = -x * x / 4
    terms = (
        (LOG_FREE[k] + 2 * log_unit / (mp.factorial(k) * mp.factorial(k + 1))) * t**k
        for k in range(46)
    )
    return (x / 2 * mp.fsum(terms) - 2 / x) / mp.pi


def series(x):
    """Y_1(x) for x <= 8."""
    return 2 / mp.pi * mp.log(x / 2) * mp.besselj(1, x) + rest(x, 0)


def log_free(t):
    """(Y_1(x) - (2/pi) log(x/z) J_1(x)) x / (x^2 - z^2) with t = x^2 and the first zero z."""
    z = mp.besselyzero(1, 1)
    if abs(t - z**2) < mp.mpf(10) ** -15:
        t = z**2 + mp.mpf(10) ** -15
    if t < mp.mpf(10) ** -20:
        return 2 / (mp.pi * z**2)
    x = mp.sqrt(t)
    return rest(x, mp.log(z / 2)) * x / (t - z**2)


def about_zero(index, v):
    """Y_1(z + v) / v about the zero z."""
    z = mp.besselyzero(1, index)
    return series(z + v) / v if abs(v) > mp.mpf(10) ** -20 else mp.bessely(1, z, derivative=1)


def best(function, interval, degree):
    """Best polynomial for the relative error."""
    return remez(function, interval, degree)[0]


def two_words(index):
    """A zero as a sum of two f64."""
    z = mp.besselyzero(1, index)
    high = rounded(z, "f64")
    return [high, z - high]


def near(index, degree):
    """The zero, and the polynomial about it."""
    z, ends = mp.besselyzero(1, index), ENDS[index - 1 : index + 1]
    return [
        Table(f"Y1_ZERO{index}", partial(two_words, index), f"Zero {index} of Y1 in two words"),
        Table(
            f"Y1_NEAR{index}",
            partial(best, partial(about_zero, index), (ends[0] - z, ends[1] - z), degree),
            f"Y1(x)/(x - zero {index}), a polynomial in x - zero {index} for {ends[0]} < x <= {ends[1]}",
        ),
    ]


FITS = [
    Table("Y1_LOG_ZERO1", lambda: [mp.log(mp.besselyzero(1, 1))], "The logarithm of zero 1 of Y1"),
    Table(
        "Y1_SMALL",
        partial(best, log_free, (0, mp.mpf(ENDS[0]) ** 2), 10),
        "(Y1(x) - (2/pi) log(x/zero 1) J1(x)) x/(x^2 - zero 1^2), a polynomial in x^2 for x <= 1.6",
    ),
    *near(1, 23),
    *near(2, 25),
    *near(3, 12),
]
