"""Points and references of the Kelvin functions; errors are relative to the modulus where they oscillate."""

import functools
import math

import mpmath as mp
import numpy as np

BORDERS = [0.75, 1.5, 20.5, 40.0]
EDGES = [0.0, -0.0, 1e-300, 1200.0, 2500.0, 1e5, 1e300, math.inf, -math.inf, math.nan, 1e-10, -1e-5]
SPREAD = [
    (EDGES,),
    (np.linspace(-9.3, 9.3, 63).tolist(),),
    (np.linspace(0.05, 50, 80).tolist(),),
    ([*(math.nextafter(b, s) for b in BORDERS for s in (0, 99)), *BORDERS, 53.3, 100.0],),
]
NAMES = ("ber", "bei", "ker", "kei", "berp", "beip", "kerp", "keip")
POINTS = {**dict.fromkeys(NAMES, SPREAD), "kelvin": SPREAD}


@functools.lru_cache(None)
def pairs(x):
    """ber + i bei, ker + i kei, and the derivatives of both, by power series (DLMF 10.31.2)."""
    with mp.extraprec(int(4 * abs(x)) + 20):
        term, harmonic = mp.mpf(1), mp.mpf(0)
        sums = [mp.mpf(0)] * 4
        square = mp.mpc(0, x * x / 4)
        for k in range(20 + 4 * int(abs(x))):
            if k:
                term, harmonic = term * square / k**2, harmonic + mp.mpf(1) / k
            for i, part in enumerate((term, 2 * k * term / x)):
                sums[i] += part
                sums[i + 2] += harmonic * part
        value, slope, third, fourth = sums
        if x < 0:
            return value, None, slope, None
        log = mp.log(x / 2) + mp.euler + mp.mpc(0, mp.pi / 4)
        return value, third - log * value, slope, fourth - log * slope - value / x


def part(which, side):
    """The real (0) or the imaginary part (1) of one of the four."""

    def function(x):
        if abs(x) > 60 or not x:
            raise ValueError
        value = pairs(x)[which]
        if value is None:
            raise ValueError
        return mp.im(value) if side else mp.re(value)

    return function


REFERENCE = {
    name: part({"b": 0, "k": 1}[name[0]] + 2 * (len(name) == 4), int(name[2] == "i"))
    for name in NAMES
}


def modulus(side):
    """About the modulus beyond 1, where the functions oscillate."""

    def scale(x):
        x = np.abs(np.asarray(x, float))
        with np.errstate(all="ignore"):
            size = (2 * np.pi * x) ** -0.5 * np.exp(side * np.minimum(x, 990) / np.sqrt(2))
            return np.where(np.isfinite(x) & (x > 1.5), size * (1 if side > 0 else np.pi), 0.0)

    return scale


WHY = "relative to the modulus; SciPy's errors are up to 1e-9 of it around x = 9"
LIMITS = {
    name: {"scale": modulus(1 if name[0] == "b" else -1), "scipy": 1e-8, "why": WHY}
    for name in NAMES
}
