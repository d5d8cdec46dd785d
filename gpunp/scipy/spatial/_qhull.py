"""Triangulations, hulls and diagrams of points: Qhull, which SciPy calls on the host.

Points are copied to the host, where Qhull computes; results are copied to the device when they are
first asked for. Simplices are found on the device.
"""

from typing import Any

import numpy as np

from ..._core._convert import array_on_host, as_array, host_ndim
from ..._core.multiarray import array, ascontiguousarray, concatenate, empty, ndarray
from .._host import by_scipy
from ._simplices import FIND, Mesh, walking_kernel

__all__ = [
    "ConvexHull",
    "Delaunay",
    "HalfspaceIntersection",
    "Voronoi",
    "tsearch",
]

TOLERANCE = 100 * float(np.finfo("d").eps)  # of barycentric coordinates


def made_by(kind: type, value: Any, name: str) -> Any:
    """The argument `name`, which must be a `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {type(value).__name__}")
    return value


def by_qhull(kind: str, points: Any, *rest: Any) -> Any:
    """SciPy's object of that kind: it reads beyond arrays of 33 axes and more."""
    ndim = host_ndim(points)
    if ndim != 2:
        what = "halfspaces" if kind == "HalfspaceIntersection" else "points"
        raise ValueError(f"{what} must have two axes, not {ndim}")
    return by_scipy(kind, points, *rest, module="spatial")


def own_array(name: str, text: str, kind: Any = ndarray) -> Any:
    """A property: what SciPy's object has under a name, as a device array or a tuple of them."""

    def get(self: Any) -> Any:
        return self._on_device(name)

    get.__doc__, get.__name__ = text, name
    get.__annotations__["return"] = kind
    return property(get)


def host_attribute(name: str, text: str, kind: Any) -> Any:
    """A property: what SciPy's object has under a name, of a type of the host."""

    def get(self: Any) -> Any:
        return getattr(self._host, name)

    get.__doc__, get.__name__ = text, name
    get.__annotations__["return"] = kind
    return property(get)


class _Computed:
    """What Qhull has made of points: SciPy's object, and copies of its arrays on the device."""

    def __init__(self, host: Any, points: Any, given: str = "points") -> None:
        self._host = host
        self._copies: dict[str, Any] = {}
        if isinstance(points, ndarray):
            self._copies[given] = points.astype("d")

    def _on_device(self, name: str) -> Any:
        if name not in self._copies:
            value = getattr(self._host, name)
            self._copies[name] = (
                tuple(map(array, value)) if isinstance(value, tuple) else
                value if value is None else array(value)
            )  # fmt: skip
        return self._copies[name]

    def _add(self, method: str, points: Any, restart: bool) -> None:
        getattr(self._host, method)(array_on_host(points), restart=restart)
        self._copies.clear()


class _Incremental(_Computed):
    def close(self) -> None:
        """End the addition of points; Qhull's memory is released."""
        self._host.close()

    ndim = host_attribute("ndim", "Number of coordinates.", int)


class _OfPoints(_Incremental):
    def add_points(self, points: Any, restart: bool = False) -> None:
        """Add points to those there are.

        Parameters
        ----------
        points : array_like
            More points, of shape (more, coordinates).
        restart : bool, optional
            If True, Qhull starts again with all points instead of adding some.
        """
        self._add("add_points", points, restart)

    points = own_array("points", "Points, of shape (n, coordinates).")
    npoints = host_attribute("npoints", "Number of points.", int)
    min_bound = own_array("min_bound", "Smallest coordinates.")
    max_bound = own_array("max_bound", "Largest coordinates.")


_FINDS = f"""
for (int k = 0; k < D; k++) x[k] = xi[i * D + k];
simplex = {FIND};
"""


