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
        ("yulesimon", (0.02,), 54.352940482046275),
        ("yulesimon", (1e-5,), 100011.93571896241),
        ("betanbinom", (5, 0.75, 2), 5.0319853832645182),
        ("betanbinom", (2, 0.02, 0.5), 53.986918404188103),
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


@pytest.mark.parametrize("a", [0.3, 0.005, 1e-4])
def test_tails_of_small_powers_add_up_to_one(a):
    """Numbers beyond the range of floating point are likely, and have probabilities too."""
    k = cp.asarray([10.0, 1e20, 1e99, 1e101, 1e250])
    below, above = stats.betanbinom.cdf(k, 2, a, 0.5), stats.betanbinom.sf(k, 2, a, 0.5)
    np.testing.assert_allclose((below + above).get(), 1, rtol=3e-13)
    last = np.log(k.get())
    wanted = scipy.special.gammaln([2 + a, a + 0.5, a, 0.5, 2]) @ [1, 1, -1, -1, -1]
    wanted -= a * last + np.log(a)  # of the power that the probabilities are far away
    np.testing.assert_allclose(above.get()[1:], np.exp(wanted[1:]), rtol=3e-12, atol=1e-300)


@pytest.mark.parametrize(
    ("name", "k", "shapes", "wanted"),
    [  # logarithms of probabilities, by mpmath with fifty digits; SciPy's lose most of theirs
        ("poisson", 50, (0.001,), -493.86653090087988),
        ("poisson", 1000000000000, (1000000000000.0,), -14.73444909116903),
        ("binom", 300000000000, (1000000000000, 0.3), -13.954125217036926),
        ("binom", 5, (1000000000000000, 1e-15), -5.7874917427820512),
        ("binom", 50, (1000, 1e-09), -840.4990238705844),
        ("nbinom", 1000000000000, (1000000000000, 0.5), -15.081022681449045),
        ("nbinom", 1000000000, (2.5, 1e-09), -22.00794870604433),
        ("geom", 1000000000, (1e-09,), -21.723265836446411),
        ("hypergeom", 20, (1152921504606846976, 576460752303423488, 40), -2.076480429147387),
        ("hypergeom", 900, (1152921504606846976, 1099511627776, 1073741824), -12.150897207329603),
        (
            "hypergeom",
            4503599626321915,
            (4503599627370496, 4503599626321920, 4503599627370484),
            -148.59042708197949,
        ),
        ("hypergeom", 1000000, (1000000000000000, 1000000000, 100000000), -8215964.0109524636),
        ("betabinom", 1000000000, (3000000000, 1000000000.0, 2000000000.0), -11.424412488049602),
        ("betabinom", 5, (10, 1000000000000.0, 1000000000000.0), -1.4020427180905298),
        ("betanbinom", 1000000, (1000000, 100000.0, 100000.0), -9.3722163002296041),
        ("skellam", -100000, (100000, 200000), -7.2247070705173946),
        ("skellam", 900, (1000, 0.00025), -9.4957369459762588),
        ("skellam", 100000, (1000000000.0, 1000000000.0), -14.127145041999518),
        ("skellam", 50, (0.001, 0.002), -493.8685308616642),
        ("skellam", 3, (1e-08, 5.0), -62.053801698585151),
        ("skellam", -10, (100, 110), -3.5918979051794684),
        ("skellam", 999, (500, 5), -199.33004442632094),
    ],
)
def test_logarithms_of_probabilities_keep_their_digits(name, k, shapes, wanted):
    found = float(getattr(stats, name).logpmf(k, *shapes))
    assert found == pytest.approx(wanted, rel=1e-14)
    if wanted > -700:
        pmf = float(getattr(stats, name).pmf(k, *shapes))
        assert pmf == pytest.approx(np.exp(wanted), rel=1e-13 + 4e-16 * abs(wanted))


@pytest.mark.parametrize(
    ("k", "shapes", "below", "above"),
    [  # by mpmath with sixty digits, term by term
        (900, (2**60, 2**40, 2**30), 4.1457498325618706e-05, 0.99995854250167438),
        (522788, (2**60, 2**59, 2**20), 0.0017018443254294313, 0.99829815567457057),
        (33000, (2**55, 2**30, 2**40), 0.90039717999273922, 0.09960282000726078),
        (2**58, (2**60, 2**59, 2**59), 0.5, 0.5),
        (2**58 - 2**29, (2**60, 2**59, 2**59), 0.022750131948179207, 0.97724986805182079),
    ],
)
def test_tails_of_large_samples_without_replacement(k, shapes, below, above):
    urn = stats.hypergeom(*shapes)
    rtol = 1e-12 if k < 2**50 else 1e-6  # the number is as good as normal; k has 53 bits
    for name, wanted in (("cdf", below), ("sf", above)):
        assert float(getattr(urn, name)(k)) == pytest.approx(wanted, rel=rtol)
        assert float(getattr(urn, f"log{name}")(k)) == pytest.approx(np.log(wanted), rel=rtol)


@pytest.mark.parametrize(
    ("name", "shapes", "var"),
    [
        ("hypergeom", (2.0**50, 2.0**49, 2.0**49), 2.0**46),
        ("nhypergeom", (2.0**52, 2.0**51, 2.0**40), 2.0**41),
        ("binom", (2.0**60, 0.25), 2.0**60 * 3 / 16),
        ("nbinom", (2.0**40, 0.5), 2.0**41),
        ("skellam", (1e12, 3e12), 4e12),
    ],
)
def test_sums_over_many_probabilities(name, shapes, var):
    """Wide distributions are as good as normal."""
    dist = getattr(stats, name)(*shapes)
    mean, found, skew, kurt = (float(m) for m in dist.stats(moments="mvsk"))
    assert found == pytest.approx(var, rel=1e-3 if name == "nhypergeom" else 1e-9)
    assert float(dist.entropy()) == pytest.approx(0.5 * np.log(2 * np.pi * np.e * found), abs=3e-8)
    assert abs(skew) < 1e-5 and abs(kurt) < 1e-8


def test_entropies_of_a_million_numbers():
    for name, shapes in (("zipfian", (0.3, 1500000)), ("nbinom", (3, 1e-5))):
        k = cp.arange(4_000_000) if name == "nbinom" else cp.arange(1500001)
        p = getattr(stats, name).pmf(k, *shapes)
        wanted = float(cp.scipy.special.entr(p).sum())
        found = float(getattr(stats, name).entropy(*shapes))
        assert found == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize(("k", "a", "n"), [(9998, 3.5, 10000), (50000, 1.1, 100000), (3, 0.5, 30)])
def test_upper_tails_of_powers(k, a, n):
    rest, whole = (sum(i**-a for i in range(n, low, -1)) for low in (k, 0))
    assert float(stats.zipfian.sf(k, a, n)) == pytest.approx(rest / whole, rel=1e-12)
