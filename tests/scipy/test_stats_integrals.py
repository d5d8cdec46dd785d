"""Distributions whose functions are sums and integrals, against mpmath, closed forms and SciPy."""

import mpmath
import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about integrals
stats = cp.scipy.stats


def close(result, wanted, rtol=1e-12, atol=0.0):
    assert isinstance(result, cp.ndarray) and result.dtype == np.float64
    np.testing.assert_allclose(result.get(), wanted, rtol=rtol, atol=atol)


# Density and distribution function, by mpmath's inversion of the characteristic function.
STABLE = [
    (1.5, 0.5, 8, 0.0026237879701618907, 0.986361799692204),
    (1.0, 0.7, 0.7, 0.1945174392149249, 0.5759187119447376),
    (1.0, 1.0, -2, 0.00650763682207511, 0.000707114056489178),
    (0.8, 0.4, 3, 0.07967191294020126, 0.742383958979553),
]


def test_stable_distributions():
    a, b, x, density, below = np.array(STABLE).T
    dist, (a, b, x) = stats.levy_stable, map(cp.asarray, (a, b, x))
    close(dist.pdf(x, a, b), density)
    close(dist.cdf(x, a, b), below)
    close(dist.sf(-x, a, -b), below)


def test_small_quantiles_of_kolmogorovs_statistic():
    for n in (100, 300, 5000):
        q = np.array([1e-300, 1e-100, 1e-43, 1e-20])
        x = stats.kstwo.ppf(cp.asarray(q), n)
        close(x, scipy.stats.kstwo.ppf(q, n), 1e-9)
        close(stats.kstwo.cdf(x, n), q, 1e-9)
        close(stats.kstwo.sf(stats.kstwo.isf(cp.asarray(q), n), n), q, 1e-9)


def test_stable_distributions_with_closed_forms():
    dist, x = stats.levy_stable, np.array([-1e5, -3, 0, 1e-9, 0.3, 1e5])
    close(dist.pdf(cp.asarray(x), 0.5, 1), scipy.stats.levy.pdf(x), 1e-11)
    close(dist.cdf(cp.asarray(x), 0.5, 1), scipy.stats.levy.cdf(x), 1e-11)
    close(dist.sf(cp.asarray(x), 0.5, 1), scipy.stats.levy.sf(x), 1e-11)
    close(dist.sf(cp.asarray(x), 1, 0), scipy.stats.cauchy.sf(x))
    close(dist.cdf(cp.asarray(x), 2, 0.3), scipy.stats.norm.cdf(x / np.sqrt(2)))
    assert np.isnan(dist.pdf(1.0, cp.asarray([0.0, 2.1, 1]), cp.asarray([0, 0, 1.5])).get()).all()
    assert [float(v) for v in dist.stats(2, 0.3, moments="mv")] == [0, 2]


def test_landau():
    """SciPy's functions, whose error is some 1e-9; the tail's limit is 2 / (pi x)."""
    x = np.array([-1.0, 5])
    close(stats.landau.pdf(cp.asarray(x)), scipy.stats.landau.pdf(x), 1e-7)
    close(stats.landau.cdf(cp.asarray(x)), scipy.stats.landau.cdf(x), 1e-7)
    close(stats.landau.sf(cp.asarray([1e9])) * 1e9, 2 / np.pi, 1e-6)
    assert float(stats.landau.entropy()) == pytest.approx(scipy.stats.landau.entropy())


@pytest.mark.slow
def test_quantiles_of_stable_distributions():
    q = cp.asarray([1e-6, 0.2, 0.5, 0.97])
    for dist, shapes in ((stats.levy_stable, (1.7, -0.4)), (stats.landau, ())):
        close(dist.cdf(dist.ppf(q, *shapes), *shapes), q.get(), 1e-11)
        close(dist.sf(dist.isf(q, *shapes), *shapes), q.get(), 1e-11)
    close(stats.levy_stable.entropy(2, 0), scipy.stats.norm(scale=np.sqrt(2)).entropy(), 1e-9)


