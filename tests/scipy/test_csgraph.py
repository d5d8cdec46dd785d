"""gpunp.scipy.sparse.csgraph beside scipy.sparse.csgraph."""

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
from check import assert_same

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import csgraph

THEIRS = scipy.sparse.csgraph
FORMATS = ["csr_array", "csc_array", "coo_array", "csr_matrix", "lil_array"]


def by_first_node(labels):
    """The same components, numbered by their first node."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(labels.dtype)


def random_graph(n, edges, seed=0):
    rng = np.random.default_rng(seed)
    return scipy.sparse.coo_array(
        (rng.random(edges) - 0.3, (rng.integers(0, n, edges), rng.integers(0, n, edges))), (n, n)
    ).tocsr()


def path(n, backwards=False, closed=False):
    at = np.arange(n - 1 + closed)
    pair = (at, (at + 1) % n)
    made = scipy.sparse.coo_array((np.ones(at.size), pair[::-1] if backwards else pair), (n, n))
    return made.tocsr()


def ladder(n):
    """Cycles of two nodes in a chain, in a random order of nodes."""
    at = np.arange(0, n, 2)
    rows = np.r_[at, at + 1, at[1:]]
    columns = np.r_[at + 1, at, at[:-1]]
    order = np.random.default_rng(3).permutation(n)
    return scipy.sparse.coo_array((np.ones(rows.size), (order[rows], order[columns])), (n, n))


GRAPHS = {
    "sparse": random_graph(300, 200),
    "middle": random_graph(300, 400, 1),
    "dense": random_graph(100, 2000, 2),
    "one node": random_graph(1, 1),
    "isolated": scipy.sparse.csr_array((5, 5)),
    "empty": scipy.sparse.csr_array((0, 0)),
    "path": path(2000),
    "path back": path(2000, True),
    "cycle": path(777, closed=True),
    "ladder": ladder(600),
    "star": scipy.sparse.coo_array((np.ones(4999), (np.full(4999, 7), np.arange(4999))), (5001, 5001)),
    "loops": scipy.sparse.eye_array(40),
    "zeros": scipy.sparse.csr_array((np.zeros(3), np.array([1, 2, 0]), np.array([0, 1, 2, 3, 3])), (4, 4)),
    "duplicates": scipy.sparse.csr_array((np.ones(4), np.array([1, 1, 2, 2]), np.array([0, 2, 4, 4])), (3, 3)),
}  # fmt: skip


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("connection", ["weak", "Strong"])
@pytest.mark.parametrize("name", GRAPHS)
def test_components(name, connection, directed):
    host = GRAPHS[name].tocsr()
    ours = sparse.csr_array(host)
    host.sum_duplicates()  # SciPy's strong components of duplicates do not end
    theirs = THEIRS.connected_components(host, directed, connection)
    n, labels = csgraph.connected_components(ours, directed, connection)
    assert type(n) is int and n == theirs[0]
    assert_same(labels, by_first_node(theirs[1]))
    n = csgraph.connected_components(ours, directed, connection, False)
    assert n == theirs[0]


@pytest.mark.parametrize("form", FORMATS)
def test_formats_of_graphs(form):
    host = getattr(scipy.sparse, form)(GRAPHS["sparse"])
    ours = getattr(sparse, form)(host)
    for connection in ("weak", "strong"):
        theirs = THEIRS.connected_components(host.tocsr(), connection=connection)
        found = csgraph.connected_components(ours, connection=connection)
        assert_same(found[1], by_first_node(theirs[1]))
        assert found[0] == theirs[0]


def test_indices_of_64_bits():
    host = GRAPHS["middle"]
    ours = sparse.csr_array(host)
    ours.indices, ours.indptr = ours.indices.astype("i8"), ours.indptr.astype("i8")
    for connection in ("weak", "strong"):
        theirs = THEIRS.connected_components(host, connection=connection)
        assert_same(
            csgraph.connected_components(ours, connection=connection)[1], by_first_node(theirs[1])
        )


WEIGHTS = np.array([[0, 1, 2.5, 0], [0, -1, np.inf, 0], [np.nan, 3, 0, 0], [0, 0, -np.inf, 1]])


@pytest.mark.parametrize("null", [0, 1, None, np.nan, np.inf])
@pytest.mark.parametrize(
    ("nan", "infinity"), [(True, True), (False, True), (True, False), (False, False)]
)
def test_dense_graphs(null, nan, infinity):
    theirs = THEIRS.csgraph_from_dense(WEIGHTS, null, nan, infinity)
    ours = csgraph.csgraph_from_dense(cp.asarray(WEIGHTS), null, nan, infinity)
    assert type(ours).__name__ == type(theirs).__name__
    for part in ("data", "indices", "indptr"):
        assert_same(getattr(ours, part), getattr(theirs, part))
    for back in (0, 7, np.inf, np.nan):
        assert_same(csgraph.csgraph_to_dense(ours, back), THEIRS.csgraph_to_dense(theirs, back))


@pytest.mark.parametrize("edges", [60_000, 140_000, 600_000], ids="{} edges".format)
def test_components_of_graphs_that_are_sampled(edges):
    """From 2**17 nodes on a sample is linked first: many, some and few components."""
    host = random_graph(140_000, edges)
    theirs = THEIRS.connected_components(host, connection="weak")
    found = csgraph.connected_components(sparse.csr_array(host), connection="weak")
    assert found[0] == theirs[0]
    assert np.array_equal(found[1].get(), by_first_node(theirs[1]))


def test_dense_graphs_have_components():
    theirs = THEIRS.connected_components(WEIGHTS, connection="strong")
    found = csgraph.connected_components(cp.asarray(WEIGHTS), connection="strong")
    assert_same(found[1], by_first_node(theirs[1]))
    assert csgraph.connected_components([[0, 1], [0, 0]])[0] == 1


@pytest.mark.parametrize("form", ["csr_array", "csc_matrix", "lil_array"])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_to_dense(form, dtype):
    host = getattr(scipy.sparse, form)((GRAPHS["dense"] * 9).astype(dtype))
    ours = getattr(sparse, form)(host)
    assert_same(csgraph.csgraph_to_dense(ours, 4), THEIRS.csgraph_to_dense(host, 4))


def test_least_duplicate_counts():
    host = scipy.sparse.csr_array(([3.0, 1, 0, -2], [1, 1, 2, 2], [0, 2, 3, 4]), shape=(3, 3))
    for null in (0, 7, np.inf):
        ours = csgraph.csgraph_to_dense(sparse.csr_array(host), null)
        assert_same(ours, THEIRS.csgraph_to_dense(host, null))


@pytest.mark.parametrize(
    "call",
    [
        lambda m, xp, a: m.csgraph_from_dense(a[:2]),
        lambda m, xp, a: m.csgraph_from_dense(a[0]),
        lambda m, xp, a: m.csgraph_to_dense(a),
        lambda m, xp, a: m.csgraph_to_dense(xp.csr_array(a[:2])),
        lambda m, xp, a: m.csgraph_to_dense(xp.coo_array(a)),
        lambda m, xp, a: m.connected_components(a[:2]),
        lambda m, xp, a: m.connected_components(xp.csr_array(a[:2])),
        lambda m, xp, a: m.connected_components(a, connection="firm"),
        lambda m, xp, a: m.laplacian(a[:2]),
        lambda m, xp, a: m.laplacian(a[0]),
        lambda m, xp, a: m.laplacian(a[:0, :0], form="matrix"),
        lambda m, xp, a: m.laplacian(xp.csr_array(a[:2])),
    ],
)
def test_errors(call):
    for module, xp, a in ((csgraph, sparse, cp.asarray(WEIGHTS)), (THEIRS, scipy.sparse, WEIGHTS)):
        try:
            call(module, xp, a)
            found = None
        except Exception as error:
            found = type(error)
        if module is csgraph:
            expected = found
    assert expected is found is not None


def test_connection_is_a_name():
    """SciPy has an AttributeError of its own code."""
    with pytest.raises(TypeError, match="connection must be a str, not int"):
        csgraph.connected_components(cp.asarray(WEIGHTS), connection=3)


LAPLACIAN = np.array([[0, 1, 2, 0], [1, 5, 0, 0], [2, 4, 0, 0], [0, 0, 0, 0]])
OPTIONS = [
    {},
    {"normed": True},
    {"use_out_degree": True},
    {"normed": True, "use_out_degree": True},
    {"symmetrized": True},
    {"normed": True, "symmetrized": True, "dtype": "f4"},
    {"dtype": "f8"},
]


def dense(a):
    """The elements on the host, of arrays and matrices of both libraries."""
    a = a.toarray() if hasattr(a, "toarray") else a
    return a.get() if isinstance(a, cp.ndarray) else a


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "f8", "D"])
@pytest.mark.parametrize("form", [None, "csr_array", "csc_matrix", "coo_array", "dia_array"])
def test_laplacian(form, dtype, options):
    if dtype == "D" and "dtype" in options:
        pytest.skip("SciPy warns that it drops imaginary parts; the two cannot be compared")
    host = LAPLACIAN.astype(dtype)
    if form is not None:
        host = getattr(scipy.sparse, form)(host)
    ours = cp.asarray(host) if form is None else getattr(sparse, form)(host)
    theirs, their_diagonal = THEIRS.laplacian(host.copy(), return_diag=True, **options)
    found, diagonal = csgraph.laplacian(ours, return_diag=True, **options)
    if form is not None:
        assert type(found).__name__ == type(theirs).__name__
        assert_same(dense(csgraph.laplacian(ours, **options)), dense(found))
    assert_same(dense(found), dense(theirs), rtol=1e-6, zero_sign=False, order=False)
    assert_same(diagonal, np.asarray(their_diagonal), rtol=1e-6)
    assert_same(dense(ours), dense(host), order=False)


@pytest.mark.parametrize("normed", [True, False])
@pytest.mark.parametrize("form", [None, "csr_array"])
def test_laplacian_as_operator(form, normed, rng):
    host = LAPLACIAN.astype("f8")
    x = rng.random((4, 3))
    if form is not None:
        host = getattr(scipy.sparse, form)(host)
    ours = cp.asarray(host) if form is None else getattr(sparse, form)(host)
    theirs = THEIRS.laplacian(host, normed, form="lo") @ x
    operator = csgraph.laplacian(ours, normed, form="lo")
    assert operator.shape == (4, 4) and operator.dtype == np.float64
    for found in (
        operator @ cp.asarray(x),
        csgraph.laplacian(ours, normed, form="function")(cp.asarray(x)),
    ):
        assert_same(found, theirs, rtol=1e-12, atol=1e-13, order=False)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("dtype,order", [("i8", "C"), ("f4", "F"), ("D", "F")])
def test_laplacian_in_the_memory_of_the_graph(dtype, order, options):
    if dtype == "D" and "dtype" in options:
        pytest.skip("SciPy warns that it drops imaginary parts; the two cannot be compared")
    host = np.array(LAPLACIAN.astype(dtype), order=order)
    ours = cp.array(host, order=order)
    theirs = THEIRS.laplacian(host, copy=False, **options)
    found = csgraph.laplacian(ours, copy=False, **options)
    assert_same(dense(found), dense(theirs), rtol=1e-6, zero_sign=False, order=False)
    assert_same(dense(ours), host, rtol=1e-6, zero_sign=False)


def test_laplacian_of_nothing():
    assert csgraph.laplacian(sparse.csr_array((0, 0))).shape == (0, 0)
    assert csgraph.laplacian(cp.zeros((0, 0))).shape == (0, 0)
    with pytest.raises(TypeError):
        csgraph.laplacian(cp.zeros((2, 2), bool))
