"""Components of graphs, and their nodes in the order of a search."""

import operator
from typing import Any

import numpy as np
import scipy.sparse.csgraph

from ...._core._docstrings import documented_as
from ...._core._sparse import (
    graph_claim,
    graph_count,
    graph_join,
    graph_keep,
    graph_narrow,
    graph_reset,
    graph_sweep,
    graph_write,
)
from ...._core.multiarray import arange, empty, ndarray, where, zeros
from ...._core.numeric import full
from ...._core.reductions import cumsum
from .. import _sparsetools as tools
from .._base import issparse
from ._paths import reconstruct_path
from ._tools import csgraph_from_dense
from ._validation import as_edges, as_rows, from_host, on_host

__all__ = [
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "depth_first_order",
    "depth_first_tree",
]

NO_NODE = -9999  # SciPy's number for it
NARROW = 1024  # nodes of a level that one block visits
WIDE = 256  # nodes of a level for each of many blocks
MOST_LEVELS = 4096  # narrow levels between two reads of how wide the next one is
MOST_SWEEPS = 16  # sweeps over the edges between two reads of whether something changed


def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Find the components of a graph, of nodes that paths connect.

    The number of components is Python's, for which the function waits for the device. Strong
    components are found by sweeps over the edges, and wait after every few of them.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges. Stored zeros of a sparse matrix are edges; zeros,
        NaN and infinities of a dense one are none.
    directed : bool, optional
        If False, edges lead both ways and `connection` has no effect.
    connection : {'weak', 'strong'}, optional
        Whether nodes belong together if a path that ignores directions connects them, or only
        if paths lead both ways.
    return_labels : bool, optional
        If False, only the number of components is returned.

    Returns
    -------
    n_components : int
        Number of components.
    labels : ndarray
        Number of the component of each node, int32. Components are numbered by their first node.

    Raises
    ------
    ValueError
        If `csgraph` is not square or `connection` is none of the two.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    (2, array([0, 0, 1], dtype=int32))
    """
    if not isinstance(connection, str):
        raise TypeError(f"connection must be a str, not {type(connection).__name__}")
    kind = connection.lower()
    if kind not in ("weak", "strong"):
        raise ValueError(f"connection must be 'weak' or 'strong', not {connection!r}")
    begins, indices = _structure(csgraph)
    n = begins.size - 1
    if n > np.iinfo(np.int32).max or (indices.size > np.iinfo(np.int32).max and kind == "strong"):
        raise ValueError(f"a graph of {n} nodes and {indices.size} edges is too large for int32")
    if n == 0:
        return (0, zeros(0, np.int32)) if return_labels else 0
    search = _weak if kind == "weak" or not directed else _strong
    count, labels = search(begins, indices)
    return (count, labels) if return_labels else count


def _structure(csgraph: Any) -> tuple[ndarray, ndarray]:
    """Compressed rows, or columns: components of a graph are those of its transpose."""
    if not issparse(csgraph):
        graph = csgraph_from_dense(csgraph)
    elif csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError(f"compressed-sparse graph must be shape (N, N), not {csgraph.shape}")
    else:
        graph = csgraph if csgraph.format in ("csr", "csc") else csgraph.tocsr()
        graph = graph._checked()
    return graph.indptr, graph.indices


EDGES_A_MARK = 2048  # those of a tile
NODES_A_WORD = 1024  # those of a tile whose components are counted


def _weak(begins: ndarray, indices: ndarray) -> tuple[int, ndarray]:
    """The number of weak components, and that of each node's component."""
    n, edges = begins.size - 1, indices.size
    tiles = -(-n // NODES_A_WORD)
    labels, spare, links = empty(n, np.int32), empty(n, np.int32), empty(2 * n, np.int32)
    bits, marks = empty(n // 8 + 16, np.uint8), empty(edges // EDGES_A_MARK + 1, np.uint8)
    state = empty(tiles + 1, np.uint64)
    graph_join(begins, indices, labels, spare, links, bits, marks, state, edges, n)
    return int(state[tiles - 1]) & (1 << 62) - 1, labels


def _strong(begins: ndarray, indices: ndarray) -> tuple[int, ndarray]:
    """The same of strong components."""
    n = begins.size - 1
    first = _first_mutual(begins, indices)
    numbers = cumsum(first == arange(n, dtype=np.int32), dtype=np.int32)
    labels = numbers[first] - 1
    return int(numbers[-1]), labels


def _first_mutual(begins: ndarray, indices: ndarray) -> ndarray:
    """The least node that reaches a node and that it reaches."""
    n = begins.size - 1
    sources, targets = zeros(n, np.int32), full(n, -1, np.int32)
    origins = tools.rows_of(begins, indices.size).astype(np.int32, copy=False)
    ends = indices.astype(np.int32, copy=False)
    while True:
        graph_reset(None, None, sources, targets, None, None, None, None, n)
        if origins.size == 0:
            return sources
        _sweep(origins, ends, sources, targets)
        kept = empty(origins.size, np.int32), empty(origins.size, np.int32)
        count = zeros(1, np.int32)
        graph_keep(origins, ends, sources, targets, *kept, count, None, origins.size)
        origins, ends = (a[: int(count[0])] for a in kept)


def _sweep(origins: ndarray, ends: ndarray, sources: ndarray, targets: ndarray) -> None:
    """Pass the least numbers along the edges until nothing changes."""
    sweeps = 2
    while True:
        changed = zeros(sweeps, np.int32)
        for k in range(sweeps):
            flag = changed[k : k + 1]
            graph_sweep(origins, ends, sources, targets, None, None, None, flag, origins.size)
        if not int(changed[-1]):
            return
        sweeps = min(2 * sweeps, MOST_SWEEPS)


def breadth_first_order(
    csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> Any:
    """Return the nodes that a node reaches, in the order of a queue.

    Narrow levels are visited by one block, many in one launch; the function waits for the device
    after them and after each level of more than 1024 nodes. The order is SciPy's: nodes that one
    node reaches follow in the order in which its edges are stored.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges. Stored zeros of a sparse matrix are edges.
    i_start : int
        Node where the search begins.
    directed : bool, optional
        If False, edges lead both ways.
    return_predecessors : bool, optional
        If True, the nodes from which each node was reached are returned too.

    Returns
    -------
    node_array : ndarray
        Nodes in the order in which they are reached, int32.
    predecessors : ndarray
        Node from which each node was reached, int32, -9999 for the first one and those that are
        not reached.

    Raises
    ------
    ValueError
        If the graph is not square or has no such node.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.breadth_first_order([[0, 0, 1], [0, 0, 0], [0, 1, 0]], 0)
    (array([0, 2, 1], dtype=int32), array([-9999,     2,     0], dtype=int32))
    """
    edges = as_edges(csgraph, directed, True)
    start = _start(i_start, edges.nodes)
    order, claims = _visit(edges.begins, edges.indices, start)
    if not return_predecessors:
        return order
    places = (claims >> 32) - 1  # in the order, of the nodes that claimed; -1 without
    parents = where(places < 0, np.int32(NO_NODE), order[where(places < 0, 0, places)])
    return order, parents


def _start(i_start: Any, n: int) -> int:
    start = operator.index(i_start)
    if start < 0:
        raise OverflowError(f"i_start must not be negative, but is {start}")
    if start >= n:
        raise ValueError(f"i_start is {start}, but the graph has {n} nodes")
    return start


def _visit(begins: ndarray, indices: ndarray, start: int) -> tuple[ndarray, ndarray]:
    """The nodes in order, and the claims on them (graph_levels.cu); -1 for those not reached."""
    n = begins.size - 1
    claims, order = full(n, -1, np.int64), empty(n, np.int32)
    claims[start], order[0] = 0, start
    state, first, end = empty(2, np.int64), 0, 1
    while first < end:
        if end - first <= NARROW:
            graph_narrow(begins, indices, claims, order, None, state, first, end, MOST_LEVELS)
            first, end = state.get().tolist()
        else:
            counts = empty(-(-(end - first) // WIDE), np.int64)
            graph_claim(begins, indices, claims, order, None, None, first, end, 0)
            graph_count(begins, indices, claims, order, counts, None, first, end, 0)
            counts = cumsum(counts)
            graph_write(begins, indices, claims, order, counts, None, first, end, 0)
            first, end = end, end + int(counts[-1])
    return order[:end], claims


@documented_as(breadth_first_order)
def breadth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """Return the edges by which a search in the order of a queue reaches its nodes.

    Waits for the device as `breadth_first_order` does, and for the number of edges.

    Returns
    -------
    csr_array or csr_matrix
        Weights of the edges from each node to those reached from it.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.breadth_first_tree([[0, 2, 1], [0, 0, 5], [0, 0, 0]], 0).toarray()
    array([[0., 2., 1.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    parents = breadth_first_order(csgraph, i_start, directed)[1]
    return reconstruct_path(csgraph, parents, directed)


@documented_as(breadth_first_order)
def depth_first_order(
    csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> Any:
    """Return the nodes that a node reaches, in the order of a stack.

    The search goes from node to node: the graph is copied to the host, SciPy searches, and the
    result is copied back.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.depth_first_order([[0, 1, 1], [0, 0, 0], [0, 0, 0]], 0)
    (array([0, 1, 2], dtype=int32), array([-9999,     0,     0], dtype=int32))
    """
    graph = as_rows(csgraph, directed)
    start = _start(i_start, graph.shape[0])
    search = scipy.sparse.csgraph.depth_first_order
    return from_host(search(on_host(graph), start, directed, return_predecessors))


@documented_as(breadth_first_tree)
def depth_first_tree(csgraph: Any, i_start: int, directed: bool = True) -> Any:
    """Return the edges by which a search in the order of a stack reaches its nodes.

    The graph is copied to the host for the search, as by `depth_first_order`.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.depth_first_tree([[0, 2, 1], [0, 0, 5], [0, 0, 0]], 0).toarray()
    array([[0., 2., 0.],
           [0., 0., 5.],
           [0., 0., 0.]])
    """
    parents = depth_first_order(csgraph, i_start, directed)[1]
    return reconstruct_path(csgraph, parents, directed)
