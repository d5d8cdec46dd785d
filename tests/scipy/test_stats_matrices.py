"""Distributions of matrices, directions, tables and urns against SciPy's."""

import numpy as np
import pytest
import scipy.stats

import gpunp as cp

pytestmark = pytest.mark.filterwarnings("ignore")  # of SciPy, about domains
stats = cp.scipy.stats

S = np.array([[2, 0.3], [0.3, 1]])
U, V = S, np.diag([1.0, 2, 3]) + 0.1
Y = np.arange(6.0).reshape(2, 3)
MU = np.array([0.6, 0, 0.8])
ALPHA = np.array([3.0, 4, 0.5])


def on_device(value):
    return cp.asarray(value) if isinstance(value, np.ndarray) else value


def same(name, method, *args, **options):
    """The results of both libraries, of which either may be a tuple or None."""
    wanted = getattr(getattr(scipy.stats, name), method)(*args, **options)
    found = getattr(getattr(stats, name), method)(*map(on_device, args), **options)
    if wanted is None:
        assert found is None
        return
    pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
    for result, value in pairs:
        assert isinstance(result, cp.ndarray) and result.shape == np.shape(value)
        assert result.dtype == np.float64
        np.testing.assert_allclose(result.get(), value, rtol=1e-11, atol=1e-14)


# Calls of both libraries, with arrays of the host.
CALLS = [
    ("wishart", "logpdf", S, 4.5, S),
    ("wishart", "pdf", np.stack([S, S + 1, np.eye(2)], -1), 4, S),
    ("wishart", "pdf", np.array([1.0, 2]), 4, 3.0),
    ("wishart", "pdf", np.array([1.0, 2]), 4, np.array([1.0, 2])),
    ("wishart", "pdf", 3.0, None, S),
    ("wishart", "entropy", 4.5, S),
    ("wishart", "mode", 2.5, S),
    ("wishart", "mode", 4, S),
    ("wishart", "var", 4, S),
    ("wishart", "mean", 4, 2.0),
    ("invwishart", "logpdf", np.stack([S, S + 1, np.eye(2)], -1), 4, S),
    ("invwishart", "pdf", 3.0, 4, 1),
    ("invwishart", "mean", 3, S),
    ("invwishart", "mean", 6, S),
    ("invwishart", "mode", 6, S),
    ("invwishart", "var", 6, S),
    ("invwishart", "var", 4, S),
    ("invwishart", "entropy", 4, 2.0),
    ("matrix_normal", "logpdf", np.stack([Y, Y * 2]), Y / 3, U, V),
    ("matrix_normal", "pdf", Y, Y + 0.1, 2, np.array([1.0, 2, 3])),
    ("matrix_normal", "entropy", U, V),
    ("matrix_t", "logpdf", np.stack([Y, Y * 2]), Y / 3, U, V, 2.5),
    ("matrix_t", "pdf", np.stack([Y, Y * 2]).swapaxes(1, 2), Y.T / 3, V, U, 2.5),
    ("matrix_t", "pdf", Y[:, :1], None, U),
    ("vonmises_fisher", "logpdf", np.array([[0, 1.0, 0], [0, 0.6, 0.8]]), MU, 2),
    ("vonmises_fisher", "pdf", MU, MU, 2000.0),
    ("vonmises_fisher", "entropy", MU, 2),
    ("vonmises_fisher", "entropy", np.array([1.0, 0]), 20),
    ("multivariate_hypergeom", "pmf", np.array([[8, 12], [3, 4]]), np.array([10, 20]), 20),
    ("multivariate_hypergeom", "pmf", np.array([8, 12]), np.array([10, 20]), 31),
    ("multivariate_hypergeom", "logpmf", np.array([-1, 21]), np.array([10, 20]), 20),
    ("multivariate_hypergeom", "mean", np.array([10, 20]), np.array([20, 31])),
    ("multivariate_hypergeom", "var", np.array([[10, 20], [1, 0]]), 1),
    ("multivariate_hypergeom", "cov", np.array([10, 20]), np.array([20, 31])),
    ("random_table", "pmf", np.array([[[1, 1, 1], [1, 1, 2]], [[1, 1, 1], [1, 1, 3]]]),
     np.array([3, 4]), np.array([2, 2, 3])),
    ("random_table", "mean", np.array([3, 4]), np.array([2, 2, 3])),
    ("dirichlet_multinomial", "pmf", np.array([[1, 2, 3], [0, 0, 6]]), ALPHA, 6),
    ("dirichlet_multinomial", "logpmf", np.array([1, 2, 3]), np.stack([ALPHA, ALPHA * 2]), 6),
    ("dirichlet_multinomial", "pmf", np.array([0, 0]), np.array([1, 2]), 0),
    ("dirichlet_multinomial", "pmf", 6, ALPHA, 6),
    ("dirichlet_multinomial", "mean", ALPHA, np.array([6, 7])),
    ("dirichlet_multinomial", "var", ALPHA, np.array([6, 7])),
    ("dirichlet_multinomial", "cov", ALPHA, np.array([6, 7])),
    ("normal_inverse_gamma", "logpdf", np.array([1, 2.0, np.nan]), np.array([2, 3.0, 1])),
    ("normal_inverse_gamma", "pdf", 1, np.array([2.0, 0, -1]), 0, 1, np.array([[1.0], [-2]]), 1),
    ("normal_inverse_gamma", "mean", 1, 2, np.array([0.4, 0.7, 1, 1.5, 3]), 2),
    ("normal_inverse_gamma", "var", 1, 2, np.array([0.4, 1.5, 2, 3]), 2),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[0]}.{call[1]}")
