"""Lengths of shortest paths."""

from typing import Any

import numpy as np
from scipy.sparse.csgraph import NegativeCycleError

from ...._core import umath
from ...._core._convert import as_array, as_host
from ...._core._docstrings import documented_as
from ...._core._sparse import graph_pairs, graph_relax, graph_settle, graph_strict, graph_tight
from ...._core._warnings import warn
from ...._core.multiarray import arange, asarray, empty, ndarray, where, zeros
from ...._core.numeric import full
from .._base import issparse
from ._tools import csgraph_to_dense, dense_weights
from ._validation import Edges, as_edges

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "shortest_path",
]

DONE = np.iinfo(np.int64).max  # nothing is left to relax
MISSING = np.iinfo(np.int32).max  # no predecessor was found
NO_NODE = -9999  # SciPy's number for it
MOST_LAUNCHES = 64  # between two reads of whether something is left
TOLERANCE = 1e-15  # by which a cycle must shorten paths to count as negative


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    """Compute the lengths of shortest paths by the method that suits the graph.

    Waits for the device, as the methods do.

    Parameters
    ----------
    csgraph : sparse matrix or ndarray
        Square matrix of the weights of edges.
    method : {'auto', 'FW', 'D', 'BF', 'J'}, optional
        Method of Floyd and Warshall, Dijkstra, Bellman and Ford, or Johnson. By default the first
        one for graphs with many edges, the last one for negative weights, Dijkstra's otherwise.
    directed : bool, optional
        If False, edges lead both ways.
    return_predecessors : bool, optional
        If True, the predecessors of nodes on the paths are returned too.
    unweighted : bool, optional
        If True, every edge has length one.
    overwrite : bool, optional
        If True and the method is 'FW', distances are written to a dense float64 graph too.
    indices : int or array_like of ints, optional
        Nodes where paths begin, by default all of them. Not for the method 'FW'.

    Returns
    -------
    dist_matrix : ndarray
        Distance from each beginning to each node, infinity where there is no path.
    predecessors : ndarray
        Node before each node on the path, int32, -9999 where there is none. Only if
        `return_predecessors` is True.

    Raises
    ------
    ValueError
        If the graph is not square, the method unknown, or an index out of range.
    NegativeCycleError
        If a cycle of negative length makes paths infinitely short.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.shortest_path([[0, 2, 0], [0, 0, 1], [0, 0, 0]], indices=0)
    array([0., 2., 3.])
    """
    if method not in ("auto", "FW", "D", "BF", "J"):
        raise ValueError(f"unrecognized method {method!r}")
    graph = csgraph if issparse(csgraph) else as_array(csgraph)
    if method == "auto":
        method = _suitable(graph, indices)
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(graph, directed, return_predecessors, unweighted, overwrite)
    function = {"D": dijkstra, "BF": bellman_ford, "J": johnson}[method]
    return function(graph, directed, indices, return_predecessors, unweighted)


def _suitable(graph: Any, indices: Any) -> str:
    if issparse(graph):
        many = graph.format in ("csr", "csc", "lil") and 8 * graph.nnz >= graph.shape[0] ** 2
        weights = graph.tocsr().data
    else:
        many, weights = True, graph
    if many and indices is None:
        return "FW"
    return "J" if _any_negative(weights) else "D"


def _any_negative(weights: ndarray | None) -> bool:
    return weights is not None and bool((weights.real < 0).any())


