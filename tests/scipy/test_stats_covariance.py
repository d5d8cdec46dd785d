"""Covariance objects, their use by multivariate_normal, and marginal distributions."""

import numpy as np
import pytest
import scipy.stats
from stats_cases import called

import gpunp as cp

RNG = np.random.default_rng(5)
A = RNG.normal(size=(3, 5))
MATRIX = A @ A.T
FACTOR, PRECISION = np.linalg.cholesky(MATRIX), np.linalg.inv(MATRIX)
VALUES, VECTORS = np.linalg.eigh(MATRIX)
X = RNG.normal(size=(2, 4, 3))
LOW_RANK = np.array([0.0, 1.5, 2.0])
MEAN = np.array([1.0, -1, 0.5])
MADE = {
    "diagonal": ("from_diagonal", np.array([1.0, 2, 3])),
    "whole": ("from_diagonal", np.array([1, 2, 3])),
    "single": ("from_diagonal", np.array([1, 2, 3], "f4")),
    "null": ("from_diagonal", np.array([1.0, 0, 3])),
    "precision": ("from_precision", PRECISION),
    "both": ("from_precision", PRECISION, MATRIX),
    "cholesky": ("from_cholesky", FACTOR),
    "eigen": ("from_eigendecomposition", (VALUES, VECTORS)),
    "low rank": ("from_eigendecomposition", (LOW_RANK, VECTORS)),
}


def on_device(value):
    if isinstance(value, np.ndarray):
        return cp.asarray(value)
    return tuple(map(on_device, value)) if isinstance(value, tuple) else value


def made(name):
    """The object of both libraries."""
    method, *given = MADE[name]
    ours = getattr(cp.scipy.stats.Covariance, method)(*map(on_device, given))
    return ours, getattr(scipy.stats.Covariance, method)(*given)


