"""Points and references of the Bessel function of the second kind of order 0, away from the zeros beyond 8."""

import mpmath as mp
import numpy as np

BORDERS = [
    y for x in (0.5, 1.6, 2.9, 5.4, 8.0) for y in (np.nextafter(x, 0), x, np.nextafter(x, np.inf))
]
POSITIVE = [
    5e-324,
    1e-300,
    1e-20,
    1e-9,
    1e-3,
    0.1,
    0.8,
    1.0,
    1.5,
    2.2,
    3.5,
    5.0,
    6.5,
    7.5,
    9.5,
    12.75,
    20.5,
    *BORDERS,
]
POINTS = {"y0": [([*POSITIVE, 0.0, -0.0, -1.0, -9.0, np.nan],)]}
REFERENCE = {"y0": lambda x: mp.bessely(0, x)}
DIFFERS = {"y0": [((np.inf,), 0.0, "the limit; SciPy has NaN")]}
