"""Random variables of gpunp.scipy.stats against SciPy's: functions, moments, arithmetic, errors."""

import functools

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytest.importorskip("scipy", minversion="1.17")
pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about parameters out of the domain
ours = cp.scipy.stats
MU, SIGMA = np.array([[0.0], [-1.5]]), np.array([1.0, 0.5, -1.0])
N, P = np.array([3, 10, 2.5]), np.array([[0.3], [0.9], [1.0]])


@functools.cache
def family(stats, name):
    """A class of random variables, which SciPy takes long to make."""
    return stats.make_distribution(getattr(stats, name))


def made(stats, name, asarray):
    """A random variable of either library."""
    gamma = family(stats, "gamma")
    table = {
        "normal": lambda: stats.Normal(),
        "normals": lambda: stats.Normal(mu=asarray(MU), sigma=asarray(SIGMA)),
        "single": lambda: stats.Normal(mu=asarray(MU.astype("f4")), sigma=asarray(SIGMA.astype("f4"))),
        "uniform": lambda: stats.Uniform(a=asarray(np.array([1.0, 3])), b=2.5),
        "logistic": lambda: stats.Logistic(),
        "binomial": lambda: stats.Binomial(n=asarray(N), p=asarray(P)),
        "gamma": lambda: gamma(a=asarray(np.array([2.5, 0.7]))),
        "poisson": lambda: family(stats, "poisson")(mu=2.5),
        "moved": lambda: 3 - 2 * gamma(a=2.5),
        "array": lambda: stats.Normal() * asarray(np.array([2.0, -2])) + 1,
        "exp": lambda: stats.exp(stats.Normal(mu=0.5, sigma=asarray(np.array([0.3, 0.8])))),
        "log": lambda: stats.log(stats.Uniform(a=1.0, b=3.0)),
        "abs": lambda: abs(stats.Normal(mu=0.5, sigma=asarray(np.array([1.0, 2])))),
        "abs of one side": lambda: stats.abs(stats.Uniform(a=1.0, b=3.0) * -1),
        "square": lambda: stats.Normal(mu=0.5) ** 2,
        "cube": lambda: stats.Uniform(a=-1.0, b=2.0) ** 3,
        "inverse": lambda: 2 / gamma(a=5.5),
        "power": lambda: 0.9 ** stats.Logistic(),
        "truncated": lambda: stats.truncate(stats.Normal(), asarray(np.array([-1.0, 2, 3])), 2.5),
        "smallest": lambda: stats.order_statistic(stats.Normal(), r=asarray(np.array([1, 2, 4])), n=4),
        "second": lambda: stats.order_statistic(stats.Normal(mu=0.2), r=2, n=4),
        "mixture": lambda: stats.Mixture(
            [stats.Normal(mu=-1.0), stats.Normal(mu=2.0, sigma=0.5)], weights=asarray(np.array([0.3, 0.7]))
        ),
    }  # fmt: skip
    return table[name]()


NAMES = [
    "normal", "normals", "single", "uniform", "logistic", "binomial", "gamma", "poisson", "moved",
    "array", "exp", "log", "abs", "abs of one side", "square", "cube", "inverse", "power",
    "truncated", "smallest", "second", "mixture",
]  # fmt: skip
X = np.array([-2.5, -1.1, -0.2, 0.3, 1.25, 1.75, 2.2, 3, 6.5, np.nan])
MADE = ["normal", "normals", "single", "uniform", "logistic", "binomial", "gamma", "poisson"]
Q = np.array([0, 1e-9, 0.2, 0.5, 0.9, 1, -0.1, 1.1, np.nan])
# Relative errors of SciPy's results, by quadrature and inversion.
LOOSE = {
    "exp": 1e-7,
    "power": 1e-7,
    "inverse": 1e-7,
    "smallest": 1e-7,
    "second": 1e-7,
    "square": 1e-7,
    "abs": 1e-7,
    "cube": 2e-5,
}


def column(values, shape):
    return values.reshape((-1,) + (1,) * len(shape))


def same(result, wanted, rtol, name=""):
    wanted = np.asarray(wanted)
    assert isinstance(result, cp.ndarray), name
    assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape), name
    np.testing.assert_allclose(result.get(), wanted, rtol=rtol, atol=rtol, err_msg=name)


@functools.cache
def wanted_of(name):
    return made(scipy.stats, name, np.asarray)


def both(name):
    return made(ours, name, cp.asarray), wanted_of(name)


