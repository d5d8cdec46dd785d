"""Points and references of the incomplete beta function and its distributions."""

import math

import mpmath as mp

INF, NAN = math.inf, math.nan
SHAPES = [-1.0, 0.0, 0.05, 0.5, 1.0, 2.5, 30.0, 1e4, NAN]
PLACES = [-0.1, 0.0, 1e-10, 0.2, 0.5, 0.9, 1 - 1e-10, 1.0, 1.1, NAN]
LEVELS = [-0.1, 0.0, 1e-10, 0.01, 0.2, 0.5, 0.9, 1 - 1e-10, 1.0, 1.1, NAN]
POSITIVE = [0.5, 1.0, 2.5, 30.0, 1e3]
COUNTS = [-1.0, 0.0, 1.0, 2.5, 7.0, 30.0, 100.0, NAN]
TRIALS = [1.0, 5.0, 30.0, 100.0, 1000.0]
VALUES = [-INF, -100.0, -3.0, -0.5, -1e-8, 0.0, 1e-8, 0.3, 2.0, 50.0, 1e10, NAN]

POINTS = {
    "betainc": [(SHAPES, SHAPES, PLACES)],
    "betaincc": [(SHAPES, SHAPES, PLACES)],
    "betaincinv": [(POSITIVE, POSITIVE, LEVELS)],
    "betainccinv": [(POSITIVE, POSITIVE, LEVELS)],
    **{name: [(COUNTS, TRIALS, PLACES)] for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc")},
    **{name: [(SHAPES, SHAPES, VALUES)] for name in ("fdtr", "fdtrc")},
    "stdtr": [(SHAPES, VALUES)],
}


def lower(a, b, x):
    """I_x(a, b) for what is inside of its domain."""
    if not (a > 0 and b > 0 and 0 < x < 1):
        raise ValueError("a limit")
    return mp.betainc(a, b, 0, x, regularized=True)


def student(df, t):
    """Half of an incomplete beta function of 1 / 2 and df / 2."""
    part = lower(df / 2, mp.mpf(1) / 2, df / (df + t * t)) / 2
    return part if t < 0 else 1 - part


REFERENCE = {
    "betainc": lower,
    "betaincc": lambda a, b, x: lower(b, a, 1 - x),
    "bdtr": lambda k, n, p: lower(n - mp.floor(k), mp.floor(k) + 1, 1 - p),
    "bdtrc": lambda k, n, p: lower(mp.floor(k) + 1, n - mp.floor(k), p),
    "nbdtr": lambda k, n, p: lower(mp.mpf(int(n)), mp.mpf(int(k)) + 1, p),
    "nbdtrc": lambda k, n, p: lower(mp.mpf(int(k)) + 1, mp.mpf(int(n)), 1 - p),
    "fdtr": lambda a, b, x: lower(a / 2, b / 2, a * x / (b + a * x)),
    "fdtrc": lambda a, b, x: lower(b / 2, a / 2, b / (b + a * x)),
    "stdtr": student,
}

LIMITS = {
    name: {"scipy": 2e-11, "why": "SciPy's powers of numbers close to one"}
    for name in ("bdtr", "bdtrc", "nbdtr", "nbdtrc")
}
for name in ("betaincinv", "betainccinv"):
    LIMITS[name] = {"scipy": 1e-10, "why": "the inverse is as sensitive as the smaller shape"}
