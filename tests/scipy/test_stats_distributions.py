"""Distributions of gpunp.scipy.stats against SciPy's: functions, moments, arguments, samples, fits."""

import math
import pickle

import numpy as np
import pytest
import scipy.stats
from distribution_cases import (
    INFINITE,
    LOOSE,
    OF_DATA,
    OF_PROBABILITY,
    PROBABILITIES,
    ROUNDED,
    SHAPES,
    both,
    points,
)

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about small numbers
stats = cp.scipy.stats


def same(result, wanted, rtol=1e-10, atol=1e-15):
    """The results of both libraries: float64, of one shape, equal to rounding."""
    assert isinstance(result, cp.ndarray)
    wanted = np.asarray(wanted, np.float64)
    assert result.dtype == np.float64 and result.shape == wanted.shape
    np.testing.assert_allclose(result.get(), wanted, rtol=rtol, atol=atol)


def compare_functions(name, shapes, methods):
    theirs = getattr(scipy.stats, name)
    x = points(theirs, shapes)
    for method in methods:
        if hasattr(theirs, "pmf"):
            method = method.replace("pdf", "pmf")
        ends = [] if name == "pearson3" else [0, 1]  # SciPy's support of that one has no ends
        quantiles = np.array([*PROBABILITIES, *ends, -0.1, 1.1, np.nan])
        at = quantiles if method in OF_PROBABILITY else x
        result, wanted = both(name, method, shapes, at, loc=0)
        # SciPy's densities of infinity are NaN for some distributions.
        result = cp.where(cp.asarray(np.isinf(at) & np.isnan(wanted)), np.nan, result)
        rtol = max(1e-9 if method in OF_PROBABILITY else 1e-10, LOOSE.get((name, method), 0))
        same(result, wanted, rtol)


# The methods that the short tests look at: others follow from the same formulas.
FEW = ["norm", "gamma", "beta", "t", "truncnorm", "genextreme", "binom", "poisson", "skellam"]


@pytest.mark.parametrize("name", FEW)
def test_functions(name):
    compare_functions(name, SHAPES[name][0], ["pdf", "cdf", "ppf"])


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_all_functions(name):
    for shapes in SHAPES[name]:
        compare_functions(name, shapes, OF_DATA + OF_PROBABILITY)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_all_moments(name):
    for shapes in SHAPES[name]:
        if (name, shapes) in INFINITE:
            continue
        for result, wanted in zip(*both(name, "stats", shapes, moments="mvsk"), strict=True):
            same(result, wanted, LOOSE.get((name, "stats"), 1e-8), 1e-9)
        for method in ("entropy", "std", "median"):
            result, wanted = both(name, method, shapes)
            same(result, wanted, LOOSE.get((name, method), 1e-8), 1e-12)
        if name != "pearson3":  # SciPy's support has no ends
            for result, wanted in zip(*both(name, "support", shapes, loc=2), strict=True):
                same(result, wanted)
        for order in range(4):
            result, wanted = both(name, "moment", shapes, order)
            same(result, wanted, LOOSE.get((name, "moment"), 1e-8), 1e-9)


@pytest.mark.parametrize("name", ["norm", "gamma", "truncnorm", "exponweib", "binom"])
def test_moments(name):
    shapes = SHAPES[name][0]
    for result, wanted in zip(*both(name, "stats", shapes, moments="mvsk"), strict=True):
        same(result, wanted, 1e-7)
    same(*both(name, "entropy", shapes), 1e-9)
    same(*both(name, "moment", shapes, 3, loc=1.5), 1e-8)


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in SHAPES]
)
def test_quantiles_invert(name):
    """The quantile of the distribution function of a point is the point, in both tails."""
    dist, shapes = getattr(stats, name), SHAPES[name][0]
    if not hasattr(dist, "pdf"):
        q = cp.asarray([0.01, 0.3, 0.6, 0.99])
        k = dist.ppf(q, *shapes)
        assert bool((dist.cdf(k, *shapes) >= q).all())
        assert bool((dist.cdf(k - 1, *shapes) < q).all())
        return
    q = cp.asarray([1e-9, 0.003, 0.3, 0.5])
    rtol = np.full(4, max(2e-7, LOOSE.get((name, "cdf"), 0)))
    rtol[0] = ROUNDED.get(name, rtol[0])
    error = dist.cdf(dist.ppf(q, *shapes), *shapes).get() / q.get() - 1
    assert (abs(error) <= rtol).all(), error


