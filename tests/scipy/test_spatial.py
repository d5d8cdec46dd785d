"""Functions of points and boxes beside SciPy's."""

import numpy as np
import pytest
import scipy.spatial as theirs
from signals import agree

import gpunp as cp
import gpunp.scipy.spatial as ours

RNG = np.random.default_rng(5)
X, Y = RNG.standard_normal((9, 3)), RNG.standard_normal((9, 3))
SPHERE = X / np.linalg.norm(X, axis=1)[:, None]
SHARES = np.array([0.0, 1.0, 0.3, -0.2, 1.4])


def near(call, *arrays, eps=1e-11):
    """call(module, arrays...) gives the same with SciPy and here, or the same type of error."""
    device = [cp.asarray(a) for a in arrays]
    try:
        expected = call(theirs, *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours, *device)
        return
    agree(call(ours, *device), expected, eps)


def box(m, x, y):
    return m.Rectangle(x[0], y[0])


CALLS = [
    *[lambda m, x, y, p=p: m.minkowski_distance(x, y, p) for p in (1, 2, 3, 0.5, np.inf)],
    *[lambda m, x, y, p=p: m.minkowski_distance_p(x[:, None], y, p) for p in (1, 2, 3, np.inf)],
    lambda m, x, y: m.minkowski_distance((x * 9).astype("i4"), y.astype("f4")),
    lambda m, x, y: m.minkowski_distance(x * 1j, y),
    lambda m, x, y: m.minkowski_distance(x, y[:4]),
    lambda m, x, y: m.minkowski_distance(1, 3),
    lambda m, x, y: [box(m, x, y).maxes, box(m, x, y).mins, box(m, x, y).m],
    lambda m, x, y: box(m, x, y).volume(),
    lambda m, x, y: box(m, x, y).min_distance_point(x, 3),
    lambda m, x, y: box(m, x, y).max_distance_point(y),
    lambda m, x, y: box(m, x, y).min_distance_rectangle(box(m, x[1:], y[4:]), np.inf),
    lambda m, x, y: box(m, x, y).max_distance_rectangle(box(m, x[1:], y[4:])),
    lambda m, x, y: [part.mins for part in box(m, x, y).split(1, 0.25)],
    lambda m, x, y: [part.maxes for part in box(m, x, y).split(1, 0.25)],
    lambda m, x, y: m.Rectangle(x, y),
    lambda m, x, y: m.procrustes(x, y),
    lambda m, x, y: m.procrustes(x[:, :2], x[:, 1:] @ x[:2, :2]),
    lambda m, x, y: m.procrustes((x * 50).astype("i4"), y[::-1]),
    lambda m, x, y: m.procrustes(x, y[:3]),
    lambda m, x, y: m.procrustes(x[0], y[0]),
    lambda m, x, y: m.procrustes(x[:0], y[:0]),
    lambda m, x, y: m.procrustes(x * 0, y),
    lambda m, x, y: m.procrustes(x * np.nan, y),
    lambda m, x, y: m.distance.directed_hausdorff(x, y),
    lambda m, x, y: m.distance.directed_hausdorff(y[:4], x),
    lambda m, x, y: m.distance.directed_hausdorff(y[:4], x, seed=3),
    lambda m, x, y: m.distance.directed_hausdorff(x, y[:, :2]),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls(number):
    near(CALLS[number], X, Y)


ARCS = [
    lambda m, p, t: m.geometric_slerp(p[0], p[1], t),
    lambda m, p, t: m.geometric_slerp(p[0], p[0], t),
    lambda m, p, t: m.geometric_slerp(p[0], p[1], 0.25),
    lambda m, p, t: m.geometric_slerp(p[0], p[1], t[:0]),
    lambda m, p, t: m.geometric_slerp(p[0], p[1] * 2, t),
    lambda m, p, t: m.geometric_slerp(p[0], p[1][:2], t),
    lambda m, p, t: m.geometric_slerp(p[:1, 0], p[:1, 0], t),
    lambda m, p, t: m.geometric_slerp(p, p[1], t),
    lambda m, p, t: m.geometric_slerp(p[0], p[1], t[:, None]),
    lambda m, p, t: m.geometric_slerp(p[0], p[1], t, tol=-1.0),
    lambda m, p, t: m.geometric_slerp(p[0], p[1], t, tol="no"),
    lambda m, p, t: m.SphericalVoronoi(p).vertices,
    lambda m, p, t: m.SphericalVoronoi(p * 2 + 1, 2, p[0] * 0 + 1).calculate_areas(),
    lambda m, p, t: [m.SphericalVoronoi(p).points, m.SphericalVoronoi(p).center],
    lambda m, p, t: m.SphericalVoronoi(p * 2),
    lambda m, p, t: m.SphericalVoronoi(p[:2]),
]


@pytest.mark.parametrize("number", range(len(ARCS)))
def test_on_the_sphere(number):
    near(ARCS[number], SPHERE, SHARES)


def test_opposite_points_are_warned_of():
    with pytest.warns(UserWarning, match="opposite"):
        made = ours.geometric_slerp([1.0, 0.0], [-1.0, 0.0], cp.array([0.0, 1.0]))
    assert np.allclose(made.get(), [[1, 0], [-1, 0]])


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_arc_between_opposite_points_stays_on_the_sphere(count):
    start = np.full(count, 1.0) / np.sqrt(count)
    with pytest.warns(UserWarning, match="opposite"):
        made = ours.geometric_slerp(start, -start, cp.linspace(0, 1, 7)).get()
    np.testing.assert_allclose(np.linalg.norm(made, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(made[[0, -1]], [start, -start], atol=1e-15)
    np.testing.assert_allclose(made @ start, np.cos(np.linspace(0, np.pi, 7)), atol=1e-15)


def test_regions_of_the_sphere():
    both = [
        m.SphericalVoronoi(convert(SPHERE))
        for m, convert in ((theirs, np.asarray), (ours, cp.asarray))
    ]
    for made in both:
        made.sort_vertices_of_regions()
    assert both[0].regions == both[1].regions


def test_boxes_have_a_text():
    assert repr(ours.Rectangle([2, 3], [0, 5])) == "<Rectangle [(0.0, 2.0), (3.0, 5.0)]>"


def test_hausdorff_distance_of_nothing():
    with pytest.raises(ValueError, match="must have points"):
        ours.distance.directed_hausdorff(cp.zeros((0, 2)), cp.zeros((3, 2)))
