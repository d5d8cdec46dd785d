"""Multivariate distributions of gpunp.scipy.stats against SciPy's."""

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about probabilities
stats = cp.scipy.stats

COV = np.array([[2, 0.3, 0.1], [0.3, 1, -0.2], [0.1, -0.2, 0.7]])
MEAN = np.array([0.1, 0.2, -0.3])
X = np.random.default_rng(1).normal(size=(2, 4, 3))
P = np.array([0.2, 0.5, 0.3])
ALPHA = np.array([2, 3, 0.5])
PARTS = np.array([[0.2, 0.3], [0.5, 0.1], [0.3, 0.6]])
SINGULAR, ZERO = np.ones((2, 2)), np.zeros(2)


def on_device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


def same(name, method, *args, atol=1e-14, **options):
    theirs = getattr(getattr(scipy.stats, name), method)
    ours = getattr(getattr(stats, name), method)
    wanted = theirs(*args, **options)
    found = ours(*map(on_device, args), **{k: on_device(v) for k, v in options.items()})
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for result, value in pairs:
        assert isinstance(result, cp.ndarray) and result.shape == np.shape(value)
        np.testing.assert_allclose(result.get(), value, rtol=1e-11, atol=atol)


@pytest.mark.parametrize("method", ["pdf", "logpdf"])
def test_normal_densities(method):
    same("multivariate_normal", method, X, MEAN, COV)
    same("multivariate_normal", method, X[0, 0])
    same("multivariate_normal", method, X, MEAN, np.array([1, 2, 3.0]))
    same("multivariate_normal", method, X[0, 0], MEAN, 2.0)
    same("multivariate_normal", method, X[0, 0, 0])
    same("multivariate_normal", method, np.array([1.0, 2]), ZERO, SINGULAR, True)
    same("multivariate_normal", method, np.ones(2), ZERO, SINGULAR, True)
    same("multivariate_t", method, X, MEAN, COV, 3.5)


def test_many_coordinates():
    x = np.random.default_rng(2).normal(size=(5, 40))
    same("multivariate_normal", "logpdf", x, np.zeros(40), np.cov(x.T) + np.eye(40))


def test_probabilities_of_boxes():
    same("multivariate_normal", "cdf", X, MEAN, COV, atol=5e-5)
    same("multivariate_normal", "cdf", X, MEAN, COV, lower_limit=np.array([-1.0, 2, -1]), atol=5e-5)
    same("multivariate_normal", "cdf", np.array([1.0]), np.zeros(1), 1.0)
    few = stats.multivariate_normal(*map(cp.asarray, (MEAN, COV)), maxpts=1000, releps=1e-3)
    called = stats.multivariate_normal.cdf(*map(cp.asarray, (X, MEAN, COV)), maxpts=1000)
    assert (few.cdf(cp.asarray(X)) == called).all()
    np.testing.assert_allclose(
        few.pdf(cp.asarray(X)).get(), scipy.stats.multivariate_normal(MEAN, COV).pdf(X), rtol=1e-9
    )
    theirs = scipy.stats.multivariate_t.cdf(X[0], MEAN, COV, 3.5, random_state=1)
    ours = stats.multivariate_t.cdf(*map(cp.asarray, (X[0], MEAN, COV)), 3.5)
    np.testing.assert_allclose(ours.get(), theirs, atol=1e-3)


def test_normal_entropy_and_fit():
    same("multivariate_normal", "entropy", MEAN, COV)
    same("multivariate_t", "entropy", MEAN, COV, 3.5)
    same("multivariate_normal", "fit", X[0])
    same("multivariate_normal", "fit", X[0], fix_mean=MEAN)


@pytest.mark.parametrize(
    "args",
    [
        (X, ZERO),
        (ZERO, ZERO, SINGULAR),
        (ZERO, ZERO, np.array([[1, 2], [2, 1.0]])),
        (ZERO, ZERO, np.ones((2, 3))),
        (ZERO, ZERO, np.ones((3, 3))),
        (ZERO, SINGULAR, SINGULAR),
    ],
)
def test_errors_of_the_normal(args):
    with pytest.raises(ValueError) as theirs:
        scipy.stats.multivariate_normal.pdf(*args)
    with pytest.raises(type(theirs.value)):
        stats.multivariate_normal.pdf(*map(cp.asarray, args))


