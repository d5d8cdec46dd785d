"""Coefficients of the Airy functions.

Polynomials are Chebyshev interpolants in t of [-1, 1] written in powers of t, cut where the rest is below
2**-58; they are within a factor of two or so of the best ones.
"""

import mpmath as mp
from minimax import Table


def chebyshev(function, a, b, n):
    """n coefficients, lowest power first, of the interpolant in t, x = (a + b) / 2 + t (b - a) / 2."""
    a, b = mp.mpf(a), mp.mpf(b)
    nodes = [mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    values = [mp.mpf(function((a + b) / 2 + t * (b - a) / 2)) for t in nodes]
    series = [
        2 * sum(v * mp.cos(mp.pi * k * (2 * i + 1) / (2 * n)) for i, v in enumerate(values)) / n
        for k in range(n)
    ]
    series[0] /= 2
    powers, before, now = [mp.mpf(0)] * n, [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for k, c in enumerate(series):
        row = before if k == 0 else now
        for i, r in enumerate(row):
            powers[i] += c * r
        if k > 0:
            after = [mp.mpf(0)] + [2 * r for r in now]
            for i, r in enumerate(before):
                after[i] -= r
            before, now = now, after
    return powers


def four(x):
    """Ai, Ai', Bi, Bi'."""
    return (mp.airyai(x), mp.airyai(x, derivative=1), mp.airybi(x), mp.airybi(x, derivative=1))


def zeta(x):
    return 2 * x * mp.sqrt(x) / 3


def middle(which):
    """One of the four functions of a positive x, scaled."""
    return lambda x: four(x)[which] * mp.exp(zeta(x) if which < 2 else -zeta(x))


def far(which):
    """The sums of DLMF 9.7(ii) by 1/zeta, with the factor 1/(2 sqrt(pi)) or 1/sqrt(pi)."""

    def function(u):
        x = (mp.mpf(3) / (2 * u)) ** (mp.mpf(2) / 3)
        return middle(which)(x) * mp.root(x, 4) ** (1 if which % 2 == 0 else -1)

    return function


def wave(which):
    """The sums of DLMF 9.7.9 to 9.7.12 by w = 1/zeta**2, times 1/sqrt(pi): P, Q zeta, R, S zeta."""

    def function(w):
        z = 1 / mp.sqrt(w)
        x = (3 * z / 2) ** (mp.mpf(2) / 3)
        ai, dai, bi, dbi = four(-x)
        c, s = mp.cos(z - mp.pi / 4), mp.sin(z - mp.pi / 4)
        value = (c * ai - s * bi, s * ai + c * bi, s * dai + c * dbi, s * dbi - c * dai)[which]
        return value * mp.root(x, 4) ** (1 if which < 2 else -1) * (1 if which % 2 == 0 else z)

    return function


MIDDLE = [(1, 2), (2, 3.5), (3.5, 5.75), (5.75, 9)]
CENTERS = [mp.mpf(i) / 2 for i in range(-18, 3)]

FITS = [
    Table(
        "AIRY_CENTERS",
        lambda: [v for c in CENTERS for v in four(c)],
        "Ai, Ai', Bi, Bi' at -9, -8.5 ... 1",
    ),
    Table(
        "AIRY_MIDDLE",
        lambda: [c for a, b in MIDDLE for k in range(4) for c in chebyshev(middle(k), a, b, 20)],
        "The same times exp(zeta), or exp(-zeta), on [1, 2], [2, 3.5], [3.5, 5.75], [5.75, 9]: 20 powers of t each",
    ),
    Table(
        "AIRY_FAR",
        lambda: [c for k in range(4) for c in chebyshev(far(k), 0, mp.mpf(1) / 18, 13)],
        "Sums of DLMF 9.7(ii) by 1/zeta of [0, 1/18]: 13 powers of t each",
    ),
    Table(
        "AIRY_WAVE",
        lambda: [c for k in range(4) for c in chebyshev(wave(k), 0, mp.mpf(1) / 324, 9)],
        "P, Q zeta, R, S zeta of DLMF 9.7.9 by 1/zeta**2 of [0, 1/324]: 9 powers of t each",
    ),
]
