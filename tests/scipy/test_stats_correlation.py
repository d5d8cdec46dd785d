"""scipy.stats: ranks, rank correlation, lines."""

import cases
import numpy as np
import pytest
import scipy.stats
from stats_cases import called, same

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small samples

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3, 20))
Y = X + RNG.normal(size=(3, 20))
I, J = RNG.integers(0, 5, (2, 3, 20)).astype(float)
HOLES, OTHERS = X.copy(), Y.copy()
HOLES[0, 3] = OTHERS[1, 5] = np.nan
PAIRED = ["kendalltau", "linregress", "pointbiserialr", "theilslopes", "siegelslopes"]
S = "stats"


def same_ranks(x, *method, **options):
    """As SciPy's, in the floating-point type of the numbers, which SciPy's have from 1.18 on."""
    wanted, error = called(scipy.stats.rankdata, (x, *method), options)
    found, ours_error = called(cp.scipy.stats.rankdata, (cp.asarray(x), *method), options)
    assert ours_error == error
    if not error:
        dtype = x.dtype if x.dtype.kind == "f" else np.float64
        assert (found.dtype, found.shape) == (dtype, wanted.shape)
        np.testing.assert_array_equal(found.get(), wanted)


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_ranks(method):
    for x in (I, X, np.ones(300), np.zeros((0, 3)), np.array(3.0)):
        for axis in (None, 0, -1) if x.ndim > 1 else (None,):
            same_ranks(x, method, axis=axis)
    for policy in ("propagate", "omit", "raise", "none"):
        same_ranks(HOLES, method, axis=1, nan_policy=policy)


@pytest.mark.parametrize(
    "method, dtype",
    cases.crossed(["average", "min", "max", "dense", "ordinal"], ["f4", "i8", "f2", "?"]),
)
def test_ranks_of_other_types(method, dtype):
    for axis in (None, 0, -1):
        same_ranks(I.astype(dtype), method, axis=axis)
    if dtype == "f4":
        for policy in ("propagate", "omit"):
            same_ranks(HOLES.astype("f4"), method, axis=1, nan_policy=policy)


def test_ranks_of_wrong_arguments():
    same(S, "rankdata", X, "none")
    same(S, "tiecorrect", np.array([1, 2.5, 2.5, 4]))
    same(S, "tiecorrect", np.array([1.0]))


@pytest.mark.parametrize("name", PAIRED)
@pytest.mark.parametrize("policy", ["propagate", "omit", "raise"])
def test_nan_and_axes(name, policy):
    same(S, name, HOLES, OTHERS, axis=1, nan_policy=policy)
    same(S, name, HOLES, OTHERS, axis=None, nan_policy=policy)
    same(S, name, X, Y, axis=1, keepdims=True)


@pytest.mark.parametrize("name", [*PAIRED, "spearmanr", "weightedtau"])
def test_few_pairs(name):
    for n in (0, 1, 3):
        same(S, name, np.arange(n) * 1.0, np.arange(n)[::-1] * 1.0, tolerance=3e-8)
    same(S, name, np.ones(3), np.ones(4))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_spearman(alternative):
    same(S, "spearmanr", X[0], Y[0], alternative=alternative)
    same(S, "spearmanr", I[0], J[0], alternative=alternative)
    same(S, "spearmanr", X, Y, axis=1, alternative=alternative)
    same(S, "spearmanr", HOLES, axis=1, alternative=alternative)
    same(S, "spearmanr", X, Y, axis=None)
    same(S, "spearmanr", HOLES[0], Y[0], nan_policy="omit")


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_spearman_of_pairs_of_variables(alternative):
    options = {"nan_policy": "omit", "alternative": alternative}
    for samples in ((HOLES.T,), (HOLES.T, OTHERS.T), (HOLES[:, :6].T, OTHERS[0, :6])):
        found = cp.scipy.stats.spearmanr(*map(cp.asarray, samples), **options)
        wanted = scipy.stats.spearmanr(*samples, **options)
        np.testing.assert_allclose(found.statistic.get(), wanted.statistic, rtol=1e-12)
        p = found.pvalue.get()
        # SciPy's p-value of a variable and itself is 0 for each alternative.
        assert (p.diagonal() == (alternative == "less")).all()
        np.fill_diagonal(p, 0)
        np.testing.assert_allclose(p, wanted.pvalue, rtol=1e-11, atol=1e-20)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
def test_kendall(alternative, method):
    swapped = np.arange(50.0)
    swapped[[0, 1]] = 1, 0
    samples = [
        (X[0], Y[0]),
        (I[0], J[0]),
        (X[0], -X[0]),
        (I[0], np.ones(20)),
        (swapped, np.arange(50)),
    ]
    for variant in "bc":
        for x, y in samples:
            options = {"method": method, "variant": variant, "alternative": alternative}
            same(S, "kendalltau", x, y, **options)


