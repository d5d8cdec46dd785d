"""Distributions against SciPy's: Kolmogorov and Smirnov's test, or chi-square for counts.

Seeds are fixed and the numbers the same on every device, so a test that passes once passes always.
"""

import inspect
import itertools
import zlib

import numpy as np
import pytest

import gpunp as cp

stats = pytest.importorskip("scipy.stats")

N = 20000
TINY = 1e-4  # of some 130 tests, the least probability that still passes

FLOATS = [
    ("random", (), stats.uniform()),
    ("uniform", (-2.0, 5.0), stats.uniform(-2, 7)),
    ("standard_normal", (), stats.norm()),
    ("normal", (3.0, 0.5), stats.norm(3, 0.5)),
    ("standard_gamma", (1.0,), stats.gamma(1)),
    ("standard_gamma", (4.0,), stats.gamma(4)),
    ("gamma", (2.0, 3.0), stats.gamma(2, scale=3)),
    ("beta", (3.0, 1.0), stats.beta(3, 1)),
    ("beta", (2.0, 2.5), stats.beta(2, 2.5)),
    ("f", (4.0, 7.0), stats.f(4, 7)),
    ("chisquare", (6.0,), stats.chi2(6)),
    ("lognormal", (0.3, 0.8), stats.lognorm(0.8, scale=np.exp(0.3))),
    ("standard_exponential", (), stats.expon()),
    ("exponential", (2.5,), stats.expon(scale=2.5)),
    ("standard_cauchy", (), stats.cauchy()),
    ("gumbel", (1.0, 2.0), stats.gumbel_r(1, 2)),
    ("laplace", (1.0, 2.0), stats.laplace(1, 2)),
    ("logistic", (1.0, 2.0), stats.logistic(1, 2)),
    ("pareto", (3.0,), stats.lomax(3)),
    ("pareto", (0.2,), stats.lomax(0.2)),
    ("power", (2.0,), stats.powerlaw(2)),
    ("power", (0.3,), stats.powerlaw(0.3)),
    ("rayleigh", (2.0,), stats.rayleigh(scale=2)),
    ("triangular", (-1.0, 0.0, 3.0), stats.triang(0.25, -1, 4)),
    ("triangular", (0.0, 0.0, 1.0), stats.triang(0, 0, 1)),
    ("triangular", (0.0, 1.0, 1.0), stats.triang(1, 0, 1)),
    ("weibull", (1.5,), stats.weibull_min(1.5)),
    ("weibull", (0.3,), stats.weibull_min(0.3)),
    ("standard_gamma", (0.05,), stats.gamma(0.05)),
    ("standard_gamma", (1.0,), stats.gamma(1)),
    ("standard_gamma", (2.5,), stats.gamma(2.5)),
    ("standard_gamma", (1e6,), stats.gamma(1e6)),
    ("gamma", (0.7, 3.0), stats.gamma(0.7, scale=3)),
    ("beta", (2.0, 3.0), stats.beta(2, 3)),
    ("beta", (0.1, 0.2), stats.beta(0.1, 0.2)),
    ("beta", (0.5, 30.0), stats.beta(0.5, 30)),
    ("beta", (1000.0, 2000.0), stats.beta(1000, 2000)),
    ("chisquare", (1.0,), stats.chi2(1)),
    ("chisquare", (7.5,), stats.chi2(7.5)),
    ("noncentral_chisquare", (3.0, 2.0), stats.ncx2(3, 2)),
    ("noncentral_chisquare", (0.5, 4.0), stats.ncx2(0.5, 4)),
    ("noncentral_chisquare", (3.0, 0.0), stats.chi2(3)),
    ("f", (3.0, 8.0), stats.f(3, 8)),
    ("noncentral_f", (3.0, 8.0, 1.5), stats.ncf(3, 8, 1.5)),
    ("standard_t", (0.7,), stats.t(0.7)),
    ("standard_t", (10.0,), stats.t(10)),
    ("vonmises", (0.0, 0.0), stats.uniform(-np.pi, 2 * np.pi)),
    ("vonmises", (0.0, 1e-6), stats.uniform(-np.pi, 2 * np.pi)),
    ("vonmises", (0.0, 2.0), stats.vonmises(2)),
    ("vonmises", (0.0, 400.0), stats.vonmises(400)),
    ("vonmises", (0.0, 1e8), stats.norm(scale=1e-4)),
    ("wald", (1.0, 2.0), stats.invgauss(0.5, scale=2)),
    ("wald", (50.0, 0.1), stats.invgauss(500, scale=0.1)),
]

