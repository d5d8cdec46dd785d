"""Linear algebra: norms, products, decompositions and solvers of numpy.linalg."""

from .. import _C
from .._core.renaming import rename as _rename
from ._linalg import *
from ._linalg import __all__

_rename(globals(), "linalg")
_C._open_ahead("cublas", "cusolver")  # while the first call is on its way
del _C
