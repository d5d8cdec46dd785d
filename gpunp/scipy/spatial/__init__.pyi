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
def distance_matrix(x: _t.Any, y: _t.Any, p: _b.float = ..., threshold: _b.int = 1000000) -> _g.ndarray: ...