@pytest.mark.parametrize(
    "x, n",
    [
        ([1, 2, 0], 3),
        ([1, 1, 0], 3),
        ([1.5, 1.5, 0], 3),
        ([-1, 4, 0], 3),
        ([1, 2, 0], -3),
        ([[1, 2, 0], [3, 0, 0]], np.array([3, 4])),
    ],
)
def test_multinomial(x, n):
    same("multinomial", "pmf", np.array(x), n, P)


def test_moments_of_the_multinomial():
    same("multinomial", "cov", 3, P)
    same("multinomial", "mean", np.array([3, 5]), P)
    same("multinomial", "entropy", np.array([4, 5]), P)
    with pytest.raises(ValueError, match="Size of each quantile"):
        stats.multinomial.pmf([1, 2], 3, P.tolist())


def test_dirichlet():
    same("dirichlet", "pdf", PARTS, ALPHA)
    same("dirichlet", "logpdf", PARTS[:2], ALPHA)
    for method in ("mean", "var", "cov", "entropy"):
        same("dirichlet", method, ALPHA)
    for x, alpha in [
        ([0.2, 0.9], [2, 3]),
        ([0.2, 0.8], [2, -3]),
        ([-0.2, 1.2], [2, 3]),
        ([0.2, 0.3, 0.5], [2, 3]),
        ([0.2, 0.8], [[2, 3]]),
    ]:
        with pytest.raises(ValueError):
            stats.dirichlet.pdf(x, alpha)


def test_samples_of_many_variables():
    y = stats.multivariate_normal.rvs(cp.asarray(MEAN), cp.asarray(COV), 4000, random_state=1)
    np.testing.assert_allclose(np.cov(y.get().T), COV, atol=0.15)
    t = stats.multivariate_t.rvs(cp.asarray(MEAN), cp.asarray(COV), 9, 4000, random_state=1)
    np.testing.assert_allclose(np.cov(t.get().T), COV * 9 / 7, atol=0.25)
    assert stats.multivariate_normal.rvs(random_state=1).shape == ()
    assert stats.multinomial.rvs(3, P.tolist(), 4, random_state=1).sum(-1).get().tolist() == [3] * 4
    assert stats.dirichlet.rvs(ALPHA.tolist(), random_state=1).shape == (1, 3)


def test_frozen_ones():
    ours = stats.multivariate_normal(cp.asarray(MEAN), cp.asarray(COV), seed=3)
    theirs = scipy.stats.multivariate_normal(MEAN, COV)
    np.testing.assert_allclose(ours.pdf(cp.asarray(X)).get(), theirs.pdf(X), rtol=1e-12)
    np.testing.assert_allclose(ours.cov.get(), COV)
    assert ours.rvs(5).shape == (5, 3) and float(ours.entropy()) == pytest.approx(theirs.entropy())
    with pytest.raises(AttributeError):
        ours.nothing
    t = stats.multivariate_t(df=3)
    assert float(t.logpdf([0.5])) == pytest.approx(float(scipy.stats.t.logpdf(0.5, 3)))
    assert float(stats.multinomial(3, [0.2, 0.8]).pmf([1, 2])) == pytest.approx(0.384)
    assert float(stats.dirichlet([2.0, 3.0]).pdf([0.2, 0.8])) == pytest.approx(1.536)


def test_samples_of_singular_covariances_have_a_density():
    basis = np.linalg.qr(np.random.default_rng(6).normal(size=(5, 5)))[0][:, :2]
    cov = basis @ basis.T
    x = stats.multivariate_normal.rvs(cp.zeros(5), cp.asarray(cov), size=6, random_state=2)
    same("multivariate_normal", "logpdf", x.get(), np.zeros(5), cov, True, atol=1e-12)


@pytest.mark.parametrize("df, size", [(0.75, 2), (30, 4), (700, 1), (3e9, 6), (1e60, 6)])
def test_entropies_of_the_multivariate_t(df, size):
    wanted = scipy.stats.multivariate_t.entropy(np.zeros(size), np.eye(size), df)
    found = stats.multivariate_t.entropy(cp.zeros(size), cp.eye(size), df)
    assert float(found) == pytest.approx(wanted, rel=1e-13)


def test_degrees_of_freedom_of_default_and_of_the_device():
    assert stats.multivariate_t(df=None).df == scipy.stats.multivariate_t(df=None).df == 1
    found = stats.wishart.mean(cp.asarray(3.5), cp.eye(2))
    np.testing.assert_allclose(found.get(), 3.5 * np.eye(2))


def test_last_probability_is_kept_where_it_is_the_rest():
    p = np.random.default_rng(5).random(60)
    p[-1] = 1e-28
    same("multinomial", "logpmf", np.ones(60), 60, p / p.sum())
    same("multinomial", "pmf", np.array([1, 3, 2]), 6, np.full(3, 1 / 3, np.float32))