def test_samples_of_stable_distributions():
    for alpha, beta in ((1.5, 0.5), (1.0, 0.7), (0.6, -1.0), (2.0, 0.0)):
        x = stats.levy_stable.rvs(alpha, beta, loc=1, scale=2, size=2000, random_state=3).get()
        points = np.quantile(x, [0.1, 0.4, 0.8])
        below = stats.levy_stable.cdf(cp.asarray(points), alpha, beta, loc=1, scale=2).get()
        np.testing.assert_allclose(below, [0.1, 0.4, 0.8], atol=0.04)
    x = np.quantile(stats.landau.rvs(size=2000, random_state=3).get(), [0.1, 0.4, 0.8])
    np.testing.assert_allclose(stats.landau.cdf(cp.asarray(x)).get(), [0.1, 0.4, 0.8], atol=0.04)


def compare_with_t(x, df):
    """The studentized range of two numbers is Student's t."""
    dist, q, tail = stats.studentized_range, cp.asarray(x), scipy.stats.t.sf(x / np.sqrt(2), df)
    close(dist.sf(q, 2, df), 2 * tail)
    close(dist.cdf(q, 2, df), 1 - 2 * tail, 1e-11)
    close(dist.pdf(q, 2, df), np.sqrt(2) * scipy.stats.t.pdf(x / np.sqrt(2), df))


def test_studentized_range():
    compare_with_t(np.array([1.5, 15]), 40)
    found = stats.studentized_range.cdf(cp.asarray([2.5]), 3, 60)
    close(found, [scipy.stats.studentized_range.cdf(2.5, 3, 60)], 1e-10)
    assert np.isnan(
        stats.studentized_range.cdf(1.0, cp.asarray([1.0, 2]), cp.asarray([3.0, 0])).get()
    ).all()


# q, k, df, density, probabilities below and above, by sums of three times as many terms.
STUDENTIZED = [
    (3, 30, 1, 0.1392925453529851, 0.18431688301480806, 0.8156831169851884),
    (3, 100, 1, 0.10959057403755879, 0.10105637569467253, 0.8989436243053206),
    (0.3, 30, 0.3, 1.1389187515828018e-06, 1.9458436405484725e-08, 0.9999999805415505),
    (0.3, 1.5, 0.3, 0.38322458697484646, 0.24010339102628434, 0.7598966089737741),
]


def test_studentized_range_of_many_numbers():
    *given, density, below, above = np.array(STUDENTIZED).T
    dist, given = stats.studentized_range, [cp.asarray(v) for v in given]
    close(dist.pdf(*given), density)
    close(dist.cdf(*given), below)
    close(dist.sf(*given), above)


def test_studentized_range_far_out():
    """The probability above q falls as q^-df."""
    dist = stats.studentized_range
    far = dist.sf(cp.asarray([1e3, 1e18, 2.0**63]), 3, 10.0).get() * [1e30, 1e180, 2.0**630]
    np.testing.assert_allclose(far[1:], far[1], rtol=1e-12)
    np.testing.assert_allclose(far[0], far[1], rtol=1e-3)
    close(dist.pdf(2.0**63, 3, 10.0) * 2.0**693, 10 * far[1])


@pytest.mark.slow
def test_studentized_range_of_few_degrees():
    dist, x = stats.studentized_range, np.array([0.05, 1.5, 3])
    compare_with_t(np.array([0.05, 1.5, 3, 10, 30]), 7)
    close(dist.cdf(cp.asarray(x), 3, 10), scipy.stats.studentized_range.cdf(x, 3, 10), 1e-10)
    close(dist.cdf(cp.asarray(x), 3, 1e6), scipy.stats.studentized_range.cdf(x, 3, 1e6), 1e-10)
    close(dist.mean(2, 7), np.sqrt(2) * 2 * scipy.stats.t.expect(lambda v: v, (7,), lb=0))
    assert float(dist.mean(3, 1.0)) == np.inf


