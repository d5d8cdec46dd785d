# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


class __Limits(_t.NamedTuple):
    max_trials: _b.int
    timeout: _b.float
    expected_total_time_per_trial: _b.float
    max_total_time_per_trial: _b.float
class __Search(_t.NamedTuple):
    sizes: _b.dict[_b.str, _b.int]
    readonly: _b.bool
    limits: _g.optimizing.__Limits
def optimize(*, key: _t.Any = None, path: _t.Any = None, readonly: _T._Bool = False, **config_dict: _t.Any) -> _a.Iterator[None]: ...
