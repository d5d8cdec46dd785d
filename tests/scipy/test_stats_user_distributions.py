"""rv_continuous, rv_discrete and rv_histogram as bases: one class for both libraries."""

import pickle

import numpy as np
import pytest
import scipy.special
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about integrals
MODULES = {"scipy": (scipy.stats, np, scipy.special), "gpunp": (cp.scipy.stats, cp, cp.special)}


def both(make, call):
    """What a call gives with each library's distribution: arrays of the host."""
    found = [call(make(*MODULES[name]), MODULES[name][1]) for name in ("gpunp", "scipy")]
    return [
        tuple(np.asarray(cp.asnumpy(v), float) for v in (f if isinstance(f, tuple) else (f,)))
        for f in found
    ]


def compare(make, call, rtol=1e-9, atol=1e-12):
    for result, wanted in zip(*both(make, call), strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, rtol=rtol, atol=atol)


def by_density(st, xp, special):
    class Weibull(st.rv_continuous):
        def _pdf(self, x, c):
            return c * x ** (c - 1) * xp.exp(-(x**c))

    return Weibull(momtype=0, a=0, name="own_weibull")


def by_function(st, xp, special):
    class Logistic(st.rv_continuous):
        def _cdf(self, x):
            return special.expit(x)

    return Logistic(momtype=0, name="own_logistic")


def by_all(st, xp, special):
    class Cut(st.rv_continuous):
        def _argcheck(self, low, width):
            return width > 0

        def _get_support(self, low, width):
            return low, low + width

        def _pdf(self, x, low, width):
            return 2 * (x - low) / width**2

        def _cdf(self, x, low, width):
            return ((x - low) / width) ** 2

        def _ppf(self, q, low, width):
            return low + width * xp.sqrt(q)

        def _stats(self, low, width):
            return low + 2 * width / 3, width**2 / 18, None, None

        def _entropy(self, low, width):
            return xp.log(width / 2) + 0.5

    return Cut(name="cut")


def of_counts(st, xp, special):
    class Counts(st.rv_discrete):
        def _pmf(self, k, mu):
            return xp.exp(k * xp.log(mu) - mu - special.gammaln(k + 1))

    return Counts(name="own_poisson")


def of_values(st, xp, special):
    return st.rv_discrete(values=([3.5, 1, 2], [0.2, 0.5, 0.3]), name="values")


def of_numbers(st, xp, special):
    return st.rv_discrete(values=(xp.asarray([7, 1, 2]), xp.asarray([0.2, 0.5, 0.3])))


COUNTS = [3, 0, 5, 2], [0.0, 1.0, 2.0, 3.0, 4.0]


def of_histogram(st, xp, special):
    return st.rv_histogram(tuple(xp.asarray(part, float) for part in COUNTS))


X = np.array([[-1.0, 0.0, 0.2, 1.0], [1.7, 3.0, np.nan, 6.0]])
Q = np.array([-0.1, 0.0, 0.01, 0.3, 0.5, 0.99, 1.0, np.nan])
OF_DATA = ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"]
CONTINUOUS = [
    (by_density, (1.7,)),
    (by_function, ()),
    (by_all, (0.1, 2.0)),
    (of_histogram, ()),
]


@pytest.mark.parametrize("make, shapes", CONTINUOUS)
def test_functions_of_a_continuous_distribution(make, shapes):
    for method in OF_DATA:
        rtol = 1e-6 if make is by_function else 1e-9
        compare(make, lambda d, xp, m=method: getattr(d, m)(xp.asarray(X), *shapes, 0.1, 1.5), rtol)
    for method in ("ppf", "isf"):
        compare(make, lambda d, xp, m=method: getattr(d, m)(xp.asarray(Q), *shapes, loc=2))


