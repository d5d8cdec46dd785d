"""Linear algebra: norms, products, decompositions and solvers of numpy.linalg."""

from .._core._ahead import open_libraries as _open_libraries
from .._core.renaming import rename as _rename
from ._linalg import *
from ._linalg import __all__

_rename(globals(), "linalg")
_open_libraries("cublas", "cusolver")
