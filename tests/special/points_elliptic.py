"""Points and references of kernels/special/elliptic.cuh and carlson.cuh."""

import math

import mpmath as mp
import numpy as np

INF, NAN = math.inf, math.nan
PARAMETERS = [
    *[
        -INF,
        -1e300,
        -1e10,
        -5.0,
        -1.0,
        -1e-10,
        -0.0,
        0.0,
        1e-300,
        1e-10,
        0.3,
        0.5,
        0.8999,
        0.9,
        0.9001,
    ],
    *[0.99, 1 - 1e-10, 1.0, 1.5, 1e300, INF, NAN],
]
AMPLITUDES = [
    *[
        -INF,
        -100.0,
        -math.pi,
        -math.pi / 2,
        -1.2,
        -1e-10,
        0.0,
        1e-300,
        0.5,
        1.5,
        math.pi / 2,
        2.0,
        3.0,
    ],
    *[5.0, 20.0, INF, NAN],
]
SIDES = [-1.0, 0.0, 1e-10, 0.3, 1.0, 2.5, 100.0, 1e10, 1e300, INF, NAN]
COMPLEX = [0j, 0.3 + 0j, 1 + 2j, 1 - 2j, -0.5 + 0.1j, -3 - 1e-3j, 1e5j, 1e-8 - 1e-9j, complex(700)]
INSIDE = np.linspace(-3, 0.99, 60).tolist()

POINTS = {
    "ellipk": [(PARAMETERS,), (INSIDE,)],
    "ellipe": [(PARAMETERS,), (INSIDE,)],
    "ellipkm1": [(PARAMETERS,), ([5e-324, 1e-200, 1e-20, 1e-3, 0.1, 0.7, 2.0, 1e5],)],
    "ellipkinc": [(AMPLITUDES, PARAMETERS)],
    "ellipeinc": [(AMPLITUDES, PARAMETERS)],
    "ellipj": [
        (
            [-6.0, -1.5, -1e-10, 0.0, 0.3, 2.0, 4.5, INF, NAN],
            [-0.5, 0.0, 0.1, 0.5, 0.9, 1.0, 1.5, NAN],
        )
    ],
    "elliprc": [(SIDES, [*SIDES, -0.5, -1e5]), (COMPLEX, [*COMPLEX, complex(-2.5), complex(INF)])],
    "elliprd": [(SIDES, SIDES, SIDES), (COMPLEX, COMPLEX, COMPLEX)],
    "elliprf": [(SIDES, SIDES, SIDES), (COMPLEX, COMPLEX, COMPLEX)],
    "elliprg": [(SIDES, SIDES, SIDES), (COMPLEX, COMPLEX, COMPLEX)],
}

REFERENCE = {
    "ellipk": mp.ellipk,
    "ellipe": mp.ellipe,
    "ellipkinc": mp.ellipf,
    "ellipeinc": mp.ellipe,
    "elliprc": mp.elliprc,
    "elliprd": mp.elliprd,
    "elliprf": mp.elliprf,
    "elliprg": mp.elliprg,
}

COMPLEX_REFERENCE = {
    "elliprc": mp.elliprc,
    "elliprd": mp.elliprd,
    "elliprf": mp.elliprf,
    "elliprg": mp.elliprg,
}
LIMITS = {}
LIMITS["ellipj"] = {
    "scipy": 1e-11,
    "scale": lambda u, m: np.full_like(u, 1e-3),
    "why": "close to zeros of sn and cn the argument's rounding shows",
}

DIFFERS = {
    "ellipkinc": [
        (phi, 1.0, -INF, "SciPy's infinity has no sign") for phi in (-100.0, -math.pi, -math.pi / 2)
    ],
    "elliprc": [(INF, NAN, NAN, "SciPy gives 0")],
}