@pytest.mark.parametrize("make, shapes", [row for row in CONTINUOUS if row[0] is not by_function])
def test_moments_of_a_continuous_distribution(make, shapes):
    rtol = 1e-7
    compare(make, lambda d, xp: d.stats(*shapes, loc=1, scale=2, moments="mvsk"), rtol, 1e-6)
    compare(make, lambda d, xp: (d.mean(*shapes), d.var(*shapes), d.std(*shapes)), rtol, 1e-6)
    compare(make, lambda d, xp: d.entropy(*shapes, scale=3), rtol)
    compare(make, lambda d, xp: d.moment(3, *shapes, loc=1, scale=2), rtol, 1e-6)
    compare(make, lambda d, xp: d.support(*shapes, loc=1))
    compare(make, lambda d, xp: d.median(*shapes))
    compare(make, lambda d, xp: d.interval(0.8, *shapes))
    if make is not of_histogram:
        compare(make, lambda d, xp: d.expect(lambda x: x**2, shapes, lb=0.3, ub=2), rtol)
    compare(make, lambda d, xp: d.freeze(*shapes, scale=2).cdf(xp.asarray(X)))


def test_moments_of_a_distribution_function():
    """SciPy integrates differences of the function up to infinity, and finds other numbers."""
    dist = by_function(*MODULES["gpunp"])
    found = [float(v) for v in dist.stats(moments="mvsk")]
    assert found == pytest.approx(scipy.stats.logistic.stats(moments="mvsk"), rel=1e-4, abs=1e-6)
    assert float(dist.entropy()) == pytest.approx(2, rel=1e-6)


def test_parameters_broadcast():
    c = np.array([0.7, 1.0, -1.0, 3.0])
    for method in ("pdf", "cdf", "sf"):
        compare(
            by_density, lambda d, xp, m=method: getattr(d, m)(xp.asarray(X), xp.asarray(c), scale=2)
        )
    compare(by_density, lambda d, xp: d.ppf(0.3, xp.asarray(c[[0, 1, 3]])))
    compare(by_density, lambda d, xp: d.mean(xp.asarray(c[[1, 3]])), 1e-8)
    k = np.array([[0], [3], [9]])
    compare(of_counts, lambda d, xp: d.cdf(xp.asarray(k), xp.asarray([1.5, 4.0])))


def test_tails_of_a_density_have_their_digits():
    class Normal(cp.scipy.stats.rv_continuous):
        def _pdf(self, x):
            return cp.exp(-x * x / 2) / np.sqrt(2 * np.pi)

    x = np.array([-30.0, -9.0, 0.5, 8.0, 30.0])
    for method in ("cdf", "sf"):
        wanted = getattr(scipy.stats.norm, method)(x)
        result = getattr(Normal(), method)(cp.asarray(x)).get()
        np.testing.assert_allclose(result, wanted, rtol=1e-11)