@documented_as(shortest_path)
def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """Compute the lengths of shortest paths in a graph without negative weights.

    Edges of all nodes that changed are relaxed at once, the nearest nodes first. The function waits
    for the device after every few rounds, and for whether a weight is negative.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges. Stored zeros of a sparse matrix are edges.
    indices : int or array_like of ints, optional
        Nodes where paths begin, by default all of them.
    limit : float, optional
        Length above which paths are not followed: their nodes count as not connected.
    min_only : bool, optional
        If True, only the distance from the nearest beginning is computed for each node.

    Returns
    -------
    dist_matrix : ndarray
        Distance from each beginning to each node, infinity where there is no path.
    predecessors : ndarray
        Node before each node on the path, int32, -9999 where there is none. Only if
        `return_predecessors` is True.
    sources : ndarray
        Beginning that is nearest to each node, -9999 where none is connected. Only if
        `return_predecessors` and `min_only` are True.

    Raises
    ------
    ValueError
        If the graph is not square, an index out of range, or `limit` negative.

    Warns
    -----
    UserWarning
        If a weight is negative: cycles of negative length are not found.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.dijkstra([[0, 2, 0], [0, 0, 1], [0, 0, 0]], indices=0, limit=2)
    array([ 0.,  2., inf])
    """
    limit = float(limit)
    if limit < 0:
        raise ValueError("limit must be >= 0")
    edges = as_edges(csgraph, directed, unweighted)
    shape, sources = _sources(indices, edges.nodes)
    negative = _any_negative(edges.weights)
    if negative:
        warn(
            "the graph has negative weights: distances are wrong where a cycle is negative; "
            "bellman_ford and johnson find such cycles",
            UserWarning,
        )
    keys = _started(sources, edges.nodes, min_only)
    changed = _marked(sources, keys, min_only)
    _relax(edges, keys, changed, limit, negative)
    shape = (edges.nodes,) if min_only else (*shape, edges.nodes)
    distances = _values(keys, negative).reshape(shape)
    if not return_predecessors:
        return distances
    parents = _parents(edges, keys, changed, sources, negative, min_only)
    if not min_only:
        return distances, parents.reshape(shape)
    return distances, parents, _beginnings(parents, distances)


@documented_as(shortest_path)
def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Compute the lengths of shortest paths in a graph that may have negative weights.

    Edges of all nodes that changed are relaxed at once. The function waits for the device after
    every few rounds; a negative cycle is known after as many rounds as there are nodes.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges. Stored zeros of a sparse matrix are edges.
    indices : int or array_like of ints, optional
        Nodes where paths begin, by default all of them.

    Raises
    ------
    ValueError
        If the graph is not square or an index out of range.
    NegativeCycleError
        If a cycle of negative length can be reached.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.bellman_ford([[0, 2, 0], [0, 0, -1], [0, 0, 0]], indices=0)
    array([0., 2., 1.])
    """
    edges = as_edges(csgraph, directed, unweighted)
    shape, sources = _sources(indices, edges.nodes)
    negative = _any_negative(edges.weights)
    keys = _started(sources, edges.nodes)
    changed = _marked(sources, keys)
    if not _relax(edges, keys, changed, np.inf, negative):
        _check_cycles(edges, keys, changed)
    distances = _values(keys, negative).reshape((*shape, edges.nodes))
    if not return_predecessors:
        return distances
    parents = _parents(edges, keys, changed, sources, negative)
    return distances, parents.reshape(distances.shape)


@documented_as(bellman_ford)
def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Compute the lengths of shortest paths from many nodes where weights may be negative.

    Weights are made positive by a potential, which takes the rounds of `bellman_ford` once for all
    beginnings; then `dijkstra` follows. The function waits for the device as both do.

    Raises
    ------
    ValueError
        If the graph is not square or an index out of range.
    NegativeCycleError
        If the graph has a cycle of negative length.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.johnson([[0, 2, 0], [0, 0, -1], [0, 0, 0]])
    array([[ 0.,  2.,  1.],
           [inf,  0., -1.],
           [inf, inf,  0.]])
    """
    edges = as_edges(csgraph, directed, unweighted)
    shape, sources = _sources(indices, edges.nodes)
    potential: Any = None
    if _any_negative(edges.weights):
        potential = _potential(edges)
        ends = potential[edges.indices]
        weights = umath.maximum(edges.weights + potential[edges.origins] - ends, 0)
        edges = edges._replace(weights=weights)
    keys = _started(sources, edges.nodes)
    changed = _marked(sources, keys)
    _relax(edges, keys, changed, np.inf, False)
    distances = keys.view(np.float64).reshape(sources.size, edges.nodes)
    if potential is not None:
        distances = distances - potential[sources][:, None] + potential
    distances = distances.reshape((*shape, edges.nodes))
    if not return_predecessors:
        return distances
    parents = _parents(edges, keys, changed, sources, False)
    return distances, parents.reshape(distances.shape)


def _potential(edges: Edges) -> ndarray:
    """The distance of each node from one that an edge of length zero connects with all nodes."""
    keys, changed = zeros(edges.nodes, np.int64), _flags(edges.nodes)
    changed[0][: edges.nodes] = True
    if not _relax(edges, keys, changed, np.inf, True):
        _check_cycles(edges, keys, changed)
    return _values(keys, True)


