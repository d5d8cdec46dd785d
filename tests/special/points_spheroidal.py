"""Points and references of spheroidal wave functions.

SciPy ends the process where n - m = 199 and where c is no number, is wrong for large c, and its radial functions of the
second kind are wrong in most places. What is exact stands in spheroidal_table.txt, made by spheroidal_exact.py.
"""

import functools
import math
from pathlib import Path

import mpmath as mp
import numpy as np
import scipy.special
import spheroidal_exact as exact

SPREAD = [
    ([0.0, 1.0, 2.0, 5.0], [0.0, 1.0, 2.0, 3.0, 8.0, 20.0], [0.0, 1e-3, 0.5, 1.0, 5.0, 20.0]),
    ([0.0, 3.0], [5.0, 60.0], [0.1, 70.0]),
    ([0.5, -1.0, math.nan], [2.0, 2.5], [1.0]),
    ([0.0], [2.0], [-1.0]),
]
OUTSIDE = [
    ([1.0], [2.0], [2.0], [-2.0, 1.0, math.nan]),
    ([0.5, -1.0, 3.0, math.nan], [2.0], [2.0], [0.5, 1.5]),
    ([0.0], [1.5], [2.0], [0.5, 1.5]),
]
LIMIT = [([0.0, 1.0], [0.0, 1.0], [0.0], [1.5])]
ANGULAR = [
    ([0.0, 1.0, 3.0], [0.0, 1.0, 4.0, 9.0, 20.0], [0.0, 0.1, 2.0, 10.0], [-0.99, -0.5, 0.0, 0.3]),
    ([0.0, 2.0], [2.0, 5.0], [30.0], [0.0, 0.6, -0.97, 0.999]),
]
RADIAL = ([0.0, 1.0, 2.0], [0.0, 1.0, 5.0], [0.1, 3.0, 10.0]), ([0.0, 1.0], [1.0, 3.0], [30.0])
PROLATE = [(*RADIAL[0], [1.001, 1.4, 2.5, 6.0]), (*RADIAL[1], [1.001, 1.2, 4.0])]
OBLATE = [(*RADIAL[0], [0.0, 0.3, 1.2, 6.0]), (*RADIAL[1], [0.0, 1.2, 4.0])]
TABLE = Path(__file__).with_name("spheroidal_table.txt")
FUNCTIONS = {
    **{f"{side}_ang1": ANGULAR for side in ("pro", "obl")},
    **{f"pro_rad{kind}": PROLATE for kind in (1, 2)},
    **{f"obl_rad{kind}": OBLATE for kind in (1, 2)},
}


# Characteristic values, prolate and oblate, of (m, n, c).
KNOWN = {
    (0.0, 1.0, 0.1): (2.0059993142247876, 1.9939993143466925),
    (1.0, 4.0, 2.0): (21.940143718988264, 18.097655230184532),
    (1.0, 5.0, 3.0): (34.45404437752352, 25.68963402214316),
    (3.0, 9.0, 10.0): (135.7215013651141, 47.16152636116178),
    (2.0, 5.0, 10.0): (69.30307623879655, -12.959251049419551),
}


def with_value(name, points):
    """Points of the function of a known characteristic value."""
    return [
        ([m], [n], [c], [values[name.startswith("obl")]], points[-1])
        for (m, n, c), values in KNOWN.items()
        if all(v in p for v, p in zip((m, n, c), points[:-1], strict=True))
    ]


POINTS = {
    "pro_cv": SPREAD,
    "obl_cv": SPREAD,
    **{name: [*points, *OUTSIDE, *("rad" in name) * LIMIT] for name, points in FUNCTIONS.items()},
    **{f"{name}_cv": with_value(name, points[0]) for name, points in FUNCTIONS.items()},
}


def characteristic(side):
    """The eigenvalue for the arguments of the function."""

    def function(m, n, c):
        if m != int(m) or n != int(n) or not 0 <= m <= n or c < 0:
            raise ValueError
        return exact.characteristic(int(m), int(n), float(c), side)

    return function


@functools.cache
def table():
    """{(name, *arguments): (value, slope)}"""
    lines = [line.split() for line in TABLE.read_text().splitlines()]
    return {
        (name, *map(float, numbers[:4])): tuple(map(mp.mpf, numbers[4:]))
        for name, *numbers in lines
    }


def found(*key):
    """The table's values, if it has them."""
    if key not in table():
        raise ValueError(key)
    return table()[key]


def tabulated(name):
    """The function whose values the table has."""
    return lambda *point: found(name, *map(float, point))


def tabulated_cv(name):
    return lambda m, n, c, _, x: found(name, *map(float, (m, n, c, x)))


REFERENCE = {
    "pro_cv": characteristic(1),
    "obl_cv": characteristic(-1),
    **{name: tabulated(name) for name in FUNCTIONS},
    **{f"{name}_cv": tabulated_cv(name) for name in FUNCTIONS},
}


def size(m, n, c):
    with np.errstate(all="ignore"):
        return np.maximum(np.abs(c) ** 2, np.abs(n) ** 2)


def angular_size(m, n, c, *_):
    """About the largest slope of the Legendre function, but for its ends."""
    with np.errstate(all="ignore"):
        return np.sqrt(scipy.special.poch(n - m + 1, 2 * m) * (n + 1) + c)


def radial_size(m, n, c, *x):
    """The largest slope, or value for c below 1, where the function oscillates."""
    with np.errstate(all="ignore"):
        waves = np.maximum(c, 1) / (c * np.maximum(x[-1], 1))
        return np.where(c * np.maximum(x[-1], 1) > n + 1, waves, 0.0)


WHY = "relative to the larger of n^2 and c^2"
ENVELOPE = "functions are relative to their largest slopes where they oscillate"
LIMITS = {
    **{name: {"scale": size, "scipy": 1e-10, "why": WHY} for name in ("pro_cv", "obl_cv")},
    **{
        f"{name}{form}": {
            "scale": angular_size if "ang" in name else radial_size,
            "scipy": 1e-9,
            "why": ENVELOPE,
            **({"f64": 2000} if name.endswith("2") else {}),
        }
        for name in FUNCTIONS
        for form in ("", "_cv")
    },
}
ABSENT = "SciPy takes a negative c for 0"
LOST = "SciPy's sums lose digits"
WRONG = "SciPy's is wrong in most places"
DIFFERS = {
    **{name: [(0.0, 2.0, -1.0, ABSENT)] for name in ("pro_cv", "obl_cv")},
    "pro_rad1": [(None, None, 30.0, None, LOST)],
    "pro_rad2": [(None, None, 30.0, None, LOST), (None, None, 0.0, None, "SciPy's is -1e300")],
    "obl_rad2": [(None, None, None, None, WRONG)],
    "obl_rad2_cv": [(None, None, None, None, None, WRONG)],
}
