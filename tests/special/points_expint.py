"""Points and references of exponential, sine and Fresnel integrals, w(z), and complex error functions."""

import math

import mpmath as mp
import numpy as np

WIDE = [
    *[-math.inf, -800.0, -40.0, -5.0, -1.0, -1e-5, -0.0, 0.0, 1e-300, 1e-10, 1e-3],
    *[
        0.3725074107813666,
        0.5238225713898644,
        0.6165054856207162,
        0.999,
        1.0,
        1.2,
        1.201,
        2.0,
        2.001,
        3.0,
    ],
    *[3.001, 4.0, 4.001, 6.0, 6.001, 12.0, 12.001, 24.0, 24.001, 48.0, 48.001, 700.0, 709.7, 716.0],
    *[1e5, math.inf, math.nan],
]
LINE = np.linspace(0.05, 30, 120).tolist()
PLANE = [
    complex(x, y)
    for x in (-20.3, -6.2, -3.0, -1.1, -0.4, 0.02, 0.5, 1.0, 2.5, 4.4, 9.7, 25.0)
    for y in (-30.0, -7.5, -2.2, -0.7, -1e-3, 1e-3, 0.3, 1.6, 3.3, 6.3, 14.0)
]
REAL_AND_PLANE = [(WIDE,), (LINE,), (PLANE,)]

POINTS = {
    **dict.fromkeys(("exp1", "expi", "sici", "shichi", "spence", "fresnel"), REAL_AND_PLANE),
    "wofz": [(PLANE,)],
    "modfresnelp": [(LINE,)],
    "modfresnelm": [(LINE,)],
    "expn": [
        (
            [0, 1, 2, 3, 10, 25, 60],
            [0.0, 1e-10, 0.1, 0.5, 1.0, 1.001, 2.0, 7.0, 50.0, 300.0, math.nan, -1.0],
        )
    ],
    "voigt_profile": [
        (
            [-30.0, -3.0, -0.2, 0.0, 1.0, 7.0, 100.0],
            [0.0, 0.05, 1.0, 20.0],
            [0.0, 1e-5, 0.3, 2.0, 50.0],
        ),
    ],
    **{
        n: [([complex(z.real / 4, z.imag / 4) for z in PLANE],)]
        for n in ("erf", "erfc", "erfcx", "erfi", "dawsn", "ndtr", "log_ndtr")
    },
}


def w(z):
    """The Faddeeva function."""
    z = mp.mpmathify(z)
    with mp.workdps(60 + int(abs(z) ** 2)):
        return mp.exp(-z * z) * mp.erfc(mp.mpc(z.imag, -z.real))


REFERENCE = {
    "expi": lambda x: mp.ei(x),
    "exp1": lambda x: mp.e1(x) if x >= 0 else mp.nan,
    "fresnel": lambda x: (mp.fresnels(x), mp.fresnelc(x)),
    "shichi": lambda x: (mp.shi(x), mp.re(mp.chi(x))),
    "sici": lambda x: (mp.si(x), mp.re(mp.ci(x))),
}
COMPLEX_REFERENCE = {"expi": mp.ei, "exp1": mp.e1, "wofz": w, "erf": mp.erf, "erfi": mp.erfi}

ENVELOPE = "errors are relative to the size of the complex value, and of Ci to its envelope"
LIMITS = {
    "sici": {
        "scipy": 1e-12,
        "scale": lambda x: 1 / np.maximum(np.abs(x), 1.0),
        "why": "errors of Ci are relative to its envelope",
    },
    "fresnel": {
        "scipy": 1e-12,
        "c128": 1e-11,
        "why": "SciPy's errors of large complex values are some 1e-13",
    },
    "modfresnelp": {"scipy": 1e-6, "why": "SciPy's K+ is off by 3e-7 for large x"},
    "modfresnelm": {"scipy": 1e-6, "why": "SciPy's K- is off by 3e-7 for large x"},
    "log_ndtr": {"c128": 2e-6, "why": "SciPy's is off by 1e-6 right of 6"},
}
DIFFERS = {
    "shichi": [
        (716.0, 6.302514553020447e307, "SciPy overflows early"),
        (0.5238225713898644, 5.8e-17, "SciPy has no digits at the zero of Chi"),
    ]
}
