"""Points of the orthogonal polynomials: degrees on both sides of 0, zeros, ends, overflow."""

import math

DEGREES = [-2, -1, 0, 1, 2, 3, 4, 5, 7, 10, 20, 35, 50, 100, 140]
VALUES = [
    0.0,
    -0.0,
    1e-300,
    1e-5,
    0.3,
    -0.7,
    1.0,
    1.5,
    -2.4,
    5.0,
    -9.0,
    20.0,
    100.0,
    1e10,
    math.nan,
]

POINTS = {
    "eval_hermite": [(DEGREES, VALUES)],
    "eval_hermitenorm": [(DEGREES, VALUES)],
}

LIMITS = {"eval_hermite": {"scipy": 2e-11, "why": "near zeros SciPy has lost digits"}}