def test_kendall_of_long_rows():
    x = RNG.normal(size=(2, 300))
    same(S, "kendalltau", x, np.round(x + RNG.normal(size=x.shape), 1), axis=1)
    for size in (2048, 4097, 9000):  # tiles of 2048
        x = RNG.integers(0, 500, (2, size)).astype(float)
        y = np.round(x + 99 * RNG.normal(size=x.shape))
        y[1] = np.arange(size)
        same(S, "kendalltau", x, y, axis=1, variant="c")


def test_weighted_tau():
    order = np.arange(20)[::-1].copy()
    same(S, "weightedtau", I[0], J[0])
    same(S, "weightedtau", I[0], J[0], rank=False)
    same(S, "weightedtau", I[0], J[0], rank=None, weigher=lambda r: 1 / (r + 2) ** 2)
    found = cp.scipy.stats.weightedtau(
        cp.asarray(I[0]), cp.asarray(J[0]), rank=cp.asarray(order), additive=False
    )
    import scipy.stats

    wanted = scipy.stats.weightedtau(I[0], J[0], rank=order, additive=False)
    np.testing.assert_allclose(found.statistic.get(), wanted.statistic, rtol=1e-12)


def test_somers():
    fields = ("statistic", "pvalue", "table")
    for alternative in ("two-sided", "less", "greater"):
        same(S, "somersd", I[0], J[0], alternative=alternative, fields=fields)
    same(S, "somersd", np.array([[3, 1, 2], [4, 5, 1]]), fields=fields)
    same(S, "somersd", np.array([[3, -1], [4, 5]]))
    for x, y in (([], []), ([1], [2]), ([1, 2, 3], [2, 2, 2]), ([2, 2, 2], [1, 2, 3])):
        same(S, "somersd", np.array(x), np.array(y), fields=fields)
    same(S, "somersd", np.array([[3, 1, 2]]), fields=fields)
    same(S, "somersd", I[0], J[0, :4])


def test_lines():
    for alternative in ("two-sided", "less", "greater"):
        same(S, "linregress", X[0], Y[0], alternative=alternative)
    same(S, "linregress", np.arange(4.0), np.ones(4))
    fields = ("slope", "intercept", "rvalue", "pvalue", "stderr", "intercept_stderr")
    same(S, "linregress", X[0], Y[0], fields=fields)
    same(S, "theilslopes", X[0], method="joint")
    same(S, "theilslopes", X[0], I[0], 0.05)
    same(S, "siegelslopes", X[0], I[0], method="separate")
    same(S, "siegelslopes", X[0], method="none")


@pytest.mark.parametrize("policy", ["propagate", "omit"])
@pytest.mark.parametrize("name", ["weightedtau", *PAIRED])
def test_stacks_of_no_samples(name, policy):
    none = np.zeros((0, 5))
    same(S, name, none, none, axis=1, nan_policy=policy)
    if "slopes" in name:
        same(S, name, none, axis=1, nan_policy=policy)


@pytest.mark.parametrize("policy", ["propagate", "omit"])
@pytest.mark.parametrize("name", ["theilslopes", "siegelslopes"])
def test_slopes_over_the_numbers_of_each_sample(name, policy):
    y = RNG.normal(size=(3, 4, 6))
    for axis in (0, 1, 2, None):
        same(S, name, y, axis=axis, nan_policy=policy)
    y[0, 2, 0] = y[2, 0, 1] = np.nan
    for axis in (0, 1, 2, None):
        same(S, name, y, axis=axis, nan_policy=policy)


def test_lines_through_two_points_and_none():
    """NaN where nothing is known, as in SciPy from 1.18 on, which raised before or had zeros."""
    x, y = cp.array([[1, 3.0], [2, 2], [1, 2]]), cp.array([[4, 10.0], [1, 3], [5, 5]])
    line = cp.scipy.stats.linregress(x, y, axis=1)
    np.testing.assert_allclose(line.slope.get(), [3, np.nan, 0], atol=1e-12)
    np.testing.assert_allclose(line.intercept.get(), [1, np.nan, 5], atol=1e-12)
    np.testing.assert_allclose(line.rvalue.get(), [1, np.nan, np.nan], atol=1e-12)
    for unknown in (line.pvalue, line.stderr, line.intercept_stderr):
        assert cp.isnan(unknown).all()
    steep = cp.scipy.stats.linregress(cp.ones(4), cp.arange(4))
    assert cp.isnan(cp.stack(steep)).all() and cp.isnan(steep.intercept_stderr)


def test_nothing_waits_for_the_device():
    x, y = cp.asarray(X), cp.asarray(Y)
    with cp.allow_synchronize(False):
        cp.scipy.stats.rankdata(x, axis=1)
        cp.scipy.stats.kendalltau(x, y, axis=1)
        cp.scipy.stats.spearmanr(x[0], y[0])
        cp.scipy.stats.linregress(x, y, axis=1)