@pytest.mark.slow
def test_quantiles_of_the_studentized_range():
    q = cp.asarray([0.05, 0.95])
    close(stats.studentized_range.cdf(stats.studentized_range.ppf(q, 3, 10), 3, 10), q.get(), 1e-11)


@pytest.mark.parametrize("n", [2, 10, 60])
def test_statistics_of_kolmogorov_and_smirnov(n):
    x = np.array([0.3 / n, 0.6 / n, 1.3 / n, 0.6 / n**0.5, 1.5 / n**0.5, 2.7 / n**0.5, 0.63, 0.9])
    q = cp.asarray(x)
    close(stats.kstwo.cdf(q, n), scipy.stats.kstwo.cdf(x, n), 1e-12)
    close(stats.kstwo.sf(q, n), scipy.stats.kstwo.sf(x, n), 1e-9)
    close(stats.ksone.cdf(q, n), scipy.stats.ksone.cdf(x, n), 1e-11)
    close(stats.ksone.sf(q, n), scipy.stats.ksone.sf(x, n), 1e-11)
    close(stats.ksone.pdf(q, n), scipy.stats.ksone.pdf(x, n), 1e-10)
    assert float(stats.kstwo.pdf(1.0, n)) == 0 and float(stats.ksone.pdf(1.0, 1)) == 1
    h = 1e-5 * q  # the density is the slope, but at kinks
    slope = (stats.kstwo.cdf(q + h, n) - stats.kstwo.cdf(q - h, n)) / (2 * h)
    close(stats.kstwo.pdf(q, n), slope.get(), 1e-5, 1e-9)


def test_expansion_for_many_numbers():
    """Beyond some thousand numbers: SciPy's has five digits, and both tails are Smirnov's."""
    x = np.array([0.7, 1.2, 1.8, 2.6]) / np.sqrt(3000)
    close(stats.kstwo.sf(cp.asarray(x), 3000), scipy.stats.kstwo.sf(x, 3000), 1e-5)
    close(stats.kstwo.pdf(cp.asarray(x), 3000), scipy.stats.kstwo.pdf(x, 3000), 1e-4)


def test_moments_of_statistics():
    """By mpmath's integrals of the tails between all kinks; SciPy's have five digits."""
    of_one = [0.183010784, 0.01040669347303868, 0.5959070379948601, 0.11747974147108797]
    of_two = [0.2591931149049999, 0.006375655442845393, 0.8163773370956984, 0.6994653406617068]
    of_three_numbers = [
        0.4521604938271605, 0.018493274653254076, 0.669357352434379, 0.12777966444264902
    ]  # fmt: skip
    for found, wanted in (
        (stats.ksone.stats(10, moments="mvsk"), of_one),
        (stats.kstwo.stats(10, moments="mvsk"), of_two),
        (stats.kstwo.stats(3, moments="mvsk"), of_three_numbers),
    ):
        assert [float(v) for v in found] == pytest.approx(wanted, rel=1e-9)
    mean, variance = stats.kstwo.stats(cp.asarray([3.0, 10, 2.5]), loc=1, scale=cp.asarray([[2.0]]))
    close(mean, [[1 + 2 * of_three_numbers[0], 1 + 2 * of_two[0], np.nan]])
    close(variance, [[4 * of_three_numbers[1], 4 * of_two[1], np.nan]], 1e-11)
    close(stats.kstwo.moment(2, 10, 1, 2), 4 * of_two[1] + (1 + 2 * of_two[0]) ** 2)
    close(stats.kstwo.entropy(2), 0.5 - 1.5 * np.log(2), 1e-9)
    close(stats.kstwo.entropy(1, 0, 3), np.log(1.5), 1e-9)
    assert np.isnan(float(stats.ksone.std(4, 0, -1.0)))


