"""gpunp.cusparse beside NumPy."""

import numpy as np
import pytest
from check import assert_same

import gpunp as cp
from gpunp import cusparse
from gpunp.scipy import sparse

A = np.array([[1.0, 0, 2, 0], [0, 0, 3, 4], [5, 0, 0, 6]])
B = np.array([[0.0, 1, 0], [2, 0, 0], [0, 0, 7], [1, 1, 1]])
FORMS = [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.coo_matrix]


@pytest.mark.parametrize("dtype", ["f4", "f8", "F", "i4"])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_products_with_dense_ones(form, transposed, dtype):
    host = A.astype(dtype)
    a, op = form(cp.asarray(host)), host.T if transposed else host
    x, y = np.arange(op.shape[1]).astype(dtype), np.arange(op.shape[0]).astype(dtype)
    assert_same(cusparse.spmv(a, cp.asarray(x), transa=transposed), op @ x)
    given = cp.asarray(y)
    found = cusparse.spmv(a, cp.asarray(x), given, 2, 3, transposed)
    assert found is given
    assert_same(found, 2 * (op @ x) + 3 * y)
    b, c = np.arange(2 * op.shape[1]).reshape(-1, 2).astype(dtype), np.ones((op.shape[0], 2), dtype)
    assert_same(
        cusparse.spmm(a, cp.asarray(b), alpha=2, transa=transposed), 2 * (op @ b), order=False
    )
    given = cp.asarray(c, order="F")
    found = cusparse.spmm(a, cp.asarray(b.T), given, 1, 4, transposed, transb=True)
    assert found is given
    assert_same(found, op @ b + 4 * c, order=False)
    if a.format == "csr":
        assert_same(cusparse.csrmv(a, cp.asarray(x), transa=transposed), op @ x)
        assert_same(cusparse.csrmm(a, cp.asarray(b), transa=transposed), op @ b, order=False)
        assert_same(
            cusparse.csrmm2(a, cp.asarray(b.T), transa=transposed, transb=True), op @ b, order=False
        )


def test_zero_beta_does_not_read_the_output():
    a, out = sparse.csr_matrix(cp.asarray(A)), cp.full(3, np.nan)
    assert_same(cusparse.spmv(a, cp.ones(4), out), A.sum(1))


@pytest.mark.parametrize("form", FORMS)
def test_sums_and_products_of_sparse_ones(form):
    a, b = form(cp.asarray(A)), form(cp.asarray(B))
    assert_same(cusparse.spgeam(a, b.T, 2, -1).toarray(), 2 * A - B.T, zero_sign=False)
    found = cusparse.spgemm(a, b, 3)
    assert type(found) is type(a.tocsr())
    assert_same(found.toarray(), 3 * A @ B)
    if a.format == "csr":
        assert_same(cusparse.csrgeam(a, a).toarray(), 2 * A)
        assert_same(cusparse.csrgeam2(a, a, 1, -3).toarray(), -2 * A, zero_sign=False)
        assert_same(cusparse.csrgemm(a, a, transb=True).toarray(), A @ A.T)
        assert_same(cusparse.csrgemm(a, b, True, True).toarray(), A.T @ B.T)
        d = sparse.csr_matrix(cp.eye(3))
        assert_same(cusparse.csrgemm2(a, b, d, 2, 5).toarray(), 2 * A @ B + 5 * np.eye(3))
        assert_same(cusparse.csrgemm2(a, b).toarray(), A @ B)


def test_dense_and_back():
    for dense2, format, back in (
        (cusparse.dense2csr, "csr", cusparse.csr2dense),
        (cusparse.dense2csc, "csc", cusparse.csc2dense),
    ):
        made = dense2(cp.asarray(A))
        assert made.format == format and isinstance(made, sparse.spmatrix)
        assert_same(back(made), np.asfortranarray(A))
        out = cp.empty((3, 4))
        assert back(made, out) is out
        assert_same(out, A)
    assert cusparse.denseToSparse(cp.asarray(A), "coo").format == "coo"
    assert_same(cusparse.sparseToDense(sparse.coo_array(cp.asarray(A))), np.asfortranarray(A))


def test_coordinates_and_order():
    rows, columns = cp.asarray([2, 0, 2, 1, 0]), cp.asarray([1, 3, 0, 2, 3])
    a = sparse.coo_matrix((cp.arange(1.0, 6), (rows, columns)), shape=(3, 4))
    dense = a.toarray().get()
    cusparse.coosort(a)
    assert_same(a.data, np.array([2.0, 5, 4, 3, 1]))
    made = cusparse.coo2csr(a)
    assert_same(made.indptr, np.array([0, 2, 3, 5], "i4"))
    assert_same(made.toarray(), dense)
    cusparse.coosort(a, "c")
    assert_same(a.data, np.array([3.0, 1, 4, 2, 5]))
    columns_first = cusparse.coo2csc(a)
    assert columns_first.format == "csc"
    assert_same(columns_first.toarray(), dense)
    back = cusparse.csr2coo(made, made.data * 2, made.indices)
    assert_same(back.toarray(), 2 * dense)
    back = cusparse.csc2coo(columns_first, columns_first.data, columns_first.indices)
    assert_same(back.toarray(), dense)
    for turned in (cusparse.csr2csc, cusparse.csr2cscEx2):
        assert turned(made).format == "csc"
    assert_same(cusparse.csc2csr(columns_first).toarray(), dense)
    loose = sparse.csr_matrix((cp.arange(3.0), cp.asarray([2, 0, 1]), cp.asarray([0, 2, 3])))
    cusparse.csrsort(loose)
    assert_same(loose.indices, np.array([0, 2, 1]))
    cusparse.cscsort(columns_first)


def test_small_elements_are_dropped():
    for dtype in ("f8", "F"):
        a = sparse.csr_matrix(cp.asarray(A.astype(dtype)))
        found = cusparse.csr2csr_compress(a, 2)
        assert_same(found.toarray(), np.where(abs(A) > 2, A, 0).astype(dtype))
        assert_same(found.indptr, np.array([0, 0, 2, 4], "i4"))


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
    assert_same(given, found.get())


def test_wrong_calls():
    a = sparse.csr_matrix(cp.asarray(A))
    for call in (
        lambda: cusparse.spmv(a, cp.ones(3)),
        lambda: cusparse.spmv(a, cp.ones((4, 1))),
        lambda: cusparse.spmv(a, cp.ones(4), cp.ones(4)),
        lambda: cusparse.spmm(a, cp.ones(4)),
        lambda: cusparse.denseToSparse(cp.ones(4)),
        lambda: cusparse.denseToSparse(cp.ones((4, 4)), "bsr"),
        lambda: cusparse.coosort(a.tocoo(), "x"),
        lambda: cusparse.spgeam(a, a.T),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: cusparse.csrmv(a.tocsc(), cp.ones(4)), lambda: cusparse.spmv(cp.asarray(A), cp.ones(4))):  # fmt: skip
        with pytest.raises(TypeError, match="sparse matrix"):
            call()
    assert cusparse.check_availability("spmv") and not cusparse.check_availability("csrilu02")
