"""Linear algebra: norms, products, decompositions and solvers of numpy.linalg."""

from .._core.renaming import rename as _rename
from ._linalg import *
from ._linalg import __all__

_rename(globals(), "linalg")
