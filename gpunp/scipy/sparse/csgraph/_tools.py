"""Graphs between dense and sparse matrices."""

from typing import Any

import numpy as np

from ...._core import umath
from ...._core._convert import as_array
from ...._core.multiarray import asarray, ndarray, where, zeros
from ...._core.numeric import full
from .. import _sparsetools as tools
from .._base import CLASSES, issparse

__all__ = ["csgraph_from_dense", "csgraph_from_masked", "csgraph_to_dense"]


def csgraph_from_dense(
    graph: Any, null_value: Any = 0, nan_null: bool = True, infinity_null: bool = True
) -> Any:
    """Convert a dense matrix of weights to compressed rows of its edges.

    The number of edges is a shape: the function waits for the device.

    Parameters
    ----------
    graph : array_like
        Square matrix; element (i, j) is the weight of the edge from node i to node j.
    null_value : float or None, optional
        Value that stands for a missing edge; with None every other value is an edge.
    nan_null : bool, optional
        If True, NaN stands for a missing edge too.
    infinity_null : bool, optional
        If True, infinities stand for a missing edge too.

    Returns
    -------
    csr_array
        Weights of the edges, float64; zeros are stored where zero is not the null value.

    Raises
    ------
    ValueError
        If `graph` is not a square matrix.

    Examples
    --------
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.csgraph_from_dense([[0, 2], [5, 0]]).indices
    array([1, 0], dtype=int32)
    """
    a = _as_square(graph)
    edges = ~_nulls(a, null_value, nan_null, infinity_null)
    index = tools.index_dtype(*a.shape)
    rows, columns = (c.astype(index) for c in edges.nonzero())
    data = a[edges]
    return CLASSES["coo", False]._made(data, (rows, columns), a.shape, True).tocsr()


def _as_square(graph: Any) -> ndarray:
    a = as_array(graph).astype(np.float64, copy=False)
    if a.ndim != 2:
        raise ValueError(f"graph should have two dimensions, not {a.ndim}")
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"graph should be a square array, not of shape {a.shape}")
    return a


def dense_weights(graph: Any) -> ndarray:
    """The weights of a dense graph, infinity where there is no edge."""
    a = _as_square(graph)
    return where(_nulls(a, 0, True, True), np.inf, a)


def csgraph_from_masked(graph: Any) -> Any:
    """Convert a masked array of weights to compressed rows of its edges.

    Masked arrays are NumPy's: the weights are copied from the host.

    Parameters
    ----------
    graph : numpy.ma.MaskedArray
        Square matrix of the weights of edges, masked where there is no edge.

    Returns
    -------
    csr_array
        Weights of the edges, float64; zeros that are not masked are stored.

    Raises
    ------
    TypeError
        If `graph` is not a masked array.
    ValueError
        If `graph` is not a square matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from gpunp.scipy.sparse import csgraph
    >>> csgraph.csgraph_from_masked(np.ma.masked_equal([[0, 2], [5, 0]], 0)).indices
    array([1, 0], dtype=int32)
    """
    if not isinstance(graph, np.ma.MaskedArray):
        raise TypeError(f"graph must be a masked array, not {type(graph).__name__}")
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f"graph should be a square array, not of shape {graph.shape}")
    edges = ~np.ma.getmaskarray(graph)
    n, index = graph.shape[0], tools.index_dtype(*graph.shape)
    rows, columns = (asarray(c.astype(index)) for c in edges.nonzero())
    data = asarray(graph.data[edges].astype(np.float64))
    return CLASSES["coo", False]._made(data, (rows, columns), (n, n), True).tocsr()


def _nulls(a: ndarray, null_value: Any, nan_null: bool, infinity_null: bool) -> ndarray:
    nulls = zeros(a.shape, np.bool_)
    if null_value is not None:
        null_value = float(null_value)
        nan_null = nan_null or np.isnan(null_value)
        infinity_null = infinity_null or np.isinf(null_value)
        nulls = a == null_value
    if nan_null:
        nulls = nulls | umath.isnan(a)
    if infinity_null:
        nulls = nulls | umath.isinf(a)
    return nulls


def csgraph_to_dense(csgraph: Any, null_value: Any = 0) -> ndarray:
    """Convert a sparse matrix of weights to a dense one.

    Stored zeros are edges of weight zero. The function waits for the device where it is not yet
    known whether the matrix has duplicates.

    Parameters
    ----------
    csgraph : csr, csc or lil matrix
        Square matrix of the weights of edges; the least one of duplicates counts.
    null_value : float, optional
        Value of the result where there is no edge.

    Returns
    -------
    ndarray
        Weights, float64; those that are NaN become infinity.

    Raises
    ------
    ValueError
        If `csgraph` is not sparse, not square, or of another format.

    Examples
    --------
    >>> from gpunp.scipy import sparse
    >>> sparse.csgraph.csgraph_to_dense(sparse.eye_array(2, format="csr"), 9)
    array([[1., 9.],
           [9., 1.]])
    """
    if not issparse(csgraph):
        raise ValueError("csgraph must be sparse")
    if csgraph.format not in ("csr", "csc", "lil"):
        raise ValueError(f"csgraph must be lil, csr, or csc format, not {csgraph.format}")
    n, other = csgraph.shape
    if n != other:
        raise ValueError(f"csgraph should be a square matrix, not of shape {csgraph.shape}")
    compressed = csgraph.tocsr() if csgraph.format == "lil" else csgraph
    graph = compressed.tocoo(copy=False)
    at = graph.row.astype(np.int64) * n + graph.col
    data = umath.fmin(graph.data.astype(np.float64, copy=False), np.inf)  # NaN is infinity here
    out = full(n * n, float(null_value), np.float64)
    if not compressed.has_canonical_format:
        least = full(n * n, np.inf, np.float64)
        umath.minimum.at(least, at, data)
        data = least[at]
    out[at] = data
    return out.reshape(n, n)
