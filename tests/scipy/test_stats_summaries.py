"""scipy.stats: means of powers, trimmed and circular moments, quantiles; tests of groups and counts."""

import numpy as np
import pytest
from stats_cases import same

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples

RNG = np.random.default_rng(21)
M, N = RNG.normal(size=(3, 12)), RNG.normal(size=(3, 12)) + 0.3
P, W = np.exp(M), RNG.random((3, 12))
I, J = RNG.integers(0, 4, (2, 3, 12))
HOLES = M.copy()
HOLES[0, 3] = np.nan
S = "stats"
POSITIVE = {"gmean", "hmean", "pmean", "gstd", "gzscore"}
NAMES = [
    "gmean", "hmean", "pmean", "gstd", "gzscore", "tmean", "tvar", "tstd", "tsem", "variation",
    "moment", "iqr", "median_abs_deviation", "mode", "circmean", "circstd", "circvar",
]  # fmt: skip
GROUPS = ["levene", "bartlett", "friedmanchisquare"]


@pytest.mark.parametrize("name", NAMES)
def test_summaries(name):
    more = (2,) if name == "pmean" else ()
    x, holes = (P, np.exp(HOLES)) if name in POSITIVE else (M, HOLES)
    for axis in (1, 5):
        same(S, name, x, *more, axis=axis)
    for policy in ("propagate", "raise", "none", *(["omit"] if name != "mode" else [])):
        same(S, name, holes, *more, axis=1, nan_policy=policy)
    if name != "mode":
        same(S, name, x[:0], *more, axis=1)
        same(S, name, x[:0], *more, axis=0)


@pytest.mark.parametrize("name", NAMES)
def test_summaries_of_other_axes_and_types(name):
    more, x = (2,) if name == "pmean" else (), P if name in POSITIVE else M
    for axis in (0, None):
        same(S, name, x, *more, axis=axis)
    if name != "gzscore":
        same(S, name, x, *more, axis=None, keepdims=True)
        same(S, name, x.reshape(3, 4, 3), *more, axis=(0, 2))
    same(S, name, x.astype("f4"), *more, axis=1, tolerance=1e-5)
    same(S, name, I + 1, *more, axis=1)


def test_means_of_powers():
    for name in ("gmean", "hmean"):
        same(S, name, P, weights=W, axis=1)
        same(S, name, P, weights=W[0], axis=1)
        same(S, name, P, weights=W[:, :1], axis=0)
        same(S, name, M, axis=1)
        same(S, name, I, axis=1)
        same(S, name, I + 1, dtype="f4", axis=1, tolerance=1e-5)
    for p in (0, -1, 3, -2.5, 0.5, "x", np.nan):
        same(S, "pmean", P, p, axis=1)
    same(S, "pmean", P, 3, weights=W)


def test_moments_within_limits():
    for name in ("tmean", "tvar", "tstd", "tsem"):
        same(S, name, M, (-0.5, 0.5), axis=1)
        same(S, name, M, (None, 0.5), axis=None)
        same(S, name, I, (1, 2), (False, True), axis=1)
        same(S, name, HOLES, (-1, 1), axis=1)
    for ddof in (0, 12, 13):
        for name in ("tvar", "tstd", "tsem", "variation"):
            same(S, name, M, axis=1, ddof=ddof)
        same(S, "gstd", P, axis=1, ddof=ddof)
    for sample in ([-1, 1], [1, 2, -3], [3, 1, -2, 5, -7], [0, 0], [-3, 2]):
        for ddof in (0, 1, len(sample)):
            same(S, "variation", np.array(sample, float), ddof=ddof)
    same(S, "variation", np.arange(-500, 501))  # whose sum is exactly zero
    same(S, "variation", np.array([-1.0, 1]))
    for zero in ([10.0, -3, 1, -4, -4], [-3.0, 3, 0, 1, -1]):
        same(S, "variation", np.array(zero))
        same(S, "tmean", np.array(zero))
    assert bool(cp.isnan(cp.scipy.stats.tmean(cp.asarray(M), (50, 60))))


