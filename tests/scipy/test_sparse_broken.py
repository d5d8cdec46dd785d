"""Arrays that are no sparse matrix: every operation refuses them or leaves elements out, and no kernel reads or writes
out of bounds, which the emulated device would report."""

import numpy as np
import pytest
import scipy.sparse

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import csgraph, linalg

N = 6
FAR = 10**6


def parts():
    a = scipy.sparse.random_array((N, N), density=0.5, format="csr", rng=np.random.default_rng(3))
    a = (a + scipy.sparse.eye_array(N, format="csr")).tocsr()
    a.sort_indices()
    return [a.data, a.indices.astype("i4"), a.indptr.astype("i4")]


# Which array is changed (1: indices, 2: indptr), where, to what.
BROKEN = {
    "descends": (2, 2, 0),
    "far": (2, 3, FAR),
    "far_below": (2, 3, -FAR),
    "ends_late": (2, -1, FAR),
    "ends_before": (2, -1, -5),
    "begins_before": (2, 0, -1000),
    "begins_late": (2, 0, 3),
    "index_far": (1, 2, FAR),
    "index_far_below": (1, 2, -FAR),
    "index_next": (1, 2, N),
    "index_negative": (1, 2, -1),
}


def broken(name):
    found = parts()
    which, place, value = BROKEN[name]
    found[which][place] = value
    return found


# Those that wait for the device, and must say what is wrong.
WAITING = {
    "plus": lambda a, good: a + good,
    "minus": lambda a, good: good - a,
    "multiply": lambda a, good: a.multiply(good),
    "maximum": lambda a, good: a.maximum(good),
    "less": lambda a, good: a < good,
    "square": lambda a, good: a @ a,
    "right": lambda a, good: good @ a,
    "toarray": lambda a, good: a.toarray(),
    "max": lambda a, good: a.max(),
    "argmin": lambda a, good: a.argmin(1),
    "element": lambda a, good: a[2, 3],
    "rows": lambda a, good: a[[1, 4, 2]],
    "row_range": lambda a, good: a[1:4],
    "diagonal": lambda a, good: a.diagonal(),
    "store": lambda a, good: a.__setitem__((2, 3), 1.0),
    "sum_duplicates": lambda a, good: a.sum_duplicates(),
    "sort_indices": lambda a, good: a.sort_indices(),
    "eliminate_zeros": lambda a, good: a.eliminate_zeros(),
    "prune": lambda a, good: a.prune(),
    "has_sorted_indices": lambda a, good: a.has_sorted_indices,
    "check_format": lambda a, good: a.check_format(),
    "get": lambda a, good: a.get(),
    "tolil": lambda a, good: a.tolil(),
    "spsolve": lambda a, good: linalg.spsolve(a, cp.ones(N)),
    "triangular": lambda a, good: linalg.spsolve_triangular(a, cp.ones(N), unit_diagonal=True),
    "dijkstra": lambda a, good: csgraph.dijkstra(a),
    "components": lambda a, good: csgraph.connected_components(a),
    "breadth_first": lambda a, good: csgraph.breadth_first_order(a, 0),
    "spanning_tree": lambda a, good: csgraph.minimum_spanning_tree(a),
    "matching": lambda a, good: csgraph.maximum_bipartite_matching(a),
}

