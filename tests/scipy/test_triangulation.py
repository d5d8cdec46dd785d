"""Triangulations, hulls, diagrams, and interpolation on triangulations, beside SciPy's."""

import numpy as np
import pytest
import scipy.interpolate
import scipy.spatial
from signals import agree

import gpunp as cp
import gpunp.scipy.interpolate as interpolate
import gpunp.scipy.spatial as spatial

RNG = np.random.default_rng(21)
POINTS = {d: RNG.random((n, d)) for d, n in ((2, 60), (3, 40), (4, 20), (5, 15))}
AT = {d: RNG.random((40, d)) * 1.3 - 0.15 for d in POINTS}
GRID = {
    d: np.stack(np.meshgrid(*[np.arange(m) * 0.5] * d), -1).reshape(-1, d)
    for d, m in ((2, 7), (3, 4))
}
VALUES = RNG.standard_normal((60, 2, 3))


def near(call, *arrays, eps=1e-11):
    """call(modules, arrays...) gives the same with SciPy and here, or the same type of error."""
    device = [cp.asarray(a) for a in arrays]
    try:
        expected = call(scipy.interpolate, scipy.spatial, *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(interpolate, spatial, *device)
        return
    agree(call(interpolate, spatial, *device), expected, eps)


# ---- simplices -----------------------------------------------------------------------------------


@pytest.mark.parametrize("d", POINTS)
def test_simplices_of_points(d):
    near(lambda _, m, p, x: m.Delaunay(p).find_simplex(x), POINTS[d], AT[d])
    near(lambda _, m, p, x: m.Delaunay(p).find_simplex(x, True), POINTS[d], AT[d][:8])
    near(lambda _, m, p, x: m.tsearch(m.Delaunay(p), x.reshape(5, 8, d)), POINTS[d], AT[d])


@pytest.mark.parametrize("d", GRID)
def test_points_of_a_grid_have_simplices(d):
    """Simplices of a grid are right-angled or flat: whichever is found has the point in it."""
    tri = spatial.Delaunay(cp.asarray(GRID[d]))
    at = np.concatenate((GRID[d], RNG.random((50, d)) * 4 - 0.5))
    found = tri.find_simplex(cp.asarray(at)).get()
    inside = ((at >= 0) & (at <= GRID[d].max())).all(axis=1)
    assert ((found >= 0) == inside).all()
    maps = tri.transform.get()[found[inside]]
    c = np.einsum("sij,sj->si", maps[:, :d], at[inside] - maps[:, d])
    assert (c >= -1e-12).all() and (c.sum(axis=1) <= 1 + 1e-12).all()


def test_clusters_need_long_walks():
    """All points but one in a cell of the grid, in which walks start."""
    points = np.concatenate((POINTS[2] * 1e-4 + 0.3, [[30, 30]]))
    at = AT[2] * 1e-4 + 0.3
    near(lambda _, m, p, x: m.Delaunay(p).find_simplex(x), points, at)


def test_points_are_copied():
    points = cp.asarray(POINTS[2])
    tri = spatial.Delaunay(points)
    points[:] = 0
    found = tri.find_simplex(cp.asarray(AT[2])).get()
    assert np.array_equal(found, scipy.spatial.Delaunay(POINTS[2]).find_simplex(AT[2]))


NAMES = [
    *("points", "simplices", "neighbors", "equations", "coplanar", "good", "vertex_to_simplex"),
    *("convex_hull", "transform", "min_bound", "max_bound", "ndim", "npoints", "nsimplex"),
    *("paraboloid_scale", "paraboloid_shift", "furthest_site", "vertex_neighbor_vertices"),
]
CALLS = [
    lambda m, p, x: [getattr(m.Delaunay(p), name) for name in NAMES if name != "good"],
    lambda m, p, x: m.Delaunay(p).plane_distance(x),
    lambda m, p, x: m.Delaunay(p).lift_points(x[0]),
    lambda m, p, x: m.Delaunay(p).find_simplex(x[0]),
    lambda m, p, x: m.Delaunay(p).find_simplex(x[:0]),
    lambda m, p, x: m.Delaunay(p).find_simplex(x[::-2, ::-1], tol=0.0),
    lambda m, p, x: m.Delaunay(p).find_simplex(x * np.nan),
    lambda m, p, x: m.Delaunay(p).find_simplex(x[:, :1]),
    lambda m, p, x: m.Delaunay(p, furthest_site=True).find_simplex(p.mean(axis=0)) >= 0,
    lambda m, p, x: m.Delaunay(p.astype("f4").astype("f8")).simplices,
    lambda m, p, x: m.Delaunay(p.T[:, ::-1].T[::2]).simplices,
    lambda m, p, x: m.Delaunay((p * 100).astype("i4")).points,
    lambda m, p, x: m.Delaunay(p[:, 0]),
    lambda m, p, x: m.Delaunay(p[:2]),
    lambda m, p, x: m.Delaunay(p * 0),
    lambda m, p, x: m.Delaunay(p * np.nan),
    lambda m, p, x: m.Delaunay(p, qhull_options="Qbb Qj Nonsense"),
    lambda m, p, x: m.ConvexHull(p).vertices,
    lambda m, p, x: [m.ConvexHull(p).area, m.ConvexHull(p).volume, m.ConvexHull(p).nsimplex],
    lambda m, p, x: [m.ConvexHull(p).simplices, m.ConvexHull(p).neighbors],
    lambda m, p, x: [m.ConvexHull(p).equations, m.ConvexHull(p).coplanar],
    lambda m, p, x: m.ConvexHull(p, qhull_options="QG4").good,
    lambda m, p, x: m.ConvexHull(p[:1]),
    lambda m, p, x: [m.Voronoi(p).vertices, m.Voronoi(p).ridge_points, m.Voronoi(p).point_region],
    lambda m, p, x: m.Voronoi(p, furthest_site=True).vertices,
    lambda m, p, x: m.Voronoi(p[:2]),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls_of_qhull(number):
    near(lambda _, m, p, x: CALLS[number](m, p, x), POINTS[2], AT[2])


def test_lists_of_the_host():
    points = POINTS[2]
    theirs, ours = scipy.spatial.Voronoi(points), spatial.Voronoi(cp.asarray(points))
    for name in ("regions", "ridge_vertices", "ridge_dict"):
        assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize("kind", ["Delaunay", "ConvexHull", "Voronoi"])
def test_points_are_added(kind):
    def call(_, m, p, x):
        made = getattr(m, kind)(p[:30], incremental=True)
        made.vertices if kind != "Delaunay" else made.simplices
        made.add_points(p[30:])
        made.add_points(x, restart=True)
        made.close()
        return [made.points, made.npoints, made.vertices if kind != "Delaunay" else made.simplices]

    near(call, POINTS[2], AT[2])


def test_halfspaces():
    planes = np.array([[-1, 0, 0], [0, -1, 0], [1, 1, -1.0], [1, 0, -0.75]])
    names = ["halfspaces", "interior_point", "intersections", "dual_points", "dual_equations"]
    names += ["dual_vertices", "dual_area", "dual_volume", "nineq", "ndim"]

    def call(_, m, planes, inside):
        made = m.HalfspaceIntersection(planes[:3], inside, incremental=True)
        made.add_halfspaces(planes[3:])
        return [getattr(made, name) for name in names]

    near(call, planes, np.array([0.2, 0.3]))
    near(lambda _, m, p, x: m.HalfspaceIntersection(p, x), planes, np.array([2.0, 2.0]))


def test_pictures():
    """What is drawn is what SciPy draws."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for name in ("Delaunay", "ConvexHull", "Voronoi"):
        plot = {"ConvexHull": "convex_hull"}.get(name, name.lower()) + "_plot_2d"
        drawn = []
        for m, points in ((scipy.spatial, POINTS[2]), (spatial, cp.asarray(POINTS[2]))):
            figure = getattr(m, plot)(getattr(m, name)(points))
            drawn.append([line.get_xydata() for line in figure.axes[0].lines])
            pyplot.close(figure)
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*drawn, strict=True))


# ---- values --------------------------------------------------------------------------------------

KINDS = {
    "linear": lambda m, p, v, **options: m.LinearNDInterpolator(p, v, **options),
    "cubic": lambda m, p, v, **options: m.CloughTocher2DInterpolator(p, v, tol=1e-14, **options),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", ["one", "three axes", "complex", "integers", "none"])
def test_values_at_points(kind, values):
    v = VALUES
    v = {"one": v[:, 0, 0], "three axes": v, "complex": v[:, 0] + 1j * v[:, 1],
         "integers": (v * 10).astype("i2"), "none": v[:, :0]}[values]  # fmt: skip
    near(lambda m, _, p, v, x: KINDS[kind](m, p, v)(x), POINTS[2], v, AT[2])
    near(
        lambda m, _, p, v, x: KINDS[kind](m, p * [1, 900], v, rescale=True, fill_value=7)(
            x[:, 0].reshape(5, 8), x[:, 1].reshape(5, 8) * 900
        )
        if isinstance(p, np.ndarray)
        else KINDS[kind](m, p * cp.array([1, 900]), v, rescale=True, fill_value=7)(
            x[:, 0].reshape(5, 8), x[:, 1].reshape(5, 8) * 900
        ),
        POINTS[2], v, AT[2],
    )  # fmt: skip


def test_more_coordinates():
    for d in (3, 4):
        near(lambda m, _, p, x: m.LinearNDInterpolator(p, p[:, 0])(x), POINTS[d], AT[d])


MADE = [
    lambda m, s, p, v, x: m.CloughTocher2DInterpolator(p, v, tol=1e-14).grad,
    lambda m, s, p, v, x: m.CloughTocher2DInterpolator(p, v[:, 0] * 1j, tol=1e-14).grad,
    lambda m, s, p, v, x: m.LinearNDInterpolator(s.Delaunay(p), v)(x),
    lambda m, s, p, v, x: m.LinearNDInterpolator(s.Delaunay(p), v, rescale=True),
    lambda m, s, p, v, x: m.LinearNDInterpolator((p[:, 0], p[:, 1]), v)((x[:, 0], x[:1, 1])),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v)(x[:0]),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v)(x[0]),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v[:, 0, 0])(0.5, 0.5),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v)(x * np.nan),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v)(x[:, :1]),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v[:5]),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p[:, :1], v),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p[:, 0], v),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p * np.nan, v),
    lambda m, s, p, v, x: m.LinearNDInterpolator(p, v, fill_value=1j),
    lambda m, s, p, v, x: m.CloughTocher2DInterpolator(v[:, 0], v),
    lambda m, s, p, v, x: m.griddata(p, v, x),
    lambda m, s, p, v, x: m.griddata(p, v, (x[:, 0], x[:3, 1:])),
    lambda m, s, p, v, x: m.griddata(p, v, x, "nearest", rescale=True),
    lambda m, s, p, v, x: m.griddata(p, v, x, fill_value=-1.0),
    lambda m, s, p, v, x: m.griddata(p, v, x, "other"),
    lambda m, s, p, v, x: m.griddata(p[:, 0], v, x[:, 0]),
    lambda m, s, p, v, x: m.griddata((p[:, 0],), v, x[:, 0], "nearest"),
    lambda m, s, p, v, x: m.griddata(p[:, :1], v[:, 0, 0], x[:, 0], "cubic"),
]


@pytest.mark.parametrize("number", range(len(MADE)))
def test_calls_of_interpolators(number):
    near(MADE[number], POINTS[2], VALUES, AT[2], eps=1e-9)


@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_tolerance_of_simplices(method):
    """Points nearly in the hull are in it with a larger tolerance, which SciPy has from 1.18 on."""
    points, values = cp.array([[0.0, 0], [1, 0], [0, 1], [1, 1]]), cp.arange(4.0)
    at = cp.array([[-1e-12, 0.5], [0.5, 0.5]])
    found = [
        interpolate.griddata(points, values, at, method, simplex_tolerance=factor)
        for factor in (1, 1e6)
    ]
    assert cp.isnan(found[0]).tolist() == [True, False]
    np.testing.assert_allclose(found[1].get(), [1, 1.5], rtol=1e-9)
    for wrong in (0, -1, np.nan):
        with pytest.raises(ValueError, match="simplex_tolerance"):
            interpolate.griddata(points, values, at, method, simplex_tolerance=wrong)


def test_cubics_have_continuous_derivatives():
    """Differences across edges, inner ones too, are those of a function with a tangent plane."""
    f = interpolate.CloughTocher2DInterpolator(cp.asarray(POINTS[2]), cp.asarray(VALUES[:, 0, 0]))
    line = cp.asarray(np.linspace(0.3, 0.7, 20001))
    slope = cp.diff(f(line, line[::-1] * 0.5 + 0.2)) / (line[1] - line[0])
    assert float(abs(cp.diff(slope)).max()) < 0.05 * float(abs(slope).max())


def test_too_few_steps_are_warned_of():
    with pytest.warns(Warning, match="steps are needed"):
        interpolate.CloughTocher2DInterpolator(cp.asarray(POINTS[2]), cp.asarray(VALUES), maxiter=3)


def test_gradients_of_points_that_are_no_vertices():
    """A point that stands twice is in no triangle: its gradient is zero."""
    points = np.concatenate((POINTS[2], POINTS[2][:1]))
    f = interpolate.CloughTocher2DInterpolator(cp.asarray(points), cp.asarray(points[:, 0]))
    coplanar = f.tri.coplanar.get()
    assert len(coplanar) == 1
    assert (f.grad.get()[coplanar[0, 0]] == 0).all()
    assert np.isfinite(f.grad.get()).all()
