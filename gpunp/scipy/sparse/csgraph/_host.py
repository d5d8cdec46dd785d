"""Graph problems whose steps depend on each other: SciPy solves them on the host."""

import operator
from typing import Any

import numpy as np
import scipy.sparse.csgraph as reference

from ...._core._convert import check_device_memory
from ...._core._docstrings import documented_as
from .._base import CLASSES
from .._matrix import spmatrix
from ._validation import as_rows, from_host, on_host

__all__ = [
    "MaximumFlowResult",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "reverse_cuthill_mckee",
    "structural_rank",
    "yen",
]


class MaximumFlowResult:
    """A maximum flow of `maximum_flow`.

    Parameters
    ----------
    flow_value : int
        Value of the flow.
    flow : csr_array or csr_matrix
        Flow along each edge, negative against its direction.
    """

    def __init__(self, flow_value: int, flow: Any) -> None:
        self.flow_value = flow_value
        self.flow = flow

    def __repr__(self) -> str:
        return f"MaximumFlowResult with value of {self.flow_value}"


def maximum_flow(csgraph: Any, source: int, sink: int, *, method: str = "dinic") -> Any:
    """Find the greatest flow from one node to another within the capacities of edges.

    The graph is copied to the host, where SciPy finds the flow, which is copied back.

    Parameters
    ----------
    csgraph : csr_array or csr_matrix
        Square matrix of the capacities of edges, integers of 32 bits or fewer in value.
    source : int
        Node from which the flow comes.
    sink : int
        Node to which the flow goes.
    method : {'dinic', 'edmonds_karp'}, optional
        Method by which SciPy finds the flow.

    Returns
    -------
    MaximumFlowResult
        Object with the value of the flow, `flow_value`, and its matrix, `flow`.

    Raises
    ------
    TypeError
        If the graph is not in the csr format.
    ValueError
        If capacities are no integers, or a node is out of range.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> graph = sparse.csr_array(cp.asarray([[0, 3, 0], [0, 0, 2], [0, 0, 0]]))
    >>> int(sparse.csgraph.maximum_flow(graph, 0, 2).flow_value)
    2
    """
    ends = operator.index(source), operator.index(sink)  # compared before SciPy converts them
    found = reference.maximum_flow(on_host(csgraph), *ends, method=method)
    like = CLASSES["csr", isinstance(csgraph, spmatrix)]
    return MaximumFlowResult(found.flow_value, like(found.flow))


def maximum_bipartite_matching(graph: Any, perm_type: str = "row") -> Any:
    """Find as many edges between rows and columns as possible that share none.

    The graph is copied to the host, where SciPy finds the matching, which is copied back.

    Parameters
    ----------
    graph : sparse matrix
        Matrix whose elements are edges between its rows and its columns, stored zeros too.
    perm_type : {'row', 'column'}, optional
        Whether the row of each column is returned, or the column of each row.

    Returns
    -------
    ndarray
        Partner of each column or row, int32, -1 for those without.

    Raises
    ------
    TypeError
        If the graph is not sparse.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.csgraph.maximum_bipartite_matching(sparse.eye_array(3, format="csr"))
    array([0, 1, 2], dtype=int32)
    """
    return from_host(reference.maximum_bipartite_matching(on_host(graph), perm_type))


def min_weight_full_bipartite_matching(biadjacency: Any, maximize: bool = False) -> Any:
    """Find the matching of the least weight that leaves no row, or no column, without partner.

    The graph is copied to the host, where SciPy finds the matching, which is copied back.

    Parameters
    ----------
    biadjacency : sparse matrix
        Matrix of the weights of edges between its rows and its columns, none of them zero.
    maximize : bool, optional
        If True, the weight is the greatest instead.

    Returns
    -------
    row_ind : ndarray
        Rows that have a partner, in ascending order.
    col_ind : ndarray
        Columns that are their partners, of the same length.

    Raises
    ------
    TypeError
        If the graph is not sparse.
    ValueError
        If there is no such matching, or a weight is zero.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy import sparse
    >>> graph = sparse.csr_array(cp.asarray([[5.0, 1.0], [1.0, 3.0]]))
    >>> sparse.csgraph.min_weight_full_bipartite_matching(graph)[1]
    array([1, 0], dtype=int32)
    """
    return from_host(reference.min_weight_full_bipartite_matching(on_host(biadjacency), maximize))


def reverse_cuthill_mckee(graph: Any, symmetric_mode: bool = False) -> Any:
    """Find an order of the nodes that brings the elements of a matrix near its diagonal.

    The graph is copied to the host, where SciPy finds the order, which is copied back.

    Parameters
    ----------
    graph : csr or csc matrix
        Square matrix whose elements are edges, whatever their values.
    symmetric_mode : bool, optional
        If True, the structure is taken as symmetric; otherwise that of the sum with the transpose
        is.

    Returns
    -------
    ndarray
        Permutation of rows and columns, int32.

    Raises
    ------
    TypeError
        If the graph is not sparse, or in another format.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.csgraph.reverse_cuthill_mckee(sparse.eye_array(3, format="csr"))
    array([2, 1, 0], dtype=int32)
    """
    return from_host(reference.reverse_cuthill_mckee(on_host(graph), symmetric_mode))


@documented_as(maximum_bipartite_matching)
def structural_rank(graph: Any) -> int:
    """Compute the greatest rank of matrices with the same places of elements.

    The graph is copied to the host, where SciPy computes the rank.

    Parameters
    ----------
    graph : sparse matrix
        Matrix whose places of elements count, whatever their values.

    Returns
    -------
    int
        Number of elements that can share neither a row nor a column.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> int(sparse.csgraph.structural_rank(sparse.eye_array(3, format="csr")))
    3
    """
    return reference.structural_rank(on_host(graph))


def yen(
    csgraph: Any,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Find the shortest paths between two nodes that pass no node twice.

    The graph is copied to the host, where SciPy finds the paths, which are copied back.

    Parameters
    ----------
    csgraph : sparse matrix or array_like
        Square matrix of the weights of edges.
    source : int
        Node where the paths begin.
    sink : int
        Node where the paths end.
    K : int
        Number of paths that are wanted.
    directed : bool, optional
        If False, edges lead both ways.
    return_predecessors : bool, optional
        If True, the predecessors of nodes on the paths are returned too.
    unweighted : bool, optional
        If True, every edge has length one.

    Returns
    -------
    dist_array : ndarray
        Lengths of the paths, in ascending order, as many as there are up to `K`.
    predecessors : ndarray
        Element (i, j) is the node before j on path i, int32, -9999 for nodes that are not on it.
        Only if `return_predecessors` is True.

    Raises
    ------
    ValueError
        If the graph is not square or a node is out of range.
    NegativeCycleError
        If the graph has a cycle of negative length.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.yen([[0, 2, 9], [0, 0, 3], [0, 0, 0]], 0, 2, 2)
    array([5., 9.])
    """
    graph = on_host(as_rows(csgraph))
    check_device_memory(operator.index(K), graph.shape[0], dtype=np.int32)
    found = reference.yen(
        graph,
        operator.index(source),
        operator.index(sink),
        operator.index(K),
        directed=directed,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
    )
    return from_host(found)
