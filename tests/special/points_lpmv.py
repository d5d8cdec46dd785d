"""Points of the Legendre functions of real degree."""

import math

import mpmath as mp
import numpy as np

INF, NAN = math.inf, math.nan
ORDERS = [-7.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 6.0, 15.0]
DEGREES = [-3.0, -2.5, -0.5, -0.3, 0.0, 0.2, 0.5, 0.999, 1.5, 2.5, 3.0, 6.7, 20.3, 60.25]
PLACES = [-0.999, -0.9, -0.5, -0.01, 0.0, 0.3, 0.8, 0.999]

POINTS = {
    "lpmv": [
        (ORDERS, DEGREES, PLACES),
        ([-3.0, 0.0, 1.0, 2.0], [2.5, 3.0], [-1.0, 1.0, NAN]),
        ([-1.0, 0.0, 1.0, 2.0, 5.0], [3.0], [-1.5, 1.5]),
        ([0.5, NAN, INF], [1.0, 2.5, NAN, INF], [0.5]),
    ]
}


def exact(m, v, x):
    if m != 0 and abs(x) > 1:
        return mp.nan
    if v < -0.5:
        v = -1 - v
    return mp.re(mp.legenp(v, int(m), x, type=2))


def absent_size(m, v, x):
    """The scale of results that are 0 in exact arithmetic."""
    return np.where((np.floor(v) == v) & (np.abs(m) <= np.maximum(v, -1 - v)), 1e-3, 0.0)


REFERENCE = {"lpmv": exact}
LIMITS = {
    "lpmv": {"scale": absent_size, "why": "zeros of polynomials are not exact: errors near them"}
}
