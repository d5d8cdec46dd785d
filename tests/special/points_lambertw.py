"""Points and references of kernels/special/lambertw.cuh."""

import math

import mpmath as mp
import numpy as np

LINE = [*np.linspace(-60, 40, 101).tolist(), -740.0, 1e5, 1e19, 1e21, -math.inf, math.inf, math.nan]
PLANE = [
    complex(x, y)
    for x in (-30.0, -6.0, -1.5, -1.0, -0.6, -0.35, -0.1, 0.02, 0.7, 2.0, 9.0, 100.0)
    for y in (-20.0, -4.0, -3.1, -1.0, -0.2, -1e-3, 1e-3, 0.3, 1.3, 3.2, 8.0)
]
BRANCH_POINT = [  # SciPy keeps half of the digits near it
    complex(-1 + x, y * math.pi)
    for x in (0.0, 1e-9, -1e-9, 1e-5, -1e-3)
    for y in (1, -1, 1 - 1e-15, 1 + 1e-9)
]
ZS = [z for z in PLANE if abs(z) < 40] + [
    0j,
    -0.2 + 0j,
    -0.1 + 0j,
    -5 + 0j,
    1e300 + 0j,
    1e-300 + 0j,
]

POINTS = {
    "wrightomega": [(LINE,), (PLANE + BRANCH_POINT,)],
    "_lambertw": [(ZS, [-3, -2, -1, 0, 1, 2, 40], [1e-8])],
}


def omega(z):
    """Wright's omega function."""
    z = mp.mpmathify(z)
    with mp.workdps(50):
        return mp.lambertw(mp.exp(z), int(mp.ceil((z.imag - mp.pi) / (2 * mp.pi))))


REFERENCE = {"wrightomega": lambda x: omega(x) if x < 1e5 else mp.nan}
COMPLEX_REFERENCE = {"wrightomega": omega, "_lambertw": lambda z, k, tol: mp.lambertw(z, int(k))}
DIFFERS = {
    "_lambertw": [
        (
            -0.36787944117144233 + 0j,
            0,
            None,
            complex(-1.0, 8.220079714836618e-09),
            "SciPy gives NaN next to -1/e",
        ),
        (
            -0.36787944117144233 + 0j,
            -1,
            None,
            complex(-1.0, -8.220079714836618e-09),
            "SciPy gives NaN next to -1/e",
        ),
    ],
}
