"""k-d trees beside SciPy's."""

import numpy as np
import pytest
import scipy.spatial as theirs

import gpunp as cp
import gpunp.scipy.spatial as ours
from gpunp.scipy.spatial import KDTree, _walks

RNG = np.random.default_rng(6)
CASES = [
    (1, 2, None),
    (7, 3, None),
    (300, 1, None),
    (500, 2, 1.0),
    (300, 5, None),
    (200, 3, [1, 1, 0]),
]


def both(n, d, box=None):
    points = RNG.random((n, d))
    return theirs.KDTree(points, boxsize=box), KDTree(cp.asarray(points), boxsize=box)


@pytest.mark.parametrize("p", [1, 2, 3.0, np.inf])
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_queries(case, p):
    (a, b), (y, z) = both(*case), both(40, *case[1:])
    at = RNG.random((15, case[1]))
    for k in (1, 3, [1, 4]):
        distances, places = b.query(cp.asarray(at), k, p=p)
        expected = a.query(at, k, p=p)
        np.testing.assert_allclose(distances.get(), expected[0], rtol=1e-12)
        assert distances.shape == expected[0].shape and (places.get() == expected[1]).all()
    radii = RNG.uniform(0.1, 0.4, 15)
    lengths = b.query_ball_point(cp.asarray(at), cp.asarray(radii), p, return_length=True)
    assert (lengths.get() == a.query_ball_point(at, radii, p, return_length=True)).all()
    found = b.query_ball_point(cp.asarray(at), 0.3, p)
    for mine, other in zip(found, a.query_ball_point(at, 0.3, p), strict=True):
        assert mine.tolist() == sorted(other)
    assert b.query_pairs(0.3, p, output_type="set") == a.query_pairs(0.3, p)
    counts = b.count_neighbors(z, [0.1, 0.3], p)
    assert (counts.get() == a.count_neighbors(y, [0.1, 0.3], p)).all()
    matrix = b.sparse_distance_matrix(z, 0.4, p).toarray().get()
    np.testing.assert_allclose(matrix, a.sparse_distance_matrix(y, 0.4, p).toarray(), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_queries_in_the_order_of_the_tree_are_those_in_their_own(d, monkeypatch):
    a, b = both(400, d)
    at = np.concatenate((RNG.random((200, d)), a.data[:50], RNG.uniform(-1, 2, (50, d))))
    own = b.query(cp.asarray(at), 5)
    monkeypatch.setattr(_walks, "_SORTED", 1)
    ordered = b.query(cp.asarray(at), 5)
    assert (own[0] == ordered[0]).all() and (own[1] == ordered[1]).all()
    lengths = b.query_ball_point(cp.asarray(at), 0.3, return_length=True).get()
    assert (lengths == a.query_ball_point(at, 0.3, return_length=True)).all()
    found = b.query_ball_point(cp.asarray(at[-60:]), 0.3)
    for mine, other in zip(found, a.query_ball_point(at[-60:], 0.3), strict=True):
        assert mine.tolist() == sorted(other)
    assert b.query_pairs(0.1, output_type="set") == a.query_pairs(0.1)
    distances, places = a.query(at, 5)
    np.testing.assert_allclose(own[0].get(), distances, rtol=1e-13)
    assert (own[1].get() == places).all()


@pytest.mark.parametrize("k", [2, 4, 5, 8, 9, 16, 17, 32, 33, 60])
@pytest.mark.parametrize("limit", [np.inf, 0.25])
def test_lists_of_every_length(k, limit):
    a, b = both(500, 3)
    at = RNG.random((40, 3))
    distances, places = b.query(cp.asarray(at), k, distance_upper_bound=limit)
    expected = a.query(at, k, distance_upper_bound=limit)
    np.testing.assert_allclose(distances.get(), expected[0], rtol=1e-13)
    assert (places.get() == expected[1]).all()


def test_coordinates_that_many_points_share():
    points = RNG.integers(0, 3, (600, 3)).astype("d")
    a, b = theirs.KDTree(points), KDTree(cp.asarray(points))
    at = RNG.integers(-2, 8, (60, 3)) / 2
    for k in (1, 8, 40):
        assert (b.query(cp.asarray(at), k)[0].get() == a.query(at, k)[0]).all()
    lengths = b.query_ball_point(cp.asarray(at), 1.0, return_length=True)
    assert (lengths.get() == a.query_ball_point(at, 1.0, return_length=True)).all()


@pytest.mark.parametrize("scale", [1e-130, 1e-30, 1e140])
def test_distances_that_are_nearly_zero_or_infinite(scale):
    points, at = RNG.random((100, 2)) * scale, RNG.random((20, 2)) * scale
    found = KDTree(cp.asarray(points)).query(cp.asarray(at), 3)[1].get()
    assert (found == theirs.KDTree(points).query(at, 3)[1]).all()


def test_weights_of_pairs():
    (a, b), (y, z) = both(30, 2), both(40, 2)
    w, v = RNG.random(30), RNG.random(40)
    for cumulative in (True, False):
        mine = b.count_neighbors(z, [0.1, 0.3], 2, (cp.asarray(w), cp.asarray(v)), cumulative)
        expected = a.count_neighbors(y, [0.1, 0.3], 2, (w, v), cumulative)
        np.testing.assert_allclose(mine.get(), expected)
    half = b.count_neighbors(z, 0.2, weights=(cp.asarray(w), None))
    np.testing.assert_allclose(half.get(), a.count_neighbors(y, 0.2, weights=(w, None)))


def test_forms():
    a, b = both(20, 2)
    at = RNG.random((2, 3, 2))
    assert b.query(cp.asarray(at), 2)[1].shape == (2, 3, 2)
    assert b.query(cp.asarray(at[0, 0]))[0].shape == ()
    assert b.query_ball_point(cp.asarray(at[0, 0]), 0.3).tolist() == sorted(
        a.query_ball_point(at[0, 0], 0.3)
    )
    assert b.query_ball_point(cp.asarray(at), 0.3).shape == (2, 3)
    distances, places = b.query(cp.asarray(at[0]), 25, distance_upper_bound=0.4)
    expected = a.query(at[0], 25, distance_upper_bound=0.4)
    assert (places.get() == expected[1]).all() and np.array_equal(
        np.isinf(distances.get()), np.isinf(expected[0])
    )
    assert (b.mins.get() == a.mins).all() and (b.maxes.get() == a.maxes).all()
    assert (b.n, b.m) == (20, 2) and len(b.query_ball_tree(b, 0.1)) == 20
    assert b.sparse_distance_matrix(b, 0.1, output_type="dict").keys() == dict(
        a.sparse_distance_matrix(a, 0.1).items()
    ).keys() | {(i, i) for i in range(20)}
    assert b.sparse_distance_matrix(b, 0.1, output_type="dok_matrix").format == "dok"
    found = b.sparse_distance_matrix(b, 0.3, output_type="ndarray").get()
    expected = a.sparse_distance_matrix(a, 0.3, output_type="ndarray")
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(
        np.sort(found, order=["i", "j"])["v"], np.sort(expected, order=["i", "j"])["v"], rtol=1e-12
    )
    nothing = b.count_neighbors(b, [], weights=(cp.ones(20), None))
    assert nothing.shape == (0,) and nothing.dtype == np.float64


def test_equal_points():
    tree = KDTree(cp.zeros((100, 2)))
    assert tree.query(cp.zeros((1, 2)), 100)[1].get().tolist() != [[0] * 100]
    assert sorted(tree.query(cp.zeros((1, 2)), 100)[1].get()[0]) == list(range(100))
    assert tree.query_pairs(0.0).shape == (4950, 2)


def test_no_points():
    tree = KDTree(cp.zeros((0, 2)))
    distances, places = tree.query(cp.zeros((3, 2)), 2)
    assert np.isinf(distances.get()).all() and (places.get() == 0).all()
    assert tree.query_pairs(1.0).shape == (0, 2)


BAD = [
    lambda m, x: m.KDTree(x[:, 0]),
    lambda m, x: m.KDTree(x * np.nan),
    lambda m, x: m.KDTree(x + 1j),
    lambda m, x: m.KDTree(x, leafsize=0),
    lambda m, x: m.KDTree(x, boxsize=0.1),
    lambda m, x: m.KDTree(x).query(x[:, :1]),
    lambda m, x: m.KDTree(x).query(x, p=0.5),
    lambda m, x: m.KDTree(x).query(x * np.nan),
    lambda m, x: m.KDTree(x).count_neighbors(m.KDTree(x), [[0.1]]),
    lambda m, x: m.KDTree(x).count_neighbors(m.KDTree(x), [0.2, 0.1], cumulative=False),
    lambda m, x: m.KDTree(x).sparse_distance_matrix(m.KDTree(x), 0.1, output_type="other"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_arguments(number):
    points = RNG.random((20, 2))
    with pytest.raises((ValueError, TypeError)) as expected:
        BAD[number](theirs, points)
    with pytest.raises(expected.type):
        BAD[number](ours, cp.asarray(points))


def test_bad_arguments_that_scipy_accepts():
    points = cp.asarray(RNG.random((20, 2)))
    with pytest.raises(ValueError, match="boxsize"):
        KDTree(points, boxsize=-1)
    with pytest.raises(ValueError, match="p must be"):
        KDTree(points).query_ball_point(points, 0.1, p=0.5)


def test_size_of_trees():
    """SciPy's leaves of 32 points are the same for points in general position."""
    for n in (0, 1, 32, 33, 64, 65, 100, 1025):
        points = np.random.default_rng(n).random((n, 2))
        assert KDTree(cp.asarray(points)).size == theirs.KDTree(points, leafsize=32).size
