"""`scipy.spatial`: distances and nearest neighbours, and modules with SciPy's classes."""

from .._borrowed import borrow as _borrow
from . import distance
from ._kdtree import KDTree
from ._matrix import distance_matrix
from ._qhull import ConvexHull, Delaunay, HalfspaceIntersection, QhullError, Voronoi, tsearch

cKDTree = KDTree

_OWN = (
    *("KDTree", "cKDTree", "distance", "distance_matrix"),
    *("ConvexHull", "Delaunay", "HalfspaceIntersection", "QhullError", "Voronoi", "tsearch"),
)

__all__, __getattr__, __dir__ = _borrow("spatial", _OWN)
