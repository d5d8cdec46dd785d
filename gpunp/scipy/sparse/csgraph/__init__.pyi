# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


def connected_components(csgraph: _t.Any, directed: _b.bool = True, connection: _b.str = 'weak', return_labels: _b.bool = True) -> _b.tuple[_b.int, _g.ndarray]: ...
def csgraph_from_dense(graph: _t.Any, null_value: _t.Any = 0, nan_null: _b.bool = True, infinity_null: _b.bool = True) -> _t.Any: ...
def csgraph_to_dense(csgraph: _t.Any, null_value: _t.Any = 0) -> _g.ndarray: ...
def laplacian(csgraph: _t.Any, normed: _b.bool = False, return_diag: _b.bool = False, use_out_degree: _b.bool = False, *, copy: _b.bool = True, form: _b.str = 'array', dtype: _t.Any = None, symmetrized: _b.bool = False) -> _b.tuple[_t.Any, _g.ndarray]: ...
