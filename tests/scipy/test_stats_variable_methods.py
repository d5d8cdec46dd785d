"""`method`, `tol` and `cache_policy` of random variables against SciPy's."""

import functools

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytest.importorskip("scipy", minversion="1.17")
pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about logarithms of zero
ours = cp.scipy.stats


@functools.cache
def family(stats, name):
    return stats.make_distribution(getattr(stats, name))


# Variables, and a number at which they have density.
VARIABLES = {
    "normal": (lambda s: s.Normal(mu=1.0), 1.3),
    "standard": (lambda s: s.Normal(), 1.3),
    "uniform": (lambda s: s.Uniform(a=1.0, b=3.0), 1.3),
    "logistic": (lambda s: s.Logistic(), 1.3),
    "binomial": (lambda s: s.Binomial(n=5, p=0.3), 2.0),
    "gamma": (lambda s: family(s, "gamma")(a=2.0), 1.3),
    "poisson": (lambda s: family(s, "poisson")(mu=2.5), 2.0),
    "moved": (lambda s: 1 - 2 * s.Normal(mu=0.5), 1.3),
    "exp": (lambda s: s.exp(s.Normal()), 1.3),
    "log": (lambda s: s.log(s.Uniform(a=1.0, b=2.0)), 0.4),
    "abs": (lambda s: abs(s.Normal(mu=0.5)), 1.3),
    "truncated": (lambda s: s.truncate(s.Normal(), -1, 2), 1.3),
    "second": (lambda s: s.order_statistic(s.Normal(), r=2, n=3), 1.3),
    "mixture": (lambda s: s.Mixture([s.Normal(), s.Normal(mu=2.0)]), 1.3),
}
DENSITIES = ("pdf", "logpdf", "pmf", "logpmf")
TAILS = ("cdf", "ccdf", "logcdf", "logccdf")
MOMENTS = ("mean", "variance", "standard_deviation", "skewness", "kurtosis", "moment")
METHODS = {  # those that SciPy has for a function, and one that it has not
    **dict.fromkeys(DENSITIES, ("formula", "log/exp", "logexp", "quadrature")),
    **dict.fromkeys(TAILS, ("formula", "logexp", "complement", "quadrature", "subtraction",
                            "addition", "inversion")),
    **dict.fromkeys(("icdf", "iccdf", "ilogcdf", "ilogccdf"), ("formula", "complement", "inversion",
                                                               "logexp")),
    **dict.fromkeys(MOMENTS, ("formula", "general", "transform", "normalize", "quadrature", "cache",
                              "icdf")),
    "median": ("formula", "icdf", "inversion"),
    "mode": ("formula", "optimization", "inversion"),
    "entropy": ("formula", "log/exp", "quadrature", "inversion"),
    "logentropy": ("formula", "log/exp", "quadrature", "inversion"),
}  # fmt: skip


def calls(name):
    """Names and arguments of all functions."""
    x = VARIABLES[name][1]
    yield from ((f, (x,)) for f in DENSITIES + TAILS)
    if name not in ("binomial", "poisson"):
        yield from ((f, args) for f in TAILS for args in ((x, x + 0.2), (x + 0.2, x)))
    yield from ((f, (0.3,)) for f in ("icdf", "iccdf"))
    yield from ((f, (np.log(0.3),)) for f in ("ilogcdf", "ilogccdf"))
    yield from ((f, ()) for f in ("median", "mode", "entropy", "logentropy", *MOMENTS[:-1]))
    orders = (0, 1, 2, 3, 4, 5) if name in ("normal", "exp") else (0, 1, 4)
    yield from (
        ("moment", (order, kind)) for order in orders for kind in ("raw", "central", "standardized")
    )


def value_of(variable, function, args, **options):
    """The value, or None where there is no such method; SciPy's errors are of three kinds."""
    try:
        return np.asarray(cp.asnumpy(getattr(variable, function)(*args, **options)))
    except NotImplementedError:
        return None
    except (AttributeError, RecursionError):
        if isinstance(variable, ours._univariate.RandomVariable):
            raise
        return None


