"""scipy.stats: percentiles, trimmed samples, distributions of samples, tests of counts and groups."""

import numpy as np
import pytest
import scipy.stats
from stats_cases import same, to_numpy

import gpunp as cp
from gpunp.scipy.stats import _rank_parts

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples

RNG = np.random.default_rng(9)
X = RNG.gamma(2, size=40)
Z = np.round(RNG.normal(size=40), 1)
M = RNG.normal(size=(3, 12))
HOLES = M[0].copy()
HOLES[3] = np.nan
S = "stats"
PAIR = ("statistic", "pvalue")


def close(actual, desired, tolerance=1e-10):
    np.testing.assert_allclose(to_numpy(actual), desired, rtol=tolerance, atol=tolerance)


LONG = {
    "float32": RNG.standard_normal(9000).astype("f"),
    "float64": RNG.standard_normal(300),
    "int32": RNG.integers(0, 40, 5000).astype("i"),
    "int64": RNG.integers(-3, 3, 4097),
    "equal": np.zeros(4096),
    "NaN": np.r_[RNG.standard_normal(200), np.nan],
    "runs": RNG.permutation(np.repeat(np.arange(9), [31, 1, 5088, 33, 5120, 2, 10241, 30, 700])),
}


@pytest.mark.parametrize("method", ["average", "min", "max", "ordinal"])
@pytest.mark.parametrize("name", LONG)
def test_ranks_of_long_rows(name, method, monkeypatch):
    """Ranks that are put together by parts of the row are those that are written one by one."""
    a = cp.asarray(LONG[name])
    expected = cp.scipy.stats.rankdata(a, method)
    alike = {"equal_nan": True}
    assert np.array_equal(expected.get(), scipy.stats.rankdata(LONG[name], method), **alike)
    monkeypatch.setattr(_rank_parts, "_LEAST", 1)
    for bytes_of_part, most_bits in ((1 << 17, 9), (256, 9), (1 << 17, -1)):
        monkeypatch.setattr(_rank_parts, "_PART", bytes_of_part)
        monkeypatch.setattr(_rank_parts, "_MOST_BITS", most_bits)
        found = cp.scipy.stats.rankdata(a, method)
        assert found.dtype == expected.dtype
        assert np.array_equal(found.get(), expected.get(), **alike)


@pytest.mark.parametrize("kind", ["rank", "weak", "strict", "mean", "none"])
def test_percentiles_of_scores(kind):
    same(S, "percentileofscore", Z, 0.3, kind)
    same(S, "percentileofscore", Z, np.array([[0.3, np.nan], [-9, 9]]), kind)
    same(S, "percentileofscore", Z[:0], 0.3, kind)


@pytest.mark.parametrize("policy", ["propagate", "omit", "raise", "none"])
def test_percentiles_of_scores_with_nan(policy):
    same(S, "percentileofscore", HOLES, np.array([0.1, 0.2]), nan_policy=policy)


@pytest.mark.parametrize("method", ["fraction", "lower", "higher", "none"])
def test_scores_at_percentiles(method):
    same(S, "scoreatpercentile", X, [0, 10, 50, 100], (), method)
    same(S, "scoreatpercentile", M, 33, (), method, 1)
    same(S, "scoreatpercentile", M, [33, 40], (), method, 0)
    same(S, "scoreatpercentile", X, 20, (1, 3), method)


def test_scores_at_wrong_percentiles():
    same(S, "scoreatpercentile", X, 101)
    same(S, "scoreatpercentile", X[:0], 50)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("share", [0, 0.1, 0.3])
def test_trimmed_samples(axis, share):
    """SciPy leaves the order open."""
    x, along = cp.asarray(M), -1 if axis is None else axis
    found = cp.scipy.stats.trimboth(x, share, axis)
    close(found, np.sort(scipy.stats.trimboth(M, share, axis), along), 0)
    for tail in ("left", "right"):
        found = cp.scipy.stats.trim1(x, share, tail, axis)
        close(found, np.sort(scipy.stats.trim1(M, share, tail, axis), along), 0)
    with pytest.raises(ValueError):
        cp.scipy.stats.trimboth(x, 0.7, axis)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.5, 0.9, 1.0, 2.0])
def test_expectiles(alpha):
    same(S, "expectile", X, alpha, tolerance=1e-10)
    same(S, "expectile", Z, alpha, weights=abs(M).ravel()[:36].repeat(2)[:40], tolerance=1e-10)
    same(S, "expectile", np.ones(3), alpha)


