"""Points of the gamma family: borders of regions, poles, zeros, special values; references in mpmath."""

import mpmath as mp
import numpy as np

INF, NAN = float("inf"), float("nan")


def around(*values):
    """Each value with its two neighbours."""
    return [float(w) for v in values for w in (np.nextafter(v, -INF), v, np.nextafter(v, INF))]


SPECIAL = [0.0, -0.0, -1.0, -2.0, -3.0, INF, -INF, NAN]
POSITIVE = [
    1e-300,
    1e-30,
    1e-10,
    1e-3,
    0.07,
    0.3,
    *around(0.5, 1.0, 1.25, 1.4616321449683623, 1.5, 2.0, 2.5, 3.0),
    3.7,
    4.0,
    5.5,
    6.0,
    7.3,
    *around(8.0),
    9.1,
    12.0,
    17.77,
    33.3,
    34.9,
    60.25,
    100.0,
    140.5,
    170.9,
]
LARGE = [1e3, 12345.678, 1e8, 1e15, 1e36, 1e100, 1e300]
NEGATIVE = [
    -1e-300,
    -1e-10,
    -0.1,
    -0.5,
    -0.75,
    -1.2,
    -1.5,
    -1.999,
    -2.3,
    -2.6,
    -3.5,
    -4.25,
    -5.9,
    -7.1,
    -8.5,
    -12.3,
    -20.5,
    -33.7,
    -100.25,
    -150.6,
]
ZEROS = around(
    -2.457024738220801,
    -2.747682646727413,
    -3.1435808883499798,
    -3.955294284858598,
    -4.039361839740537,
)

SHAPES = [1e-3, 0.07, 0.5, 1.0, 1.7, 2.999, 3.0, 5.5, 11.9, *around(12.0), 20.0, 47.3, 150.0]
VALUES = [
    1e-5,
    0.03,
    0.4,
    *around(1.1),
    1.5,
    2.2,
    3.9,
    4.1,
    7.0,
    12.5,
    13.1,
    21.0,
    27.9,
    46.0,
    66.0,
    110.0,
    160.0,
    320.0,
]
LEVELS = [1e-200, 1e-20, 1e-6, 0.01, 0.2, 0.5, 0.77, 0.99, 1 - 1e-6, 1 - 2.0**-50]
EDGES = [-1.0, 0.0, 1.0, INF, NAN]

