"""Functions of sparse matrices, estimates of norms, and operators with known eigenvalues."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.linalg import expm as dense_expm
from gpunp.scipy.sparse import linalg
from gpunp.scipy.sparse.linalg import _expm_multiply, _matfuncs

N = 30
RNG = np.random.default_rng(5)
RANDOM = scipy.sparse.random_array((N, N), density=0.15, rng=RNG).tocsr() * 3
NILPOTENT = scipy.sparse.csr_array(np.triu(RNG.random((N, N)) * 20, 1))


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def dense(a):
    a = a.get() if hasattr(a, "get") else a
    return a.toarray() if scipy.sparse.issparse(a) else np.asarray(a)


def assert_close(ours, theirs, tolerance=1e-12):
    ours, theirs = dense(ours), dense(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= tolerance * np.abs(theirs).max()


@pytest.mark.parametrize("most", [0, 2048])
@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
def test_expm(kind, most, monkeypatch):
    monkeypatch.setattr(_matfuncs, "DENSE", most)
    host = getattr(scipy.sparse, kind)(RANDOM)
    ours = linalg.expm(getattr(sparse, kind)(host))
    theirs = quiet(scipy.sparse.linalg.expm, host)
    assert type(ours).__name__ == type(theirs).__name__
    assert_close(ours, theirs)


def test_expm_of_others(monkeypatch):
    assert_close(linalg.expm(cp.asarray(RANDOM.toarray())), scipy.linalg.expm(RANDOM.toarray()))
    with pytest.raises(ValueError, match="square"):
        linalg.expm(sparse.csr_array((2, 3)))
    monkeypatch.setattr(_matfuncs, "DENSE", 0)
    for empty in (sparse.csr_array((3, 3)), sparse.csr_array((3, 3), dtype="i4")):
        assert linalg.expm(empty).toarray().tolist() == np.eye(3).tolist()
    with pytest.raises(ValueError, match="finite"):
        linalg.expm(sparse.csr_array(cp.array([[np.inf, 0], [0, 1]])))


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
def test_inverses(kind):
    host = getattr(scipy.sparse, kind)(RANDOM + 9 * scipy.sparse.eye_array(N))
    ours, theirs = linalg.inv(getattr(sparse, kind)(host)), quiet(scipy.sparse.linalg.inv, host)
    assert type(ours).__name__ == type(theirs).__name__
    assert_close(ours, theirs)


def test_inverses_that_do_not_exist():
    for a, error in (
        (sparse.csc_array((2, 2)), RuntimeError),
        (sparse.csc_array((2, 3)), ValueError),
        (cp.eye(2), TypeError),
    ):
        with pytest.raises(error):
            linalg.inv(a)


@pytest.mark.parametrize("power", [0, 1, 3, -1, 1.5])
def test_powers(power):
    for host, ours in ((RANDOM, sparse.csr_array(RANDOM)), (RANDOM.toarray(), None)):
        ours = cp.asarray(host) if ours is None else ours
        try:
            theirs = scipy.sparse.linalg.matrix_power(host, power)
        except (ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                linalg.matrix_power(ours, power)
            continue
        except np.linalg.LinAlgError:
            continue
        assert_close(linalg.matrix_power(ours, power), theirs, 1e-9)


@pytest.mark.parametrize("factor", [1, 30, -4, 1 + 2j])
def test_expm_multiply(factor):
    b, several = RNG.random(N), RNG.random((N, 3))
    a = sparse.csr_array(RANDOM * factor)
    for right in (b, several):
        theirs = scipy.linalg.expm(factor * RANDOM.toarray()) @ right
        assert_close(linalg.expm_multiply(a, cp.asarray(right)), theirs, 1e-11)


def test_expm_multiply_of_other_kinds():
    b = RNG.random((N, 2))
    theirs = quiet(scipy.sparse.linalg.expm_multiply, RANDOM, b)
    a = sparse.csr_array(RANDOM)
    with pytest.warns(UserWarning, match="[Tt]race"):
        assert_close(linalg.expm_multiply(linalg.aslinearoperator(a), cp.asarray(b)), theirs)
    assert_close(linalg.expm_multiply(a, sparse.csr_array(cp.asarray(b))), theirs)
    exact = scipy.linalg.expm(NILPOTENT.toarray()) @ b
    assert_close(linalg.expm_multiply(sparse.csr_array(NILPOTENT), cp.asarray(b)), exact, 1e-11)
    ours = linalg.expm_multiply(a, cp.asarray(b), start=0.5, stop=2, num=4, endpoint=False)
    theirs = scipy.sparse.linalg.expm_multiply(RANDOM, b, 0.5, 2, 4, False)
    assert_close(ours, theirs)
    for arguments in ((cp.ones(3),), (cp.ones(N), 0, 1, 1)):
        with pytest.raises(ValueError, match=r"incompatible|two time points"):
            linalg.expm_multiply(a, *arguments)


def test_bounds_of_the_series():
    """The largest x for which the series of log(exp(-x) T(x)), over x, is below the unit roundoff;
    T is the Taylor polynomial of the exponential of a degree."""
    for degree, theta in list(_expm_multiply.THETA.items())[:4]:
        taylor = [Fraction(1, math.factorial(k)) for k in range(degree + 1)]
        inverse = [Fraction(1)]
        for k in range(1, 40):
            inverse.append(-sum(taylor[j] * inverse[k - j] for j in range(1, min(k, degree) + 1)))
        total = sum(
            abs(float(c)) * theta ** (degree + k) / math.factorial(degree) / (degree + 1 + k)
            for k, c in enumerate(inverse)
        )
        assert math.isclose(total, _expm_multiply.EPS, rel_tol=1e-10)


@pytest.mark.parametrize(
    "host", [RANDOM, NILPOTENT, RANDOM * 1j - scipy.sparse.eye_array(N), RANDOM[:2, :2]]
)
def test_estimates_of_the_norm(host):
    size, v, w = linalg.onenormest(sparse.csr_array(host), compute_v=True, compute_w=True)
    exact = abs(host).sum(axis=0).max()
    assert 0.6 * exact <= float(size) <= exact * (1 + 1e-12)
    np.testing.assert_allclose(np.abs(v.get()).sum(), 1)
    np.testing.assert_allclose(host @ v.get(), w.get(), atol=1e-14)
    np.testing.assert_allclose(np.abs(w.get()).sum(), float(size))
    assert linalg.onenormest(sparse.csr_array(host), t=3, itmax=1).ndim == 0


def test_estimates_need_square_matrices():
    for arguments in ((sparse.csr_array((2, 3)),), (sparse.eye_array(3), 0)):
        with pytest.raises(ValueError, match=r"square|column"):
            linalg.onenormest(*arguments)


def test_functions_times_vectors():
    b, a = RNG.random(N), RANDOM.toarray()
    for assume, host in (("gen", a), ("her", a + a.T), ("gen", a * 1j)):
        ours = linalg.funm_multiply_krylov(
            dense_expm,
            sparse.csr_array(cp.asarray(host)),
            cp.asarray(b),
            assume_a=assume,
            t=-0.5,
            rtol=1e-10,
            restart_every_m=8,
        )
        assert_close(ours, scipy.linalg.expm(-0.5 * host) @ b, 1e-8)
    found = linalg.funm_multiply_krylov(lambda x: x @ x, cp.asarray(a), cp.asarray(b))
    assert_close(found, a @ a @ b)
    assert not linalg.funm_multiply_krylov(dense_expm, cp.asarray(a), cp.zeros(N)).any()


@pytest.mark.parametrize(
    "options",
    [
        {"b": np.ones((2, 1))},
        {"b": np.ones(3)},
        {"assume_a": "sym"},
        {"max_restarts": 0},
        {"restart_every_m": 0},
        {"A": np.eye(2, dtype="i8"), "b": np.ones(2, "i8")},
    ],
    ids=str,
)
def test_wrong_arguments_of_functions(options):
    given = {"A": np.eye(2), "b": np.ones(2), **options}
    with pytest.raises(ValueError) as theirs:
        scipy.sparse.linalg.funm_multiply_krylov(scipy.linalg.expm, **given)
    if options.get("max_restarts", 1) and "A" not in options:
        assert theirs.type is ValueError
    ours = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in given.items()}
    if "A" in options:  # integers are computed as float64
        assert linalg.funm_multiply_krylov(dense_expm, **ours).dtype == np.float64
        return
    with pytest.raises(ValueError):
        linalg.funm_multiply_krylov(dense_expm, **ours)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"])
def test_triangles_and_bands(kind):
    for host in (
        scipy.sparse.tril(RANDOM, -2),
        scipy.sparse.triu(RANDOM),
        RANDOM[:3],
        scipy.sparse.eye_array(4),
    ):
        host = host.asformat(kind)
        ours = getattr(sparse, f"{kind}_array")(host)
        if kind == "bsr":
            with pytest.warns(sparse.SparseEfficiencyWarning):
                assert linalg.is_sptriangular(ours) == quiet(
                    scipy.sparse.linalg.is_sptriangular, host
                )
            continue
        assert linalg.is_sptriangular(ours) == scipy.sparse.linalg.is_sptriangular(host)
        assert quiet(linalg.spbandwidth, ours) == quiet(scipy.sparse.linalg.spbandwidth, host)
    assert linalg.spbandwidth(sparse.csr_array((2, 2))) == (0, 0)


@pytest.mark.parametrize("kind", ["dirichlet", "neumann", "periodic"])
@pytest.mark.parametrize("shape", [(2,), (5,), (4,), (3, 2), (2, 3, 4)])
def test_laplacians(shape, kind):
    ours = linalg.LaplacianNd(shape, boundary_conditions=kind)
    theirs = scipy.sparse.linalg.LaplacianNd(shape, boundary_conditions=kind)
    matrix = theirs.toarray()
    assert_close(ours.toarray(), matrix, 0)
    assert_close(ours.eigenvalues(2), theirs.eigenvalues(2))
    assert_close(ours.eigenvalues(), theirs.eigenvalues())
    vectors = dense(ours.eigenvectors())
    np.testing.assert_allclose(matrix @ vectors, vectors * theirs.eigenvalues(), atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(matrix.shape[0]), atol=1e-12)
    if len(shape) == 1 and (kind != "periodic" or shape[0] < 5):  # the order of equal ones varies
        assert_close(ours.eigenvectors(), theirs.eigenvectors())
    x = RNG.integers(-5, 5, (matrix.shape[0], 2)).astype("f4")
    assert_close(ours @ cp.asarray(x), theirs @ x, 1e-6)
    assert_close(ours.H @ cp.asarray(x[:, 0]), theirs.H @ x[:, 0], 1e-6)


def test_laplacians_take_known_conditions():
    with pytest.raises(ValueError, match="boundary_conditions"):
        linalg.LaplacianNd((2, 2), boundary_conditions="open")
    assert linalg.LaplacianNd((1,)).toarray().tolist() == [[0]]


@pytest.mark.filterwarnings("ignore:Calling `matvec` on:FutureWarning")  # of SciPy 1.18
def test_classes_of_operators():
    def classes(module, ones):
        class ByMatrix(module.LinearOperator):
            def __init__(self):
                super().__init__("d", (3, 2))

            def _matmat(self, x):
                return ones((3, 2)) @ x

            def _adjoint(self):
                return module.aslinearoperator(ones((2, 3)))

        class ByVector(module.LinearOperator):
            def __init__(self):
                super().__init__(None, (2, 2))
                self._init_dtype()

            def _matvec(self, x):
                return 2 * x

        a, b = ByMatrix(), ByVector()
        yield a @ ones(2)
        yield a.rmatvec(ones(3))
        yield a.H @ ones((3, 2))
        yield a.T @ ones(3)
        yield a.matvec(ones((2, 1)))
        yield (a.H * a) ** 2 @ ones(2)
        yield b @ ones((2, 3))
        yield (a * b / 2) @ ones(2)
        yield np.array([repr(a), repr(b)[:13]])
        with pytest.raises(NotImplementedError):
            b.rmatvec(ones(2))
        with pytest.raises(ValueError, match="square"):
            a**2

        class Empty(module.LinearOperator):
            pass

        with pytest.warns(RuntimeWarning, match="_matvec"):
            Empty("d", (2, 2))

    pairs = zip(classes(linalg, cp.ones), classes(scipy.sparse.linalg, np.ones), strict=True)
    for ours, theirs in pairs:
        np.testing.assert_array_equal(cp.asnumpy(ours), theirs)


def test_what_does_not_wait():
    """Offsets of the host are not read back, and places of columns need not be counted."""
    columns = sparse.csr_array(cp.eye(4)).tocsc()
    columns.toarray()
    cp.cuda.Device().synchronize()
    with cp.allow_synchronize(False):
        parts = [
            sparse.dia_array((cp.ones((1, 4)), [0]), shape=(4, 4)),
            sparse.diags_array([cp.ones(4)], offsets=[1]),
            sparse.eye_array(4),
        ]
        dense = [columns.toarray(), columns.toarray("F")]
    assert dense[0].flags.c_contiguous and dense[1].flags.f_contiguous
    assert (dense[0].get() == np.eye(4)).all() and (dense[1].get() == np.eye(4)).all()
    assert (parts[2].toarray().get() == np.eye(4)).all()


def test_coordinates_share_as_scipys_do():
    for kind in ("csr_array", "csc_array", "csr_matrix"):
        shares = [
            xp.shares_memory(a.data, a.tocoo().data)
            for xp, m in ((np, scipy.sparse), (cp, cp.scipy.sparse))
            for a in [getattr(m, kind)(xp.eye(3))]
        ]
        assert shares[0] == shares[1], kind