class Delaunay(_OfPoints):
    """Delaunay triangulation of points in two or more dimensions.

    Qhull makes it on the host, to which points are copied; the simplices of other points are found
    on the device.

    Parameters
    ----------
    points : array_like
        Points, of shape (n, coordinates).
    furthest_site : bool, optional
        If True, no point is within a circumsphere of the other kind: all points are inside of each.
    incremental : bool, optional
        If True, points may be added later.
    qhull_options : str, optional
        Options of Qhull instead of "Qbb Qc Qz Q12", with "Qx" from five coordinates on.

    Attributes
    ----------
    simplices : ndarray
        Numbers of the vertices, int32, of shape (simplices, coordinates + 1).
    neighbors : ndarray
        For each vertex the simplex behind the facet opposite to it, -1 for none.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import Delaunay
    >>> tri = Delaunay(cp.array([[0, 0], [4, 0], [0, 4], [5, 5]]))
    >>> tri.nsimplex
    2
    >>> int(tri.find_simplex(cp.array([9.0, 9.0])))
    -1
    """

    def __init__(
        self,
        points: Any,
        furthest_site: bool = False,
        incremental: bool = False,
        qhull_options: Any = None,
    ) -> None:
        host = by_qhull("Delaunay", points, furthest_site, incremental, qhull_options)
        super().__init__(host, points)

    furthest_site = host_attribute(
        "furthest_site", "Whether it is the furthest-site triangulation.", bool
    )
    nsimplex = host_attribute("nsimplex", "Number of simplices.", int)
    paraboloid_scale = host_attribute(
        "paraboloid_scale", "Factor of the squared length of a point.", float
    )
    paraboloid_shift = host_attribute(
        "paraboloid_shift", "What is added to the scaled square.", float
    )
    simplices = own_array("simplices", "Numbers of vertices, a row for each simplex.")
    neighbors = own_array("neighbors", "Simplices opposite to vertices, -1 for none.")
    equations = own_array(
        "equations", "Normal and offset of the plane of each simplex on the paraboloid."
    )
    coplanar = own_array(
        "coplanar", "Points that are no vertices, with the nearest simplex and vertex."
    )
    good = own_array("good", "Which simplices fulfil the options of Qhull, or None.")
    vertex_to_simplex = own_array(
        "vertex_to_simplex", "A simplex of each point, -1 for points that are no vertices."
    )
    convex_hull = own_array("convex_hull", "Vertices of the facets on the convex hull.")
    vertex_neighbor_vertices = own_array(
        "vertex_neighbor_vertices",
        "Where the neighbours of each vertex begin among all, and the neighbours.",
        tuple[ndarray, ndarray],
    )

    @property
    def _mesh(self) -> Mesh:
        if "_mesh" not in self._copies:
            self._copies["_mesh"] = Mesh(
                ascontiguousarray(self.points), self.simplices, self.neighbors,
                not self.furthest_site,
            )  # fmt: skip
        return self._copies["_mesh"]

    @property
    def transform(self) -> ndarray:
        """Affine maps to barycentric coordinates, of shape (simplices, coordinates + 1,
        coordinates): a matrix, and the point that is subtracted first. NaN for flat simplices.
        """
        return self._mesh.transforms

    def _places(self, xi: Any) -> ndarray:
        xi = as_array(xi)
        if xi.dtype.kind not in "biuf":
            raise TypeError(f"xi must be real numbers, not {xi.dtype}")
        if xi.ndim == 0 or xi.shape[-1] != self.ndim:
            raise ValueError(f"wrong dimensionality in xi: {xi.shape}, not (..., {self.ndim})")
        return xi.astype("d", copy=False)

    def find_simplex(self, xi: Any, bruteforce: bool = False, tol: Any = None) -> ndarray:
        """Find the simplices that points are in.

        Parameters
        ----------
        xi : array_like
            Points, of shape (..., coordinates).
        bruteforce : bool, optional
            If True, all simplices are looked at for each point, the first that fits is taken.
        tol : float, optional
            How far below zero barycentric coordinates may be, by default 100 times the machine
            epsilon.

        Returns
        -------
        ndarray
            Numbers of simplices of int32, -1 for points outside of the triangulation.
        """
        xi = self._places(xi)
        out = empty(xi.shape[:-1], np.int32)
        if out.size:
            mesh = self._mesh
            kernel = walking_kernel(
                "find_simplex", mesh.d, "raw float64 xi", "int32 simplex", _FINDS
            )
            tolerance = TOLERANCE if tol is None else float(tol)
            kernel(*mesh.arguments(tolerance, not bruteforce), ascontiguousarray(xi), out)
        return out

    def plane_distance(self, xi: Any) -> ndarray:
        """Compute the signed distances of points, lifted to the paraboloid, from all planes.

        Parameters
        ----------
        xi : array_like
            Points, of shape (..., coordinates).

        Returns
        -------
        ndarray
            Distances, of shape (..., simplices).
        """
        lifted, planes = self.lift_points(self._places(xi)), self.equations
        return lifted @ planes[:, :-1].T + planes[:, -1]

    def lift_points(self, x: Any) -> ndarray:
        """Append to points their scaled and shifted squared lengths.

        Parameters
        ----------
        x : array_like
            Points, of shape (..., coordinates).

        Returns
        -------
        ndarray
            Points on a paraboloid, of shape (..., coordinates + 1).
        """
        x = self._places(x)
        height = (x * x).sum(axis=-1, keepdims=True)
        return concatenate((x, height * self.paraboloid_scale + self.paraboloid_shift), axis=-1)


