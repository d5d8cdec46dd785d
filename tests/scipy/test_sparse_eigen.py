"""Eigenvalues and singular values of sparse matrices: SciPy's, residuals and orthogonality."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg

N = 60


def hermitian(dtype, rng, n=N):
    a = scipy.sparse.random_array((n, n), density=0.1, rng=rng)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * scipy.sparse.random_array((n, n), density=0.1, rng=rng)
    return scipy.sparse.csr_array(a + a.conj().T).astype(dtype)


def positive(n=N):
    return scipy.sparse.diags_array(
        [0.2, np.linspace(1, 2, n), 0.2], offsets=[-1, 0, 1], shape=(n, n)
    )


def accuracy(dtype):
    return 2e-4 if np.dtype(dtype).char in "fF" else 1e-8


def check_pairs(a, w, v, tol, m=None, metric=None):
    """Residuals and orthogonality of eigenpairs, on the host."""
    w, v = w.get(), v.get()
    m = scipy.sparse.eye_array(a.shape[0]) if m is None else m
    metric = m if metric is None else metric
    assert np.abs(a @ v - (m @ v) * w).max() < tol * max(1, np.abs(w).max())
    np.testing.assert_allclose(v.conj().T @ (metric @ v), np.eye(w.size), atol=tol)


@pytest.mark.parametrize("which", ["LM", "SM", "LA", "SA", "BE"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "D"])
def test_eigenvalues(dtype, which, rng):
    host = hermitian(dtype, rng)
    options = {"k": 5, "which": which, "ncv": 30}
    w, v = linalg.eigsh(sparse.csr_array(host), rng=3, **options)
    tol = accuracy(dtype)
    assert w.dtype == np.dtype("f4" if dtype == "f4" else "f8")
    assert v.dtype == np.dtype(dtype) and v.shape == (N, 5)
    every = np.linalg.eigvalsh(host.toarray().astype("D"))
    sizes = np.argsort(abs(every))
    ends = {"LM": sizes[-5:], "SM": sizes[:5], "LA": slice(-5, None), "SA": slice(5)}
    theirs = np.sort(every[ends.get(which, [0, 1, -3, -2, -1])])
    np.testing.assert_allclose(w.get(), theirs, rtol=tol, atol=tol)
    check_pairs(host, w, v, tol)
    alone = linalg.eigsh(sparse.csr_array(host), rng=3, return_eigenvectors=False, **options)
    assert alone.tolist() == w.tolist()


@pytest.mark.parametrize("which", ["LM", "LA", "SA", "BE"])
def test_eigenvalues_near_a_number(which, rng):
    host = hermitian("f8", rng)
    options = {"k": 4, "sigma": 0.43, "which": which}
    theirs = scipy.sparse.linalg.eigsh(host, **options)[0]
    dense = cp.asarray(host.toarray())
    inverse = cp.linalg.inv(dense - 0.43 * cp.eye(N))
    for a, more in (
        (sparse.csr_array(host), {}),
        (sparse.csc_matrix(host), {}),
        (dense, {}),
        (linalg.aslinearoperator(dense), {"OPinv": inverse}),
    ):
        w, v = linalg.eigsh(a, **options, **more)
        np.testing.assert_allclose(w.get(), theirs, rtol=1e-8)
        check_pairs(host, w, v, 1e-8)


@pytest.mark.parametrize("mode", ["none", "normal", "cayley"])
def test_generalized_eigenvalues(mode, rng):
    host, m = hermitian("f8", rng), scipy.sparse.csr_array(positive())
    options = {} if mode == "none" else {"sigma": 0.4, "mode": mode}
    theirs = scipy.sparse.linalg.eigsh(host, 4, M=m, **options)[0]
    w, v = linalg.eigsh(sparse.csr_array(host), 4, M=sparse.csr_array(m), **options)
    np.testing.assert_allclose(w.get(), theirs, rtol=1e-8)
    check_pairs(host, w, v, 1e-8, m)
    if mode == "none":
        inverse = cp.linalg.inv(cp.asarray(m.toarray()))
        again = linalg.eigsh(cp.asarray(host.toarray()), 4, M=sparse.csr_array(m), Minv=inverse)
        np.testing.assert_allclose(again[0].get(), theirs, rtol=1e-8)


def test_buckling(rng):
    host, m = scipy.sparse.csr_array(positive()), hermitian("f8", rng)
    options = {"k": 3, "sigma": 0.4, "mode": "buckling"}
    theirs = scipy.sparse.linalg.eigsh(host, M=m, **options)[0]
    w, v = linalg.eigsh(sparse.csr_array(host), M=sparse.csr_array(m), **options)
    np.testing.assert_allclose(w.get(), theirs, rtol=1e-8)
    check_pairs(host, w, v, 1e-7, m, host)


def test_restarts_and_operators():
    """A spectrum that needs many restarts of a small basis; an operator; all vectors at once."""
    n = 150
    t = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr()
    exact = 2 - 2 * np.cos(np.arange(1, n + 1) * np.pi / (n + 1))
    a = linalg.aslinearoperator(sparse.csr_array(t))
    w, v = linalg.eigsh(a, k=3, which="LA", ncv=10)
    np.testing.assert_allclose(w.get(), exact[-3:], rtol=1e-10)
    check_pairs(t, w, v, 1e-8)
    w = linalg.eigsh(sparse.csr_array(t), k=149, ncv=150, return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), exact[1:], rtol=1e-9)


def test_invariant_spaces():
    """Vectors of which products give nothing new: a random one continues."""
    w, v = linalg.eigsh(3 * sparse.eye_array(30), k=4, rng=1)
    assert np.allclose(w.get(), 3)
    check_pairs(3 * scipy.sparse.eye_array(30), w, v, 1e-10)
    host = scipy.sparse.diags_array(np.repeat([1.0, 2.0, 5.0], 10))
    w, v = linalg.eigsh(sparse.csr_array(host), k=4, v0=cp.ones(30), rng=1)
    np.testing.assert_allclose(w.get(), [5.0] * 4)
    check_pairs(host, w, v, 1e-10)
    w = linalg.eigsh(sparse.csr_array((25, 25)), k=2, return_eigenvectors=False)
    assert w.tolist() == [0.0, 0.0]


def test_eigenvalues_that_do_not_converge():
    host = scipy.sparse.diags_array(np.linspace(1, 2, 400))
    with pytest.raises(scipy.sparse.linalg.ArpackNoConvergence) as caught:
        linalg.eigsh(sparse.csr_array(host), k=3, maxiter=1, ncv=5)
    assert caught.value.eigenvalues.size == 0 and caught.value.eigenvectors.shape == (400, 0)


BAD = [
    {"k": 0},
    {"k": 20},
    {"k": 3, "ncv": 3},
    {"k": 3, "ncv": 30},
    {"which": "LR"},
    {"maxiter": 0},
    {"mode": "nothing", "sigma": 1.0},
    {"v0": np.ones(19)},
    {"M": np.eye(19)},
    {"Minv": np.eye(20)},
    {"OPinv": np.eye(20)},
    {"Minv": np.eye(20), "M": np.eye(20), "sigma": 1.0},
]


@pytest.mark.parametrize("options", BAD, ids=str)
def test_errors_of_eigsh(options):
    """Those of SciPy, which is not called: some of these calls write outside its arrays."""
    a = sparse.csr_array(scipy.sparse.diags_array(np.arange(1.0, 21)))
    ours = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    with pytest.raises(TypeError if options.get("k") == 20 else ValueError):
        linalg.eigsh(a, **ours)


@pytest.mark.filterwarnings("ignore:k >= N")
def test_all_eigenvalues_of_a_dense_matrix(rng):
    host = hermitian("f8", rng, 8).toarray()
    w, v = linalg.eigsh(cp.asarray(host), k=8)
    np.testing.assert_allclose(w.get(), np.linalg.eigvalsh(host), atol=1e-12)
    check_pairs(host, w, v, 1e-10)


@pytest.mark.parametrize("which", ["LM", "SM"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "D"])
@pytest.mark.parametrize("shape", [(50, 32), (32, 50)])
def test_singular_values(shape, dtype, which, rng):
    host = scipy.sparse.random_array(shape, density=0.2, rng=rng)
    if np.dtype(dtype).kind == "c":
        host = host * np.exp(1j * rng.random(shape))
    host = scipy.sparse.csr_array(host).astype(dtype)
    a = sparse.csr_array(host)
    u, s, vh = linalg.svds(a, 4, which=which, rng=2)
    all_values = np.linalg.svd(host.toarray(), compute_uv=False)
    theirs = np.sort(all_values[:4] if which == "LM" else all_values[-4:])
    tol = accuracy(dtype)
    np.testing.assert_allclose(s.get(), theirs, rtol=tol, atol=tol)
    assert u.shape == (shape[0], 4) and vh.shape == (4, shape[1])
    assert u.dtype == vh.dtype == np.dtype(dtype)
    hu, hs, hv = u.get(), s.get(), vh.get()
    np.testing.assert_allclose(host @ hv.conj().T, hu * hs, atol=10 * tol)
    np.testing.assert_allclose(host.conj().T @ hu, hv.conj().T * hs, atol=10 * tol)
    np.testing.assert_allclose(hu.conj().T @ hu, np.eye(4), atol=tol)
    np.testing.assert_allclose(hv @ hv.conj().T, np.eye(4), atol=tol)
    assert linalg.svds(a, 4, which=which, rng=2, return_singular_vectors="u")[2] is None
    assert linalg.svds(a, 4, which=which, rng=2, return_singular_vectors="vh")[0] is None


BAD_SINGULAR = [
    {"k": 0},
    {"k": 7},
    {"k": 2.5},
    {"which": "LA"},
    {"solver": "none"},
    {"ncv": 2},
    {"v0": np.ones(3)},
    {"tol": -1},
    {"maxiter": 0},
    {"return_singular_vectors": "x"},
]


@pytest.mark.parametrize("options", BAD_SINGULAR, ids=str)
def test_errors_of_svds(options, rng):
    host = scipy.sparse.random_array((12, 7), density=0.5, rng=rng).tocsr()
    with pytest.raises(ValueError):
        scipy.sparse.linalg.svds(host, **options)
    ours = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    with pytest.raises(ValueError):
        linalg.svds(sparse.csr_array(host), **ours)
