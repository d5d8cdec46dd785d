"""Kernels of sparse matrices: the extension's functions."""

from .. import _C

__all__ = [
    "KRYLOV_MOST_BLOCKS",
    "KRYLOV_MOST_ROWS",
    "KRYLOV_MOST_SUMS",
    "MERGE_THREADS",
    "MERGE_TILE",
    "RUNS_TILE",
    "SQUARE_MOST",
    "graph_claim",
    "graph_connect",
    "graph_count",
    "graph_first",
    "graph_join",
    "graph_keep",
    "graph_least",
    "graph_leave",
    "graph_narrow",
    "graph_pairs",
    "graph_relax",
    "graph_reset",
    "graph_roots",
    "graph_settle",
    "graph_strict",
    "graph_sweep",
    "graph_tight",
    "graph_write",
    "BANDED_MOST_WIDTH",
    "banded_back",
    "banded_factor",
    "banded_sides",
    "krylov_advance",
    "krylov_dot",
    "krylov_project",
    "krylov_put",
    "krylov_turn",
    "lbfgs_direction",
    "lbfgs_finish",
    "lbfgs_products",
    "BUCKET_BITS",
    "GROUP_ROWS",
    "MOST_ARRANGED",
    "RANGES",
    "RANGE_BITS",
    "RANGE_MOST",
    "RANGE_TILE",
    "sparse_arrange",
    "sparse_begins",
    "sparse_check",
    "sparse_check_pairs",
    "sparse_columns",
    "sparse_find",
    "sparse_keys",
    "sparse_lengths",
    "sparse_merge",
    "sparse_merge_rows",
    "sparse_product",
    "sparse_range_begins",
    "sparse_range_count",
    "sparse_range_fits",
    "sparse_range_move",
    "sparse_range_sort",
    "sparse_rows",
    "sparse_runs",
    "sparse_split",
    "sparse_square",
    "sparse_triangle",
]

BANDED_MOST_WIDTH = _C.BANDED_MOST_WIDTH  # rows of a block of equations
GROUP_ROWS = _C.SPARSE_GROUP_ROWS  # that sparse_arrange takes in one block
MOST_ARRANGED = _C.SPARSE_MOST_ARRANGED  # elements of a row
BUCKET_BITS = _C.SPARSE_BUCKET_BITS  # of a row, at most, in a range of rows
RANGES = _C.SPARSE_RANGES  # at most
RANGE_BITS = _C.SPARSE_RANGE_BITS  # of a row in its range and a column, at most
RANGE_MOST = _C.SPARSE_RANGE_MOST  # elements of a range
RANGE_TILE = _C.SPARSE_RANGE_TILE  # elements that one block moves to their ranges
KRYLOV_MOST_BLOCKS = _C.KRYLOV_MOST_BLOCKS  # sums that the parts of a step leave at most
KRYLOV_MOST_ROWS = _C.KRYLOV_MOST_ROWS  # of a basis that one launch takes
KRYLOV_MOST_SUMS = _C.KRYLOV_MOST_SUMS  # sums that a pass leaves for each row
LBFGS_MOST_ROWS = _C.LBFGS_MOST_ROWS  # rows that one launch multiplies
LBFGS_MOST_SUMS = _C.LBFGS_MOST_SUMS  # sums that it leaves for each product
MERGE_THREADS = _C.SPARSE_MERGE_THREADS  # of a block of sparse_merge_rows
MERGE_TILE = _C.SPARSE_MERGE_TILE
RUNS_TILE = _C.SPARSE_RUNS_TILE
SQUARE_MOST = _C.SPARSE_SQUARE_MOST  # products of a row that sparse_square takes
graph_claim = _C.graph_claim
graph_connect = _C.graph_connect
graph_count = _C.graph_count
graph_first = _C.graph_first
graph_join = _C.graph_join
graph_keep = _C.graph_keep
graph_least = _C.graph_least
graph_leave = _C.graph_leave
graph_narrow = _C.graph_narrow
graph_pairs = _C.graph_pairs
graph_relax = _C.graph_relax
graph_reset = _C.graph_reset
graph_roots = _C.graph_roots
graph_settle = _C.graph_settle
graph_strict = _C.graph_strict
graph_sweep = _C.graph_sweep
graph_tight = _C.graph_tight
graph_write = _C.graph_write
banded_back = _C.banded_back
banded_factor = _C.banded_factor
banded_sides = _C.banded_sides
krylov_advance = _C.krylov_advance
krylov_dot = _C.krylov_dot
krylov_project = _C.krylov_project
krylov_put = _C.krylov_put
krylov_turn = _C.krylov_turn
lbfgs_direction = _C.lbfgs_direction
lbfgs_finish = _C.lbfgs_finish
lbfgs_products = _C.lbfgs_products
sparse_arrange = _C.sparse_arrange
sparse_begins = _C.sparse_begins
sparse_check = _C.sparse_check
sparse_check_pairs = _C.sparse_check_pairs
sparse_columns = _C.sparse_columns
sparse_find = _C.sparse_find
sparse_keys = _C.sparse_keys
sparse_lengths = _C.sparse_lengths
sparse_merge = _C.sparse_merge
sparse_merge_rows = _C.sparse_merge_rows
sparse_product = _C.sparse_product
sparse_range_begins = _C.sparse_range_begins
sparse_range_count = _C.sparse_range_count
sparse_range_fits = _C.sparse_range_fits
sparse_range_move = _C.sparse_range_move
sparse_range_sort = _C.sparse_range_sort
sparse_rows = _C.sparse_rows
sparse_runs = _C.sparse_runs
sparse_split = _C.sparse_split
sparse_square = _C.sparse_square
sparse_triangle = _C.sparse_triangle
