"""scipy.stats.qmc: points of sequences are SciPy's, and so are measures of points."""

import warnings

import numpy as np
import pytest
from scipy.stats import qmc as theirs
from stats_cases import same, to_numpy

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about numbers of points

ours = cp.scipy.stats.qmc
Q = "stats.qmc"
X = np.random.default_rng(1).random((50, 3))


def close(actual, desired, tolerance=1e-14):
    actual = to_numpy(actual)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("scramble", [False, True])
@pytest.mark.parametrize("d", [1, 3, 20])
def test_sobol(d, scramble):
    for bits in (None, 10, 53, 64):
        a, b = (m.Sobol(d, scramble=scramble, bits=bits, rng=3) for m in (ours, theirs))
        for n in (8, 1, 5):
            close(a.random(n), b.random(n))
        assert a.num_generated == b.num_generated
        close(a.reset().random_base2(4), b.reset().random_base2(4))
    a, b = (m.Sobol(d, scramble=scramble, rng=3) for m in (ours, theirs))
    close(a.fast_forward(100).random(3), b.fast_forward(100).random(3))
    close(a.integers(10, n=8, endpoint=True), b.integers(10, n=8, endpoint=True))


@pytest.mark.parametrize("scramble", [False, True])
@pytest.mark.parametrize("d", [1, 7])
def test_halton(d, scramble):
    a, b = (m.Halton(d, scramble=scramble, rng=3) for m in (ours, theirs))
    close(a.random(8), b.random(8))
    close(a.fast_forward(1000).random(30), b.fast_forward(1000).random(30))
    close(a.integers(3, u_bounds=9, n=4), b.integers(3, u_bounds=9, n=4))


def test_many_points_do_not_wait():
    engine = ours.Sobol(5, rng=1)
    engine.random(1)
    with cp.allow_synchronize(False):
        assert engine.random(1000).shape == (1000, 5)


def test_latin_hypercubes():
    for scramble in (False, True):
        engine = ours.LatinHypercube(3, scramble=scramble, rng=1)
        x = engine.random(16).get()
        assert (np.sort((x * 16).astype(int), axis=0) == np.arange(16)[:, None]).all()
        assert scramble or np.all(x * 32 % 2 == 1)
    again = ours.LatinHypercube(3, rng=1).random(16)
    assert (to_numpy(again) == x).all()
    b = theirs.LatinHypercube(3, strength=2, rng=1)
    close(ours.LatinHypercube(3, strength=2, rng=1).random(25), b.random(25))


def test_points_of_the_host():
    a, b = (m.PoissonDisk(2, radius=0.3, rng=1) for m in (ours, theirs))
    close(a.random(3), b.random(3))
    close(a.fill_space(), b.fill_space())
    a, b = (m.Halton(2, optimization="lloyd", rng=1) for m in (ours, theirs))
    close(a.random(5), b.random(5))


def test_distributions():
    mean, covariance = np.array([1.0, 2]), np.array([[2, 0.3], [0.3, 1]])
    a = ours.MultivariateNormalQMC(cp.asarray(mean), cp.asarray(covariance), rng=5)
    close(a.random(16), theirs.MultivariateNormalQMC(mean, covariance, rng=5).random(16), 1e-10)
    options = {"inv_transform": False, "rng": 5}
    a = ours.MultivariateNormalQMC(cp.arange(3), **options)
    close(a.random(16), theirs.MultivariateNormalQMC([0, 1, 2], **options).random(16), 1e-10)
    shares = [0.2, 0.3, 0.5]
    a = ours.MultinomialQMC(cp.array(shares), 32, rng=5)
    close(a.random(4), theirs.MultinomialQMC(shares, 32, rng=5).random(4))
    for wrong in ([0.5, 0.6], [-0.5, 1.5]):
        with pytest.raises(ValueError):
            ours.MultinomialQMC(cp.array(wrong), 3)
    with pytest.raises(ValueError):
        ours.MultivariateNormalQMC(cp.ones(2), cp.array([[1.0, 2], [0, 1]]))


def test_engines_of_ones_own():
    class Middle(ours.QMCEngine):
        def _random(self, n=1, workers=1):
            return cp.full((n, self.d), 0.5)

    assert (Middle(2).integers(4, n=3) == 2).all()


WRONG = [
    lambda q: q.Sobol(-1),
    lambda q: q.Sobol(2, bits=65),
    lambda q: q.Sobol(2, bits=3).random(9),
    lambda q: q.Sobol(2).fast_forward(3).random_base2(2),
    lambda q: q.Halton(2).random(-1),
    lambda q: q.LatinHypercube(2, strength=3),
    lambda q: q.Halton(2).integers(1.5),
]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_arguments(call):
    for module in (theirs, ours):
        with pytest.raises(ValueError):
            call(module)


@pytest.mark.parametrize("method", ["CD", "WD", "MD", "L2-star", "none"])
def test_discrepancies(method):
    for x in (X, X[:1], X[:, :1]):
        same(Q, "discrepancy", x, method=method)
    same(Q, "discrepancy", X, method=method, iterative=True)


def test_discrepancies_of_wrong_points():
    same(Q, "discrepancy", X * 2)
    same(Q, "discrepancy", X[0])
    before = theirs.discrepancy(X[1:], iterative=True)
    same(Q, "update_discrepancy", X[0], X[1:], before)
    same(Q, "update_discrepancy", X, X[1:], 0.0)


@pytest.mark.parametrize("method", ["mindist", "mst", "none"])
def test_geometric_discrepancies(method):
    same(Q, "geometric_discrepancy", X, method)
    if method == "mindist":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of equal points
            same(Q, "geometric_discrepancy", np.concatenate((X[:5], X[:2])), method)


def test_scales():
    low, high = np.array([-1.0, 0, 1]), np.array([2.0, 3, 4])
    same(Q, "scale", X, low, high)
    same(Q, "scale", X + 1, low, high + 1, reverse=True)
    for wrong in ((X, high, low), (X * 2, low, high), (X, low[:2], high), (X[0], low, high)):
        same(Q, "scale", *wrong)


def test_normal_points_of_a_singular_covariance():
    cov = [[1.0, 0, 1], [0, 1, 1], [1, 1, 2]]
    x = cp.scipy.stats.qmc.MultivariateNormalQMC([0.0, 0, 0], cov, rng=2).random(64).get()
    np.testing.assert_allclose(x[:, 0] + x[:, 1], x[:, 2], atol=1e-7)
    with pytest.raises(ValueError, match="PSD"):
        cp.scipy.stats.qmc.MultivariateNormalQMC([0.0, 0], [[1.0, 2], [2, 1]])
