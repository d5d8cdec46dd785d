"""Coefficients of the Bessel functions of the first kind of orders 0 and 1."""

from functools import partial

import mpmath as mp
from minimax import Table, remez, rounded


def first_part(n, t):
    """J_n(x) / x^n with t = x^2."""
    return mp.hyp0f1(n + 1, -t / 4) / (2**n * mp.factorial(n))


def about_zero(n, index, v):
    """J_n(z + v) / v about the zero z."""
    z = mp.besseljzero(n, index)
    return (
        mp.besselj(n, z + v) / v if abs(v) > mp.mpf(10) ** -20 else mp.besselj(n, z, derivative=1)
    )


def hankel(n, part, v):
    """P_n or x Q_n / 8 of DLMF 10.17.3 made exact: sqrt(pi x / 2) exp(-i chi) H_n(x), v = 128/x^2 - 1."""
    if v < -1 + mp.mpf(10) ** -10:  # x beyond 10^5
        a = [
            mp.fprod(4 * n * n - (2 * j - 1) ** 2 for j in range(1, k + 1))
            / (mp.factorial(k) * 8**k)
            for k in range(12)
        ]
        u = mp.sqrt((v + 1) / 128)
        return mp.fsum((-1) ** k * a[2 * k + part] * u ** (2 * k) for k in range(6)) / (
            8 if part else 1
        )
    x = mp.sqrt(128 / (v + 1))
    h = mp.hankel1(n, x) * mp.expj(mp.pi * (2 * n + 1) / 4 - x) * mp.sqrt(mp.pi * x / 2)
    return mp.im(h) * x / 8 if part else mp.re(h)


def best(function, interval, degree):
    """Best polynomial for the relative error, or the absolute one where the function has zeros."""
    return remez(function, interval, degree)[0]


def two_words(n, index):
    """A zero of J_n as a sum of two f64."""
    z = mp.besseljzero(n, index)
    high = rounded(z, "f64")
    return [high, z - high]


FITS = []
for n, ends in ((0, (1.6, 4, 8)), (1, (2, 5.4, 8))):
    FITS.append(
        Table(
            f"J{n}_SMALL",
            partial(best, partial(first_part, n), (0, ends[0] ** 2), 9 + n),
            f"J{n}(x)/x^{n}, a polynomial in x^2 for |x| <= {ends[0]}",
        )
    )
    near = [(1, ends[:2], 18), (2, ends[1:], 19)]
    if n == 0:  # about zero 2 the last stretch up to 8 would lose two digits
        near.append((3, (7, 8), 12))
    for i, (start, end), degree in near:
        z = mp.besseljzero(n, i)
        FITS.append(
            Table(f"J{n}_ZERO{i}", partial(two_words, n, i), f"Zero {i} of J{n} in two words")
        )
        FITS.append(
            Table(
                f"J{n}_NEAR{i}",
                partial(best, partial(about_zero, n, i), (start - z, end - z), degree),
                f"J{n}(x)/(x - zero {i}), a polynomial in x - zero {i} for {start} < |x| <= {end}",
            )
        )
    for part, letter in ((0, "P"), (1, "Q")):
        FITS.append(
            Table(
                f"HANKEL{n}_{letter}",
                partial(best, partial(hankel, n, part), (-1, 1), 12),
                f"{letter}{n} of DLMF 10.17.3{', times x/8,' if part else ''} a polynomial in "
                f"2 (8/x)^2 - 1 for x >= 8",
            )
        )
