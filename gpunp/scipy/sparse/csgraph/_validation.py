"""Graphs as compressed rows of float64 weights, whatever they are given as."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from ...._core.multiarray import asarray, concatenate, ndarray
from .. import _sparsetools as tools
from .._base import issparse
from ._tools import csgraph_from_dense


class Edges(NamedTuple):
    """Where the edges of each node begin, their ends and weights; without weights each is 1."""

    begins: ndarray
    indices: ndarray
    weights: ndarray | None

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.begins.size - 1

    @property
    def origins(self) -> ndarray:
        """The node where each edge begins."""
        return tools.rows_of(self.begins, self.indices.size)


def as_rows(csgraph: Any, directed: bool = True) -> Any:
    """The graph as a sparse matrix in compressed rows; the transpose does where edges lead both
    ways."""
    if scipy.sparse.issparse(csgraph):
        raise TypeError(
            "the graph is SciPy's, on the host: gpunp.scipy.sparse.csr_array(graph) copies it to "
            "the device"
        )
    if not issparse(csgraph):
        graph = csgraph_from_dense(csgraph)
    elif csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError(f"compressed-sparse graph must be shape (N, N), not {csgraph.shape}")
    else:
        graph = csgraph.T if csgraph.format == "csc" and not directed else csgraph
        graph = graph.tocsr()
    if graph.shape[0] > np.iinfo(np.int32).max:
        raise ValueError(f"a graph of {graph.shape[0]} nodes is too large for int32")
    graph._check_sound()
    return graph.astype(np.float64, copy=False)


def as_edges(csgraph: Any, directed: bool = True, unweighted: bool = False) -> Edges:
    """The edges of a graph; of an undirected one in both directions, a node's own ones first."""
    graph = as_rows(csgraph, directed)
    edges = Edges(graph.indptr, graph.indices, None if unweighted else graph.data)
    return edges if directed else _both_ways(edges)


def _both_ways(edges: Edges) -> Edges:
    origins, ends, index = edges.origins, edges.indices, edges.begins.dtype
    keys, order = tools.order_of(concatenate([origins, ends]), tools.column_bits(edges.nodes))
    weights = None if edges.weights is None else concatenate([edges.weights] * 2)[order]
    wide = tools.index_dtype(keys.size)
    index = np.promote_types(index, wide)
    begins = tools.begins_of(keys, edges.nodes, 0, index)
    indices = concatenate([ends, origins])[order].astype(index, copy=False)
    return Edges(begins, indices, weights)


def on_host(graph: Any) -> Any:
    """SciPy's matrix, or NumPy's array, of one of the device; anything else as it is."""
    return graph.get() if issparse(graph) or isinstance(graph, ndarray) else graph


def from_host(result: Any) -> Any:
    """What SciPy returned, with its arrays on the device."""
    if isinstance(result, tuple):
        return tuple(from_host(part) for part in result)
    return asarray(result) if isinstance(result, np.ndarray) else result
