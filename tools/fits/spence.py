"""The dilogarithm of complex numbers."""

import mpmath as mp
from minimax import Table

FITS = [
    Table(
        "DEBYE_LONG",
        [mp.bernoulli(2 * k) / mp.factorial(2 * k + 1) for k in range(1, 34)],
        "Bernoulli numbers B(2k) / (2k + 1)!",
    ),
]
