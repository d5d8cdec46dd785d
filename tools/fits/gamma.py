"""The gamma function and its logarithm."""

import mpmath as mp
from minimax import Fit, Table, remez


def log_gamma_rest(x):
    """ln Gamma(x) without its zeros 1 and 2."""
    x = mp.mpf(x)
    for zero, slope in ((1, -mp.euler), (2, 1 - mp.euler)):
        if abs(x - zero) < mp.mpf("1e-25"):
            return slope / (zero - 3 + zero) if zero == 2 else slope / -1
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def half_tail(u):
    """The rest of Stirling's formula times x, by u = 1/x^2."""
    if u < mp.mpf("1e-20"):
        return mp.mpf(1) / 12 - u / 360
    x = 1 / mp.sqrt(u)
    return x * (mp.loggamma(x) - ((x - mp.mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2))


def log_rest(f):
    """(log(1 + f) - f + f^2/2)/f^3."""
    if abs(f) < mp.mpf("1e-15"):
        return mp.mpf(1) / 3 - f / 4
    return (mp.log1p(f) - f + f * f / 2) / f**3


def pairs():
    """Coefficients of Gamma(2 + x) over [0, 1], each the sum of two numbers."""
    found = remez(lambda t: mp.gamma(t + 2), (0, 1), 31)[0]
    high = [mp.mpf(float(c)) for c in found]
    return high, [c - h for c, h in zip(found, high, strict=True)]


FITS = [
    Fit("GAMMA", lambda t: mp.gamma(t + 2), (0, 1), 16, "Gamma(2 + x)"),
    Table(
        "GAMMA_HIGH",
        lambda: pairs()[0],
        "Gamma(2 + x) for x in [0, 1]: a polynomial in two parts, error 2^-102",
    ),
    Table("GAMMA_LOW", lambda: pairs()[1], "The second parts"),
    Fit(
        "LOG_GAMMA",
        lambda t: log_gamma_rest(t + mp.mpf("0.5")) - mp.mpf("0.4375"),
        (0, mp.mpf("2.5")),
        (9, 8),
        "ln Gamma(x + 1/2)/((x - 1/2)(x - 3/2)) - 7/16",
        weight=lambda t: 1 / log_gamma_rest(t + mp.mpf("0.5")),
    ),
    Fit(
        "LOG_GAMMA_MIDDLE",
        lambda t: mp.loggamma(t + 3) - mp.mpf("0.6875") - t * mp.mpf("1.5"),
        (0, 5),
        (8, 7),
        "ln Gamma(x + 3) - 11/16 - 3 x/2",
        weight=lambda t: 1 / mp.loggamma(t + 3),
    ),
]

SINGLE = [
    Fit(
        "LOG_GAMMA_F32",
        lambda t: log_gamma_rest(t + 2),
        (-1, mp.mpf("0.5")),
        11,
        "ln Gamma(2 + x)/(x (x + 1))",
        type="f32",
    ),
    Fit(
        "TAIL_F32",
        half_tail,
        (0, mp.mpf("0.16")),
        4,
        "x times the rest of Stirling's formula by 1/x^2",
        type="f32",
    ),
    Fit(
        "LOG_F32",
        log_rest,
        (-mp.mpf(1) / 3, mp.mpf(1) / 3),
        8,
        "(log(1 + x) - x + x^2/2)/x^3",
        type="f32",
    ),
    Fit("GAMMA_F32", lambda t: mp.gamma(t + 2), (0, 1), 7, "Gamma(2 + x)", type="f32"),
]
FITS += SINGLE