@pytest.mark.parametrize("name", VARIABLES)
def test_methods(name):
    """What SciPy computes is computed, to its digits; what it does not is refused, or the same as
    without `method`."""
    found, wanted = (VARIABLES[name][0](stats) for stats in (ours, scipy.stats))
    for function, args in calls(name):
        usual = value_of(found, function, args)
        for method in METHODS[function]:
            if name == "abs" and function == "cdf":  # SciPy's takes any word here
                continue
            if name == "moved" and method == "cache":  # SciPy 1.18 keeps what the normal one has
                continue
            found.reset_cache()
            if name != "mixture":  # SciPy's keeps nothing
                wanted.reset_cache()
            a, b = (value_of(v, function, args, method=method) for v in (found, wanted))
            word = f"{function}{args} {method}"
            if b is None:
                assert a is None or np.allclose(a, usual, rtol=1e-7, atol=1e-12), word
                continue
            assert a is not None and a.dtype == b.astype(a.dtype).dtype, word
            if name == "uniform" and function == "mode":  # each point between is one
                assert 1 <= float(a) <= 3, word
            elif not (name == "uniform" and function in ("entropy", "logentropy")):  # log(log(2))
                np.testing.assert_allclose(a, b, rtol=1e-7, atol=2e-8, err_msg=word)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_methods_of_arrays(dtype):
    """Parameters and points broadcast; NaN, the ends and what is beyond them are as usual."""
    mu, sigma = np.array([[0.0], [1.5]], dtype), np.array([1.0, 0.5, -1.0], dtype)
    x = np.array([-np.inf, -2, 0.3, 4, np.inf, np.nan], dtype).reshape(-1, 1, 1)
    p = np.array([-0.1, 0, 1e-5, 0.3, 0.9, 1, 1.1, np.nan], dtype).reshape(-1, 1, 1)
    found = ours.Normal(mu=cp.asarray(mu), sigma=cp.asarray(sigma))
    wanted = scipy.stats.Normal(mu=mu, sigma=sigma)
    tolerance = {"rtol": 1e-5 if dtype == "f4" else 1e-9, "atol": 1e-7 if dtype == "f4" else 1e-12}

    def same(function, *args, method):
        given = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in args]
        result = getattr(found, function)(*given, method=method)
        value = getattr(wanted, function)(*args)
        assert (result.dtype, result.shape) == (value.dtype, value.shape)
        np.testing.assert_allclose(result.get(), value, err_msg=f"{function} {method}", **tolerance)

    for method in ("logexp", "complement", "quadrature"):
        same("cdf", x, method=method)
        same("logccdf", x[1:4], method=method)
    for method in ("logexp", "subtraction", "quadrature"):
        same("cdf", x[1:4], x[1:4][::-1], method=method)
    for method in ("complement", "inversion"):
        same("icdf", p, method=method)
        same("iccdf", p, method=method)
        same("ilogcdf", np.log(np.maximum(p[1:6], 1e-5)), method=method)
    for order in (1, 2, 3):
        same("moment", order, "central", method="transform") if order > 1 else None
        same("moment", order, method="quadrature")


def test_methods_of_counts():
    n, p = np.array([3, 10.0]), np.array([[0.3], [0.9], [np.nan]])
    found = ours.Binomial(n=cp.asarray(n), p=cp.asarray(p))
    wanted = scipy.stats.Binomial(n=n, p=p)
    k = np.array([-1.0, 0, 2, 3, 9, 10, 12]).reshape(-1, 1, 1)
    q = np.array([0, 1e-9, 0.3, 0.99, 1, 1.5]).reshape(-1, 1, 1)
    for function, points, methods in (
        ("cdf", k, ("quadrature", "complement")),
        ("ccdf", k, ("quadrature", "complement")),
        ("logcdf", k, ("quadrature",)),
        ("icdf", q, ("inversion",)),
        ("iccdf", q, ("inversion",)),
    ):
        value = getattr(wanted, function)(points)
        for method in methods:
            result = getattr(found, function)(cp.asarray(points), method=method)
            np.testing.assert_allclose(result.get(), value, rtol=1e-12, atol=1e-14, err_msg=method)
    np.testing.assert_allclose(found.entropy(method="quadrature").get(), wanted.entropy())
    value = found.moment(3, "central", method="quadrature").get()
    np.testing.assert_allclose(value, wanted.moment(3, "central"))


def test_far_tails():
    """Logarithms are integrated as such, and have digits where densities have none."""
    X = ours.Normal()
    x = cp.asarray([-45.0, -200.0])
    np.testing.assert_allclose(X.logcdf(x, method="quadrature").get(), X.logcdf(x).get(), rtol=1e-9)
    far = ours.truncate(X, lb=-30.0, ub=-20.0)
    p = cp.asarray([-1e-3, -3.0, -40.0])
    x = far.ilogcdf(p, method="formula")
    np.testing.assert_allclose(far.logcdf(x).get(), p.get(), rtol=1e-8)
    theirs = scipy.stats.truncate(scipy.stats.Normal(), lb=-2.0, ub=np.inf)
    mine = ours.truncate(X, lb=-2.0, ub=np.inf)
    for name in ("ilogcdf", "ilogccdf"):
        value = getattr(theirs, name)(p.get(), method="formula")
        np.testing.assert_allclose(getattr(mine, name)(p, method="formula").get(), value, rtol=1e-9)
    x = float(mine.iccdf(1e-20))  # by the shorter tail
    np.testing.assert_allclose(float(X.ccdf(x)) / float(X.ccdf(-2.0)), 1e-20, rtol=1e-10)


