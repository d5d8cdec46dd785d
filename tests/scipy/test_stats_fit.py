"""stats.fit: bounds, guesses, methods, errors, beside SciPy's."""

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from scipy.optimize import minimize

import gpunp as cp

stats = cp.scipy.stats
DATA = scipy.stats.gamma.rvs(2.5, scale=3, size=60, random_state=8)
COUNTS = np.array([2, 5, 3, 0, 7, 4, 4, 1])


def quick(fun, bounds, x0=None):
    """An optimizer of few steps."""
    start = [0.5 * (low + high) for low, high in bounds] if x0 is None else x0
    return minimize(fun, start, bounds=bounds, method="L-BFGS-B")


@pytest.mark.parametrize("method", ["mle", "mse"])
@pytest.mark.parametrize("data", [DATA, np.array([1.0, 2, 2, 3, 5])], ids=["sample", "ties"])
def test_fits_within_bounds(data, method):
    bounds = {"a": (0.5, 20), "scale": (0.1, 10)}
    options = {"method": method, "optimizer": quick, "guess": {"a": 3}}
    wanted = scipy.stats.fit(scipy.stats.gamma, data, bounds, **options)
    found = stats.fit(stats.gamma, cp.asarray(data), bounds, **options)
    assert (
        type(found.params).__name__ == "FitParams" and found.params._fields == wanted.params._fields
    )
    assert found.params == pytest.approx(tuple(wanted.params), rel=2e-3)
    assert found.nllf() == pytest.approx(wanted.nllf(), rel=1e-6) and found.success is True
    assert not found.discrete and found.params.loc == 0
    assert found.nllf((2.0, 0, 1), [1.0, 2]) == pytest.approx(wanted.nllf((2.0, 0, 1), [1.0, 2]))


def test_fit_of_counts():
    found = stats.fit(stats.binom, cp.asarray(COUNTS), {"n": (7, 7)}, optimizer=whole)
    wanted = scipy.stats.fit(scipy.stats.binom, COUNTS, {"n": (7, 7)}, optimizer=whole)
    assert found.params == pytest.approx(tuple(wanted.params), rel=1e-4)
    assert found.discrete and found.pxf == stats.binom.pmf


def whole(fun, bounds, integrality):
    assert [bool(v) for v in integrality] == [True, False, True]
    return quick(fun, bounds)


def test_fit_by_default_optimizer():
    found = stats.fit(stats.norm, cp.asarray([1.0, 2, 3]), [(1.5, 2.5), (0.5, 1)])
    assert found.params == pytest.approx((2, np.sqrt(2 / 3)), rel=1e-4)
    assert repr(found).startswith("  params: FitParams(loc=")


def test_fit_of_a_distribution_of_ones_own():
    class Decay(stats.rv_continuous):
        def _logpdf(self, x, rate):
            return cp.log(rate) - rate * x

        def _pdf(self, x, rate):
            return rate * cp.exp(-rate * x)

    found = stats.fit(Decay(a=0, name="decay"), cp.asarray(DATA), [(0.01, 5)], optimizer=quick)
    assert found.params.rate == pytest.approx(1 / DATA.mean(), rel=1e-3)


@pytest.mark.parametrize(
    "name, data, bounds",
    [
        ("norm", [1.0, 2], [(0, 1)] * 3),
        ("norm", [1.0, 2], [(1, 0)]),
        ("gamma", [1.0, 2], {}),
        ("gamma", [1.0, 2], []),
        ("gamma", [1.0, 2], [(0, np.inf)]),
        ("gamma", [1.0, 2], [(-3, -1)]),
        ("nbinom", [1.0, 2], [(0.2, 0.5), (0.5, 0.6)]),
        ("norm", [[1.0, 2]], {}),
        ("norm", ["a"], {}),
        ("norm", [np.nan, 1], {}),
        ("norm", [1.0, 2], [(0, 1, 2)]),
        ("norm", [1.0, 2], "a"),
    ],
)
def test_errors_of_fits(name, data, bounds):
    with pytest.raises(ValueError):
        scipy.stats.fit(getattr(scipy.stats, name), data, bounds)
    with pytest.raises(ValueError):
        stats.fit(getattr(stats, name), data, bounds)


def test_more_errors_of_fits():
    with pytest.raises(ValueError, match="dist"):
        stats.fit(3, [1.0])
    with pytest.raises(KeyError):
        stats.fit(stats.norm, [1.0], method="x")
    with pytest.raises(ValueError, match="guess"):
        stats.fit(stats.norm, [1.0], guess=[1, 2, 3])
    for guess, words in (({"loc": 5}, "clipped"), ({"foo": 1}, "unrecognized")):
        with pytest.warns(RuntimeWarning, match=words):
            stats.fit(stats.norm, [1.0, 2], {"loc": (0, 3)}, guess=guess, optimizer=quick)
    with pytest.warns(RuntimeWarning, match="unrecognized"):
        stats.fit(stats.norm, [1.0, 2], {"foo": (0, 3)}, optimizer=quick)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["hist", "qq", "pp", "cdf"])
