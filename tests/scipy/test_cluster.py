"""scipy.cluster: k-means and trees of clusters."""

import numpy as np
import pytest
import scipy.cluster.hierarchy
import scipy.cluster.vq
from scipy.spatial.distance import pdist, squareform
from stats_cases import same

import gpunp as cp
from gpunp.scipy.cluster import _lloyd_step, _merges_in_order, _nearest_codes, vq

pytestmark = pytest.mark.filterwarnings("ignore")  # clusters without members

RNG = np.random.default_rng(6)
X = RNG.normal(size=(200, 2))
X[:100] += 4
WIDE = RNG.normal(size=(300, 40))
V, H = "cluster.vq", "cluster.hierarchy"


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_codes_and_means(dtype):
    tolerance = 1e-4 if dtype == "f4" else 1e-10
    x, wide = X.astype(dtype), WIDE.astype(dtype)
    for obs, book in ((x, x[:3] + 1), (x[:, 0], x[:3, 0] + 1), (wide, wide[:5] + 1)):
        same(V, "vq", obs, book.astype(dtype), tolerance=tolerance)
        same(V, "whiten", obs, tolerance=tolerance)
        same(V, "kmeans", obs, 3, rng=1, tolerance=tolerance)
    same(V, "kmeans", x, x[:4].copy(), tolerance=tolerance)
    same(V, "kmeans2", x, x[:4].copy(), minit="matrix", tolerance=tolerance)


@pytest.mark.parametrize("start", ["random", "points", "++"])
def test_starts(start):
    for obs in (X, X[:, 0], WIDE):
        same(V, "kmeans2", obs, 3, minit=start, rng=5, tolerance=1e-9)


def test_means_of_integers():
    book, label = cp.scipy.cluster.vq.kmeans2(
        cp.array([0, 1, 8, 9]), cp.array([0, 9]), minit="matrix"
    )
    np.testing.assert_array_equal(book.get(), [0.5, 8.5])
    np.testing.assert_array_equal(label.get(), [0, 0, 1, 1])


def test_equal_bits_every_time():
    x = cp.asarray(RNG.normal(size=(5000, 3)).astype("f4"))
    books = [cp.scipy.cluster.vq.kmeans2(x, 7, minit="points", rng=1)[0].get() for _ in range(3)]
    assert (books[0] == books[1]).all() and (books[1] == books[2]).all()


def test_steps_that_would_change_no_mean_are_left_out():
    x = cp.asarray(RNG.normal(size=(300, 2)))
    some, most = (
        cp.scipy.cluster.vq.kmeans2(x, 5, iter=n, minit="points", rng=1) for n in (200, 10**30)
    )
    assert all((a == b).all() for a, b in zip(some, most, strict=True))


def test_clusters_without_members():
    far = np.array([[0.0, 0], [100, 100]])
    same(V, "kmeans2", X, far, minit="matrix")
    same(V, "kmeans", X, far)
    with pytest.raises(cp.scipy.cluster.vq.ClusterError):
        cp.scipy.cluster.vq.kmeans2(cp.asarray(X), cp.asarray(far), minit="matrix", missing="raise")


WRONG = [
    ("vq", (X, X[:, :1]), {}),
    ("vq", (X, X[0]), {}),
    ("vq", (X * np.nan, X[:2]), {}),
    ("kmeans", (X, 0), {}),
    ("kmeans", (X, 2, 0), {}),
    ("kmeans", (X, 2.5), {}),
    ("kmeans", (X, 201), {}),
    ("kmeans", (X, np.zeros((0, 2))), {}),
    ("kmeans2", (X, 0), {}),
    ("kmeans2", (X, 2, 0), {}),
    ("kmeans2", (X, 2), {"minit": "none"}),
    ("kmeans2", (X, 2), {"missing": "none"}),
    ("kmeans2", (np.zeros((0, 2)), 2), {}),
    ("kmeans2", (X, X[0]), {"minit": "matrix"}),
    ("kmeans2", (X, 201), {"minit": "points"}),
]