def test_mode_is_found_between_points_of_the_search():
    X = ours.truncate(ours.Normal(mu=0.3), -1.0, 2.0)
    np.testing.assert_allclose(float(X.mode()), 0.3, atol=5e-8)


def test_samples_by_method():
    for name in ("normal", "binomial", "truncated", "second", "exp"):
        X = VARIABLES[name][0](ours)
        x = X.sample(500, method="inverse_transform", rng=3)
        assert scipy.stats.kstest(X.cdf(x).get(), "uniform").pvalue > 1e-4 or X._discrete
        uniform = cp.random.default_rng(3).random(500)
        np.testing.assert_array_equal(x.get(), X.icdf(uniform).get())
    assert ours.Normal().sample(3, method="formula").shape == (3,)
    for name in ("truncated", "second", "mixture"):
        for stats in (ours, scipy.stats):
            with pytest.raises(NotImplementedError):
                VARIABLES[name][0](stats).sample(method="formula")


def test_words_of_an_unknown_method():
    X = ours.exp(ours.Normal())
    with pytest.raises(NotImplementedError, match=r"`Function\.mean`.*'magic'.*'quadrature'"):
        X.mean(method="magic")
    with pytest.raises(NotImplementedError, match="None, 'formula', 'logexp', 'complement'"):
        X.cdf(1.0, method=3)
    with pytest.raises(NotImplementedError, match="'addition'"):
        X.ccdf(1.0, 2.0, method="complement")


def test_methods_of_a_users_distribution():
    class Decay(ours.rv_continuous):
        def _pdf(self, x, rate):
            return rate * cp.exp(-rate * x)

    X = ours.make_distribution(Decay(a=0, name="decay"))(rate=2.0)
    assert float(X.pdf(0.5, method="formula")) == pytest.approx(2 * np.exp(-1))
    assert float(X.cdf(0.5, method="quadrature")) == pytest.approx(-np.expm1(-1), rel=1e-10)
    assert float(X.icdf(0.5, method="inversion")) == pytest.approx(np.log(2) / 2, rel=1e-12)
    for name in ("cdf", "icdf"):
        with pytest.raises(NotImplementedError):
            getattr(X, name)(0.5, method="formula")
    with pytest.raises(NotImplementedError):
        X.mean(method="formula")


def test_tolerance():
    """A larger one takes fewer steps, whose results are less close, but close enough."""
    exact = {"cdf": 0.4168448560127831, "icdf": 1.3373242949157538, "raw": 32.637}
    for tol, least in ((1e-3, 1e-15), (1e-12, 0.0)):
        X = family(ours, "gamma")(a=2.3, tol=tol)
        found = {
            "cdf": float(X.cdf(1.7, method="quadrature")),
            "icdf": float(X.icdf(0.3, method="inversion")),
            "raw": float(X.moment(3, method="quadrature")),
        }
        for name, value in exact.items():
            assert abs(found[name] / value - 1) <= max(tol, 1e-13), (name, tol)
        assert abs(found["icdf"] / exact["icdf"] - 1) >= least
    assert float(family(ours, "gamma")(a=2.3, tol=1e-2).mode()) == pytest.approx(1.3, rel=1e-2)
    X = abs(ours.Normal(mu=0.5))
    X.tol = 1e-6
    assert float(X.mean()) == pytest.approx(0.8955931148, rel=1e-6)


def test_kept_values():
    for stats in (ours, scipy.stats):
        X = stats.Normal(mu=1.0)
        with pytest.raises(NotImplementedError):
            X.mean(method="cache")
        assert float(X.mean()) == float(X.mean(method="cache")) == 1
        X.reset_cache()
        with pytest.raises(NotImplementedError):
            X.moment(1, method="cache")
        value = float(X.mean(method="quadrature"))  # takes the place of the one that is kept
        assert value == pytest.approx(1, rel=1e-9) and float(X.mean()) == value
        assert float(X.mean(method="formula")) == float(X.mean()) == 1
        X = stats.Normal(mu=1.0, cache_policy="no_cache")
        X.mean()
        with pytest.raises(NotImplementedError):
            X.mean(method="cache")


def test_kept_values_are_computed_once(monkeypatch):
    X, count = ours.exp(ours.Normal()), []
    quantile = type(X)._quantile
    monkeypatch.setattr(type(X), "_quantile", lambda *args: count.append(1) or quantile(*args))
    X = abs(X)
    X.mean(), X.variance(), X.skewness(), X.entropy(), X.support()
    assert len(count) == 2  # quantiles of both halves
    X.cache_policy = "no_cache"
    X.reset_cache()
    X.mean(), X.mean()
    assert len(count) == 6
