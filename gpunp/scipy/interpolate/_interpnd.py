"""Interpolation on a triangulation of scattered points: linear, and by Clough and Tocher's cubics.

Qhull triangulates on the host. A value is one thread's work: it walks to the simplex of its point,
and weighs the values of the vertices.
"""

import math
import operator
import types
from typing import Any

import numpy as np

from ..._core import umath as um
from ..._core._convert import as_array, as_host, shown
from ..._core._docstrings import documented_as
from ..._core._warnings import warn
from ..._core.multiarray import array, ascontiguousarray, empty, ndarray, zeros
from ..._core.raw import ElementwiseKernel
from ..spatial import Delaunay
from ..spatial._qhull import TOLERANCE
from ..spatial._simplices import FIND, walking_kernel
from ._interp1d import interp1d
from ._pieces import as_values
from ._rgi import as_host_number
from ._scattered import NearestNDInterpolator, places_of

__all__ = ["CloughTocher2DInterpolator", "LinearNDInterpolator", "griddata"]

_COMMON = "raw float64 xi, raw int32 simplices, raw float64 fill, int64 columns"
_BEGIN = f"""
for (int k = 0; k < D; k++) x[k] = xi[i * D + k];
const long long s = {FIND};
ptrdiff_t at[D + 1];
for (int k = 0; k <= D; k++) at[k] = s < 0 ? 0 : simplices[s * (D + 1) + k];
"""
_LINEAR = (
    _BEGIN
    + """
for (int64_t column = 0; column < columns; column++) {
    double sum = 0;
    for (int k = 0; k <= D; k++) sum += c[k] * values[at[k] * columns + column];
    made[i * columns + column] = s < 0 ? fill[column & 1] : sum;
}
"""
)
# Where the line between the centroids of two triangles crosses their edge: for the edge opposite to
# vertex k of a triangle, its place from vertex k + 1 (0) to vertex k + 2 (1); the middle where
# there is no other triangle.
_CROSSINGS = ElementwiseKernel(
    "int32 beyond, raw float64 points, raw int32 simplices, raw float64 transforms",
    "float64 place",
    """
    const ptrdiff_t s = i / 3, k = i % 3, first = simplices[3 * s + (k + 1) % 3];
    const ptrdiff_t last = simplices[3 * s + (k + 2) % 3];
    const ptrdiff_t other = 3 * ptrdiff_t(beyond < 0 ? s : beyond);
    ptrdiff_t vertex = 0;
    for (int j = 0; j < 3; j++) {
        const ptrdiff_t own = simplices[other + j];
        vertex = own != first && own != last ? own : vertex;
    }
    const double x = points[2 * vertex] - transforms[6 * s + 4];
    const double y = points[2 * vertex + 1] - transforms[6 * s + 5];
    const double a = transforms[6 * s] * x + transforms[6 * s + 1] * y;
    const double b = transforms[6 * s + 2] * x + transforms[6 * s + 3] * y;
    const double own = k == 0 ? a : k == 1 ? b : 1 - a - b;
    const double end = k == 0 ? 1 - a - b : k == 1 ? a : b;
    place = beyond < 0 ? 0.5 : (1 + end / (1 - own)) / 3;
    """,
    "triangle_crossings",
)
# A Bezier cubic on each third of a triangle (R. W. Clough and J. L. Tocher, 1965; G. Farin, 1986),
# with w the centroid: `near[a][b]` is the coefficient next to vertex a on the edge to b, `inner`
# next to a on the way to the centroid, `deep` behind it, `middle[k]` that of the third at edge k.
_CUBIC = (
    _BEGIN
    + """
double across[3];
for (int k = 0; k < 3; k++) across[k] = crossings[(s < 0 ? 0 : s) * 3 + k];
const int k0 = c[0] <= c[1] && c[0] <= c[2] ? 0 : c[1] <= c[2] ? 1 : 2;
const double least = k0 == 0 ? c[0] : k0 == 1 ? c[1] : c[2];
const double u = (k0 == 0 ? c[1] : k0 == 1 ? c[2] : c[0]) - least;
const double v = (k0 == 0 ? c[2] : k0 == 1 ? c[0] : c[1]) - least, w = 3 * least;
for (int64_t column = 0; column < columns; column++) {
    double f[3], near[3][2], inner[3], middle[3], deep[3];
    for (int k = 0; k < 3; k++) {
        f[k] = values[at[k] * columns + column];
        const ptrdiff_t own = (at[k] * columns + column) * 2;
        inner[k] = f[k] / 3;
        for (int j = 0; j < 2; j++) {
            const ptrdiff_t other = at[(k + 1 + j) % 3];
            near[k][j] = f[k] + (gradients[own] * (points[2 * other] - points[2 * at[k]])
                + gradients[own + 1] * (points[2 * other + 1] - points[2 * at[k] + 1])) / 3;
            inner[k] += near[k][j] / 3;
        }
    }
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double t = across[k], first = inner[a] - (1 - t) * f[a] - t * near[a][0];
        const double last = inner[b] - (1 - t) * near[b][1] - t * f[b];
        middle[k] = (first + last) / 2 + (1 - t) * near[a][0] + t * near[b][1];
    }
    double center = 0;
    for (int k = 0; k < 3; k++) {
        deep[k] = (inner[k] + middle[(k + 1) % 3] + middle[(k + 2) % 3]) / 3;
        center += deep[k] / 3;
    }
    double sum = center * w * w * w;
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double third = f[a] * u * u * u + f[b] * v * v * v
            + 3 * u * v * (near[a][0] * u + near[b][1] * v)
            + 3 * w * (inner[a] * u * u + inner[b] * v * v + 2 * middle[k] * u * v)
            + 3 * w * w * (deep[a] * u + deep[b] * v);
        sum += k == k0 ? third : 0;
    }
    made[i * columns + column] = s < 0 ? fill[column & 1] : sum;
}
"""
)
# One step of Chebyshev's iteration for the gradients at the points, a thread for a point and a
# column. Along an edge with slopes a and b at its ends and a difference h of values, a cubic bends
# by (a a + a b + b b - 3 h (a + b) + 3 h h) / length^3; the sum over edges is least.
_BEND = ElementwiseKernel(
    "raw float64 points, raw float64 values, raw int32 begin, raw int32 others, raw float64 old,"
    " int64 columns, float64 keep, float64 gain",
    "float64 last, raw float64 step, raw float64 made",
    """
    const ptrdiff_t vertex = i / columns, column = i - vertex * columns;
    const double f = values[i], gx = old[2 * i], gy = old[2 * i + 1];
    double xx = 0, xy = 0, yy = 0, rx = 0, ry = 0;
    for (int at = begin[vertex]; at < begin[vertex + 1]; at++) {
        const ptrdiff_t other = others[at], own = other * columns + column;
        const double x = points[2 * other] - points[2 * vertex];
        const double y = points[2 * other + 1] - points[2 * vertex + 1];
        const double length = hypot(x, y), weight = 1 / (length * length * length);
        const double rest = weight * (3 * (values[own] - f) - 2 * (gx * x + gy * y)
            - (old[2 * own] * x + old[2 * own + 1] * y));
        xx += 2 * weight * x * x;
        xy += 2 * weight * x * y;
        yy += 2 * weight * y * y;
        rx += rest * x;
        ry += rest * y;
    }
    const double determinant = xx * yy - xy * xy, factor = determinant > 0 ? gain / determinant : 0;
    const double sx = keep * step[2 * i] + factor * (yy * rx - xy * ry);
    const double sy = keep * step[2 * i + 1] + factor * (xx * ry - xy * rx);
    step[2 * i] = sx;
    step[2 * i + 1] = sy;
    made[2 * i] = gx + sx;
    made[2 * i + 1] = last = gy + sy;
    """,
    "triangle_gradients",
)