COUNTS = [
    ("geometric", (0.3,), stats.geom(0.3)),
    ("geometric", (0.9,), stats.geom(0.9)),
    ("geometric", (0.001,), stats.geom(0.001)),
    ("binomial", (10, 0.3), stats.binom(10, 0.3)),
    ("binomial", (1000, 0.002), stats.binom(1000, 0.002)),
    ("binomial", (40, 0.5), stats.binom(40, 0.5)),
    ("binomial", (5000, 0.97), stats.binom(5000, 0.97)),
    ("binomial", (10**9, 0.25), stats.binom(10**9, 0.25)),
    ("negative_binomial", (5, 0.4), stats.nbinom(5, 0.4)),
    ("negative_binomial", (0.3, 0.1), stats.nbinom(0.3, 0.1)),
    ("poisson", (0.1,), stats.poisson(0.1)),
    ("poisson", (9.9,), stats.poisson(9.9)),
    ("poisson", (10.0,), stats.poisson(10)),
    ("poisson", (20.0,), stats.poisson(20)),
    ("poisson", (3e5,), stats.poisson(3e5)),
    ("hypergeometric", (5, 9, 7), stats.hypergeom(14, 5, 7)),
    ("hypergeometric", (20, 9, 20), stats.hypergeom(29, 20, 20)),
    ("hypergeometric", (20, 10**8, 10**7), stats.binom(20, 0.1)),
    ("hypergeometric", (21, 60, 40), stats.hypergeom(81, 21, 40)),
    ("hypergeometric", (100, 60, 50), stats.hypergeom(160, 100, 50)),
    ("hypergeometric", (60, 100, 150), stats.hypergeom(160, 60, 150)),
    ("hypergeometric", (5000, 40000, 3000), stats.hypergeom(45000, 5000, 3000)),
    ("logseries", (0.3,), stats.logser(0.3)),
    ("logseries", (0.95,), stats.logser(0.95)),
    ("zipf", (1.5,), stats.zipf(1.5)),
    ("zipf", (4.0,), stats.zipf(4)),
]


def name(row):
    return row[0] + "-".join(str(x) for x in row[1])


def sample(row, dtype=None, kind=cp.random.Philox4x3210, n=N):
    rng = cp.random.Generator(kind(zlib.crc32(name(row).encode())))
    keywords = {} if dtype is None else {"dtype": dtype}
    return getattr(rng, row[0])(*row[1], size=n, **keywords).get()


def fits_counts(x, frozen):
    """The probability of chi-square over bins that expect ten or more."""
    edges = np.unique(frozen.ppf(np.linspace(0.002, 0.998, 60)))
    expected = np.diff(np.concatenate([[0.0], frozen.cdf(edges), [1.0]])) * x.size
    observed = np.bincount(np.searchsorted(edges, x, side="left"), minlength=edges.size + 1)
    keep = expected >= 10
    expected = np.append(expected[keep], expected[~keep].sum())
    observed = np.append(observed[keep], observed[~keep].sum())
    if expected[-1] < 1:
        expected, observed = expected[:-1], observed[:-1]
    return stats.chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("row", FLOATS, ids=name)
def test_floats_fit(row):
    x = sample(row)
    assert x.dtype == np.float64 and np.isfinite(x).all()
    assert stats.kstest(x, row[2].cdf).pvalue > TINY


@pytest.mark.parametrize("row", FLOATS, ids=name)
def test_float32_fits(row):
    x = sample(row, np.float32)
    assert x.dtype == np.float32
    if row[:2] != ("vonmises", (0.0, 1e8)) and row[:2] != ("standard_gamma", (1e6,)):
        assert stats.kstest(x.astype(np.float64), row[2].cdf).pvalue > TINY


@pytest.mark.parametrize("row", COUNTS, ids=name)
def test_counts_fit(row):
    x = sample(row)
    assert x.dtype == np.int64
    assert x.min() >= row[2].support()[0] and x.max() <= row[2].support()[1]
    assert fits_counts(x, row[2]) > TINY


