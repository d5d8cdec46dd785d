"""Points of Carlson's R_J: 0, equal arguments, both signs of p, arguments far apart, infinities."""

import math

import mpmath as mp

RIGHT = [0j, 0.3 + 0j, 1 + 2j, 1 - 2j, 1e-5 + 1j, 700 - 3j]
SIDES = [0.0, 1e-5, 0.3, 1.0, 2.0, 700.0]

POINTS = {
    "elliprj": [
        (SIDES, SIDES, SIDES, [-40.0, -1.0, -1e-3, 0.0, 1e-6, 0.5, 1.0, 2e4]),
        ([-1.0, 1.0, math.inf, math.nan], [1.0], [2.0], [-math.inf, -1.0, 1.0, math.inf, math.nan]),
        (RIGHT, RIGHT, RIGHT, [*RIGHT[1:], -0.5 + 1j, complex(-2.5)]),
        ([-2 + 1j], [-2 - 1j], [0j, 3 + 0j], [2 + 0j, -0.5 + 1j, 1e-6 - 1j, complex(-2.5)]),
    ],
}
COMPLEX_REFERENCE = {"elliprj": mp.elliprj}

LIMITS = {
    "elliprj": {
        "scipy": 2e-12,
        "why": "SciPy's error is 5.5e-13 where p is far below the rest",
    }
}
