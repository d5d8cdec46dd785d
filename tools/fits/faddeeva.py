"""Nodes and weights of the rules for w(z), and series around 0."""

import mpmath as mp
from minimax import Table

N = 11
with mp.workdps(60):
    STEP = mp.sqrt(mp.pi / (N + 1))


def squares(shift):
    """The squares of the nodes; the sums have 12 terms."""
    return [((k + shift) * STEP) ** 2 for k in range(N + 1)]


FITS = [
    Table(
        "FADDEEVA_STEP",
        lambda: [1 / STEP, 2 * STEP / mp.pi, 2 * mp.pi / STEP],
        "1 / h, 2 h / pi, 2 pi / h for the step h = sqrt(pi / 12)",
    ),
    Table("MIDPOINT_SQUARE", lambda: squares(mp.mpf(1) / 2), "Squares of the nodes (k + 1/2) h"),
    Table(
        "MIDPOINT_WEIGHT", lambda: [mp.exp(-t) for t in squares(mp.mpf(1) / 2)], "exp(-t^2) there"
    ),
    Table("TRAPEZOID_SQUARE", lambda: squares(1), "Squares of the nodes k h"),
    Table("TRAPEZOID_WEIGHT", lambda: [mp.exp(-t) for t in squares(1)], "exp(-t^2) there"),
    Table(
        "ERF_SERIES",
        lambda: [2 / mp.sqrt(mp.pi) / (mp.factorial(k) * (2 * k + 1)) for k in range(15)],
        "erf(z) / z by powers of -z^2, DLMF 7.6.1",
    ),
]
