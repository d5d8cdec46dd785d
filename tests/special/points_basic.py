"""Points and references of kernels/special/basic.cuh."""

import math

import mpmath as mp
import numpy as np

REAL = [
    *[-math.inf, -1e300, -720.0, -180.0, -135.0, -90.0, -45.0, -3.3, -1.0, -0.5, -1e-5, -1e-300],
    *[-0.0, 0.0, 5e-324, 1e-300, 1e-20, 1e-5, 0.1, 0.3, 0.31, 0.49, 0.5, 0.51, 0.64, 0.65, 0.66],
    *[0.9, 1 - 1e-12, 1.0, 1.5, 2.0, 3.7, 10.0, 30.0, 45.0, 60.0, 90.0, 135.0, 180.0, 225.0, 270.0],
    *[360.0, 405.0, 700.0, 710.0, 720.0, 1e14, 1e15, 1e300, math.inf, math.nan],
]
PAIR = [
    *[-math.inf, -2.5, -1.0, -0.5, -1e-5, 0.0, 1e-300, 1e-20, 1e-5, 0.1, 0.5, 0.9, 1 - 1e-12, 1.0],
    *[1 + 1e-12, 1.1, 1.5, 2.0, 3.7, 10.0, 100.0, 1e10, 1e300, math.inf, math.nan],
]
MIDDLE = np.linspace(0.02, 0.98, 60).tolist()
ANGLES = np.linspace(-400, 400, 161).tolist()

POINTS = {
    **{
        name: [(REAL,), (np.linspace(-8, 8, 99).tolist(),)]
        for name in ("entr", "expit", "log_expit", "exprel", "cosm1", "exp10", "exp2", "expm1")
    },
    **{name: [(REAL,), (ANGLES,)] for name in ("sindg", "cosdg", "tandg", "cotdg", "round")},
    **{name: [(REAL,), (np.linspace(-0.9, 8, 99).tolist(),)] for name in ("cbrt", "log1p")},
    "logit": [(REAL,), (MIDDLE,)],
    **{
        name: [(PAIR, PAIR)]
        for name in ("agm", "boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p", "rel_entr")
    },
    **{name: [(PAIR, PAIR)] for name in ("xlogy", "xlog1py", "kl_div", "huber", "pseudo_huber")},
    "radian": [([-90.0, -1.0, 0.0, 1.0, 90.0], [0.0, 30.0], [0.0, 5.5])],
}


def positive(f):
    """`f` for positive arguments; another value is SciPy's convention."""

    def call(*args):
        if not all(a > 0 for a in args):
            raise ValueError("a convention")
        return f(*args)

    return call


def degrees(f):
    """`f` of an angle in degrees that is not so large that SciPy gives 0."""

    def call(x):
        if abs(x) > 1e14:
            raise ValueError("a convention")
        return f(x % 360 / 180)

    return call


REFERENCE = {
    "agm": positive(mp.agm),
    "boxcox": positive(lambda x, y: mp.powm1(x, y) / y),
    "cbrt": positive(mp.cbrt),
    "cosdg": degrees(mp.cospi),
    "cosm1": lambda x: -2 * mp.sin(x / 2) ** 2,
    "cotdg": degrees(lambda t: mp.cospi(t) / mp.sinpi(t)),
    "entr": positive(lambda x: -x * mp.log(x)),
    "exp10": lambda x: mp.mpf(10) ** x,
    "exp2": lambda x: mp.mpf(2) ** x,
    "expit": lambda x: 1 / (1 + mp.exp(-x)),
    "expm1": mp.expm1,
    "exprel": lambda x: mp.expm1(x) / x,
    "kl_div": positive(lambda x, y: x * mp.log(x / y) - x + y),
    "log1p": mp.log1p,
    "log_expit": lambda x: -mp.log1p(mp.exp(-x)),
    "logit": positive(lambda x: mp.log(x / (1 - x))),
    "pseudo_huber": positive(lambda d, r: r**2 / (1 + mp.sqrt(1 + (r / d) ** 2))),
    "rel_entr": positive(lambda x, y: x * mp.log(x / y)),
    "sindg": degrees(mp.sinpi),
    "tandg": degrees(lambda t: mp.sinpi(t) / mp.cospi(t)),
    "xlog1py": positive(lambda x, y: x * mp.log1p(y)),
    "xlogy": positive(lambda x, y: x * mp.log(y)),
}

DIFFERS = {
    "cotdg": [(-1e-300, -5.729577951308232e301, "SciPy gives inf of the wrong sign")],
    "pseudo_huber": [
        (1e-300, None, 0.0, "SciPy squares r / delta, which overflows"),
        (1e300, None, 0.0, "SciPy squares delta, which overflows"),
    ],
}
