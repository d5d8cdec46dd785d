"""scipy.stats: transforms to normality, quantile plots, the tests of Shapiro and of medians."""

import numpy as np
import pytest
import scipy.stats
from stats_cases import same

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
    same(S, "yeojohnson", Y * np.inf)


@pytest.mark.parametrize("name", ["boxcox", "yeojohnson"])
def test_nan_in_transforms(name):
    """As SciPy from 1.18 on: before, its functions refused NaN where they searched."""
    holes, transform = np.insert(X, [3, 9], np.nan), getattr(cp.scipy.stats, name)
    search = getattr(cp.scipy.stats, f"{name}_normmax")
    x = cp.asarray(holes)
    y, best = transform(x)
    assert cp.isnan(y).all() and np.isnan(best) and np.isnan(search(x))
    (y, best), (wanted, their_best) = transform(x, nan_policy="omit"), transform(cp.asarray(X))
    assert best == their_best
    np.testing.assert_array_equal(y.get(), np.insert(wanted.get(), [3, 9], np.nan))
    assert search(x, nan_policy="omit") == search(cp.asarray(X))
    same(S, name, holes, 0.5)
    for policy in ("raise", "none"):
        for call in (transform, search):
            with pytest.raises(ValueError):
                call(x, nan_policy=policy)
        with pytest.raises(ValueError):
            transform(x, 0.5, nan_policy=policy)


def test_intervals_of_exponents_of_nan():
    x = cp.asarray(np.append(X, np.nan))
    assert np.isnan(cp.scipy.stats.boxcox(x, alpha=0.1)[2]).all()
    found = cp.scipy.stats.boxcox(x, alpha=0.1, nan_policy="omit")[2]
    assert found == cp.scipy.stats.boxcox(cp.asarray(X), alpha=0.1)[2]
    assert np.isnan(cp.scipy.stats.boxcox_normmax(x, method="all")).tolist() == [True, True]


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
    for n in (3, 7, 25):
        statistic, p = cp.scipy.stats.shapiro(cp.full(n, 0.1))  # SciPy before 1.18 has 1 and 1
        assert cp.isnan(statistic) and cp.isnan(p)
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


def obrien(x):
    """The transform of all elements, which SciPy has of two axes and NaN from 1.18 on."""
    kept = x[~np.isnan(x)]
    n, squares = kept.size, (x - kept.mean()) ** 2
    total = np.nansum(squares)
    return ((n - 1.5) * n * squares - 0.5 * total) / ((n - 1) * (n - 2))


@pytest.mark.parametrize("samples", [(X, Y), (X, Y[:9]), (M, X), (X.astype("f4"), Y), (X[:2],)])
def test_obrien(samples):
    found = cp.scipy.stats.obrientransform(*map(cp.asarray, samples))
    assert type(found) is tuple
    for ours, x in zip(found, samples, strict=True):
        assert (ours.dtype, ours.shape) == (x.dtype, x.shape)
        rtol = 1e-5 if x.dtype == "f4" else 1e-12
        np.testing.assert_allclose(ours.get(), obrien(x.astype(float)), rtol=rtol)
    if all(x.ndim == 1 and x.dtype == "f8" for x in samples):
        for ours, theirs in zip(found, scipy.stats.obrientransform(*samples), strict=True):
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


def test_obrien_of_nan():
    found = cp.scipy.stats.obrientransform(cp.asarray(HOLES), nan_policy="omit")[0]
    np.testing.assert_allclose(found.get(), obrien(HOLES), rtol=1e-12)
    assert cp.isnan(cp.scipy.stats.obrientransform(cp.asarray(HOLES))[0]).all()
    for wrong in ("raise", "none"):
        with pytest.raises(ValueError):
            cp.scipy.stats.obrientransform(cp.asarray(HOLES), nan_policy=wrong)


@pytest.mark.parametrize("scale", [1.0, -1.0, 1e-30, -1e-30, 1e30, -1e30, 1e290])
@pytest.mark.parametrize("x", [[1955.0, 1971, 1984, 2003, 2011], [3.5, 0.25, 17, 120, 6]])
def test_exponents_of_small_and_large_numbers(x, scale):
    x = scale * np.array(x)
    with np.errstate(all="raise"):
        found, exponent = cp.scipy.stats.yeojohnson(cp.asarray(x))
    wanted = scipy.stats.yeojohnson_normmax(x)
    assert exponent == pytest.approx(wanted, rel=2e-3)
    assert np.isfinite(found.get()).all() and found.get().std() > 0
