"""Points and references of the Bessel functions of the first kind of orders 0 and 1.

Beyond |x| = 1.6 the error is meant on the scale of the envelope sqrt(2 / (pi x)); these points keep away from
zeros beyond the second, where the relative error is unbounded.
"""

import mpmath as mp
import numpy as np

BORDERS = [
    y for x in (1.6, 2.0, 4.0, 5.4, 8.0) for y in (np.nextafter(x, 0), x, np.nextafter(x, np.inf))
]
POSITIVE = [
    5e-324,
    1e-300,
    1e-20,
    1e-9,
    1e-3,
    0.1,
    0.5,
    1.0,
    1.5,
    3.0,
    5.0,
    6.5,
    7.5,
    9.5,
    12.75,
    20.5,
    60.75,
    100.25,
    1001.0,
    12345.5,
    *BORDERS,
]
POINTS = {
    name: [([*POSITIVE, *(-x for x in POSITIVE), 0.0, -0.0, np.nan],)] for name in ("j0", "j1")
}

REFERENCE = {"j0": lambda x: mp.besselj(0, x), "j1": lambda x: mp.besselj(1, x)}

DIFFERS = {
    name: [
        ((np.inf,), 0.0, "the limit; SciPy has NaN"),
        ((-np.inf,), 0.0, "the limit; SciPy has NaN"),
        (
            (1e10,),
            float(mp.besselj(int(name[1]), mp.mpf(10) ** 10)),
            "SciPy's phase is wrong for large x",
        ),
    ]
    for name in ("j0", "j1")
}
