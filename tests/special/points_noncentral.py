"""Points and references of the noncentral distributions and their inverses."""

import math

import mpmath as mp
from points_distributions import inverse

INF, NAN = math.inf, math.nan
DF = [-1.0, 0.0, 0.3, 2.0, 7.5, 60.0, 500.0, INF, NAN]
SHIFTS = [-1.0, 0.0, 1e-3, 0.8, 5.0, 40.0, 300.0, 3000.0, NAN]

POINTS = {
    "chndtr": [
        ([-1.0, 0.0, 1e-200, 1e-5, 0.4, 3.0, 20.0, 100.0, 400.0, 3200.0, INF, NAN], DF, SHIFTS),
        ([1e6], [2.0, 5e5], [5e5, 1e6]),
        ([0.1], [190.0, 200.0], [1.0, 50.0]),  # central terms near the least number
    ],
    "chndtrix": [
        ([-0.1, 0.0, 1e-30, 1e-6, 0.2, 0.5, 0.9, 1.0, 1.1, NAN], [-1.0, 0.3, 2.0, 30.0], SHIFTS)
    ],
    "chndtridf": [
        ([-1.0, 2.0, 30.0, NAN], [-0.1, 1e-6, 0.2, 0.5, 0.7, 1.0, NAN], [-1.0, 0.0, 0.3, 0.6])
    ],
    "chndtrinc": [
        ([-1.0, 3.0, 30.0, NAN], [-1.0, 0.3, 2.0, NAN], [-0.1, 1e-6, 0.2, 0.5, 0.7, 1.0, NAN])
    ],
    "ncfdtr": [
        (
            [-1.0, 0.4, 2.0, 60.0, INF, NAN],
            [0.0, 0.4, 3.0, 200.0],
            [-1.0, 0.0, 0.8, 40.0, 300.0, NAN],
            [-1.0, 0.0, 1e-5, 0.5, 3.0, 20.0, INF, NAN],
        ),
        ([3.0], [10.0, 1000.0], [1e4, 1e6], [1e3, 1e5, 1e6]),
    ],
    "ncfdtri": [
        (
            [-1.0, 0.4, 2.0, 60.0],
            [0.0, 0.4, 3.0, 200.0],
            [-1.0, 0.8, 40.0],
            [0.0, 1e-6, 0.2, 0.9, 1.0, NAN],
        )
    ],
    "ncfdtridfd": [
        ([2.0, 7.0], [0.05, 0.2], [0.0, 1.5], [1.0, 2.0]),
        ([-1.0, NAN], [0.2], [1.0], [1.0]),
    ],
    "ncfdtridfn": [
        *[([p], [3.0], [1.5], [f]) for p, f in [(0.4, 1.0), (0.35, 0.2), (0.2, 0.2), (0.6, 5.0)]],
        ([0.8], [160.0], [4.0], [8.0]),
        ([0.65], [280.0], [30.0], [7.0]),
        ([0.5], [-1.0, NAN], [1.0], [1.0]),
    ],
    "ncfdtrinc": [
        ([-1.0, 2.0, 7.0, NAN], [3.0, 40.0], [0.05, 0.3, 0.999, NAN], [1.0, 3.0]),
        ([2.0], [3.0], [-0.1], [1.0]),
    ],
    "nctdtr": [
        (
            [-1.0, 0.0, 0.4, 3.0, 20.0, 500.0, INF, NAN],
            [-INF, -9.0, -2.0, -0.01, 0.0, 1e-5, 1.0, 6.0, 20.0, NAN],
            [-INF, -30.0, -3.0, -0.2, -1e-6, 0.0, 1e-8, 0.3, 4.0, 18.0, 60.0, INF, NAN],
        ),
        ([10.0, 3000.0], [60.0, 100.0], [50.0, 70.0, 110.0]),
    ],
    "nctdtrit": [
        (
            [-1.0, 0.5, 3.0, 40.0, INF, NAN],
            [-3.0, 0.0, 1.5, 12.0, NAN],
            [-0.1, 1e-10, 1e-3, 0.2, 0.5, 0.9, 0.999, 1.0, 1.1, NAN],
        ),
    ],
    "nctdtridf": [
        ([0.2, 0.4, 0.55], [1.2, 1.5], [1.7, 2.0]),
        ([0.01, 0.03], [1.5], [-1.0]),
        ([NAN, 1.0], [1.5], [2.0]),
    ],
    "nctdtrinc": [
        (
            [-1.0, 0.5, 3.0, 40.0, NAN],
            [-0.1, 1e-3, 0.2, 0.5, 0.9, 0.999, 1.0, NAN],
            [-3.0, 0.0, 0.5, 6.0, NAN],
        )
    ],
}


