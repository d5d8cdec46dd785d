"""scipy.stats: distances of distributions, densities, bins, tables of counts."""

import numpy as np
import pytest
import scipy.stats
from stats_cases import same, to_device, to_numpy

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples

RNG = np.random.default_rng(4)
X = RNG.uniform(size=(3, 20))
Y = RNG.uniform(size=(3, 15)) ** 1.2
HOLES = X.copy()
HOLES[0, 3] = np.nan
S = "stats"
PAIR = ("statistic", "pvalue")


def uniform(x):
    """A distribution function of either library's arrays."""
    return x


@pytest.mark.parametrize("policy", ["propagate", "omit", "raise"])
def test_nan(policy):
    for axis in (1, None):
        options = {"axis": axis, "nan_policy": policy}
        same(S, "ks_1samp", HOLES, uniform, **options)
        same(S, "ks_2samp", HOLES, Y, **options)
        same(S, "ranksums", HOLES, Y, **options)
        same(S, "cramervonmises", HOLES, uniform, fields=PAIR, **options)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymp"])
def test_kolmogorov_and_smirnov(alternative, method):
    options = {"alternative": alternative, "method": method}
    same(S, "ks_1samp", X[0], uniform, fields=(*PAIR, "statistic_location"), **options)
    same(S, "kstest", X, uniform, axis=1, **options)
    same(S, "kstest", X[0], Y[0], **options)
    for x, y in (
        (X[0], Y[0]),
        (np.round(X[0], 1), np.round(Y[0], 1)),
        (X.ravel(), Y.ravel() * 0.3),
    ):
        same(S, "ks_2samp", x, y, fields=(*PAIR, "statistic_location"), **options)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_types_of_places_and_signs(dtype):
    x, y = (np.round(9 * abs(a[0])).astype(dtype) for a in (X, Y))
    found = cp.scipy.stats.ks_2samp(cp.asarray(x), cp.asarray(y))
    assert (found.statistic_location.dtype, found.statistic_sign.dtype) == (dtype, np.int8)
    wanted = scipy.stats.ks_2samp(x, y)
    assert found.statistic_location.item() == wanted.statistic_location
    assert found.statistic_sign.item() == wanted.statistic_sign
    found = cp.scipy.stats.ks_1samp(cp.asarray(x) / 9, "expon")
    assert found.statistic_location.dtype == (cp.asarray(x) / 9).dtype
    assert found.statistic_sign.dtype == np.int8
    if dtype == "f8":
        x[2] = np.nan
        assert cp.scipy.stats.ks_2samp(cp.asarray(x), cp.asarray(y)).statistic_sign.item() == 0


def test_kolmogorov_and_smirnov_of_wrong_arguments():
    same(S, "ks_1samp", X[0], uniform, alternative="z")
    same(S, "ks_2samp", X[0], Y[0], method="z")
    same(S, "ks_2samp", np.ones(0), np.ones(3))
    with pytest.raises(AttributeError):
        cp.scipy.stats.ks_1samp(cp.ones(3), "no distribution")


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_cramer_and_von_mises(method):
    same(S, "cramervonmises_2samp", X[:, :9], Y[:, :8], method, axis=1, fields=PAIR)
    same(S, "cramervonmises_2samp", X[0, :1], Y[0, :8], method, fields=PAIR)


def test_cramer_and_von_mises_of_many():
    same(S, "cramervonmises_2samp", X.ravel(), Y.ravel(), fields=PAIR)
    same(S, "cramervonmises", np.linspace(0, 1, 20001) ** 1.01, uniform, fields=PAIR)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_sums_of_ranks(alternative):
    same(S, "ranksums", X, Y, alternative, axis=1)
    same(S, "ranksums", np.round(X, 1), np.round(Y, 1), alternative, axis=1)


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_ks_of_single_precision(alternative):
    x, y = np.round(X, 1).astype("f4"), np.round(Y[:, :7], 1).astype("f4")
    fields = ("statistic", "pvalue", "statistic_location", "statistic_sign")
    wanted = scipy.stats.ks_2samp(x, y, alternative, axis=1)
    for first in (x, x.astype("f8")):
        found = cp.scipy.stats.ks_2samp(cp.asarray(first), cp.asarray(y), alternative, axis=1)
        for name in fields:
            result = getattr(found, name).get()
            np.testing.assert_allclose(result, getattr(wanted, name), rtol=1e-6)


@pytest.mark.parametrize("axis, error", [("a", ValueError), (1.0, TypeError), ({}, TypeError)])
def test_axes_that_are_none(axis, error):
    with pytest.raises(error):
        cp.scipy.stats.ranksums(cp.asarray(X), cp.asarray(Y), axis=axis)


@pytest.mark.parametrize("name", ["wasserstein_distance", "energy_distance"])
def test_distances(name):
    same(S, name, X[0], Y[0])
    same(S, name, X[0], Y[0], X[1], Y[1])
    same(S, name, np.array([1, 2]), np.array([2, 2]))
    for wrong in ((X, Y), (X[0], Y[0, :0]), (X[0], Y[0], -X[1]), (X[0], Y[0], X[1], X[1])):
        same(S, name, *wrong)