def test_densities_of_statistics_of_many_numbers():
    """Not as many terms as there are numbers: near those of the sum for fewer numbers, and at last
    those of the limit, exp(-2 s) of s = n x^2."""
    x = np.array([0.02, 0.1, 0.5, 0.99, 1.01, 2.0, 4.0, 12.0])
    below, above = (
        stats.ksone.pdf(cp.asarray(x / n**0.5), n).get() / n**0.5 for n in (300_000, 300_001)
    )
    np.testing.assert_allclose(below, above, rtol=1e-5)
    n = 2.0**60
    found = stats.ksone.pdf(cp.asarray(x / n**0.5), n).get() / n**0.5
    np.testing.assert_allclose(found, 4 * x * np.exp(-2 * x * x), rtol=1e-6)
    few = stats.ksone.pdf(cp.asarray([6.0, 8.0, 10.0]) / 310_000, 310_000)
    close(few, [24.660633462, 32.652595432, 40.63953573], 1e-8)  # by the sum of all terms
    assert (stats.ksone.pdf(cp.asarray([0.3, 0.6, 0.9999]), 310_000).get() == 0).all()
    for n in (10**6, 2**62):
        assert float(stats.kstwo.entropy(n) + 0.5 * np.log(n)) == pytest.approx(8.9e-4, abs=2e-3)


def test_mean_of_a_statistic():
    close(stats.ksone.mean(1), 0.5)


def uniforms(n, x):
    """Density and distribution function of a sum of n uniform numbers, by mpmath."""
    import mpmath

    with mpmath.workdps(60 + 2 * n):
        x = mpmath.mpf(x)
        terms = [(-1) ** k * mpmath.binomial(n, k) * (x - k) ** (n - 1) for k in range(int(x) + 1)]
        below = mpmath.fsum(t * (x - k) for k, t in enumerate(terms)) / mpmath.factorial(n)
        return float(mpmath.fsum(terms) / mpmath.factorial(n - 1)), float(below)


@pytest.mark.parametrize("n", [1, 10, 64, 150])
def test_sums_of_uniform_numbers(n):
    x = np.array([0.01, 0.2, 0.45, 0.5, 0.8]) * n
    density, below = np.array([uniforms(n, v) for v in x.tolist()]).T
    close(stats.irwinhall.pdf(cp.asarray(x), n), density)
    close(stats.irwinhall.cdf(cp.asarray(x), n), below)
    close(stats.irwinhall.sf(cp.asarray(n - x), n), below, 1e-10)


@pytest.mark.parametrize("n", [4000, 5000, 2**31, 1e300])
def test_entropy_of_many_uniform_numbers(n):
    """It is that of the normal distribution, less 0.03 / n^2."""
    normal = 0.5 * np.log(2 * np.pi * np.e / 12 * n)
    close(stats.irwinhall.entropy(n), normal - 0.03 / n / n)


def test_quantiles_of_unknown_probabilities():
    """Counts out of infinitely many have no probabilities."""
    n = cp.asarray([12, np.inf, -np.inf, np.nan])
    close(stats.betabinom.ppf(0.5, n, 3.0, 2.0), [7, np.nan, np.nan, np.nan])
    close(stats.betabinom.ppf(0.5, 12, [np.inf, 3.0], [3.0, np.inf]), [np.nan, np.nan])


def test_logarithms_of_hypergeometric_tails():
    """Sums of all terms with 80 digits, where the probabilities themselves underflow too."""
    M, n, N = 20000, 4000, 6000
    places = [0, 500, 1199, 1200, 2000, 3500, 3999]
    with mpmath.workdps(80):
        terms = [mpmath.mpf(1)]  # in units of the first one, of 0
        for k in range(n):
            terms.append(terms[-1] * (n - k) * (N - k) / ((k + 1) * (M - n - N + k + 1)))
        total = mpmath.fsum(terms)
        below = [float(mpmath.log(mpmath.fsum(terms[: k + 1]) / total)) for k in places]
        above = [float(mpmath.log(mpmath.fsum(terms[k + 1 :]) / total)) for k in places]
    close(stats.hypergeom.logcdf(cp.asarray(places), M, n, N), below, atol=1e-60)
    close(stats.hypergeom.logsf(cp.asarray(places), M, n, N), above, atol=1e-60)
    assert float(stats.hypergeom.logsf(4000, M, n, N)) == -np.inf


