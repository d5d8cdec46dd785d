"""Spheroidal wave functions in mpmath's numbers: `python tests/special/spheroidal_exact.py` writes the table.

Coefficients by both continued fractions from a characteristic value; radial functions by Bessel functions, and near the
singular points by Taylor series of the differential equation from where those converge.
"""

import functools
import itertools

import mpmath as mp
import numpy as np

DIGITS = 55


def matrix(m, n, square):
    """Degrees, diagonal and squares beside it of the matrix of normalised Legendre functions."""
    start, rows = (n - m) % 2, int(mp.sqrt(n * (n + 1) + abs(square)) / 2) + 40
    degrees = [m + start + 2 * k for k in range(rows)]
    diagonal = [
        mp.mpf(p) + square * (2 * p - 2 * m * m - 1) / mp.mpf((2 * d - 1) * (2 * d + 3))
        for d in degrees
        for p in [d * (d + 1)]
    ]
    squares = [
        square**2
        * mp.mpf((d + m + 2) * (d + m + 1) * (d - m + 2) * (d - m + 1))
        / ((2 * d + 1) * (2 * d + 3) ** 2 * (2 * d + 5))
        for d in degrees
    ]
    return degrees, diagonal, squares


def row(x, at, diagonal, squares):
    """What the equation of row `at` is short of 0."""
    below = above = mp.mpf(0)
    for k in range(at):
        below = squares[k] / (diagonal[k] - x - below)
    for k in range(len(diagonal) - 1, at, -1):
        above = squares[k - 1] / (diagonal[k] - x - above)
    return diagonal[at] - x - below - above


@functools.lru_cache(None)
def characteristic(m, n, c, side):
    """The eigenvalue by the secant method from NumPy's."""
    with mp.workdps(DIGITS):
        degrees, diagonal, squares = matrix(m, n, side * mp.mpf(c) ** 2)
        beside = np.sqrt(np.array(squares[:-1], float))
        dense = np.diag(np.array(diagonal, float)) + np.diag(beside, 1) + np.diag(beside, -1)
        index = (n - m) // 2
        if c == 0:
            return mp.mpf(n * (n + 1))
        value, vectors = np.linalg.eigh(dense)
        at = int(np.argmax(np.abs(vectors[:, index])))
        value = mp.mpf(float(value[index]))
        return mp.findroot(
            lambda x: row(x, at, diagonal, squares), (value, value + mp.mpf(10) ** -9)
        )


@functools.lru_cache(None)
def coefficients(m, n, c, side):
    """Flammer's d_r times (2 m + r)! / r! by degree m + r, but for a factor."""
    with mp.workdps(DIGITS):
        cv, square = characteristic(m, n, c, side), side * mp.mpf(c) ** 2
        degrees, diagonal, squares = matrix(m, n, square)
        sign = 1 if side > 0 else -1
        beside = [sign * mp.sqrt(s) for s in squares]
        up, down = [mp.mpf(0)], [mp.mpf(0)] * (len(degrees) + 1)
        at = int(np.argmin([abs(float(d - cv)) for d in diagonal]))
        for k in range(at):
            up.append(beside[k] / (cv - diagonal[k] - (beside[k - 1] * up[k] if k else 0)))
        for k in range(len(degrees) - 1, at, -1):
            down[k] = beside[k - 1] / (cv - diagonal[k] - beside[k] * down[k + 1])
        a = [mp.mpf(0)] * len(degrees)
        a[at] = mp.mpf(1)
        for k in range(at, 0, -1):
            a[k - 1] = up[k] * a[k]
        for k in range(at + 1, len(degrees)):
            a[k] = down[k] * a[k - 1]
        weights = [
            mp.sqrt((2 * d + 1) * mp.factorial(d + m) / mp.factorial(d - m)) for d in degrees
        ]
        return degrees, [x * w for x, w in zip(a, weights, strict=True)]


def legendre(m, last, x):
    """P of order m without (-1)^m, times (1 - x^2)^(-m/2), and slopes, by degree from m."""
    p, slopes = [mp.fac2(2 * m - 1) if m else mp.mpf(1)], [mp.mpf(0)]
    before = slope_before = mp.mpf(0)
    for l in range(m, last):
        after = ((2 * l + 1) * x * p[-1] - (l + m) * before) / (l + 1 - m)
        slope = ((2 * l + 1) * (p[-1] + x * slopes[-1]) - (l + m) * slope_before) / (l + 1 - m)
        before, slope_before = p[-1], slopes[-1]
        p.append(after)
        slopes.append(slope)
    return p, slopes


