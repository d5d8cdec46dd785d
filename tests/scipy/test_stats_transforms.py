"""scipy.stats: transforms to normality, quantile plots, the tests of Shapiro and of medians."""

import numpy as np
import pytest
import scipy.stats
from stats_cases import same, to_numpy

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples

RNG = np.random.default_rng(8)
X, Y = RNG.gamma(2, size=40), RNG.normal(size=40)
M = RNG.normal(size=(3, 12))
HOLES = M.copy()
HOLES[0, 3] = np.nan
S = "stats"
SEARCHED = 3e-6  # brackets of different widths end at different exponents


def test_box_and_cox():
    same(S, "boxcox", X, 0.5)
    same(S, "boxcox", X.astype("f4"), 0.5, tolerance=1e-6)
    same(S, "boxcox", X, tolerance=SEARCHED)
    same(S, "boxcox", X, alpha=0.05, tolerance=SEARCHED)
    for wrong in (-X, np.ones(4), M, np.zeros(0)):
        same(S, "boxcox", wrong)


@pytest.mark.parametrize("method", ["pearsonr", "mle", "all", "none"])
def test_exponents(method):
    same(S, "boxcox_normmax", X, method=method, tolerance=SEARCHED)
    same(S, "boxcox_normmax", -X, method=method)


def test_exponents_are_limited():
    years = np.array([2003.0, 1950.0, 1997.0, 2000.0, 2009.0])
    same(S, "boxcox_normmax", years, method="mle", tolerance=1e-5)
    same(S, "boxcox_normmax", years, method="mle", ymax=1e100, tolerance=1e-5)


def test_yeo_and_johnson():
    for exponent in (0, 0.5, 1, 2, 3):
        same(S, "yeojohnson", Y, exponent)
    same(S, "yeojohnson", Y, tolerance=SEARCHED)
    same(S, "yeojohnson_normmax", Y * 100, tolerance=SEARCHED)
    same(S, "yeojohnson_normmax", Y, (-1, 1), tolerance=SEARCHED)
    same(S, "yeojohnson", Y * np.nan)


def test_plots_of_exponents():
    same(S, "boxcox_normplot", X, -1, 1, N=5)
    same(S, "yeojohnson_normplot", Y, -1, 1, N=5)
    same(S, "boxcox_normplot", X, 1, -1)
    same(S, "ppcc_plot", X, -2, 2, N=5)
    same(S, "ppcc_plot", X, 2, -2)
    same(S, "ppcc_max", X, tolerance=SEARCHED)


@pytest.mark.parametrize("options", [{}, {"sparams": (0.5,), "dist": "tukeylambda"}])
def test_quantile_plots(options):
    (at, values), line = cp.scipy.stats.probplot(cp.asarray(X), **options)
    (their_at, theirs), their_line = scipy.stats.probplot(X, **options)
    np.testing.assert_allclose(at.get(), their_at, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(values.get(), theirs)
    np.testing.assert_allclose([float(v) for v in line], their_line, rtol=1e-12)
    same(S, "probplot", X, fit=False, **options)
    same(S, "probplot", X, dist="none")


@pytest.mark.parametrize("n", [2, 3, 4, 6, 11, 12, 50, 500])
def test_shapiro(n):
    same(S, "shapiro", RNG.normal(size=n), tolerance=1e-7)


def test_shapiro_along_axes():
    same(S, "shapiro", np.ones(5))
    same(S, "shapiro", M, axis=1, keepdims=True, tolerance=1e-7)
    for policy in ("propagate", "omit", "raise"):
        same(S, "shapiro", HOLES, axis=1, nan_policy=policy, tolerance=1e-7)


@pytest.mark.parametrize("ties", ["below", "above", "ignore", "none"])
def test_medians(ties):
    same(S, "median_test", np.round(X), np.round(X[:20]) + 1, np.round(Y), ties=ties)


def test_medians_of_other_arguments():
    same(S, "median_test", X, X + 1, correction=False, lambda_="log-likelihood")
    same(S, "median_test", X, HOLES[0], nan_policy="omit")
    for wrong in ((X,), (X, M), (X, X[:0]), (np.ones(3), np.ones(3))):
        same(S, "median_test", *wrong)


def test_obrien():
    same(S, "obrientransform", X, Y)
    uneven = cp.scipy.stats.obrientransform(cp.asarray(X), cp.asarray(Y[:9]))
    for ours, theirs in zip(uneven, scipy.stats.obrientransform(X, Y[:9]), strict=True):
        np.testing.assert_allclose(to_numpy(ours), theirs, rtol=1e-12)
