"""The normal distribution in float32."""

import mpmath as mp
from minimax import Fit


def scaled_tail(a):
    """Phi(-a) exp(a^2/2)."""
    a = mp.mpf(a)
    return mp.erfc(a / mp.sqrt(2)) * mp.exp(a * a / 2) / 2 if a < 60 else far_tail(1 / a) / a


def far_tail(t):
    """a Phi(-a) exp(a^2/2) as a function of t = 1/a."""
    if t < mp.mpf(1) / 60:
        u, term, total = t * t, mp.mpf(1), mp.mpf(0)
        for k in range(40):
            total += term
            term *= -(2 * k + 1) * u
        return total / mp.sqrt(2 * mp.pi)
    return scaled_tail(1 / t) / t


FITS = [
    Fit(
        "TAIL_NEAR_F32",
        lambda s: scaled_tail(s + mp.mpf("1.25")),
        (mp.mpf("-1.25"), mp.mpf("1.26")),
        12,
        "Phi(-a) exp(a^2/2) by a - 1.25",
        type="f32",
    ),
    Fit(
        "TAIL_FAR_F32",
        far_tail,
        (0, mp.mpf("0.4")),
        10,
        "a Phi(-a) exp(a^2/2) by 1/a",
        type="f32",
    ),
    Fit(
        "EXP_F32",
        lambda r: (mp.expm1(r) - r) / r**2 if abs(r) > mp.mpf(10) ** -20 else mp.mpf(1) / 2 + r / 6,
        (mp.mpf("-0.347"), mp.mpf("0.3471")),
        4,
        "(exp(x) - 1 - x)/x^2",
        type="f32",
    ),
    Fit(
        "LOG_OF_REST_F32",
        lambda t: (-mp.log1p(-t) - t) / t**2 if t > mp.mpf(10) ** -20 else mp.mpf(1) / 2 + t / 3,
        (0, mp.mpf("0.50001")),
        9,
        "-(log(1 - t) + t)/t^2",
        type="f32",
    ),
]
