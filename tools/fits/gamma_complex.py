"""Series of the gamma function and its logarithmic derivative for complex arguments."""

import mpmath as mp
from minimax import Table

ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))

FITS = [
    Table(
        "LOG_GAMMA_AT_2",
        [1 - mp.euler] + [(-1) ** k * (mp.zeta(k) - 1) / k for k in range(2, 51)],
        "Taylor coefficients of ln Gamma(2 + w) from w on (DLMF 5.7.3)",
    ),
    Table(
        "STIRLING_SERIES",
        [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 13)],
        "Stirling's series (5.11.1) times z, by 1/z^2",
    ),
    Table(
        "PSI_SERIES",
        [mp.bernoulli(2 * k) / (2 * k) for k in range(1, 13)],
        "ln z - 1/(2 z) - psi(z) (5.11.2) times z^2, by 1/z^2",
    ),
    Table(
        "PSI_AT_ROOT",
        [mp.polygamma(k, ROOT) / mp.factorial(k) for k in range(1, 34)],
        "Taylor coefficients of psi at its zero above 0, from the first power on",
    ),
]
