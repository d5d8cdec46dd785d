"""Points and references of the modified Bessel functions of orders 0 and 1."""

import mpmath as mp
import numpy as np

BORDERS = [
    y for x in (1.0, 4.0, 8.0, 700.0) for y in (np.nextafter(x, 0), x, np.nextafter(x, np.inf))
]
POSITIVE = [
    1e-300,
    1e-20,
    1e-9,
    1e-3,
    0.1,
    0.5,
    0.9,
    1.5,
    2.0,
    3.0,
    3.9,
    5.0,
    6.5,
    7.9,
    9.0,
    12.0,
    20.0,
    50.0,
    80.0,
    300.0,
    600.0,
    *BORDERS,
]
NEGATIVE = [-x for x in POSITIVE]
EDGES = [0.0, -0.0, np.nan]

POINTS = {
    **{name: [([*POSITIVE, *NEGATIVE, *EDGES, 709.5, 711.0, 712.9],)] for name in ("i0", "i1")},
    **{
        name: [([*POSITIVE, *NEGATIVE, *EDGES, 1e5, 1e300, np.inf, -np.inf],)]
        for name in ("i0e", "i1e")
    },
    **{
        name: [([*POSITIVE, *EDGES, 700.5, 745.0, 1e5, 1e300, np.inf, -np.inf, -1.0, -9.0],)]
        for name in ("k0", "k0e", "k1", "k1e")
    },
}

REFERENCE = {
    "i0": lambda x: mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "k0": lambda x: mp.besselk(0, x),
    "k1": lambda x: mp.besselk(1, x),
    "i0e": lambda x: mp.besseli(0, x) * mp.exp(-abs(x)),
    "i1e": lambda x: mp.besseli(1, x) * mp.exp(-abs(x)),
    "k0e": lambda x: mp.besselk(0, x) * mp.exp(x),
    "k1e": lambda x: mp.besselk(1, x) * mp.exp(x),
}

DIFFERS = {
    "i0": [
        ((np.inf,), np.inf, "the limit; SciPy has NaN"),
        ((-np.inf,), np.inf, "the limit; SciPy has NaN"),
        ((712.9,), float(mp.besseli(0, 712.9)), "finite; SciPy overflows above log(max)"),
    ],
    "i1": [
        ((np.inf,), np.inf, "the limit; SciPy has NaN"),
        ((-np.inf,), -np.inf, "the limit; SciPy has NaN"),
        ((712.9,), float(mp.besseli(1, 712.9)), "finite; SciPy overflows above log(max)"),
    ],
    "k0": [((5e-324,), 744.5560034370396, "finite; SciPy has infinity")],
    "k0e": [((5e-324,), 744.5560034370396, "finite; SciPy has infinity")],
    "k1": [((5e-324,), np.inf, "overflow; SciPy has NaN")],
    "k1e": [((5e-324,), np.inf, "overflow; SciPy has NaN")],
}
