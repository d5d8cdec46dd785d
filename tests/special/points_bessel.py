"""Points and references of the Airy functions and the Bessel functions of real order."""

import math

import mpmath as mp
import numpy as np
import scipy.special

BORDERS = [
    math.nextafter(2, 0),
    2.0,
    math.nextafter(2, 3),
    math.nextafter(25, 0),
    25.0,
    math.nextafter(25, 26),
]
ORDERS = [
    *[
        0.0,
        1e-10,
        0.25,
        1 / 3,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        9.75,
        10.0,
        12.5,
        24.3,
        30.0,
        49.7,
        100.0,
    ],
    *[100.5, 300.3, 1000.0, -0.5, -1.0, -1.25, -2.0, -2.5, -3.0, -10.0, -10.3],
]
SIZES = [
    *[
        1e-300,
        1e-150,
        1e-10,
        0.001,
        0.3,
        1.0,
        1.7,
        *BORDERS,
        3.7,
        5.5,
        10.2,
        18.0,
        30.0,
        49.0,
        80.1,
        99.0,
    ],
    *[100.0, 101.5, 300.0, 500.5, 700.0, 990.0, 1010.0, 1700.0, 1e4, 1e5],
]
EDGES = [0.0, -0.0, -1.0, -2.5, -800.0, math.inf, -math.inf, math.nan]
EDGE_ORDERS = [0.0, 1.0, 0.5, 2.0, 2.5, 3.0, -1.0, -2.0, -3.0, -0.5, -1.5, -2.5, 100.5, math.nan]

ANGLES = [0.0, 1e-12, 0.05, 0.8, math.pi / 2 - 1e-6, math.pi / 2, 1.6, 2.5, math.pi - 1e-3, math.pi]
PLANE = [
    r * complex(math.cos(a), s * math.sin(a))
    for r in (1e-10, 0.3, 2.0, 3.7, 24.9, 30.0, 101.5, 600.0)
    for a in ANGLES
    for s in (1, -1)
]
PLANE_ORDERS = [0.0, 0.25, 0.5, 1.0, 2.5, 9.75, 30.0, 60.5, -1.0, -0.5, -2.3]
COMPLEX_EDGES = [
    complex(math.nan, 1),
    complex(1, math.nan),
    complex(math.inf, 0),
    complex(0, -math.inf),
]

SPIRAL = [
    r * complex(math.cos(a), math.sin(a))
    for r in (0.1, 0.99, 1.01, 2.5, 5.0, 9.0, 20.0, 60.0)
    for a in np.linspace(-3.1, 3.1, 41).tolist()
]

BESSEL = ("jv", "yv", "iv", "kv", "jve", "yve", "ive", "kve")
HANKEL = ("hankel1", "hankel2", "hankel1e", "hankel2e")
POINTS = {
    **{
        name: [
            (ORDERS, SIZES),
            (EDGE_ORDERS, EDGES),
            (PLANE_ORDERS, PLANE),
            (PLANE_ORDERS, COMPLEX_EDGES),
        ]
        for name in BESSEL
    },
    **{name: [(PLANE_ORDERS, PLANE), (PLANE_ORDERS, COMPLEX_EDGES)] for name in HANKEL},
    # From order 85 or so SciPy's scaled functions lose, or return 0 for, one of the two exponentials.
    **{
        name: [
            (np.linspace(-9.3, 9.3, 187).tolist(),),
            (np.linspace(-60, 100, 81).tolist(),),
            (
                [
                    1.0,
                    2.0,
                    3.5,
                    5.75,
                    9.0,
                    -9.0,
                    0.0,
                    -0.0,
                    1e-300,
                    -1e-300,
                    -1e4,
                    -1e5,
                    math.inf,
                    -math.inf,
                    math.nan,
                ],
            ),
            (SPIRAL,),
            ([0j, complex(math.nan, 1), complex(math.inf, 0)],),
        ]
        for name in ("airy", "airye")
    },
    "itairy": [
        (np.linspace(-20.3, 20.3, 101).tolist(),),
        (
            [
                0.0,
                -0.0,
                1e-300,
                -1e-10,
                15.0,
                -15.0,
                40.0,
                -100.0,
                110.0,
                math.inf,
                -math.inf,
                math.nan,
            ],
        ),
    ],
}


def real_order(f, scale=None):
    """`f` of mpmath for x > 0, times `scale`(x)."""

    def function(v, x):
        if x <= 0:
            raise ValueError
        return f(v, x) * (scale(x) if scale else 1)

    return function


