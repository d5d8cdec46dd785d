"""Multiscale graph correlation against SciPy's: statistics, maps and scales, permutations, errors."""

import numpy as np
import pytest
import scipy.stats
from scipy.spatial.distance import cdist
from scipy.stats._stats import _local_correlations

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore:.*(replications|permutations):RuntimeWarning")
ours = cp.scipy.stats


def compared(x, y, **options):
    """Results of both, of which statistic, map and scale agree."""
    wanted = scipy.stats.multiscale_graphcorr(x, y, reps=0, **options)
    found = ours.multiscale_graphcorr(cp.asarray(x), cp.asarray(y), reps=0, **options)
    np.testing.assert_allclose(found.statistic.get(), wanted.statistic, rtol=1e-12, atol=1e-13)
    table = found.mgc_dict["mgc_map"]
    np.testing.assert_allclose(
        table.get(), wanted.mgc_dict["mgc_map"], rtol=1e-11, atol=1e-12, strict=True
    )
    assert found.mgc_dict["opt_scale"] == list(map(int, wanted.mgc_dict["opt_scale"]))
    assert found.mgc_dict["null_dist"].shape == (0,) and float(found.pvalue) == 1
    assert found.stat is found.statistic
    return found


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("digits", [1, 15])  # equal distances share a rank
@pytest.mark.parametrize(("n", "p", "q"), [(5, 1, 1), (31, 3, 2), (60, 2, 1)])
def test_statistic_and_map(dtype, digits, n, p, q, rng):
    x = rng.normal(size=(n, p)).round(digits).astype(dtype)
    y = (x[:, :1] ** 2 + 0.2 * rng.normal(size=(n, q))).round(digits).astype(dtype)
    compared(x, y)
    compared(x[:, 0], rng.permutation(y)[:, 0])


def test_integers_and_perfect_dependence():
    x = cp.arange(20)  # all correlations along the diagonal are 1 to rounding
    found = ours.multiscale_graphcorr(x, 3 * x, reps=0)
    assert float(found.statistic) == pytest.approx(1.0, abs=1e-13)
    compared(np.arange(12) % 3, np.arange(12))


def test_matrices_of_distances(rng):
    x, y = rng.normal(size=(2, 25, 2))
    compared(cdist(x, x, "cityblock"), cdist(y, y), compute_distance=None)
    names = []

    def distances(points):
        names.append(type(points).__name__)
        return abs(points[:, None] - points[None]).sum(axis=-1)

    compared(x, y, compute_distance=distances)
    assert len(names) == 4


def test_two_samples(rng):
    x, y = rng.normal(size=(20, 2)), rng.normal(size=(9, 2)) + 1
    compared(x, y)
    compared(x[:9], y, is_twosamp=True)


def test_permutations(rng):
    """Statistics of the permutations that the generator gives are SciPy's of permuted samples."""
    x, y = rng.normal(size=(2, 16, 1)).round(1)
    found = ours.multiscale_graphcorr(cp.asarray(x), cp.asarray(y), reps=30, random_state=5)
    null = found.mgc_dict["null_dist"].get()
    orders = np.argsort(cp.random.default_rng(5).random((30, 16)).get(), axis=-1)
    wanted = [scipy.stats.multiscale_graphcorr(x, y[order], reps=0).statistic for order in orders]
    np.testing.assert_allclose(null, wanted, rtol=1e-12, atol=1e-13)
    share = (1 + np.sum(null >= float(found.statistic) - 1e-13)) / 31
    assert float(found.pvalue) == share and 0 < share < 1


def test_batches_of_permutations_are_joined(monkeypatch, rng):
    from gpunp.scipy.stats import _mgc

    x = cp.asarray(rng.normal(size=(10, 1)))
    monkeypatch.setattr(_mgc, "_BATCH", 700)  # seven permutations
    found = ours.multiscale_graphcorr(x, x**2, reps=25, random_state=cp.random.RandomState(3))
    assert found.mgc_dict["null_dist"].shape == (25,) and 1 / 26 <= float(found.pvalue) < 1


def test_constant_samples():
    """Variances of zero have correlations of zero; SciPy raises for a map of one row."""
    x = cp.ones(8)
    found = ours.multiscale_graphcorr(x, cp.arange(8.0), reps=0)
    assert float(found.statistic) == 0 and not found.mgc_dict["mgc_map"].any()
    assert found.mgc_dict["mgc_map"].shape == (1, 8) and found.mgc_dict["opt_scale"] == [1, 8]


X = np.arange(12.0)
WRONG = [
    (X[:3], X[:3], {}),
    (X, np.full(12, np.nan), {}),
    (X, np.full(12, np.inf), {}),
    (X.reshape(2, 2, 3), X, {}),
    (np.ones((12, 2)), np.ones((11, 3)), {}),
    (X, X, {"compute_distance": 3}),
    (X, X, {"reps": -1}),
    (X, X, {"reps": 1.5}),
    (np.eye(12), np.eye(12), {"compute_distance": None, "is_twosamp": True}),
]


@pytest.mark.parametrize(("x", "y", "options"), WRONG)
def test_wrong_arguments(x, y, options):
    with pytest.raises(ValueError):
        scipy.stats.multiscale_graphcorr(x, y, **options)
    with pytest.raises(ValueError):
        ours.multiscale_graphcorr(cp.asarray(x), cp.asarray(y), **options)


def test_distances_must_be_square_matrices():
    with pytest.raises(ValueError, match="square"):
        ours.multiscale_graphcorr(cp.ones((6, 5)), cp.ones((6, 5)), compute_distance=None)
    with pytest.raises(TypeError, match="real"):
        ours.multiscale_graphcorr(cp.asarray(X) * 1j, cp.asarray(X))


def test_few_permutations_warn():
    x = cp.asarray(X)
    with pytest.warns(RuntimeWarning, match="permutations"):
        ours.multiscale_graphcorr(x, x, reps=1)


def test_maps_of_local_correlations(rng):
    x, y = (cdist(v, v) for v in rng.normal(size=(2, 9, 1)).round(1))
    found = ours.multiscale_graphcorr(cp.asarray(x), cp.asarray(y), compute_distance=None, reps=0)
    wanted = _local_correlations(x, y)
    np.testing.assert_allclose(found.mgc_dict["mgc_map"].get(), wanted, atol=1e-13)