def test_gauss_hypergeometric():
    shapes, x = (2.0, 3.0, 1.2, 0.5), np.array([-1, 0, 1e-6, 0.2, 0.9, 1, 2])
    for method in ("pdf", "cdf", "sf"):
        wanted = getattr(scipy.stats.gausshyper, method)(x, *shapes)
        close(getattr(stats.gausshyper, method)(cp.asarray(x), *shapes), wanted, 1e-9, 1e-15)
    close(stats.gausshyper.var(*shapes), scipy.stats.gausshyper.var(*shapes), 1e-10)


def test_tails_by_mpmath():
    """The numbers are mpmath's integrals, of which SciPy has eight digits and three."""
    x, shapes = cp.asarray([1e-6, 0.3, 0.97, 0.9999]), (0.7, 0.9, -0.8, 6.0)
    below = [2.118914801080328e-05, 0.2272775316086082, 0.9475119824391217, 0.9996888006752758]
    close(stats.gausshyper.cdf(x, *shapes), below)
    close(stats.gausshyper.sf(x, *shapes), 1 - np.array(below), 1e-12)
    close(
        stats.nchypergeom_wallenius.pmf(cp.asarray([0, 16, 18, 20]), 60, 20, 30, 0.4),
        [
            0.00011596161827848944,
            7.241132288704847e-08,
            6.562309992940054e-11,
            5.081236256757669e-15,
        ],
    )


@pytest.mark.parametrize("name", ["nchypergeom_fisher", "nchypergeom_wallenius"])
def test_noncentral_counts(name):
    dist, theirs = getattr(stats, name), getattr(scipy.stats, name)
    k = np.array([-1, 0, 1, 3, 6, 7, 8, 2.5])
    for method in ("pmf", "cdf", "sf"):
        wanted = getattr(theirs, method)(k, 40, 12, 7, 2.5)
        close(getattr(dist, method)(cp.asarray(k), 40, 12, 7, 2.5), wanted, 1e-10, 1e-15)
    close(dist.mean(40, 12, 7, 2.5), theirs.mean(40, 12, 7, 2.5))
    close(dist.pmf(cp.asarray([0.0, 12]), 12, 12, 12, 2.5), [0, 1])  # all are drawn
    close(dist.pmf(3.0, 40, 12, 7, 1.0), scipy.stats.hypergeom.pmf(3, 40, 12, 7))
    assert np.isnan(float(dist.pmf(3.0, 40, 12, 7, 0.0)))


@pytest.mark.parametrize("n", [10, 100, 300])
def test_quantiles_of_kolmogorov(n):
    q = cp.asarray([1e-6, 0.01, 0.5, 0.9])
    close(stats.kstwo.cdf(stats.kstwo.ppf(q, n), n), q.get(), 1e-13)
    close(stats.kstwo.sf(stats.kstwo.isf(q, n), n), q.get(), 1e-12)


INVERSE_GAUSS = [(1000, 1.5), (1.03, 1e-300), (60, 1e-6), (120, 0.05), (-1000, 300.0)]


@pytest.mark.parametrize("p, b", INVERSE_GAUSS)
def test_densities_beyond_the_range_of_bessel_functions(p, b):
    with mpmath.workdps(40):
        wanted = [
            (p - 1) * mpmath.log(x) - b * (x + 1 / mpmath.mpf(x)) / 2 - norm
            for norm in [mpmath.log(2 * mpmath.besselk(p, mpmath.mpf(b)))]
            for x in (0.7, 1300.0)
        ]
    close(stats.geninvgauss.logpdf(cp.array([0.7, 1300.0]), p, b), np.array(wanted, float), 1e-12)


