"""Fresnel integrals around 0."""

import mpmath as mp
from minimax import Table

FITS = [
    Table(
        "FRESNEL_COSINE",
        [(-1) ** k / (mp.factorial(2 * k) * (4 * k + 1)) for k in range(14)],
        "C(z) / z by powers of (pi z^2 / 2)^2, DLMF 7.6.4",
    ),
    Table(
        "FRESNEL_SINE",
        [(-1) ** k / (mp.factorial(2 * k + 1) * (4 * k + 3)) for k in range(14)],
        "S(z) / (z pi z^2 / 2) by powers of (pi z^2 / 2)^2, DLMF 7.6.6",
    ),
]
