"""Graphs as sparse or dense matrices of weights, with SciPy's names."""

from ._host import (
    maximum_bipartite_matching,
    maximum_flow,
    min_weight_full_bipartite_matching,
    reverse_cuthill_mckee,
    structural_rank,
    yen,
)
from ._laplacian import laplacian
from ._min_spanning_tree import minimum_spanning_tree
from ._paths import construct_dist_matrix, reconstruct_path
from ._shortest_path import (
    NegativeCycleError,
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
)
from ._tools import csgraph_from_dense, csgraph_from_masked, csgraph_to_dense
from ._traversal import (
    breadth_first_order,
    breadth_first_tree,
    connected_components,
    depth_first_order,
    depth_first_tree,
)

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_from_masked",
    "csgraph_to_dense",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "maximum_bipartite_matching",
    "maximum_flow",
    "min_weight_full_bipartite_matching",
    "minimum_spanning_tree",
    "reconstruct_path",
    "reverse_cuthill_mckee",
    "shortest_path",
    "structural_rank",
    "yen",
]
