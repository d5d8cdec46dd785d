"""Points and references of integrals of Bessel and Struve functions of order 0."""

import math
import sys
from pathlib import Path

import mpmath as mp
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "fits")]
import bessel_integrals as exact  # noqa: E402

BORDERS = [0.75, 1.5, 40.5]
EDGES = [0.0, -0.0, 1e-300, 90.5, 713.5, 1e5, math.inf, -math.inf, math.nan, 1e-10, -1e-5]
SPREAD = [
    (EDGES,),
    (np.linspace(-9.3, 9.3, 63).tolist(),),
    (np.linspace(0.05, 50, 80).tolist(),),
    ([*(math.nextafter(b, s) for b in BORDERS for s in (0, 99)), *BORDERS],),
]
PAIRS = ("itj0y0", "it2j0y0", "iti0k0", "it2i0k0")
POINTS = dict.fromkeys((*PAIRS, "itstruve0", "it2struve0", "itmodstruve0"), SPREAD)


def pair(sign, at):
    """Two of the sums of tools/fits/bessel_integrals.py."""

    def function(x):
        if not 0 < x < (100 if sign < 0 else 720):
            raise ValueError
        return tuple(exact.sums(x, sign)[at : at + 2])

    return function


def struve(sign, at, start=0):
    """One of the sums of Struve functions; `start` is its limit at infinity where it counts from there."""

    def function(x):
        if not 0 < x < (100 if sign < 0 else 720):
            raise ValueError
        value = exact.struve(x, sign)[at]
        return start * mp.pi / 2 - value if start else value

    return function


REFERENCE = {
    "itj0y0": pair(-1, 4),
    "it2j0y0": pair(-1, 6),
    "iti0k0": pair(1, 4),
    "it2i0k0": pair(1, 6),
    "itstruve0": struve(-1, 2),
    "it2struve0": struve(-1, 3, 1),
    "itmodstruve0": struve(1, 2),
}


def envelope(power):
    """That of the integral of Y, or of Y/t, from x to infinity."""

    def scale(x):
        x = np.abs(np.asarray(x, float))
        with np.errstate(all="ignore"):
            size = np.sqrt(2 / np.pi) * x**power
            return np.where(np.isfinite(x) & (x > 1.5), size, np.where(x > 0.25, 0.25, 0.0))

    return scale


WHY = "SciPy's errors are up to 1e-7; those of oscillating functions are relative to the envelope"
LIMITS = {
    "itj0y0": {"scale": envelope(-0.5), "scipy": 1e-8, "why": WHY},
    "it2j0y0": {"scale": envelope(-1.5), "scipy": 1e-6, "why": WHY},
    "iti0k0": {"scipy": 1e-8, "why": WHY},
    "it2i0k0": {"scipy": 1e-6, "why": WHY},
    "itstruve0": {"scipy": 1e-8, "why": WHY},
    "it2struve0": {"scale": envelope(-1.5), "scipy": 1e-6, "why": WHY},
    "itmodstruve0": {"scipy": 1e-8, "why": WHY},
}
INFINITE = "SciPy has 1e300 for infinity"
DIFFERS = {name: [(0.0, INFINITE), (-0.0, INFINITE)] for name in ("it2j0y0", "it2i0k0")} | {
    "itstruve0": [(x, "SciPy's value is negative; it grows like a logarithm") for x in (713.5, 1e5)]
}
