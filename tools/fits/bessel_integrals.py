"""Values of Bessel functions of order 0, Struve's functions and their integrals, all by power series."""

import functools

import mpmath as mp
from minimax import Table


@functools.lru_cache(None)
def sums(x, sign):
    """Of J and Y (sign -1) or I and K (1): both functions, slopes, integrals from 0, integrals of the quotient by t.

    The last are those of sign * (f - 1) / t from 0 to x for J and I, and from x to infinity for Y and K.
    """
    with mp.extraprec(int(3 * x) + 40):
        term, harmonic, log = mp.mpf(1), mp.mpf(0), mp.log(x / 2) + mp.euler
        first, second = [mp.mpf(0)] * 4, [mp.mpf(0)] * 4
        for k in range(40 + 3 * int(x)):
            if k:
                term, harmonic = term * sign * x * x / (4 * k * k), harmonic + mp.mpf(1) / k
            over = mp.mpf(1) / (2 * k + 1)
            parts = (term, 2 * k * term / x, x * over * term, term / (2 * k) if k else 0)
            extra = (0, term / x, x * over * over * term, term / (4 * k * k) if k else 0)
            for i in range(4):
                first[i] += parts[i]
                second[i] += (log - harmonic) * parts[i] + extra[i] * (1 if i < 2 else -1)
        log -= mp.euler
        constant = mp.euler**2 / 2 + (mp.pi**2 / 24 if sign > 0 else -(mp.pi**2) / 12)
        second[3] = -(second[3] + log * log / 2 + mp.euler * log + constant)
        first[3] *= sign
        factor = 2 / mp.pi if sign < 0 else -1
        return [f for pair in zip(first, (factor * s for s in second), strict=True) for f in pair]


@functools.lru_cache(None)
def struve(x, sign):
    """H (sign -1) or L (1) of order 0, its slope, its integral from 0, and that of the quotient by t from 0."""
    with mp.extraprec(int(3 * x) + 40):
        term, total = x / 2 / mp.gamma(mp.mpf(3) / 2) ** 2, [mp.mpf(0)] * 4
        for k in range(40 + 3 * int(x)):
            if k:
                term *= sign * x * x / (4 * (k + mp.mpf(1) / 2) ** 2)
            odd = 2 * k + 1
            for i, part in enumerate((term, odd * term / x, term * x / (odd + 1), term / odd)):
                total[i] += part
        return total


def ordinary(c):
    c = mp.mpf(c)
    h = struve(c, -1)
    return [*sums(c, -1), *h[:3], mp.pi / 2 - h[3]]


def modified(c):
    c = mp.mpf(c)
    return [*sums(c, 1), *struve(c, 1)[:3]]


FITS = [
    Table(
        "BESSEL_CENTERS",
        lambda: [v for c in range(1, 41) for v in ordinary(c)],
        "J, Y, J', Y', integrals from 0 of J and Y, of (1 - J)/t from 0 and Y/t from there, H, H', its integral from 0,"
        " that of H/t from there, of order 0 at 1, 2 ... 40",
    ),
    Table(
        "MODIFIED_CENTERS",
        lambda: [v for c in range(1, 41) for v in modified(c)],
        "I, K, I', K', integrals from 0 of I and K, of (I - 1)/t from 0 and K/t from there, L, L', its integral from 0,"
        " of order 0 at 1, 2 ... 40",
    ),
]