class GradientEstimationWarning(Warning):
    """Warning that gradients are less accurate than was asked for."""


def _steps(tol: float) -> int:
    """Steps of Chebyshev's iteration after which the error is below a share of the first one."""
    return math.ceil(math.log(2 / min(max(tol, 1e-17), 1.0)) / math.log(2 + math.sqrt(3)))


def _gradients(tri: Delaunay, points: ndarray, values: ndarray, steps: int) -> ndarray:
    """Gradients of shape (points, columns, 2) with which the edges of a triangulation bend least.

    Of the matrix, preconditioned by its blocks for points, all eigenvalues are from 1/2 to 3/2: the
    terms between two points are at most half of those of the points themselves.
    """
    begin, others = tri.vertex_neighbor_vertices
    old, made = zeros((*values.shape, 2)), empty((*values.shape, 2))
    step, rho = zeros(made.shape), 0.0
    last = empty(values.shape)
    for _ in range(steps):
        keep, gain = (rho / (4 - rho), 4 / (4 - rho)) if rho else (0.0, 1.0)
        rho = 1 / (4 - rho) if rho else 0.5
        _BEND(points, values, begin, others, old, values.shape[1], keep, gain, last, step, made)
        old, made = made, old
    return old


class _OnSimplices:
    """Values at scattered points and the triangulation of these."""

    __class_getitem__: Any = classmethod(types.GenericAlias)

    def __init__(self, points: Any, values: Any, fill_value: Any, rescale: bool) -> None:
        self.scale: Any = None
        if isinstance(points, Delaunay):
            if rescale:
                raise ValueError(
                    "rescale must be False where points are a triangulation, which is made already"
                )
            self.tri: Any = points
        else:
            self.tri = self._triangulated(points, rescale)
        self.points = self.tri.points
        self._take(values, fill_value)

    def _triangulated(self, points: Any, rescale: bool) -> Delaunay:
        given = places_of(points, len(points)) if isinstance(points, tuple) else as_array(points)
        if given.dtype.kind not in "biuf":
            raise ValueError(f"points must be real numbers, not {given.dtype}")
        given = given.astype("d", copy=False)
        if given.ndim != 2 or given.shape[1] < 2:
            raise ValueError(
                f"points must be of shape (n, coordinates) with two or more, not {given.shape}"
            )
        if rescale:
            self.offset = given.mean(axis=0)
            spread = given.max(axis=0) - given.min(axis=0)
            self.scale = um.where(spread > 0, spread, 1.0)
            given = (given - self.offset) / self.scale
        return Delaunay(given)

    def _take(self, values: Any, fill_value: Any) -> None:
        given = as_array(values)
        if given.ndim == 0 or given.shape[0] != self.points.shape[0]:
            raise ValueError("different number of values and points")
        given = as_values(given)
        self.is_complex = given.dtype.kind == "c"
        self.values_shape = given.shape[1:]
        self.values = given.reshape(given.shape[0], math.prod(self.values_shape))
        number = as_host_number(fill_value)
        self.fill_value = complex(number) if self.is_complex else float(number)
        fill = complex(self.fill_value)
        self._fill = array([fill.real, fill.imag if self.is_complex else fill.real])

    def _places(self, args: tuple) -> ndarray:
        x = places_of(args, self.tri.ndim)
        return x if self.scale is None else (x - self.offset) / self.scale

    @property
    def _real_values(self) -> ndarray:
        """The values as columns of float64, two for a complex one."""
        return self.values.view("d") if self.is_complex else self.values

    def _evaluated(
        self, args: tuple, factor: Any, name: str, body: str, more: str = "", arrays: tuple = ()
    ) -> ndarray:
        tolerance = TOLERANCE * float(as_host(factor))
        if not tolerance > 0:
            raise ValueError(f"simplex_tolerance must be positive, but is {shown(factor)}")
        x = self._places(args)
        made = empty((*x.shape[:-1], *self.values_shape), self.values.dtype)
        if made.size:
            mesh, values = self.tri._mesh, self._real_values
            kernel = walking_kernel(
                name, mesh.d, f"{_COMMON}, raw float64 values{more}", "raw float64 made", body
            )
            flat = made.reshape(-1).view("d") if self.is_complex else made
            kernel(
                *mesh.arguments(tolerance), ascontiguousarray(x), self.tri.simplices, self._fill,
                values.shape[1], values, *arrays, flat, size=x.size // mesh.d,
            )  # fmt: skip
        return made


