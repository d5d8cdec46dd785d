"""Components of graphs."""

from typing import Any

import numpy as np

from ...._core._sparse import graph_join, graph_keep, graph_reset, graph_sweep
from ...._core.multiarray import arange, empty, ndarray, zeros
from ...._core.numeric import full
from ...._core.reductions import cumsum
from .. import _sparsetools as tools
from .._base import issparse
from ._tools import csgraph_from_dense

__all__ = ["connected_components"]

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
    kind = connection.lower()
    if kind not in ("weak", "strong"):
        raise ValueError(f"connection must be 'weak' or 'strong', not {connection!r}")
    begins, indices = _structure(csgraph)
    n = begins.size - 1
    if n > np.iinfo(np.int32).max or (indices.size > np.iinfo(np.int32).max and kind == "strong"):
        raise ValueError(f"a graph of {n} nodes and {indices.size} edges is too large for int32")
    if n == 0:
        return (0, zeros(0, np.int32)) if return_labels else 0
    if kind == "weak" or not directed:
        first, is_first = _weak(begins, indices)
    else:
        first, is_first = _strong(begins, indices)
    numbers = cumsum(is_first, dtype=np.int32)
    count = int(numbers[-1])
    return (count, numbers[first] - 1) if return_labels else count


def _structure(csgraph: Any) -> tuple[ndarray, ndarray]:
    """Compressed rows, or columns: components of a graph are those of its transpose."""
    if not issparse(csgraph):
        graph = csgraph_from_dense(csgraph)
    elif csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError(f"compressed-sparse graph must be shape (N, N), not {csgraph.shape}")
    else:
        graph = csgraph if csgraph.format in ("csr", "csc") else csgraph.tocsr()
    return graph.indptr, graph.indices


def _weak(begins: ndarray, indices: ndarray) -> tuple[ndarray, ndarray]:
    """The first node of each node's component, and whether a node is one."""
    n = begins.size - 1
    first, is_first = empty(n, np.int32), empty(n, np.bool_)
    graph_join(begins, indices, first, is_first, indices.size, n)
    return first, is_first


def _strong(begins: ndarray, indices: ndarray) -> tuple[ndarray, ndarray]:
    """The same of strong components: the least node that reaches a node and that it reaches."""
    n = begins.size - 1
    sources, targets = zeros(n, np.int32), full(n, -1, np.int32)
    origins = tools.rows_of(begins, indices.size).astype(np.int32, copy=False)
    ends = indices.astype(np.int32, copy=False)
    while True:
        graph_reset(None, None, sources, targets, None, None, None, None, n)
        if origins.size == 0:
            return sources, sources == arange(n, dtype=np.int32)
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
