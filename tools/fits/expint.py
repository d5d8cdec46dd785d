"""Exponential, sine, cosine and hyperbolic integrals, and the dilogarithm, of real numbers."""

import mpmath as mp
from minimax import Fit, Table

with mp.workdps(60):
    EI_ZERO = mp.findroot(mp.ei, mp.mpf("0.3725"))
    CI_ZERO = mp.findroot(mp.ci, mp.mpf("0.6165"))
    CHI_ZERO = mp.findroot(mp.chi, mp.mpf("0.5238"))


def two_words(x):
    """The number nearest to x, and what is left of x."""
    head = mp.mpf(float(x))
    return [head, x - head]


def scaled_e1(u):
    """x exp(x) E1(x) with x = 1 / u."""
    return mp.mpf(1) if u == 0 else mp.exp(1 / u) * mp.e1(1 / u) / u


def scaled_ei(u):
    """x exp(-x) Ei(x) with x = 1 / u."""
    return mp.mpf(1) if u == 0 else mp.exp(-1 / u) * mp.ei(1 / u) / u


def ei_rest(x):
    """(Ei(x) - log(x / x0)) / (x - x0) with the zero x0: sums of positive powers, DLMF 6.6.1."""
    terms = [
        x**k / (k * mp.factorial(k)) - EI_ZERO**k / (k * mp.factorial(k)) for k in range(1, 110)
    ]
    return mp.fsum(terms) / (x - EI_ZERO)


def auxiliary(t, part):
    """x f(x) or x^2 g(x) with t = 1 / x^2, DLMF 6.2.17."""
    if t == 0:
        return mp.mpf(1)
    x = 1 / mp.sqrt(t)
    value = mp.exp(mp.mpc(0, x)) * mp.e1(mp.mpc(0, x))
    return -x * value.imag if part == "f" else x * x * value.real


def divided_series(zero):
    """Powers of s: (sum of s^k / (2k (2k)!) less the same at zero) / (s - zero)."""
    c = [mp.mpf(0)] + [1 / (2 * k * mp.factorial(2 * k)) for k in range(1, 60)]
    return [mp.fsum(c[k] * zero ** (k - 1 - j) for k in range(j + 1, 60)) for j in range(14)]


FITS = [
    Table(
        "EIN",
        [(-1) ** k / (mp.mpf(k + 1) * mp.factorial(k + 1)) for k in range(18)],
        "(E1(x) + log x + Euler's constant) / x, DLMF 6.6.2",
    ),
    Table("EI_ZERO", lambda: two_words(EI_ZERO), "The zero of Ei in two words"),
    Table("CI_ZERO", lambda: two_words(CI_ZERO), "The first zero of Ci in two words"),
    Table("CHI_ZERO", lambda: two_words(CHI_ZERO), "The zero of Chi in two words"),
    Table(
        "SINE_INTEGRAL",
        [1 / (mp.mpf(2 * k + 1) * mp.factorial(2 * k + 1)) for k in range(15)],
        "Shi(x) / x by powers of x^2, DLMF 6.6.5",
    ),
    Table(
        "CHI_SERIES",
        [1 / (mp.mpf(2 * k) * mp.factorial(2 * k)) for k in range(1, 15)],
        "(Chi(x) - log x - Euler's constant) / x^2 by powers of x^2, DLMF 6.6.6",
    ),
    Table(
        "CI_DIVIDED",
        lambda: divided_series(-(CI_ZERO**2)),
        "(Ci(x) - log(x / x0)) / (x0^2 - x^2) by powers of -x^2",
    ),
    Table(
        "CHI_DIVIDED",
        lambda: divided_series(CHI_ZERO**2),
        "(Chi(x) - log(x / x0)) / (x^2 - x0^2) by powers of x^2",
    ),
    Table(
        "DEBYE",
        [mp.bernoulli(2 * k) / mp.factorial(2 * k + 1) for k in range(1, 13)],
        "Bernoulli numbers B(2k) / (2k + 1)!",
    ),
    Fit("E1_NEAR", scaled_e1, (mp.mpf(1) / 4, 1), (7, 7), "x exp(x) E1(x) by powers of 1 / x"),
    Fit("E1_FAR", scaled_e1, (0, mp.mpf(1) / 4), (8, 8), "x exp(x) E1(x) by powers of 1 / x"),
    Fit(
        "EI_REST",
        lambda t: ei_rest(t + 3),
        (-3, 3),
        (10, 8),
        "(Ei(x) - log(x / x0)) / (x - x0) by powers of x - 3",
    ),
    *[
        Fit(
            f"EI_{a}_{2 * a}",
            lambda t, m=mp.mpf(3) / (4 * a): scaled_ei(m + t),
            (-mp.mpf(1) / (4 * a), mp.mpf(1) / (4 * a)),
            (9, 8) if a == 6 else (8, 8),
            f"x exp(-x) Ei(x) by powers of 1 / x - 3 / {4 * a}",
        )
        for a in (6, 12, 24)
    ],
    Fit("EI_48", scaled_ei, (0, mp.mpf(1) / 48), (6, 6), "x exp(-x) Ei(x) by powers of 1 / x"),
]
for _name, _a, _b in (
    ("2_6", mp.mpf(1) / 36, mp.mpf(1) / 4),
    ("6_12", mp.mpf(1) / 144, mp.mpf(1) / 36),
    ("12", 0, mp.mpf(1) / 144),
):
    for _part, _what in (("f", "x f(x)"), ("g", "x^2 g(x)")):
        FITS.append(
            Fit(
                f"AUXILIARY_{_part.upper()}_{_name}",
                lambda t, p=_part: auxiliary(t, p),
                (_a, _b),
                (8, 8) if _name == "2_6" else (7, 7),
                f"{_what} of DLMF 6.2.17 by powers of 1 / x^2",
            )
        )
