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


def erfinv_quotient(t):
    """Inverse of erf at y over y, as a function of t = y^2."""
    if t < mp.mpf(10) ** -40:
        return mp.sqrt(mp.pi) / 2
    y = mp.sqrt(t)
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
    Fit("ERFINV_CENTRE", erfinv_quotient, (0, "0.36"), 17, "erfinv(y) / y by y^2"),
    Fit(
        "ERFINV_OUTER",
        lambda u: erfinv_quotient(1 - u),
        ("0.2775", "0.64"),
        (7, 7),
        "erfinv(y) / y by 1 - y^2",
    ),
    Fit("ERFCINV_NEAR", erfcinv_of_root, ("1.37", 3), (8, 8), "x with erfc(x) = exp(-r^2)"),
    Fit("ERFCINV_MIDDLE", erfcinv_of_root, (3, 8), (8, 8), "x with erfc(x) = exp(-r^2)"),
    Fit("ERFCINV_FAR", erfcinv_of_root, (8, "27.5"), (8, 8), "x with erfc(x) = exp(-r^2)"),
]
