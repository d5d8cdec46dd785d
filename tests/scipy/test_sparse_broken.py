"""Products that keep copies of values, and matrices whose indices or begins of rows are broken."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import _sparsetools as tools
from gpunp.scipy.sparse import csgraph, linalg


@pytest.mark.parametrize("dtype", ["i1", "f", "d", "D"])
def test_transposed_products_see_values_that_change_in_place(dtype, monkeypatch, rng):
    monkeypatch.setattr(tools, "ORDERED", (0, 1 << 30))
    theirs = scipy.sparse.random_array((70, 50), density=0.2, format="csr", rng=rng)
    theirs = (theirs * 9).astype(dtype)
    ours, x = sparse.csr_array(theirs), (rng.random(70) * 9).astype(dtype)
    expected = theirs.T @ x
    found = [(ours.T @ cp.asarray(x)).get() for _ in range(4)]
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    for other in found[1:]:
        assert other.tobytes() == found[0].tobytes()
    ours.data[5] = theirs.data[5] = 1 - theirs.data[5]
    np.testing.assert_allclose((ours.T @ cp.asarray(x)).get(), theirs.T @ x, rtol=1e-5)
    ours.data = ours.data * 1
    for _ in range(3):
        np.testing.assert_allclose((ours.T @ cp.asarray(x)).get(), theirs.T @ x, rtol=1e-5)


SIZE = 30
NUMBERS = cp.ones  # of a vector or a dense matrix
OPERATIONS = {
    "a @ x": lambda a, b: a @ NUMBERS(SIZE),
    "a.T @ x": lambda a, b: a.T @ NUMBERS(SIZE),
    "a @ X": lambda a, b: a @ NUMBERS((SIZE, 5)),
    "a @ X, wide": lambda a, b: a @ NUMBERS((SIZE, 40)),
    "a.T @ X": lambda a, b: a.T @ NUMBERS((SIZE, 5)),
    "a @ b": lambda a, b: a @ b,
    "b @ a": lambda a, b: b @ a,
    "a + b": lambda a, b: a + b,
    "b - a": lambda a, b: b - a,
    "multiply": lambda a, b: a.multiply(b),
    "greater": lambda a, b: a > b,
    "maximum": lambda a, b: a.maximum(b),
    "sum 0": lambda a, b: a.sum(0),
    "sum 1": lambda a, b: a.sum(1),
    "max 0": lambda a, b: a.max(0),
    "argmax 1": lambda a, b: a.argmax(1),
    "toarray": lambda a, b: a.toarray(),
    "tocsc": lambda a, b: a.tocsc(),
    "tocoo": lambda a, b: a.tocoo().toarray(),
    "todia": lambda a, b: a.todia(),
    "tobsr": lambda a, b: a.tobsr((2, 2)),
    "row": lambda a, b: a[3],
    "column": lambda a, b: a[:, 3],
    "slices": lambda a, b: a[2:9, 1:5],
    "rows": lambda a, b: a[cp.array([1, 5, 2])],
    "element": lambda a, b: a[2, 3],
    "diagonal": lambda a, b: a.diagonal(),
    "sum_duplicates": lambda a, b: a.sum_duplicates(),
    "sort_indices": lambda a, b: a.sort_indices(),
    "eliminate_zeros": lambda a, b: a.eliminate_zeros(),
    "nonzero": lambda a, b: a.nonzero(),
    "tril": lambda a, b: sparse.tril(a),
    "norm": lambda a, b: linalg.norm(a, 1),
    "spsolve_triangular": lambda a, b: linalg.spsolve_triangular(a, NUMBERS(SIZE)),
    "weak components": lambda a, b: csgraph.connected_components(a),
    "strong components": lambda a, b: csgraph.connected_components(a, connection="strong"),
    "dijkstra": lambda a, b: csgraph.dijkstra(abs(a), indices=0),
    "breadth first": lambda a, b: csgraph.breadth_first_order(a, 0),
    "spanning tree": lambda a, b: csgraph.minimum_spanning_tree(a),
}


def break_indices(a):
    a.indices[5], a.indices[9], a.indices[20] = 10**6, -7, SIZE


def break_ends(a):
    a.indptr[4], a.indptr[-1] = 10**8, 10**9


def break_begins(a):
    a.indptr[0], a.indptr[3] = -5, -(10**8)


def break_order(a):
    a.indptr[5:9] = a.indptr[8:4:-1].copy()
    a.indptr[-1] = 2


@pytest.mark.parametrize("damage", [break_indices, break_ends, break_begins, break_order])
@pytest.mark.parametrize("name", OPERATIONS)
def test_broken_matrices_make_no_device_fault(name, damage):
    theirs = scipy.sparse.random_array(
        (SIZE, SIZE), density=0.25, format="csr", rng=np.random.default_rng(3)
    )
    theirs = (theirs + scipy.sparse.eye_array(SIZE)).tocsr()
    a, b = sparse.csr_array(theirs), sparse.csr_array(theirs * 2)
    a.indptr, a.indices = a.indptr.copy(), a.indices.copy()
    damage(a)
    try:
        OPERATIONS[name](a, b)
    except (ValueError, IndexError) as error:
        assert str(error)
    cp.cuda.Device().synchronize()  # where a fault would be raised


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (break_indices, "indices must be"),
        (break_ends, "last value of index pointer"),
        (break_begins, "index pointer should start with 0"),
    ],
)
def test_sums_of_broken_matrices_say_what_is_wrong(damage, words):
    theirs = scipy.sparse.random_array((SIZE, SIZE), density=0.25, format="csr", rng=3)
    a = sparse.csr_array(theirs)
    b = a.copy()
    damage(a)
    with pytest.raises(ValueError, match=words):
        a + b
