"""Points and references of Mathieu functions, by eigenvectors in mpmath's numbers.

SciPy's results are wrong beyond q = 200 or so and from order 50 on, and orders that are no numbers end its process.
"""

import functools
import math

import mpmath as mp
import numpy as np

ORDERS = [0.0, 1.0, 2.0, 3.0, 8.0, 13.0]
PARAMETERS = [0.0, 1e-9, 0.01, 0.02, 1.0, 25.0, 100.0, -0.3, -25.0]
ANGLES = [0.0, 10.0, 30.0, 45.0, 77.7, 90.0, 100.0, 180.0, -60.0, 400.0]
BEYOND = ([0.0, 1.0, 2.0, 7.0, 30.0], [-1200.0, 400.0])
EDGES = ([-1.0, 0.5, 2.0], [1.0])
VALUES = [(ORDERS, PARAMETERS), BEYOND, EDGES, ([1e3, 1e5], [0.5, 1e3]), ([0.0, 7.0, 30.0], [1e4])]
WAVES = [
    (ORDERS, PARAMETERS, ANGLES),
    (*BEYOND, [0.0, 33.0, 90.0]),
    (*EDGES, [1.0]),
    ([2.0], [1.0], [math.nan, math.inf]),
]
RADIAL = [
    ([0.0, 1.0, 2.0, 3.0, 8.0, 13.0], [1e-3, 1.0, 25.0], [-0.7, 0.0, 0.1, 1.3, 3.0]),
    ([1.0, 2.0, 30.0], [400.0], [0.0, 1.0]),
    ([0.0, 1.0, 2.0], [0.0], [0.5]),
    ([-1.0, 0.5, 2.0], [-1.0], [1.0]),
    ([2.0], [1.0], [math.nan]),
]
FIRST, SECOND = ["mathieu_modcem1", "mathieu_modsem1"], ["mathieu_modcem2", "mathieu_modsem2"]
POINTS = {
    **{"mathieu_a": VALUES, "mathieu_b": VALUES, "mathieu_cem": WAVES, "mathieu_sem": WAVES},
    **dict.fromkeys([*FIRST, *SECOND], RADIAL),
}


def matrix(m, q, even):
    """Frequencies, diagonal and the numbers beside it."""
    start = 1 if m % 2 else 0 if even else 2
    rows = int((m * m + 4 * abs(q)) ** 0.5 / 2 + 24 + 3 * (m * m + 4 * abs(q)) ** (1 / 6))
    f = [start + 2 * k for k in range(rows)]
    diagonal = [mp.mpf(n) ** 2 for n in f]
    if start == 1:
        diagonal[0] += q if even else -q
    beside = [mp.mpf(q)] * (rows - 1)
    if start == 0:
        beside[0] *= mp.sqrt(2)
    return f, diagonal, beside


@functools.lru_cache(None)
def solution(m, q, even):
    """The characteristic value, frequencies and coefficients, by inverse iteration from NumPy's eigenvalue."""
    m = int(m)
    f, diagonal, beside = matrix(m, q, even)
    n = len(f)
    dense = np.diag(np.array(diagonal, float)) + np.diag(np.array(beside, float), 1)
    values, vectors = np.linalg.eigh(dense + np.triu(dense, 1).T)
    index = (m - f[0]) // 2
    with mp.workdps(45):
        value, x = mp.mpf(values[index]), [mp.mpf(v) for v in vectors[:, index]]
        for _ in range(5):
            pivots, right = [diagonal[0] - value], [x[0]]
            for k in range(1, n):
                factor = beside[k - 1] / pivots[-1]
                pivots.append(diagonal[k] - value - factor * beside[k - 1])
                right.append(x[k] - factor * right[-1])
            y = [right[-1] / pivots[-1]]
            for k in range(n - 2, -1, -1):
                y.append((right[k] - beside[k] * y[-1]) / pivots[k])
            y.reverse()
            change = mp.fdot(x, x) / mp.fdot(x, y)
            size = mp.sqrt(mp.fdot(y, y))
            x = [v / size for v in y]
            value += change
            if abs(change) < mp.mpf(10) ** -18 * (abs(value) + 1):
                break  # the next one is its cube
        if f[0] == 0:
            x[0] /= mp.sqrt(2)
        # As at q = 0: cos or sin is 1 or -1 where the function is large, at pi/2 for q > 0 and at 0 otherwise.
        place = mp.pi / 2 if q > 0 else mp.mpf(0)
        which = 0 if abs(waves([f[index]], [1], even, place)[0]) > 0.5 else 1
        if waves(f, x, even, place)[which] * waves([f[index]], [1], even, place)[which] < 0:
            x = [-v for v in x]
        return value, f, x