def test_integrated_tails():
    """SciPy's probabilities of norminvgauss have six digits; this one is mpmath's."""
    dist, shapes = stats.norminvgauss, (1.25, 0.5)
    found = float(dist.cdf(-6.1076853055392375, *shapes))
    assert found == pytest.approx(1.0000003192449731e-6, rel=1e-12)
    assert float(dist.cdf(8.0, *shapes)) == pytest.approx(
        1 - float(dist.sf(8.0, *shapes)), rel=1e-15
    )
    assert float(dist.cdf(0.3, *shapes) + dist.sf(0.3, *shapes)) == pytest.approx(1, rel=1e-13)
    same(*both("norminvgauss", "pdf", shapes, np.linspace(-3, 3, 7)))
    for result, wanted in zip(*both("norminvgauss", "stats", shapes, moments="mvsk"), strict=True):
        same(result, wanted)


def test_sums_of_many_probabilities():
    """Of distributions without closed forms, for parameters that have one."""
    k = np.array([0.0, 100.0, 12345.0, 2.0e6, 1e7 - 2])
    same(stats.betabinom.cdf(cp.asarray(k), 1e7, 1, 1), (k + 1) / (1e7 + 1), 1e-7)
    k = np.array([3.0, 1e3, 1e10, 1e20, 1e100])
    same(stats.betanbinom.sf(cp.asarray(k), 1, 1, 1), 1 / (k + 2), 1e-12, 0)
    same(stats.betanbinom.cdf(cp.asarray(k), 1, 1, 1), 1 - 1 / (k + 2), 1e-13)
    assert float(stats.logser.cdf(5000, 0.5)) == pytest.approx(1, rel=1e-15)
    k = np.array([10.0, 1000, 1e5, 1e12])  # the last two are below the smallest number
    j = k[:2, None] + np.arange(1, 64)
    tails = [*(0.5**j / j).sum(axis=1) / np.log(2), 0, 0]
    same(stats.logser.sf(cp.asarray(k), 0.5), tails, 1e-13, 0)
    same(stats.logser.cdf(cp.asarray(k[1:]), 0.5), np.ones(3), 1e-15)
    q = cp.asarray([0.5, 1 - 1e-6])
    same(stats.betanbinom.ppf(q, 1, 1, 1), [0, 999998], 0)


@pytest.mark.parametrize(
    ("skew", "x", "density", "tail"),
    [
        (1e-3, 2.5, 0.017552023339087317, 0.0062250063478084814),
        (1e-3, -3.0, 0.0044185552780424864, 0.0013439949970763115),
        (1e-7, 2.5, 0.017528302867192429, 0.006209666859502466),
    ],
)
def test_pearson3_of_small_skewness(skew, x, density, tail):
    """SciPy loses digits here; the numbers are mpmath's."""
    dist = stats.pearson3
    for sign in (1, -1):
        assert float(dist.pdf(sign * x, sign * skew)) == pytest.approx(density, rel=1e-13)
        upper = (x > 0) == (sign > 0)
        found = (dist.sf if upper else dist.cdf)(sign * x, sign * skew)
        assert float(found) == pytest.approx(tail, rel=1e-13)
        back = (dist.isf if upper else dist.ppf)(tail, sign * skew)
        assert float(back) == pytest.approx(sign * x, rel=1e-14)


# kappa, x and probability of both von Mises distributions, chi, x and probability of argus.
VON_MISES = [
    (0.3, -3.1, 0.0047958851660876815),
    (0.3, -0.5, 0.3962409034653417),
    (90.0, -3.1, 1.0834797100872753e-79),
    (90.0, -0.5, 1.3835028835913693e-06),
]
ARGUS = [
    (0.2, 1e-06, 1.4880274528327444e-12),
    (0.2, 0.7, 0.6336429900970086),
    (30.0, 1e-06, 3.9788445650664694e-204),
    (30.0, 0.7, 3.657681704304835e-99),
]


