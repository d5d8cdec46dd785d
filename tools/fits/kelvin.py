"""Values of the Kelvin functions."""

import mpmath as mp
from minimax import Table


def row(c):
    """I(0, z), its derivative in x, K(0, z) and its derivative for z = c exp(i pi/4), as real numbers."""
    turn = mp.expjpi(mp.mpf(1) / 4)
    z = c * turn
    values = (mp.besseli(0, z), turn * mp.besseli(1, z), mp.besselk(0, z), -turn * mp.besselk(1, z))
    return [part for v in values for part in (mp.re(v), mp.im(v))]


FITS = [
    Table(
        "KELVIN_CENTERS",
        lambda: [v for c in range(1, 21) for v in row(c)],
        "ber, bei, ber', bei', ker, kei, ker', kei' at 1, 2 ... 20",
    ),
]
