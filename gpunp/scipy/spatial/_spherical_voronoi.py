"""Voronoi diagrams on a sphere."""

from typing import Any

from ..._core.multiarray import array, ndarray
from .._host import by_scipy
from ._qhull import _Computed, host_attribute, own_array

__all__ = ["SphericalVoronoi"]


class SphericalVoronoi(_Computed):
    """Voronoi diagram of points on a sphere.

    SciPy makes it on the host, to which points are copied; arrays of results are on the device.

    Parameters
    ----------
    points : array_like
        Points on the sphere, of shape (n, coordinates).
    radius : float, optional
        Radius of the sphere.
    center : array_like, optional
        Center of the sphere, by default the origin.
    threshold : float, optional
        Share of the radius by which points may be off the sphere and equal to each other.

    Attributes
    ----------
    vertices : ndarray
        Vertices of the diagram, of shape (vertices, coordinates).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import SphericalVoronoi
    >>> axes = cp.concatenate((cp.eye(3), -cp.eye(3)))
    >>> SphericalVoronoi(axes).calculate_areas().sum() / cp.pi
    array(4.)
    """

    def __init__(
        self, points: Any, radius: float = 1, center: Any = None, threshold: float = 1e-6
    ) -> None:
        host = by_scipy("SphericalVoronoi", points, radius, center, threshold, module="spatial")
        super().__init__(host, points)

    points = own_array("points", "Points on the sphere.")
    vertices = own_array("vertices", "Vertices of the diagram.")
    center = own_array("center", "Center of the sphere.")
    radius = host_attribute("radius", "Radius of the sphere.", float)
    regions = host_attribute("regions", "Lists of the vertices of the region of each point.", list)

    def sort_vertices_of_regions(self) -> None:
        """Bring the vertices of each region into their order around it, on the host."""
        self._host.sort_vertices_of_regions()

    def calculate_areas(self) -> ndarray:
        """Compute the areas of the regions, on the host.

        Returns
        -------
        ndarray
            Area of the region of each point, on a circle its length.
        """
        return array(self._host.calculate_areas())
