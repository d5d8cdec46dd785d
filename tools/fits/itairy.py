"""Coefficients of the integrals of the Airy functions."""

import mpmath as mp
from airy import four
from minimax import Table


def row(i):
    """Ai, Ai', Bi, Bi' and the integrals of Ai and Bi from 0 at i/2."""
    x = mp.mpf(i) / 2
    return (*four(x), mp.airyai(x, derivative=-1), mp.airybi(x, derivative=-1))


FITS = [
    Table(
        "ITAIRY_CENTERS",
        lambda: [v for i in range(-30, 31) for v in row(i)],
        "Ai, Ai', Bi, Bi' and the integrals of Ai and Bi from 0 at -15, -14.5 ... 15",
    ),
]