def test_orders_of_moments():
    for order in (0, 1, 2, 4, [1, 2, 3], 2.0, 2.5):
        same(S, "moment", M, order, axis=1)
        same(S, "moment", M, order, axis=1, center=0.3)
    same(S, "moment", HOLES, [2, 3], axis=1, nan_policy="omit")


def test_moments_of_complex_numbers():
    z = M + 1j * N
    for order in (0, 1, 2, 3):
        center = np.complex128(0.3 - 0.2j)
        for axis in (0, 1, None):
            found = cp.scipy.stats.moment(cp.asarray(z), order, axis=axis).get()
            moved = z - z.mean(axis=axis, keepdims=True)
            desired = (moved**order).mean(axis=axis) * (order != 1)
            np.testing.assert_allclose(found, desired, rtol=1e-12, atol=1e-12)
            found = cp.scipy.stats.moment(cp.asarray(z), order, axis=axis, center=center).get()
            np.testing.assert_allclose(found, ((z - center) ** order).mean(axis=axis), rtol=1e-12)
    same(S, "moment", z, 2, axis=1)
    same(S, "moment", z.astype("c8"), 2, axis=1, keepdims=True, tolerance=1e-5)
    z[1, 2] = np.nan
    for policy in ("propagate", "omit", "raise"):
        same(S, "moment", z, 2, axis=1, nan_policy=policy)
    same(S, "moment", z[:, :0], 2, axis=1)


def test_quantiles():
    for ends in ((10, 90), (90, 10), (-1, 50), (1, 2, 3), (np.nan, 3)):
        same(S, "iqr", M, axis=1, rng=ends)
    for scale in ("normal", 2.0, "other"):
        same(S, "iqr", M, axis=1, scale=scale, interpolation="lower")
        same(S, "median_abs_deviation", M, axis=1, scale=scale)
    same(S, "median_abs_deviation", M, axis=1, center=3)
    same(S, "circstd", M * 180, 180, -180, axis=1, normalize=True)
    for angles in (np.array(1e17), M[0] * 1e9, np.array([350.0, 20])):  # low is not taken off them
        same(S, "circmean", angles, np.pi, -np.pi)
        same(S, "circmean", angles, 180, -180)
    for name in ("circmean", "circvar"):
        same(S, name, M * 180, 180, -180, axis=1)


def test_modes():
    for x in (I, I.astype("i4"), np.round(HOLES), I.astype("f4"), I.astype(bool)):
        same(S, "mode", x, axis=1)
        same(S, "mode", x, axis=None, keepdims=True)
    same(S, "mode", np.array([np.nan, np.nan, 1.0]))
    found = cp.scipy.stats.mode(cp.asarray(np.round(HOLES)), axis=1, nan_policy="omit")
    assert found.count.get().tolist() == [
        max(np.unique(row[row == row], return_counts=True)[1]) for row in np.round(HOLES)
    ]


@pytest.mark.parametrize("name", [*GROUPS, "mannwhitneyu"])
def test_groups(name):
    samples = (M, N, W)[: 2 if name == "mannwhitneyu" else 3]
    holes = (HOLES, *samples[1:])
    for axis in (0, 1, None):
        same(S, name, *samples, axis=axis)
    for policy in ("propagate", "omit", "raise", "none"):
        same(S, name, *holes, axis=1, nan_policy=policy)
    same(S, name, *[x.astype("f4") for x in samples], axis=1, tolerance=2e-4)
    same(S, name, *samples, axis=1, keepdims=True)
    same(S, name, *[x[:0] for x in samples])
    same(S, name, *[x[:1] for x in samples])
    same(S, name, M)
    if name != "mannwhitneyu":
        same(S, name, *[np.ones(5)] * len(samples))
    if name != "bartlett":  # SciPy's fails for whole numbers
        same(S, name, *(I, J, I * J)[: len(samples)], axis=1)


def test_mann_and_whitney_of_equal_elements():
    """Nothing varies: no approximation of two tails, as in SciPy from 1.18 on, which had 1."""
    x = cp.ones((2, 9))
    statistic, p = cp.scipy.stats.mannwhitneyu(x, cp.stack([x[0], cp.arange(9)]), axis=1)
    assert statistic.tolist()[0] == 40.5 and np.isnan(p.tolist()[0]) and 0 < p.tolist()[1] < 1
    for options in ({"alternative": "less"}, {"alternative": "greater"}, {"method": "exact"}):
        same(S, "mannwhitneyu", np.ones(9), np.ones(9), **options)


