"""Coefficients of the modified Bessel functions of orders 0 and 1."""

from functools import partial

import mpmath as mp
from minimax import Table, remez


def scaled_i(n, x):
    """sqrt(x) exp(-x) I_n(x); its limit 1/sqrt(2 pi) for an infinite x."""
    if x > 10**9:
        return sum(term(n, k) * (-1) ** k / x**k for k in range(8)) / mp.sqrt(2 * mp.pi)
    return mp.besseli(n, x) * mp.exp(-x) * mp.sqrt(x)


def scaled_k(n, x):
    """sqrt(x) exp(x) K_n(x)."""
    if x > 10**9:
        return sum(term(n, k) / x**k for k in range(8)) * mp.sqrt(mp.pi / 2)
    return mp.besselk(n, x) * mp.exp(x) * mp.sqrt(x)


def term(n, k):
    """a_k(n) of DLMF 10.17.1."""
    return mp.fprod(4 * n * n - (2 * j - 1) ** 2 for j in range(1, k + 1)) / (
        mp.factorial(k) * 8**k
    )


def i_series(n, t):
    """I_n(x) / x^n with t = x^2."""
    return mp.hyp0f1(n + 1, t / 4) / (2**n * mp.factorial(n))


def k_rest(n, t):
    """What K_0(x) + log(x) I_0(x), or (K_1(x) - 1/x - log(x) I_1(x)) / x, leaves, t = x^2 (10.31.1, 10.31.2)."""
    z, log2 = t / 4, mp.log(2)
    if n == 0:
        return power_sum(z, lambda k: log2 + mp.digamma(k + 1), lambda k: mp.factorial(k) ** 2)
    return power_sum(
        z,
        lambda k: -log2 / 2 - (mp.digamma(k + 1) + mp.digamma(k + 2)) / 4,
        lambda k: mp.factorial(k) * mp.factorial(k + 1),
    )


def power_sum(z, top, bottom):
    """The sum of top(k) z^k / bottom(k), for 0 <= z <= 1."""
    return mp.fsum(top(k) * z**k / bottom(k) for k in range(30))


def centred(function, lo, hi, degree):
    """Best polynomial in v, -1 <= v <= 1, where 1/x = (lo + hi)/2 + v (hi - lo)/2."""

    def at(v):
        u = (mp.mpf(lo) + hi) / 2 + v * (mp.mpf(hi) - lo) / 2
        return function(1 / u if u > mp.mpf(10) ** -30 else mp.mpf(10) ** 30)

    return remez(at, (-1, 1), degree)[0]


def plain(function, lo, hi, degree):
    """Best polynomial in t itself."""
    return remez(function, (lo, hi), degree)[0]


FITS = []
for n in (0, 1):
    for suffix, type_, d in (
        ("", "f64", (16, 23, 7, 7, 19, 17)),
        ("_F32", "f32", (9, 7, 4, 4, 7, 6)),
    ):
        add = lambda name, make, about, s=suffix, t=type_: FITS.append(
            Table(name + s, make, about, type=t)
        )
        add(
            f"I{n}_SMALL",
            partial(plain, partial(i_series, n), 0, 64, d[0]),
            f"I{n}(x)/x^{n}, a polynomial in x^2 for |x| <= 8",
        )
        add(
            f"I{n}_LARGE",
            partial(centred, partial(scaled_i, n), 0, mp.mpf(1) / 8, d[1]),
            f"sqrt(x) exp(-x) I{n}(x), a polynomial in 16/x - 1 for x >= 8",
        )
        add(
            f"I{n}_UNIT",
            partial(plain, partial(i_series, n), 0, 1, d[2]),
            f"I{n}(x)/x^{n}, a polynomial in x^2 for x <= 1",
        )
        add(
            f"K{n}_UNIT",
            partial(plain, partial(k_rest, n), 0, 1, d[3]),
            f"K{n}(x) without its logarithm and pole, a polynomial in x^2 for x <= 1",
        )
        add(
            f"K{n}_MIDDLE",
            partial(centred, partial(scaled_k, n), mp.mpf(1) / 4, 1, d[4]),
            f"sqrt(x) exp(x) K{n}(x), a polynomial in (8/x - 5)/3 for 1 < x <= 4",
        )
        add(
            f"K{n}_LARGE",
            partial(centred, partial(scaled_k, n), 0, mp.mpf(1) / 4, d[5]),
            f"sqrt(x) exp(x) K{n}(x), a polynomial in 8/x - 1 for x > 4",
        )