def test_expectiles_along_axes():
    """Each sample by itself, which SciPy has from 1.18 on, and NaN of a sample without weight."""
    expectile, x = cp.scipy.stats.expectile, cp.asarray(M)
    w = abs(M) * (M > -1)
    wanted = [scipy.stats.expectile(row, 0.3, weights=v) for row, v in zip(M, w, strict=True)]
    close(expectile(x, 0.3, weights=cp.asarray(w), axis=1), wanted)
    close(expectile(x, 0.3), [scipy.stats.expectile(column, 0.3) for column in M.T])
    close(expectile(x, 0.3, axis=None, keepdims=True), [[scipy.stats.expectile(M.ravel(), 0.3)]])
    close(expectile(x, 0.3, weights=cp.arange(3.0)[:, None] * 0, axis=1), [np.nan] * 3)
    rows = cp.asarray(np.stack([HOLES, M[1]]))
    close(expectile(rows, 0.3, axis=1), [np.nan, scipy.stats.expectile(M[1], 0.3)])
    kept = scipy.stats.expectile(HOLES[~np.isnan(HOLES)], 0.3)
    close(expectile(rows, 0.3, axis=1, nan_policy="omit")[0], kept)
    assert expectile(x.astype("f4"), 0.3, axis=1).dtype == "f4"
    assert cp.isnan(expectile(cp.zeros((0, 2)))).tolist() == [True, True]
    for options in ({"nan_policy": "raise"}, {"nan_policy": "none"}, {"axis": 2}):
        with pytest.raises(ValueError):
            expectile(rows, 0.3, **options)