POINTS = {
    "gammaln": [(POSITIVE + LARGE + NEGATIVE + ZEROS + SPECIAL,)],
    "gamma": [(POSITIVE + NEGATIVE + SPECIAL + [171.6, 171.7, 1e300, -180.5],)],
    "rgamma": [(POSITIVE + NEGATIVE + SPECIAL + [1e300, -180.5],)],
    "gammasgn": [(POSITIVE + LARGE + NEGATIVE + SPECIAL,)],
    "loggamma": [(POSITIVE + LARGE + NEGATIVE + SPECIAL,)],
    "beta": [
        (
            [0.01, 0.5, 1.0, 2.5, 7.9, 8.0, 8.1, 20.5, 90.0, 1e4, 1e9],
            [1e-30, 0.03, 0.7, 1.0, 3.3, 8.0, 12.7, 40.0],
        ),
        ([-0.5, -3.3, -20.6], [0.7, 2.1, 15.2, 70.4, -1.75]),
        ([0.0, -1.0, -2.0, -1.5, 2.0], [0.0, -2.0, 1.0, 2.0, 3.5, INF, NAN]),
    ],
    "binom": [
        ([1021.0], [508.0]),  # the exponential of its logarithm is nearly out of range
        (
            [0.5, 1.0, 3.7, 10.0, 33.3, 60.0, 200.5, -0.5, -2.5, -31.3],
            [0.0, 0.3, 1.0, 2.0, 2.5, 7.0, 31.0, 40.4],
        ),
        ([4.0, 3.5, -1.5, -2.0, NAN], [-1.0, -3.0, NAN]),
    ],
    "poch": [
        (
            [0.3, 1.0, 4.4, 7.9, 8.3, 30.1, 100.5, -0.7, -5.3, -40.2],
            [0.0, 1.0, 2.0, 5.0, 0.4, 7.7, 21.0, 60.3, -1.0, -2.5, -7.0, -33.4],
        ),
        ([-1.0, -3.0], [1.0, 2.0, 3.0, 4.0, -1.0, -2.0]),
        ([2.0, 3.5], [NAN, INF, -INF]),
    ],
    "psi": [
        (
            POSITIVE
            + LARGE
            + around(-0.504083008264455)
            + [-0.1, -0.3, -0.6, -0.61, -1.2, -2.3, -7.4, -30.25]
            + SPECIAL,
        )
    ],
    "zetac": [
        (
            [
                0.0,
                1e-10,
                0.3,
                0.77,
                *around(1.0, 2.0, 4.0, 10.0, 30.0),
                1.5,
                3.1,
                6.6,
                15.0,
                50.5,
                120.0,
                -1e-10,
                -0.3,
                -1.0,
                -2.0,
                -3.0,
                -4.5,
                -7.0,
                -9.7,
                -30.5,
                -99.3,
                -170.5,
                -250.25,
                INF,
                -INF,
                NAN,
            ],
        )
    ],
    "_zeta": [
        (
            [1.0, 1.0001, 1.5, 2.0, 3.0, 7.0, 20.0, 90.0],
            [1e-3, 0.3, 1.0, 1.5, 7.7, 9.0, 33.3, 1e4, 1e12],
        ),
        ([2.0, 3.0, 8.0], [-0.5, -3.3, -12.7]),
        ([0.5, 1.0, 2.0, 2.5, NAN], [-1.0, -0.5, 0.0, 2.0, INF, NAN]),
    ],
    "powm1": [
        (
            [0.0, 0.3, 0.9999, 1.0, 1.0000001, 1.7, 20.0, -1.0, -2.0, INF, NAN],
            [-3.0, -1.5, -1e-10, 0.0, 1e-20, 0.01, 0.5, 1.0, 2.0, 30.0],
        )
    ],
    "gammainc": [(SHAPES, VALUES), (EDGES, EDGES), ([0.5, 3.0, 40.0], EDGES), (EDGES, [0.5, 30.0])],
    "gammaincinv": [
        (SHAPES, LEVELS),
        ([0.5, 3.0, 40.0], [-0.1, 0.0, 1.0, 1.1, NAN]),
        ([-1.0, NAN], [0.0, 0.3, 1.0]),
    ],
    "chdtr": [([1.0, 2.0, 3.7, 20.0, 55.5], [0.0, 0.1, 1.0, 5.0, 24.0, 80.0, NAN])],
    "chdtri": [([1.0, 2.0, 3.7, 20.0, 55.5], [0.0, 1e-10, 0.1, 0.5, 0.9, 1.0, -1.0, NAN])],
    "chdtriv": [([0.0, 1e-10, 0.1, 0.5, 0.9, 0.9999, 1.0, NAN], [0.5, 2.0, 7.7, 40.0, 300.0])],
    "gdtr": [([0.5, 2.0], [0.5, 3.0, 20.0], [-1.0, 0.0, 0.1, 2.0, 13.0, NAN])],
    "gdtria": [([0.0, 0.1, 0.5, 0.9, 1.0, NAN], [0.5, 3.0, 20.0], [0.1, 2.0, 13.0])],
    "gdtrib": [([0.5, 2.0], [0.0, 0.1, 0.5, 0.9, 1.0, NAN], [0.1, 2.0, 13.0])],
    "gdtrix": [([0.5, 2.0], [0.5, 3.0, 20.0], [0.0, 0.1, 0.5, 0.9, 1.0, NAN])],
    "pdtr": [([0.0, 0.5, 1.0, 3.7, 12.0, 40.0, -1.0, NAN], [0.0, 0.3, 2.0, 15.0, 41.0, -1.0, INF])],
    "pdtri": [([0.0, 1.0, 3.0, 12.0, 40.0], [1e-10, 0.1, 0.5, 0.9, -1.0, 1.5, NAN])],
    "pdtrik": [([0.0, 0.1, 0.5, 0.9, 0.999], [0.3, 2.0, 15.0, 41.0, 400.0])],
}
POINTS["_riemann_zeta"] = POINTS["zetac"]
POINTS["betaln"] = POINTS["beta"]
POINTS["gammaincc"] = POINTS["gammainc"]
POINTS["gammainccinv"] = POINTS["gammaincinv"]
POINTS["chdtrc"] = POINTS["chdtr"]
POINTS["gdtrc"] = POINTS["gdtr"]
POINTS["pdtrc"] = POINTS["pdtr"]

