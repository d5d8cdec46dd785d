# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


def as_strided(x: _T.ArrayLike, shape: _a.Sequence[_t.SupportsIndex] | None = None, strides: _a.Sequence[_t.SupportsIndex] | None = None, subok: _T._Bool = False, writeable: _T._Bool = True, *, check_bounds: _T._Bool | None = None) -> _g.ndarray: ...
def sliding_window_view(x: _T.ArrayLike, window_shape: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex], axis: _t.SupportsIndex | _a.Sequence[_t.SupportsIndex] | None = None, *, subok: _T._Bool = False, writeable: _T._Bool = False) -> _g.ndarray: ...
