"""Searches, shortest paths, trees and matchings of gpunp.scipy.sparse.csgraph beside SciPy's."""

import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
from check import assert_same

import gpunp as cp
from gpunp.scipy import sparse
from gpunp.scipy.sparse import csgraph

THEIRS = scipy.sparse.csgraph


def coo(weights, rows, columns, n):
    return scipy.sparse.coo_array((weights, (rows, columns)), (n, n)).tocsr()


def random_graph(n, edges, seed=0, digits=3):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, edges))
    return coo(rng.random(edges).round(digits), *ends, n)


def chain(n, weight=1.0):
    at = np.random.default_rng(5).permutation(n)
    return coo(np.full(n - 1, weight), at[:-1], at[1:], n)


def wheel(n):
    """A node with edges to all others, which form a path."""
    at = np.arange(n)
    return coo(np.r_[np.full(n, 9.0), np.ones(n - 1)], np.r_[at * 0, at[:-1]], np.r_[at, at[1:]], n)


GRAPHS = {
    "sparse": random_graph(45, 80),
    "ties": random_graph(30, 120, 1, 1),
    "zeros": random_graph(30, 80, 2, 0),
    "chain": chain(40),
    "wheel": wheel(40),
    "one": coo([2.0], [0], [0], 1),
    "isolated": scipy.sparse.csr_array((4, 4)),
    "empty": scipy.sparse.csr_array((0, 0)),
    "tiny": coo([1e30, 1.0, 1.0], [0, 1, 2], [1, 2, 1], 3),
    "duplicates": scipy.sparse.csr_array(([4.0, 2, 5], [1, 1, 2], [0, 2, 3, 3]), shape=(3, 3)),
}
METHODS = ["dijkstra", "bellman_ford", "johnson", "floyd_warshall", "shortest_path"]


def weights_of(host, directed, unweighted):
    """A dense matrix of weights on the host, infinity where there is no edge."""
    made = np.full(host.shape, np.inf)
    pairs = host.tocoo()
    np.minimum.at(made, (pairs.row, pairs.col), 1.0 if unweighted else pairs.data)
    return made if directed else np.minimum(made, made.T)


def check_parents(weights, distances, parents, sources):
    """Predecessors are on shortest paths, and lead back to where these begin."""
    assert parents.dtype == np.int32 and parents.shape == distances.shape
    n = weights.shape[0]
    reached = np.isfinite(distances)
    reached[np.arange(len(sources)), sources] = False
    assert ((parents >= 0) == reached).all() and (parents[~reached] == -9999).all()
    row, node = reached.nonzero()
    before = parents[row, node]
    np.testing.assert_allclose(
        distances[row, before] + weights[before, node], distances[row, node], rtol=1e-12, atol=1e-13
    )
    back = np.where(parents < 0, np.arange(n), parents)
    for _ in range(n.bit_length()):
        back = np.take_along_axis(back, back, 1)
    assert (back[reached] == np.broadcast_to(np.array(sources)[:, None], back.shape)[reached]).all()


@pytest.mark.parametrize("unweighted", [False, True])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", GRAPHS)
def test_all_pairs(name, directed, unweighted):
    host = GRAPHS[name]
    n = host.shape[0]
    ours = sparse.csr_array(host)
    expected = THEIRS.dijkstra(host, directed, unweighted=unweighted)
    weights = weights_of(host, directed, unweighted)
    for method in METHODS:
        options = {"directed": directed, "unweighted": unweighted}
        found, parents = getattr(csgraph, method)(ours, return_predecessors=True, **options)
        if name == "sparse":
            assert_same(getattr(csgraph, method)(ours, **options), found.get())
        assert_same(found, expected, rtol=0 if method in METHODS[:2] else 1e-13)
        if n:
            check_parents(weights, expected, parents.get(), range(n))


NEGATIVE = coo([4.0, -2, 3, 1, -1, 2], [0, 0, 1, 2, 3, 3], [1, 2, 3, 1, 2, 4], 5)


