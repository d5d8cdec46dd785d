"""Points of hypergeometric and parabolic cylinder functions: every region, poles, whole differences of parameters."""

import math

import mpmath as mp

INF, NAN = math.inf, math.nan
ANGLES = [0.3, 1.2, math.pi / 2, 2.2, 3.0, -1.9]
PLANE = [r * complex(math.cos(t), math.sin(t)) for r in (0.3, 2.0, 9.0, 34.0, 90.0) for t in ANGLES]
SIXTH = complex(0.5, 0.75**0.5)
DISK = [0.3 + 0.2j, 0.5 + 0.9j, SIXTH, SIXTH.conjugate(), 1 + 0.95j, 0.97 + 0.1j, -0.9 + 0.4j]
DISK += [2 + 0.1j, 2 + 0j, 1.9 - 0.3j, -3 + 0.2j, 30 + 2j, 1e4j]

POINTS = {
    "hyp0f1": [
        ([-3.3, -0.5, 0.5, 1.0, 3.5, 20.0], [-6e3, -150.0, -8.0, -0.5, 0.0, 1e-5, 1.0, 36.0, 4e3]),
        ([-1.0, 0.0, 2.0, NAN], [0.0, 1.0, NAN]),
        ([-3.3, 1.0, 3.5, 20.0], PLANE),
    ],
    "hyp1f1": [
        (
            [-30.3, -5.0, -1.0, -0.5, 0.5, 1.0, 3.0, 25.0],
            [-3.3, 0.5, 1.0, 2.0, 8.0],
            [-150.0, -33.0, -8.0, -0.5, 0.0, 1.0, 7.5, 36.0, 80.0],
        ),
        ([-2.0, -1.0, 0.0, 1.0, NAN], [-1.0, 0.0, 3.0, NAN], [1.0]),
        ([-5.0, -0.5, 1.0, 3.0, 25.0], [0.5, 2.0, 8.0], PLANE),
    ],
    "hyp2f1": [
        (
            [-2.2, -1.0, 0.5, 1.0, 10.5],
            [-0.5, 1.0, 3.0],
            [-3.3, 0.5, 2.0, 3.5, 8.0],
            [-1e6, -15.0, -1.1, -0.5, 0.0, 0.1, 0.7, 0.91, 0.999, 1 - 1e-7, 1.0],
        ),
        ([2.0, 4.0], [2.0, 2.5], [2.5, 4.5], [0.95, 2.0]),
        ([3.0, 10.0], [-200.0, -900.0], [-70.5, 10.5], [0.95, 0.99]),
        ([-2.0, 0.0, 1.0], [2.0, NAN], [-1.0, 3.0], [0.5, 5.0]),
        ([-2.2, 0.5, 1.0, 3.0], [-0.5, 1.7], [0.5, 2.0, 3.5], DISK),
    ],
    "hyperu": [
        (
            [-12.5, -5.0, -0.5, 1e-3, 0.5, 1.0, 1.7, 10.5],
            [-3.3, -3.0, 0.0, 0.5, 1.0, 2.0, 3.5, 20.0],
            [1e-5, 0.1, 1.0, 7.5, 28.0, 300.0],
        ),
        ([-3.0, 0.0, 1.0, NAN], [-1.0, 0.5, 2.0], [-1.0, 0.5, NAN]),
        ([1.0, 2.0], [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0]),
    ],
    "pbdv": [
        (
            [-5.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5, 10.0],
            [-12.0, -1.1, 0.0, 0.3, 2.0, 7.5, 20.0],
        ),
        ([1.0, NAN], [1.0, NAN, INF]),
    ],
    "pbvv": [
        ([-5.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5, 10.0], [-5.0, -1.1, 0.0, 0.3, 2.0, 7.5]),
        ([1.0, NAN], [1.0, NAN, INF]),
    ],
    "pbwa": [
        ([-5.0, 0.0, 1.0, 5.0], [-5.0, -1.0, 0.0, 0.5, 2.0, 5.0]),
        ([-10.0, 10.0], [-12.0, 4.0]),
        ([3.0], [14.0]),
        ([1.0, 1e9], [NAN, INF]),
    ],
}


def with_slope(f, slope):
    """The pair of a function and its derivative."""
    return lambda v, x: (f(v, x), slope(v, x))


STEP = mp.mpf(2) ** -50


def cylinder_w(a, x):
    """Value and slope, with digits for what cancels."""
    with mp.extradps(20):
        before, here, after = (mp.re(mp.pcfw(a, x + k * STEP)) for k in (-1, 0, 1))
        return here, (after - before) / (2 * STEP)


def cylinder_v(v, x):
    return mp.pcfv(-v - mp.mpf(1) / 2, x)


REFERENCE = {
    "hyp0f1": mp.hyp0f1,
    "hyp1f1": mp.hyp1f1,
    "hyp2f1": mp.hyp2f1,
    "hyperu": mp.hyperu,
    "pbdv": with_slope(mp.pcfd, lambda v, x: v * mp.pcfd(v - 1, x) - x / 2 * mp.pcfd(v, x)),
    "pbvv": with_slope(cylinder_v, lambda v, x: cylinder_v(v - 1, x) - x / 2 * cylinder_v(v, x)),
    "pbwa": cylinder_w,
}


def above_the_cut(a, b, c, z):
    """On the cut the value from above, which mpmath has not."""
    return mp.hyp2f1(
        a, b, c, mp.mpc(z.real, mp.mpf(10) ** -60) if z.imag == 0 and z.real > 1 else z
    )


COMPLEX_REFERENCE = {"hyp0f1": mp.hyp0f1, "hyp1f1": mp.hyp1f1, "hyp2f1": above_the_cut}
LIMITS = {
    "pbwa": {
        "f64": 4096,
        "scipy": 1e-8,
        "why": "close to a zero of W; SciPy loses digits where W decays",
    },
}
DIFFERS = {
    "hyp2f1": [
        (-2.2, 3.0, 0.5, 1.0, "Gamma(-2.2) is negative"),
        (1.0, -0.5, 0.5, 1.0, "all terms but the first are negative"),
        (None, NAN, None, None, "NaN passes, but where a is 0"),
    ],
    "hyperu": [(-12.5, 0.0, 0.1, "SciPy has NaN")],
    "pbvv": [(10.0, 0.0, "V is odd: exactly 0"), (1.0, 0.0, "V is even: its slope is exactly 0")],
}