def tolerance(name):
    return 2e-6 if name == "single" else LOOSE.get(name, 1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_numbers(name):
    found, wanted = both(name)
    points = column(X, found._shape).astype(found._dtype)
    if name == "binomial":  # SciPy's probabilities up to what is not whole are between those beside
        points = column(np.array([-1.0, 0, 1, 2, 3, 10, 11]), found._shape)
    points = points[:-1] if name == "mixture" else points
    methods = ["pdf", "logpdf", "cdf", "ccdf", "logcdf", "logccdf"]
    for method in methods + ["pmf", "logpmf"] * (name in MADE):  # SciPy's recur for others
        value = getattr(wanted, method)(points)
        same(getattr(found, method)(cp.asarray(points)), value, tolerance(name), method)
    if name not in ("binomial", "poisson", "mixture", "cube"):  # SciPy's has no digits for cubes
        first, second = points[:-1], points[:-1][::-1]
        for method in ("cdf", "ccdf", "logcdf"):
            value = getattr(wanted, method)(first, second)
            here = getattr(found, method)(cp.asarray(first), cp.asarray(second))
            same(here, value, tolerance(name), f"{method} of two")


@pytest.mark.parametrize("name", NAMES)
def test_quantiles(name):
    found, wanted = both(name)
    points = column(Q, found._shape).astype(found._dtype)
    if name == "mixture":
        points = points[1:5]
    for method in ("icdf", "iccdf") if name != "poisson" else ("icdf",):  # SciPy's fails
        value = getattr(wanted, method)(points)
        same(getattr(found, method)(cp.asarray(points)), value, max(tolerance(name), 1e-8), method)
    logs = np.log(points[1:5])
    for method in ("ilogcdf", "ilogccdf") if name != "poisson" else ("ilogcdf",):
        value = getattr(wanted, method)(logs)
        same(getattr(found, method)(cp.asarray(logs)), value, max(tolerance(name), 1e-7), method)


def test_numbers_that_are_known():
    """SciPy's quadratures have two digits of a cube, and fail for arrays of ranks."""
    cube = ours.Uniform(a=-1.0, b=2.0) ** 3
    np.testing.assert_allclose(float(cube.mean()), 1.25, rtol=1e-12)
    np.testing.assert_allclose(float(cube.variance()), 129 / 21 - 1.25**2, rtol=1e-12)
    ranks = ours.order_statistic(ours.Uniform(a=0.0, b=1.0), r=cp.arange(1, 6), n=5)
    np.testing.assert_allclose(ranks.mean().get(), np.arange(1, 6) / 6, rtol=1e-12)
    r = np.arange(1, 6)
    np.testing.assert_allclose(ranks.variance().get(), r * (6 - r) / (36 * 7), rtol=1e-11)
    wrong = ours.order_statistic(ours.Normal(), r=cp.asarray([1.5, 4, 0]), n=3)
    assert np.isnan(wrong.mean().get()).all() and np.isnan(wrong.pdf(0.3).get()).all()
    assert np.isnan(float(ours.truncate(ours.Normal(), 2, 1).mean()))
    half = ours.truncate(ours.Normal(), 30.0)  # far in a tail, which SciPy's difference loses
    np.testing.assert_allclose(float(half.mean()), 30.03325966743367, rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("cube", "smallest")])
def test_numbers_of_a_variable(name):
    found, wanted = both(name)
    rtol = max(tolerance(name), 1e-8)
    for method in (
        "mean",
        "variance",
        "standard_deviation",
        "skewness",
        "kurtosis",
        "median",
        "entropy",
    ):
        value = getattr(wanted, method)()
        value = value if method != "entropy" else np.asarray(value, found._dtype)
        same(getattr(found, method)(), value, rtol, method)
    mode = wanted.mode()
    if name == "abs of one side":  # a constant density, whose mode is any of its points
        mode = found.mode().get()
        assert (wanted.pdf(mode) == wanted.pdf(wanted.mode())).all()
    same(found.mode(), np.where(np.isnan(mode), found.mode().get(), mode), 1e-6, "mode")
    logentropy = np.asarray(wanted.logentropy(), np.result_type(found._dtype, np.complex64))
    same(found.logentropy(), logentropy, max(rtol, 1e-6), "logentropy")
    for a, b in zip(found.support(), wanted.support(), strict=True):
        same(a, b, rtol, "support")
    for kind in ("raw", "central", "standardized"):
        for order in range(6):
            value = wanted.moment(order, kind)
            scale = max(1.0, float(np.nanmax(np.abs(value))))
            same(found.moment(order, kind) / scale, value / scale, rtol, f"{kind} {order}")


@pytest.mark.parametrize("name", NAMES)
def test_samples(name):
    found, wanted = both(name)
    x = found.sample((400, 2), rng=3)
    assert x.dtype == found._dtype and x.shape == (400, 2, *found._shape)
    low, high = (end.get() for end in found.support())
    valid = low == low
    ranks = wanted.cdf(x.get().reshape(800, *found._shape))
    for share in np.moveaxis(ranks.reshape(800, -1), 0, -1)[np.ravel(valid)]:
        if name not in ("binomial", "poisson"):
            assert scipy.stats.kstest(share, "uniform").pvalue > 1e-4
    assert np.isnan(x.get()[..., ~valid]).all()


