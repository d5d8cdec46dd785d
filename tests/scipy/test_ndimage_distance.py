"""Distance transforms against SciPy: dimensions, densities, metrics, sampling, indices, outputs, errors."""

import numpy as np
import pytest
import scipy.ndimage as theirs

import gpunp as cp
from gpunp.scipy import ndimage as ours

SHAPES = [(1,), (70,), (1, 1), (40, 33), (3, 200), (150, 2), (9, 10, 11), (2, 3, 4, 5)]
METRICS = {"euclidean": 0, "taxicab": 1, "chessboard": 2}


def lengths(difference, metric, sampling):
    """Distances from differences of indices, axis first."""
    steps = np.abs(difference) * np.reshape(sampling, (-1,) + (1,) * (difference.ndim - 1))
    if metric == "euclidean":
        return np.sqrt((steps**2).sum(axis=0))
    return steps.sum(axis=0) if metric == "taxicab" else steps.max(axis=0)


def check_indices(a, actual, distances, metric, sampling):
    """Each index names a background element at the distance."""
    assert not a[tuple(actual)].any()
    found = lengths(actual - np.indices(a.shape), metric, sampling)
    np.testing.assert_allclose(found, distances, rtol=1e-14)


@pytest.mark.parametrize("density", [0.02, 0.3, 0.97])
@pytest.mark.parametrize("shape", SHAPES)
def test_euclidean(shape, density, rng):
    a = rng.random(shape) > density
    a[(0,) * a.ndim] = False
    for sampling in (None, 2.5, list(rng.random(a.ndim) + 0.5)):
        desired = theirs.distance_transform_edt(a, sampling)
        x = cp.asarray(a)
        actual, indices = ours.distance_transform_edt(x, sampling, return_indices=True)
        assert (actual.dtype, indices.dtype) == (np.float64, np.int32)
        np.testing.assert_allclose(actual.get(), desired, rtol=1e-14)
        if sampling is None:
            np.testing.assert_array_equal(actual.get(), desired)
        scales = np.broadcast_to(1.0 if sampling is None else sampling, a.ndim)
        check_indices(a, indices.get(), desired, "euclidean", scales)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("shape", SHAPES)
def test_metrics(shape, metric, rng):
    a = rng.random(shape) > 0.1
    a[(0,) * a.ndim] = False
    x = cp.asarray(a)
    desired = theirs.distance_transform_bf(a, metric)
    actual, indices = ours.distance_transform_bf(x, metric, return_indices=True)
    assert actual.dtype == desired.dtype
    np.testing.assert_array_equal(actual.get(), desired)
    check_indices(a, indices.get(), desired, metric, [1.0] * a.ndim)
    if metric != "euclidean":
        desired = theirs.distance_transform_cdt(a, metric)
        actual = ours.distance_transform_cdt(x, metric)
        assert actual.dtype == desired.dtype
        np.testing.assert_array_equal(actual.get(), desired)


@pytest.mark.parametrize("at", [(0, 0), (99, 150), (50, 3)])
def test_a_lone_element(at):
    a = np.ones((100, 151), bool)
    a[at] = False
    for view in (a, a.T):
        actual = ours.distance_transform_edt(cp.asarray(view))
        np.testing.assert_array_equal(actual.get(), theirs.distance_transform_edt(view))


@pytest.mark.parametrize("dtype", "?BhqfdF")
def test_types(dtype, rng):
    a = rng.integers(0, 3, (9, 20)).astype(dtype)
    actual = ours.distance_transform_edt(cp.asarray(a))
    np.testing.assert_array_equal(actual.get(), theirs.distance_transform_edt(a))