class LinearNDInterpolator(_OnSimplices):
    """Function that is linear in each simplex of a triangulation of points.

    Parameters
    ----------
    points : array_like or Delaunay
        Points of shape (n, coordinates), or a triangulation of them. Qhull triangulates on the
        host, to which points are copied.
    values : array_like
        Values, real or complex, of shape (n, ...).
    fill_value : float, optional
        Value outside of the convex hull of the points, NaN by default.
    rescale : bool, optional
        If True, coordinates are shifted and scaled to one range before they are triangulated.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import LinearNDInterpolator
    >>> points = cp.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> f = LinearNDInterpolator(points, points[:, 0] + 2 * points[:, 1])
    >>> f(cp.array([[0.5, 0.25], [2.0, 0.0]]))
    array([ 1., nan])
    """

    def __init__(
        self, points: Any, values: Any, fill_value: Any = np.nan, rescale: bool = False
    ) -> None:
        super().__init__(points, values, fill_value, rescale)

    def __call__(self, *args: Any, simplex_tolerance: float = 1.0) -> ndarray:
        """Interpolate at points.

        Parameters
        ----------
        *args : array_like
            Points of shape (..., coordinates), or their coordinates one by one.
        simplex_tolerance : float, optional
            Factor of the tolerance with which a point belongs to a simplex.

        Returns
        -------
        ndarray
            Values, of shape (..., rest of the axes of the values).
        """
        return self._evaluated(args, simplex_tolerance, "linear_in_simplices", _LINEAR)