@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic", "other"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_mann_and_whitney(method, alternative):
    for n, m in ((3, 4), (8, 9), (9, 9), (30, 20), (1, 1)):
        x, y = RNG.normal(size=(2, n)), RNG.normal(size=(2, m))
        for correction in (True, False):
            same(S, "mannwhitneyu", x, y, correction, alternative, 1, method)
    same(S, "mannwhitneyu", I[:, :6], J, axis=1, method=method, alternative=alternative)
    same(S, "mannwhitneyu", M[0], N[0], 2)


@pytest.mark.parametrize("center", ["mean", "median", "trimmed", "other"])
def test_levene(center):
    same(S, "levene", M, N[:, :7], axis=1, center=center)
    same(S, "levene", M[0], N[0], center=center, proportiontocut=0.2)


LAMBDAS = ["pearson", "log-likelihood", "freeman-tukey", "mod-log-likelihood", "neyman", 0.4, "no"]


@pytest.mark.parametrize("exponent", LAMBDAS)
def test_power_divergence(exponent):
    counts = RNG.integers(5, 20, (4, 6))
    same(S, "power_divergence", counts, lambda_=exponent)
    same(S, "power_divergence", counts, counts[:, ::-1].copy(), axis=1, lambda_=exponent)


def test_chi_squared():
    counts = RNG.integers(5, 20, (4, 6))
    for options in (
        {"axis": None}, {"axis": 1, "ddof": 1}, {"ddof": np.array([0, 1, 2, 1, 0, 1])},
        {"keepdims": True}, {"axis": 1, "ddof": 9}, {"f_exp": counts + 1},
        {"f_exp": counts + 1, "sum_check": False},
        {"f_exp": counts[0] * 1.0, "axis": 1, "sum_check": False},
    ):  # fmt: skip
        same(S, "chisquare", counts, **options)
    same(S, "chisquare", counts.astype("f4"), tolerance=1e-5)
    same(S, "chisquare", np.zeros((3, 0)), axis=1)
    same(S, "chisquare", np.array([]))
    same(S, "chisquare", np.zeros(3))
    same(S, "chisquare", np.array([5.0, np.nan, 3, 4]), nan_policy="omit")


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater", "other"])
def test_brunner_and_munzel(alternative):
    for distribution in ("t", "normal", "other"):
        same(S, "brunnermunzel", M, N[:, :9], alternative, distribution, axis=1)
        same(S, "brunnermunzel", I, J, alternative, distribution, axis=1)
    for policy in ("propagate", "omit", "raise", "none"):
        same(S, "brunnermunzel", HOLES, N, axis=1, nan_policy=policy)
    same(S, "brunnermunzel", M[0, :1], N[0])
    same(S, "brunnermunzel", np.arange(4.0), np.arange(4.0) + 9)


METHODS = ["fisher", "pearson", "tippett", "stouffer", "mudholkar_george", "other"]


@pytest.mark.parametrize("method", METHODS)
def test_combined_pvalues(method):
    same(S, "combine_pvalues", W, method, axis=1)
    same(S, "combine_pvalues", W, method, axis=None, keepdims=True)
    same(S, "combine_pvalues", W.astype("f4"), method, axis=1, tolerance=1e-4)
    same(S, "combine_pvalues", np.array([0.0, 0.5, 1]), method)
    same(S, "combine_pvalues", W[0, :1], method)
    if method == "stouffer":
        for weights in (W[::-1].copy(), W[0]):
            same(S, "combine_pvalues", W, method, weights, axis=1)
        same(S, "combine_pvalues", W[0], method, W[0, :3])


@pytest.mark.parametrize("method", ["bh", "BY", "other"])
def test_false_discoveries(method):
    for axis in (0, 1, None):
        same(S, "false_discovery_control", np.round(W, 1), axis=axis, method=method)
    for x in (2 * W, np.where(W < 0.2, np.nan, W), W[:1], np.array([]), np.array(0.5)):
        same(S, "false_discovery_control", x, method=method)
