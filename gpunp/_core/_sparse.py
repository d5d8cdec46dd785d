"""Kernels of sparse matrices: the extension's functions."""

from .. import _C

__all__ = [
    "KRYLOV_MOST_BLOCKS",
    "KRYLOV_MOST_ROWS",
    "KRYLOV_PROJECT_BLOCKS",
    "MERGE_TILE",
    "RUNS_TILE",
    "SQUARE_MOST",
    "graph_join",
    "graph_keep",
    "graph_reset",
    "graph_sweep",
    "krylov_advance",
    "krylov_dot",
    "krylov_project",
    "krylov_put",
    "krylov_turn",
    "sparse_begins",
    "sparse_columns",
    "sparse_find",
    "sparse_keys",
    "sparse_merge",
    "sparse_product",
    "sparse_rows",
    "sparse_runs",
    "sparse_split",
    "sparse_square",
    "sparse_triangle",
]

KRYLOV_MOST_BLOCKS = _C.KRYLOV_MOST_BLOCKS  # sums that the parts of a step leave at most
KRYLOV_MOST_ROWS = _C.KRYLOV_MOST_ROWS  # of a basis that one launch takes
KRYLOV_PROJECT_BLOCKS = _C.KRYLOV_PROJECT_BLOCKS  # sums that a pass leaves for each row
MERGE_TILE = _C.SPARSE_MERGE_TILE
RUNS_TILE = _C.SPARSE_RUNS_TILE
SQUARE_MOST = _C.SPARSE_SQUARE_MOST  # products of a row that sparse_square takes
graph_join = _C.graph_join
graph_keep = _C.graph_keep
graph_reset = _C.graph_reset
graph_sweep = _C.graph_sweep
krylov_advance = _C.krylov_advance
krylov_dot = _C.krylov_dot
krylov_project = _C.krylov_project
krylov_put = _C.krylov_put
krylov_turn = _C.krylov_turn
sparse_begins = _C.sparse_begins
sparse_columns = _C.sparse_columns
sparse_find = _C.sparse_find
sparse_keys = _C.sparse_keys
sparse_merge = _C.sparse_merge
sparse_product = _C.sparse_product
sparse_rows = _C.sparse_rows
sparse_runs = _C.sparse_runs
sparse_split = _C.sparse_split
sparse_square = _C.sparse_square
sparse_triangle = _C.sparse_triangle
