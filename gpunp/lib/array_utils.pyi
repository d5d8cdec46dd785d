# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp import byte_bounds as byte_bounds

def normalize_axis_index(axis: _t.Any, ndim: _b.int, prefix: _b.str | None = None) -> _b.int: ...
def normalize_axis_tuple(axis: _t.Any, ndim: _b.int, argname: _b.str | None = None, allow_duplicate: _b.bool = False) -> _b.tuple[_b.int, ...]: ...