def mixture(mean, shift, tail, drop, ratio):
    """The sum of Poisson weights times a distribution function that falls by `drop`."""
    steps = int(mean + 14 * mp.sqrt(mean) + 3 * mean) + 200
    weight = mp.exp(-mean) * mp.mpf(mean) ** shift / mp.gamma(1 + shift)
    total = mp.mpf(0)
    for j in range(steps):
        total += weight * tail
        tail -= drop
        drop *= ratio(j)
        weight *= mean / (j + 1 + shift)
    return total


def chndtr(x, df, nc):
    """The sum over central distributions, with digits enough for what cancels."""
    if not (x > 0 and df > 0 and 0 <= nc < 500 and x < 2000):
        raise ValueError("outside")
    a, x, mean = df / 2, x / 2, nc / 2
    with mp.workdps(60 + int(mean + x)):
        tail = mp.gammainc(a, 0, x, regularized=True)
        drop = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
        return mixture(mean, 0, tail, drop, lambda j: x / (a + j + 1))


def beta_mixture(a, b, w, mean, shift=0):
    """The same of incomplete beta functions of x = w/(w + b)."""
    x, y = w / (w + b), b / (w + b)
    tail, drop = mp.betainc(a, b, 0, x, regularized=True), x**a * y**b / (a * mp.beta(a, b))
    return mixture(mean, shift, tail, drop, lambda j: x * (a + b + j) / (a + j + 1))


def ncfdtr(dfn, dfd, nc, f):
    """As chndtr."""
    if not (dfn > 0 and dfd > 0 and 0 <= nc < 500 and f > 0):
        raise ValueError("outside")
    with mp.workdps(80 + int(nc)):
        return beta_mixture(dfn / 2, dfd / 2, dfn * f / 2, nc / 2)


def nctdtr(df, nc, t):
    """The alternating sum at any signs, with digits enough for what cancels."""
    if not (df > 0 and abs(nc) < 30):
        raise ValueError("outside")
    if t < 0:
        with mp.workdps(180 + int(nc * nc)):
            return 1 - nctdtr(df, -nc, -t)
    with mp.workdps(180 + int(nc * nc)):
        mean, half = nc * nc / 2, mp.mpf(1) / 2
        if t == 0 or nc == 0:
            odd = mp.mpf(0)
        else:
            odd = mp.sign(nc) * beta_mixture(mp.mpf(1), df / 2, t * t / 2, mean, half)
        even = beta_mixture(half, df / 2, t * t / 2, mean) if t else 0
        return mp.ncdf(-nc) + (even + odd) / 2


REFERENCE = {
    "chndtr": chndtr,
    "ncfdtr": ncfdtr,
    "nctdtr": nctdtr,
}
INVERSES = {
    "chndtrix": (chndtr, 0),
    "chndtridf": (chndtr, 1),
    "chndtrinc": (chndtr, 2),
    "ncfdtri": (ncfdtr, 3),
    "ncfdtridfd": (ncfdtr, 1),
    "ncfdtridfn": (ncfdtr, 0),
    "ncfdtrinc": (ncfdtr, 2),
    "nctdtrit": (nctdtr, 2),
    "nctdtridf": (nctdtr, 0),
    "nctdtrinc": (nctdtr, 1),
}
REFERENCE |= {name: inverse(name, *found) for name, found in INVERSES.items()}

LIMITS = {
    name: {"scipy": 1e-9, "why": "SciPy stops earlier"}
    for name in ("chndtrix", "chndtridf", "chndtrinc", "nctdtrit", "nctdtridf", "ncfdtri")
}
LIMITS["nctdtrinc"] = {"scipy": 1e-5, "why": "SciPy stops earlier"}
for name in ("ncfdtridfd", "ncfdtridfn", "ncfdtrinc"):
    LIMITS[name] = {"scipy": 1e-2, "why": "SciPy stops earlier"}

DIFFERS = {
    "chndtr": [
        (20.0, 500.0, 300.0, 3.855e-310, "SciPy has no subnormal numbers here"),
        (400.0, None, 3000.0, 4.547e-265, "SciPy's terms leave the range"),
        (INF, INF, 0.0, NAN, "as chdtr has it"),
    ],
    "nctdtrinc": [(None, 0.5, 0.0, 0.0, "SciPy does not find the root at 0")],
}