@pytest.mark.parametrize("kind", [cp.random.XORWOW, cp.random.MRG32k3a])
@pytest.mark.parametrize("row", [FLOATS[0], FLOATS[2], FLOATS[22], COUNTS[13]], ids=name)
def test_other_bit_generators_fit(kind, row):
    x = sample(row, kind=kind, n=5000)
    if row in COUNTS:
        assert fits_counts(x, row[2]) > TINY
    else:
        assert stats.kstest(x, row[2].cdf).pvalue > TINY


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=str)
def test_moments_of_many_normals(dtype):
    z = cp.random.default_rng(5).standard_normal(2**20, dtype=dtype)
    z = z.astype(np.float64)
    n = z.size
    for power, moment, variance in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)]:
        assert abs(float((z**power).mean()) - moment) < 4 * (variance / n) ** 0.5
    assert 4.5 < float(abs(z).max()) < 7
    neighbours = float((z[:-1] * z[1:]).mean())
    assert abs(neighbours) < 4 / n**0.5


def test_lognormals_of_float32_are_powers_of_their_normals():
    parameters = (np.array([0.0, -60.0, 60.0]), np.array([1.0, 20.0, 20.0]))
    drawn = [cp.random.default_rng(5) for _ in range(2)]
    normal = drawn[0].normal(*parameters, size=(4000, 3), dtype="f4").get()
    ours = drawn[1].lognormal(*parameters, size=(4000, 3), dtype="f4").get()
    with np.errstate(over="ignore", under="ignore"):
        expected = np.exp(normal)
    assert np.isinf(ours).any() and (ours == 0).any()
    np.testing.assert_allclose(ours, expected, rtol=3e-7, atol=3e-45)


def test_cauchy_of_float32_reaches_far_and_stays_finite():
    x = cp.random.default_rng(6).standard_cauchy(1 << 20, dtype="f4").get()
    assert np.isfinite(x).all() and 1e5 < abs(x).max() < 1.4e9
    beyond = np.array([np.mean(abs(x) > bound) for bound in (1, 10, 100, 1000)])
    expected = 1 - 2 / np.pi * np.arctan([1, 10, 100, 1000])
    np.testing.assert_allclose(beyond, expected, atol=5 * np.sqrt(expected / len(x)).max())


def test_normals_come_from_both_of_a_pair():
    z = cp.random.default_rng(5).standard_normal((2**18, 2)).get()
    assert abs(np.corrcoef(z.T)[0, 1]) < 4 / 2**9
    assert abs(np.corrcoef((z**2).T)[0, 1]) < 4 / 2**9