def test_functions_of_matrices_and_counts(call):
    same(*call)


def test_entropy_of_inverse_wishart_is_that_of_its_density():
    """SciPy 1.17 counts the logarithm of 2 once instead of once for each row of the matrix."""
    x = np.moveaxis(scipy.stats.invwishart.rvs(9, S, 800, random_state=1), 0, -1)
    wanted = -scipy.stats.invwishart.logpdf(x, 9, S).mean()
    assert float(stats.invwishart.entropy(9, cp.asarray(S))) == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize(
    "name, method, args",
    [
        ("wishart", "pdf", (S, 1, S)),
        ("wishart", "pdf", (S, 4, -S)),
        ("wishart", "pdf", (-S, 4, S)),
        ("wishart", "pdf", (np.eye(3), 4, S)),
        ("wishart", "pdf", (S, [4, 5], S)),
        ("wishart", "pdf", (S, 4, np.ones((2, 2, 2)))),
        ("matrix_normal", "pdf", (Y, Y, V, U)),
        ("matrix_normal", "pdf", (Y, Y, U, -V)),
        ("matrix_normal", "pdf", (Y, None, 2, 3)),
        ("matrix_normal", "rvs", (Y, U, V, (3, 2))),
        ("matrix_t", "pdf", (Y, Y, U, V, -1)),
        ("ortho_group", "rvs", (2.5,)),
        ("ortho_group", "rvs", (None,)),
        ("unitary_group", "rvs", (-1,)),
        ("random_correlation", "rvs", ([0.5, 0.5],)),
        ("random_correlation", "rvs", ([-1.0, 3],)),
        ("random_correlation", "rvs", ([1.0],)),
        ("uniform_direction", "rvs", (0,)),
        ("vonmises_fisher", "pdf", ([0, 1.0, 0.1], [1.0, 0, 0], 2)),
        ("vonmises_fisher", "pdf", ([0, 1.0], [1.0, 0, 0], 2)),
        ("vonmises_fisher", "pdf", ([0, 1.0], [1.0, 1], 2)),
        ("vonmises_fisher", "pdf", ([0, 1.0], [1.0, 0], 0)),
        ("vonmises_fisher", "fit", ([1.0, 0, 0],)),
        ("multivariate_hypergeom", "pmf", ([8.5, 11.5], [10, 20], 20)),
        ("multivariate_hypergeom", "pmf", ([8, 12, 1], [10, 20], 20)),
        ("multivariate_hypergeom", "rvs", ([10, 20], 31)),
        ("random_table", "pmf", ([[1, 1.5], [1, 1]], [2, 3], [2, 3])),
        ("random_table", "mean", ([3, 5], [2, 2, 3])),
        ("random_table", "rvs", ([-3, 10], [2, 2, 3])),
        ("dirichlet_multinomial", "pmf", ([1, 2], [3.0, 4, 5], 3)),
        ("dirichlet_multinomial", "pmf", ([1.5, 1.5], [3.0, 4], 3)),
        ("dirichlet_multinomial", "mean", ([3.0, 0], 4)),
        ("dirichlet_multinomial", "mean", ([3.0, 1], -4)),
        ("normal_inverse_gamma", "rvs", (0, -1)),
    ],
)
def test_errors_of_matrices_and_counts(name, method, args):
    with pytest.raises(Exception) as theirs:
        getattr(getattr(scipy.stats, name), method)(*args)
    with pytest.raises(type(theirs.value)):
        getattr(getattr(stats, name), method)(*map(on_device, args))


