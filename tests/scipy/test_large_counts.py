"""Distributions of counts with many trials or heavy tails: what would be sums of 2^63 terms."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp
from gpunp.scipy import stats


@pytest.mark.parametrize(("a", "b"), [(2.0, 3.0), (0.5, 0.3), (5.0, 1.0)])
def test_a_quantile_of_many_trials_is_one_of_the_beta_distribution(a, b):
    q = [0.01, 0.3, 0.5, 0.9]
    n = 2.0**62
    wanted = n * scipy.stats.beta.ppf(q, a, b)
    np.testing.assert_allclose(stats.betabinom.ppf(q, n, a, b).get(), wanted, rtol=1e-6)
    wanted = n * scipy.stats.beta.isf(q, a, b)
    np.testing.assert_allclose(stats.betabinom.isf(q, n, a, b).get(), wanted, rtol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 100, 3000])
def test_a_quantile_is_the_least_count_that_is_reached(n):
    q = np.linspace(0.003, 0.997, 29)
    for a, b in [(2.0, 3.0), (0.5, 0.3), (30.0, 400.0)]:
        found = stats.betabinom.ppf(cp.asarray(q), n, a, b).get()
        assert np.array_equal(found, scipy.stats.betabinom.ppf(q, n, a, b))
    if n < 100:  # SciPy's search does not end then
        found = stats.skellam.ppf(cp.asarray(q), n + 0.5, 3.0).get()
        assert np.array_equal(found, scipy.stats.skellam.ppf(q, n + 0.5, 3.0))


def test_quantiles_of_a_heavy_tail():
    """Those of Yule and Simon have a power of the number above them."""
    q = cp.asarray([1e-3, 0.5, 0.99999, 1 - 1e-12])
    k = stats.yulesimon.ppf(q, 0.4)
    assert bool((stats.yulesimon.cdf(k, 0.4) >= q - 1e-15).all())
    assert bool((stats.yulesimon.cdf(k * (1 - 1e-9) - 1, 0.4) < q + 1e-15).all())


def test_probabilities_of_many_trials_keep_their_digits():
    """References of mpmath; SciPy's differ from the second digit on."""
    found = float(stats.betabinom.logpmf(3e11, 1e12, 2, 3))
    assert found == pytest.approx(-27.06343715834633, rel=1e-14)
    found = float(stats.betanbinom.logpmf(3e11, 1e12, 2, 3))
    assert found == pytest.approx(-28.865881397126567, rel=1e-14)


def test_many_marked_ones_before_the_failures():
    """Of 2^63 the draws are as good as independent; SciPy's logarithms have no digit left."""
    limit, k = scipy.stats.nbinom(5, 0.5), np.arange(40)
    for n in (2.0**63, 2**60):
        urn = stats.nhypergeom(n, n / 2, 5)
        for method in ("pmf", "logpmf", "cdf", "sf"):
            found = getattr(urn, method)(cp.asarray(k)).get()
            np.testing.assert_allclose(found, getattr(limit, method)(k), rtol=1e-11)
        assert float(urn.median()) == limit.median()
        np.testing.assert_allclose(
            [float(m) for m in urn.stats("mvsk")], limit.stats("mvsk"), rtol=1e-9
        )
        assert float(urn.entropy()) == pytest.approx(float(limit.entropy()), rel=1e-9)


@pytest.mark.parametrize(
    "shapes", [(40, 12, 7), (9, 4, 0), (9, 4, 1), (9, 4, 5), (9, 0, 3), (9, 9, 0)]
)
def test_probabilities_before_the_failures(shapes):
    k = np.arange(-1, 14)
    for method in ("pmf", "cdf", "sf"):
        found = getattr(stats.nhypergeom, method)(cp.asarray(k), *shapes).get()
        wanted = getattr(scipy.stats.nhypergeom, method)(k, *shapes)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "shapes", "wanted"),
    [  # by mpmath with a hundred digits: closed forms, and the formula of Euler and Maclaurin
        ("zipf", (1.5,), 3.2181129364131871),
        ("zipf", (1.1,), 12.74452582170001),
        ("zipf", (4.5,), 0.23995877918865769),
        ("zipf", (1.01,), 105.02983417222106),
        ("zipf", (1 + 2.0**-52,), 4503599627370532.0),
        ("zipf", (30.0,), 2.029779603034955e-08),
        ("zipf", (np.inf,), 0.0),
        ("yulesimon", (1.2,), 1.7816289440595518),
        ("betanbinom", (5, 0.75, 2), 5.0319853832645182),
        ("betabinom", (2.0**62, 1.5, 2), 62 * np.log(2) + float(scipy.stats.beta.entropy(1.5, 2))),
    ],
)
def test_entropies_of_heavy_tails(name, shapes, wanted):
    found = float(getattr(stats, name).entropy(*shapes))
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("betabinom", (5000, 0.7, 2.5)), ("betabinom", (40000, 3000, 50)), ("betabinom", (3, 2, 2)),
        ("betabinom", (0, 2, 2)), ("betanbinom", (20, 9.5, 3)), ("logser", (0.98,)), ("yulesimon", (6.0,)),
    ],
)  # fmt: skip
def test_entropies_are_sums_over_the_probabilities(name, shapes):
    p = getattr(scipy.stats, name).pmf(np.arange(60000), *shapes)
    wanted = scipy.special.entr(p).sum()
    found = float(getattr(stats, name).entropy(*shapes))
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_quantiles_of_the_kolmogorov_distribution_have_their_probabilities():
    q = [1e-12, 1e-5, 0.01, 0.3, 0.9, 0.99]
    for n in (100, 150, 1000):
        x = stats.kstwo.ppf(q, n)
        np.testing.assert_allclose(stats.kstwo.cdf(x, n).get(), q, rtol=1e-13)
        np.testing.assert_allclose(x.get(), scipy.stats.kstwo.ppf(q, n), rtol=1e-5)


def test_tables_of_many_rows_have_their_margins():
    row, col = np.arange(37) % 5, np.full(11, 6)
    col[0] += row.sum() - col.sum()
    tables = stats.random_table.rvs(
        cp.asarray(row), cp.asarray(col), size=(4, 2), random_state=3
    ).get()
    assert tables.shape == (4, 2, 37, 11)
    assert (tables.sum(-1) == row).all()
    assert (tables.sum(-2) == col).all()
    assert stats.random_table.rvs([0] * 1100, [0] * 700).shape == (1100, 700)
    counts = stats.multivariate_hypergeom.rvs(cp.asarray(row), 20, size=50, random_state=3).get()
    assert (counts.sum(-1) == 20).all()
    assert (counts <= row).all()


def test_a_normal_distribution_of_one_dimension_is_no_integral():
    x = np.linspace(-5, 5, 11)
    found = stats.multivariate_normal.cdf(cp.asarray(x), 1.0, 4.0).get()
    np.testing.assert_allclose(found, scipy.stats.norm.cdf(x, 1.0, 2.0), rtol=1e-13)


def test_quantiles_at_the_end_of_the_range_of_numbers():
    found = float(stats.betabinom.ppf(0.5, 1e308, 3.0, 2.0))
    assert found == pytest.approx(1e308 * scipy.stats.beta.ppf(0.5, 3.0, 2.0), rel=1e-6)
    assert float(stats.betanbinom.ppf(0.5, 10, 1e-3, 2.0)) == np.inf
    x = stats.betanbinom.ppf([0.1, 0.4], 10, 0.01, 2.0)
    np.testing.assert_allclose(stats.betanbinom.cdf(x, 10, 0.01, 2.0).get(), [0.1, 0.4], rtol=1e-6)
