"""Points of the spherical Bessel functions; the Python functions have a test of their own."""

import mpmath as mp
import numpy as np

ORDERS = [0, 1, 2, 3, 5, 10, 25, 99, 101]
VALUES = [1e-3, 0.1, 0.5, 0.9, 1.0, 1.0000001, 1.5, 2.0, 2.83, 3.0, 3.5, 5.0, 9.9, 10.1, 24.9, 25.1]
VALUES += [98.0, 99.5, 151.0, 300.0]
SPECIAL = ([0, 1, 2, 3], [0.0, float("nan")])


def of_half_order(bessel):
    def function(n, x):
        return mp.sqrt(mp.pi / (2 * x)) * bessel(n + mp.mpf(1) / 2, x)

    return function


def envelope(n, x):
    """1 / x where the function oscillates."""
    with np.errstate(all="ignore"):
        return np.where(np.asarray(x) > n, 1 / np.asarray(x), 0.0)


NAMES = [f"_spherical_{kind}n{end}" for kind in "jyik" for end in ("", "_d")]


def derivative(bessel, sign):
    """DLMF 10.51.2 and 10.51.5, without f itself: 10.51.1 taken in."""
    f = of_half_order(bessel)

    def function(n, x):
        below = n * f(n - 1, x) if n else 0
        return (below + sign * (n + 1) * f(n + 1, x)) / (2 * n + 1)

    return function


COMPLEX = [0.5 + 0.2j, 1 + 1j, -2 + 0.5j, 3 - 4j, 20 + 1j, 6 + 25j, 30j, 100 - 1j, -7 + 0j]
POINTS = {name: [(ORDERS, VALUES), SPECIAL, (ORDERS[:7], COMPLEX)] for name in NAMES}
REFERENCE = {
    "_spherical_jn": of_half_order(mp.besselj),
    "_spherical_yn": of_half_order(mp.bessely),
    "_spherical_in": of_half_order(mp.besseli),
    "_spherical_kn": of_half_order(mp.besselk),
    "_spherical_jn_d": derivative(mp.besselj, -1),
    "_spherical_in_d": derivative(mp.besseli, 1),
}
COMPLEX_REFERENCE = dict(REFERENCE)
COMPLEX_REFERENCE["_spherical_yn_d"] = derivative(mp.bessely, -1)
COMPLEX_REFERENCE["_spherical_kn_d"] = lambda n, z: -derivative(mp.besselk, 1)(n, z)
LIMITS = {name: {"why": "errors relative to the envelope where it oscillates"} for name in NAMES}
for name in ("_spherical_jn", "_spherical_jn_d", "_spherical_yn", "_spherical_yn_d"):
    LIMITS[name]["scale"] = envelope
