"""scipy.stats: moments and tests of them, of means and of groups, Pearson's correlation."""

import cases
import numpy as np
import pytest
import scipy.stats
from stats_cases import same, to_device

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples

RNG = np.random.default_rng(10)
X, Y = RNG.gamma(2, size=40), RNG.normal(size=40)
M, N = RNG.normal(size=(3, 12)), RNG.normal(size=(3, 12)) + 0.2
HOLES = M.copy()
HOLES[0, 3] = np.nan
S = "stats"
PAIR = ("statistic", "pvalue")
MOMENTS = ("mean", "variance", "skewness", "kurtosis")
SAMPLE = ["skew", "kurtosis", "sem", "skewtest", "kurtosistest", "normaltest", "jarque_bera"]
PAIRS = ["ttest_ind", "ttest_rel", "f_oneway", "kruskal", "pearsonr"]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("axis", [1, 0, None])
def test_dtypes_and_axes(dtype, axis):
    """A function of one sample and one of two: the others treat types and axes by the same code."""
    x, y = (M * 10).astype(dtype), (N * 10).astype(dtype)
    tolerance = 3e-4 if dtype == "f4" else 1e-11
    same(S, "skew", x, axis, keepdims=True, tolerance=tolerance)
    same(S, "ttest_ind", x, y, axis=axis, tolerance=tolerance)


@pytest.mark.parametrize("dtype, axis", cases.crossed(["f8", "f4", "i8"], [1, 0, None]))
def test_all_functions(dtype, axis):
    x, y = (M * 10).astype(dtype), (N * 10).astype(dtype)
    tolerance = 3e-4 if dtype == "f4" else 1e-11
    for name in ("skew", "kurtosis", "sem", "jarque_bera"):
        same(S, name, x, axis=axis, tolerance=tolerance)
    for bias in (True, False):
        same(S, "skew", x, axis, bias, tolerance=tolerance)
        same(S, "kurtosis", x, axis, False, bias, keepdims=True, tolerance=tolerance)
    for name in PAIRS:
        if (name, dtype) != ("kruskal", "f4"):  # SciPy's float32 makes a statistic of zero negative
            same(S, name, x, y, axis=axis, tolerance=tolerance)
    for name in ("ttest_ind", "f_oneway"):
        same(S, name, x, y, axis=axis, equal_var=False, tolerance=tolerance)
    same(S, "ttest_1samp", x, 1, axis=axis, tolerance=tolerance)


@pytest.mark.parametrize("policy", ["propagate", "omit", "raise", "none"])
def test_nan(policy):
    for name in SAMPLE:
        same(S, name, HOLES, axis=1, nan_policy=policy)
    same(S, "describe", HOLES, 1, nan_policy=policy, fields=(*MOMENTS, "minmax"))
    for name in PAIRS[:-1]:
        same(S, name, HOLES, N, axis=1, nan_policy=policy)
    same(S, "ttest_1samp", HOLES, 0.1, axis=1, nan_policy=policy)


def test_descriptions():
    same(S, "describe", X, fields=("nobs", "minmax", *MOMENTS))
    same(S, "describe", M, 1, 0, False, fields=MOMENTS)
    same(S, "describe", X[:0])


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater", "none"])
def test_alternatives(alternative):
    options = {"alternative": alternative}
    for name in ("skewtest", "kurtosistest"):
        same(S, name, X, **options)
    for name, second in (
        ("pearsonr", Y),
        ("ttest_ind", Y[:9]),
        ("ttest_rel", Y),
        ("ttest_1samp", 2),
    ):
        same(S, name, X, second, **options)
        if alternative != "none":
            ours = getattr(cp.scipy.stats, name)(cp.asarray(X), to_device(second), **options)
            theirs = getattr(scipy.stats, name)(X, second, **options)
            found, wanted = (r.confidence_interval(0.9) for r in (ours, theirs))
            np.testing.assert_allclose([float(end) for end in found], wanted, rtol=1e-11)
    same(S, "pearsonr", X[:2], Y[:2], **options)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8])
