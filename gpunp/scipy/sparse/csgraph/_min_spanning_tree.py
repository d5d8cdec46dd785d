"""Minimum spanning trees."""

from typing import Any

import numpy as np

from ...._core._sparse import graph_connect, graph_first, graph_least, graph_leave, graph_roots
from ...._core.multiarray import arange, empty, zeros
from .. import _sparsetools as tools
from ._validation import as_rows

__all__ = ["minimum_spanning_tree"]


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """Return edges of the least total weight that keep connected nodes connected.

    Edges lead both ways; the first one counts of those with equal weights. The function waits for
    the device once in each of at most log2(n) rounds, and for the number of edges.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges. Stored zeros of a sparse matrix are edges.
    overwrite : bool, optional
        Accepted for compatibility: the graph is never changed.

    Returns
    -------
    csr_array or csr_matrix
        Weights of the edges where the graph has them, float64; edges of weight zero are left out.

    Raises
    ------
    ValueError
        If the graph is not square.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.minimum_spanning_tree([[0, 2, 1], [0, 0, 5], [0, 0, 0]]).toarray()
    array([[0., 2., 1.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    graph = as_rows(csgraph)
    marks = _forest(graph)
    marks &= graph.data != 0
    kept = marks.nonzero()[0]
    rows = tools.rows_of(graph.indptr, graph.indices.size)[kept]
    begins = tools.begins_of(rows, graph.shape[0], 0, np.int32)
    columns = graph.indices[kept].astype(np.int32, copy=False)
    return graph._new(graph.data[kept], columns, begins, graph.shape)


def _forest(graph: Any) -> Any:
    """Which edges belong to the forest."""
    n, count = graph.shape[0], graph.indices.size
    marks = zeros(count, np.bool_)
    origins = tools.rows_of(graph.indptr, count).astype(np.int32, copy=False)
    ends = graph.indices.astype(np.int32, copy=False)
    parents = arange(n, dtype=np.int32)
    least, first = empty(n, np.int64), empty(n, np.int64)
    live = arange(count, dtype=np.int64)
    while True:
        given = origins, ends, graph.data, parents, least, first, marks
        kept, left = empty(live.size, np.int64), zeros(1, np.int64)
        graph_roots(None, *given, None, None, n)
        if live.size:
            graph_leave(live, *given, kept, left, live.size)
        live = kept[: int(left[0])]
        if not live.size:
            return marks
        graph_least(live, *given, None, None, live.size)
        graph_first(live, *given, None, None, live.size)
        graph_connect(None, *given, None, None, n)
