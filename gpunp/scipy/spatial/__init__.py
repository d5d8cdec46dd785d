"""`scipy.spatial`: distances on device arrays, and modules with SciPy's classes that take them."""

from .._borrowed import borrow as _borrow
from . import distance
from ._matrix import distance_matrix

__all__, __getattr__, __dir__ = _borrow("spatial", ("distance", "distance_matrix"))