def test_sizes_and_layouts(rng):
    assert ours.distance_transform_edt(cp.zeros((0, 3))).shape == (0, 3)
    assert ours.distance_transform_bf(cp.zeros((3, 0))).shape == (3, 0)
    assert float(ours.distance_transform_edt(cp.array(0.0))) == 0
    a = rng.random((30, 40)) > 0.1
    for view in (a.T, a[::-1, ::3], np.broadcast_to(a[:1], (5, 40))):
        x = cp.asarray(a)
        given = x.T if view.shape == (40, 30) else x[::-1, ::3] if len(view) == 30 else None
        given = cp.broadcast_to(x[:1], (5, 40)) if given is None else given
        np.testing.assert_array_equal(
            ours.distance_transform_edt(given).get(), theirs.distance_transform_edt(view)
        )


def test_no_background():
    x = cp.ones((3, 4))
    distances, indices = ours.distance_transform_edt(x, return_indices=True)
    assert bool(cp.isinf(distances).all()) and bool((indices == -1).all())
    assert bool((ours.distance_transform_cdt(x) == -1).all())
    assert bool((ours.distance_transform_bf(x, "taxicab") == 2**32 - 1).all())
    assert bool(cp.isinf(ours.distance_transform_bf(x, sampling=2)).all())


def test_outputs(rng):
    a = rng.random((9, 10)) > 0.2
    x = cp.asarray(a)
    distances, indices = cp.zeros((10, 9)).T, cp.zeros((2, 9, 10), "i4")
    assert ours.distance_transform_edt(x, distances=distances) is None
    np.testing.assert_array_equal(distances.get(), theirs.distance_transform_edt(a))
    returned = ours.distance_transform_edt(x, return_indices=True, indices=indices)
    np.testing.assert_array_equal(returned.get(), theirs.distance_transform_edt(a))
    check_indices(a, indices.get(), returned.get(), "euclidean", [1.0, 1.0])
    only = ours.distance_transform_edt(x, return_distances=False, return_indices=True)
    np.testing.assert_array_equal(only.get(), indices.get())


WRONG = [
    ("edt", {"return_distances": False}),
    ("edt", {"distances": "f4"}),
    ("edt", {"distances": "f8", "return_distances": False, "return_indices": True}),
    ("edt", {"sampling": [1, 2, 3]}),
    ("cdt", {"metric": "euclidean"}),
    ("cdt", {"distances": "f8"}),
    ("bf", {"metric": "x"}),
    ("bf", {"distances": "i4"}),
]


@pytest.mark.parametrize("name, kwargs", WRONG)
def test_errors(name, kwargs):
    def call(package, array):
        given = {k: array.zeros((3, 3), v) if k == "distances" else v for k, v in kwargs.items()}
        getattr(package, "distance_transform_" + name)(array.ones((3, 3)), **given)

    with pytest.raises(Exception) as desired:
        call(theirs, np)
    with pytest.raises(desired.type):
        call(ours, cp)


@pytest.mark.parametrize("zeros", [[], [0], [4099], [7, 4098], list(range(0, 4100, 900))])
def test_long_rows(zeros):
    """Rows of several levels of bits."""
    a = np.ones((3, 4100), bool)
    a[1, zeros] = False
    a[2, :] = a[1, ::-1]
    far = np.abs(np.arange(4100)[:, None] - np.array(zeros, int)).min(1, initial=2**31)
    actual = ours.distance_transform_cdt(cp.asarray(a[1]), "taxicab").get()
    np.testing.assert_array_equal(actual, far if zeros else -1)
    for metric in ("taxicab", "chessboard"):
        actual = ours.distance_transform_cdt(cp.asarray(a), metric).get()
        np.testing.assert_array_equal(actual, theirs.distance_transform_cdt(a, metric))


def test_rows_of_three_levels():
    a = np.ones(270_000, bool)
    a[[70, 250_001]] = False
    places = np.arange(a.size)
    desired = np.minimum(np.abs(places - 70), np.abs(places - 250_001))
    actual = ours.distance_transform_cdt(cp.asarray(a))
    np.testing.assert_array_equal(actual.get(), desired)
