"""Temme's uniform expansion of the incomplete gamma functions (DLMF 8.12)."""

import mpmath as mp
from minimax import Table

TERMS, LEAST, LOW, HIGH = 15, 12, mp.mpf("-0.76"), mp.mpf(1)
LENGTH = 130


def stirling_numbers(n):
    """g_0 ... of Gamma(z) = sqrt(2 pi/z) (z/e)^z sum g_k/z^k, from the series of ln Gamma."""
    log = [mp.bernoulli(k + 1) / (k * (k + 1)) if k % 2 else mp.mpf(0) for k in range(1, n)]
    g = [mp.mpf(1)]
    for k in range(1, n):
        g.append(sum(j * log[j - 1] * g[k - j] for j in range(1, k + 1)) / k)
    return g


def series():
    """The Taylor coefficients of c_k(eta), k = 0 ... (8.12.10)."""
    n = LENGTH + 2 * TERMS
    mu = [mp.mpf(0), mp.mpf(1)]
    for k in range(2, n + 2):
        mu.append((mu[k - 1] - sum(j * mu[j] * mu[k - j + 1] for j in range(2, k))) / (k + 1))
    inverse = [mp.mpf(1)]
    for k in range(1, n + 1):
        inverse.append(-sum(mu[j + 1] * inverse[k - j] for j in range(1, k + 1)))
    g = stirling_numbers(TERMS)
    c = [inverse[1:]]
    for k in range(1, TERMS):
        last, sign = c[-1], (-1) ** k * g[k]
        c.append([(j + 2) * last[j + 2] + sign * inverse[j + 1] for j in range(len(last) - 2)])
    return [row[:LENGTH] for row in c]


def shortest(coefficients, bound):
    """The shortest polynomial through Chebyshev's points whose error is below bound."""
    grid = [LOW + (HIGH - LOW) * i / 60 for i in range(61)]
    values = [mp.polyval(coefficients[::-1], x) for x in grid]
    for degree in range(1, 40):
        xs = [
            (LOW + HIGH) / 2 + (HIGH - LOW) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * degree + 2))
            for i in range(degree + 1)
        ]
        matrix = mp.matrix(degree + 1, degree + 1)
        for i, x in enumerate(xs):
            for j in range(degree + 1):
                matrix[i, j] = x**j
        p = mp.lu_solve(matrix, mp.matrix([mp.polyval(coefficients[::-1], x) for x in xs]))
        p = [p[j] for j in range(degree + 1)]
        error = max(abs(mp.polyval(p[::-1], x) - v) for x, v in zip(grid, values, strict=True))
        if error < bound:
            return p
    raise ArithmeticError("no fit")


ROWS = [shortest(row, mp.mpf(2) ** -56 * mp.mpf(LEAST) ** k) for k, row in enumerate(series())]


def block(first, last):
    """The polynomials c_first ... c_last in one table, filled with zeros to the longest."""
    length = max(len(row) for row in ROWS[first : last + 1])
    about = f"c_k(eta), k = {first} ... {last}, for eta in [-0.76, 1]: {length} coefficients each"
    return Table(
        f"TEMME_{first}",
        [c for row in ROWS[first : last + 1] for c in [*row, *[0] * (length - len(row))]],
        about,
    )


FITS = [block(0, 3), block(4, 7), block(8, 11), block(12, 14)]