# Those that do not wait, or not in all cases: they may return anything.
OTHERS = {
    "vector": lambda a, good: a @ cp.ones(N),
    "from_left": lambda a, good: a.T @ cp.ones(N),
    "matrix": lambda a, good: a @ cp.ones((N, 5)),
    "wide_matrix": lambda a, good: a @ cp.ones((N, 40)),
    "matrix_from_left": lambda a, good: a.T @ cp.ones((N, 5)),
    "sums": lambda a, good: (a.sum(0), a.sum(1), a.sum(), a.mean(1)),
    "tocoo": lambda a, good: a.tocoo(),
    "other_way": lambda a, good: a.tocsc() if a.format == "csr" else a.tocsr(),
    "other_way_and_back": lambda a, good: a.T.tocsr().toarray(),
    "blocks": lambda a, good: a.tobsr((2, 2)).toarray(),
    "diagonals": lambda a, good: a.todia().toarray(),
    "stacks": lambda a, good: (sparse.vstack([a, good]).data, sparse.hstack([a, good]).toarray()),
    "kron": lambda a, good: sparse.kron(a, good).toarray(),
    "triangle": lambda a, good: sparse.tril(a).toarray(),
    "find": lambda a, good: sparse.find(a),
    "columns": lambda a, good: a[:, 2:4].toarray(),
    "reshape": lambda a, good: a.reshape((2 * N, N // 2)).toarray(),
    "dense": lambda a, good: a.multiply(cp.ones((N, N))).toarray(),
    "counts": lambda a, good: (a.count_nonzero(0), a.nonzero()),
    "laplacian": lambda a, good: csgraph.laplacian(a),
    "cg": lambda a, good: linalg.cg(a, cp.ones(N), maxiter=2),
}


def on_device(given, form):
    return getattr(sparse, form)(tuple(map(cp.asarray, given)), shape=(N, N))


@pytest.mark.parametrize("form", ["csr_array", "csc_array"])
@pytest.mark.parametrize("operation", WAITING)
@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
def test_what_waits_refuses_it(operation, form):
    for name in BROKEN:
        with pytest.raises(ValueError, match="ind"):
            WAITING[operation](on_device(broken(name), form), on_device(parts(), form))
    WAITING[operation](on_device(parts(), form), on_device(parts(), form))


@pytest.mark.parametrize("form", ["csr_array", "csc_array"])
@pytest.mark.parametrize("operation", OTHERS)
def test_nothing_is_accessed_out_of_bounds(operation, form):
    for name in BROKEN:
        try:
            OTHERS[operation](on_device(broken(name), form), on_device(parts(), form))
        except ValueError as error:
            assert "ind" in str(error)
        cp.cuda.Device().synchronize()


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("count", [9000, 200_000])
def test_products_of_many_elements_stay_within_bounds(name, count, rng):
    """Rows of different lengths, whose products follow the path of rows and elements."""
    rows = 500
    ends = np.sort(rng.integers(0, count, rows - 1) ** 2 // count)
    given = [rng.random(count), rng.integers(0, N, count), np.array([0, *ends, count])]
    which, place, value = BROKEN[name]
    given[which][100 * place if place > 0 else place] = value
    a = sparse.csr_array(tuple(map(cp.asarray, given)), shape=(rows, N))
    for x in (cp.ones(N), cp.ones((N, 3))):
        assert (a @ x).get().shape == (rows, *x.shape[1:])
    a.sum(1).get()
    with pytest.raises(ValueError, match="ind"):
        a.toarray()


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("form", ["csr_array", "csc_array"])
def test_arrays_of_the_host_are_refused_at_once(name, form):
    with pytest.raises(ValueError, match="ind"):
        getattr(sparse, form)(tuple(a.tolist() for a in broken(name)), shape=(N, N))
    theirs = getattr(scipy.sparse, form)(tuple(parts()), shape=(N, N))
    which, place, value = BROKEN[name]
    (theirs.indices, theirs.indptr)[which - 1][place] = value
    with pytest.raises(ValueError, match="ind"):
        getattr(sparse, form)(theirs)


def test_memory_behind_the_last_element_is_no_element():
    data, indices, indptr = parts()
    indptr[-1] -= 2
    given = data, indices, indptr
    expected = scipy.sparse.csr_array(given, shape=(N, N))
    for a in (on_device(given, "csr_array"), sparse.csr_array(expected)):
        np.testing.assert_array_equal(a.toarray().get(), expected.toarray())
        assert a.nnz == expected.nnz
    lists = sparse.csr_array(tuple(x.tolist() for x in given), shape=(N, N))
    assert lists.nnz == expected.nnz


@pytest.mark.parametrize("value", [N, FAR, -1, -FAR])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("operation", ["toarray", "tocsr", "tocsc", "get", "sum_duplicates", "max"])
def test_coordinates_are_refused(operation, axis, value):
    coords = [[0, 2, 1], [1, 0, 2]]
    coords[axis][1] = value
    with pytest.raises(ValueError, match="index"):
        sparse.coo_array(([1.0, 2.0, 3.0], coords), shape=(N, N))
    a = sparse.coo_array((cp.ones(3), tuple(map(cp.array, coords))), shape=(N, N))
    with pytest.raises(ValueError, match="ind"):
        getattr(a, operation)()


@pytest.mark.parametrize("name", BROKEN)
def test_blocks_are_refused(name):
    data, indices, indptr = broken(name)
    given = np.ones((data.size, 2, 3)), indices, indptr
    with pytest.raises(ValueError, match="ind"):
        sparse.bsr_array(tuple(a.tolist() for a in given), shape=(2 * N, 3 * N))
    for operation in ("get", "toarray", "tocsr", "sum_duplicates", "check_format"):
        a = sparse.bsr_array(tuple(map(cp.asarray, given)), shape=(2 * N, 3 * N))
        try:
            getattr(a, operation)()
        except ValueError as error:
            assert "ind" in str(error)
        else:
            assert operation in ("toarray", "tocsr")
    (a @ cp.ones(3 * N)).get()
    (a.T @ cp.ones(2 * N)).get()


def test_products_do_not_wait(monkeypatch):
    a = on_device(parts(), "csr_array")
    monkeypatch.setattr(type(a), "_look", None)
    a @ cp.ones(N)
    a.T @ cp.ones((N, 2))
    a.sum(0)
    assert a.copy().T.nnz == a.nnz
