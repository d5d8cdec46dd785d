"""Points of functions of whole order and degree, and of inverses of distributions."""

import math

import numpy as np

INF, NAN = math.inf, math.nan
LEVELS = [-0.1, 0.0, 1e-10, 0.01, 0.2, 0.5, 0.7, 0.9, 1 - 1e-10, 1.0, 1.1, NAN]
DEGREES = [-3, -2, -1, 0, 1, 2, 3, 7, 20, 61]
PLACES = [-1.0, -0.999, -0.3, 0.0, 0.25, 0.5, 0.9, 1.0, 1.2, 3.0]
ORDERS = [-3.0, 0.0, 1.0, 2.0, 5.0, 20.0]
SIZES = [-1.0, 0.0, 1e-5, 0.1, 1.0, 2.5, 10.0, 30.0, 100.0, 650.0, NAN]
INTEGER_ONLY = (
    "chebyc",
    "chebys",
    "chebyt",
    "chebyu",
    "laguerre",
    "legendre",
    "sh_chebyt",
    "sh_chebyu",
    "sh_legendre",
)

POINTS = {
    **{f"eval_{name}": [(DEGREES, PLACES)] for name in INTEGER_ONLY},
    "eval_genlaguerre": [(DEGREES, [-0.5, 0.0, 1.5, 10.0], [*PLACES, 20.0])],
    "eval_gegenbauer": [(DEGREES, [-0.25, 0.0, 0.5, 1.0, 4.5], PLACES)],
    "eval_jacobi": [(DEGREES[3:], [-0.5, 0.0, 1.5, 4.0], [-0.7, 0.0, 2.0], PLACES)],
    "eval_sh_jacobi": [([0, 1, 2, 3, 7, 20], [1.5, 2.5, 6.0], [0.5, 1.0, 2.0], PLACES)],
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
    **{
        f"eval_{name}": {
            "absent": ["ff->f", "fF->F", "dd->d", "dD->D"],
            "scipy": 1e-11,
            "scale": lambda n, x: np.minimum(1.0, 1e-2 + 0 * np.nan_to_num(x)),
            "why": "whole degrees only; errors near zeros",
        }
        for name in INTEGER_ONLY
    },
    "eval_genlaguerre": {
        "absent": ["fff->f", "ffF->F", "ddd->d", "ddD->D"],
        "scipy": 1e-11,
        "scale": lambda n, a, x: 1e-2 + 0 * np.nan_to_num(x),
        "why": "whole degrees only; errors near zeros",
    },
    "eval_gegenbauer": {
        "absent": ["fff->f", "ffF->F", "ddd->d", "ddD->D"],
        "scipy": 1e-11,
        "scale": lambda n, a, x: np.where(a == 0, 0.0, 1e-2),
        "why": "whole degrees only; errors near zeros",
    },
    **{
        name: {
            "absent": ["ffff->f", "fffF->F", "dddd->d", "dddD->D"],
            "scipy": 1e-11,
            "scale": scale,
            "why": "whole degrees only; errors near zeros",
        }
        for name, scale in (
            ("eval_jacobi", lambda n, a, b, x: 1e-2 + 0 * n),
            ("eval_sh_jacobi", lambda n, p, q, x: np.exp2(-2.0 * np.maximum(n, 0))),
        )
    },
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
    "eval_gegenbauer": [(0.0, 0.0, None, 1.0, "degree 0 is 1; SciPy 1.18 has 0")],
}
