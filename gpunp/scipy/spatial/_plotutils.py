"""Pictures of triangulations, hulls and diagrams by SciPy's functions, which need Matplotlib."""

from typing import Any

from ..._core._docstrings import documented_as
from .._host import by_scipy
from ._qhull import ConvexHull, Delaunay, Voronoi, made_by

__all__ = ["convex_hull_plot_2d", "delaunay_plot_2d", "voronoi_plot_2d"]


def delaunay_plot_2d(tri: Delaunay, ax: Any = None) -> Any:
    """Draw a triangulation of points in the plane; SciPy does so, on the host.

    Parameters
    ----------
    tri : Delaunay
        Triangulation of points with two coordinates.
    ax : object, optional
        Axes of Matplotlib to draw into, by default new ones.

    Returns
    -------
    object
        Figure of the axes.
    """
    host = made_by(Delaunay, tri, "tri")._host
    return by_scipy("delaunay_plot_2d", host, ax, module="spatial")


@documented_as(delaunay_plot_2d)
def convex_hull_plot_2d(hull: ConvexHull, ax: Any = None) -> Any:
    """Draw the convex hull of points in the plane; SciPy does so, on the host.

    Parameters
    ----------
    hull : ConvexHull
        Hull of points with two coordinates.
    """
    host = made_by(ConvexHull, hull, "hull")._host
    return by_scipy("convex_hull_plot_2d", host, ax, module="spatial")


@documented_as(delaunay_plot_2d)
def voronoi_plot_2d(vor: Voronoi, ax: Any = None, **kw: Any) -> Any:
    """Draw the Voronoi diagram of points in the plane; SciPy does so, on the host.

    Parameters
    ----------
    vor : Voronoi
        Diagram of points with two coordinates.
    **kw : object
        Options of SciPy's function: show_points, show_vertices, line_colors and others.
    """
    host = made_by(Voronoi, vor, "vor")._host
    return by_scipy("voronoi_plot_2d", host, ax, module="spatial", **kw)