def same(result, wanted, rtol=1e-11):
    wanted = np.asarray(wanted)
    assert isinstance(result, cp.ndarray)
    assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(result.get(), wanted, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("name", MADE)
def test_objects(name):
    ours, theirs = made(name)
    rtol = 1e-6 if name == "single" else 1e-11
    for attribute in ("covariance", "log_pdet", "rank"):
        same(getattr(ours, attribute), getattr(theirs, attribute), rtol)
    assert ours.shape == theirs.shape
    for x in (X, X[0], X[0, 0]):
        same(ours.whiten(cp.asarray(x)), theirs.whiten(x), rtol)
        same(ours.colorize(cp.asarray(x)), theirs.colorize(x), rtol)
    same(ours.whiten([1, 2, 3]), theirs.whiten([1, 2, 3]), rtol)


@pytest.mark.parametrize("name", MADE)
def test_normal_distribution(name):
    ours, theirs = made(name)
    rtol = 1e-6 if name == "single" else 1e-11
    here, there = cp.scipy.stats.multivariate_normal, scipy.stats.multivariate_normal
    for method in ("logpdf", "pdf"):
        for x in (X, X[0, 0]):
            found = getattr(here, method)(cp.asarray(x), cp.asarray(MEAN), ours)
            same(found, getattr(there, method)(x, MEAN, theirs), rtol)
    same(here.entropy(cp.asarray(MEAN), ours), there.entropy(MEAN, theirs), rtol)
    frozen, wanted = here(cp.asarray(MEAN), ours), there(MEAN, theirs)
    assert frozen.allow_singular == wanted.allow_singular
    same(frozen.cov, wanted.cov, rtol)
    same(frozen.mean, wanted.mean)
    within = X.copy()
    within[..., 1] = MEAN[1]
    same(frozen.pdf(cp.asarray(within)), wanted.pdf(within), rtol)
    same(frozen.marginal([2, 0]).cov, wanted.marginal([2, 0]).cov, rtol)
    for size in (None, 2, (2, 1)):
        assert frozen.rvs(size, 3).shape == wanted.rvs(size, 3).shape
    if name not in ("null", "low rank"):
        found = here.cdf(cp.asarray(X[0]), cp.asarray(MEAN), ours).get()
        np.testing.assert_allclose(found, there.cdf(X[0], MEAN, theirs), atol=5e-5)


def test_samples_have_the_covariance():
    for name in ("precision", "cholesky", "eigen", "diagonal"):
        ours, theirs = made(name)
        x = cp.scipy.stats.multivariate_normal.rvs(cp.asarray(MEAN), ours, 20000, 3).get()
        np.testing.assert_allclose(x.mean(0), MEAN, atol=0.1)
        np.testing.assert_allclose(np.cov(x.T), theirs.covariance, atol=0.3)


WRONG = [
    lambda s, a: s.Covariance(),
    lambda s, a: s.Covariance.from_diagonal(a(MATRIX)),
    lambda s, a: s.Covariance.from_diagonal(a(VALUES * 1j)),
    lambda s, a: s.Covariance.from_diagonal(a(VALUES > 1)),
    lambda s, a: s.Covariance.from_precision(a(MATRIX[:2])),
    lambda s, a: s.Covariance.from_precision(a(-MATRIX)),
    lambda s, a: s.Covariance.from_precision(a(MATRIX), a(MATRIX[:2, :2])),
    lambda s, a: s.Covariance.from_cholesky(a(X)),
    lambda s, a: s.Covariance.from_eigendecomposition((a(VALUES[:2]), a(VECTORS))),
    lambda s, a: s.Covariance.from_eigendecomposition((a(VALUES), a(VECTORS[:2]))),
    lambda s, a: s.multivariate_normal(a(MEAN[:2]), s.Covariance.from_diagonal(a(VALUES))),
    lambda s, a: s.multivariate_normal(a(X[0]), s.Covariance.from_diagonal(a(VALUES))),
    *(
        lambda s, a, kept=kept: s.multivariate_normal.marginal(kept, a(MEAN), a(MATRIX))
        for kept in ([], [0.5], [0, 0], [0, -3], [3], -4)
    ),
    lambda s, a: s.multivariate_t.marginal([3], a(MEAN), a(MATRIX)),
]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_arguments(call):
    wanted = called(call, (scipy.stats, np.asarray), {})[1]
    assert wanted is not None
    assert called(call, (cp.scipy.stats, cp.asarray), {})[1] == wanted


def test_marginal_distributions():
    for kept in (1, [0, 2], [-1, 0], np.array([2])):
        found = cp.scipy.stats.multivariate_normal.marginal(
            kept, cp.asarray(MEAN), cp.asarray(MATRIX)
        )
        wanted = scipy.stats.multivariate_normal.marginal(kept, MEAN, MATRIX)
        same(found.mean, wanted.mean)
        same(found.cov, wanted.cov)
        found = cp.scipy.stats.multivariate_t.marginal(
            kept, cp.asarray(MEAN), cp.asarray(MATRIX), 3
        )
        wanted = scipy.stats.multivariate_t.marginal(kept, MEAN, MATRIX, 3)
        x = RNG.normal(size=(4, np.size(kept)))
        same(found.pdf(cp.asarray(x)), wanted.pdf(x))


def test_nothing_waits_for_the_device():
    objects = [made(name)[0] for name in MADE]
    x, mean = cp.asarray(X), cp.asarray(MEAN)
    with cp.allow_synchronize(False):
        for cov in objects:
            cp.scipy.stats.multivariate_normal.logpdf(x, mean, cov)
            cp.scipy.stats.multivariate_normal(mean, cov).entropy()
            cp.scipy.stats.multivariate_normal.rvs(mean, cov, 5)


@pytest.mark.parametrize("matrix", [MATRIX, np.ones((3, 3)), np.diag([4.0, 1.0])])
def test_covariance_of_a_frozen_distribution(matrix):
    wanted = scipy.stats.multivariate_normal(None, matrix, allow_singular=True).cov_object
    frozen = cp.scipy.stats.multivariate_normal(None, cp.asarray(matrix), allow_singular=True)
    found = frozen.cov_object
    assert isinstance(found, cp.scipy.stats.Covariance) and found is frozen.cov_object
    assert (int(found.rank), found.shape) == (wanted.rank, wanted.shape)
    assert float(found.log_pdet) == pytest.approx(wanted.log_pdet)
    np.testing.assert_array_equal(found.covariance.get(), wanted.covariance)
    x = np.ones(len(matrix))
    length = np.linalg.norm(found.whiten(cp.asarray(x)).get())
    assert length == pytest.approx(np.linalg.norm(wanted.whiten(x)))


def test_given_covariance_of_a_frozen_distribution():
    given = cp.scipy.stats.Covariance.from_diagonal(cp.asarray([2.0, 3.0]))
    frozen = cp.scipy.stats.multivariate_normal(cp.zeros(2), given)
    assert frozen.cov_object is given and frozen.dim == 2
