"""Results of scipy.stats at uncommon arguments: far from zero, without axes, older names."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about equal numbers
stats = cp.scipy.stats


def test_groups_far_from_zero():
    x = 3e12 + np.array([[0.25, 0.5, 0.75], [1.0, 1.25, 1.75]])
    found, wanted = stats.f_oneway(*cp.asarray(x)), scipy.stats.f_oneway(*x)
    assert float(found.statistic) == pytest.approx(wanted.statistic, rel=1e-12)


def test_degrees_of_freedom_broadcast():
    counts = np.array([[9.0, 14, 13, 12], [20, 17, 25, 30]])
    for ddof in (1, np.array([0, 1]), np.array([[0], [2]])):
        wanted = scipy.stats.power_divergence(counts, axis=1, ddof=ddof)
        given = cp.asarray(ddof) if isinstance(ddof, np.ndarray) else ddof
        found = stats.power_divergence(cp.asarray(counts), axis=1, ddof=given)
        np.testing.assert_allclose(found.statistic.get(), wanted.statistic, rtol=1e-12)
        np.testing.assert_allclose(found.pvalue.get(), wanted.pvalue, rtol=1e-12)


def test_scores_in_units_of_nothing():
    x = np.array([2.0, 5.0, 7.0])
    with np.errstate(all="ignore"):
        wanted = scipy.stats.zmap(x, np.full(4, 5.0))
    np.testing.assert_array_equal(stats.zmap(cp.asarray(x), cp.full(4, 5.0)).get(), wanted)
    assert np.isnan(stats.zscore(cp.full(4, 5.0)).get()).all()


def test_ranks_of_many_axes_together():
    x = np.random.default_rng(7).normal(size=(2, 3, 4))
    found = stats.spearmanr(cp.asarray(x), cp.asarray(x**2), axis=None)
    wanted = scipy.stats.spearmanr(x, x**2, axis=None)
    assert float(found.pvalue) == pytest.approx(wanted.pvalue, rel=1e-10)


def test_numbers_without_axes():
    found = stats.describe(cp.asarray(3.5))
    assert found.nobs == 1 and float(found.mean) == 3.5 and np.isnan(float(found.variance))
    level = cp.asarray(0.25)
    assert float(stats.expectile(cp.arange(5), level)) == pytest.approx(
        scipy.stats.expectile(np.arange(5), 0.25), rel=1e-12
    )


def test_older_names_of_parameters():
    x = np.array([0.125, 0.5, 0.625])
    found = stats.kstest(cp.asarray(x), "uniform", mode="exact")
    assert float(found.pvalue) == pytest.approx(scipy.stats.kstest(x, "uniform").pvalue)
    assert float(stats.ks_2samp(cp.asarray(x), cp.asarray(x), mode="exact").pvalue) == 1
    assert float(stats.ks_1samp(cp.asarray(x), cp.special.ndtr, mode="exact").pvalue) < 1
    wanted = scipy.stats.moment(x, order=3)
    assert float(stats.moment(cp.asarray(x), moment=3)) == pytest.approx(wanted)
    with pytest.raises(TypeError, match="the same"):
        stats.moment(cp.asarray(x), order=2, moment=2)


def test_level_of_significance_of_samples():
    found = stats.anderson_ksamp([[1.0, 2, 4], [2.0, 5, 7]])
    assert found.significance_level is found.pvalue


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_nan_of_either_sample(method):
    x, y = cp.asarray([1.0, 2, 4, 7]), cp.asarray([3.0, 5, np.nan, 2, 8])
    for pair in ((x, y), (y, x)):
        found = stats.mannwhitneyu(*pair, method=method)
        assert np.isnan(float(found.statistic)) and np.isnan(float(found.pvalue))


def test_generators_of_borrowed_names():
    if not cp.scipy._borrowed.array_api_mode():
        pytest.skip("needs SciPy's array API mode")
    found = [
        stats.bootstrap((cp.arange(9.0),), cp.mean, n_resamples=20, rng=cp.random.default_rng(3))
        for _ in range(2)
    ]
    assert float(found[0].standard_error) == float(found[1].standard_error)


def test_module_of_distributions():
    from gpunp.scipy.stats.distributions import chi2, rv_continuous

    assert stats.distributions.chi2 is chi2 is stats.chi2 and rv_continuous is stats.rv_continuous
    names = set(scipy.stats.distributions.__all__)
    assert names <= set(stats.distributions.__all__)


def test_counts_of_points_without_values():
    x, y = np.array([3.0, 1, 4, 1, 5]), np.array([9.0, 2, 6, 5, 3])
    grid = np.stack([x, y, x - y], axis=1)
    for name, points in (("", (x,)), ("_2d", (x, y)), ("_dd", (grid,))):
        wanted = getattr(scipy.stats, "binned_statistic" + name)(*points, None, "count", 2)
        given = map(cp.asarray, points)
        found = getattr(stats, "binned_statistic" + name)(*given, None, "count", 2)
        np.testing.assert_array_equal(found.statistic.get(), wanted.statistic)
    with pytest.raises(TypeError):
        stats.binned_statistic(cp.asarray(x), None, "mean", 2)


def test_no_kinds_to_draw_from():
    m = np.zeros((2, 0), int)
    theirs, ours = scipy.stats.multivariate_hypergeom, stats.multivariate_hypergeom
    for name in ("mean", "var", "cov"):
        wanted, found = getattr(theirs, name)(m[0], 0), getattr(ours, name)(cp.asarray(m[0]), 0)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert ours.pmf(cp.asarray(m), cp.asarray(m), 0).get().tolist() == [1.0, 1.0]
    assert np.isnan(ours.pmf(cp.asarray(m[0]), cp.asarray(m[0]), 1).item())


def test_tables_in_rows():
    rows = [[0, 0, 2], [1, 3, 2]]
    wanted = scipy.stats.random_table.pmf(rows, [2, 6], [1, 3, 4])
    found = stats.random_table.pmf([*map(cp.asarray, rows)], [2, 6], [1, 3, 4])
    assert float(found) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("seed", [1, np.random.default_rng(1), cp.random.default_rng(1), None])
def test_sources_of_integrals_of_densities(seed):
    x = np.random.default_rng(7).standard_normal((2, 30))
    wanted = scipy.stats.gaussian_kde(x).integrate_box([-1, -1], [1, 1])
    found = stats.gaussian_kde(cp.asarray(x)).integrate_box([-1, -1], [1, 1], rng=seed)
    assert float(found) == pytest.approx(wanted, rel=1e-3)


X = np.array([3.0, 1, 4, 1, 5, 9, 2, 6])
PAIR = X.reshape(2, 4), X[::-1].reshape(2, 4)
REFUSED = {
    "f_oneway": ((*PAIR,), {"equal_var": "no"}),
    "page_trend_test": (([[1, 2, 3], [1, 2, 3]],), {"ranked": "no"}),
    "pearsonr": (PAIR, {"axis": 1.5}),
    "pearsonr of complex numbers": ((X * 1j, X), {}),
    "spearmanr": ((np.ones((4, 3, 2)), None, None), {}),
    "power": ((None, (None,), (3,)), {"kwargs": (1, 2)}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_as_by_scipy(what):
    name, (args, options) = what.split()[0], REFUSED[what]
    if name == "power":
        args = (scipy.stats.ttest_1samp, (scipy.stats.norm.rvs,), (3,))
    with pytest.raises((TypeError, ValueError)) as wanted:
        getattr(scipy.stats, name)(*args, **options)
    given = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in args]
    with pytest.raises(wanted.type):
        getattr(stats, name)(*given, **options)
