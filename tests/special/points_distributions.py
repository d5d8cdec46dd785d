"""Points and references of Kolmogorov's, Smirnov's and Owen's functions and of inverses by parameters."""

import math

import mpmath as mp
import scipy.special

INF, NAN = math.inf, math.nan
LEVELS = [-0.1, 1e-10, 0.01, 0.2, 0.5, 0.9, 1 - 1e-10, 1.1, NAN]
PLACES = [-0.1, 1e-10, 0.01, 0.3, 0.5, 0.9, 1 - 1e-10, 1.1, NAN]
SHAPES = [-1.0, 0.05, 0.5, 1.0, 2.5, 30.0, 1e4, NAN]
COUNTS = [-1.0, 0.0, 1.0, 7.0, 30.0, 1000.0, NAN]
TRIALS = [-1.0, 0.0, 1.0, 2.5, 30.0, 1000.0, NAN]

POINTS = {
    "kolmogorov": [
        ([-INF, -1.0, 0.0, 1e-300, 0.02, 0.04, 0.05, 0.1, 0.5, 0.829, 0.83, 0.9, 1.3, INF, NAN],),
        ([2.0, 3.3, 5.0, 10.0, 15.0, 18.0, 19.3, 19.5, 30.0, 1e200],),
    ],
    "kolmogi": [
        ([-0.1, 0.0, 1e-300, 1e-20, 0.01, 0.3, 0.49, 0.5, 0.7, 0.99, 1 - 1e-12, 1.0, 1.1, NAN],)
    ],
    "smirnov": [
        (
            [-1.0, 0.0, 1.0, 2.0, 5.5, 30.0, 200.0, 1000.0, NAN],
            [-0.1, 0.0, 1e-10, 1e-3, 0.01, 0.1, 0.2, 0.3, 0.55, 0.9, 1.0, 1.1, NAN],
        ),
        ([1e4, 1e5, 300001.0], [1e-6, 2e-5, 2e-4, 1e-3, 0.01]),
        ([1e7], [4e-4]),
    ],
    "smirnovi": [
        (
            [-1.0, 0.0, 1.0, 2.0, 5.5, 30.0, 200.0, 1000.0, NAN],
            [-0.1, 0.0, 1e-100, 1e-10, 0.01, 0.2, 0.5, 0.9, 0.999, 1.0, 1.1, NAN],
        )
    ],
    "owens_t": [
        (
            [-INF, -2.5, -1e-5, 0.0, 1e-200, 0.3, 1.0, 3.0, 8.0, 20.0, 37.0, 40.0, INF, NAN],
            [-INF, -3.0, -0.5, 0.0, 1e-10, 0.1, 0.99, 1.0, 1.01, 3.0, 20.0, 1e6, INF, NAN],
        )
    ],
    "bdtrik": [(LEVELS, TRIALS, PLACES)],
    "bdtrin": [(COUNTS, LEVELS, PLACES)],
    "btdtria": [([0.0, *LEVELS, 1.0], SHAPES, PLACES)],
    "btdtrib": [(SHAPES, [0.0, *LEVELS, 1.0], PLACES)],
    "fdtridfd": [([-1.0, 0.5, 1.0, 2.0, NAN], LEVELS, [-1.0, 1.5, 4.0, 50.0, NAN])],
    "nbdtrik": [(LEVELS, [-1.0, 1.0, 2.5, 30.0, 1000.0, NAN], PLACES)],
    "nbdtrin": [(COUNTS, LEVELS, PLACES)],
    "stdtridf": [
        ([0.51, 0.6, 0.75, 0.99, 1 - 1e-10, NAN], [1e-3, 0.3, 1.0, 3.0, 50.0, 1e5, NAN]),
        ([0.49, 0.25, 1e-10, NAN], [-1e-3, -0.3, -1.0, -3.0, -50.0, NAN]),
    ],
    "nrdtrimn": [(LEVELS, [-1.0, 0.0, 0.5, 3.0, 1e10, NAN], [-INF, -2.0, 0.0, 1.0, INF, NAN])],
    "nrdtrisd": [([-INF, -2.0, 0.0, 1.5, NAN], LEVELS, [-INF, -2.5, 0.5, 1.0, INF, NAN])],
    "tklmbda": [
        (
            [-INF, -1e5, -30.0, -2.0, -1.0, -1e-3, 0.0, 1e-10, 0.3, 1.9, 5.0, 100.0, INF, NAN],
            [-3.0, -0.5, -1e-3, -1e-12, 0.0, 1e-12, 1e-4, 0.14, 0.5, 1.0, 2.0, 5.0, 1e3, NAN],
        )
    ],
}


def kolmogorov(x):
    """The survival function by the series that is quicker."""
    if not x > 0.02:
        raise ValueError("one")
    if x > 0.5:
        return 2 * mp.fsum((-1) ** (k - 1) * mp.exp(-2 * k * k * x * x) for k in range(1, 30))
    terms = [mp.exp(-((2 * k - 1) ** 2) * mp.pi**2 / (8 * x * x)) for k in range(1, 12)]
    return 1 - mp.sqrt(2 * mp.pi) / x * mp.fsum(terms)


