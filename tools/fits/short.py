"""Coefficients of the short forms of exp, log, sine and cosine."""

import mpmath as mp
from minimax import Fit, Table


def words_of_two_over_pi():
    """The first 1,216 bits of 2/pi after a word of zeros."""
    with mp.workprec(1400):
        bits = int(mp.floor(2 / mp.pi * mp.mpf(2) ** 1216))
    return [bits >> 64 * i & (1 << 64) - 1 for i in reversed(range(20))]


def sine(u):
    """sin(pi f / 2) / f by u = f^2."""
    f = mp.sqrt(u)
    return mp.sin(mp.pi * f / 2) / f if f else mp.pi / 2


def cosine(u):
    """cos(pi f / 2) by u = f^2."""
    return mp.cos(mp.pi * mp.sqrt(u) / 2)


def atanh_odd(u):
    """(atanh(r) - r) / r^3 by u = r^2."""
    if u < mp.mpf("1e-15"):
        return mp.mpf(1) / 3 + u / 5
    r = mp.sqrt(u)
    return (mp.atanh(r) - r) / r**3


FITS = [
    Table("INVERSE_FACTORIALS", [1 / mp.factorial(k) for k in range(20)], "1/k!"),
    Table("TWO_OVER_PI", words_of_two_over_pi, "2/pi after a word of zeros", type="u64"),
    Fit("SINE_OF_QUARTERS", sine, (0, mp.mpf(1) / 4), 7, "sin(pi f / 2) / f by f^2"),
    Fit("COSINE_OF_QUARTERS", cosine, (0, mp.mpf(1) / 4), 8, "cos(pi f / 2) by f^2", fixed=(1,)),
    Fit("ATANH_CUBIC", atanh_odd, (0, mp.mpf("0.03")), 8, "(atanh(r) - r)/r^3 by r^2"),
]
