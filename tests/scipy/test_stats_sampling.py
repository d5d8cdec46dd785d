"""Generators of scipy.stats.sampling: distributions of the samples, quantiles, errors."""

import numpy as np
import pytest
import scipy.stats
from scipy.stats import sampling as theirs

import gpunp as cp

ours = cp.scipy.stats.sampling
PV = np.array([0.1, 0.0, 0.25, 0.05, 0.6, 0.0])


class Masses:
    def pmf(self, k):
        return 0.3 * 0.7**k

    def support(self):
        return 0, 12


class Normal:
    def pdf(self, x):
        return cp.exp(-0.5 * x * x)


@pytest.mark.parametrize("name", ["DiscreteAliasUrn", "DiscreteGuideTable"])
@pytest.mark.parametrize("options", [{}, {"domain": (5, 9)}, {"factor": 2.5}], ids=str)
def test_samples_of_probabilities(name, options):
    options = dict(options)
    factor = options.pop("factor", None)
    if factor:
        options["urn_factor" if "Urn" in name else "guide_factor"] = factor
    generator = getattr(ours, name)(cp.asarray(PV * 3), random_state=2, **options)
    x = generator.rvs((50, 200))
    wanted = getattr(theirs, name)(PV * 3, random_state=2, **options).rvs((50, 200))
    assert (x.dtype, x.shape) == (wanted.dtype, wanted.shape)
    counts = np.bincount(x.get().ravel() - options.get("domain", (0,))[0], minlength=6)
    assert counts.size == 6 and not counts[PV == 0].any()
    assert scipy.stats.chisquare(counts[PV > 0], 10000 * PV[PV > 0]).pvalue > 1e-3
    assert generator.rvs().shape == () and generator.rvs(0).shape == (0,)
    again = getattr(ours, name)(PV.tolist(), **options)
    a, b = again.rvs(9, random_state=7), again.rvs(9, random_state=7)
    np.testing.assert_array_equal(a.get(), b.get())
    again.set_random_state(7)
    np.testing.assert_array_equal(again.rvs(9).get(), a.get())


@pytest.mark.parametrize("name", ["DiscreteAliasUrn", "DiscreteGuideTable"])
def test_samples_of_functions(name):
    x = getattr(ours, name)(Masses(), random_state=1).rvs(5000).get()
    wanted = 0.7 ** np.arange(13)
    counts = np.bincount(x, minlength=13)
    assert scipy.stats.chisquare(counts, 5000 * wanted / wanted.sum()).pvalue > 1e-3
    x = getattr(ours, name)(cp.scipy.stats.binom(5, 0.3), random_state=1).rvs(5000).get()
    wanted = 5000 * scipy.stats.binom(5, 0.3).pmf(np.arange(6))
    assert scipy.stats.chisquare(np.bincount(x, minlength=6), wanted).pvalue > 1e-3
    x = getattr(ours, name)(Masses(), domain=(2, 4)).rvs(100)
    assert int(x.min()) == 2 and int(x.max()) == 4


def test_many_urns(rng):
    """Shares of the urns add up to the probabilities."""
    p = rng.random(1000) ** 8
    shares, others = ours._urns(p, 1300)
    found = np.bincount(np.arange(1300), shares, 1300) + np.bincount(others, 1 - shares, 1300)
    np.testing.assert_allclose(found[:1000] / 1300, p / p.sum(), rtol=1e-9, atol=1e-15)
    assert (found[1000:] == 0).all() and (shares <= 1).all()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_quantiles_of_a_table(dtype):
    u = np.array([0, 0.05, 0.1, 0.10001, 0.3, 0.5, 0.9, 1, -1, 2, np.nan], dtype)
    for options in ({}, {"domain": (5, 9)}):
        found = ours.DiscreteGuideTable(PV, **options).ppf(cp.asarray(u))
        wanted = theirs.DiscreteGuideTable(PV, **options).ppf(u)
        np.testing.assert_array_equal(found.get(), wanted)
        assert found.dtype == wanted.dtype
    assert ours.DiscreteGuideTable(PV).ppf(0.5).shape == ()


WRONG = [
    ([],), ([-1.0, 2],), ([0.0, 0.0],), ([np.nan, 1],), ([np.inf, 1],), ([[0.5, 0.5]],),
    (Masses(), (0,)), (Masses(), (0, np.inf)), (Masses(), (np.nan, 1)), (Masses(), (3, 3)),
    (Normal(),),
]  # fmt: skip