def test_tails_of_von_mises_and_argus():
    """Both tails have their digits; the numbers are mpmath's integrals of the densities."""
    kappa, x, wanted = np.array(VON_MISES).T
    for dist in (stats.vonmises, stats.vonmises_line):
        for call, at, value, rtol in (
            (dist.cdf, x, wanted, 1e-11),
            (dist.sf, -x, wanted, 1e-11),
            (dist.ppf, wanted, x, 1e-12),
            (dist.isf, wanted, -x, 1e-12),
        ):
            np.testing.assert_allclose(call(cp.asarray(at), cp.asarray(kappa)).get(), value, rtol)
    chi, x, wanted = np.array(ARGUS).T
    found = stats.argus.cdf(cp.asarray(x), cp.asarray(chi)).get()
    np.testing.assert_allclose(found, wanted, 1e-10)
    found = stats.argus.ppf(cp.asarray(wanted), cp.asarray(chi)).get()
    np.testing.assert_allclose(found[[0, 2, 3]], x[[0, 2, 3]], 1e-10)


# ---- arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "f2", "u1"])
def test_dtypes(dtype):
    x = np.array([0, 1, 2, 3], dtype)
    same(*both("norm", "pdf", (), x, loc=0.5, scale=2))
    same(*both("binom", "pmf", (5, 0.3), x))


@pytest.mark.parametrize(
    "x",
    [
        np.linspace(0.1, 3, 24).reshape(4, 6)[::2, ::-1],
        np.asfortranarray(np.linspace(0.1, 3, 24).reshape(4, 6)),
        np.broadcast_to(np.linspace(0.1, 3, 6), (4, 6)),
        np.zeros((0, 3)),
        np.array(0.7),
        [0.3, 0.4],
        2,
    ],
    ids=["strided", "fortran", "broadcast", "empty", "scalar", "list", "int"],
)
def test_layouts(x):
    same(*both("norm", "pdf", (), x))


def test_parameters_broadcast():
    x, a, scale = np.linspace(0.1, 4, 5)[:, None], np.array([0.5, 2, -1]), np.array([[1.0], [-1]])
    wanted = scipy.stats.gamma.cdf(x[:, None], a, loc=[0, 0.1, 0], scale=scale)
    same(
        stats.gamma.cdf(
            cp.asarray(x[:, None]), cp.asarray(a, "f4"), loc=[0, 0.1, 0], scale=cp.asarray(scale)
        ),
        wanted,
    )
    low, high = stats.gamma.interval(0.9, cp.asarray(a[:2]))
    for result, theirs in zip((low, high), scipy.stats.gamma.interval(0.9, a[:2]), strict=True):
        same(result, theirs)
    for result, theirs in zip(
        stats.gamma.stats(cp.asarray(a), loc=1.0, moments="sv"),
        scipy.stats.gamma.stats(a, loc=1.0, moments="sv"),
        strict=True,
    ):
        same(result, theirs)


@pytest.mark.parametrize(
    "method, x, places",
    [
        ("pdf", 1.0, {"scale": -1}),
        ("pdf", 1.0, {"scale": 0}),
        ("pdf", 1.0, {"loc": np.nan}),
        ("pdf", np.nan, {}),
        ("logpdf", np.inf, {}),
        ("cdf", -np.inf, {}),
        ("cdf", 1.0, {"scale": np.inf}),
        ("ppf", 0.5, {"loc": np.nan}),
        ("ppf", 1.0, {"loc": 3, "scale": 2}),
    ],
)
def test_special_values(method, x, places):
    same(*both("norm", method, (), x, **places))


CALLS = [
    lambda st, dist: dist.pdf(),
    lambda st, dist: dist.pdf(1.0),
    lambda st, dist: dist.pdf(1.0, 2, 0, 1, 5),
    lambda st, dist: dist.pdf(1.0, 2, b=3),
    lambda st, dist: dist.pdf(1.0, 2, a=3),
    lambda st, dist: dist(),
    lambda st, dist: dist(2, 3, 4, 5),
    lambda st, dist: dist.rvs(-1.0),
    lambda st, dist: dist.rvs(2.0, scale=-1),
    lambda st, dist: dist.rvs(2.0, random_state="x"),
    lambda st, dist: dist.rvs([1.0, 2.0], size=3),
    lambda st, dist: dist.rvs([1.0, 2.0], size=(3, 1)),
    lambda st, dist: dist.moment(1.5, 2.0),
    lambda st, dist: dist.moment(-1, 2.0),
    lambda st, dist: dist.interval(2.0, 2.0),
    lambda st, dist: dist.fit([1.0, np.nan]),
    lambda st, dist: dist.fit([1.0, 2.0], fa=1, floc=0, fscale=1),
    lambda st, dist: dist.fit([1.0, 2.0], f0=1, fa=1),
    lambda st, dist: dist.fit([1.0, 2.0], foo=1),
    lambda st, dist: dist.fit([1.0, 2.0], 1.0, 2.0),
    lambda st, dist: dist.fit([1.0, 2.0], method="x"),
    lambda st, dist: dist.fit([1.0, -2.0], floc=0),
]