def smirnov(n, x):
    """The sum of positive terms."""
    n = int(n)
    if not (0 < n < 2000 and 0 < x < 1):
        raise ValueError("outside")
    total = mp.mpf(0)
    for j in range(int(mp.floor(n * (1 - x))) + 1):
        y = x + mp.mpf(j) / n
        total += mp.binomial(n, j) * y ** (j - 1) * (1 - y) ** (n - j)
    return x * total


def owens_t(h, a):
    """The integral of its definition."""
    a, h = mp.mpf(a), abs(mp.mpf(h))
    ends = [mp.mpf(0), *[abs(a) * mp.mpf(4) ** -k for k in range(12, -1, -1)]]
    if h > 0:
        ends = sorted({*[e for e in ends if e * h < 12], min(abs(a), 12 / h)})
    with mp.workdps(25):
        found = mp.quad(lambda x: mp.exp(-h * h * x * x / 2) / (1 + x * x), ends)
    return mp.sign(a) * found * mp.exp(-h * h / 2) / (2 * mp.pi)


def lower(a, b, x):
    """I_x(a, b) of moderate arguments."""
    if not (0.01 < a < 200 and 0.01 < b < 200 and 0.001 < x < 0.999):
        raise ValueError("a limit, or slow")
    return mp.betainc(a, b, 0, x, regularized=True)


def tukey(x, lmbda):
    """By bisection in the logarithm of p, and 1 - p."""
    size = abs(x)
    if size == 0 or (lmbda > 0 and size * lmbda >= 1):
        raise ValueError("a limit")

    def f(t):
        p, q = mp.exp(t), -mp.expm1(t)
        return (mp.log(p / q) if lmbda == 0 else (p**lmbda - q**lmbda) / lmbda) + size

    with mp.workdps(60):
        p = mp.exp(mp.findroot(f, (-800, mp.log(0.5)), solver="bisect", verify=False, maxsteps=200))
    return 1 - p if x > 0 else p


def inverse(name, function, place):
    """An inverse of `function` by an argument, from SciPy's by the secant method: p stands in its place."""

    def find(*args):
        p = args[place]
        start = mp.mpf(float(getattr(scipy.special, name)(*map(float, args))))
        if not (0 < p < 1 and 1e-90 < abs(start) < 1e90):
            raise ValueError("a limit")

        def f(v):
            value = function(*args[:place], v, *args[place + 1 :])
            return mp.log(value / p) if p < 0.5 else mp.log((1 - value) / (1 - p))

        near = start * (1 + mp.mpf(10) ** -8)
        found = mp.findroot(f, (start, near), tol=1e-50, verify=False, maxsteps=30)
        if abs(found) < 1e-20:
            raise ValueError("zero")
        return found

    return find


REFERENCE = {
    "kolmogorov": kolmogorov,
    "smirnov": smirnov,
    "owens_t": owens_t,
    "tklmbda": tukey,
}
INVERSES = {
    "bdtrik": (lambda k, n, p: lower(n - k, k + 1, 1 - p), 0),
    "bdtrin": (lambda k, n, p: lower(n - k, k + 1, 1 - p), 1),
    "btdtria": (lower, 0),
    "btdtrib": (lower, 1),
    "kolmogi": (kolmogorov, 0),
    "nbdtrik": (lambda k, n, p: lower(n, k + 1, p), 0),
    "nbdtrin": (lambda k, n, p: lower(n, k + 1, p), 1),
}
REFERENCE |= {name: inverse(name, *found) for name, found in INVERSES.items()}

BOUND = "SciPy stops at 1e-11"
LIMITS = {
    name: {"scipy": 1e-9, "why": BOUND}
    for name in ("bdtrik", "bdtrin", "nbdtrik", "nbdtrin", "fdtridfd", "stdtridf")
}
LIMITS["tklmbda"] = {"scipy": 1e-9, "why": "SciPy's error is absolute, 1e-14"}
LIMITS["kolmogorov"] = {"scipy": 1e-12, "why": "SciPy does not correct the square"}

LIMITS["owens_t"] = {"scipy": 2e-13, "why": "SciPy's exponential of a rounded square"}

TINY = "SciPy's search stops just above 0"
DIFFERS = {
    "bdtrik": [(0.5, 1.0, 0.5, 0.0, TINY), (None, 0.0, None, NAN, "no trials; SciPy 1.18 has 0")],
    "nbdtrin": [(None, 0.9999999999, None, None, "SciPy 1.18 is 1e-5 off")],
    "nbdtrik": [(p, 1.0, p, 0.0, TINY) for p in (1e-10, 0.5, 0.9, 1 - 1e-10)],
    "smirnov": [
        (1e7, 4e-4, 0.040751333767353765, "SciPy's approximation beyond a million numbers")
    ],
    "nrdtrimn": [(0.5, None, None, None, "SciPy's quantile of 0.5 is not quite 0")],
    "nrdtrisd": [
        (None, 0.5, None, INF, "SciPy divides by a quantile that is not quite 0"),
    ],
    "tklmbda": [
        (-INF, None, 0.0, "SciPy's bisection ends at 7e-15"),
    ],
}
