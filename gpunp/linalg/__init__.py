"""Linear algebra: norms, products, decompositions and solvers of numpy.linalg."""

from ._linalg import *
from ._linalg import __all__
