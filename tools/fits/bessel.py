"""Coefficients of the Bessel functions of real order."""

import mpmath as mp
from minimax import Fit


def gamma_odd(square):
    """(1/Gamma(1 - m) - 1/Gamma(1 + m)) / (2 m) by m**2."""
    if square < mp.mpf(10) ** -30:
        return -mp.euler
    m = mp.sqrt(square)
    return (mp.rgamma(1 - m) - mp.rgamma(1 + m)) / (2 * m)


def gamma_even(square):
    """(1/Gamma(1 - m) + 1/Gamma(1 + m)) / 2 by m**2."""
    m = mp.sqrt(square)
    return (mp.rgamma(1 - m) + mp.rgamma(1 + m)) / 2


FITS = [
    Fit(
        "BESSEL_GAMMA_ODD",
        gamma_odd,
        (0, mp.mpf(1) / 4),
        7,
        "(1/Gamma(1-m) - 1/Gamma(1+m)) / 2m by x = m^2",
    ),
    Fit(
        "BESSEL_GAMMA_EVEN",
        gamma_even,
        (0, mp.mpf(1) / 4),
        7,
        "(1/Gamma(1-m) + 1/Gamma(1+m)) / 2 by x = m^2",
    ),
]