def test_plots_of_fits(kind):
    plt = pytest.importorskip("matplotlib.pyplot")
    found = stats.fit(stats.norm, cp.asarray(DATA), [(0, 9), (1, 9)], optimizer=quick)
    figure, ax = plt.subplots()
    assert found.plot(ax, plot_type=kind) is ax
    plt.close(figure)


def test_bounds_and_guesses_on_the_device():
    bounds = cp.asarray([[0.5, 20.0], [0, 1e-9], [0.1, 10]])
    options = {"optimizer": quick, "guess": cp.asarray([3.0, 0, 2.0])}
    found = stats.fit(stats.gamma, cp.asarray(DATA), bounds, **options)
    by_name = {"a": cp.asarray([0.5, 20.0]), "scale": cp.asarray([0.1, 10.0])}
    again = stats.fit(stats.gamma, cp.asarray(DATA), by_name, optimizer=quick, guess={"a": 3})
    assert found.params == pytest.approx(again.params, rel=1e-2, abs=1e-6)


def test_parameters_that_data_contradict():
    def stays(fun, bounds, **options):
        return scipy.optimize.OptimizeResult(x=[2, 0.5, 1.5], success=True, message="")

    bounds = {"n": (0, 30), "loc": (0.5, 3)}
    found = stats.fit(stats.nbinom, cp.asarray(COUNTS), bounds, optimizer=stays)
    assert found.success is False and "inconsistent" in found.message
    with pytest.raises(ValueError, match="not finite"):
        stats.fit(stats.nbinom, cp.asarray(COUNTS))


@pytest.mark.slow
def test_fit_of_a_stable_distribution_leaves_the_ends_of_its_shapes():
    x = cp.asarray(scipy.stats.norm.ppf((np.arange(8) + 0.5) / 8))  # stable with alpha = 2
    loc, scale = stats.norm.fit(x)
    normal = float(stats.levy_stable.nnlf((2, 0, loc, scale / np.sqrt(2)), x))
    assert float(stats.levy_stable.nnlf(stats.levy_stable.fit(x), x)) < normal + 0.1


FITS = [
    ("pareto", (1.0,), [{}, {"fscale": 0.5}, {"fb": 1.5}]),
    ("powerlaw", (0.75,), [{}, {"floc": -0.1}, {"fscale": 5}, {"fa": 1.5}]),
    ("powerlaw", (2.5,), [{}, {"fscale": 8.0}]),
    ("truncpareto", (2.0, 5.0), [{}, {"floc": 0}]),
    ("genextreme", (-0.2,), [{}]),
    ("genextreme", (0.3,), [{}]),
    ("genpareto", (0.3,), [{}]),
    ("crystalball", (2.0, 3.0), [{}]),
    ("norminvgauss", (1.25, 0.5), [{}]),
    ("skewcauchy", (0.4,), [{}]),
    ("trapezoid", (0.3, 0.7), [{}]),
    ("wrapcauchy", (0.3,), [{"floc": 0, "fscale": 1}]),
]


@pytest.mark.parametrize(
    "name, shapes, fixed", [(name, shapes, o) for name, shapes, several in FITS for o in several]
)
def test_likelihoods_are_scipys(name, shapes, fixed):
    theirs = getattr(scipy.stats, name)
    data = theirs.rvs(*shapes, size=100, random_state=5)
    with np.errstate(all="ignore"):
        wanted = theirs.nnlf(theirs.fit(data, **fixed), data)
    found = getattr(stats, name).fit(cp.asarray(data), **fixed)
    assert theirs.nnlf(found, data) <= wanted + 1e-4 * abs(wanted)
    for key, value in fixed.items():
        assert found[{"floc": -2, "fscale": -1}.get(key, 0)] == value


def test_ends_of_supports_that_data_exceed():
    data = cp.asarray([1.0, 2, 4])
    for fixed in (
        {"floc": 0, "fscale": 3},
        {"floc": 2},
        {"floc": 1},
        {"fscale": 3},
        {"fscale": -3},
    ):
        with pytest.raises(ValueError):
            stats.powerlaw.fit(data, **fixed)
    with pytest.raises(ValueError):
        stats.truncpareto.fit(data, floc=1)
    with pytest.raises(ValueError):
        stats.pareto.fit(data, floc=0.5, fscale=1)
    assert stats.powerlaw.fit(cp.asarray([0, 1, 2, 2, 3]))[1] < 0
