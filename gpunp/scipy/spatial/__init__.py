"""`scipy.spatial`: distances, neighbours and triangulations, and modules with SciPy's classes."""

from .._borrowed import borrow as _borrow
from . import distance
from ._geometric_slerp import geometric_slerp
from ._kdtree import KDTree
from ._matrix import distance_matrix
from ._minkowski import Rectangle, minkowski_distance, minkowski_distance_p
from ._plotutils import convex_hull_plot_2d, delaunay_plot_2d, voronoi_plot_2d
from ._procrustes import procrustes
from ._qhull import ConvexHull, Delaunay, HalfspaceIntersection, Voronoi, tsearch
from ._spherical_voronoi import SphericalVoronoi

cKDTree = KDTree

_OWN = (
    *("ConvexHull", "Delaunay", "HalfspaceIntersection", "KDTree", "Rectangle"),
    *("SphericalVoronoi", "Voronoi", "cKDTree", "distance", "distance_matrix", "geometric_slerp"),
    *("minkowski_distance", "minkowski_distance_p", "procrustes", "tsearch"),
    *("convex_hull_plot_2d", "delaunay_plot_2d", "voronoi_plot_2d"),
)

__all__, __getattr__, __dir__ = _borrow("spatial", _OWN, same=("QhullError",))