def tsearch(tri: Delaunay, xi: Any) -> ndarray:
    """Find the simplices that points are in, as `Delaunay.find_simplex` does.

    Parameters
    ----------
    tri : Delaunay
        Triangulation whose simplices are searched.
    xi : array_like
        Points, of shape (..., coordinates).

    Returns
    -------
    ndarray
        Numbers of simplices, -1 for points outside of the triangulation.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import Delaunay, tsearch
    >>> tri = Delaunay(cp.array([[0, 0], [1, 0], [0, 1]]))
    >>> tsearch(tri, cp.array([[0.1, 0.1], [1.0, 1.0]]))
    array([ 0, -1], dtype=int32)
    """
    return made_by(Delaunay, tri, "tri").find_simplex(xi)


class ConvexHull(_OfPoints):
    """Convex hull of points in two or more dimensions.

    Qhull makes it on the host, to which points are copied; arrays of results are on the device.

    Parameters
    ----------
    points : array_like
        Points, of shape (n, coordinates).
    incremental : bool, optional
        If True, points may be added later.
    qhull_options : str, optional
        Options of Qhull instead of none, "Qx" from five coordinates on; "Qt" is always among them.

    Attributes
    ----------
    vertices : ndarray
        Numbers of the points on the hull, int32; counterclockwise in the plane.
    simplices : ndarray
        Numbers of the vertices of each facet, int32, of shape (facets, coordinates).
    area : float
        Surface of the hull, in the plane its length.
    volume : float
        Volume of the hull, in the plane its area.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import ConvexHull
    >>> hull = ConvexHull(cp.array([[0, 0], [2, 0], [1, 1], [2, 2], [0, 2]]))
    >>> hull.volume
    4.0
    >>> cp.sort(hull.vertices)
    array([0, 1, 3, 4], dtype=int32)
    """

    def __init__(self, points: Any, incremental: bool = False, qhull_options: Any = None) -> None:
        host = by_qhull("ConvexHull", points, incremental, qhull_options)
        super().__init__(host, points)

    nsimplex = host_attribute("nsimplex", "Number of facets.", int)
    area = host_attribute("area", "Surface of the hull, in the plane its length.", float)
    volume = host_attribute("volume", "Volume of the hull, in the plane its area.", float)
    vertices = own_array("vertices", "Numbers of the points on the hull.")
    simplices = own_array("simplices", "Numbers of vertices, a row for each facet.")
    neighbors = own_array("neighbors", "Facets opposite to the vertices of each.")
    equations = own_array("equations", "Normal and offset of each facet's plane.")
    coplanar = own_array(
        "coplanar", "Points that are no vertices, with the nearest facet and vertex."
    )
    good = own_array("good", "Which facets fulfil the options of Qhull, or None.")


