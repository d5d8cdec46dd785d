"""Distances of pairs of points beside SciPy's."""

import numpy as np
import pytest
import scipy.spatial
import scipy.spatial.distance as theirs

import gpunp as cp
import gpunp.scipy.spatial.distance as ours
from gpunp.scipy.spatial import _distance_products, distance_matrix
from gpunp.scipy.spatial._distance_tiles import is_tiled
from gpunp.scipy.spatial._metrics import ALIASES, METRICS

RNG = np.random.default_rng(5)
A, B, W = RNG.random((5, 4)), RNG.random((7, 4)), RNG.random(4)
F, G = RNG.random((6, 4)) > 0.5, RNG.random((5, 4)) > 0.5


def near(call, *arrays):
    """call(module, arrays...) gives the same with SciPy and here, or the same type of error."""
    device = [cp.asarray(a) for a in arrays]
    try:
        expected = call(theirs, *arrays)
    except Exception as error:
        with pytest.raises(type(error)):
            call(ours, *device)
        return
    result = call(ours, *device)
    assert np.shape(result) == np.shape(expected)
    result = result.get() if isinstance(result, cp.ndarray) else result
    np.testing.assert_allclose(result, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("name", METRICS)
def test_metrics(name):
    x, y = (F, G) if METRICS[name].boolean else (A, B)
    near(lambda m, x, y: m.cdist(x, y, name), x, y)
    near(lambda m, x: m.pdist(x, name), x)
    near(lambda m, x, y: m.cdist(x[::-1].T[:, :2].T, y[::2], name), x, y[:, :5])
    if METRICS[name].weighted:
        near(lambda m, x, y, w: m.cdist(x, y, name, w=w), x, y, W)
        near(lambda m, x, w: m.pdist(x, name, w=w), x, W)
    for other in METRICS[name].other.split():
        if ALIASES[other] == name:
            near(lambda m, x, y, other=other: m.cdist(x, y, other), x, y)
    if name in ours._VECTORS:
        near(lambda m, x, y: getattr(m, name)(x, y), x[0], y[0])
        near(lambda m, x, y, w: getattr(m, name)(x, y, w), x[0], y[0], W)
        near(lambda m, x, y: m.cdist(x, y, getattr(m, name)), x, y)


@pytest.mark.parametrize("name", [name for name in METRICS if is_tiled(name, 64, 64)])
@pytest.mark.parametrize("weighted", [False, True])
def test_tiles(name, weighted):
    """Sets of points that are no whole number of tiles, with coordinates of more than one step."""
    if weighted and not METRICS[name].weighted:
        pytest.skip("takes no weights")
    points = np.random.default_rng(7).random((70, 18)), np.random.default_rng(8).random((131, 18))
    x, y = [p > 0.5 for p in points] if METRICS[name].boolean else points
    w = [np.resize(W, 18)] if weighted else []
    near(lambda m, x, y, *w: m.cdist(x, y, name, **dict(zip("w", w))), x, y, *w)
    near(lambda m, x, *w: m.pdist(x, name, **dict(zip("w", w))), y, *w)
    near(lambda m, x, y, *w: m.cdist(x[:64, :1], y[:64, :1], name), x, y)
    near(lambda m, x, y, *w: m.cdist(x[:, :16], y[:98, :16], name), x, y)


KINDS = {
    "noise": lambda x, y: (x, y),
    "far from zero": lambda x, y: (x + 1e6, y + 1e6),
    "nearly the same": lambda x, y: (x, np.where(np.arange(131)[:, None] < 90, x[:131] + 1e-9, y)),
    "two places": lambda x, y: (x * 1e-5 + np.arange(200)[:, None] % 2, y * 1e-5),
    "not finite": lambda x, y: (np.where(x > 3.5, np.inf, x), np.where(y < -3.5, np.nan, y)),
    "large and small": lambda x, y: (x * 10.0 ** (np.arange(200)[:, None] % 9 * 40 - 160), y),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["euclidean", "sqeuclidean"])
@pytest.mark.parametrize("long", ["0", "1"])
def test_products(kind, name, long, monkeypatch):
    """Squares of distances by products of matrices, and again by differences where they cancel."""
    monkeypatch.setattr(_distance_products, "PAIRS", 1)
    monkeypatch.setattr(_distance_products, "_LONG", long)
    _distance_products.kernels.cache_clear()
    rng = np.random.default_rng(3)
    x, y = KINDS[kind](rng.normal(size=(200, 35)), rng.normal(size=(131, 35)))
    for call in (lambda m, x, y: m.cdist(x, y[:130], name), lambda m, x, y: m.pdist(y, name)):
        result = call(ours, cp.asarray(x), cp.asarray(y)).get()
        np.testing.assert_allclose(result, call(theirs, x, y), rtol=1e-14)
    _distance_products.kernels.cache_clear()


@pytest.mark.parametrize(("clusters", "again"), [(0, 0), (8, 12)])
def test_tiles_that_are_computed_again(clusters, again):
    """All of them where points are in few clusters, without products; few otherwise."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(200, 33)), rng.normal(size=(130, 33))
    if clusters:
        places = rng.normal(size=(clusters, 33)) * 9
        x, y = (p + places[rng.integers(0, clusters, len(p))] for p in (x, y))
    made = _distance_products.kernels("euclidean", "cdist", "row * count + column", True)
    x, y, out = cp.asarray(x), cp.asarray(y), cp.empty((200, 130))
    tiles = _distance_products.by_products(made, x, y, out).get()
    assert tiles[0] == again
    assert set(tiles[1 : 1 + tiles[0]]) == set(range(again))


def test_products_are_symmetric_and_exact(monkeypatch):
    monkeypatch.setattr(_distance_products, "PAIRS", 1)
    x = RNG.normal(size=(150, 40))
    result = ours.cdist(cp.asarray(x), cp.asarray(x)).get()
    assert (result == result.T).all()
    assert not result.diagonal().any()
    x, y = np.rint(x * 9), np.rint(RNG.normal(size=(150, 40)) * 9) + 1000
    result = ours.cdist(cp.asarray(x), cp.asarray(y), "sqeuclidean").get()
    assert (result == theirs.cdist(x, y, "sqeuclidean")).all()


@pytest.mark.parametrize(
    ("size", "device", "taken"), [(32, 90, True), (31, 90, False), (32, 89, False)]
)
def test_where_products_are_taken(size, device, taken):
    sizes = (1024, 1024, size)
    assert _distance_products.is_product("euclidean", sizes, False, device) is taken
    assert not _distance_products.is_product("euclidean", sizes, True, device)
    assert not _distance_products.is_product("cityblock", sizes, False, device)
    assert not _distance_products.is_product("euclidean", (127, 8256, 64), False, device)


def test_tiles_go_to_any_memory():
    """Neighbours are stored together where the output is aligned for that."""
    x, y = RNG.random((65, 33)), RNG.random((98, 33))
    for first in (0, 1):
        out = cp.empty(65 * 98 + 1)[first : first + 65 * 98].reshape(65, 98)
        ours.cdist(cp.asarray(x), cp.asarray(y), out=out)
        np.testing.assert_allclose(out.get(), theirs.cdist(x, y), rtol=1e-12)


CALLS = [
    lambda m, x, y, w: m.cdist(x, y, "minkowski", p=3.0),
    lambda m, x, y, w: m.cdist(x, y, "minkowski", p=1.5, w=w),
    lambda m, x, y, w: m.cdist(x, y, "minkowski", p=np.inf),
    lambda m, x, y, w: m.minkowski(x[0], y[0], 3, w),
    lambda m, x, y, w: m.cdist(x, y, "seuclidean", V=w),
    lambda m, x, y, w: m.seuclidean(x[0], y[0], w),
    lambda m, x, y, w: m.cdist(x, y, "mahalanobis", VI=y[:4]),
    lambda m, x, y, w: m.mahalanobis(x[0], y[0], y[:4].T @ y[:4]),
    lambda m, x, y, w: m.cdist(x[:1], y[:2], "mahalanobis"),
    lambda m, x, y, w: m.jensenshannon(x, x[::-1], 2.0, axis=1, keepdims=True),
    lambda m, x, y, w: m.jensenshannon(x[0], y[0]),
    lambda m, x, y, w: m.cdist(x, y[:, :3]),
    lambda m, x, y, w: m.cdist(x[0], y),
    lambda m, x, y, w: m.cdist(x, y, "other"),
    lambda m, x, y, w: m.cdist(x, y, 3),
    lambda m, x, y, w: m.cdist(x, y, "euclidean", p=3),
    lambda m, x, y, w: m.cdist(x, y, "euclidean", w=-w),
    lambda m, x, y, w: m.cdist(x, y + 1j),
    lambda m, x, y, w: m.pdist(x[:1]),
    lambda m, x, y, w: m.cdist(x[:0], y),
    lambda m, x, y, w: m.cdist(x[:, :1], y[:, :1]),
    lambda m, x, y, w: m.cdist(x.astype("f"), (y * 9).astype("i")),
    lambda m, x, y, w: m.squareform(m.pdist(x)),
    lambda m, x, y, w: m.squareform(m.squareform(m.pdist(x))),
    lambda m, x, y, w: m.squareform(x),
    lambda m, x, y, w: m.squareform(w[:2]),
    lambda m, x, y, w: m.squareform(x[:4]),
    lambda m, x, y, w: m.squareform(w[:1], "tovector"),
    lambda m, x, y, w: m.squareform(w[:0]),
    lambda m, x, y, w: m.is_valid_dm(m.squareform(m.pdist(x))),
    lambda m, x, y, w: m.is_valid_dm(x),
    lambda m, x, y, w: m.is_valid_dm(m.squareform(w[:3] * np.inf)),
    lambda m, x, y, w: m.is_valid_dm(m.squareform(w[:3] * np.inf), tol=0.1),
    lambda m, x, y, w: m.squareform(m.squareform(w[:3] > 0)),
    lambda m, x, y, w: m.is_valid_y(w[:3]),
    lambda m, x, y, w: m.is_valid_y(w),
    lambda m, x, y, w: m.is_valid_y(w, throw=True),
    lambda m, x, y, w: m.num_obs_y(w[:3]),
    lambda m, x, y, w: m.num_obs_dm(x[:4]),
    lambda m, x, y, w: m.cosine(x, y),
    lambda m, x, y, w: m.cosine(x[0], y[0, :2]),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_calls(number):
    near(CALLS[number], A, B, W)


def test_matrices_of_no_pairs_keep_their_type():
    for n in (0, 1):
        for dtype in ("f", "i", "?", "d"):
            made = ours.squareform(cp.zeros((n, n), dtype))
            assert (made.shape, made.dtype) == (
                (0,),
                theirs.squareform(np.zeros((n, n), dtype)).dtype,
            )


def test_output_is_written_to():
    out = cp.empty((5, 7))
    assert ours.cdist(cp.asarray(A), cp.asarray(B), out=out) is out
    np.testing.assert_allclose(out.get(), theirs.cdist(A, B), rtol=1e-12)
    for wrong in (cp.empty((5, 6)), cp.empty((7, 5)).T, cp.empty((5, 7), "f"), np.empty((5, 7))):
        with pytest.raises(ValueError, match="out must be"):
            ours.cdist(cp.asarray(A), cp.asarray(B), out=wrong)


def test_ranks_of_pairs():
    """The pair of a rank is found through a square root, which is off by one near whole numbers."""
    x = RNG.random((700, 1))
    np.testing.assert_allclose(ours.pdist(cp.asarray(x)).get(), theirs.pdist(x), rtol=1e-12)


@pytest.mark.parametrize("p", [1, 2, 2.5, np.inf])
def test_distance_matrix(p):
    result = distance_matrix(cp.asarray(A), cp.asarray(B), p)
    np.testing.assert_allclose(result.get(), scipy.spatial.distance_matrix(A, B, p), rtol=1e-12)
    with pytest.raises(ValueError, match="p must be"):
        distance_matrix(cp.asarray(A), cp.asarray(B), 0.5)
    with pytest.raises(ValueError, match="columns"):
        distance_matrix(cp.asarray(A), cp.asarray(B[:, :2]))


def test_correlation_without_means(rng):
    u, v, w = rng.normal(size=(3, 6))
    for centered in (True, False):
        for given in ({}, {"w": abs(w)}):
            desired = theirs.correlation(u, v, centered=centered, **given)
            weights = {key: cp.asarray(value) for key, value in given.items()}
            actual = ours.correlation(cp.asarray(u), cp.asarray(v), centered=centered, **weights)
            np.testing.assert_allclose(actual.get(), desired, rtol=1e-12)
