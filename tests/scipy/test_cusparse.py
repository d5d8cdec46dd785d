"""`gpunp.cusparse`: operations of sparse matrices under cuSPARSE's names, against SciPy's."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp import cusparse
from gpunp.scipy import sparse

A = np.array([[1.0, 0, 2, 0], [0, 0, 3, 0], [4, 5, 0, 6]])


def csr():
    return sparse.csr_matrix(cp.asarray(A))


def same(actual, desired):
    actual = actual.toarray() if sparse.issparse(actual) else actual
    np.testing.assert_allclose(actual.get(), desired)


@pytest.mark.parametrize("name", ["spmv", "csrmv"])
@pytest.mark.parametrize("transa", [False, True])
def test_products_with_vectors(name, transa):
    a = csr()
    function, matrix = getattr(cusparse, name), A.T if transa else A
    x, y = np.arange(1.0, 1 + matrix.shape[1]), np.ones(matrix.shape[0])
    same(function(a, cp.asarray(x), transa=transa), matrix @ x)
    out = cp.asarray(y)
    assert function(a, cp.asarray(x), out, 2, 3, transa) is out
    same(out, 2 * matrix @ x + 3 * y)
    out = cp.full(matrix.shape[0], cp.nan)
    same(function(a, cp.asarray(x), out, transa=transa), matrix @ x)


@pytest.mark.parametrize("transb", [False, True])
def test_products_with_matrices(transb):
    a = csr()
    b = np.arange(8.0).reshape(4, 2)
    given = cp.asarray(b.T.copy() if transb else b)
    result = cusparse.spmm(a, given, alpha=2, transb=transb)
    assert result.flags.f_contiguous
    same(result, 2 * A @ b)
    same(cusparse.csrmm2(a, given, cp.ones((3, 2)), 1.0, 2.0, transb=transb), A @ b + 2)
    if not transb:
        same(cusparse.csrmm(a, cp.ones((3, 2)), transa=True), A.T @ np.ones((3, 2)))


def test_products_and_sums_of_sparse_matrices():
    a = csr()
    b = a.T.tocsr()
    same(cusparse.spgemm(a, b, alpha=2), 2 * A @ A.T)
    same(cusparse.csrgemm(a, b), A @ A.T)
    same(cusparse.csrgemm(a, a, transb=True), A @ A.T)
    d = sparse.eye(3, format="csr")
    same(cusparse.csrgemm2(a, b, d, 2, 3), 2 * A @ A.T + 3 * np.eye(3))
    for name in ("spgeam", "csrgeam", "csrgeam2"):
        same(getattr(cusparse, name)(a, a, 2, -0.5), 1.5 * A)


def test_conversions():
    a = csr()
    coo, csc = a.tocoo(), a.tocsc()
    for name, x in [
        *(("coo2csr", coo), ("coo2csc", coo), ("csr2csc", a), ("csr2cscEx2", a)),
        *(("csc2csr", csc), ("csc2csrEx2", csc)),
    ]:
        result = getattr(cusparse, name)(x)
        assert result.format == name[4:7]
        same(result, A)
    same(cusparse.csr2coo(a, a.data, a.indices), A)
    same(cusparse.csc2coo(csc, csc.data, csc.indices), A)
    for dense in (cusparse.csr2dense(a), cusparse.csc2dense(csc), cusparse.sparseToDense(coo)):
        assert dense.flags.f_contiguous
        same(dense, A)
    out = cp.empty(A.shape)
    assert cusparse.sparseToDense(a, out) is out
    for result in (
        *(cusparse.denseToSparse(cp.asarray(A), name) for name in ("csr", "csc", "coo")),
        *(cusparse.dense2csr(cp.asarray(A)), cusparse.dense2csc(cp.asarray(A))),
    ):
        assert result.nnz == 6
        same(result, A)
    kept = cusparse.csr2csr_compress(a, 2)
    assert kept.nnz == 4
    same(kept, np.where(A > 2, A, 0))


def test_sorting():
    data, indices, starts = np.array([1.0, 2, 3]), np.array([2, 0, 1]), np.array([0, 2, 3])
    host = scipy.sparse.csr_matrix((data, indices, starts), shape=(2, 3))
    x = sparse.csr_matrix((cp.asarray(data), cp.asarray(indices), cp.asarray(starts)), (2, 3))
    cusparse.csrsort(x)
    assert x.indices.get().tolist() == [0, 2, 1]
    same(x, host.toarray())
    y = sparse.csc_matrix((cp.asarray(data), cp.asarray(indices), cp.asarray(starts)), (3, 2))
    cusparse.cscsort(y)
    assert y.indices.get().tolist() == [0, 2, 1]
    for sort_by, columns in (("r", [0, 2, 1]), ("c", [0, 1, 2])):
        z = sparse.coo_matrix(
            (cp.asarray(data), (cp.asarray([0, 0, 1]), cp.asarray(indices))), shape=(2, 3)
        )
        cusparse.coosort(z, sort_by)
        assert z.col.get().tolist() == columns
        same(z, host.toarray())


def incomplete(a):
    """The factors without fill by the definition, in one matrix."""
    lu, stored = a.copy(), a != 0
    for i in range(len(a)):
        for k in range(i):
            if stored[i, k]:
                lu[i, k] /= lu[k, k]
                j = np.arange(k + 1, len(a))[stored[i, k + 1 :]]
                lu[i, j] -= lu[i, k] * lu[k, j] * stored[k, j]
    return lu


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("kind", ["band", "grid", "random", "diagonal"])
def test_factors_without_fill(rng, dtype, kind):
    n = 150
    if kind == "grid":
        line = scipy.sparse.diags(
            [np.full(11, -1.0), np.full(12, 2.5), np.full(11, -1.0)], [-1, 0, 1]
        )
        a = scipy.sparse.kronsum(line, line).toarray()
    elif kind == "band":
        a = np.diag(np.full(n, 4.0)) - np.diag(np.ones(n - 1), 1) - np.diag(np.ones(n - 1), -1)
    else:
        a = np.diag(rng.uniform(5, 9, n))
        a += (rng.random((n, n)) < 0.05) * rng.normal(size=(n, n)) if kind == "random" else 0
    a = a.astype(dtype) * (1 + 0.5j if dtype in "FD" else 1)
    ours = sparse.csr_matrix(cp.asarray(a))
    cusparse.csrilu02(ours)
    tolerance = 1e-4 if dtype in "fF" else 1e-12
    np.testing.assert_allclose(ours.toarray().get(), incomplete(a), rtol=tolerance, atol=tolerance)
    b = cp.asarray(rng.normal(size=len(a)).astype(dtype))
    y = cusparse.spsm(sparse.tril(ours, -1).tocsr(), b, unit_diag=True)
    x = cusparse.spsm(sparse.triu(ours).tocsr(), y, lower=False)
    lower, upper = np.tril(incomplete(a), -1) + np.eye(len(a)), np.triu(incomplete(a))
    np.testing.assert_allclose((lower @ upper) @ x.get(), b.get(), rtol=1e-2, atol=10 * tolerance)


def test_factors_that_do_not_exist():
    for values, row in (([[0.0, 1.0], [1.0, 2.0]], 0), ([[1.0, 2.0], [0.5, 1.0]], 1)):
        with pytest.raises(ValueError, match=f"pivot of row {row} is zero"):
            cusparse.csrilu02(sparse.csr_matrix(cp.asarray(values)))
    for error, a in (
        (TypeError, sparse.csc_matrix(cp.eye(2))),
        (TypeError, sparse.csr_matrix(cp.eye(2, dtype="i8"))),
        (ValueError, sparse.csr_matrix(cp.ones((2, 3)))),
    ):
        with pytest.raises(error):
            cusparse.csrilu02(a)
    cusparse.csrilu02(sparse.csr_matrix((0, 0)))


@pytest.mark.parametrize(
    "error, call",
    [
        (TypeError, lambda a: cusparse.csrmv(a.tocsc(), cp.ones(4))),
        (TypeError, lambda a: cusparse.spmv(cp.ones((2, 2)), cp.ones(2))),
        (ValueError, lambda a: cusparse.spmv(a, cp.ones((4, 1)))),
        (ValueError, lambda a: cusparse.spmv(a, cp.ones(3))),
        (TypeError, lambda a: cusparse.denseToSparse(cp.ones((2, 2)), "dia")),
        (ValueError, lambda a: cusparse.coosort(a.tocoo(), "x")),
    ],
)
def test_wrong_calls(error, call):
    with pytest.raises(error):
        call(csr())


def test_what_there_is():
    assert cusparse.check_availability("spmm") and not cusparse.check_availability("getVersion")


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia"])
def test_attributes_that_cupys_matrices_have(format):
    x = csr().asformat(format)
    same(x.A, A)
    same((x * 1j).H, (A * 1j).conj().T)
    x.set_shape((2, 6))
    assert x.format == format
    same(x, A.reshape(2, 6))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_triangular(lower, transposed):
    host = np.array([[2.0, 0, 0], [1, 4, 0], [3, 1, 5]])
    host = host if lower else host.T.copy()
    op = host.T if transposed else host
    b = np.arange(6.0).reshape(3, 2)
    a = sparse.csr_matrix(cp.asarray(host))
    found = cusparse.spsm(a, cp.asarray(b), 2, lower, transa=transposed)
    np.testing.assert_allclose(op @ found.get(), 2 * b, atol=1e-14)
    given = cp.asarray(b)
    assert cusparse.csrsm2(a, given, 2, lower, transa=transposed) is given
    same(given, found.get())