@pytest.mark.parametrize("method", ["bellman_ford", "johnson", "floyd_warshall", "shortest_path"])
def test_negative_weights(method):
    theirs = getattr(THEIRS, method)(NEGATIVE)
    found, parents = getattr(csgraph, method)(sparse.csr_array(NEGATIVE), return_predecessors=True)
    assert_same(found, theirs, rtol=1e-14, zero_sign=False)
    check_parents(weights_of(NEGATIVE, True, False), theirs, parents.get(), range(5))


@pytest.mark.parametrize("method", ["bellman_ford", "johnson", "floyd_warshall", "shortest_path"])
def test_negative_cycles(method):
    cycle = sparse.csr_array(cp.asarray([[0, -1.0, 0], [0, 0, -2], [2.5, 0, 0]]))
    for graph, directed in ((cycle, True), (sparse.csr_array(NEGATIVE), False)):
        with pytest.raises(THEIRS.NegativeCycleError):
            getattr(csgraph, method)(graph, directed=directed)


def test_a_cycle_that_only_rounding_makes_negative():
    host = coo([0.1, 0.2, -0.3], [0, 1, 2], [1, 2, 0], 3)
    theirs = THEIRS.bellman_ford(host)
    for method in ("bellman_ford", "johnson", "floyd_warshall"):
        found = getattr(csgraph, method)(sparse.csr_array(host))
        assert_same(found, theirs, rtol=1e-14, atol=1e-15)


def test_dijkstra_warns_of_negative_weights():
    with pytest.warns(UserWarning, match="negative weights"):
        found = csgraph.dijkstra(sparse.csr_array(NEGATIVE), return_predecessors=True)
    assert_same(found[0], THEIRS.bellman_ford(NEGATIVE))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        csgraph.dijkstra(sparse.csr_array(NEGATIVE), unweighted=True)
    cycle = sparse.csr_array(coo([-1.0, 0.5], [0, 1], [1, 0], 2))
    with pytest.warns(UserWarning, match="negative weights"):
        csgraph.dijkstra(cycle)  # ends


@pytest.mark.parametrize("indices", [3, -1, 1.7, [2, 0, 2], [[2, 0], [1, 5]], [], [True, False]])
@pytest.mark.parametrize("method", ["dijkstra", "bellman_ford", "johnson", "shortest_path"])
def test_indices(method, indices):
    host = GRAPHS["sparse"]
    theirs = getattr(THEIRS, method)(host, indices=indices)
    ours = sparse.csr_array(host)
    assert_same(getattr(csgraph, method)(ours, indices=indices), theirs, rtol=1e-13)
    on_device = cp.asarray(indices)
    found, parents = getattr(csgraph, method)(ours, indices=on_device, return_predecessors=True)
    assert_same(found, theirs, rtol=1e-13)
    assert parents.shape == theirs.shape


@pytest.mark.parametrize("limit", [0, 0.25, 1.0, np.inf, np.nan])
def test_limit(limit):
    host = GRAPHS["sparse"]
    ours = sparse.csr_array(host)
    theirs, their_parents = THEIRS.dijkstra(host, limit=limit, return_predecessors=True)
    found, parents = csgraph.dijkstra(ours, limit=limit, return_predecessors=True)
    assert_same(found, theirs)
    assert ((parents.get() >= 0) == (their_parents >= 0)).all()


@pytest.mark.parametrize("indices", [[0, 2, 40], 1, None])
@pytest.mark.parametrize("limit", [np.inf, 0.5])
def test_nearest_beginning(indices, limit):
    host = GRAPHS["sparse"]
    ours = sparse.csr_array(host)
    options = {"indices": indices, "limit": limit, "min_only": True}
    theirs = THEIRS.dijkstra(host, return_predecessors=True, **options)
    found = csgraph.dijkstra(ours, return_predecessors=True, **options)
    for ours_part, their_part in zip(found, theirs, strict=True):
        assert_same(ours_part, their_part)  # no two paths of this graph have one length
    assert_same(csgraph.dijkstra(ours, **options), theirs[0])