def waves(f, x, even, angle):
    """Value and slope of the sum."""
    c, s = [mp.cos(n * angle) for n in f], [mp.sin(n * angle) for n in f]
    if even:
        return mp.fdot(x, c), -mp.fdot(x, [n * v for n, v in zip(f, s, strict=True)])
    return mp.fdot(x, s), mp.fdot(x, [n * v for n, v in zip(f, c, strict=True)])


def characteristic(even):
    def function(m, q):
        if m != int(m) or m < (0 if even else 1) or m * m > 5e4 or 0 < abs(q) < 1e-100:
            raise ValueError
        return solution(m, q, even)[0]

    return function


def angular(even):
    def function(m, q, x):
        if m != int(m) or m < (0 if even else 1) or 0 < abs(q) < 1e-100:
            raise ValueError
        _, f, coefficients = solution(m, q, even)
        return waves(f, coefficients, even, mp.radians(x))

    return function


def bessel_pair(function, n, u):
    """The function and u times its derivative."""
    now, after = function(n, u), function(n + 1, u)
    return now, n * now - u * after


def radial(even, function):
    """By DLMF 28.24 about the row of the largest coefficient."""

    def value(m, q, x):
        if m != int(m) or m < (0 if even else 1) or q <= 0:
            raise ValueError
        _, f, coefficients = solution(m, q, even)
        start, index, h = f[0], int(m - f[0]) // 2, mp.sqrt(q)
        largest = max(abs(v) for v in coefficients)
        s = [abs(v) for v in coefficients].index(largest)
        small, large = h * mp.exp(-x), h * mp.exp(x)
        y = dy = mp.mpf(0)
        for k, c in enumerate(coefficients):
            if abs(c) < largest * mp.mpf(10) ** -60:
                continue
            factor = (-1) ** (k + index) * c / coefficients[s]
            low, high = k - s, k + s + start
            for a, b, sign in ((low, high, 1), (high, low, 1 if even else -1)):
                j, dj = bessel_pair(mp.besselj, a, small)
                w, dw = bessel_pair(function, b, large)
                y += sign * factor * j * w
                dy += sign * factor * (j * dw - dj * w)
        scale = 2 if s == 0 and start == 0 else 1
        if x == 0 and function is mp.besselj:  # even and odd functions
            y, dy = (y, mp.mpf(0)) if even else (mp.mpf(0), dy)
        return y / scale, dy / scale

    return value


REFERENCE = {
    "mathieu_modcem1": radial(True, mp.besselj),
    "mathieu_modcem2": radial(True, mp.bessely),
    "mathieu_modsem1": radial(False, mp.besselj),
    "mathieu_modsem2": radial(False, mp.bessely),
    "mathieu_a": characteristic(True),
    "mathieu_b": characteristic(False),
    "mathieu_cem": angular(True),
    "mathieu_sem": angular(False),
}


def size(m, q, *_):
    return np.maximum(np.abs(q), np.abs(m) ** 2)


def amplitude(m, q, x):
    """About that of the derivative; the function's own is one."""
    return np.maximum(np.abs(m), 1) + np.sqrt(np.abs(q))


def wave(m, q, x):
    """About the largest slope where the modified functions oscillate."""
    rate = np.sqrt(np.abs(q)) * np.cosh(x)
    return np.where(np.abs(m) > 2 * rate, 0.0, np.sqrt(rate))


_POINTS = [
    (None, 0.0, None, "SciPy does not take the limit"),
    (2.0, 1.0, math.nan, "SciPy's value is 0, its slope NaN"),
    (30.0, 400.0, None, "SciPy's digits are lost"),
]
DIFFERS = dict.fromkeys([*FIRST, *SECOND], _POINTS)
WHY = "eigenvalues are relative to the larger of q and m^2; functions to their largest slopes"
LIMITS = {
    **{name: {"scale": size, "scipy": 1e-11, "why": WHY} for name in ("mathieu_a", "mathieu_b")},
    **{
        name: {"scale": amplitude, "scipy": 1e-9, "why": WHY}
        for name in ("mathieu_cem", "mathieu_sem")
    },
    **{name: {"scale": wave, "scipy": 1e-9, "why": WHY} for name in [*FIRST, *SECOND]},
}