# ---- densities -----------------------------------------------------------------------------------


def close(actual, desired, tolerance=1e-11):
    actual, desired = to_numpy(actual), np.asarray(desired)
    assert (actual.dtype, actual.shape) == (desired.dtype, desired.shape)
    np.testing.assert_allclose(actual, desired, rtol=tolerance, atol=1e-300)


def densities(data, rule=None, weights=None):
    return (
        cp.scipy.stats.gaussian_kde(to_device(data), rule, to_device(weights)),
        scipy.stats.gaussian_kde(data, rule, weights),
    )


@pytest.mark.parametrize("ndim", [1, 2, 9])
@pytest.mark.parametrize("rule", [None, "silverman", 0.3, lambda kde: 0.5])
def test_densities(ndim, rule):
    data, points = RNG.normal(size=(ndim, 50)) + 5, RNG.normal(size=(ndim, 30)) + 5
    for weights in (None, RNG.uniform(0.1, 1, 50)):
        ours, theirs = densities(data, rule, weights)
        close(ours(cp.asarray(points)), theirs(points))
        close(ours.logpdf(cp.asarray(points * 3)), theirs.logpdf(points * 3))
        for name in ("covariance", "inv_cov", "cho_cov", "weights"):
            close(getattr(ours, name), getattr(theirs, name), 1e-9)
        assert ours.factor == pytest.approx(theirs.factor, rel=1e-14)


def test_densities_of_many_and_few_points():
    data, points = RNG.normal(size=3000), RNG.normal(size=3)
    ours, theirs = densities(data)
    close(ours(cp.asarray(points)), theirs(points))
    close(ours(1.0), theirs(1.0))
    single = cp.scipy.stats.gaussian_kde(cp.asarray(data, "f4"))(cp.asarray(points, "f4"))
    close(single, theirs(points), 1e-5)


def test_integrals_of_densities():
    ours, theirs = densities(RNG.normal(size=(2, 30)), 0.4, RNG.uniform(size=30))
    other, their_other = densities(RNG.normal(size=(2, 20)) + 0.3)
    close(ours.integrate_kde(other), theirs.integrate_kde(their_other))
    close(other.integrate_kde(ours), their_other.integrate_kde(theirs))
    mean, covariance = np.array([0.1, 0.2]), np.array([[1, 0.3], [0.3, 2]])
    found = ours.integrate_gaussian(cp.asarray(mean), cp.asarray(covariance))
    close(found, theirs.integrate_gaussian(mean, covariance))
    close(ours.integrate_box([0, 0], [1, 1], rng=1), theirs.integrate_box([0, 0], [1, 1], rng=1))
    ours, theirs = densities(RNG.normal(size=30))
    for ends in ((-1, 1), (-np.inf, 0.5)):
        close(ours.integrate_box_1d(*ends), theirs.integrate_box_1d(*ends))


def test_samples_of_densities():
    ours, theirs = densities(RNG.normal(size=(3, 40)), None, RNG.uniform(size=40))
    drawn = ours.resample(20000, 5)
    assert drawn.shape == (3, 20000)
    wanted = np.cov(theirs.dataset, aweights=theirs.weights, bias=True) + theirs.covariance
    np.testing.assert_allclose(np.cov(drawn.get()), wanted, atol=0.1)
    part = ours.marginal([0, 2])
    close(part(cp.ones((2, 1))), theirs.marginal([0, 2])(np.ones((2, 1))))


@pytest.mark.parametrize("wrong", [[1.0], np.zeros((3, 2)).tolist()])
def test_densities_of_too_little(wrong):
    with pytest.raises(ValueError):
        cp.scipy.stats.gaussian_kde(cp.array(wrong))


def test_densities_of_wrong_arguments():
    with pytest.raises(ValueError):
        cp.scipy.stats.gaussian_kde(cp.arange(4.0), "none")
    with pytest.raises(ValueError):
        cp.scipy.stats.gaussian_kde(cp.arange(4.0))(cp.ones((2, 3)))
    with pytest.raises(np.linalg.LinAlgError):
        cp.scipy.stats.gaussian_kde(cp.ones(4))


# ---- bins ----------------------------------------------------------------------------------------

P = RNG.normal(size=(200, 3))
V = RNG.normal(size=(2, 200))
STATISTICS = ["mean", "median", "count", "sum", "std", "min", "max", "none", lambda v: v[0]]


@pytest.mark.parametrize("statistic", STATISTICS)
def test_statistics_of_bins(statistic):
    x, y, v = P[:, 0], P[:, 1], V[0]
    same(S, "binned_statistic", x, v, statistic)
    same(S, "binned_statistic", x, v, statistic, 5, (-1, 1))
    same(S, "binned_statistic", x, v, statistic, np.array([-1.0, 0, 0.5, 5]))
    same(S, "binned_statistic", np.ones(3), np.ones(3), statistic, 3)
    same(S, "binned_statistic_2d", x, y, v, statistic, [3, 4])
    same(S, "binned_statistic_2d", x, y, v, statistic, 4, [(-1, 1), (0, 1)], True)
    same(S, "binned_statistic_dd", P, V, statistic, 3)
    edges = [2, 3, np.array([-1.0, 0, 1])]
    same(S, "binned_statistic_dd", P, v, statistic, edges, expand_binnumbers=True)