@pytest.mark.parametrize("call", CALLS)
def test_errors(call):
    with pytest.raises(Exception) as theirs:
        call(scipy.stats, scipy.stats.gamma)
    public = next(kind for kind in type(theirs.value).__mro__ if kind.__module__ == "builtins")
    with pytest.raises(public):
        call(stats, stats.gamma)


def test_complex_numbers_are_refused():
    with pytest.raises(TypeError, match="complex"):
        stats.norm.pdf(cp.ones(2, "c16"))
    with pytest.raises(TypeError, match="move it to the device"):
        stats.norm.pdf(np.ones(2))


# ---- frozen distributions ------------------------------------------------------------------------


def test_frozen():
    ours, theirs = stats.gamma(2.5, scale=3.0), scipy.stats.gamma(2.5, scale=3.0)
    x = np.linspace(-1, 9, 7)
    same(ours.pdf(cp.asarray(x)), theirs.pdf(x))
    same(ours.ppf(0.3), theirs.ppf(0.3))
    same(ours.mean(), theirs.mean())
    same(ours.moment(2), theirs.moment(2))
    for result, wanted in zip(ours.interval(0.5), theirs.interval(0.5), strict=True):
        same(result, wanted)
    assert [float(v) for v in ours.stats("vk")] == pytest.approx(theirs.stats("vk"))
    assert ours.dist is stats.gamma and ours.args == theirs.args and ours.kwds == theirs.kwds
    count = stats.binom(12, 0.25)
    same(count.pmf([2, 3]), scipy.stats.binom(12, 0.25).pmf([2, 3]))
    assert not hasattr(count, "pdf") and not hasattr(ours, "pmf")


def test_distributions_pickle_and_have_names():
    assert pickle.loads(pickle.dumps(stats.gamma)) is stats.gamma
    assert (stats.gamma.name, stats.gamma.shapes, stats.gamma.numargs) == ("gamma", "a", 1)
    assert stats.norm.shapes is None
    for name in SHAPES:
        assert getattr(stats, name).shapes == getattr(scipy.stats, name).shapes


# ---- samples -------------------------------------------------------------------------------------


def check_samples(name):
    """Samples have the distribution that they are from: Kolmogorov-Smirnov, or chi-square."""
    shapes = SHAPES[name][0]
    dist, theirs = getattr(stats, name), getattr(scipy.stats, name)
    samples = dist.rvs(*shapes, loc=1, size=4000, random_state=3)
    assert samples.shape == (4000,)
    x = samples.get()
    if name == "wrapcauchy":  # angles from 0 to one turn, as SciPy's, wherever `loc` is
        assert x.min() >= 0 and x.max() < 2 * np.pi
        x = 1 + (x - 1) % (2 * np.pi)
    if hasattr(dist, "pdf"):
        assert x.dtype == np.float64
        assert scipy.stats.kstest(x, lambda v: theirs.cdf(v, *shapes, loc=1)).pvalue > 1e-3
        return
    assert x.dtype == np.int64
    edges = np.unique(theirs.ppf(np.linspace(0.1, 0.9, 6), *shapes, loc=1))
    counts = np.bincount(np.searchsorted(edges, x), minlength=edges.size + 1)
    expected = 4000 * np.diff([0, *theirs.cdf(edges, *shapes, loc=1), 1])
    kept = expected > 5
    assert not counts[expected < 1e-9].any()  # nothing lies beyond the support
    rest = [counts[~kept].sum()], [expected[~kept].sum()]
    rest = rest if rest[1][0] > 1e-9 else ([], [])
    statistic = scipy.stats.chisquare([*counts[kept], *rest[0]], [*expected[kept], *rest[1]])
    assert statistic.pvalue > 1e-3


