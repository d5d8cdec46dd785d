"""Points and references of the integral of a power and a Bessel function."""

import math

import mpmath as mp
import numpy as np

SIZES = [0.0, 1e-200, 0.1, 0.5, math.nextafter(0.5, 1), 1.0, 3.3, 7.0, 12.0]
ORDERS = [0.0, 0.5, 1.0, 2.0, 7.25, 30.5, -0.5, -1.0, -2.5, -3.0]
POINTS = {
    "besselpoly": [
        (SIZES, [0.0, 1.0, 2.5, -1.5, 6.0], ORDERS),
        ([20.0, 30.0, 100.0, 250.0], [0.0, 1.0, -1.5], [0.0, 0.5, 1.0, 7.25, 30.5, 200.0]),
        (
            [-1.0, math.nan, 1.0],
            [1.0, math.inf, -math.inf, math.nan],
            [0.0, 1.0, math.nan, math.inf],
        ),
    ]
}


def besselpoly(a, power, order):
    sign = 1
    if order < 0 and order == int(order):
        order = -order
        sign = -1 if order % 2 else 1
    if a <= 0 or order + power + 1 == 0:
        raise ValueError
    lead = a**order / mp.gamma(order + 1) / (order + power + 1)
    half = (order + power + 1) / 2
    return sign * lead * mp.hyp1f2(half, order + 1, half + 1, -a * a)


REFERENCE = {"besselpoly": besselpoly}


def envelope(a, power, order):
    """That of J at the upper end, divided by 2 a."""
    z = 2 * np.abs(np.asarray(a, float))
    with np.errstate(all="ignore"):
        return np.where(z > 2, np.sqrt(2 / (np.pi * z)) / z, 0.0) * (np.abs(order) < z)


LIMITS = {
    "besselpoly": {
        "scale": envelope,
        "scipy": 1e-6,
        "why": "relative to the envelope; SciPy's terms cancel: it loses all digits from a = 20 on",
    }
}
LARGE = [(a, None, None, "SciPy has no digits") for a in (20.0, 30.0, 100.0, 250.0)]
DIFFERS = {"besselpoly": LARGE}
