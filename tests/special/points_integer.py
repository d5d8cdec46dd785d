"""Points of functions of whole order, and of inverses of distributions."""

import math

import numpy as np

INF, NAN = math.inf, math.nan
LEVELS = [-0.1, 0.0, 1e-10, 0.01, 0.2, 0.5, 0.7, 0.9, 1 - 1e-10, 1.0, 1.1, NAN]
ORDERS = [-3.0, 0.0, 1.0, 2.0, 5.0, 20.0]
SIZES = [-1.0, 0.0, 1e-5, 0.1, 1.0, 2.5, 10.0, 30.0, 100.0, 650.0, NAN]
POINTS = {
    "yn": [(ORDERS, SIZES)],
    "kn": [(ORDERS, SIZES)],
    "y1": [(SIZES,), (np.linspace(0.1, 50, 120).tolist(),)],
    "bdtri": [([0.0, 1.0, 7.0], [8.0, 30.0, 300.0], LEVELS)],
    "nbdtri": [([0.0, 1.0, 7.0], [1.0, 8.0, 30.0], LEVELS)],
    "fdtri": [([0.5, 3.0, 40.0], [1.0, 7.5, 200.0], LEVELS)],
    "stdtrit": [([0.5, 1.0, 3.0, 40.0, 1e3], LEVELS)],
}


def envelope(*args):
    """That of Y, where it oscillates."""
    x = np.asarray(args[-1], float)
    with np.errstate(all="ignore"):
        return np.where(
            x > np.abs(args[0] if len(args) > 1 else 1.0),
            np.sqrt(2 / (np.pi * np.where(x > 0, x, 1))),
            0.0,
        )


LIMITS = {
    "yn": {"scale": envelope, "scipy": 1e-11, "why": "errors relative to the envelope"},
    "y1": {"scale": envelope, "scipy": 1e-12, "why": "errors relative to the envelope"},
    **{
        name: {"scipy": 1e-10, "why": "inverses"}
        for name in ("bdtri", "nbdtri", "fdtri", "stdtrit")
    },
}

DIFFERS = {
    "bdtri": [(k, 300.0, None, 0.0, "SciPy's are 1e-6 and 3e-10 off in y") for k in (1.0, 7.0)],
    "stdtrit": [(None, 0.0, -INF, "the quantile of 0 is -inf")],
}
