"""Tests by samples that are drawn or exchanged, censored samples, indices of sensitivity."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about p-values beyond its table
stats = cp.scipy.stats


def close(result, wanted, rtol=1e-10):
    np.testing.assert_allclose(cp.asnumpy(result), wanted, rtol=rtol, atol=1e-13)


@pytest.fixture
def samples(rng):
    return [np.round(rng.normal(size=30), 1), np.round(rng.normal(size=20), 1) + 0.4]


@pytest.mark.parametrize("options", [{}, {"variant": "midrank"}, {"variant": "right"}, {"variant": "continuous"}, {"midrank": False}], ids=str)  # fmt: skip
def test_anderson_ksamp(samples, options, rng):
    if options.get("variant") == "continuous":
        samples = [rng.normal(size=9), rng.normal(size=7), rng.normal(size=8) + 1]
    result = stats.anderson_ksamp([cp.asarray(x) for x in samples], **options)
    wanted = scipy.stats.anderson_ksamp(samples, **options)
    close(result.statistic, wanted.statistic)
    close(result.pvalue, wanted.pvalue)
    assert hasattr(result, "critical_values") == ("variant" not in options)


def test_anderson_ksamp_by_permutations(samples):
    method = scipy.stats.PermutationMethod(n_resamples=700, batch=300, rng=1)
    result = stats.anderson_ksamp([cp.asarray(x) for x in samples], method=method)
    wanted = scipy.stats.anderson_ksamp(samples, method=method)
    close(result.statistic, wanted.statistic)
    assert abs(float(result.pvalue) - wanted.pvalue) < 0.08


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_bws_test(alternative, samples):
    x, y = [1, 2, 3.5], [4, 5, 6.0, 2, 2]
    result = stats.bws_test(x, y, alternative=alternative)
    wanted = scipy.stats.bws_test(x, y, alternative=alternative)
    close(result.statistic, wanted.statistic)
    close(result.pvalue, wanted.pvalue)
    assert result.null_distribution.shape == wanted.null_distribution.shape
    close(cp.sort(result.null_distribution), np.sort(wanted.null_distribution))
    options = {"alternative": alternative}
    options["method"] = scipy.stats.PermutationMethod(n_resamples=999, rng=1)
    result = stats.bws_test(*map(cp.asarray, samples), **options)
    wanted = scipy.stats.bws_test(*samples, **options)
    close(result.statistic, wanted.statistic)
    assert abs(float(result.pvalue) - wanted.pvalue) < 0.08


@pytest.mark.parametrize("statistic", ["ad", "ks", "cvm", "filliben"])
def test_goodness_of_fit(statistic, rng):
    data = rng.normal(2, 3, size=40)
    for known in ({}, {"loc": 2.0, "scale": 3.0}, {"scale": 3.5}):
        options = {"known_params": known, "statistic": statistic, "n_mc_samples": 299, "rng": 1}
        result = stats.goodness_of_fit(stats.norm, cp.asarray(data), **options)
        wanted = scipy.stats.goodness_of_fit(scipy.stats.norm, data, **options)
        close(result.statistic, wanted.statistic)
        close([float(v) for v in result.fit_result.params], wanted.fit_result.params)
        assert abs(float(result.pvalue) - wanted.pvalue) < 0.15
        assert result.null_distribution.shape == (299,)


def test_goodness_of_fit_gives_a_tuple():
    result = stats.goodness_of_fit(stats.norm, cp.arange(6.0), n_mc_samples=9, rng=1)
    fit, statistic, pvalue, null = result
    assert (fit, statistic) == (result.fit_result, result.statistic)
    assert (pvalue, null) == (result.pvalue, result.null_distribution)


@pytest.mark.parametrize("name", ["expon", "uniform", "laplace", "rayleigh"])
def test_goodness_of_fit_of_other_distributions(name):
    data = scipy.stats.gamma.rvs(1.5, size=25, random_state=1)
    options = {"statistic": "cvm", "n_mc_samples": 3 if name == "rayleigh" else 300, "rng": 1}
    result = stats.goodness_of_fit(getattr(stats, name), cp.asarray(data), **options)
    wanted = scipy.stats.goodness_of_fit(getattr(scipy.stats, name), data, **options)
    close(result.statistic, wanted.statistic, 1e-3)
    if name != "rayleigh":
        assert abs(float(result.pvalue) - wanted.pvalue) < 0.1


def test_goodness_of_fit_by_a_function():
    def farthest(dist, data, axis):
        return abs(data - dist.mean()).max(axis=axis)

    result = stats.goodness_of_fit(
        stats.norm, cp.arange(9.0), known_params={"loc": 3, "scale": 2}, statistic=farthest,
        n_mc_samples=99, rng=1,
    )  # fmt: skip
    assert float(result.statistic) == 5.0


def test_goodness_of_fit_with_parameters_that_were_fitted(rng):
    data = rng.normal(2, 3, size=30)
    options = {"known_params": {"loc": 1.0}, "fit_params": {"scale": 9.0}, "statistic": "ks"}
    options |= {"n_mc_samples": 9, "rng": 1}
    result = stats.goodness_of_fit(stats.norm, cp.asarray(data), **options)
    wanted = scipy.stats.goodness_of_fit(scipy.stats.norm, data, **options)
    close(result.statistic, wanted.statistic)
    close([float(v) for v in result.fit_result.params], wanted.fit_result.params)


def test_power(rng):
    draw = cp.random.default_rng(3).normal
    shifted = lambda size: draw(0.8, 1, size)  # noqa: E731
    theirs = lambda size: rng.normal(0.8, 1, size)  # noqa: E731
    for counts, levels in [((20, 30), 0.05), ((np.array([10, 40]), 30), [[0.05], [0.2], [0.3]])]:
        result = stats.power(
            stats.ttest_ind, (draw, shifted), counts, significance=levels, n_resamples=400
        )
        wanted = scipy.stats.power(
            scipy.stats.ttest_ind,
            (rng.normal, theirs),
            counts,
            significance=levels,
            n_resamples=400,
        )
        assert result.power.shape == np.shape(wanted.power)
        assert result.pvalues.shape == wanted.pvalues.shape
        assert np.abs(result.power.get() - wanted.power).max() < 0.15
    result = stats.power(
        lambda x: stats.ttest_1samp(x, 0).pvalue, shifted, 12, n_resamples=5, significance=1
    )
    assert result.pvalues.shape == (5,) and float(result.power) == 1
    result = stats.power(stats.ttest_1samp, draw, (6, 7), n_resamples=5, kwargs={"popmean": 0})
    assert result.pvalues.shape == (2, 5)


def ishigami(x, xp):
    return xp.sin(x[0]) + 7 * xp.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * xp.sin(x[0])


def test_sobol_indices():
    results = []
    for st, xp in ((stats, cp), (scipy.stats, np)):
        angle = st.uniform(loc=-np.pi, scale=2 * np.pi)
        results.append(
            st.sobol_indices(
                func=lambda x, xp=xp: ishigami(x, xp), n=64, dists=[angle] * 3,
                rng=np.random.default_rng(5),
            )
        )  # fmt: skip
    for name in ("first_order", "total_order"):
        close(getattr(results[0], name), getattr(results[1], name), 1e-9)
    interval = results[0].bootstrap(0.9, 20).first_order.confidence_interval
    assert interval.low.shape == (3,) and bool((interval.low <= interval.high).all())
    values = {name: np.random.default_rng(1).random((2, 8)) for name in ("f_A", "f_B")}
    values["f_AB"] = np.random.default_rng(2).random((3, 2, 8))
    wanted = scipy.stats.sobol_indices(func=values, n=8)
    result = stats.sobol_indices(func={k: cp.asarray(v) for k, v in values.items()}, n=8)
    close(result.total_order, wanted.total_order)
    result = stats.sobol_indices(func=lambda x: 0 * x[0], n=8, dists=[stats.uniform()] * 2)
    assert result.first_order.tolist() == result.total_order.tolist() == [0.0, 0.0]


def test_wasserstein_distance_nd(rng):
    u, v, weights = rng.normal(size=(6, 2)), rng.normal(size=(5, 2)) + 1, rng.random(6)
    for given in ((u, v), (u, v, weights), (u[:, 0], v[:, 1])):
        result = stats.wasserstein_distance_nd(*map(cp.asarray, given))
        close(result, scipy.stats.wasserstein_distance_nd(*given))
    with pytest.raises(ValueError):
        stats.wasserstein_distance_nd(cp.asarray(u), cp.asarray(v[:, :1]))


# ---- censored samples ----------------------------------------------------------------------------


def lifetimes(st, xp, rng):
    x = np.round(rng.exponential(5, 40)) + 1
    return st.CensoredData.right_censored(xp.asarray(x), xp.asarray(rng.random(40) < 0.3))


def seeded():
    return np.random.default_rng(7)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_logrank(alternative):
    y = np.round(np.random.default_rng(8).exponential(8, 30)) + 1
    found = [
        st.logrank(lifetimes(st, xp, seeded()), xp.asarray(y), alternative)
        for st, xp in ((stats, cp), (scipy.stats, np))
    ]
    close(found[0].statistic, found[1].statistic)
    close(found[0].pvalue, found[1].pvalue)
    assert not isinstance(found[0], tuple)


def test_ecdf_of_a_censored_sample():
    result, wanted = (
        st.ecdf(lifetimes(st, xp, seeded())) for st, xp in ((stats, cp), (scipy.stats, np))
    )
    for name in ("cdf", "sf"):
        ours, theirs = getattr(result, name), getattr(wanted, name)
        close(ours.quantiles, theirs.quantiles)
        close(ours.probabilities, theirs.probabilities)
        for method in ("linear", "log-log"):
            ends = zip(ours.confidence_interval(method=method),
                       theirs.confidence_interval(method=method), strict=True)  # fmt: skip
            for one, other in ends:
                close(one.probabilities, other.probabilities)


MADE = [
    lambda C: C(uncensored=[1, 2.5], left=[3], right=[2, 8], interval=[[1, 2], [3, 4.0]]),
    lambda C: C.interval_censored([1, 2, -np.inf, 3], [2, 2, 3, np.inf]),
    lambda C: C.left_censored([1, 2, 3], [True, False, True]),
    lambda C: C(),
    lambda C: C([1.0]),
    lambda C: C([[1, 2.0]]),
    lambda C: C([np.nan]),
    lambda C: C(interval=[1, 2]),
    lambda C: C(interval=[[2, 1]]),
    lambda C: C.right_censored([1, 2], [1]),
    lambda C: C.interval_censored([1, 2], [2]),
    lambda C: C(right=[np.inf]),
    lambda C: C(interval=[[-np.inf, np.inf]]),
    lambda C: C(interval=[[-np.inf, 2], [1, np.inf], [3, 3], [4, 5]]),
    lambda C: C(interval=[[]]),
    lambda C: C(right=[1.0]),
    lambda C: C([1.0, np.inf]),
    lambda C: C.right_censored([1, np.inf], [0, 1]),
    lambda C: C.interval_censored([1, -np.inf], [2, np.inf]),
]


@pytest.mark.parametrize("make", MADE)
def test_censored_data(make):
    try:
        wanted = make(scipy.stats.CensoredData)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:8]):
            make(stats.CensoredData)
        return
    result = make(stats.CensoredData)
    assert str(result) == str(wanted) and len(result) == len(wanted)
    assert result.num_censored() == wanted.num_censored()
    for name in ("_uncensored", "_left", "_right", "_interval"):
        close(getattr(result, name), np.reshape(getattr(wanted, name), getattr(result, name).shape))


@pytest.mark.parametrize("name, options", [("weibull_min", {"floc": 0}), ("norm", {})])
def test_fits_of_censored_data(name, options):
    found = []
    for st in (stats, scipy.stats):
        data = st.CensoredData(
            uncensored=[2.0, 3, 5, 7, 4], left=[1.5], right=[8, 9.0],
            interval=[[2, 6], [6, np.inf], [-np.inf, 4], [5, 5]],
        )  # fmt: skip
        found.append(getattr(st, name).fit(data, **options))
    assert found[0] == pytest.approx(found[1], rel=1e-3)


WRONG = [
    lambda st: st.anderson_ksamp([[1, 2.0]]),
    lambda st: st.anderson_ksamp([[1, 1.0], [1, 1]]),
    lambda st: st.anderson_ksamp([[1, 2.0], []]),
    lambda st: st.anderson_ksamp([[1, 2.0], [3, 4.0]], variant="x"),
    lambda st: st.bws_test([1], [np.nan]),
    lambda st: st.bws_test([], [1]),
    lambda st: st.bws_test([1, 2.0], [1]),
    lambda st: st.anderson_ksamp([[[1, 2.0]], [3, 4.0]]),
    lambda st: st.logrank([1.0, np.inf], [1, 2]),
    lambda st: st.bws_test([[1, 2]], [1]),
    lambda st: st.bws_test([1], [2], alternative="x"),
    lambda st: st.logrank([[1, 2]], [1]),
    lambda st: st.logrank(st.CensoredData(left=[1.0]), [1, 2]),
    lambda st: st.ecdf(st.CensoredData(left=[1.0])),
    lambda st: st.goodness_of_fit(3, [1, 2]),
    lambda st: st.goodness_of_fit(st.norm, [[1, 2]]),
    lambda st: st.goodness_of_fit(st.norm, [1, 2], statistic="x"),
    lambda st: st.goodness_of_fit(st.norm, [1, 2.0], n_mc_samples=1.5),
    lambda st: st.goodness_of_fit(st.norm, [1, 2.0], known_params={"q": 3}),
    lambda st: st.power(3, 3, 3),
    lambda st: st.power(st.ttest_ind, (np.random.normal,), (2, 3)),
    lambda st: st.power(st.ttest_ind, (np.random.normal,), (2,), significance=2),
    lambda st: st.power(st.ttest_1samp, np.random.normal, 3, vectorized=3),
    lambda st: st.power(st.ttest_1samp, np.random.normal, 3, n_resamples=2.5),
    lambda st: st.power(st.ttest_1samp, np.random.normal, 3, batch=0),
    lambda st: st.sobol_indices(func={"f_A": [1.0], "f_B": [1.0]}, n=1),
    lambda st: st.sobol_indices(func=abs, n=4, rng=1, random_state=1),
    lambda st: st.sobol_indices(func=abs, n=3),
    lambda st: st.sobol_indices(func=abs, n=4),
    lambda st: st.norm.fit(st.CensoredData([1.0], right=[2.0]), method="mm"),
]


@pytest.mark.parametrize("call", WRONG)
def test_errors(call):
    with pytest.raises(Exception) as theirs:
        call(scipy.stats)
    with pytest.raises(theirs.type):
        call(stats)
