# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


def bracket_minimum(f: _a.Callable[..., _t.Any], xm0: _t.Any, *, xl0: _t.Any = None, xr0: _t.Any = None, xmin: _t.Any = None, xmax: _t.Any = None, factor: _t.Any = None, args: _a.Sequence[_T.ArrayLike] = ..., maxiter: _t.Any = 1000) -> _t.Any: ...
def bracket_root(f: _a.Callable[..., _t.Any], xl0: _t.Any, xr0: _t.Any = None, *, xmin: _t.Any = None, xmax: _t.Any = None, factor: _t.Any = None, args: _a.Sequence[_T.ArrayLike] = ..., maxiter: _t.Any = 1000) -> _t.Any: ...
def find_minimum(f: _a.Callable[..., _t.Any], init: _t.Any, /, *, args: _a.Sequence[_T.ArrayLike] = ..., tolerances: _t.Any = None, maxiter: _t.Any = 100, callback: _a.Callable[..., _t.Any] | None = None) -> _t.Any: ...
def find_root(f: _a.Callable[..., _t.Any], init: _a.Sequence[_t.Any], /, *, args: _a.Sequence[_T.ArrayLike] = ..., tolerances: _t.Any = None, maxiter: _t.SupportsIndex | None = None, callback: _a.Callable[..., _t.Any] | None = None) -> _t.Any: ...
