"""Linear algebra: norms, products, decompositions and equations, as numpy.linalg has them."""

from ._linalg import *
from ._linalg import __all__