def test_dirichlet_of_one_component():
    for method in ("mean", "var", "cov"):
        same("dirichlet", method, np.array([0.3]))


@pytest.mark.parametrize("method", [None, "boyett", "patefield"])
def test_methods_and_sizes_of_random_tables(method):
    for row, col in (([0, 2], [1, 0, 1]), ([], []), ([0], []), ([], [0])):
        found = stats.random_table(row, col).rvs(4, method=method, random_state=3)
        assert found.shape == (4, len(row), len(col)) and found.dtype == np.int64
        assert (found.sum(axis=-1).get() == np.array(row, int)).all()


@pytest.mark.parametrize("size", [2, 3, 6])
def test_single_directions_and_narrow_ones(size):
    mu = cp.eye(size)[0]
    assert stats.vonmises_fisher(mu, 4).rvs(None, random_state=1).shape == (size,)
    found = stats.vonmises_fisher(mu, 1e25).rvs(3, random_state=1)
    np.testing.assert_allclose(found.get(), np.broadcast_to(np.eye(size)[0], (3, size)), atol=1e-9)


def test_boxes_of_nothing_and_of_nan():
    """Their points are not computed."""
    nan, inf = np.nan, np.inf
    x = cp.asarray([[nan, 1.0], [1.0, nan], [-inf, 1.0], [1.0, -inf], [inf, inf]])
    found = stats.multivariate_t.cdf(x, [0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]], 3.0).get()
    np.testing.assert_allclose(found, [nan, nan, 0, 0, 1], atol=1e-15)


@pytest.mark.parametrize("name", ["multivariate_normal", "multivariate_t"])
def test_boxes_without_an_upper_end(name):
    """The other coordinate is that of one dimension."""
    matrix, x = [[1.0, 0.5], [0.5, 1.0]], np.array([[np.inf, 0.5], [0.5, np.inf]])
    found = getattr(stats, name).cdf(cp.asarray(x), [0.0, 0.0], matrix).get()
    one = (
        scipy.stats.norm.cdf(0.5) if name == "multivariate_normal" else scipy.stats.cauchy.cdf(0.5)
    )
    np.testing.assert_allclose(found, [one, one], atol=2e-5)  # of 16384 points


@pytest.mark.parametrize(
    ("name", "args", "attribute"),
    [
        ("wishart", (4, np.eye(2)), "dim"),
        ("invwishart", (4, np.eye(3)), "dim"),
        ("vonmises_fisher", (np.array([0.6, 0.8]), 2.0), "dim"),
        ("multivariate_normal", (np.zeros(3),), "dim"),
        ("multivariate_t", (np.zeros(3),), "dim"),
        ("matrix_normal", (np.zeros((2, 3)),), "dims"),
        ("matrix_t", (np.zeros((2, 3)),), "dims"),
    ],
)
def test_dimensions_of_frozen_distributions(name, args, attribute):
    given = [cp.asarray(v) if isinstance(v, np.ndarray) else v for v in args]
    found = getattr(getattr(stats, name)(*given), attribute)
    assert found == getattr(getattr(scipy.stats, name)(*args), attribute)


@pytest.mark.parametrize("df", [0.001, 0.02, 0.05, 0.4])
def test_probability_of_a_t_distribution_of_few_degrees_of_freedom(df):
    """The mean of a product over the chi-squared distribution. SciPy's is off by up to a fifth."""
    x = np.array([0.3, 0.9, -0.2])
    ends = np.concatenate([-np.geomspace(3000 / df, 1e-3, 400), np.linspace(0, 8, 80)])

    def share(y):
        log_density = df / 2 * (y - np.log(2)) - np.exp(y) / 2 - scipy.special.gammaln(df / 2)
        root = np.exp((y - np.log(df)) / 2)
        return np.exp(log_density) * scipy.special.ndtr(x * root).prod()

    pieces = zip(ends[:-1], ends[1:], strict=True)
    wanted = sum(scipy.integrate.quad(share, *piece)[0] for piece in pieces)
    found = stats.multivariate_t.cdf(cp.asarray(x), shape=cp.eye(3), df=df)
    assert float(found) == pytest.approx(wanted, rel=1e-4)
    ends = cp.full(3, -np.inf), cp.full(3, np.inf)
    whole = stats.multivariate_t.cdf(ends[1], shape=cp.eye(3), df=df, lower_limit=ends[0])
    assert float(whole) == pytest.approx(1)
