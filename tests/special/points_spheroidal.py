"""Points and references of characteristic values of spheroidal wave functions.

SciPy ends the process where n - m = 199 and where c is no number, and is wrong for large c.
"""

import math

import mpmath as mp
import numpy as np

SPREAD = [
    ([0.0, 1.0, 2.0, 5.0], [0.0, 1.0, 2.0, 3.0, 8.0, 20.0], [0.0, 1e-3, 0.5, 1.0, 5.0, 20.0]),
    ([0.0, 3.0], [5.0, 60.0], [0.1, 70.0]),
    ([0.5, -1.0, math.nan], [2.0, 2.5], [1.0]),
    ([0.0], [2.0], [-1.0]),
]
POINTS = {"pro_cv": SPREAD, "obl_cv": SPREAD}


def characteristic(side):
    """The eigenvalue by inverse iteration in mpmath's numbers, from NumPy's."""

    def function(m, n, c):
        if m != int(m) or n != int(n) or not 0 <= m <= n or c < 0:
            raise ValueError
        m, n, square = int(m), int(n), side * mp.mpf(c) ** 2
        start, rows = (n - m) % 2, int(mp.sqrt(n * (n + 1) + c * c) / 2) + 30
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
        beside = np.sqrt(np.array(squares[:-1], float))
        dense = np.diag(np.array(diagonal, float)) + np.diag(beside, 1) + np.diag(beside, -1)
        index = (n - m) // 2
        # The equation of the row `index` by both continued fractions, solved by the secant method.
        value = mp.mpf(float(np.linalg.eigvalsh(dense)[index]))

        def row(x):
            below = above = mp.mpf(0)
            for k in range(index):
                below = squares[k] / (diagonal[k] - x - below)
            for k in range(rows - 1, index, -1):
                above = squares[k - 1] / (diagonal[k] - x - above)
            return diagonal[index] - x - below - above

        if c == 0:
            return mp.mpf(n * (n + 1))
        return mp.findroot(row, (value, value + mp.mpf(10) ** -9))

    return function


REFERENCE = {"pro_cv": characteristic(1), "obl_cv": characteristic(-1)}


def size(m, n, c):
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(c) ** 2, np.abs(n) ** 2)


LIMITS = {
    name: {"scale": size, "scipy": 1e-10, "why": "relative to the larger of n^2 and c^2"}
    for name in POINTS
}
ABSENT = "SciPy takes a negative c for 0"
DIFFERS = {name: [(0.0, 2.0, -1.0, ABSENT)] for name in POINTS}