def angular(m, n, c, x, side):
    """Value and slope with Flammer's normalisation."""
    with mp.workdps(DIGITS):
        degrees, weighted = coefficients(m, n, c, side)
        d = [
            w * mp.factorial(k - m) / mp.factorial(k + m)
            for k, w in zip(degrees, weighted, strict=True)
        ]
        here, at_0 = legendre(m, degrees[-1], mp.mpf(x)), legendre(m, degrees[-1], mp.mpf(0))
        which = (n - m) % 2
        scale = at_0[which][n - m] / mp.fsum(
            v * at_0[which][k - m] for k, v in zip(degrees, d, strict=True)
        )
        value, slope = (
            scale * mp.fsum(v * p[k - m] for k, v in zip(degrees, d, strict=True)) for p in here
        )
        square = 1 - mp.mpf(x) ** 2
        power = mp.sqrt(square) ** m
        return power * value, power * (slope - m * x / square * value)


def bessel_sum(m, n, c, x, side, second):
    """Radial functions by spherical Bessel functions."""
    degrees, weighted = coefficients(m, n, c, side)
    f = mp.bessely if second else mp.besselj
    z, value, slope = c * x, mp.mpf(0), mp.mpf(0)
    for k, w in zip(degrees, weighted, strict=True):
        factor = (-1) ** ((k - n) // 2) * w
        j, after = (mp.sqrt(mp.pi / (2 * z)) * f(v + mp.mpf(0.5), z) for v in (k, k + 1))
        value += factor * j
        slope += factor * c * (k * j / z - after)
    total, square = mp.fsum(weighted), x * x - side
    power = (mp.sqrt(square) / x) ** m / total
    return power * value, power * (slope + m * (x / square - 1 / x) * value)


def continued(m, cv, c, x, y, slope, target, side):
    """The solution through y, slope at x, followed to `target`."""
    while x != target:
        reach = (x - 1) / 3 if side > 0 else mp.sqrt(x * x + 1) / 3
        t = mp.sign(target - x) * min(abs(target - x), reach, 1 / (c + 1))
        square = x * x - side
        # R times (x^2 - side)^(m/2) has polynomials as the equation's coefficients.
        power = mp.sqrt(square) ** m
        v = [power * y, power * (slope + m * x / square * y)]
        free = m * (m - 1) - cv + c * c * x * x
        for k in range(140):
            more = (
                2 * x * (k + 1) * (k - m + 1) * v[k + 1]
                + (k * (k - 1) + 2 * (1 - m) * k + free) * v[k]
            )
            more += 2 * x * c * c * v[k - 1] if k > 0 else 0
            more += c * c * v[k - 2] if k > 1 else 0
            v.append(-more / (square * (k + 1) * (k + 2)))
        value = mp.fsum(a * t**k for k, a in enumerate(v))
        derivative = mp.fsum(k * a * t ** (k - 1) for k, a in enumerate(v) if k)
        x = target if t == target - x else x + t
        square = x * x - side
        power = mp.sqrt(square) ** -m
        y, slope = power * value, power * (derivative - m * x / square * value)
    return y, slope


@functools.lru_cache(None)
def radial(m, n, c, x, side, second):
    """Value and slope of the first or second radial function."""
    with mp.workdps(DIGITS):
        c, x = mp.mpf(c), mp.mpf(x)
        if second and x < 3:
            far = mp.mpf(4)
            y, slope = bessel_sum(m, n, c, far, side, second)
            return continued(m, characteristic(m, n, c, side), c, far, y, slope, x, side)
        if x == 0:  # even and odd functions
            y, slope = bessel_sum(m, n, c, mp.mpf(10) ** -50, side, second)
            return (mp.mpf(0), slope) if (n - m) % 2 else (y, mp.mpf(0))
        return bessel_sum(m, n, c, x, side, second)


def function(name):
    """The function of that name."""
    side = 1 if name.startswith("pro") else -1
    if "ang" in name:
        return lambda m, n, c, x: angular(m, n, c, x, side)
    return lambda m, n, c, x: radial(m, n, c, x, side, name.endswith("2"))


def lines(functions):
    """The table's lines for {name: points}."""
    for name, sets in functions.items():
        for lists in sets:
            for m, n, c, x in itertools.product(*lists):
                if m <= n:
                    values = function(name)(int(m), int(n), c, x)
                    numbers = [mp.nstr(v, 20) for v in values]
                    yield " ".join([name, *map(repr, (m, n, c, x)), *numbers])


if __name__ == "__main__":
    import points_spheroidal

    points_spheroidal.TABLE.write_text("\n".join(lines(points_spheroidal.FUNCTIONS)) + "\n")
