"""Points and references of the Bessel functions of the second kind, away from the zeros beyond 8."""

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
BORDERS1 = [y for x in (1.0, 3.2, 7.0) for y in (np.nextafter(x, 0), x, np.nextafter(x, np.inf))]
ZEROS1 = [2.197141326, 2.1971413260310171, 5.42968104, 5.4296810407941351, 8.0, 2.3, 5.3, 5.6]
SPECIAL = [0.0, -0.0, -1.0, -9.0, np.nan]
LINE = np.linspace(0.02, 8, 150).tolist()

POINTS = {
    "y0": [([*POSITIVE, *SPECIAL],), (LINE,)],
    "y1": [
        ([*POSITIVE, *BORDERS1, *ZEROS1, *SPECIAL],),
        (LINE,),
        (np.linspace(8, 60, 90).tolist(),),
    ],
}
REFERENCE = {"y0": lambda x: mp.bessely(0, x), "y1": lambda x: mp.bessely(1, x)}
LIMITS = {
    name: {
        "scipy": 1e-12,
        "scale": lambda x: np.where(
            np.asarray(x) > 8, np.sqrt(2 / (np.pi * np.maximum(x, 1))), 0.0
        ),
        "why": "errors relative to the envelope beyond 8",
    }
    for name in POINTS
}
DIFFERS = {"y0": [((np.inf,), 0.0, "the limit; SciPy has NaN")]}