@documented_as(LinearNDInterpolator)
class CloughTocher2DInterpolator(_OnSimplices):
    """Smooth function of two variables through values at scattered points.

    It is a cubic in each third of a triangle, and has continuous derivatives. Gradients at the
    points are those with which the edges of the triangulation bend least.

    Parameters
    ----------
    tol : float, optional
        Relative error of the gradients. It gives the number of steps that are made.
    maxiter : int, optional
        Most steps; a warning is given where `tol` needs more.

    Notes
    -----
    Gradients are computed on the device by Chebyshev's iteration, one launch a step, 11 steps for
    the default `tol`. The number of steps follows from a bound of the eigenvalues, so that nothing
    is read back. G. Nielson, Math. Comp. 40, 1983; R. Renka and A. Cline, Rocky Mountain J. Math.
    14, 1984; G. Farin, Computer Aided Geometric Design 3, 1986.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import CloughTocher2DInterpolator
    >>> points = cp.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> f = CloughTocher2DInterpolator(points, points[:, 0] + 2 * points[:, 1])
    >>> f(cp.array([[0.5, 0.25]])).round(5)
    array([1.])
    """

    def __init__(
        self,
        points: Any,
        values: Any,
        fill_value: Any = np.nan,
        tol: float = 1e-6,
        maxiter: int = 400,
        rescale: bool = False,
    ) -> None:
        super().__init__(points, values, fill_value, rescale)
        if self.tri.ndim != 2:
            raise ValueError(
                f"points must have two coordinates for this interpolation, not {self.tri.ndim}"
            )
        steps, most = _steps(float(tol)), operator.index(maxiter)
        if steps > most:
            warn(
                f"gradients may miss tol: {steps} steps are needed, maxiter is {most}",
                GradientEstimationWarning,
            )
        self._points = ascontiguousarray(self.points)
        columns = self._real_values
        if columns.size:
            made = _gradients(self.tri, self._points, columns, min(steps, most))
        else:
            made = zeros((*columns.shape, 2))
        self._gradients = made
        mesh = self.tri._mesh
        self._crossings = empty(mesh.neighbors.shape)
        _CROSSINGS(
            mesh.neighbors, self._points, self.tri.simplices, mesh.transforms, self._crossings
        )

    @property
    def grad(self) -> ndarray:
        """Gradients at the points, of shape (n, columns of values, 2)."""
        if not self.is_complex:
            return self._gradients
        pairs = self._gradients.reshape(*self.values.shape, 2, 2)
        return pairs[:, :, 0] + 1j * pairs[:, :, 1]

    def __call__(self, *args: Any, simplex_tolerance: float = 1.0) -> ndarray:
        """Interpolate at points.

        Parameters
        ----------
        *args : array_like
            Points of shape (..., 2), or their coordinates one by one.
        simplex_tolerance : float, optional
            Factor of the tolerance with which a point belongs to a simplex.

        Returns
        -------
        ndarray
            Values, of shape (..., rest of the axes of the values).
        """
        more = ", raw float64 points, raw float64 gradients, raw float64 crossings"
        arrays = (self._points, self._gradients, self._crossings)
        return self._evaluated(args, simplex_tolerance, "cubic_in_triangles", _CUBIC, more, arrays)