@pytest.mark.parametrize("name", ["norm", "gamma", "truncnorm", "binom", "boltzmann", "hypergeom"])
def test_samples(name):
    check_samples(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_all_samples(name):
    check_samples(name)


def test_shapes_of_samples():
    for size, shape in [(None, (2,)), (2, (2,)), ((3, 2), (3, 2)), ((4, 1, 2), (4, 1, 2))]:
        assert stats.norm.rvs(cp.asarray([0.0, 9.0]), size=size, random_state=1).shape == shape
    assert stats.norm.rvs(random_state=1).shape == ()
    assert stats.gamma.rvs(2.0, size=0).shape == (0,)
    generator = cp.random.default_rng(5)
    first = stats.norm.rvs(size=3, random_state=generator)
    assert not bool((first == stats.norm.rvs(size=3, random_state=generator)).any())
    again = stats.norm.rvs(size=3, random_state=cp.random.default_rng(5))
    assert bool((first == again).all())


# ---- fits and expected values --------------------------------------------------------------------

DATA = scipy.stats.gamma.rvs(2.5, loc=1, scale=3, size=300, random_state=8)


@pytest.mark.parametrize(
    "name, options",
    [
        ("norm", {}),
        ("norm", {"floc": 2}),
        ("expon", {}),
        ("uniform", {}),
        ("laplace", {}),
        ("lognorm", {"floc": 0}),
        ("rayleigh", {"floc": 0}),
        ("invgauss", {"floc": 0}),
        ("gamma", {"floc": 0}),
        ("gamma", {"floc": 0, "fa": 2}),
        ("gamma", {"floc": 0, "fscale": 2}),
        ("gamma", {"method": "MM"}),
        ("gamma", {"method": "MM", "floc": 0.5}),
        ("gamma", {"method": "MM", "fscale": 2.5}),
        ("gamma", {"method": "MM", "fa": 2.25}),
        ("gamma", {"method": "MM", "fa": 2.25, "floc": 0.5}),
        ("gumbel_r", {}),
        ("gumbel_r", {"fscale": 3.5}),
        ("gumbel_l", {}),
        ("gumbel_l", {"floc": 9}),
        ("halfcauchy", {}),
        ("halfcauchy", {"floc": 0.5}),
        ("halflogistic", {}),
        ("halfnorm", {}),
        ("halfnorm", {"fscale": 6}),
        ("pareto", {"floc": 0}),
        ("vonmises", {}),
        ("vonmises", {"floc": 1}),
    ],
)
def test_closed_fits(name, options):
    found = getattr(stats, name).fit(cp.asarray(DATA), **options)
    wanted = getattr(scipy.stats, name).fit(DATA, **options)
    assert found == pytest.approx(wanted, rel=1e-7 if name == "halflogistic" else 1e-9)


def test_fits_at_the_edges():
    assert stats.vonmises.fit([0.25, 0.25]) == (1e16, pytest.approx(0.25), 1)
    tiny = DATA * 1e-10
    assert stats.gumbel_r.fit(cp.asarray(tiny)) == pytest.approx(scipy.stats.gumbel_r.fit(tiny))
    ends = scipy.stats.loguniform.rvs(2, 9, size=40, random_state=5)
    *_, scale = stats.loguniform.fit(cp.asarray(ends))
    assert scale == 1
    for name in ("halfnorm", "halfcauchy", "halflogistic", "pareto"):
        with pytest.raises(ValueError, match="beyond the support"):
            getattr(stats, name).fit([1.0, 2.0, 4.0], floc=1.5)


@pytest.mark.parametrize(
    "name, options",
    [("logistic", {}), ("weibull_min", {"floc": 1}), ("norm", {"method": "MM"})],
)
def test_optimized_fits(name, options):
    dist, theirs = getattr(stats, name), getattr(scipy.stats, name)
    found = dist.fit(cp.asarray(DATA), **options)
    wanted = theirs.fit(DATA, **options)
    assert found == pytest.approx(wanted, rel=1e-3)
    same(dist.nnlf(found, cp.asarray(DATA)), theirs.nnlf(found, DATA))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["gamma", "t", "lognorm", "logistic", "beta", "genextreme", "pareto"]
)
def test_fits_are_as_likely_as_scipys(name):
    dist, theirs = getattr(stats, name), getattr(scipy.stats, name)
    shapes = SHAPES[name][0]
    x = theirs.rvs(*shapes, size=500, random_state=4)
    found = dist.fit(cp.asarray(x))
    assert theirs.nnlf(found, x) <= theirs.nnlf(theirs.fit(x), x) + 1e-3 * abs(
        theirs.nnlf(found, x)
    )


