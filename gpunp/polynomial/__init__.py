"""Polynomials in several bases, by their coefficients, lowest degree first.

The modules have functions of coefficient arrays, the classes are objects made of them. Lengths
follow from where the zeros at the end are: looking there waits for the device.
"""

from . import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from ._polybase import set_default_printstyle
from .chebyshev import Chebyshev
from .hermite import Hermite
from .hermite_e import HermiteE
from .laguerre import Laguerre
from .legendre import Legendre
from .polynomial import Polynomial

__all__ = [
    "Chebyshev",
    "Hermite",
    "HermiteE",
    "Laguerre",
    "Legendre",
    "Polynomial",
    "chebyshev",
    "hermite",
    "hermite_e",
    "laguerre",
    "legendre",
    "polynomial",
    "polyutils",
    "set_default_printstyle",
]