CALLS = [
    lambda s: s.Uniform(), lambda s: s.Uniform(a=1), lambda s: s.Normal(foo=1),
    lambda s: s.Logistic(a=1), lambda s: s.Normal(mu=1, foo=2), lambda s: s.Normal(1, 2),
    lambda s: s.Binomial(n=3), lambda s: s.Normal().moment(1.5), lambda s: s.Normal().moment(1, "x"),
    lambda s: s.Normal().moment(-1), lambda s: s.Normal() + "a", lambda s: s.Binomial(n=3, p=0.5) + 1,
    lambda s: s.truncate(s.Binomial(n=3, p=0.5)), lambda s: s.log(s.Normal()),
    lambda s: s.Normal() ** -1, lambda s: s.Normal() ** 1.5, lambda s: 1 / s.Normal(),
    lambda s: 1 ** s.Normal(), lambda s: s.exp(1), lambda s: s.abs(2.0),
    lambda s: s.order_statistic(s.Normal(), r=1.5, n=3), lambda s: s.Mixture([]),
    lambda s: s.Mixture([s.Normal(), 1]), lambda s: s.Mixture([s.Normal(mu=[1, 2])]),
    lambda s: s.Mixture([s.Normal()], weights=[2.0]), lambda s: s.Mixture([s.Normal()], weights=[1]),
    lambda s: s.Mixture([s.Normal()], weights=[0.5, 0.5]),
    lambda s: s.Mixture([s.Normal(), s.Normal()], weights=[-0.5, 1.5]),
    lambda s: s.make_distribution(s.gamma)(), lambda s: s.make_distribution(s.gamma)(a=2, b=1),
    lambda s: s.make_distribution(s.levy_stable), lambda s: s.make_distribution(3),
    lambda s: s.Normal(tol=-1), lambda s: s.Normal(cache_policy="x"),
    lambda s: s.Normal(validation_policy="x"), lambda s: s.Normal().kurtosis(convention="e"),
    lambda s: s.Normal(mu=[1, 2]).pdf([1, 2, 3]), lambda s: s.Normal(mu=[1, 2], sigma=[1, 2, 3]),
    lambda s: s.Normal(mu="a"), lambda s: s.Normal(mu=1j), lambda s: s.Binomial(n=3, p=0.5).cdf(1, 2),
    lambda s: s.Uniform(a=1, b=2).mu, lambda s: (s.Normal() * 2).plot(t=("pdf", 0, 1)),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_wrong_arguments(call):
    kinds = (ValueError, TypeError, NotImplementedError, AttributeError)
    with pytest.raises(kinds) as wanted:
        call(scipy.stats)
    with pytest.raises(wanted.type):
        call(ours)


def test_words():
    for call in (
        lambda s: s.Normal(), lambda s: s.Normal(mu=1.0), lambda s: 2 * s.Normal() + 1,
        lambda s: s.Normal() ** 2, lambda s: 1 / s.Uniform(a=1, b=2), lambda s: s.exp(s.Normal()),
        lambda s: s.log(s.Uniform(a=1.0, b=2.0)), lambda s: s.truncate(s.Normal(), 1, 2),
        lambda s: abs(s.Normal()), lambda s: s.Mixture([s.Normal(), s.Uniform(a=0, b=1)]),
        lambda s: s.order_statistic(s.Normal(), r=1, n=2), lambda s: s.Normal() - 1,
        lambda s: s.make_distribution(s.gamma)(a=2.0), lambda s: 2 ** s.Normal(),
    ):  # fmt: skip
        assert str(call(ours)) == str(call(scipy.stats))
        assert repr(call(ours)) == repr(call(scipy.stats))


def test_distributions_of_users():
    class Decay(ours.rv_continuous):
        def _pdf(self, x, rate):
            return rate * cp.exp(-rate * x)

    variable = ours.make_distribution(Decay(a=0, name="decay"))(rate=2.0) + 1
    np.testing.assert_allclose(float(variable.cdf(1.5)), -np.expm1(-1), rtol=1e-12)
    np.testing.assert_allclose(float(variable.mean()), 1.5, rtol=1e-9)
    assert str(variable) == "1.0*Decay(rate=2.0) + 1.0"


def test_plots():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    for name, options in (("normals", {}), ("poisson", {}), ("poisson", {"y": "cdf"}),
                          ("gamma", {"x": "cdf", "y": "pdf", "t": ("x", 1, 2)})):  # fmt: skip
        if name == "normals":
            found = ours.Normal(mu=[0.0, 1]), scipy.stats.Normal(mu=np.array([0.0, 1]))
        else:
            found = both(name)
        axes = [variable.plot(ax=pyplot.figure().gca(), **options) for variable in found]
        for kind in ("lines", "patches"):
            a, b = (getattr(ax, kind) for ax in axes)
            assert len(a) == len(b)
        for a, b in zip(*(ax.lines for ax in axes), strict=True):
            np.testing.assert_allclose(a.get_xydata(), b.get_xydata(), rtol=1e-9)
        assert [ax.get_title() for ax in axes] == [str(found[0])] * 2
    pyplot.close("all")


def test_nothing_waits_for_the_device():
    names = [name for name in NAMES if name not in ("single", "square", "abs")]
    variables = [made(ours, name, cp.asarray) for name in names]
    x = cp.asarray(0.3)
    with cp.allow_synchronize(False):
        for variable in variables:
            variable.pdf(x), variable.ccdf(x), variable.icdf(x)
            variable.mean(), variable.entropy(), variable.mode(), variable.sample()
        ours.truncate(ours.Normal(), cp.asarray(1.0), 2.0).kurtosis()
