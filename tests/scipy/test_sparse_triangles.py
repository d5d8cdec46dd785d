"""Triangular systems on the device, and the factors of SuperLU that are solved with them."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import linalg


def triangle(n, dtype, lower, rng):
    part = scipy.sparse.random_array((n, n), density=min(1, 5 / n), rng=rng)
    part = scipy.sparse.tril(part, -1) if lower else scipy.sparse.triu(part, 1)
    a = 0.3 * part + scipy.sparse.diags_array(rng.random(n) + 1)
    return scipy.sparse.csr_array(a * (1 + 0.3j) if dtype == "D" else a).astype(dtype)


@pytest.mark.parametrize("dtype", ["d", pytest.param("f", marks=pytest.mark.slow), "D"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("n", [1, 7, 300])
def test_triangles(n, lower, dtype, rng):
    host = triangle(n, dtype, lower, rng)
    for unit in (False, True):
        exact = host.toarray()
        np.fill_diagonal(exact, 1 if unit else np.diagonal(exact))
        for columns in (None, 3, *([40, 1] if dtype == "d" else [])):
            b = rng.random(n if columns is None else (n, columns)).astype(dtype)
            options = {"lower": lower, "unit_diagonal": unit}
            x = linalg.spsolve_triangular(sparse.csr_array(host), cp.asarray(b), **options)
            assert x.dtype == dtype and x.shape == b.shape
            tolerance = 1e-4 if dtype == "f" else 1e-11
            np.testing.assert_allclose(x.get(), np.linalg.solve(exact, b), tolerance, tolerance)


def test_a_chain_of_rows_in_unsorted_pieces(rng):
    n = 200
    host = scipy.sparse.csr_array(
        scipy.sparse.diags_array([np.full(n - 1, 0.5), np.full(n, 2.0)], offsets=[-1, 0])
    )
    places = np.concatenate([np.arange(2 * n - 1)] * 2)
    coo = host.tocoo()
    rows, columns, data = (np.concatenate([v, v]) for v in (coo.row, coo.col, coo.data / 2))
    order = rng.permutation(places.size)
    order = order[np.argsort(rows[order], kind="stable")]
    begins = np.concatenate([[0], np.cumsum(np.bincount(rows))]).astype("i4")
    parts = (cp.asarray(x) for x in (data[order], columns[order].astype("i4"), begins))
    a, b = sparse.csr_array(tuple(parts), shape=(n, n)), rng.random(n)
    x = linalg.spsolve_triangular(a, cp.asarray(b))
    np.testing.assert_allclose(host @ x.get(), b, rtol=1e-12)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("columns", [1, 40])
def test_rows_that_wait_for_each_other(lower, columns, rng):
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(37, 37))
    full = scipy.sparse.csr_array(rng.random((150, 150)) / 150 + np.eye(150))
    for square in (scipy.sparse.kronsum(line, line), full, full[::-1]):
        part = scipy.sparse.tril(square) if lower else scipy.sparse.triu(square)
        host = scipy.sparse.csr_array(part + scipy.sparse.eye_array(part.shape[0]))
        b = rng.random((host.shape[0], columns))
        x = linalg.spsolve_triangular(sparse.csr_array(host), cp.asarray(b), lower).get()
        np.testing.assert_allclose(host @ x, b, rtol=1e-9, atol=1e-12)
        again = linalg.spsolve_triangular(sparse.csr_array(host), cp.asarray(b), lower).get()
        assert (x == again).all()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (np.tril(np.ones((3, 3))), np.ones(2)),
        (np.ones((2, 3)), np.ones(2)),
        (np.array([[2.0, 0], [1, 0]]), np.ones(2)),
        (np.eye(2), np.ones(())),
    ],
)
def test_wrong_triangles(a, b):
    with pytest.raises(ValueError) as theirs:
        scipy.sparse.linalg.spsolve_triangular(scipy.sparse.csr_array(a), b)
    with pytest.raises(theirs.type):
        linalg.spsolve_triangular(sparse.csr_array(cp.asarray(a)), cp.asarray(b))


def test_types_of_triangles():
    a = cp.tril(cp.ones((3, 3)))
    for left, right in (("i8", "i8"), ("f4", "f4"), ("f4", "D"), ("?", "f4")):
        host = scipy.sparse.csr_array(np.tril(np.ones((3, 3), left)))
        theirs = scipy.sparse.linalg.spsolve_triangular(host, np.ones(3, right))
        ours = linalg.spsolve_triangular(sparse.csr_array(a.astype(left)), cp.ones(3, right))
        assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()
    assert linalg.spsolve_triangular(sparse.csr_array(a), cp.ones((3, 0))).shape == (3, 0)
    empty = sparse.csr_array((3, 3))
    assert linalg.spsolve_triangular(empty, cp.arange(3.0), unit_diagonal=True).tolist() == [
        0,
        1,
        2,
    ]
    with pytest.warns(sparse.SparseEfficiencyWarning):
        linalg.spsolve_triangular(sparse.coo_array(a), cp.ones(3))


@pytest.mark.parametrize("dtype", ["d", pytest.param("f", marks=pytest.mark.slow), "D"])
@pytest.mark.parametrize("name", ["splu", "spilu"])
def test_factors_solve_on_the_device(name, dtype, rng):
    n = 60
    scale = 10.0 ** rng.integers(-3, 3, n)
    host = scipy.sparse.random_array((n, n), density=0.08, rng=rng)
    host = scipy.sparse.csc_array(host + scipy.sparse.diags_array(scale + 0.5))
    host = (host * (1 + 0.5j) if dtype == "D" else host).astype(dtype)
    for options in ({}, {"permc_spec": "NATURAL", "diag_pivot_thresh": 0.0}):
        theirs = getattr(scipy.sparse.linalg, name)(host, **options)
        ours = getattr(linalg, name)(sparse.csc_array(host), **options)
        for trans in "NTH":
            for b in (rng.random(n).astype(dtype), rng.random((n, 3)).astype(dtype)):
                x = ours.solve(cp.asarray(b), trans)
                tolerance = 1e-2 if dtype == "f" else 1e-10
                desired = theirs.solve(b, trans)
                assert x.dtype == desired.dtype
                np.testing.assert_allclose(x.get(), desired, tolerance, tolerance)


@pytest.mark.parametrize(
    ("factor", "right", "trans"),
    [("d", "D", "N"), ("f", "d", "N"), ("d", "f", "N"), ("d", "i8", "T"), ("d", "d", "X")],
)
def test_factors_take_what_their_type_holds(factor, right, trans):
    host = scipy.sparse.csc_array(np.diag([1.0, 2.0]).astype(factor))
    ours = linalg.splu(sparse.csc_array(host))
    try:
        theirs = scipy.sparse.linalg.splu(host).solve(np.ones(2, right), trans)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            ours.solve(cp.ones(2, right), trans)
        return
    x = ours.solve(cp.ones(2, right), trans)
    assert x.dtype == theirs.dtype and x.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="size"):
        ours.solve(cp.ones(3))


def test_a_preconditioner_stays_on_the_device(rng):
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(8, 8))
    host = scipy.sparse.csc_array(scipy.sparse.kronsum(line, line))
    a, b = sparse.csc_array(host), cp.asarray(rng.random(64))
    factors = linalg.spilu(a, drop_tol=1e-2)
    factors.solve(b)
    with cp.allow_synchronize(False):
        factors.solve(b)
    m = linalg.LinearOperator(a.shape, matvec=factors.solve, dtype="d")
    x, info = linalg.gmres(a, b, M=m, rtol=1e-9, maxiter=3)
    assert info == 0
    np.testing.assert_allclose(host @ x.get(), b.get(), rtol=1e-6)


def test_products_and_triangles_in_a_capture(rng):
    host = triangle(50, "d", True, rng)
    a, b, out = sparse.csr_array(host), cp.asarray(rng.random(50)), cp.empty(50)
    factors = linalg.splu(a.tocsc())
    factors.solve(b), a @ b  # upload, compile
    cp.cuda.Device().synchronize()  # the other stream does not wait for this one
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        out[...] = factors.solve(a @ b)
        graph = stream.end_capture()
        for _ in range(2):
            b *= 2
            out[...] = 0
            graph.launch()
            np.testing.assert_allclose(out.get(), b.get(), rtol=1e-12)


def test_singular_factors():
    with warnings.catch_warnings(), pytest.raises(RuntimeError, match="singular"):
        warnings.simplefilter("ignore")
        linalg.splu(sparse.csc_array((2, 2)))