def test_samples_of_wishart_and_its_inverse():
    scale = cp.asarray(S)
    for dist in (stats.wishart, stats.invwishart):
        x = dist.rvs(9, scale, 1000, random_state=1)
        np.testing.assert_allclose(x.mean(axis=0).get(), dist.mean(9, scale).get(), rtol=0.15)
        np.testing.assert_allclose(x.var(axis=0).get(), dist.var(9, scale).get(), rtol=0.35)
        assert dist.rvs(4, scale, (3, 2)).shape == (3, 2, 2, 2)
        assert dist.rvs(4, 1).shape == () and dist.rvs(4, scale, 1).shape == (2, 2)


def test_samples_of_matrices():
    mean, rows, columns = map(cp.asarray, (Y, U, V))
    kronecker = np.kron(U, V)
    x = stats.matrix_normal.rvs(mean, rows, columns, 600, random_state=2).get()
    np.testing.assert_allclose(np.cov(x.reshape(-1, 6).T), kronecker, atol=1.2)
    x = stats.matrix_t.rvs(mean, rows, columns, 12, 600, random_state=2).get()
    np.testing.assert_allclose(np.cov(x.reshape(-1, 6).T), kronecker / 10, atol=0.15)
    assert stats.matrix_t.rvs(mean, rows, columns).shape == (2, 3)


@pytest.mark.parametrize("name", ["ortho_group", "special_ortho_group", "unitary_group"])
def test_groups(name):
    dist = getattr(stats, name)
    for dim in (0, 1, 4):
        q = dist.rvs(dim, 2, random_state=1).get()
        assert q.shape == (2, dim, dim)
        assert q.dtype == (np.complex128 if name == "unitary_group" else np.float64)
        products = q @ q.conj().swapaxes(1, 2)
        np.testing.assert_allclose(products, np.broadcast_to(np.eye(dim), q.shape), atol=1e-14)
        if name == "special_ortho_group" and dim:
            np.testing.assert_allclose(np.linalg.det(q), 1.0)
    q = dist.rvs(3, 300, random_state=1).get()
    np.testing.assert_allclose((abs(q) ** 2).mean(0), 1 / 3, atol=0.08)
    assert abs(q.mean(0)).max() < 0.15
    assert dist(4).rvs().shape == (4, 4) and dist.rvs(3, 1).shape == (3, 3)


@pytest.mark.parametrize(
    "eigs", [[0.5, 1.2, 0.8, 1.5], [0.0, 2], [1.0, 1], [2.5, 0.1, 0.4] + [1] * 37]
)
def test_random_correlation(eigs):
    x = stats.random_correlation.rvs(eigs, random_state=3).get()
    np.testing.assert_allclose(np.diag(x), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.linalg.eigvalsh(x), np.sort(eigs), atol=1e-12)
    np.testing.assert_allclose(x, x.T, atol=1e-13)