def test_likelihood():
    same(*both("norm", "nnlf", (), (0.0, 1.5), DATA))
    assert float(stats.norm.nnlf((0.0, -1.0), cp.asarray(DATA))) == np.inf
    assert (
        float(stats.gamma.nnlf((2.0, 3.0, 1.0), cp.asarray(DATA))) == np.inf
    )  # beyond the support


@pytest.mark.parametrize(
    "name, options",
    [
        ("norm", {"loc": 1, "scale": 2}),
        ("norm", {"lb": 0.3, "ub": 2, "conditional": True}),
        ("gamma", {"args": (2.5,), "lb": 1.0}),
        ("poisson", {"args": (3.5,), "loc": 1}),
        ("binom", {"args": (12, 0.4), "lb": 3, "conditional": True}),
    ],
)
def test_expected_values(name, options):
    wanted = getattr(scipy.stats, name).expect(lambda x: x * x, **options)
    same(getattr(stats, name).expect(lambda x: x * x, **options), wanted, 1e-8)


def test_a_method_is_one_launch():
    x = cp.linspace(0.1, 1, 50)
    for method in ("pdf", "cdf", "ppf"):
        getattr(stats.gamma, method)(x, 2.0, 0.0, 3.0)  # compiled before
        with cp.allow_synchronize(False):
            getattr(stats.gamma, method)(x, 2.0, 0.0, 3.0)


# ---- tails, limits and overflows -----------------------------------------------------------------

# Arguments where one tail is nearly 1, and where a term overflows or underflows.
EDGES = [
    ("cauchy", "logpdf", (), [3e190, -2e300, 0.5]),
    ("cauchy", "logcdf", (), [7e200, 2.0, -5.0]),
    ("cauchy", "logsf", (), [-7e200, 2.0, -5.0]),
    ("chi", "logcdf", (1.25,), [7.5, 1.0]),
    ("maxwell", "logsf", (), [1e-7, 1.0]),
    ("levy", "logsf", (), [3e-3, 1.0]),
    ("nakagami", "logcdf", (0.75,), [5.5, 0.4]),
    ("exponweib", "logsf", (2.0, 9.0), [4e-9, 1.0]),
    ("binom", "logcdf", (12, 0.125), [11.0, 2.0]),
    ("truncnorm", "logcdf", (-1.5, 18.0), [11.0, 0.25]),
    ("truncnorm", "logsf", (-18.0, 1.5), [-11.0, -0.25]),
    ("loggamma", "cdf", (0.002,), [-760.0, -650.0, -1.0]),
    ("loggamma", "sf", (0.002,), [-760.0, -650.0, -1.0]),
    ("loggamma", "logcdf", (0.3,), [-760.0, -1.0, 3.0]),
    ("truncexpon", "isf", (90.0,), [1e-30, 1e-3, 0.8]),
    ("truncexpon", "sf", (90.0,), [89.9999, 1.0]),
    ("kappa3", "sf", (2e5,), [0.25, 1.0]),
    ("nct", "pdf", (8.0, 16.0), [-10.0, -5.0, -0.1, 3.0, 20.0]),
    ("nct", "pdf", (7.0, 50.0), [-2.0, 0.5, 40.0, 300.0]),
    ("nct", "pdf", (40.0, -0.5), [-2.0, 0.0, 4.0]),
    ("invgauss", "logpdf", (math.inf,), [0.25, 3.0]),
    ("invgauss", "cdf", (math.inf,), [0.25, 3.0]),
    ("loguniform", "ppf", (1e-180, 1e190), [0.1, 0.7]),
    ("loguniform", "isf", (1e-180, 1e190), [0.1, 0.7]),
]


@pytest.mark.parametrize("name, method, shapes, x", EDGES)
def test_values_near_the_limits_of_numbers(name, method, shapes, x):
    same(*both(name, method, shapes, np.array(x)), rtol=1e-11, atol=0)