@pytest.mark.parametrize("name", ["DiscreteAliasUrn", "DiscreteGuideTable"])
@pytest.mark.parametrize("given", WRONG, ids=map(str, range(len(WRONG))))
def test_wrong_probabilities(name, given):
    dist, domain = (*given, None)[:2]
    kinds = (ValueError, TypeError, theirs.UNURANError)
    with pytest.raises(kinds) as wanted:
        getattr(theirs, name)(dist, domain=domain)
    with pytest.raises(wanted.type):
        getattr(ours, name)(dist, domain=domain)


def test_function_without_a_domain():
    class OnlyMasses:
        def pmf(self, k):
            return 0.5**k

    for module in (ours, theirs):
        with pytest.raises(ValueError, match="domain"):
            module.DiscreteAliasUrn(OnlyMasses())
    with pytest.raises(ValueError):
        ours.DiscreteAliasUrn([1, 2]).rvs(-1)


def is_normal(x):
    return scipy.stats.kstest(x.get().ravel(), "norm").pvalue > 1e-3


def test_ratios_of_uniform_numbers():
    v = np.sqrt(2 / np.e)
    generator = ours.RatioUniforms(Normal().pdf, umax=1, vmin=-v, vmax=v, random_state=4)
    x = generator.rvs((40, 50))
    assert x.shape == (40, 50) and x.dtype == np.float64 and is_normal(x)
    assert generator.rvs().shape == (1,) and generator.rvs(0).shape == (0,)
    moved = ours.RatioUniforms(
        lambda x: cp.exp(-x) * (x > 0), umax=1, vmin=-0.5, vmax=2 / np.e, c=0.1, random_state=3
    ).rvs(3000)
    assert scipy.stats.kstest(moved.get(), "expon").pvalue > 1e-3
    for options in ({"umax": 0, "vmin": -1, "vmax": 1}, {"umax": 1, "vmin": 1, "vmax": 1}):
        for module in (ours, theirs):
            with pytest.raises(ValueError):
                module.RatioUniforms(Normal().pdf, **options)
    with pytest.raises(RuntimeError, match="accepted"):
        ours.RatioUniforms(lambda x: 0 * x, umax=1, vmin=-1, vmax=1).rvs(2)
    with pytest.raises(ValueError):
        generator.rvs(-2)


@pytest.mark.parametrize("options", [{"mode": 0}, {"mode": 0, "cdf_at_mode": 0.5}, {}], ids=str)
def test_simple_ratios(options):
    area = np.sqrt(2 * np.pi)
    generator = ours.SimpleRatioUniforms(Normal(), pdf_area=area, random_state=5, **options)
    assert is_normal(generator.rvs((30, 100)))
    assert generator.rvs().shape == ()


def test_simple_ratios_within_a_domain():
    gamma = cp.scipy.stats.gamma(3.0)
    x = ours.SimpleRatioUniforms(gamma, random_state=1).rvs(3000)
    assert scipy.stats.kstest(x.get(), scipy.stats.gamma(3.0).cdf).pvalue > 1e-3
    x = ours.SimpleRatioUniforms(Normal(), mode=1, domain=(1, 2), pdf_area=0.5).rvs(3000)
    wanted = scipy.stats.truncnorm(1, 2).cdf
    assert scipy.stats.kstest(x.get(), wanted).pvalue > 1e-3


@pytest.mark.parametrize(
    "options",
    [{"mode": np.inf}, {"mode": 0, "pdf_area": 0}, {"mode": 0, "pdf_area": -1},
     {"mode": 5, "domain": (0, 1)}, {"mode": 0, "domain": (1, 0)}, {"mode": 0, "domain": (0,)},
     {"mode": 0, "domain": (0, np.nan)}],
    ids=str,
)  # fmt: skip
def test_wrong_simple_ratios(options):
    class HostNormal:
        def pdf(self, x):
            return np.exp(-0.5 * x * x)

    with pytest.raises((ValueError, theirs.UNURANError)) as wanted:
        theirs.SimpleRatioUniforms(HostNormal(), **options)
    with pytest.raises(wanted.type):
        ours.SimpleRatioUniforms(Normal(), **options)
    with pytest.raises(ValueError, match="pdf"):
        ours.SimpleRatioUniforms(Masses())


def test_error_of_the_library():
    assert ours.UNURANError is theirs.UNURANError
