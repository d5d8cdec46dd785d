"""Sparse matrices of other libraries, products in captured streams, rows that bsr and dia keep."""

import pickle
import types

import numpy as np
import pytest
import scipy.sparse
from check import assert_same

import gpunp as cp
from gpunp.scipy import sparse

RNG = np.random.default_rng(4)
DENSE = RNG.random((6, 8)) * (RNG.random((6, 8)) < 0.4)
FORMS = ["csr_array", "csc_array", "coo_array", "bsr_array", "dia_array"]


def torch_like(layout, **parts):
    """An object with the methods of a sparse tensor of PyTorch."""
    made = types.SimpleNamespace(layout=layout, shape=DENSE.shape)
    for name, value in parts.items():
        setattr(made, name, lambda value=value: cp.asarray(value))
    made.coalesce = lambda: made
    return made


def torchs(format):
    host = scipy.sparse.csr_array(DENSE).asformat(format)
    if format == "coo":
        return torch_like("torch.sparse_coo", values=host.data, indices=np.stack(host.coords))
    row = format == "csr"
    names = ("col_indices", "crow_indices") if row else ("row_indices", "ccol_indices")
    parts = dict(zip(names, (host.indices.astype("i8"), host.indptr.astype("i8")), strict=True))
    return torch_like(f"torch.sparse_{format}", values=host.data, **parts)


def cupys(format):
    """An object as CuPy's module of sparse matrices has them."""
    host = scipy.sparse.csr_matrix(DENSE).asformat(format)
    parts = {"data": cp.asarray(host.data), "format": format, "shape": host.shape}
    names = ("row", "col") if format == "coo" else ("indices", "indptr")
    parts |= {name: cp.asarray(getattr(host, name)) for name in names}
    return type(f"{format}_matrix", (), {"__module__": f"cupyx.scipy.sparse._{format}", **parts})()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("library", [torchs, cupys])
def test_matrices_of_other_libraries(library, format, form):
    made = getattr(sparse, form)(library(format))
    assert type(made) is getattr(sparse, form)
    assert_same(made.toarray(), DENSE)


@pytest.mark.parametrize("form", [*FORMS, "lil_array", "dok_array", "csr_matrix"])
def test_scipys_matrices_and_back(form):
    host = getattr(scipy.sparse, form)(DENSE)
    ours = getattr(sparse, form)(host)
    again = ours.get()
    assert type(again) is type(host) and again.dtype == host.dtype
    np.testing.assert_array_equal(again.toarray(), DENSE)


def test_blocks_of_scipys_matrices_stay():
    host = scipy.sparse.bsr_array(DENSE, blocksize=(3, 2))
    assert sparse.bsr_array(host).blocksize == (3, 2)
    assert sparse.bsr_array(host, blocksize=(2, 2)).blocksize == (2, 2)


@pytest.mark.parametrize("form", FORMS)
def test_products_in_a_captured_stream(form):
    """The structure that bsr and dia, and products along the other axis, need is made before."""
    a = getattr(sparse, form)(cp.asarray(DENSE))
    x, b = cp.arange(8.0), cp.ones((8, 3))
    a @ x
    cp.cuda.Device().synchronize()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        found = a @ x, a @ b, (2 * a) @ x
        graph = stream.end_capture()
        a.data *= 3
        graph.launch(stream)
        stream.synchronize()
    for ours, theirs in zip(found, (x, b, 2 * x), strict=True):
        assert_same(ours, 3 * DENSE @ theirs.get(), rtol=1e-13)