class Voronoi(_OfPoints):
    """Voronoi diagram of points in two or more dimensions.

    Qhull makes it on the host, to which points are copied; arrays of results are on the device,
    lists of lists of the host.

    Parameters
    ----------
    points : array_like
        Points, of shape (n, coordinates).
    furthest_site : bool, optional
        If True, regions have the farthest point in common instead of the nearest.
    incremental : bool, optional
        If True, points may be added later.
    qhull_options : str, optional
        Options of Qhull instead of "Qbb Qc Qz", with "Qx" from five coordinates on.

    Attributes
    ----------
    vertices : ndarray
        Vertices of the diagram, of shape (vertices, coordinates).
    ridge_points : ndarray
        Pairs of points between which ridges lie, int32.
    point_region : ndarray
        Number of the region of each point.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import Voronoi
    >>> vor = Voronoi(cp.array([[0, 0], [2, 0], [0, 2], [3, 3]]))
    >>> vor.vertices[cp.argmin(vor.vertices[:, 0])]
    array([1., 1.])
    """

    def __init__(
        self,
        points: Any,
        furthest_site: bool = False,
        incremental: bool = False,
        qhull_options: Any = None,
    ) -> None:
        host = by_qhull("Voronoi", points, furthest_site, incremental, qhull_options)
        super().__init__(host, points)

    furthest_site = host_attribute(
        "furthest_site", "Whether it is the diagram of farthest points.", bool
    )
    vertices = own_array("vertices", "Vertices of the diagram.")
    ridge_points = own_array("ridge_points", "Pairs of points between which ridges lie.")
    point_region = own_array("point_region", "Number of the region of each point.")
    ridge_vertices = host_attribute(
        "ridge_vertices", "Lists of the vertices of ridges, -1 at infinity.", list
    )
    regions = host_attribute("regions", "Lists of the vertices of regions, -1 at infinity.", list)
    ridge_dict = host_attribute("ridge_dict", "The vertices of ridges by pairs of points.", dict)


class HalfspaceIntersection(_Incremental):
    """Intersection of halfspaces that contain a given point.

    Qhull makes it on the host, to which halfspaces are copied; arrays of results are on the device.

    Parameters
    ----------
    halfspaces : array_like
        Rows (A, b) of inequalities A x + b <= 0, of shape (n, coordinates + 1).
    interior_point : array_like
        Point that all inequalities clearly hold for.
    incremental : bool, optional
        If True, halfspaces may be added later.
    qhull_options : str, optional
        Options of Qhull instead of none, "Qx" from five coordinates on; "H" is always among them.

    Attributes
    ----------
    intersections : ndarray
        Vertices of the intersection, of shape (vertices, coordinates).

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.spatial import HalfspaceIntersection
    >>> triangle = cp.array([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [1.0, 1.0, -1.0]])
    >>> made = HalfspaceIntersection(triangle, cp.array([0.25, 0.25]))
    >>> float(made.intersections.sum())
    2.0
    """

    def __init__(
        self,
        halfspaces: Any,
        interior_point: Any,
        incremental: bool = False,
        qhull_options: Any = None,
    ) -> None:
        host = by_qhull(
            "HalfspaceIntersection", halfspaces, interior_point, incremental, qhull_options
        )
        super().__init__(host, halfspaces, "halfspaces")

    def add_halfspaces(self, halfspaces: Any, restart: bool = False) -> None:
        """Add halfspaces to those there are.

        Parameters
        ----------
        halfspaces : array_like
            More inequalities, of shape (more, coordinates + 1).
        restart : bool, optional
            If True, Qhull starts again with all of them instead of adding some.
        """
        self._add("add_halfspaces", halfspaces, restart)

    nineq = host_attribute("nineq", "Number of inequalities.", int)
    halfspaces = own_array("halfspaces", "Inequalities, of shape (n, coordinates + 1).")
    interior_point = own_array("interior_point", "Point inside of all halfspaces.")
    intersections = own_array("intersections", "Vertices of the intersection.")
    dual_points = own_array("dual_points", "Points that correspond to the halfspaces.")
    dual_facets = host_attribute("dual_facets", "Lists of the dual points of each facet.", list)
    dual_vertices = own_array("dual_vertices", "Halfspaces that bound the intersection.")
    dual_equations = own_array("dual_equations", "Planes of the facets of dual points.")
    dual_area = host_attribute("dual_area", "Surface of the hull of the dual points.", float)
    dual_volume = host_attribute("dual_volume", "Volume of the hull of the dual points.", float)