# By mpmath, in 40 digits.
ENTROPIES = [
    ("gamma", (4e14,), 18.230181364722938),
    ("gamma", (70.0,), 3.538407210620693),
    ("invgamma", (6e7,), -25.445844135963778),
    ("chi", (3e9,), 1.0723649428691446),
    ("chi2", (4e14,), 18.576754955002908),
    ("dgamma", (1e80,), 94.21548943352644),
    ("gengamma", (2e6, 1.5), 3.431582964850531),
    ("loggamma", (5e9,), -9.74741334145225),
    ("loggamma", (3e-9,), 20.6246535512783),
    ("gengamma", (4e-9, 2e8), -0.026856447571868548),
    ("nakagami", (2e-10,), -2499999966.4826994),
    ("nakagami", (3e9,), -10.18514771019031),
    ("beta", (2e10, 3e10), -11.61226406581379),
    ("gompertz", (800.0,), -5.685860169059602),
    ("invgauss", (3e-8,), -24.564164172221712),
    ("truncexpon", (900.0,), 1.0),
]


@pytest.mark.parametrize("name, shapes, wanted", ENTROPIES)
def test_entropies_of_large_and_small_shapes(name, shapes, wanted):
    found = float(getattr(stats, name).entropy(*shapes))
    assert found == pytest.approx(wanted, rel=1e-14)


def test_moments_that_do_not_exist_are_nan():
    same(*both("nct", "stats", (0.8, 0.4), moments="m"))
    same(*both("nct", "stats", (1.7, 0.4), moments="v"))
    same(*both("landau", "moment", (), 3))
    assert float(stats.nct.pdf(-9.0, 7.0, 15.0)) >= 0
    wanted = math.log(2 / math.pi) - 2 * math.log(3e190)
    assert float(stats.halfcauchy.logpdf(3e190)) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("loc", [0.0, 40.0, -23.0])
def test_samples_on_a_circle_lie_within_one_turn(loc):
    x = stats.vonmises.rvs(0.5, loc=loc, size=200, random_state=4).get()
    assert (abs(x) <= np.pi).all() and x.std() > 1
    x = stats.wrapcauchy.rvs(0.2, loc=loc, scale=3, size=200, random_state=4).get()
    assert (x >= 0).all() and (x <= 2 * np.pi).all() and x.std() > 1


@pytest.mark.parametrize("first", [None, -9.5, 4.0])
@pytest.mark.parametrize("kappa", [0.6, 300.0])
def test_expected_values_of_angles(kappa, first):
    bounds = {} if first is None else {"lb": first, "ub": first + 2 * np.pi}
    places = {"args": (kappa,), "loc": 1.5}
    wanted = scipy.stats.vonmises.expect(lambda x: x * x, **places, **bounds)
    found = stats.vonmises.expect(lambda x: x * x, **places, **bounds)
    assert float(found) == pytest.approx(wanted, rel=1e-9)
    turned = complex(stats.vonmises.expect(lambda x: cp.exp(1j * x), **places, **bounds))
    assert np.angle(turned) == pytest.approx(1.5, rel=1e-9)


@pytest.mark.parametrize("conditional", [False, True])
def test_expected_value_between_reversed_bounds(conditional):
    options = {"loc": -2, "scale": 4, "lb": 1.0, "ub": -0.5, "conditional": conditional}
    wanted = scipy.stats.uniform.expect(lambda x: x, **options)
    assert float(stats.uniform.expect(lambda x: x, **options)) == pytest.approx(wanted, rel=1e-9)


def test_ends_of_supports():
    for name in (
        "norm",
        "expon",
        "pareto",
        "vonmises_line",
        "wrapcauchy",
        "anglit",
        "binom",
        "geom",
    ):
        ours, theirs = getattr(stats, name), getattr(scipy.stats, name)
        assert (ours.a, ours.b) == (theirs.a, theirs.b)
    frozen = stats.truncnorm(cp.asarray([-1.0, 2.0]), 3.0, loc=5)
    assert frozen.a.get().tolist() == [-1, 2] and frozen.b.get().tolist() == [3, 3]


# The integrals of the density, by mpmath.
SKEW_NORMAL = [
    (-1.5, 6.0, 5.1479432945446e-22),
    (-2.5, 3.0, 4.34175802203495e-17),
    (-0.25, 20.0, 2.062364010815056e-09),
    (-5.0, 0.5, 2.800579457808477e-09),
]


def test_tails_of_the_skew_normal_distribution():
    x, a, wanted = np.array(SKEW_NORMAL).T
    found = stats.skewnorm.cdf(cp.asarray(x), cp.asarray(a)).get()
    np.testing.assert_allclose(found, wanted, rtol=1e-11)
    found = stats.skewnorm.sf(cp.asarray(-x), cp.asarray(-a)).get()
    np.testing.assert_allclose(found, wanted, rtol=1e-11)
