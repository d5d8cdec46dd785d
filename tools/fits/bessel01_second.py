"""Coefficients of the Bessel functions of the second kind of order 0, up to 8."""

from functools import partial

import mpmath as mp
from minimax import Table, remez, rounded

ENDS0 = (1.6, 2.9, 5.4, 8)
CENTRE = mp.mpf("2.25")


PSI = [mp.digamma(k + 1) for k in range(46)]


def series(x):
    """Y_0(x) for x <= 8 by DLMF 10.8.2."""
    t = x * x
    return (
        2
        / mp.pi
        * (
            mp.log(x / 2) * mp.besselj(0, x)
            - mp.fsum(PSI[k] * (-t / 4) ** k / mp.factorial(k) ** 2 for k in range(45))
        )
    )


def log_free0(t):
    """(Y_0(x) - (2/pi) log(x/z) J_0(x)) / (x^2 - z^2) with t = x^2 and the first zero z (DLMF 10.8.2)."""
    z = mp.besselyzero(0, 1)
    if abs(t - z**2) < mp.mpf(10) ** -15:
        t = z**2 + mp.mpf(10) ** -15
    rest = (
        2
        / mp.pi
        * mp.fsum(
            (mp.log(z / 2) - PSI[k]) * (-t / 4) ** k / mp.factorial(k) ** 2 for k in range(45)
        )
    )
    return rest / (t - z**2)


def about_zero(n, index, v):
    """Y_n(z + v) / v about the zero z."""
    z = mp.besselyzero(n, index)
    return series(z + v) / v if abs(v) > mp.mpf(10) ** -20 else mp.bessely(n, z, derivative=1)


def best(function, interval, degree):
    """Best polynomial for the relative error."""
    return remez(function, interval, degree)[0]


def two_words(n, index):
    """A zero of Y_n as a sum of two f64."""
    z = mp.besselyzero(n, index)
    high = rounded(z, "f64")
    return [high, z - high]


def near(n, index, ends, degree):
    """The zero, and the polynomial about it."""
    z = mp.besselyzero(n, index)
    return [
        Table(
            f"Y{n}_ZERO{index}", partial(two_words, n, index), f"Zero {index} of Y{n} in two words"
        ),
        Table(
            f"Y{n}_NEAR{index}",
            partial(best, partial(about_zero, n, index), (ends[0] - z, ends[1] - z), degree),
            f"Y{n}(x)/(x - zero {index}), a polynomial in x - zero {index} for {ends[0]} < x <= {ends[1]}",
        ),
    ]


FITS = [
    Table("Y0_ZERO1", partial(two_words, 0, 1), "Zero 1 of Y0 in two words"),
    Table("Y0_LOG_ZERO1", lambda: [mp.log(mp.besselyzero(0, 1))], "The logarithm of zero 1 of Y0"),
    Table(
        "Y0_SMALL",
        partial(best, log_free0, (0, mp.mpf(ENDS0[0]) ** 2), 10),
        "(Y0(x) - (2/pi) log(x/zero 1) J0(x))/(x^2 - zero 1^2), a polynomial in x^2 for x <= 1.6",
    ),
    Table(
        "Y0_MIDDLE",
        partial(best, lambda v: series(CENTRE + v), (ENDS0[0] - CENTRE, ENDS0[1] - CENTRE), 20),
        "Y0(x), a polynomial in x - 2.25 for 1.6 < x <= 2.9",
    ),
    *near(0, 2, ENDS0[1:3], 20),
    *near(0, 3, ENDS0[2:4], 19),
]
