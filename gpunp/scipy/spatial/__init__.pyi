# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.scipy.spatial import distance as distance

class _Metric(_t.NamedTuple):
    step: _b.str
    finish: _b.str
    boolean: _b.bool
    other: _b.str
    weighted: _b.bool
class KDTree:
    def __init__(self, data: _t.Any, leafsize: _b.int = 10, compact_nodes: _b.bool = True, copy_data: _b.bool = False, balanced_tree: _b.bool = True, boxsize: _t.Any = None) -> None: ...
    def count_neighbors(self, other: _t.Any, r: _t.Any, p: _b.float = ..., weights: _t.Any = None, cumulative: _b.bool = True) -> _g.ndarray: ...
    @_b.property
    def maxes(self) -> _g.ndarray: ...
    @_b.property
    def mins(self) -> _g.ndarray: ...
    def query(self, x: _t.Any, k: _t.Any = 1, eps: _b.float = ..., p: _b.float = ..., distance_upper_bound: _b.float = ..., workers: _b.int = 1) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
    def query_ball_point(self, x: _t.Any, r: _t.Any, p: _b.float = ..., eps: _b.float = ..., workers: _b.int = 1, return_sorted: _t.Any = None, return_length: _b.bool = False) -> _g.ndarray: ...
    def query_ball_tree(self, other: _t.Any, r: _b.float, p: _b.float = ..., eps: _b.float = ...) -> _b.list: ...
    def query_pairs(self, r: _b.float, p: _b.float = ..., eps: _b.float = ..., output_type: _b.str = 'ndarray') -> _t.Any: ...
    def sparse_distance_matrix(self, other: _t.Any, max_distance: _b.float, p: _b.float = ..., output_type: _b.str = 'coo_matrix') -> _t.Any: ...
    boxsize: _t.Any
    data: _t.Any
    indices: _t.Any
    leafsize: _t.Any
    m: _t.Any
    n: _t.Any
cKDTree = KDTree
def distance_matrix(x: _t.Any, y: _t.Any, p: _b.float = ..., threshold: _b.int = 1000000) -> _g.ndarray: ...