KINDS = {
    "noise": lambda x: x,
    "far from zero": lambda x: x + 1000,
    "whole numbers": lambda x: np.rint(x),
    "not finite": lambda x: np.where(x > 3.2, np.inf, np.where(x < -3.2, np.nan, x)),
    "large and small": lambda x: x * 10.0 ** (np.arange(len(x))[:, None] % 9 * 8 - 32),
    "very small": lambda x: x * 1e-21,
    "equal": lambda x: x[np.arange(len(x)) % 5],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_codes_by_scores(kind, dtype, monkeypatch):
    """They have the bits of codes by differences, where scores decide and where they do not."""
    for features, codes in ((4, 9), (5, 64), (16, 64), (16, 300), (32, 10)):
        rng = np.random.default_rng(codes)
        with np.errstate(over="ignore"):
            x, y = (
                cp.asarray(KINDS[kind](rng.normal(size=(count, features))).astype(dtype))
                for count in (700, codes)
            )
        results = []
        for least in (1, 1 << 40):
            monkeypatch.setattr(_nearest_codes, "_LEAST", least)
            results.append([a.get() for a in vq.vq(x, y, check_finite=False)])
        for some, others in zip(*results, strict=True):
            assert np.array_equal(some, others, equal_nan=True)


SHAPES = ((700, 4, 1), (1030, 5, 9), (1500, 16, 64), (300, 18, 130), (600, 32, 33), (500, 9, 250))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["f", "d"])
def test_joint_steps(kind, dtype, monkeypatch):
    """A step in one reading gives the codes of separate ones, and means within a rounding."""
    monkeypatch.setattr(_lloyd_step, "_LEAST", 1)
    for count, features, codes in SHAPES:
        rng = np.random.default_rng(codes)
        with np.errstate(over="ignore"):
            x = KINDS[kind](rng.normal(size=(count, features))).astype(dtype)
        book = np.nan_to_num(x[rng.integers(0, count, codes)], nan=0, posinf=3, neginf=-3)
        book[codes // 2] += 50  # and one without members
        obs, given = cp.asarray(x), cp.asarray(book)
        assert _lloyd_step.is_joint(obs, given)
        empty_ones = cp.zeros((), np.int32)
        step = _lloyd_step.joint_step(obs, given, empty_ones, True)
        code, distance = vq._quantised(obs, given)
        means, members = vq._means(obs, code, codes)
        np.testing.assert_array_equal(step.code.get(), code.get())
        np.testing.assert_array_equal(step.members.get(), members.get())
        has_members = members.get() > 0
        assert empty_ones.get() == (~has_members).sum()
        desired = np.where(has_members[:, None], means.get(), book)
        tolerance = 1e-6 if dtype == "f" else 1e-13
        scale = np.abs(x[np.isfinite(x)]).max()
        np.testing.assert_allclose(step.book.get(), desired, tolerance, tolerance * scale)
        tolerance *= 10  # means of single precision were added up
        np.testing.assert_allclose(step.distance.get(), distance.get().mean(dtype="d"), tolerance)


def test_joint_steps_of_any_memory(monkeypatch):
    monkeypatch.setattr(_lloyd_step, "_LEAST", 1)
    rng = np.random.default_rng(1)
    x, book = cp.asarray(rng.normal(size=900 * 8 + 1)), cp.asarray(rng.normal(size=(20, 8)))
    for first in (0, 1):
        part = x[first : first + 900 * 8].reshape(900, 8)
        step = _lloyd_step.joint_step(part, book, cp.zeros((), np.int32), False)
        assert np.array_equal(step.code.get(), scipy.cluster.vq.vq(part.get(), book.get())[0])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_clusters_by_joint_steps(dtype, monkeypatch):
    monkeypatch.setattr(_lloyd_step, "_LEAST", 1)
    tolerance = 1e-4 if dtype == "f4" else 1e-10
    x = RNG.normal(size=(400, 6)).astype(dtype)
    far = np.vstack([x[:3], x[:1] + 1000])
    for start in (x[:4].copy(), far):
        same(V, "kmeans", x, start, tolerance=tolerance)
        same(V, "kmeans2", x, start, minit="matrix", tolerance=tolerance)
    with pytest.raises(cp.scipy.cluster.vq.ClusterError):
        cp.scipy.cluster.vq.kmeans2(cp.asarray(x), cp.asarray(far), minit="matrix", missing="raise")
    found = [cp.scipy.cluster.vq.kmeans2(cp.asarray(x), 7, rng=1, minit="points") for _ in "12"]
    assert all((a == b).all() for a, b in zip(*found, strict=True))


def test_codes_of_any_memory(monkeypatch):
    rng = np.random.default_rng(1)
    x, y = cp.asarray(rng.normal(size=700 * 8 + 1)), cp.asarray(rng.normal(size=(20, 8)))
    monkeypatch.setattr(_nearest_codes, "_LEAST", 1)
    for first in (0, 1):
        part = x[first : first + 700 * 8].reshape(700, 8)
        expected = scipy.cluster.vq.vq(part.get(), y.get())
        for some, others in zip(vq.vq(part, y), expected, strict=True):
            np.testing.assert_allclose(some.get(), others, rtol=1e-14)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_observations_that_are_not_finite(bad, monkeypatch):
    for dtype, least in (("f", 1), ("d", 1), ("d", 1 << 40)):
        monkeypatch.setattr(_nearest_codes, "_LEAST", least)
        x, y = cp.ones((300, 5), dtype), cp.asarray(np.arange(50.0).reshape(10, 5)).astype(dtype)
        x[3, 1] = 1e30  # large enough for squares to overflow
        vq.vq(x, y)
        x[299, 4] = bad
        with pytest.raises(ValueError, match="must not contain infs or NaNs"):
            vq.vq(x, y)


@pytest.mark.parametrize("name, arguments, options", WRONG)
def test_wrong_arguments(name, arguments, options):
    same(V, name, *arguments, **options)


P = X[90:110]
TREE = scipy.cluster.hierarchy.linkage(P, "ward")
R = scipy.cluster.hierarchy.inconsistent(TREE)
FLAT = scipy.cluster.hierarchy.fcluster(TREE, 3, "maxclust")


@pytest.mark.parametrize(
    "method", ["single", "complete", "average", "weighted", "centroid", "median", "ward", "none"]
)
def test_trees(method):
    same(H, "linkage", P, method)
    same(H, "linkage", pdist(P), method)
    same(H, "linkage", P, method, "cityblock", optimal_ordering=True)
    if method != "none":
        same(H, method, P)


METHODS = ["single", "complete", "average", "weighted", "centroid", "median", "ward"]
SETS_OF_POINTS = {
    "noise": lambda rng, n: rng.normal(size=(n, 2)),
    "grid": lambda rng, n: rng.integers(0, 4, (n, 2)).astype(float),  # many equal distances
    "one place": lambda _, n: np.ones((n, 2)),
    "powers": lambda _, n: 1.5 ** np.arange(n)[:, None],  # a merge a round
    "pairs": lambda rng, n: rng.normal(size=(n // 2 + 1, 2)).repeat(2, 0)[:n],
}


@pytest.mark.parametrize("points", SETS_OF_POINTS)
@pytest.mark.parametrize("method", METHODS)
def test_merges_in_scipys_order(method, points):
    rng = np.random.default_rng(7)
    for n in (2, 3, 33, 75):
        distances = pdist(SETS_OF_POINTS[points](rng, n))
        desired = scipy.cluster.hierarchy.linkage(distances, method)
        actual = cp.scipy.cluster.hierarchy.linkage(cp.asarray(distances), method).get()
        np.testing.assert_array_equal(actual[:, [0, 1, 3]], desired[:, [0, 1, 3]])
        np.testing.assert_allclose(actual[:, 2], desired[:, 2], rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_distances_that_are_none_of_points(method):
    """The triangle inequality does not hold, and 'ward' and others may take roots of what is below
    zero, which is no distance: the tree has a row for each merge all the same."""
    distances = np.random.default_rng(3).exponential(size=40 * 39 // 2) ** 3
    tree = cp.scipy.cluster.hierarchy.linkage(cp.asarray(distances), method).get()
    assert tree.shape == (39, 4) and tree[-1, 3] == 40
    if method in ("single", "complete", "average", "weighted"):
        np.testing.assert_allclose(tree, scipy.cluster.hierarchy.linkage(distances, method))


@pytest.mark.parametrize("points", ["noise", "grid"])
@pytest.mark.parametrize("blocks, is_shared", [(1, True), (2, True), (8, True), (4, False)])
@pytest.mark.parametrize("method", METHODS)
def test_merges_by_clusters_of_blocks(method, blocks, is_shared, points, monkeypatch):
    """Of few threads, so that blocks have several columns each, or all of them some."""
    rng = np.random.default_rng(9)
    monkeypatch.setattr(_merges_in_order, "EACH", 32)
    monkeypatch.setattr(_merges_in_order, "BLOCKS", blocks)
    if not is_shared:
        monkeypatch.setattr(_merges_in_order, "shared_bytes", lambda: 0)
    for n in (2, 40, 200):
        distances = pdist(SETS_OF_POINTS[points](rng, n))
        square = squareform(distances) + np.where(np.eye(n), np.inf, 0)
        control = cp.zeros(8, "i4")
        actual = _merges_in_order.merged_in_order(cp.asarray(square), control, method).get()
        desired = scipy.cluster.hierarchy.linkage(distances, method)
        np.testing.assert_array_equal(actual[:, [0, 1, 3]], desired[:, [0, 1, 3]])
        np.testing.assert_allclose(actual[:, 2], desired[:, 2], rtol=1e-12)


@pytest.mark.parametrize("name, value", [("has_clusters", False), ("shared_bytes", 0)])
@pytest.mark.parametrize("points", ["noise", "grid"])
def test_merges_without_clusters_or_shared_memory(name, value, points, monkeypatch):
    distances = pdist(SETS_OF_POINTS[points](np.random.default_rng(9), 70))
    monkeypatch.setattr(_merges_in_order, name, lambda: value)
    for method in METHODS:
        actual = cp.scipy.cluster.hierarchy.linkage(cp.asarray(distances), method).get()
        desired = scipy.cluster.hierarchy.linkage(distances, method)
        np.testing.assert_allclose(actual, desired, rtol=1e-12)


@pytest.mark.parametrize("kind", ["points", "numbers", "negative", "some equal"])
def test_single_linkage_in_rounds(kind):
    rng = np.random.default_rng(11)
    for n in (9, 130, 600):
        distances = pdist(rng.normal(size=(n, 3)))
        if kind != "points":
            distances = rng.permutation(len(distances)) + 1.0
        if kind == "negative":
            distances -= len(distances) // 2
        if kind == "some equal":  # two of some, which the rounds may or may not meet
            distances[:-3:7] = distances[3::7]
        actual = cp.scipy.cluster.hierarchy.linkage(cp.asarray(distances), "single").get()
        assert np.array_equal(actual, scipy.cluster.hierarchy.linkage(distances, "single"))


@pytest.mark.parametrize("dtype", ["f4", "i8", "?"])
def test_types_of_distances(dtype):
    same(H, "linkage", np.array([1, 3, 2, 5, 1, 4]).astype(dtype), "average")


QUESTIONS = [
    ("cophenet", (TREE,)),
    ("cophenet", (TREE, pdist(P))),
    ("inconsistent", (TREE, 3)),
    ("leaves_list", (TREE,)),
    ("maxdists", (TREE,)),
    ("maxinconsts", (TREE, R)),
    ("maxRstat", (TREE, R, 1)),
    ("fcluster", (TREE, 1.0, "distance")),
    ("fcluster", (TREE, 1.1)),
    ("leaders", (TREE, FLAT)),
    ("optimal_leaf_ordering", (TREE, P)),
    ("fclusterdata", (P, 1.0)),
    ("from_mlab_linkage", (scipy.cluster.hierarchy.to_mlab_linkage(TREE),)),
    ("linkage", (P * np.nan,)),
    ("linkage", (np.ones(4),)),
    ("linkage", (np.ones(0),)),
    ("linkage", (np.ones((1, 2)),)),
    ("linkage", (np.ones((2, 2, 2)),)),
    ("linkage", (np.array([1.0, np.inf, 2.0]), "median")),
    ("linkage", (np.array([1.0, np.nan, 2.0]), "ward")),
]


@pytest.mark.parametrize(
    "name, arguments", QUESTIONS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_questions(name, arguments):
    same(H, name, *arguments)


def test_pictures_of_trees():
    found = cp.scipy.cluster.hierarchy.dendrogram(cp.asarray(TREE), no_plot=True)
    wanted = scipy.cluster.hierarchy.dendrogram(TREE, no_plot=True)
    assert found["leaves"] == wanted["leaves"] and found["icoord"] == wanted["icoord"]


def test_disjoint_sets():
    sets = cp.scipy.cluster.hierarchy.DisjointSet([1, 2, 3])
    sets.merge(1, 2)
    assert sets.n_subsets == 2


def test_generators_of_the_device():
    x = cp.random.default_rng(2).normal(size=(40, 2))
    found = [
        cp.scipy.cluster.vq.kmeans2(x, 3, rng=cp.random.default_rng(7), minit="points")[1]
        for _ in range(2)
    ]
    assert (found[0] == found[1]).all()