FORMULAS = {
    "_logpdf": lambda x: cp.log(2 * x),
    "_logcdf": lambda x: 2 * cp.log(x),
    "_sf": lambda x: 1 - x * x,
    "_logsf": lambda x: cp.log(1 - x * x),
    "_ppf": lambda q: cp.sqrt(q),
    "_isf": lambda q: cp.sqrt(1 - q),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_one_formula_gives_the_others(name):
    """SciPy's methods call each other without an end for most of them."""
    kind = type("One", (cp.scipy.stats.rv_continuous,), {name: lambda self, x: FORMULAS[name](x)})
    dist, x = kind(a=0, b=1), np.array([0.2, 0.7, 2.0])
    theirs = scipy.stats.beta(2, 1)
    for method in ("pdf", "cdf", "sf", "ppf", "isf"):
        wanted, result = (getattr(d, method) for d in (theirs, dist))
        np.testing.assert_allclose(result(cp.asarray(x)).get(), wanted(x), rtol=1e-7)


def test_arguments_of_functions():
    dist = by_density(*MODULES["gpunp"])
    with pytest.raises(TypeError, match="real"):
        dist.cdf(cp.asarray([1j]), 2.0)
    with pytest.raises(ValueError, match="elements"):
        dist.fit(cp.asarray([]))
    frozen = dist(1.7, loc=1)
    assert float(frozen.cdf(x=2.0)) == float(dist.cdf(2.0, 1.7, 1))
    assert float(frozen.ppf(q=0.2)) == float(dist.ppf(0.2, 1.7, 1))
    assert float(frozen.moment(order=1)) == float(dist.mean(1.7, 1))
    assert [float(v) for v in cp.scipy.stats.norm(2).interval(confidence=0.0)] == [2.0, 2.0]
    for call in (lambda: frozen.cdf(), lambda: frozen.cdf(1, 2), lambda: frozen.cdf(1.0, q=2)):
        with pytest.raises(TypeError):
            call()
    counts = of_counts(*MODULES["gpunp"])
    mu = [1.5, 4.0]
    np.testing.assert_allclose(counts.cdf([3, 3], mu).get(), scipy.stats.poisson.cdf(3, mu))
    assert float(by_all(*MODULES["gpunp"]).expect(args=(0.0, 3.0))) == pytest.approx(2.0)


K = np.array([-1, 0, 1, 2, 3.5, 7, 40])


@pytest.mark.parametrize(
    "make, shapes", [(of_counts, (3.5,)), (of_values, ()), (of_numbers, ())]
)  # fmt: skip
def test_a_discrete_distribution(make, shapes):
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
        compare(make, lambda d, xp, m=method: getattr(d, m)(xp.asarray(K), *shapes), 1e-8)
    q = np.array([-1, 0, 0.01, 0.4, 0.5, 0.9999, 1, np.nan])
    for method in ("ppf", "isf"):
        compare(make, lambda d, xp, m=method: getattr(d, m)(xp.asarray(q), *shapes))
    compare(make, lambda d, xp: d.stats(*shapes, loc=1, moments="mvsk"), 1e-8)
    compare(make, lambda d, xp: d.entropy(*shapes))
    compare(make, lambda d, xp: d.moment(3, *shapes), 1e-8)
    compare(make, lambda d, xp: d.expect(lambda k: k**2, shapes, loc=1, lb=2), 1e-8)
    compare(make, lambda d, xp: d.support(*shapes))
    compare(make, lambda d, xp: d(*shapes, loc=1).cdf(xp.asarray(K)), 1e-8)


def test_samples():
    for make, shapes in CONTINUOUS:
        dist = make(*MODULES["gpunp"])
        values = dist.rvs(*shapes, loc=1, size=(50, 4), random_state=3)
        assert values.shape == (50, 4) and values.dtype == np.float64
        theirs = make(*MODULES["scipy"])
        test = scipy.stats.kstest(values.get().ravel(), lambda v: theirs.cdf(v, *shapes, loc=1))
        assert test.pvalue > 1e-3
    for make, shapes, dtype in [
        (of_counts, (3.5,), "i8"),
        (of_values, (), "f8"),
        (of_numbers, (), "i8"),
    ]:
        values = make(*MODULES["gpunp"]).rvs(*shapes, size=400, random_state=5)
        assert values.dtype == dtype
        theirs = make(*MODULES["scipy"])
        assert abs(float(values.mean()) - theirs.mean(*shapes)) < 5 * theirs.std(*shapes) / 20


@pytest.mark.parametrize("make", [of_counts, of_values, of_numbers, by_density])
def test_samples_about_several_locations(make):
    dist, shapes = make(*MODULES["gpunp"]), [2.5] * make(*MODULES["gpunp"]).numargs
    places = cp.array([0.0, 100.0, -100.0])
    values = dist.rvs(*shapes, loc=places, size=(40, 3), random_state=5) - places
    assert values.shape == (40, 3) and float(abs(values).max()) < 50
    only = dist.rvs(*shapes, loc=cp.array(3.0), size=40, random_state=5)
    same = dist.rvs(*shapes, loc=3.0, size=40, random_state=5)
    np.testing.assert_array_equal(only.get(), same.get())


def test_increments():
    for dist in (
        cp.scipy.stats.binom,
        cp.scipy.stats.poisson_binom,
        cp.scipy.stats.poisson(3).dist,
    ):
        assert dist.inc == 1
    assert of_values(*MODULES["gpunp"]).inc == 1


def test_fits():
    data = scipy.stats.weibull_min.rvs(1.7, scale=2, size=300, random_state=1)
    dist = by_density(*MODULES["gpunp"])
    found = dist.fit(cp.asarray(data), 1.5, floc=0)
    assert found == pytest.approx(scipy.stats.weibull_min.fit(data, floc=0), rel=1e-3)
    same = scipy.stats.weibull_min.nnlf((1.7, 0, 2), data)
    assert float(dist.nnlf((1.7, 0, 2), cp.asarray(data))) == pytest.approx(same)
    assert float(dist.nnlf((1.7, 0, -2), cp.asarray(data))) == np.inf


class Pickled(cp.scipy.stats.rv_continuous):
    def _pdf(self, x, c):
        return c * cp.exp(-c * x)


def test_kinds_and_pickles():
    st = cp.scipy.stats
    assert isinstance(st.norm, st.rv_continuous) and not isinstance(st.norm, Pickled)
    assert isinstance(st.poisson, st.rv_discrete) and not isinstance(st.poisson, st.rv_continuous)
    assert isinstance(of_values(*MODULES["gpunp"]), st.rv_discrete)
    again = pickle.loads(pickle.dumps(Pickled(a=0, name="mine")))
    assert (again.name, again.shapes, again.numargs, again.a) == ("mine", "c", 1, 0)
    assert float(again.cdf(1.0, 2.0)) == pytest.approx(1 - np.exp(-2))


WRONG = [
    lambda st, xp: type("D", (st.rv_continuous,), {"_pdf": lambda self, x, *a: x})(shapes=3),
    lambda st, xp: type("D", (st.rv_continuous,), {"_pdf": lambda self, x, *a: x})(shapes="1a"),
    lambda st, xp: type("D", (st.rv_continuous,), {"_pdf": lambda self, x, a=1: x})(),
    lambda st, xp: type(
        "D", (st.rv_continuous,), {"_pdf": lambda self, x, a: x, "_cdf": lambda self, x, b: x}
    )(),
    lambda st, xp: type("D", (st.rv_continuous,), {"_pdf": lambda self, x, a: x})().pdf(1.0),
    lambda st, xp: st.rv_discrete(values=([1, 2], [0.5])),
    lambda st, xp: st.rv_discrete(values=([1, 2], [0.5, 0.6])),
    lambda st, xp: st.rv_discrete(values=([1, 1], [0.5, 0.5])),
    lambda st, xp: st.rv_discrete(values=([1, 2], [1.5, -0.5])),
    lambda st, xp: st.rv_discrete(values=3),
    lambda st, xp: st.rv_histogram(([1, 2],)),
    lambda st, xp: st.rv_histogram(([1, 2], [1, 2])),
    lambda st, xp: st.rv_histogram(([1, 2], [1, 2, 3])).pdf(1.0, 2.0, 3.0, 4.0),
]


@pytest.mark.parametrize("call", WRONG)
def test_errors(call):
    with pytest.raises(Exception) as theirs:
        call(scipy.stats, np)
    with pytest.raises(theirs.type):
        call(cp.scipy.stats, cp)


@pytest.mark.parametrize("density", [None, False, True])
def test_histograms_of_unequal_bins(density):
    edges = [0.0, 0.5, 2.0, 3.0]

    def make(st, xp, special):
        return st.rv_histogram((xp.asarray([3, 1, 2]), xp.asarray(edges)), density=density)

    compare(make, lambda d, xp: d.pdf(xp.asarray([0.2, 1, 2, 2.5, 3])))
    compare(make, lambda d, xp: (d.mean(), d.entropy()))
    if density is None:
        with pytest.warns(RuntimeWarning, match="not constant"):
            make(*MODULES["gpunp"])


def test_values_and_probabilities_have_one_shape():
    with pytest.raises(ValueError, match="same shape"):
        cp.scipy.stats.rv_discrete(values=(cp.arange(6).reshape(2, 3), cp.full((3, 2), 1 / 6)))


def test_open_lists_of_parameters_are_refused():
    class Open(cp.scipy.stats.rv_continuous):
        def _pdf(self, x, a, *rest):
            return x

    class Named(cp.scipy.stats.rv_continuous):
        def _pdf(self, x, a, **rest):
            return x

    for kind in (Open, Named):
        with pytest.raises(TypeError, match="explicit shapes"):
            kind(name="open")
