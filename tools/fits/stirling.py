"""Stirling's series as minimax approximations, and log(1 + x) - x."""

import mpmath as mp
from minimax import Fit


def tail(x):
    """The logarithm of gamma less its leading terms (DLMF 5.11.1)."""
    x = mp.mpf(x)
    return mp.loggamma(x) - ((x - mp.mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)


def far(u):
    """x tail(x) by u = 1/x^2."""
    if u < mp.mpf("1e-20"):
        return mp.mpf(1) / 12 - u / 360
    x = 1 / mp.sqrt(u)
    return x * tail(x)


def near(t):
    """x tail(x) by t = 1/x."""
    return tail(1 / t) / t


def atanh_rest(u):
    """(atanh(r)/r - 1)/r^2 by u = r^2."""
    if u < mp.mpf("1e-20"):
        return mp.mpf(1) / 3 + u / 5
    r = mp.sqrt(u)
    return (mp.atanh(r) / r - 1) / u


FITS = [
    Fit("STIRLING_FAR", far, (0, mp.mpf(1) / 64), 7, "x tail(x) by 1/x^2"),
    Fit("STIRLING_NEAR", near, (mp.mpf(1) / 8, 1), (8, 8), "x tail(x) by 1/x"),
    Fit("ATANH_REST", atanh_rest, (0, mp.mpf("0.16")), 11, "(atanh(r)/r - 1)/r^2 by r^2"),
]
