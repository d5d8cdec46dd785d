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
    (Masses(), (np.inf, np.inf)), (Masses(), (-np.inf, -np.inf)), (Masses(), (-np.inf, 0)),
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


U = np.concatenate([np.linspace(1e-4, 1 - 1e-4, 301), [1e-9, 1 - 1e-9]])
INVERTED = {
    "norm": (), "gamma": (0.5,), "cauchy": (), "beta": (0.5, 0.7), "uniform": (), "t": (2.0,),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["NumericalInverseHermite", "NumericalInversePolynomial"])
@pytest.mark.parametrize("name", INVERTED)
def test_inversion(kind, name):
    """Errors of probabilities are as small as asked for, at both ends and at poles as well."""
    dist = getattr(cp.scipy.stats, name)(*INVERTED[name])
    exact = getattr(scipy.stats, name)(*INVERTED[name])
    generator = getattr(ours, kind)(dist, random_state=2)
    most = 1e-12 if kind == "NumericalInverseHermite" else 1e-10
    x = generator.ppf(cp.asarray(U)).get()
    assert np.abs(exact.cdf(x) - U).max() <= 1.01 * most + 4e-16 and (np.diff(x[:-2]) > 0).all()
    ends = generator.ppf([0.0, 1.0, -0.1, 1.1, np.nan]).get()
    np.testing.assert_array_equal(ends, [*exact.support(), np.nan, np.nan, np.nan])
    sample = generator.rvs((20, 100))
    assert sample.shape == (20, 100)
    assert scipy.stats.kstest(sample.get().ravel(), exact.cdf).pvalue > 1e-3
    error = generator.u_error(1000)
    assert float(error.mean_absolute_error) <= float(error.max_error) <= 1.02 * most + 4e-16
    assert generator.intervals < 6000


class Density:
    """A normal density of another height, and without a distribution function."""

    def pdf(self, x):
        return 20 * cp.exp(-0.5 * (x - 300) ** 2)


class LogDensity:
    def logpdf(self, x):
        return -0.5 * x * x - 2000


@pytest.mark.parametrize(
    ("order", "resolution"), [(3, 1e-8), (5, 1e-10), (8, 1e-12), (17, 1e-15)]
)  # fmt: skip
def test_inversion_of_a_density(order, resolution):
    generator = ours.NumericalInversePolynomial(
        Density(), center=301.0, order=order, u_resolution=resolution
    )
    x = generator.ppf(cp.asarray(U))
    error = np.abs(scipy.stats.norm.cdf(x.get() - 300) - U).max()
    assert error <= 1.01 * resolution + 1e-13  # 300 has no more digits
    np.testing.assert_allclose(generator.cdf(x).get(), U, rtol=1e-9, atol=1e-15)
    tails = generator.cdf([-np.inf, 0.0, 1e9, np.inf, np.nan]).get()
    np.testing.assert_array_equal(tails, [0, 0, 1, 1, np.nan])
    with pytest.raises(ValueError, match="cdf"):
        generator.u_error()


def test_inversion_of_the_logarithm_of_a_density():
    x = ours.NumericalInversePolynomial(LogDensity(), mode=0.0).ppf(cp.asarray(U))
    np.testing.assert_allclose(scipy.stats.norm.cdf(x.get()), U, atol=1.01e-10)
    part = ours.NumericalInversePolynomial(LogDensity(), domain=(0.5, 2.0)).ppf(cp.asarray(U))
    np.testing.assert_allclose(scipy.stats.truncnorm(0.5, 2).cdf(part.get()), U, atol=1.01e-10)


@pytest.mark.parametrize(("order", "resolution"), [(1, 1e-5), (3, 1e-12), (5, 1e-13)])
def test_orders_of_hermite(order, resolution):
    class Functions:
        cdf, pdf = cp.scipy.stats.norm.cdf, cp.scipy.stats.norm.pdf

        def dpdf(self, x):
            return -x * self.pdf(x)

    for options in ({}, {"construction_points": [-1.0, 0.5, 2.0]}):
        generator = ours.NumericalInverseHermite(
            Functions(), order=order, u_resolution=resolution, **options
        )
        error = np.abs(scipy.stats.norm.cdf(generator.ppf(cp.asarray(U)).get()) - U)
        assert error.max() <= 1.01 * resolution and generator.midpoint_error <= resolution
    part = ours.NumericalInverseHermite(Functions(), order=order, domain=(-1.0, 0.5),
                                        u_resolution=resolution).ppf(cp.asarray(U))  # fmt: skip
    wanted = scipy.stats.truncnorm(-1, 0.5).cdf(part.get())
    np.testing.assert_allclose(wanted, U, atol=2 * resolution)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_types_and_shapes_of_quantiles(dtype):
    generator = ours.NumericalInversePolynomial(cp.scipy.stats.norm())
    x = generator.ppf(cp.asarray(U[:6].reshape(2, 3).astype(dtype)))
    assert x.dtype == np.float64 and x.shape == (2, 3) and generator.ppf(0.5).shape == ()
    assert generator.rvs().shape == ()


def test_quasi_random_samples():
    generator = ours.NumericalInverseHermite(cp.scipy.stats.norm())
    wanted = theirs.NumericalInverseHermite(scipy.stats.norm())
    for options in ({}, {"size": 5}, {"size": 5, "d": 2}, {"size": (5, 3), "d": 2}, {"d": 2},
                    {"size": 4, "d": 1}):  # fmt: skip
        assert generator.qrvs(**options).shape == np.shape(wanted.qrvs(**options))
    x = generator.qrvs(64, qmc_engine=cp.scipy.stats.qmc.Sobol(2, rng=1))
    points = scipy.stats.qmc.Sobol(2, rng=1)
    np.testing.assert_allclose(x.get(), wanted.qrvs(64, qmc_engine=points), atol=1e-9)
    for options in ({"qmc_engine": 3}, {"d": 3, "qmc_engine": cp.scipy.stats.qmc.Halton(2)}):
        with pytest.raises(ValueError):
            generator.qrvs(5, **options)
    with pytest.raises(ValueError, match="1000"):
        generator.u_error(10)


OF_INVERSION = [
    ("NumericalInverseHermite", {"order": 2}), ("NumericalInverseHermite", {"order": "a"}),
    ("NumericalInverseHermite", {"domain": (1, 0)}), ("NumericalInverseHermite", {"domain": (0,)}),
    ("NumericalInversePolynomial", {"order": 2}),
    ("NumericalInversePolynomial", {"order": 18}), ("NumericalInversePolynomial", {"mode": 5, "domain": (0, 1)}),
    ("NumericalInversePolynomial", {"u_resolution": 1e-16}), ("NumericalInversePolynomial", {"u_resolution": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options"), OF_INVERSION, ids=str)
def test_wrong_inversions(kind, options):
    with pytest.raises((ValueError, theirs.UNURANError)) as wanted:
        getattr(theirs, kind)(scipy.stats.norm(), **options)
    with pytest.raises(wanted.type):
        getattr(ours, kind)(cp.scipy.stats.norm(), **options)
    with pytest.raises(ValueError, match="method"):
        getattr(ours, kind)(Masses())
    with pytest.raises(ValueError, match="dpdf"):
        ours.NumericalInverseHermite(cp.scipy.stats.norm(), order=5)


def test_densities_that_cannot_be_inverted():
    class Flat:
        def pdf(self, x):
            return 0 * x

    with pytest.raises(ours.UNURANError, match="positive"):
        ours.NumericalInversePolynomial(Flat(), domain=(0, 1))


def test_error_of_the_library():
    assert ours.UNURANError is theirs.UNURANError
