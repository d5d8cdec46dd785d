"""Dawson's integral and the inverse of the complementary error function."""

import functools

import mpmath as mp
from minimax import Fit


def dawson_quotient(t):
    """D(x) / x as a function of t = x^2."""
    return mp.hyp1f1(1, mp.mpf(3) / 2, -t)


def dawson_far(t):
    """2 x D(x) as a function of t = 1 / x^2."""
    if t < mp.mpf(10) ** -30:
        return 1 + t / 2
    return 2 / t * dawson_quotient(1 / t)


def erfinv_quotient(w):
    """Inverse of erf at y over y, as a function of w = -log(1 - y^2) (Giles 2011)."""
    if w < mp.mpf(10) ** -40:
        return mp.sqrt(mp.pi) / 2
    y = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(y) / y


@functools.cache
def erfcinv_of_root(r):
    """The x with erfc(x) = exp(-r^2), by Newton's iteration on the logarithm."""
    with mp.workdps(80):
        x = r - mp.log(r * mp.sqrt(mp.pi) + 1) / (2 * r)
        for _ in range(60):
            c = mp.erfc(x)
            step = (mp.log(c) + r * r) * c / (2 / mp.sqrt(mp.pi) * mp.exp(-x * x))
            x += step
            if abs(step) < mp.mpf(10) ** -70:
                break
        return +x


def erfcinv_excess(r):
    return erfcinv_of_root(r) / r - 1


ABOUT = "x / r - 1 with erfc(x) = exp(-r^2)"
FITS = [
    Fit("DAWSON_NEAR", dawson_quotient, (0, 1), (7, 7), "D(x) / x by x^2"),
    Fit("DAWSON_MIDDLE", dawson_quotient, (1, 5.5), (9, 9), "D(x) / x by x^2"),
    Fit("DAWSON_WIDE", dawson_quotient, (5.5, 16), (9, 9), "D(x) / x by x^2"),
    Fit(
        "DAWSON_OUTER",
        lambda s: 2 * (s + 5) ** 2 * dawson_quotient((s + 5) ** 2),
        (-1, 1),
        24,
        "2 x D(x) by x - 5",
    ),
    Fit("DAWSON_FAR", dawson_far, (0, mp.mpf(1) / 36), (6, 6), "2 x D(x) by 1 / x^2"),
    Fit(
        "ERFINV",
        lambda s: erfinv_quotient(s + 3),
        (-3, "3.01"),
        23,
        "erfinv(y) / y by -log(1 - y^2) - 3",
    ),
    Fit("ERFCINV_MIDDLE", erfcinv_excess, ("2.58", 8), (7, 7), ABOUT, weight=lambda r: 1),
    Fit("ERFCINV_FAR", erfcinv_excess, (8, "27.5"), (7, 7), ABOUT, weight=lambda r: 1),
]
