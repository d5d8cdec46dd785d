"""scipy.stats: fitted distributions, groups against a control, trends."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

stats = cp.scipy.stats
RNG = np.random.default_rng(31)
X, Y, Z = RNG.normal(size=(3, 20))


def close(actual, desired, rtol=1e-9, atol=0):
    np.testing.assert_allclose(cp.asnumpy(actual), desired, rtol=rtol, atol=atol)


@pytest.mark.filterwarnings("ignore:As of SciPy 1.17")
@pytest.mark.skipif(not hasattr(scipy.stats, "bws_test"), reason="critical values of older SciPy")
@pytest.mark.parametrize("dist", ["norm", "expon", "logistic", "gumbel", "gumbel_l", "gumbel_r"])
def test_anderson(dist):
    x = abs(X) if dist == "expon" else X
    found, wanted = stats.anderson(cp.asarray(x), dist), scipy.stats.anderson(x, dist)
    close(found.statistic, wanted.statistic, 1e-6 if dist == "logistic" else 1e-9)
    close(found.critical_values, wanted.critical_values)
    close(found.significance_level, wanted.significance_level)
    close(found.fit_result.params.scale, wanted.fit_result.params.scale, 1e-6)
    if dist == "logistic":  # SciPy's root has five digits: ours solves the equations
        z = (x - found.fit_result.params.loc) / found.fit_result.params.scale
        assert abs(np.tanh(z / 2).sum()) < 1e-9 and abs((z * np.tanh(z / 2)).mean() - 1) < 1e-9
    result = stats.anderson(cp.asarray(x), dist, method="interpolate")
    levels = wanted.significance_level / 100
    close(result.pvalue, np.interp(wanted.statistic, wanted.critical_values, levels), 1e-6)


def test_anderson_of_wrong_arguments():
    for arguments in ((X, "uniform"), (X.reshape(4, 5),), (X[:0],)):
        with pytest.raises(ValueError):
            stats.anderson(cp.asarray(arguments[0]), *arguments[1:])
    with pytest.raises(ValueError):
        stats.anderson(cp.asarray(X), method="other")
    for dist in ("norm", "logistic", "gumbel_r"):
        for x in (np.array([1.0, np.nan, 2]), np.ones(3)):
            assert bool(cp.isnan(stats.anderson(cp.asarray(x), dist).statistic))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_dunnett(alternative):
    groups, control = (X[:8], Y + 1), Z + 0.5
    options = {"alternative": alternative}
    found = stats.dunnett(*map(cp.asarray, groups), control=cp.asarray(control), **options)
    wanted = scipy.stats.dunnett(*groups, control=control, **options)
    close(found.statistic, wanted.statistic)
    close(found.pvalue, wanted.pvalue, 0, 3e-4)
    ends = zip(found.confidence_interval(0.9), wanted.confidence_interval(0.9), strict=True)
    for actual, desired in ends:
        close(actual, desired, 0, 0.02)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (12, 5), (3000, 3), (4, 4000)])
def test_dunnett_of_one_group_is_a_t_test(n, m):
    x, y = RNG.normal(size=n), RNG.normal(size=m) + 0.1
    found = stats.dunnett(cp.asarray(x), control=cp.asarray(y)).pvalue
    close(found[0], scipy.stats.ttest_ind(x, y).pvalue, 0, 1e-11)


def test_dunnett_of_wrong_arguments():
    x = cp.asarray(X)
    for groups in ((x.reshape(4, 5),), (x[:0],), ()):
        with pytest.raises(ValueError):
            stats.dunnett(*groups, control=x)
    with pytest.raises(ValueError):
        stats.dunnett(x, control=x).confidence_interval(1.5)


@pytest.mark.parametrize("shape", [(3, 3), (6, 5), (4, 8), (4, 9), (30, 3)])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_page(shape, method):
    if method == "exact" and shape[1] > 8:
        return
    data = RNG.random(shape)
    data[0] = np.round(3 * data[0])
    ranks = RNG.permutation(shape[1]) + 1
    found = stats.page_trend_test(cp.asarray(data), False, cp.asarray(ranks), method)
    wanted = scipy.stats.page_trend_test(data, False, ranks, method)
    close(found.statistic, wanted.statistic)
    close(found.pvalue, wanted.pvalue)
    assert found.method == wanted.method


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (X, {}),
        (X.reshape(1, 20), {}),
        (X.reshape(10, 2), {}),
        (np.full((3, 3), np.nan), {}),
        (X.reshape(5, 4), {"ranked": True}),
        (X.reshape(5, 4), {"method": "other"}),
        (X.reshape(5, 4), {"predicted_ranks": [1, 2, 3]}),
        (X.reshape(5, 4), {"predicted_ranks": [1, 2, 3, 3]}),
    ],
)
def test_page_of_wrong_arguments(data, options):
    for module, x in ((scipy.stats, data), (stats, cp.asarray(data))):
        with pytest.raises(ValueError):
            module.page_trend_test(x, **options)
