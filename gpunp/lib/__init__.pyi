# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.lib import array_utils as array_utils
from gpunp.lib import scimath as scimath
from gpunp.lib import stride_tricks as stride_tricks

class _UniqueAllResult(_t.NamedTuple):
    values: _g.ndarray
    indices: _g.ndarray
    inverse_indices: _g.ndarray
    counts: _g.ndarray
class _UniqueCountsResult(_t.NamedTuple):
    values: _g.ndarray
    counts: _g.ndarray
class _UniqueInverseResult(_t.NamedTuple):
    values: _g.ndarray
    inverse_indices: _g.ndarray