COMPLEX = [
    complex(x, y)
    for x in [-30.3, -7.9, -1.0, -0.5, 0.0, 0.4, 1.0, 1.46, 2.0, 3.1, 9.99, 10.0, 25.5]
    for y in [-40.3, -9.99, -1.0, -1e-8, -0.0, 0.0, 1e-8, 0.3, 1.0, 10.0, 33.3]
]
for name in ("gamma", "rgamma", "loggamma", "psi", "_riemann_zeta"):
    POINTS[name] = [*POINTS[name], (COMPLEX,)]


def pole(x):
    """Whether Gamma has a pole there."""
    return x <= 0 and mp.floor(x) == x


def ratio(above, below):
    """A product of gamma functions over another; NaN at poles of the numerator."""
    if any(pole(x) for x in above):
        return mp.nan
    return mp.fprod(mp.gamma(x) for x in above) * mp.fprod(mp.rgamma(x) for x in below)


REFERENCE = {
    "gammaln": lambda x: mp.re(mp.loggamma(x)),
    "gamma": mp.gamma,
    "rgamma": mp.rgamma,
    "loggamma": lambda x: mp.loggamma(x) if x > 0 else mp.nan,
    "beta": lambda a, b: ratio([a, b], [a + b]),
    "betaln": lambda a, b: mp.log(abs(ratio([a, b], [a + b]))),
    "binom": lambda x, y: ratio([x + 1], [y + 1, x - y + 1]),
    "poch": lambda z, m: ratio([z + m], [z]),
    "psi": mp.digamma,
    "zetac": lambda x: mp.zeta(x) - 1,
    "_riemann_zeta": mp.zeta,
    "powm1": lambda x, y: mp.powm1(x, y),
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: mp.gammainc(a, x, regularized=True),
}

COMPLEX_REFERENCE = {
    "gamma": mp.gamma,
    "rgamma": mp.rgamma,
    "loggamma": mp.loggamma,
    "psi": mp.digamma,
    "_riemann_zeta": mp.zeta,
}

LIMITS = {
    "_zeta": {"absent": ["Ff->F", "Dd->D"]},
    "_riemann_zeta": {
        "c128": 500 * 2.0**-52,
        "why": "rounding of the phase Im s log(n), and terms that cancel",
    },
    "gammaincinv": {"scipy": 1e-11, "why": "x is as sensitive as 1 / a for small a"},
    "gammainccinv": {"scipy": 1e-11, "why": "x is as sensitive as 1 / a for small a"},
    "gamma": {
        "c128": 300 * 2.0**-52,
        "why": "the exponential of ln Gamma, whose error is relative to |ln Gamma|",
    },
    "rgamma": {
        "c128": 300 * 2.0**-52,
        "why": "the exponential of -ln Gamma, whose error is relative to |ln Gamma|",
    },
    "loggamma": {
        "c128": 30 * 2.0**-52,
        "why": "near its zeros 1 and 2, and near |Gamma| = 1, relative to terms of size 10",
    },
    "psi": {
        "f64": 4,
        "c128": 20 * 2.0**-52,
        "why": "between the poles below 0 relative to the terms of the reflection",
    },
}

# Our value at arguments where SciPy's is wrong or of a lower accuracy than the bound.
DIFFERS = {
    "gammasgn": [(-1e15 - 0.5, -1.0, "the parity of floor(x) overflows an int")],
    "powm1": [(0.5, -INF, INF, "the limit is infinite")],
    "zetac": [(171.6, 2.0**-171.6, "flushed to 0 from 127 on")],
    "binom": [(2.0, 1e10, 0.0, "0 for whole y > x"), (10.0, 1e20, 0.0, "0 for whole y > x")],
    "poch": [(0.0, -1e10, 0.0, "1/Gamma(1e10 + 1) is below the smallest number")],
    "_zeta": [(INF, 2.0, 0.0, "the limit of 2^-x")],
}