@pytest.mark.parametrize("blocks", [(3, 4), (2, 2), (1, 1), (6, 8)])
def test_products_of_blocks(blocks):
    a = sparse.bsr_array(scipy.sparse.bsr_array(DENSE, blocksize=blocks))
    x = RNG.random((8, 3))
    for given in (x[:, 0].copy(), x, x[:, :1].copy()):
        assert_same(a @ cp.asarray(given), DENSE @ given, rtol=1e-13)
    a.data *= 2
    assert_same(a @ cp.asarray(x), 2 * DENSE @ x, rtol=1e-13)
    assert_same(a.T @ cp.ones(6), 2 * DENSE.sum(0), rtol=1e-13)
    again = pickle.loads(pickle.dumps(a))
    assert_same(again @ cp.asarray(x), 2 * DENSE @ x, rtol=1e-13)


@pytest.mark.parametrize("width", [5, 8, 11])
@pytest.mark.parametrize("offsets", [[0], [2, -1, 0], [-3, 7, 5], [9, -8], []])
def test_products_of_diagonals(offsets, width):
    host = scipy.sparse.dia_array((6, 8))
    if offsets:
        values = RNG.random((len(offsets), width))
        host = scipy.sparse.dia_array((values, offsets), shape=(6, 8))
    a, dense, x = sparse.dia_array(host), host.toarray(), RNG.random((8, 2))
    for given in (x[:, 0].copy(), x):
        assert_same(a @ cp.asarray(given), dense @ given, rtol=1e-13)
    assert_same(a.T @ cp.ones(6), dense.sum(0), rtol=1e-13)
    a.data *= 2
    assert_same(a @ cp.asarray(x), 2 * dense @ x, rtol=1e-13)


def test_many_diagonals_and_blocks():
    n = 5000
    values = RNG.random((3, n))
    host = scipy.sparse.dia_array((values, [-1, 0, 40]), shape=(n, n))
    x = RNG.random(n)
    assert_same(sparse.dia_array(host) @ cp.asarray(x), host @ x, rtol=1e-12)
    host = host.tobsr((5, 4))
    assert_same(sparse.bsr_array(host) @ cp.asarray(x), host @ x, rtol=1e-12)


NAMES_OF_METHODS = (
    "amax amin argmax argmin common_type imag iscomplexobj isrealobj max mean min ndim nonzero real "
    "result_type shape size sum transpose"
)


@pytest.mark.parametrize("name", NAMES_OF_METHODS.split())
def test_functions_of_numpy_that_call_methods(name):
    """As of SciPy's matrices, which NumPy asks for attributes and methods."""
    values = np.array(
        [[1, 0, 2j], [0, 3, 0]] if name in ("real", "imag") else [[1, 0, 2], [0, 3, 0]]
    )
    theirs = getattr(np, name)(scipy.sparse.csr_array(values))
    ours = getattr(np, name)(sparse.csr_array(cp.asarray(values)))
    for x, y in zip(*(v if type(v) is tuple else (v,) for v in (ours, theirs)), strict=True):
        if hasattr(y, "toarray"):
            x, y = x.toarray().get(), y.toarray()
        np.testing.assert_equal(x.get() if isinstance(x, cp.ndarray) else x, y)


@pytest.mark.parametrize("name", ["empty_like", "ones_like", "zeros_like"])
def test_dense_arrays_of_another_shape(name):
    """Dask asks for one of the type of its chunks."""
    make, a = getattr(np, name), sparse.eye(3, dtype="f4", format="csr")
    made, other = make(a, shape=(1, 2)), make(a, dtype="i2", shape=4)
    assert isinstance(made, cp.ndarray) and (made.shape, made.dtype) == ((1, 2), np.float32)
    assert (other.shape, other.dtype) == ((4,), np.int16)
    assert name == "empty_like" or bool((made == (name == "ones_like")).all())
    with pytest.raises(TypeError, match="does not take sparse matrices"):
        make(a)


def test_other_functions_of_numpy_are_refused():
    a = sparse.eye(3, format="csr")
    for call in (lambda: np.sort(a), lambda: np.concatenate([a, a]), lambda: np.linalg.norm(a)):
        with pytest.raises(TypeError, match="does not take sparse matrices"):
            call()
