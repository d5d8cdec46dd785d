"""Trees and distances from the predecessors of nodes."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import as_array
from ...._core.multiarray import arange, ndarray, where
from ...._core.numeric import flatnonzero
from .. import _sparsetools as tools
from .._base import issparse
from ._tools import csgraph_to_dense, dense_weights
from ._validation import as_rows

__all__ = ["construct_dist_matrix", "reconstruct_path"]


def reconstruct_path(csgraph: Any, predecessors: Any, directed: bool = True) -> Any:
    """Return the tree of the edges from the predecessor of each node to the node.

    Waits for the device, since the number of edges is a shape.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges.
    predecessors : array_like of ints
        Node before each node, negative where there is none.
    directed : bool, optional
        If False, edges lead both ways, and the lesser of two weights counts.

    Returns
    -------
    csr_array or csr_matrix
        Weights of the edges; where the graph has none, zero, or infinity if not `directed`.

    Raises
    ------
    ValueError
        If the graph is not square, or there are more predecessors than nodes.
    IndexError
        If a predecessor is no node; this and the number of edges are waited for.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.reconstruct_path([[0, 2, 1], [0, 0, 5], [0, 0, 0]], [-9999, 0, 1]).toarray()
    array([[0., 2., 0.],
           [0., 0., 5.],
           [0., 0., 0.]])
    """
    graph = as_rows(csgraph)
    parents, n = as_array(predecessors), graph.shape[0]
    if parents.ndim != 1 or parents.size > n:
        raise ValueError(
            f"predecessors must be one-dimensional with at most {n} elements, "
            f"not of shape {parents.shape}"
        )
    if bool((parents >= n).any()):
        raise IndexError(f"a predecessor is not below the number of nodes, {n}")
    parents = parents.astype(np.int32, copy=False)
    ends = flatnonzero(parents >= 0)
    begins, order = tools.order_of(parents[ends], tools.column_bits(n))
    ends = ends[order].astype(np.int32)
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
    absent = 0.0 if directed else np.inf
    weights = _weights_at(graph, begins, ends, absent)
    if not directed:
        weights = umath.minimum(weights, _weights_at(graph, ends, begins, absent))
    indptr = tools.begins_of(begins, n, 0, np.int32)
    return graph._new(weights, ends, indptr, graph.shape, canonical=True)


def _weights_at(graph: Any, rows: ndarray, columns: ndarray, absent: float) -> ndarray:
    index = graph.indptr.dtype
    pairs = rows.astype(index, copy=False), columns.astype(index, copy=False)
    at = tools.find(graph.indptr, graph.indices, *pairs)
    if not graph.data.size:
        return where(at < 0, absent, np.nan)
    return where(at < 0, absent, graph.data[umath.maximum(at, 0)])


def construct_dist_matrix(
    graph: Any, predecessors: Any, directed: bool = True, null_value: Any = np.inf
) -> ndarray:
    """Compute the lengths of the paths that a matrix of predecessors describes.

    Paths are followed by doubling, for all pairs of nodes at once. A sparse graph waits for the
    device as `csgraph_to_dense` does.

    Parameters
    ----------
    graph : sparse matrix or array_like
        Square matrix of the weights of edges.
    predecessors : ndarray
        Element (i, j), int32, is the node before j on the path from i, -9999 where there is none.
    directed : bool, optional
        If False, edges lead both ways, and the lesser of two weights counts.
    null_value : float, optional
        Length where there is no path.

    Returns
    -------
    ndarray
        Length of the path from each node to each node, float64.

    Raises
    ------
    TypeError
        If `predecessors` is not of type int32.
    ValueError
        If the graph is not square, or `predecessors` has another shape.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse import csgraph
    >>> parents = cp.asarray([[-9999, 0, 1], [-9999, -9999, 1], [-9999, -9999, -9999]], "i4")
    >>> csgraph.construct_dist_matrix([[0, 2, 9], [0, 0, 3], [0, 0, 0]], parents)
    array([[ 0.,  2.,  5.],
           [inf,  0.,  3.],
           [inf, inf,  0.]])
    """
    if issparse(graph):
        weights = csgraph_to_dense(as_rows(graph), np.inf)
    else:
        weights = dense_weights(graph)
    if not isinstance(predecessors, ndarray) or predecessors.dtype != np.int32:
        raise TypeError("predecessors must be an array of type int32")
    if predecessors.shape != weights.shape:
        raise ValueError(
            f"predecessors of shape {predecessors.shape} do not suit a graph of shape "
            f"{weights.shape}"
        )
    if not directed:
        weights = umath.minimum(weights, weights.T)
    n = weights.shape[0]
    nodes, rows = arange(n, dtype=np.int64), arange(n, dtype=np.int64)[:, None]
    before = where(predecessors < 0, nodes, predecessors)
    lengths = where(predecessors < 0, 0.0, weights.reshape(-1)[before * n + nodes])
    for _ in range(max(n - 1, 0).bit_length()):
        at = rows * n + before
        lengths = lengths + lengths.reshape(-1)[at]
        before = before.reshape(-1)[at]
    lengths = where(before == rows, lengths, float(null_value))
    lengths.reshape(-1)[:: n + 1] = 0
    return lengths
