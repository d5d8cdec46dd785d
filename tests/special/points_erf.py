"""Points and references of kernels/special/erf.cuh and ndtr.cuh."""

import math

import mpmath as mp
import numpy as np

WIDE = [
    *[-math.inf, -1e300, -40.0, -27.0, -6.0, -3.0, -1.0, -0.7, -1e-5, -1e-300, -0.0, 0.0, 5e-324],
    *[
        1e-300,
        1e-20,
        1e-8,
        0.3,
        0.999,
        1.0,
        1.001,
        2.345,
        2.346,
        3.999,
        4.0,
        4.001,
        5.999,
        6.0,
        6.001,
    ],
    *[8.0, 26.0, 27.0, 27.3, 40.0, 1e10, 1e300, math.inf, math.nan],
]
LINE = np.linspace(-6.5, 6.5, 131).tolist()
UNIT = [
    *[-math.inf, -1.5, -1.0, -1 + 1e-15, -0.85, -0.6, -1e-10, -0.0, 0.0, 1e-300, 1e-10, 0.15, 0.5],
    *[0.5999, 0.6, 0.6001, 0.8499, 0.85, 0.8501, 0.99, 1 - 1e-10, 1 - 2**-53, 1.0, 1.15, 1.4, 1.85],
    *[1.999, 2.0, 2.5, math.inf, math.nan],
]
TINY = [5e-324, 1e-310, 1e-300, 1e-100, 1e-28, 1.2e-4, 1.3e-4, 1e-3, 0.07, 0.0749, 0.075, 0.149]
LOGS = [
    *[-math.inf, -1e308, -1e100, -1e5, -601.0, -600.0, -599.0, -70.0, -2.6001, -2.6, -2.5999, -2.0],
    *[
        -1.0,
        -0.6931471805599453,
        -0.1,
        -0.0101,
        -0.01,
        -0.0099,
        -1e-5,
        -1e-20,
        -0.0,
        0.0,
        0.5,
        math.nan,
    ],
]

POINTS = {
    **{name: [(WIDE,), (LINE,)] for name in ("dawsn", "erf", "erfc", "erfcx", "erfi")},
    **{name: [(WIDE,), (np.linspace(-38, 9, 151).tolist(),)] for name in ("ndtr", "log_ndtr")},
    "erfinv": [(UNIT,), (np.linspace(-0.99, 0.99, 100).tolist(),)],
    "erfcinv": [(UNIT,), (TINY,), (np.linspace(0.01, 1.99, 100).tolist(),)],
    "ndtri": [(UNIT,), (TINY,), (np.linspace(0.01, 0.99, 99).tolist(),)],
    "ndtri_exp": [
        (LOGS,),
        (np.linspace(-12, -0.02, 120).tolist(),),
        (np.linspace(-700, -7, 60).tolist(),),
        ([-1e39, -1e41, -1e200, -1.7976931348623157e308],),
    ],
}


def inverse_tail(q):
    """The x with erfc(x) = q."""
    if q > 0.01:
        return mp.erfinv(1 - q)
    x = mp.sqrt(-mp.log(q))
    for _ in range(60):
        step = mp.log(mp.erfc(x) / q) * mp.erfc(x) * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) < mp.mpf(10) ** -35:
            break
    return x


def erfcx(x):
    if abs(x) > 40:
        raise ValueError("SciPy's limits are compared")
    return mp.exp(x * x) * mp.erfc(x)


def inverse_log(y):
    """The x with log Phi(x) = y."""
    if y > -0.5:
        return mp.sqrt(2) * inverse_tail(-2 * mp.expm1(y))
    x = mp.sqrt(2) * mp.erfinv(2 * mp.exp(y) - 1) if y > -3 else -mp.sqrt(-2 * y)
    for _ in range(60):
        tail = mp.erfc(-x / mp.sqrt(2)) / 2
        step = (mp.log(tail) - y) * tail * mp.sqrt(2 * mp.pi) * mp.exp(x * x / 2)
        x -= step
        if abs(step) < mp.mpf(10) ** -35:
            break
    return x


REFERENCE = {
    "dawsn": lambda x: x * mp.hyp1f1(1, mp.mpf(3) / 2, -x * x),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcinv": lambda y: inverse_tail(y) if y <= 1 else -inverse_tail(2 - y),
    "erfcx": erfcx,
    "erfi": mp.erfi,
    "erfinv": mp.erfinv,
    "log_ndtr": lambda x: (
        mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) if x < 1 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)
    ),
    "ndtr": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
    "ndtri_exp": inverse_log,
    "ndtri": lambda p: mp.sqrt(2) * (-inverse_tail(2 * p) if p <= 0.5 else inverse_tail(2 - 2 * p)),
}

DIFFERS = {"ndtri_exp": [(-1e5, -447.1978936785250514864514, "SciPy is 5e-13 off")]}