@documented_as(LinearNDInterpolator)
def griddata(
    points: Any,
    values: Any,
    xi: Any,
    method: str = "linear",
    fill_value: Any = np.nan,
    rescale: bool = False,
    simplex_tolerance: float = 1.0,
) -> ndarray:
    """Interpolate values at scattered points, of any number of coordinates.

    Parameters
    ----------
    points : array_like or tuple of array_like
        Points of shape (n, coordinates) or (n,), or their coordinates one by one.
    xi : array_like or tuple of array_like
        Where values are wanted, in the same form; coordinates broadcast.
    method : {'linear', 'nearest', 'cubic'}, optional
        `LinearNDInterpolator`, `NearestNDInterpolator`, or `CloughTocher2DInterpolator`; `interp1d`
        for one coordinate.
    simplex_tolerance : float, optional
        Factor of the tolerance with which a point belongs to a simplex.

    Returns
    -------
    ndarray
        Values, of the shape of the points and the rest of the axes of the values.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.interpolate import griddata
    >>> points = cp.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> griddata(points, cp.array([0, 1, 2, 3]), cp.array([[0.5, 0.25]]), "cubic").round(5)
    array([1.])
    """
    given = points if isinstance(points, (tuple, Delaunay)) else as_array(points)
    d = len(given) if isinstance(given, tuple) else given.ndim if isinstance(given, Delaunay) else (
        given.shape[-1] if given.ndim > 1 else given.ndim
    )  # fmt: skip
    if d == 1 and method in ("nearest", "linear", "cubic"):
        return _on_a_line(given, values, xi, method, fill_value)
    if method == "nearest":
        return NearestNDInterpolator(given, values, rescale=rescale)(xi)
    if method == "linear":
        function: Any = LinearNDInterpolator(given, values, fill_value, rescale)
        return function(xi, simplex_tolerance=simplex_tolerance)
    if method == "cubic" and d == 2:
        function = CloughTocher2DInterpolator(given, values, fill_value, rescale=rescale)
        return function(xi, simplex_tolerance=simplex_tolerance)
    raise ValueError(
        f"method must be 'linear' or 'nearest', or 'cubic' for one or two coordinates, not "
        f"{shown(method)} for {d}"
    )


def _on_a_line(points: Any, values: Any, xi: Any, method: str, fill_value: Any) -> ndarray:
    x = as_array(points[0] if isinstance(points, tuple) else points).reshape(-1)
    if isinstance(xi, tuple):
        if len(xi) != 1:
            raise ValueError(f"xi must have one coordinate, not {len(xi)}")
        xi = xi[0]
    beyond = "extrapolate" if method == "nearest" else fill_value
    return interp1d(x, values, method, axis=0, bounds_error=False, fill_value=beyond)(xi)