def _sources(indices: Any, n: int) -> tuple[tuple, ndarray]:
    """The shape of the indices, and the nodes."""
    if indices is None:
        return (n,), arange(n, dtype=np.int64)
    host = indices.get() if isinstance(indices, ndarray) else as_host(indices)
    nodes = host.astype(np.int64)
    nodes = np.where(nodes < 0, nodes + n, nodes)
    if ((nodes < 0) | (nodes >= n)).any():
        raise ValueError(f"indices out of range 0...N: the graph has {n} nodes")
    return nodes.shape, asarray(nodes.ravel())


def _places(sources: ndarray, states: int, merged: bool) -> ndarray:
    """The states where paths begin; there is one for each node if beginnings are merged."""
    if merged or not sources.size:
        return sources
    return sources + arange(sources.size, dtype=np.int64) * (states // sources.size)


def _started(sources: ndarray, n: int, merged: bool = False) -> ndarray:
    """Distances before the first round, as integers in the order of doubles."""
    distances = full(n if merged else n * sources.size, np.inf, np.float64)
    distances[_places(sources, distances.size, merged)] = 0
    return distances.view(np.int64)


def _flags(states: int) -> list:
    """Whether states changed, in this round and the next; four flags are read at once."""
    return [zeros(-(-states // 4) * 4, np.bool_) for _ in range(2)]


def _marked(sources: ndarray, keys: ndarray, merged: bool = False) -> list:
    changed = _flags(keys.size)
    changed[0][_places(sources, keys.size, merged)] = True
    return changed


def _values(keys: ndarray, negative: bool) -> ndarray:
    """Distances of their integers; those that are not negative have the same bits."""
    if negative:
        keys = where(keys < 0, keys ^ DONE, keys)
    return keys.view(np.float64)


def _arguments(edges: Edges, keys: ndarray, limit: float) -> tuple:
    return keys.size, edges.nodes, int(np.float64(limit).view(np.int64))


def _relax(edges: Edges, keys: ndarray, changed: list, limit: float, negative: bool) -> bool:
    """Relax edges until no distance changes; False if some do after as many rounds as nodes, which
    is possible with negative weights only. `changed` has the flags of the next round first."""
    numbers = _arguments(edges, keys, limit)
    if not keys.size:
        return True
    delta = None if negative else _width(edges)
    delta = full(1, np.inf, np.float64) if delta is None else delta
    pending, near = zeros(1, np.int64), full(1, -np.inf, np.float64)
    rounds, launches = edges.nodes if negative else None, 4
    while rounds is None or rounds > 0:
        launches = launches if rounds is None else min(launches, rounds)
        all_pending, all_near = full(launches + 1, DONE, np.int64), empty(launches + 1, np.float64)
        all_pending[:1], all_near[:1] = pending, near
        for k in range(launches):
            graph_relax(
                *edges, keys, *changed, None, all_pending[k:], all_near[k:], delta, *numbers
            )
            changed.reverse()
        pending, near = all_pending[launches:], all_near[launches:]
        if int(pending[0]) == DONE:
            return True
        rounds = None if rounds is None else rounds - launches
        launches = min(2 * launches, MOST_LAUNCHES)
    return False


def _width(edges: Edges) -> ndarray | None:
    """How much farther than the nearest node others may be whose edges are relaxed with it: 32
    times the mean weight by the mean number of edges (Davidson and others, 2014, section IV)."""
    count = edges.indices.size
    if edges.weights is None or not count:
        return None
    return (edges.weights.sum() * (32 * edges.nodes / count**2)).reshape(1)


def _check_cycles(edges: Edges, keys: ndarray, changed: list) -> None:
    """Whether one more round shortens a path by more than rounding does."""
    before = _values(keys, True).copy()
    pending, near = full(2, DONE, np.int64), full(2, np.inf, np.float64)
    pending[:1] = 0
    numbers = _arguments(edges, keys, np.inf)
    graph_relax(*edges, keys, *changed, None, pending, near, near[:1], *numbers)
    changed.reverse()
    after = _values(keys, True)
    margin = TOLERANCE * umath.maximum(umath.absolute(after), 1)
    if bool((before > after + margin).any()):
        raise NegativeCycleError("the graph has a cycle of negative length")


def _parents(
    edges: Edges, keys: ndarray, flags: list, sources: ndarray, negative: bool, merged: bool = False
) -> ndarray:
    """The predecessor of each state: the least node of those that may precede it.

    Without negative weights most of them are nearer to the beginning; those that are as near, and
    with negative weights all, are found edge by edge from the beginnings, so that none is its own
    predecessor.
    """
    settled, fresh = flags
    parents = full(keys.size, MISSING, np.int32)
    if not keys.size:
        return parents
    settled[:] = False
    settled[_places(sources, keys.size, merged)] = True
    arguments = *edges, keys, settled, fresh, parents
    step, again = graph_strict, 1
    if negative:
        fresh[:] = settled
        step, again = graph_tight, 0
    while True:
        status = zeros(2, np.int64)
        numbers = keys.size, edges.nodes, again
        step(*arguments, status, None, None, *numbers)
        graph_settle(*arguments, status, None, None, *numbers)
        found, left = status.get().tolist()
        if not left or not (found or step is graph_strict):
            return where(parents == MISSING, np.int32(NO_NODE), parents)
        step, again = graph_tight, 0


def _beginnings(parents: ndarray, distances: ndarray) -> ndarray:
    """The node where the path to each node begins."""
    first = where(parents < 0, arange(parents.size, dtype=np.int32), parents)
    for _ in range(max(parents.size - 1, 0).bit_length()):
        first = first[first]
    return where(distances < np.inf, first, np.int32(NO_NODE))


@documented_as(shortest_path)
def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """Compute the lengths of shortest paths between all pairs of nodes from a dense matrix.

    The function waits for the device for whether there is a negative cycle, and with a sparse
    graph as `csgraph_to_dense` does. Predecessors are those of `johnson` where cycles of length
    zero leave this method without, which waits too.

    Parameters
    ----------
    csgraph : csr, csc or lil matrix, or array_like
        Square matrix of the weights of edges. Stored zeros of a sparse matrix are edges.
    overwrite : bool, optional
        If True, distances are written to `csgraph` too, if it is a C-ordered float64 array.

    Returns
    -------
    dist_matrix : ndarray
        Distance from each node to each node, infinity where there is no path.
    predecessors : ndarray
        Node before each node on the path, int32, -9999 where there is none. Only if
        `return_predecessors` is True.

    Raises
    ------
    ValueError
        If the graph is not square, or sparse in another format.
    NegativeCycleError
        If the graph has a cycle of negative length.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.floyd_warshall([[0, 2, 0], [0, 0, 1], [0, 0, 0]])
    array([[ 0.,  2.,  3.],
           [inf,  0.,  1.],
           [inf, inf,  0.]])
    """
    is_sparse = issparse(csgraph)
    distances = csgraph_to_dense(csgraph, np.inf) if is_sparse else dense_weights(csgraph)
    n = distances.shape[0]
    if not directed:
        distances = umath.minimum(distances, distances.T)
    if unweighted:
        distances = where(distances < np.inf, 1.0, np.inf)
    distances = distances.copy(order="C")
    distances.reshape(-1)[:: n + 1] = 0
    nodes = arange(n, dtype=np.int32)
    parents: Any = None
    if return_predecessors:
        parents = where(distances < np.inf, nodes[:, None], np.int32(NO_NODE)).copy(order="C")
        parents.reshape(-1)[:: n + 1] = NO_NODE
    graph_pairs(distances, parents, n, 0)
    if bool((distances.diagonal() < 0).any()):
        raise NegativeCycleError("the graph has a cycle of negative length")
    if overwrite and isinstance(csgraph, ndarray) and csgraph.dtype == np.float64:
        csgraph[...] = distances
    if not return_predecessors:
        return distances
    if not _lead_back(parents, distances):
        return johnson(csgraph, directed, None, True, unweighted)
    return distances, parents


def _lead_back(parents: ndarray, distances: ndarray) -> bool:
    """Whether all predecessors lead to where the paths begin. Around a cycle of length zero they
    may not, since the tiles add the lengths of one path in different orders."""
    n = parents.shape[0]
    nodes = arange(n, dtype=np.int32)
    before = where(parents < 0, nodes, parents)
    rows = arange(n, dtype=np.int64)[:, None] * n
    for _ in range(max(n - 1, 0).bit_length()):
        before = before.reshape(-1)[rows + before]
    return bool(((before == nodes[:, None]) | (distances == np.inf)).all())
