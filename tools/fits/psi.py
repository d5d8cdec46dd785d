"""The digamma function."""

import mpmath as mp
from minimax import Fit, Table


def root(near):
    """A zero of the digamma function."""
    return mp.findroot(mp.digamma, mp.mpf(near))


def parts(x, n):
    """x as a sum of n numbers."""
    found = []
    for _ in range(n):
        found.append(mp.mpf(float(x)))
        x -= found[-1]
    return found


ROOT = root("1.4616321449683623")
ROOT_BELOW = root("-0.50408300826445540")


def over(x, zero):
    """psi(x)/(x - zero)"""
    if abs(x - zero) < mp.mpf("1e-25"):
        return mp.polygamma(1, zero)
    return mp.digamma(x) / (x - zero)


def far(u):
    """(ln x - 1/(2 x) - psi(x)) x^2 by u = 1/x^2."""
    if u < mp.mpf("1e-18"):
        return mp.mpf(1) / 12 - u / 120
    x = 1 / mp.sqrt(u)
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) * x * x


FITS = [
    Table("PSI_ROOT", parts(ROOT, 2), "The zero of psi above 0, in two parts"),
    Table("PSI_ROOT_BELOW", parts(ROOT_BELOW, 2), "The first zero below 0, in two parts"),
    Fit(
        "PSI_NEAR",
        lambda t: over(t + 1, ROOT) - 1,
        (0, 1),
        (7, 7),
        "psi(1 + x)/(1 + x - root) - 1",
        weight=lambda t: 1 / over(t + 1, ROOT),
    ),
    Fit(
        "PSI_MIDDLE",
        lambda t: mp.digamma(t + 2) - mp.mpf("0.4375") - t / 4,
        (0, 6),
        (8, 8),
        "psi(2 + x) - 7/16 - x/4",
        weight=lambda t: 1 / mp.digamma(t + 2),
    ),
    Fit("PSI_FAR", far, (0, mp.mpf(1) / 64), 7, "(ln x - 1/(2 x) - psi(x)) x^2 by 1/x^2"),
    Fit(
        "PSI_BELOW",
        lambda t: over(t - mp.mpf("0.6"), ROOT_BELOW),
        (0, mp.mpf("0.2")),
        16,
        "psi(x - 0.6)/(x - 0.6 - root) for the first zero below 0",
    ),
]
