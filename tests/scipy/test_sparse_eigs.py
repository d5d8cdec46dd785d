"""Eigenvalues of matrices that need not be Hermitian, and of blocks of vectors."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg

N = 60
RNG = np.random.default_rng(2)
REAL = scipy.sparse.csr_array(
    scipy.sparse.random_array((N, N), density=0.1, rng=RNG)
    + scipy.sparse.diags_array(np.linspace(-3, 5, N))
)
COMPLEX = scipy.sparse.csr_array(
    REAL + 1j * scipy.sparse.random_array((N, N), density=0.1, rng=RNG)
)
MASS = scipy.sparse.csr_array(
    scipy.sparse.diags_array(
        [np.full(N - 1, 0.3), np.linspace(1, 2, N), np.full(N - 1, 0.3)], offsets=[-1, 0, 1]
    )
)


def on_device(x):
    if scipy.sparse.issparse(x):
        return sparse.csr_array(scipy.sparse.csr_array(x))
    return cp.asarray(x) if isinstance(x, np.ndarray) else x


def check_eigs(a, **options):
    """The eigenvalues are SciPy's, up to the choice among conjugates, and the vectors are theirs."""
    ours = {name: on_device(value) for name, value in options.items()}
    w, v = linalg.eigs(on_device(a), **ours)
    theirs = scipy.sparse.linalg.eigs(a, return_eigenvectors=False, **options)
    w, v = w.get(), v.get()
    assert w.dtype == theirs.dtype and w.shape == theirs.shape and v.dtype == w.dtype

    def sort(values):
        values = values.real + 1j * np.abs(values.imag) if a.dtype.kind != "c" else values
        return np.sort_complex(values.round(8))

    np.testing.assert_allclose(sort(w), sort(theirs), atol=1e-7)
    image = v if options.get("M") is None else options["M"] @ v
    np.testing.assert_allclose(a @ v, image * w, atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(v, axis=0), 1)


@pytest.mark.parametrize("which", ["LM", "LR", "SR", "LI"])
@pytest.mark.parametrize("a", [REAL, COMPLEX], ids=["real", "complex"])
def test_eigenvalues_of_each_end(a, which):
    check_eigs(a, k=4, which=which, ncv=30)


@pytest.mark.parametrize("a", [REAL, COMPLEX], ids=["real", "complex"])
def test_eigenvalues_near_a_number(a):
    check_eigs(a, k=3, sigma=0.5)
    check_eigs(a, k=3, sigma=0.5, M=MASS, which="LM")
    check_eigs(a, k=3, M=MASS, ncv=30)
    inverse = np.linalg.inv(a.toarray() - 0.5 * np.eye(N))
    check_eigs(a, k=2, sigma=0.5, OPinv=inverse, v0=np.ones(N, a.dtype))


def test_a_complex_shift_of_a_real_matrix():
    sigma = 0.5 + 0.6j
    w = linalg.eigs(on_device(REAL), k=3, sigma=sigma, OPpart="i", return_eigenvectors=False).get()
    exact = np.linalg.eigvals(REAL.toarray())
    nearest = exact[np.argsort(abs(exact - sigma))[:3]]
    np.testing.assert_allclose(np.sort_complex(w), np.sort_complex(nearest), atol=1e-9)


def test_float32_and_operators():
    a = on_device(REAL.astype("f4"))
    w, v = linalg.eigs(a, k=2, which="LR", ncv=30)
    assert w.dtype == v.dtype == np.complex64
    np.testing.assert_allclose((a @ v).get(), (v * w).get(), atol=1e-4)
    operator = linalg.LinearOperator((N, N), matvec=lambda x: on_device(REAL) @ x, dtype="d")
    again = linalg.eigs(operator, k=2, which="LR", ncv=30, return_eigenvectors=False)
    np.testing.assert_allclose(again.get(), w.get(), atol=1e-4)


def test_invariant_spaces_and_small_matrices():
    assert linalg.eigs(sparse.eye_array(30), k=3)[0].tolist() == [1, 1, 1]
    assert linalg.eigs(sparse.csr_array((30, 30)), k=2)[0].tolist() == [0, 0]
    dense = REAL.toarray()[:4, :4]
    with pytest.warns(RuntimeWarning, match="k >= N - 1"):
        w, v = linalg.eigs(cp.asarray(dense), k=3)
    np.testing.assert_allclose(dense @ v.get(), v.get() * w.get(), atol=1e-12)
    with pytest.warns(RuntimeWarning, match="k >= N - 1"):
        w = linalg.eigs(cp.asarray(dense), 3, 2 * cp.eye(4), return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(w.get()), np.sort(np.linalg.eigvals(dense / 2)))


