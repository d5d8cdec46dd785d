"""Eigenvalues by polynomials of a sparse matrix: those of the matrix, with as small residuals."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.cuda.graph import Replayed
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg
from gpunp.scipy.sparse.linalg import _eigen

GRID = 24


def grid(dtype="d", scale=1.0, shift=0.0):
    """The Laplacian of a grid, with double eigenvalues; for complex types with phases."""
    line = scipy.sparse.diags_array(
        [np.full(GRID - 1, -1.0), np.full(GRID, 2.0), np.full(GRID - 1, -1.0)], offsets=[-1, 0, 1]
    )
    one = scipy.sparse.eye_array(GRID)
    a = scale * (scipy.sparse.kron(one, line) + scipy.sparse.kron(line, one))
    a = a + shift * scipy.sparse.eye_array(GRID * GRID)
    if np.dtype(dtype).kind == "c":
        turn = scipy.sparse.diags_array(np.exp(1j * np.arange(GRID * GRID)))
        a = turn @ a @ turn.conj()
    return scipy.sparse.csr_array(a).astype(dtype)


@pytest.fixture
def filters(monkeypatch):
    """Whether a filter was chosen, each time that one was asked for."""
    found, choose = [], _eigen.chebyshev_filter

    def chosen(*args):
        filter = choose(*args)
        found.append(filter is not None)
        return filter

    monkeypatch.setattr(_eigen, "chebyshev_filter", chosen)
    return found


@pytest.mark.parametrize("which", ["LM", "LA", "SA"])
@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_eigenpairs(dtype, which, filters):
    host = grid(dtype)
    w, v = linalg.eigsh(sparse.csr_array(host), 5, which=which, ncv=24, rng=2)
    assert filters == [True]
    tol = 1e-5 if dtype in "fF" else 1e-12
    every = np.linalg.eigvalsh(host.toarray().astype("D"))
    np.testing.assert_allclose(w.get(), every[:5] if which == "SA" else every[-5:], atol=tol)
    w, v = w.get(), v.get()
    assert w.dtype == np.dtype(dtype.lower()) and v.dtype == dtype
    assert np.abs(host @ v - v * w).max() < tol
    np.testing.assert_allclose(v.conj().T @ v, np.eye(5), atol=tol)
    alone = linalg.eigsh(
        sparse.csr_array(host), 5, which=which, ncv=24, rng=2, return_eigenvectors=False
    )
    np.testing.assert_array_equal(alone.get(), w)


@pytest.mark.parametrize("scale, shift", [(-1.0, 0.0), (1e-5, 0.0), (1e50, 0.0), (1.0, -1e3)])
def test_scales_and_shifts(scale, shift, filters):
    host = grid("d", scale, shift)
    w = linalg.eigsh(sparse.csr_array(host), 4, ncv=24, rng=2, return_eigenvectors=False)
    every = np.linalg.eigvalsh(host.toarray())
    theirs = np.sort(every[np.argsort(abs(every))[-4:]])
    np.testing.assert_allclose(w.get(), theirs, rtol=1e-12)
    assert len(filters) == 1


def test_no_filter_where_both_ends_are_sought_or_values_are_far(filters):
    host = grid("d", 1.0, -4.0)  # its spectrum is symmetric about zero
    w = linalg.eigsh(sparse.csr_array(host), 4, ncv=24, rng=2, return_eigenvectors=False)
    every = np.linalg.eigvalsh(host.toarray())
    # Four are the second largest in magnitude, two at each end: any two of them will do.
    np.testing.assert_allclose(np.sort(abs(w.get())), np.sort(abs(every))[-4:], rtol=1e-12)
    np.testing.assert_allclose(w.get()[[0, -1]], every[[0, -1]], rtol=1e-12)
    spread = scipy.sparse.diags_array(np.r_[np.linspace(0, 1, 500), 1e3, 1e6]).tocsr()
    w = linalg.eigsh(sparse.csr_array(spread), 4, ncv=12, rng=2, return_eigenvectors=False)
    np.testing.assert_allclose(w.get(), [498 / 499, 1, 1e3, 1e6], rtol=1e-9)
    assert filters == [False, False]


def test_restarts_that_are_too_few():
    a = sparse.csr_array(grid())
    for most in (1, _eigen.CYCLES, _eigen.CYCLES + 1):
        with pytest.raises(linalg.ArpackNoConvergence, match=rf"\({most} restarts") as raised:
            linalg.eigsh(a, 5, ncv=12, rng=2, maxiter=most)
        w, v = raised.value.eigenvalues, raised.value.eigenvectors
        assert w.shape[0] == v.shape[1] < 5


def test_filtered_steps_are_replayed(monkeypatch):
    a = sparse.csr_array(grid())
    desired = linalg.eigsh(a, 5, ncv=24, rng=2)
    monkeypatch.setattr(Replayed, "_record", staticmethod(lambda *args: None))
    for x, y in zip(linalg.eigsh(a, 5, ncv=24, rng=2), desired, strict=True):
        np.testing.assert_array_equal(x.get(), y.get())


def test_formats(filters):
    desired = np.linalg.eigvalsh(grid().toarray())[-3:]
    for kind in ("csc", "coo", "dia", "bsr"):
        a = getattr(sparse, f"{kind}_array")(cp.asarray(grid().toarray()))
        w = linalg.eigsh(a, 3, ncv=20, rng=2, return_eigenvectors=False)
        np.testing.assert_allclose(w.get(), desired, rtol=1e-12)
    assert filters == [True] * 4