@pytest.mark.parametrize("count", [2, 3, 10, 256, 1000, 65536, 3 * 2**30, 2**32])
@pytest.mark.parametrize("dtype", [np.uint32, np.int64], ids=str)
def test_integers_are_uniform(count, dtype):
    x = cp.random.default_rng(count).integers(0, count, N, dtype=dtype).get().astype(np.float64)
    bins = min(count, 100)
    observed = np.bincount((x * bins // count).astype(int), minlength=bins)
    whole = np.arange(bins + 1) * count / bins
    expected = np.diff(np.ceil(whole)) * N / count
    assert stats.chisquare(observed, expected).pvalue > TINY


def test_integers_reject_what_would_be_bias():
    # Of three quarters of 2^32, plain multiplication would give a third of the numbers twice as often.
    x = cp.random.default_rng(1).integers(0, 3 << 30, 30000, dtype=np.uint32).get()
    assert stats.chisquare(np.bincount(x % 3, minlength=3)).pvalue > TINY
    x = cp.random.default_rng(1).integers(0, 3 << 62, 30000, dtype=np.uint64).get()
    assert stats.chisquare(np.bincount((x % np.uint64(3)).astype(int), minlength=3)).pvalue > TINY


def test_multinomial_fits():
    pvals = [0.1, 0.2, 0.05, 0.65]
    x = cp.random.default_rng(2).multinomial(200, pvals, size=4000).get()
    assert x.shape == (4000, 4) and x.dtype == np.int64 and (x.sum(axis=1) == 200).all()
    for column, p in zip(x.T, pvals, strict=True):
        assert fits_counts(column, stats.binom(200, p)) > TINY
    expected = -200 * pvals[0] * pvals[3]
    assert abs(np.cov(x.T)[0, 3] - expected) < 0.15 * abs(expected)


def test_multivariate_hypergeometric_fits():
    colors = [30, 50, 20, 0, 7]
    x = cp.random.default_rng(2).multivariate_hypergeometric(colors, 25, size=4000).get()
    assert (x.sum(axis=1) == 25).all() and (x <= colors).all() and (x[:, 3] == 0).all()
    for column, good in zip(x.T, colors, strict=True):
        if good:
            assert fits_counts(column, stats.hypergeom(107, good, 25)) > TINY


@pytest.mark.parametrize("alpha", [[1.0, 2.0, 5.0], [0.7, 0.7, 0.7], [0.02, 0.03, 0.01]], ids=str)
def test_dirichlet_fits(alpha):
    x = cp.random.default_rng(2).dirichlet(alpha, size=4000).get()
    assert np.allclose(x.sum(axis=1), 1)
    for column, a in zip(x.T, alpha, strict=True):
        frozen = stats.beta(a, sum(alpha) - a)
        for bound in (1e-30, 1e-10, 1e-3, 0.1, 0.3, 0.5, 0.9):  # parts near 1 round to it
            below = int((column <= bound).sum())
            assert stats.binomtest(below, 4000, frozen.cdf(bound)).pvalue > TINY


def test_permutations_are_equally_likely():
    rng = cp.random.default_rng(3)
    orders = rng.permuted(np.tile(np.arange(4), (12000, 1)), axis=1).get()
    codes = orders @ np.array([64, 16, 4, 1])
    assert stats.chisquare(np.unique(codes, return_counts=True)[1]).pvalue > TINY
    assert np.unique(codes).size == 24


def test_choice_by_probabilities():
    p = [0.1, 0.0, 0.6, 0.3]
    x = cp.random.default_rng(3).choice(4, 20000, p=p).get()
    observed = np.bincount(x, minlength=4)
    assert observed[1] == 0
    assert stats.chisquare(observed[[0, 2, 3]], np.array([0.1, 0.6, 0.3]) * 20000).pvalue > TINY


def test_choice_without_replacement_by_probabilities():
    rng = cp.random.default_rng(3)
    p = np.array([0.5, 0.3, 0.2])
    pairs = np.array([rng.choice(3, 2, replace=False, p=p).get() for _ in range(1500)])
    expected = {(i, j): p[i] * p[j] / (1 - p[i]) for i in range(3) for j in range(3) if i != j}
    observed = [int((pairs == pair).all(axis=1).sum()) for pair in expected]
    assert stats.chisquare(observed, np.array(list(expected.values())) * 1500).pvalue > TINY


def test_a_sample_of_many_is_the_beginning_of_an_order():
    n = 65537
    whole, part = [cp.random.default_rng(4).choice(n, k, replace=False).get() for k in (n, 100)]
    assert (np.sort(whole) == np.arange(n)).all() and (whole[:100] == part).all()
    # Neighbours, and places far apart, have differences as those of an order have.
    for step in (1, 2, 256, 257, 30000):
        difference = (whole[step:] - whole[:-step]) % n
        assert stats.kstest(difference / n, "uniform").pvalue > TINY


@pytest.mark.parametrize("n", [65537, 10**6, 2**32 + 5, 2**61 + 1])
def test_samples_of_many_are_uniform_and_differ(n):
    rng = cp.random.default_rng(5)
    samples = np.array([rng.choice(n, 50, replace=False).get() for _ in range(40)])
    assert all(np.unique(sample).size == 50 for sample in samples)
    assert samples.min() >= 0 and samples.max() < n
    for numbers in (samples, (samples[:, 1] - samples[:, 0]) % n, samples[1:] - samples[:-1]):
        assert stats.kstest(numbers.ravel() % n / n, "uniform").pvalue > TINY


EXTREME = [
    np.nan,
    np.inf,
    -np.inf,
    -1.0,
    0.0,
    1e-320,
    0.5,
    1.0,
    np.nextafter(1.0, 2.0),
    3.0,
    1e9,
    1e300,
]


@pytest.mark.parametrize(
    "name",
    [
        "exponential",
        "rayleigh",
        "weibull",
        "power",
        "pareto",
        "standard_gamma",
        "chisquare",
        "standard_t",
        "geometric",
        "poisson",
        "logseries",
        "zipf",
        "uniform",
        "normal",
        "lognormal",
        "gumbel",
        "laplace",
        "logistic",
        "gamma",
        "beta",
        "noncentral_chisquare",
        "f",
        "vonmises",
        "wald",
        "binomial",
        "negative_binomial",
        "triangular",
        "noncentral_f",
        "hypergeometric",
    ],
)
def test_every_draw_ends_whatever_the_parameters(name):
    method = getattr(cp.random.default_rng(0), name)
    given = [p for p in inspect.signature(method).parameters if p not in ("size", "dtype", "out")]
    columns = np.array(list(itertools.product(EXTREME, repeat=len(given)))).T
    assert method(*map(cp.asarray, columns)).get().size == columns.shape[1]
