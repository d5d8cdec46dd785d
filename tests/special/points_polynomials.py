"""Points of orthogonal polynomials: degrees that are whole and others, complex arguments.

Errors are relative to a scale, since near zeros they are those of the argument times the slope. A test of
test_orthogonal.py compares loops of integer degrees with these.
"""

import mpmath as mp
import numpy as np

WHOLE = [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 7.0, 20.0, 61.0]
OTHER = [-7.7, -2.5, -1.3, -0.5, 0.2, 0.5, 1.5, 3.8, 11.9, 14.5, 30.25]
INSIDE = [-0.999, -0.7, -0.3, 0.0, 0.25, 0.5, 0.9, 0.999]
PLACES = [-1.0, *INSIDE, 1.0, 1.2, 3.0]
BEYOND = [-0.9, -0.3, 0.0, 0.25, 0.5, 0.9, 1.0, 1.2, 3.0]
SHIFTED = [0.001, 0.3, 0.5, 0.9, 0.999, 1.0, 1.4]
COMPLEX = [0.3 + 0.4j, -0.7 + 0.2j, 0.9 - 1.5j, 2.5 + 0.1j, -1.5 - 3.0j, 0.5j]
SOME = [-1.3, 0.0, 0.5, 1.0, 3.0, 3.8, 14.5, 20.0]
CHEBYSHEV = ("chebyt", "chebyu", "chebyc", "chebys", "sh_chebyt", "sh_chebyu")


def places(name, values):
    """Arguments that lie where those of the polynomials of this name on [-1, 1] do."""
    if name.startswith("sh_"):
        return [0.5 * (x + 1) for x in values]
    return [2 * x for x in values] if name in ("chebyc", "chebys") else values


POINTS = {
    **{
        f"eval_{name}": [
            (WHOLE[3:], places(name, PLACES)),
            (WHOLE[:3], places(name, BEYOND)),
            (OTHER, places(name, BEYOND)),
            ([0.5, 2.5], places(name, [-1.5])),
            (SOME, places(name, COMPLEX)),
        ]
        for name in (*CHEBYSHEV, "legendre", "sh_legendre")
    },
    "eval_laguerre": [
        (WHOLE[3:], [*PLACES, 20.0]),
        (OTHER, [0.0, 0.3, 2.5, 11.0, -4.0]),
        (SOME[1:], COMPLEX),
    ],
    "eval_genlaguerre": [
        (WHOLE, [-0.5, 1.5, 10.25], [*PLACES, 20.0]),
        (OTHER, [-0.4, 0.0, 1.3], [0.0, 0.3, 2.5, 11.0, -4.0]),
        (SOME, [-0.4, 1.3], COMPLEX),
    ],
    "eval_gegenbauer": [
        (WHOLE[3:], [-0.25, 0.5, 1.0, 4.5], PLACES),
        (WHOLE[4:], [0.0], PLACES),
        (OTHER[3:], [0.3, 0.5, 1.2], BEYOND),
        (SOME[1:], [0.3, 1.2], COMPLEX),
    ],
    "eval_jacobi": [
        (WHOLE[3:], [-0.5, 0.0, 1.5, 4.0], [-0.7, 0.0, 2.0], PLACES),
        (OTHER[3:], [-0.5, 0.0, 1.3], [-0.7, 0.0, 2.0], BEYOND),
        (SOME[1:], [-0.5, 1.3], [-0.7, 2.0], COMPLEX),
    ],
    "eval_sh_jacobi": [
        ([0.0, 1.0, 2.0, 3.0, 7.0, 20.0], [1.5, 2.5, 6.0], [0.5, 1.0, 2.0], PLACES),
        (OTHER[4:], [1.7, 2.5], [0.6, 1.2], SHIFTED),
        (SOME[1:], [1.7], [0.6, 1.2], COMPLEX),
    ],
}


def jacobi(n, alpha, beta, x):
    """DLMF 18.5.7; mpmath's own is another function where n is not whole and x below 0."""
    return mp.binomial(n + alpha, n) * mp.hyp2f1(-n, n + alpha + beta + 1, alpha + 1, (1 - x) / 2)


REFERENCE = {
    "eval_chebyt": mp.chebyt,
    "eval_chebyu": mp.chebyu,
    "eval_chebyc": lambda n, x: 2 * mp.chebyt(n, x / 2),
    "eval_chebys": lambda n, x: mp.chebyu(n, x / 2),
    "eval_sh_chebyt": lambda n, x: mp.chebyt(n, 2 * x - 1),
    "eval_sh_chebyu": lambda n, x: mp.chebyu(n, 2 * x - 1),
    "eval_legendre": mp.legendre,
    "eval_sh_legendre": lambda n, x: mp.legendre(n, 2 * x - 1),
    "eval_genlaguerre": mp.laguerre,
    "eval_laguerre": lambda n, x: mp.laguerre(n, 0, x),
    "eval_gegenbauer": mp.gegenbauer,
    "eval_jacobi": jacobi,
    "eval_sh_jacobi": lambda n, p, q, x: (
        jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n)
    ),
}
COMPLEX_REFERENCE = REFERENCE

NEAR_ZEROS = "errors near zeros are absolute"


def scale(n, *rest):
    return 1e-2 + 0 * np.nan_to_num(n)


LIMITS = {name: {"scipy": 1e-11, "scale": scale, "why": NEAR_ZEROS} for name in POINTS}
LIMITS["eval_sh_jacobi"]["scale"] = lambda n, *rest: np.exp2(-2.0 * np.maximum(n, 0))
DIFFERS = {
    "eval_laguerre": [(n, None, None, "whole degrees below 0 are 0") for n in (-3.0, -2.0, -1.0)],
    "eval_gegenbauer": [(61.0, 4.5, 0.0, 0.0, "an odd polynomial")],
}