def test_too_few_restarts():
    with pytest.raises(scipy.sparse.linalg.ArpackNoConvergence, match="0/4") as error:
        linalg.eigs(on_device(REAL), k=4, maxiter=1, ncv=6)
    assert error.value.eigenvalues.size == 0 and error.value.eigenvectors.shape == (N, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"k": N - 1},
        {"which": "BE"},
        {"ncv": 3},
        {"k": 2, "sigma": 1, "Minv": MASS},
        {"k": 2, "OPinv": MASS},
        {"k": 2, "Minv": MASS},
        {"OPpart": "r"},
        {"maxiter": 0},
        {"M": MASS[:3]},
    ],
    ids=lambda options: " ".join(options),
)
def test_wrong_arguments(options):
    given = {"k": 2, **options}
    with warnings.catch_warnings(), pytest.raises((ValueError, TypeError)) as theirs:
        warnings.simplefilter("ignore")
        scipy.sparse.linalg.eigs(REAL, **given)
    with pytest.raises(theirs.type):
        linalg.eigs(on_device(REAL), **{k: on_device(v) for k, v in given.items()})


def test_a_start_of_another_length():  # with which SciPy reads out of bounds
    with pytest.raises(ValueError, match="v0"):
        linalg.eigs(on_device(REAL), v0=cp.ones(3))


# ---- blocks of vectors ---------------------------------------------------------------------------

LINE = scipy.sparse.diags_array(np.arange(1.0, N + 1)).tocsr()
START = RNG.random((N, 3))


@pytest.mark.parametrize(
    "options",
    [
        {"maxiter": 3},
        {"tol": 1e-7, "largest": False},
        {"tol": 1e-7, "Y": np.eye(N)[:, -2:]},
        {
            "tol": 1e-6,
            "largest": False,
            "B": scipy.sparse.diags_array(np.linspace(1, 2, N)),
            "M": scipy.sparse.diags_array(1 / np.arange(1.0, N + 1)),
        },
    ],
    ids=lambda options: " ".join(options),
)
def test_lobpcg(options):
    given = {"maxiter": 80, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = scipy.sparse.linalg.lobpcg(
            LINE, START.copy(), retResidualNormsHistory=True, **given
        )
        w, v, norms = linalg.lobpcg(
            on_device(LINE),
            cp.asarray(START),
            retResidualNormsHistory=True,
            **{name: on_device(value) for name, value in given.items()},
        )
    np.testing.assert_allclose(w.get(), theirs[0], rtol=1e-8)
    assert w.dtype == theirs[0].dtype and v.dtype == theirs[1].dtype
    assert abs(len(norms) - len(theirs[2])) <= 2
    image = v.get() if "B" not in options else options["B"] @ v.get()
    residuals = np.linalg.norm(LINE @ v.get() - image * w.get(), axis=0)
    np.testing.assert_allclose(residuals, norms[-1], rtol=0.1, atol=1e-11)
    np.testing.assert_allclose(v.get().T @ image, np.eye(3), atol=1e-10)


def test_lobpcg_of_complex_matrices_and_functions():
    host = RNG.random((N, N)) + 1j * RNG.random((N, N))
    host = host + host.conj().T
    w, v = linalg.lobpcg(cp.asarray(host), cp.asarray(START), tol=1e-7, maxiter=200)
    np.testing.assert_allclose(w.get(), np.linalg.eigvalsh(host)[::-1][:3], rtol=1e-8)
    assert v.dtype == np.complex128 and w.dtype == np.float64
    a = on_device(LINE)
    w, v, lambdas = linalg.lobpcg(
        lambda x: a @ x, cp.asarray(START), tol=1e-5, maxiter=80, retLambdaHistory=True
    )
    np.testing.assert_allclose(w.get(), [N, N - 1, N - 2], rtol=1e-8)
    np.testing.assert_allclose(lambdas[-1], w.get())


def test_lobpcg_warns_and_refuses(capsys):
    a = on_device(LINE)
    with pytest.warns(UserWarning, match="tolerance"):
        linalg.lobpcg(a, cp.asarray(START), tol=1e-9, maxiter=1, verbosityLevel=1)
    assert "iteration 1" in capsys.readouterr().out
    with pytest.warns(UserWarning, match="dense eigensolver"):
        w, v = linalg.lobpcg(a, cp.asarray(RNG.random((N, 20))))
    np.testing.assert_allclose(w.get(), np.arange(N, N - 20, -1))
    assert v.shape == (N, 20)
    for start in (cp.ones(N), cp.zeros((N, 2))):
        with pytest.raises(ValueError, match=r"rank-2|dependent"):
            linalg.lobpcg(a, start)