def test_directions():
    x = stats.uniform_direction.rvs(3, (500, 2), random_state=1).get()
    np.testing.assert_allclose(np.linalg.norm(x, axis=-1), 1.0)
    assert abs(x.mean((0, 1))).max() < 0.1 and stats.uniform_direction.rvs(3).shape == (3,)
    for mu in ([1.0, 0], MU, [0, 0.6, 0.8, 0]):
        mu = np.array(mu)
        x = stats.vonmises_fisher.rvs(cp.asarray(mu), 7.5, 1500, random_state=2)
        np.testing.assert_allclose(np.linalg.norm(x.get(), axis=-1), 1.0)
        along = x.get() @ mu
        theirs = scipy.stats.vonmises_fisher.rvs(mu, 7.5, 1500, random_state=2) @ mu
        assert scipy.stats.ks_2samp(along, theirs).pvalue > 1e-3
        found, kappa = stats.vonmises_fisher.fit(x)
        wanted = scipy.stats.vonmises_fisher.fit(x.get())
        np.testing.assert_allclose(found.get(), wanted[0], rtol=1e-9, atol=1e-12)
        assert kappa == pytest.approx(wanted[1], rel=1e-6)
    assert stats.vonmises_fisher.rvs(cp.asarray(MU), 2, (3, 2)).shape == (3, 2, 3)
    assert stats.vonmises_fisher.rvs(cp.asarray(MU), 2, 0).shape == (0, 3)


def test_samples_of_tables_and_urns():
    row, col = [3, 4], [2, 2, 3]
    x = stats.random_table.rvs(row, col, size=(3000,), random_state=4).get()
    assert x.dtype == np.int64 and (x.sum(-1) == row).all() and (x.sum(-2) == col).all()
    tables, counts = np.unique(x.reshape(-1, 6), axis=0, return_counts=True)
    expected = scipy.stats.random_table.pmf(tables.reshape(-1, 2, 3), row, col) * 3000
    assert scipy.stats.chisquare(counts, expected, sum_check=False).pvalue > 1e-3
    x = stats.multivariate_hypergeom.rvs([10, 20, 5], [20, 4], (2000, 2), random_state=4).get()
    assert (x.sum(-1) == [20, 4]).all() and x.shape == (2000, 2, 3)
    wanted = scipy.stats.multivariate_hypergeom.mean([10, 20, 5], [20, 4])
    np.testing.assert_allclose(x.mean(0), wanted, atol=0.1)
    assert stats.random_table.rvs([0, 0], [0, 0]).get().tolist() == [[0, 0], [0, 0]]
    assert stats.random_table.rvs(row, col).shape == (2, 3)


def test_samples_of_the_normal_inverse_gamma():
    x, s2 = stats.normal_inverse_gamma.rvs(1, 2, 5, [3, 30], size=(4000, 2), random_state=1)
    wanted = scipy.stats.normal_inverse_gamma.mean(1, 2, 5, np.array([3, 30]))
    np.testing.assert_allclose(x.get().mean(0), wanted[0], atol=0.15)
    np.testing.assert_allclose(s2.get().mean(0), wanted[1], rtol=0.05)


def test_frozen_matrices_and_counts():
    assert stats.wishart(4, cp.asarray(S), seed=3).rvs(2).shape == (2, 2, 2)
    assert float(stats.invwishart(4, cp.asarray(S)).logpdf(cp.asarray(S))) == pytest.approx(
        scipy.stats.invwishart(4, S).logpdf(S)
    )
    assert stats.matrix_normal(cp.asarray(Y), 1, 2).rvs(2).shape == (2, 2, 3)
    assert stats.matrix_t(cp.asarray(Y), df=4).pdf(cp.asarray(Y)).shape == ()
    assert float(stats.random_table([3, 4], [2, 2, 3]).mean()[0, 0]) == pytest.approx(6 / 7)
    assert float(stats.multivariate_hypergeom([10, 20], 20).pmf([8, 12])) == pytest.approx(
        scipy.stats.multivariate_hypergeom.pmf([8, 12], [10, 20], 20)
    )
    assert stats.random_correlation([0.5, 1.5]).rvs().shape == (2, 2)
    x, _ = stats.normal_inverse_gamma(0, 1, 2, 3).rvs(4)
    assert x.shape == (4,)
    assert float(stats.dirichlet_multinomial([1, 2.0], 3).mean()[0]) == pytest.approx(1.0)
