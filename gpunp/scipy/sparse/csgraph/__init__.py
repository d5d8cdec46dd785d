"""Graphs as sparse or dense matrices of weights, with SciPy's names."""

from ._laplacian import laplacian
from ._tools import csgraph_from_dense, csgraph_to_dense
from ._traversal import connected_components

__all__ = [
    "connected_components",
    "csgraph_from_dense",
    "csgraph_to_dense",
    "laplacian",
]
