"""Solvers of sparse systems: residuals, what they return, and SciPy's results of direct ones."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg


def laplacian(k, dtype="f8"):
    t = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(k, k))
    return scipy.sparse.csr_array(scipy.sparse.kronsum(t, t)).astype(dtype)


def unsymmetric(k, dtype="f8"):
    n = k * k
    shift = scipy.sparse.diags_array([0.4], offsets=[1], shape=(n, n))
    a = laplacian(k) + shift + 0.5 * scipy.sparse.eye_array(n)
    return scipy.sparse.csr_array(a * (1 + 0.2j) if np.dtype(dtype).kind == "c" else a).astype(
        dtype
    )


METHODS = {
    "cg": laplacian,
    "bicg": unsymmetric,
    "bicgstab": unsymmetric,
    "cgs": unsymmetric,
    "gmres": unsymmetric,
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "D"])
@pytest.mark.parametrize("name", METHODS)
def test_solvers_reach_the_residual(name, dtype, rng):
    host = METHODS[name](9, dtype if name != "cg" or dtype != "D" else "f8")
    a = sparse.csr_array(host)
    b = rng.random(a.shape[0]).astype(dtype)
    x, info = getattr(linalg, name)(a, cp.asarray(b), rtol=1e-4)
    theirs, their_info = getattr(scipy.sparse.linalg, name)(host, b, rtol=1e-4)
    assert info == their_info == 0 and x.dtype == theirs.dtype and x.shape == theirs.shape
    assert np.linalg.norm(host @ x.get() - b) <= 1.05e-4 * np.linalg.norm(b)


@pytest.mark.parametrize("name", METHODS)
def test_preconditioners_and_starts(name):
    host = METHODS[name](8)
    a, b = sparse.csc_array(host), cp.ones(64)
    inverse = sparse.diags_array(1 / a.diagonal())
    solve = getattr(linalg, name)
    x, info = solve(a, b, M=inverse, rtol=1e-8)
    assert info == 0 and float(cp.linalg.norm(a @ x - b)) < 1e-7 * 8
    again, info = solve(a, b, x0=x, rtol=1e-6)
    assert info == 0 and again.tolist() == x.tolist()
    x, info = solve(a, b, maxiter=1, rtol=1e-12, **({"restart": 2} if name == "gmres" else {}))
    assert info == 1
    x, info = solve(a, cp.zeros(64))
    assert info == 0 and not x.any()
    with pytest.raises(ValueError, match="square"):
        solve(a[:5], b[:5])


def test_cg_stops_where_scipy_stops(rng):
    host, b = laplacian(7), rng.random(49)
    for rtol in (1e-2, 1e-5):
        ours, _ = linalg.cg(sparse.csr_array(host), cp.asarray(b), rtol=rtol)
        theirs, _ = scipy.sparse.linalg.cg(host, b, rtol=rtol)
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-9)
    seen = []
    linalg.cg(sparse.csr_array(host), cp.asarray(b), callback=lambda x: seen.append(x.copy()))
    theirs = []
    scipy.sparse.linalg.cg(host, b, callback=theirs.append)
    assert len(seen) == len(theirs)


@pytest.mark.parametrize("dtype", ["f8", "D"])
def test_gmres_counts_restarts_as_scipy(dtype, rng):
    host, b = unsymmetric(6, dtype), rng.random(36).astype(dtype)
    for restart, maxiter in ((5, 1), (5, 3), (36, 1)):
        options = {"restart": restart, "maxiter": maxiter, "rtol": 1e-9}
        ours, info = linalg.gmres(sparse.csr_array(host), cp.asarray(b), **options)
        theirs, their_info = scipy.sparse.linalg.gmres(host, b, **options)
        assert info == their_info
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-6)


def test_gmres_stops_at_an_invariant_space(rng):
    b = cp.asarray(rng.random(20))
    x, info = linalg.gmres(3 * sparse.eye_array(20), b)
    assert info == 0
    np.testing.assert_allclose(x.get(), b.get() / 3)
    assert linalg.gmres(sparse.csr_array((20, 20)), b, maxiter=3)[1] == 3
    products = []
    known = linalg.LinearOperator((20, 20), matvec=lambda v: products.append(1) or 3 * v, dtype="d")
    linalg.gmres(known, b, x0=x)
    assert len(products) == 1


def test_linear_operators(rng):
    host = rng.random((5, 3)) + 1j * rng.random((5, 3))
    x, y = rng.random(3), rng.random(5)
    for made in (cp.asarray(host), sparse.csr_array(cp.asarray(host))):
        ours = linalg.aslinearoperator(made)
        theirs = scipy.sparse.linalg.aslinearoperator(host)
        pairs = [
            (lambda a, v, w: a @ v),
            (lambda a, v, w: a.H @ w),
            (lambda a, v, w: a.T @ w),
            (lambda a, v, w: (2 * a + a) @ v),
            (lambda a, v, w: (a.H * a) @ v),
            (lambda a, v, w: (a - a.dot(3)).matvec(v)),
            (lambda a, v, w: w @ a),
            (lambda a, v, w: w[None] * a),
        ]
        for body in pairs:
            got = body(ours, cp.asarray(x), cp.asarray(y)).get()
            np.testing.assert_allclose(got, body(theirs, x, y), rtol=1e-12)
        for left in (y, y[None].repeat(2, 0)):  # SciPy has `rdot` from 1.18 on
            found = ours.rdot(cp.asarray(left)).get()
            np.testing.assert_allclose(found, left @ host, rtol=1e-12)
        found = (ours.rdot(ours.T) @ cp.asarray(x)).get()
        np.testing.assert_allclose(found, host.T @ (host @ x), rtol=1e-12)
    only = linalg.LinearOperator((3, 3), matvec=lambda v: 2 * v)
    assert (only @ cp.ones((3, 2))).tolist() == [[2.0, 2.0]] * 3
    assert only.dtype == np.float64
    with pytest.raises(NotImplementedError):
        only.rmatvec(cp.ones(3))


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix"])
def test_direct_solvers(kind, rng):
    host = unsymmetric(5)
    a = getattr(sparse, kind)(host)
    b, several = rng.random(25), rng.random((25, 3))
    for right in (b, several):
        theirs = scipy.sparse.linalg.spsolve(host.tocsc(), right)
        np.testing.assert_allclose(linalg.spsolve(a, cp.asarray(right)).get(), theirs)
        np.testing.assert_allclose(linalg.factorized(a)(cp.asarray(right)).get(), theirs)
        np.testing.assert_allclose(linalg.splu(a).solve(cp.asarray(right)).get(), theirs)
    lower = scipy.sparse.tril(host).tocsr()
    theirs = scipy.sparse.linalg.spsolve_triangular(lower, b)
    ours = linalg.spsolve_triangular(sparse.tril(a).tocsr(), cp.asarray(b))
    np.testing.assert_allclose(ours.get(), theirs)
    assert sparse.issparse(linalg.spilu(a).L)


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("ord", [None, 1, np.inf, 0, 3])
def test_norms(ord, axis):
    host = unsymmetric(4)[:, :9]
    try:
        theirs = scipy.sparse.linalg.norm(host, ord, axis)
    except ValueError:
        with pytest.raises(ValueError, match="Invalid"):
            linalg.norm(sparse.csr_array(host), ord, axis)
        return
    ours = linalg.norm(sparse.csr_array(host), ord, axis)
    np.testing.assert_allclose(ours.get(), theirs)


def test_norm_of_order_two():
    host = unsymmetric(4)[:, :9]
    ours = linalg.norm(sparse.csr_array(host), 2)
    np.testing.assert_allclose(float(ours), scipy.sparse.linalg.norm(host, 2))
    for raises in (lambda m, a: m.norm(a, -2), lambda m, a: m.norm(a[:1], 2)):
        with pytest.raises((NotImplementedError, ValueError)) as theirs:
            raises(scipy.sparse.linalg, host)
        with pytest.raises(theirs.type):
            raises(linalg, sparse.csr_array(host))


def test_inverse_of_a_number():
    for kind in (sparse.csc_array, sparse.csr_matrix):
        assert sparse.linalg.inv(kind(cp.array([[4.0]]))).toarray().get().tolist() == [[0.25]]
