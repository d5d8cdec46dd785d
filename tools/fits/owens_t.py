"""Nodes and weights of Gauss's rule of 40 points on [-1, 1]: the positive half."""

import mpmath as mp
from minimax import Table

POINTS = 40


def slope(x):
    """The derivative of the Legendre polynomial, DLMF 18.9.17."""
    return POINTS * (mp.legendre(POINTS - 1, x) - x * mp.legendre(POINTS, x)) / (1 - x * x)


def node(i):
    """The i-th zero of the Legendre polynomial, the largest first, by Newton's iteration."""
    x = mp.cos(mp.pi * (i + mp.mpf(3) / 4) / (POINTS + mp.mpf(1) / 2))
    for _ in range(8):
        x -= mp.legendre(POINTS, x) / slope(x)
    return x


def weight(x):
    """2/((1 - x^2) P'(x)^2), DLMF 3.5.(v)."""
    return 2 / ((1 - x * x) * slope(x) ** 2)


NODES = [node(i) for i in range(POINTS // 2)]

FITS = [
    Table("LEGENDRE_NODES", NODES, "zeros of the Legendre polynomial of degree 40"),
    Table("LEGENDRE_WEIGHTS", [weight(x) for x in NODES], "their weights"),
]
