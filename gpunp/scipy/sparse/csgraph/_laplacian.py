"""Laplacians of graphs."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import as_array
from ...._core.multiarray import ndarray, where
from .._base import issparse
from ..linalg import aslinearoperator

__all__ = ["laplacian"]


def laplacian(
    csgraph: Any,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: str = "array",
    dtype: Any = None,
    symmetrized: bool = False,
) -> Any:
    """Compute the Laplacian of a graph, degrees minus weights.

    Sparse graphs wait for the device, since the number of elements is a shape; dense ones do not.

    Parameters
    ----------
    csgraph : sparse matrix or ndarray
        Square matrix of the weights of edges.
    normed : bool, optional
        If True, rows and columns are divided by the square roots of the degrees.
    return_diag : bool, optional
        If True, the diagonal is returned too.
    use_out_degree : bool, optional
        If True, degrees are sums of rows instead of columns.
    copy : bool, optional
        If False, a dense graph whose type can hold the result is overwritten by it, in the form
        'array'. Sparse graphs are never changed.
    form : {'array', 'function', 'lo'}, optional
        Whether the result is a matrix, a function that multiplies by it, or a `LinearOperator`.
    dtype : dtype, optional
        Type of the result, by default that of the graph, or float64 for integers that are normed.
    symmetrized : bool, optional
        If True, the conjugate transpose is added to the graph first.

    Returns
    -------
    lap : ndarray, sparse matrix, callable or LinearOperator
        Laplacian in the form that was asked for; sparse graphs give coordinates.
    diag : ndarray
        Degrees without self loops; their square roots, where zeros become ones, if the result is
        normed. Only if `return_diag` is True.

    Raises
    ------
    ValueError
        If `csgraph` is not square or `form` is none of the three.

    Examples
    --------
    >>> import gpunp as cp
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.laplacian(cp.asarray([[0, 3], [3, 0]]))
    array([[ 3, -3],
           [-3,  3]])
    """
    graph = csgraph if issparse(csgraph) else as_array(csgraph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError("csgraph must be a square matrix or array")
    if form not in ("array", "function", "lo"):
        raise ValueError(f"Invalid form: {form!r}")
    if graph.dtype == np.bool_:
        raise TypeError("weights of type bool have no Laplacian: convert the graph to numbers")
    if normed and graph.dtype.kind in "iu":
        graph = graph.astype(np.float64)
    keeps = copy or form != "array" or issparse(graph)
    if symmetrized:
        if keeps:
            graph = graph + graph.T.conj()
        else:
            graph += graph.T.conj()
    axis = 1 if use_out_degree else 0
    degrees = graph.sum(axis=axis).reshape(-1) - graph.diagonal()
    if issparse(graph):
        made, diagonal = _of_sparse(graph, degrees, normed)
    else:
        made, diagonal = _of_dense(graph.copy(order="C") if keeps else graph, degrees, normed)
    wanted = np.dtype(graph.dtype if dtype is None else dtype)
    made, diagonal = made.astype(wanted, copy=False), diagonal.astype(wanted, copy=False)
    if form == "function":
        made = _times(made)
    elif form == "lo":
        made = aslinearoperator(made)
    return (made, diagonal) if return_diag else made


def _times(a: Any) -> Any:
    return lambda v: a @ v


def _roots(degrees: ndarray) -> tuple[ndarray, ndarray]:
    """Square roots of the degrees, 1 for isolated nodes; and which are not isolated."""
    isolated = degrees == 0
    return where(isolated, 1, umath.sqrt(degrees)).astype(degrees.dtype, copy=False), ~isolated


def _of_sparse(graph: Any, degrees: ndarray, normed: bool) -> tuple:
    a, diagonal = graph.tocoo(copy=False), degrees
    data = -a.data
    if normed:
        degrees, connected = _roots(degrees)
        data = data / degrees[a.row] / degrees[a.col]
        diagonal = connected.astype(graph.dtype)
    made = a._with_data(data, copy=True)
    if made.shape[0]:
        made.setdiag(diagonal)
    keeps = graph.format == "dia" and not normed
    return (made.asformat("dia") if keeps else made), degrees


def _of_dense(graph: ndarray, degrees: ndarray, normed: bool) -> tuple:
    """The Laplacian in the memory of `graph`, and the degrees or their roots."""
    diagonal = degrees
    umath.negative(graph, out=graph)
    if normed:
        degrees, connected = _roots(degrees)
        graph /= degrees
        graph /= degrees[:, None]
        diagonal = connected.astype(graph.dtype)
    graph.diagonal()[...] = diagonal
    return graph, degrees