def test_samples_of_a_large_order():
    sample = stats.geninvgauss.rvs(1000, 1.5, size=50, random_state=1).get()
    assert abs(sample.mean() - 1333.334) < 4 * (1777.8 / 50) ** 0.5
    q = cp.asarray([0.01, 0.5, 0.99])
    close(stats.geninvgauss.cdf(stats.geninvgauss.ppf(q, 1000, 1.5), 1000, 1.5), q.get(), 1e-12)


def test_entropy_of_many_counts():
    """SciPy's sum ends too early there."""
    for mu in (999.0, 1000.0, 1e5, 2.0**63):
        wanted = mpmath.log(2 * mpmath.pi * mpmath.e * mu) / 2 - 1 / mpmath.mpf(12 * mu)
        close(stats.poisson.entropy(cp.array([mu])), np.array([float(wanted)]), 1e-8)


@pytest.mark.parametrize("k", [2.0**32, 2.0**63, 1e30, np.inf])
def test_a_narrow_studentized_range_of_many_numbers(k):
    """Each was a sum of millions of terms, all of them zero or one."""
    dist, q = stats.studentized_range, cp.asarray([0.5])
    close(dist.cdf(q, k, 10.0), np.array([0.0]), 0)
    close(dist.pdf(q, k, 10.0), np.array([0.0]), 0)
    close(dist.sf(q, k, 10.0), np.array([1.0]), 1e-13)


@pytest.mark.slow  # millions of terms on the emulated device
def test_the_studentized_range_of_a_million_numbers():
    """Against a plain sum over the scale's logarithm and the least number."""
    k, df, q = 1e6, 10.0, np.array([10.0, 16.0])
    u, z = np.arange(-3, 1.2, 2e-3), np.arange(-9, 9, 0.02)
    w = q[:, None, None] * np.exp(u)[:, None]
    mass = (scipy.special.ndtr(z + w) - scipy.special.ndtr(z)) ** (k - 1)
    ranges = k * 0.02 * (mass * np.exp(-0.5 * z * z)).sum(-1) / np.sqrt(2 * np.pi)
    top = np.log(2) + 0.5 * df * np.log(0.5 * df) - scipy.special.gammaln(0.5 * df)
    wanted = 2e-3 * (np.exp(top + df * u - 0.5 * df * np.exp(2 * u)) * ranges).sum(-1)
    close(stats.studentized_range.cdf(cp.asarray(q), k, df), wanted, 1e-8)


@pytest.mark.parametrize("k", [2.0, 100.0, 2.0**32])
def test_median_of_a_studentized_range_of_many_numbers(k):
    """Few points of both integrals suffice: a quantile is some twenty of them. SciPy's lose digits."""
    law = stats.studentized_range(k, 1.5)
    median = law.median()
    tails = [law.cdf(median), law.sf(median)]
    np.testing.assert_allclose([float(tail) for tail in tails], 0.5, rtol=1e-9)
    h = 1e-4 * median
    slope = (law.cdf(median + h) - law.cdf(median - h)) / (2 * h)
    np.testing.assert_allclose(slope.get(), law.pdf(median).get(), rtol=1e-6)


def test_the_far_tail_of_a_studentized_range():
    """No term of the range's own tail is a number of its own there."""
    found = stats.studentized_range.sf(cp.array([1e3, 1e6]), 10, 1.5).get()
    np.testing.assert_allclose(found[0], scipy.stats.studentized_range.sf(1e3, 10, 1.5), rtol=1e-9)
    np.testing.assert_allclose(found[1], found[0] * 1e3**-1.5, rtol=1e-4)  # Student's power