def airy(x):
    return mp.airyai(x), mp.airyai(x, derivative=1), mp.airybi(x), mp.airybi(x, derivative=1)


def airye(x):
    if x < 0:
        raise ValueError
    size = mp.exp(2 * x * mp.sqrt(x) / 3)
    return tuple(f * (size if k < 2 else 1 / size) for k, f in enumerate(airy(x)))


def itairy(x):
    both = [(mp.airyai(y, derivative=-1), mp.airybi(y, derivative=-1)) for y in (x, -x)]
    return both[0][0], both[0][1], -both[1][0], -both[1][1]


def itairy_envelope(x):
    """That of the integral of Bi(-t)."""
    x = np.abs(np.asarray(x, float))
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(x) & (x > 2), np.pi**-0.5 * np.maximum(x, 1) ** -0.75, 0.0)


REFERENCE = {
    "itairy": itairy,
    "jv": real_order(mp.besselj),
    "jve": real_order(mp.besselj),
    "yv": real_order(mp.bessely),
    "yve": real_order(mp.bessely),
    "iv": real_order(mp.besseli),
    "kv": real_order(mp.besselk),
    "ive": real_order(mp.besseli, lambda x: mp.exp(-x)),
    "kve": real_order(mp.besselk, mp.exp),
    "airy": airy,
    "airye": airye,
}


def envelope(v, x):
    """The modulus of Hankel's function where it oscillates; errors of J and Y are relative to it."""
    v, x = np.asarray(v, float), np.asarray(x, float)
    with np.errstate(all="ignore"):
        return np.where(x > np.abs(v), np.sqrt(2 / (np.pi * np.where(x > 0, x, 1))), 0.0)


def airy_envelope(x):
    """That of Ai and Bi at negative arguments."""
    x = np.asarray(x, float)
    with np.errstate(all="ignore"):
        return np.where(np.isfinite(x) & (x < -1), np.pi**-0.5 * np.maximum(-x, 1) ** 0.25, 0.0)


WAVES = "SciPy's errors grow with |z|; those near zeros are relative to the modulus of Hankel's function"
LIMITS = {
    "itairy": {
        "scale": itairy_envelope,
        "scipy": 1e-5,
        "why": "SciPy's errors are up to 4e-6 near x = 9",
    },
    **{name: {"c128": 1e-11, "why": WAVES} for name in (*BESSEL, *HANKEL)},
    **{
        name: {"scale": envelope, "c128": 1e-11, "why": WAVES}
        for name in ("jv", "yv", "jve", "yve")
    },
    **{
        name: {
            "scale": airy_envelope,
            "scipy": 1e-8,
            "why": "SciPy loses digits at large negative arguments",
        }
        for name in ("airy", "airye")
    },
}

OVERFLOW = "SciPy gives NaN or 0 beyond its limits of over- and underflow"
INFINITE_J = [(v, x) for v in ORDERS for x in SIZES if np.isinf(scipy.special.jv(v, x))]
INFINITE_Y = [(v, x) for v in ORDERS for x in SIZES if np.isinf(scipy.special.yv(v, x))]
DIFFERS = {
    "jv": [(1000.0, 1e4, None, "SciPy's error is 6e-12, and mpmath's series does not converge")],
    "airy": [(x, None, OVERFLOW) for x in (104.0, 110.0)],
    "jve": [*[(v, x, None, OVERFLOW) for v, x in INFINITE_J], (1000.0, 1e4, None, "as jv")],
    "ive": [(v, x, None, OVERFLOW) for v, x in INFINITE_J],
    "iv": [
        *[(v, 1e-300, None, "SciPy underflows to 0") for v in (0.25, 1 / 3, 0.5, 0.75, 1.0, -1.0)],
        (-2.0, 1e-150, 1.25e-301, "SciPy 1.18 underflows to 0"),
    ],
    "yv": [
        (v, x, 0.0, "Y is J of order -v, which underflows")
        for v in (-2.5,)
        for x in (1e-300, 1e-150)
    ]
    + [(v, 0.0, 0.0, "Y is J of order -v, or -J") for v in (-0.5, -1.5, -2.5)],
    "yve": [
        (v, x, None, "SciPy has the sign of an infinite result reversed, or NaN")
        for v, x in INFINITE_Y
    ]
    + [(60.5, complex(1e-10, 0), None, "the sign of an infinite result is reversed")],
}