def test_bins_are_used_again():
    p, v = cp.asarray(P), cp.asarray(V)
    first = cp.scipy.stats.binned_statistic_dd(p, v[0], bins=4)
    again = cp.scipy.stats.binned_statistic_dd(p, v[1], "sum", binned_statistic_result=first)
    wanted = scipy.stats.binned_statistic_dd(P, V[1], "sum", bins=4)
    np.testing.assert_allclose(again.statistic.get(), wanted.statistic, rtol=1e-12)


def test_bins_of_wrong_arguments():
    same(S, "binned_statistic", P[:, 0], V[0, :5])
    same(S, "binned_statistic", P[:, 0], V[0], bins=0)
    same(S, "binned_statistic_dd", P, V[0], "sum", [2, 2])


@pytest.mark.parametrize("name", ["cumfreq", "relfreq"])
def test_frequencies(name):
    same(S, name, P[:, 0])
    same(S, name, P[:, 0], 5, (0.0, 1.0))
    if name == "cumfreq":
        same(S, name, P[:, 0], 5, weights=abs(V[0]))
    same(S, name, np.array([1, 2, 3]), 4)
    same(S, name, P[:, 0], 5, (1.0, 0.0))


def test_frequencies_of_edges():
    """Edges have the type of the elements, and may all be the same: as SciPy from 1.18 on."""
    found = cp.scipy.stats.cumfreq(cp.array([2.0, 2.0]), 4)
    assert (found.cumcount.get().tolist(), *found[1:]) == ([0, 0, 0, 2], 2.0, 0.0, 0)
    found = cp.scipy.stats.relfreq(cp.array([1, 2, 3], "f4"), 4)
    assert found.frequency.dtype == found.lowerlimit.dtype == found.binsize.dtype == "f4"
    np.testing.assert_allclose(found.frequency.get(), [1 / 3, 0, 1 / 3, 1 / 3], rtol=1e-6)
    x = np.linspace(0, 1, 31).astype("f4")
    for bins in (3, 7, 10):
        edges = np.linspace(np.float32(0), np.float32(1), bins + 1, dtype="f4")
        counts = cp.scipy.stats.cumfreq(cp.asarray(x), bins, (0, 1)).cumcount
        np.testing.assert_array_equal(counts.get(), np.histogram(x, edges)[0].cumsum())
    for limits in ((2, 2), (3, 2), (0, np.inf)):
        with pytest.raises(ValueError, match="limit"):
            cp.scipy.stats.cumfreq(cp.asarray(x), 4, limits)


def test_weighted_frequencies():
    """Shares of the sum of the weights, as SciPy from 1.18 on; before, of the number."""
    w = abs(V[0])
    found = cp.scipy.stats.relfreq(cp.asarray(P[:, 0]), 5, (0.0, 2.0), cp.asarray(w)).frequency
    counts, _ = np.histogram(P[:, 0], 5, (0.0, 2.0), weights=w)
    np.testing.assert_allclose(found.get(), counts / w.sum(), rtol=1e-12)


# ---- tables of counts ----------------------------------------------------------------------------

T = RNG.integers(1, 30, (3, 4, 2))
C = "stats.contingency"
TABLES = [T[..., 0], T, T[:2, :2, 0], T[0, :, 0], np.array([[0, 0], [1, 2]]), np.zeros((0, 2))]


@pytest.mark.parametrize(
    "table", [*TABLES, np.array([[-1, 2], [1, 2]])], ids=lambda t: str(t.shape)
)
def test_tables(table):
    same(C, "expected_freq", table)
    for power in (None, "cressie-read", "log-likelihood", -1, "none"):
        same(C, "chi2_contingency", table, lambda_=power)
        same(S, "chi2_contingency", table, False, power)
    for method in ("cramer", "tschuprow", "pearson", "none"):
        same(C, "association", table, method)


def test_counts_of_combinations():
    a, b = RNG.integers(0, 4, (2, 30))
    same(C, "crosstab", a, b)
    same(C, "crosstab", a, b, a)
    same(C, "crosstab", a, b, levels=(None, [1, 3, 7]))
    for wrong in ((), (a, b[:3])):
        same(C, "crosstab", *wrong)
    found = cp.scipy.stats.contingency.crosstab(cp.asarray(a), cp.asarray(b), sparse=True)
    wanted = scipy.stats.contingency.crosstab(a, b)
    np.testing.assert_array_equal(found.count.toarray().get(), wanted.count)


def test_ratios():
    found = cp.scipy.stats.contingency.odds_ratio(cp.array([[3, 4], [5, 6]]))
    assert found.statistic == scipy.stats.contingency.odds_ratio([[3, 4], [5, 6]]).statistic
    risk = cp.scipy.stats.contingency.relative_risk(2, 10, 1, 10)
    assert risk.relative_risk == 2