ALTERNATIVES = ["two-sided", "less", "greater"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_tests_of_quantiles(alternative):
    for q in (0, 0.3, 9, -9):
        options = {"q": q, "p": 0.4, "alternative": alternative}
        found = cp.scipy.stats.quantile_test(cp.asarray(Z), **options)
        wanted = scipy.stats.quantile_test(Z, **options)
        for name in ("statistic", "statistic_type", "pvalue"):
            close(getattr(found, name), getattr(wanted, name))
            assert getattr(found, name).dtype == "f8"
    for level in (0.2, 0.9, 0.999999):
        ends = found.confidence_interval(level)
        close(cp.stack(ends), wanted.confidence_interval(level))


def test_quantiles_of_equal_tails():
    for n in (3, 8, 9, 20):
        found = cp.scipy.stats.quantile_test(cp.arange(float(n)), q=(n - 1) / 2)
        wanted = scipy.stats.quantile_test(np.arange(float(n)), q=(n - 1) / 2)
        assert float(found.statistic_type) == wanted.statistic_type == 1
        assert float(found.statistic) == wanted.statistic


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_tests_of_quantiles_along_axes(alternative):
    """Each sample by itself, which SciPy has from 1.18 on; NaN where one has NaN."""
    q, p = np.array([0.1, -0.4, 1]), np.array([[0.2, 0.5, 0.7]])
    rows = M.copy()
    rows[1, 4] = np.nan
    found = cp.scipy.stats.quantile_test(
        cp.asarray(rows), q=cp.asarray(q), p=cp.asarray(p), alternative=alternative, axis=1
    )
    low, high = found.confidence_interval(0.7)
    assert found.pvalue.shape == low.shape == (len(rows), 3)
    for i, row in enumerate(rows):
        for k in range(3):
            wanted = scipy.stats.quantile_test(row, q=q[k], p=p[0, k], alternative=alternative)
            parts = [wanted.statistic, wanted.statistic_type, wanted.pvalue]
            parts += wanted.confidence_interval(0.7)
            parts = np.full(5, np.nan) if np.isnan(row).any() else np.array(parts, float)
            mine = [found.statistic, found.statistic_type, found.pvalue, low, high]
            close(cp.stack([part[i, k] for part in mine]), parts)


@pytest.mark.parametrize(
    "options, shape",
    [
        ({}, (12,)),
        ({"axis": 1, "keepdims": True}, (3, 1)),
        ({"axis": None}, ()),
        ({"axis": None, "keepdims": True}, (1, 1)),
        ({"axis": None, "q": np.zeros(2)}, (1, 2)),
        ({"axis": -1, "q": np.zeros((2, 1, 1))}, (2, 3)),
        ({"axis": 1, "p": np.array([0.2, 0.4])}, (3, 2)),
    ],
)
def test_shapes_of_tests_of_quantiles(options, shape):
    device = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    found = cp.scipy.stats.quantile_test(cp.asarray(M), **device)
    assert found.pvalue.shape == found.confidence_interval().low.shape == shape


def test_nothing_waits_for_the_device():
    x, p = cp.asarray(M), cp.asarray([[0.2], [0.4], [0.5]])
    with cp.allow_synchronize(False):
        cp.scipy.stats.quantile_test(x, q=p, p=p, axis=1).confidence_interval(0.5)
        cp.scipy.stats.expectile(x, 0.3, weights=abs(x), axis=1)
        cp.scipy.stats.obrientransform(x)
        cp.scipy.stats.rankdata(x, "min", axis=1)


def test_tests_of_quantiles_of_wrong_arguments():
    same(S, "quantile_test", Z, q=0, p=1)
    same(S, "quantile_test", Z, alternative="none")
    test = cp.scipy.stats.quantile_test
    for x, options in (
        (M, {"axis": 2}), (M > 0, {}), (M, {"axis": 1, "q": [1, 2], "keepdims": False}),
        (M, {"keepdims": "x"}), (M, {"q": cp.zeros(2), "p": cp.full(3, 0.5), "axis": 1}),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            test(cp.asarray(x), **options)
    with pytest.raises(ValueError):
        test(cp.asarray(Z)).confidence_interval(2)
    assert cp.isnan(test(cp.asarray(Z), p=1.5).pvalue)
    assert test(cp.asarray(Z.astype("f4")), q=0.1, p=0.4).pvalue.dtype == "f4"
    assert cp.isnan(test(cp.zeros((0, 2))).pvalue).all()
    assert cp.isnan(test(cp.zeros((0, 2))).confidence_interval().high).all()


@pytest.mark.parametrize("kind", ["cdf", "sf"])
def test_distributions_of_samples(kind):
    ours = getattr(cp.scipy.stats.ecdf(cp.asarray(Z)), kind)
    theirs = getattr(scipy.stats.ecdf(Z), kind)
    close(ours.quantiles, theirs.quantiles, 0)
    close(ours.probabilities, theirs.probabilities)
    at = np.array([-5.0, 0, 0.1, 9])
    close(ours.evaluate(cp.asarray(at)), theirs.evaluate(at))
    for method in ("linear", "log-log"):
        pairs = zip(
            ours.confidence_interval(0.9, method=method),
            theirs.confidence_interval(0.9, method=method),
            strict=True,
        )
        for low, their_low in pairs:
            close(low.probabilities, their_low.probabilities)


def test_distributions_of_no_sample():
    for module, asarray in ((scipy.stats, np.asarray), (cp.scipy.stats, cp.asarray)):
        for sample in ([], module.CensoredData([])):
            for kind, level in (("cdf", 0), ("sf", 1)):
                made = getattr(module.ecdf(sample), kind)
                assert made.evaluate(asarray([1.0, 2.0])).tolist() == [level] * 2
                assert made.quantiles.shape == made.probabilities.shape == (0,)
                assert made.confidence_interval().low.probabilities.shape == (0,)


def test_bounds_have_no_interval():
    for sample in (cp.asarray(Z), cp.scipy.stats.CensoredData(cp.asarray(Z))):
        bounds = cp.scipy.stats.ecdf(sample).sf.confidence_interval()
        for bound in bounds:
            with pytest.raises(NotImplementedError, match="no `confidence_interval`"):
                bound.confidence_interval()


def test_distributions_of_wrong_samples():
    for wrong in (M, HOLES):
        with pytest.raises(ValueError):
            cp.scipy.stats.ecdf(cp.asarray(wrong))


@pytest.mark.parametrize("name", ["fisher_exact", "barnard_exact", "boschloo_exact"])
def test_tables(name):
    same(S, name, np.array([[7, 12], [8, 3]]), fields=PAIR)
    same(S, name, np.array([[7, 12], [-8, 3]]), fields=PAIR)


def test_counts():
    same(S, "binomtest", np.array(3), 15, 0.1, fields=PAIR)
    same(S, "poisson_means_test", 0, 100, 3, 100, fields=PAIR)
    same(S, "binomtest", 20, 15, fields=PAIR)  # an error before SciPy 1.18, then NaN


@pytest.mark.parametrize("x", [X, RNG.normal(size=1500) + 3], ids=len)
def test_intervals(x):
    found, wanted = cp.scipy.stats.bayes_mvs(cp.asarray(x)), scipy.stats.bayes_mvs(x)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours._fields == theirs._fields
        close(np.hstack(ours), np.hstack(theirs))


def test_intervals_of_wrong_samples():
    same(S, "mvsdist", X[:1])
    same(S, "bayes_mvs", X, 2)


@pytest.mark.parametrize("equal_var", [True, False])
def test_groups(equal_var):
    groups = (X, Z, M[0])
    same(S, "tukey_hsd", *groups, equal_var=equal_var, fields=PAIR)
    for spoilt in ([1.0, np.nan, 3.0], [2.0, 2.0, 2.0]):
        same(S, "tukey_hsd", np.array(spoilt), *groups[:2], equal_var=equal_var, fields=PAIR)
    flat = np.ones(3), np.ones(3)
    with np.errstate(all="ignore"):
        same(S, "tukey_hsd", *flat, equal_var=equal_var, fields=PAIR)
    found = cp.scipy.stats.tukey_hsd(*map(cp.asarray, groups), equal_var=equal_var)
    wanted = scipy.stats.tukey_hsd(*groups, equal_var=equal_var)
    close(found.confidence_interval(0.9).low, wanted.confidence_interval(0.9).low)


def test_wrong_groups():
    for wrong in ((X,), (X, M), (X, X[:1]), (X, X * np.inf)):
        same(S, "tukey_hsd", *wrong)
