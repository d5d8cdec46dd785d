"""The logarithm in two parts."""

import mpmath as mp
from minimax import Fit


def quintic(u):
    """The series of atanh(r) from its term r^5 on, divided by that power, by u = r^2."""
    if u < mp.mpf("1e-15"):
        return mp.mpf(1) / 5 + u / 7
    r = mp.sqrt(u)
    return (mp.atanh(r) - r - r**3 / 3) / r**5


FITS = [
    Fit("ATANH_QUINTIC", quintic, (0, mp.mpf("0.03")), 7, "(atanh(r) - r - r^3/3)/r^5 by r^2"),
]