def test_weights_that_are_no_numbers():
    host = scipy.sparse.csr_array(([np.nan, 1.0, np.inf], [1, 2, 0], [0, 1, 2, 3]), shape=(3, 3))
    for method in METHODS:
        theirs = getattr(THEIRS, method)(host, return_predecessors=True)
        found = getattr(csgraph, method)(sparse.csr_array(host), return_predecessors=True)
        assert_same(found[0], theirs[0]), assert_same(found[1], theirs[1])


@pytest.mark.parametrize("n", [63, 65, 130])
def test_tiles_of_all_pairs(n):
    host = random_graph(n, 6 * n, n)
    found, parents = csgraph.floyd_warshall(sparse.csr_array(host), return_predecessors=True)
    theirs = THEIRS.floyd_warshall(host)
    assert_same(found, theirs, rtol=1e-13)
    check_parents(weights_of(host, True, False), theirs, parents.get(), range(n))


def test_all_pairs_of_a_dense_graph(rng):
    host = np.where(rng.random((20, 20)) < 0.2, rng.random((20, 20)), 0)
    host[0, 1], host[1, 2], host[3, 3] = np.nan, -np.inf, -4
    for method in METHODS[1:]:
        if method != "floyd_warshall":  # the others see the negative loop
            host[3, 3] = 0
        for directed in (True, False):
            theirs = getattr(THEIRS, method)(host, directed=directed)
            found = getattr(csgraph, method)(cp.asarray(host), directed=directed)
            assert_same(found, theirs, rtol=1e-13)
    ours = cp.asarray(host)
    found = csgraph.shortest_path(ours, "FW", overwrite=True)
    assert_same(ours, found.get())


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("form", ["csr_array", "csc_array", "coo_array", "csr_matrix"])
@pytest.mark.parametrize("name", ["sparse", "ties", "chain", "wheel", "one", "duplicates"])
def test_breadth_first(name, form, directed):
    host = getattr(scipy.sparse, form)(GRAPHS[name])
    ours = getattr(sparse, form)(host)
    for start in {0, host.shape[0] // 2}:
        theirs = THEIRS.breadth_first_order(host, start, directed)
        found = csgraph.breadth_first_order(ours, start, directed)
        assert_same(found[0], theirs[0]), assert_same(found[1], theirs[1])
        found = csgraph.breadth_first_order(ours, start, directed, False)
        assert_same(found, theirs[0])


def test_breadth_first_of_wide_levels():
    n = 2200
    rng = np.random.default_rng(7)
    fan = np.arange(1, 1100)
    rows = np.r_[np.zeros(fan.size, int), rng.integers(1, 1100, 3000), rng.integers(0, n, 300)]
    columns = np.r_[rng.permutation(fan), rng.integers(0, n, 3300)]
    host = coo(np.ones(rows.size), rows, columns, n)
    for directed in (True, False):
        theirs = THEIRS.breadth_first_order(host, 0, directed)
        found = csgraph.breadth_first_order(sparse.csr_array(host), 0, directed)
        assert_same(found[0], theirs[0]), assert_same(found[1], theirs[1])


@pytest.mark.parametrize("name", ["sparse", "wheel", "one"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("form", ["csr_array", "csr_matrix", "csc_array", "dense"])
def test_depth_first_and_trees(name, form, directed):
    host = GRAPHS[name].toarray() if form == "dense" else getattr(scipy.sparse, form)(GRAPHS[name])
    ours = cp.asarray(host) if form == "dense" else getattr(sparse, form)(host)
    theirs = THEIRS.depth_first_order(host, 0, directed)
    found = csgraph.depth_first_order(ours, 0, directed)
    assert_same(found[0], theirs[0]), assert_same(found[1], theirs[1])
    for tree in ("breadth_first_tree", "depth_first_tree"):
        same_matrix(
            getattr(csgraph, tree)(ours, 0, directed), getattr(THEIRS, tree)(host, 0, directed)
        )


def same_matrix(found, theirs):
    assert type(found).__name__ == type(theirs).__name__
    theirs.sort_indices()  # those of trees are in any order
    for part in ("indptr", "indices", "data"):
        assert_same(getattr(found, part), getattr(theirs, part))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "dense"])
def test_paths_from_predecessors(form, directed):
    full = np.array([[0, 3, 0, 0], [2, 0, 0, 7], [0, 4, 0, 0], [1, 0, 0, 0.0]])
    host = full if form == "dense" else getattr(scipy.sparse, form)(full)
    ours = cp.asarray(host) if form == "dense" else getattr(sparse, form)(host)
    for parents in ([-9999, 0, 1, 1], [3, 0, -9999]):
        before = np.array(parents, "i4")
        theirs = THEIRS.reconstruct_path(host, before, directed)
        same_matrix(csgraph.reconstruct_path(ours, cp.asarray(before), directed), theirs)
    before = THEIRS.shortest_path(full, directed=directed, return_predecessors=True)[1]
    for null in (np.inf, -1, np.nan):
        theirs = THEIRS.construct_dist_matrix(host, before, directed, null)
        found = csgraph.construct_dist_matrix(ours, cp.asarray(before), directed, null)
        assert_same(found, theirs)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("form", ["csr_array", "csr_matrix", "coo_array", "dense"])
def test_spanning_tree(name, form):
    host = GRAPHS[name]
    if name == "duplicates" and form != "csr_array":
        host = host.tocoo().tocsr()
    host = host.toarray() if form == "dense" else getattr(scipy.sparse, form)(host)
    ours = cp.asarray(host) if form == "dense" else getattr(sparse, form)(host)
    theirs = THEIRS.minimum_spanning_tree(host)
    found = csgraph.minimum_spanning_tree(ours)
    assert type(found).__name__ == type(theirs).__name__ and found.dtype == theirs.dtype
    assert found.nnz == theirs.nnz
    np.testing.assert_allclose(float(found.sum()), theirs.sum(), rtol=1e-13)
    if name in ("sparse", "wheel"):
        parts = THEIRS.connected_components(host, False)[0]
        kept = found.tocoo()
        assert_same(kept.data, GRAPHS[name].toarray()[kept.row.get(), kept.col.get()])
        assert csgraph.connected_components(found)[0] == parts


def test_spanning_tree_of_odd_weights():
    host = scipy.sparse.csr_array(
        ([np.nan, 1.0, 2, -3, np.inf, -0.0], [1, 2, 2, 4, 5, 3], [0, 2, 3, 4, 5, 6, 6]),
        shape=(6, 6),
    )
    same_matrix(
        csgraph.minimum_spanning_tree(sparse.csr_array(host)), THEIRS.minimum_spanning_tree(host)
    )


def test_masked_graphs():
    weights = np.array([[0, 1, 2.0], [0, np.inf, 0], [np.nan, 0, 0]])
    for masked in (
        np.ma.masked_invalid(weights),
        np.ma.masked_equal(np.array([[0, 1], [2, 0]]), 1),
    ):
        same_matrix(csgraph.csgraph_from_masked(masked), THEIRS.csgraph_from_masked(masked))


HOST = scipy.sparse.csr_array(
    np.array([[0, 1, 2, 0], [0, 0, 0, 1], [2, 0, 0, 3], [0, 5, 0, 0]], "i4")
)
CALLS = [
    lambda m, a: m.maximum_bipartite_matching(a),
    lambda m, a: m.maximum_bipartite_matching(a.tocsc(), "column"),
    lambda m, a: m.min_weight_full_bipartite_matching(a),
    lambda m, a: m.min_weight_full_bipartite_matching(a[:2], maximize=True),
    lambda m, a: m.reverse_cuthill_mckee(a),
    lambda m, a: m.reverse_cuthill_mckee(a.tocsc(), True),
    lambda m, a: m.yen(a, 0, 3, 3, return_predecessors=True),
    lambda m, a: m.yen(a.toarray(), 0, 3, 3, directed=False, unweighted=True),
    lambda m, a: (m.maximum_flow(a, 0, 3).flow.toarray(),),
]


@pytest.mark.parametrize("call", CALLS)
def test_problems_solved_on_the_host(call):
    found, theirs = call(csgraph, sparse.csr_array(HOST)), call(THEIRS, HOST)
    if not isinstance(theirs, tuple):
        found, theirs = (found,), (theirs,)
    for ours_part, their_part in zip(found, theirs, strict=True):
        assert_same(ours_part, their_part)


def test_flow_and_rank():
    ours = sparse.csr_matrix(HOST)
    flow = csgraph.maximum_flow(ours, 0, 3, method="edmonds_karp")
    assert flow.flow_value == 3 and repr(flow) == "MaximumFlowResult with value of 3"
    assert type(flow.flow) is sparse.csr_matrix
    assert csgraph.structural_rank(ours) == THEIRS.structural_rank(HOST)


def test_graphs_of_the_host_are_refused_by_name():
    for host in (HOST, HOST.toarray()):
        with pytest.raises(TypeError, match="to the device"):
            csgraph.dijkstra(host)


A = np.array([[0, 1.0], [1, 0]])
ERRORS = [
    lambda m, xp, s, a: m.shortest_path(a, "fw"),
    lambda m, xp, s, a: m.shortest_path(a, "FW", indices=0),
    lambda m, xp, s, a: m.dijkstra(s.csr_array((2, 3))),
    lambda m, xp, s, a: m.dijkstra(a[0]),
    lambda m, xp, s, a: m.dijkstra(a, indices=2),
    lambda m, xp, s, a: m.dijkstra(a, indices=[-3]),
    lambda m, xp, s, a: m.dijkstra(a, indices="a"),
    lambda m, xp, s, a: m.dijkstra(a, limit=-1),
    lambda m, xp, s, a: m.bellman_ford(a[:1]),
    lambda m, xp, s, a: m.floyd_warshall(a[:1]),
    lambda m, xp, s, a: m.floyd_warshall(s.coo_array(a)),
    lambda m, xp, s, a: m.breadth_first_order(a, -1),
    lambda m, xp, s, a: m.breadth_first_order(a, "a"),
    lambda m, xp, s, a: m.depth_first_order(a, -1),
    lambda m, xp, s, a: m.depth_first_order(a, None),
    lambda m, xp, s, a: m.reconstruct_path(a, xp.zeros((2, 2), "i4")),
    lambda m, xp, s, a: m.construct_dist_matrix(a, xp.zeros((2, 2), "i8")),
    lambda m, xp, s, a: m.construct_dist_matrix(a, xp.zeros((2, 1), "i4")),
    lambda m, xp, s, a: m.construct_dist_matrix(a, [[0, 1], [1, 0]]),
    lambda m, xp, s, a: m.minimum_spanning_tree(a[:1]),
    lambda m, xp, s, a: m.maximum_flow(s.csr_array(a), 0, 1),
    lambda m, xp, s, a: m.maximum_flow(s.csc_array(a), 0, 1),
    lambda m, xp, s, a: m.maximum_bipartite_matching(a),
    lambda m, xp, s, a: m.reverse_cuthill_mckee(s.coo_array(a)),
    lambda m, xp, s, a: m.structural_rank(a),
    lambda m, xp, s, a: m.yen(a, 0, 5, 1),
    lambda m, xp, s, a: m.csgraph_from_masked(np.ma.masked_equal(A[:1], 0)),
]  # fmt: skip


@pytest.mark.parametrize("call", ERRORS)
def test_errors_of_searches(call):
    found = []
    for module, xp, s, a in ((csgraph, cp, sparse, cp.asarray(A)), (THEIRS, np, scipy.sparse, A)):
        with pytest.raises(Exception) as raised:
            call(module, xp, s, a)
        found.append(raised.type)
    assert found[0] is found[1]


@pytest.mark.parametrize("parents", [[1, 2], [0, 2], [-9999, 2**31 - 1]])
def test_predecessors_that_are_no_nodes(parents):
    graph = np.ones((2, 2))
    with pytest.raises(IndexError):
        scipy.sparse.csgraph.reconstruct_path(graph, np.array(parents))
    with pytest.raises(IndexError, match="not below the number of nodes, 2"):
        cp.scipy.sparse.csgraph.reconstruct_path(cp.asarray(graph), cp.array(parents))
