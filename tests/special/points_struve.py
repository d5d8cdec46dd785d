"""Points and references of Struve's functions."""

import math

import mpmath as mp
import numpy as np

ORDERS = [-31.6, -20.3, -10.49, -5.2, -3.0, -2.5, -1.2, -1.0, -0.3, 0.0, 0.5, 1.0, 2.7, 10.0]
LARGE = [35.3, 39.9, 40.0, 50.5, 100.0, 170.2, 300.0]
SIZES = [1e-300, 1e-10, 0.1, 1.0, 3.7, 10.0, 20.0, 55.0, 101.0, 300.0, 690.0, 1e10]
BORDERS = [math.nextafter(40, 0), 40.0, math.nextafter(40, 99)]
EDGES = [0.0, -0.0, -1.0, -2.0, -50.0, math.inf, -math.inf, math.nan]
SPREAD = [
    ([*ORDERS, *LARGE], [*SIZES, *BORDERS]),
    ([*ORDERS, -1.5, 2.0, 3.0, math.inf, -math.inf, math.nan], EDGES),
]
POINTS = {"struve": SPREAD, "modstruve": SPREAD}


def within(f, largest):
    def function(v, x):
        if not 0 < x < largest:
            raise ValueError
        return f(v, x)

    return function


REFERENCE = {"struve": within(mp.struveh, 1e11), "modstruve": within(mp.struvel, 700)}


def envelope(v, x):
    """That of Y, where it oscillates."""
    v, x = np.abs(np.asarray(v, float)), np.abs(np.asarray(x, float))
    with np.errstate(all="ignore"):
        return np.where((x > v) & (x > 1), np.sqrt(2 / (np.pi * np.where(x > 0, x, 1))), 0.0)


LIMITS = {"struve": {"scale": envelope, "why": "relative to the envelope of Y"}}
HALF = "SciPy has NaN or infinity where the limit of J or I at 0 is 0"
DIFFERS = {
    name: [
        *[(v, x, HALF) for v in (-2.5, -1.5) for x in (0.0, -0.0)],
        (math.nan, None, "SciPy has 0 at 0"),
    ]
    for name in POINTS
}