def test_small_samples(n):
    for name in SAMPLE:
        same(S, name, X[:n])
    for name in PAIRS:
        same(S, name, X[:n], Y[:n])
    for name in ("ttest_ind", "f_oneway", "kruskal"):
        same(S, name, X[:n], Y[:5])


def test_equal_elements_and_wrong_arguments():
    ones = np.ones(5)
    for name in ("skew", "kurtosis", "skewtest", "jarque_bera"):
        same(S, name, ones)
    same(S, "pearsonr", ones, X[:5])
    same(S, "ttest_ind", ones, ones)
    same(S, "f_oneway", X)
    same(S, "pearsonr", X, Y[:5])
    same(S, "ttest_1samp", M, np.array([[0.1], [0.2], [0.3]]), axis=1)
    same(S, "kruskal", np.round(X), np.round(Y), np.round(Y[:5]))


@pytest.mark.parametrize("equal_var", [True, False])
def test_trimmed_means(equal_var):
    for trim in (0.05, 0.2, 0.4, 0.5, -0.1, np.nan):
        for options in ({}, {"axis": 1, "alternative": "less"}, {"axis": None, "keepdims": True}):
            same(S, "ttest_ind", M, N[:, :9], trim=trim, equal_var=equal_var, **options)
    for policy in ("propagate", "omit", "raise"):
        for options in ({"axis": 1}, {"axis": None}):
            same(S, "ttest_ind", HOLES, N, trim=0.2, nan_policy=policy, **options)
    same(S, "ttest_ind", M.astype("f4"), N.astype("f4"), axis=1, trim=0.3, tolerance=1e-4)
    same(S, "ttest_ind", X[:3], X[:2], trim=0.3, equal_var=equal_var)
    same(S, "ttest_ind", X[:3], X[:0], trim=0.4, equal_var=equal_var)
    found = cp.scipy.stats.ttest_ind(cp.asarray(X), cp.asarray(Y), trim=0.2, equal_var=equal_var)
    wanted = scipy.stats.ttest_ind(X, Y, trim=0.2, equal_var=equal_var)
    pairs = zip(
        (found.df, *found.confidence_interval(0.9)),
        (wanted.df, *wanted.confidence_interval(0.9)),
        strict=True,
    )
    for actual, desired in pairs:
        assert float(actual) == pytest.approx(desired, rel=1e-11)


def test_moments_far_from_zero():
    x = RNG.normal(size=5000) + 1e6
    same(S, "skew", x, tolerance=1e-8)
    same(S, "kurtosis", x, tolerance=1e-8)
    same(
        S,
        "skew",
        np.concatenate([x.reshape(5, 1000), x.reshape(5, 1000) ** 1.1]),
        axis=1,
        tolerance=1e-7,
    )


def test_nothing_waits_for_the_device():
    x, y = cp.asarray(M), cp.asarray(N)
    with cp.allow_synchronize(False):
        for name in SAMPLE:
            getattr(cp.scipy.stats, name)(x, axis=1)
        for name in PAIRS:
            getattr(cp.scipy.stats, name)(x, y, axis=1)


def test_half_precision_and_arrays_without_axes():
    x, y = M.astype("f2"), N.astype("f2")
    found = cp.scipy.stats.pearsonr(cp.asarray(x), cp.asarray(y), axis=1)
    assert found.statistic.dtype == np.float16
    wanted = scipy.stats.pearsonr(x.astype(float), y.astype(float), axis=1)
    np.testing.assert_allclose(found.statistic.get(), wanted.statistic, rtol=2e-3, atol=1e-3)
    for name in ("gmean", "sem", "mode", "tmean", "circmean"):
        same(S, name, np.array(3.0))
    same(S, "ttest_ind", np.array(3.0), X)


def test_entropy_of_a_density_with_a_kink():
    found = float(cp.scipy.stats.crystalball.entropy(2, 3))  # by mpmath
    assert found == pytest.approx(1.50283818090978, rel=1e-14)


def test_infinite_variances():
    found = [float(cp.scipy.stats.loglaplace.var(c)) for c in (0.5, 1.0, 1.5, 2.0, 3.0)]
    np.testing.assert_allclose(found, scipy.stats.loglaplace.var([0.5, 1.0, 1.5, 2.0, 3.0]))
