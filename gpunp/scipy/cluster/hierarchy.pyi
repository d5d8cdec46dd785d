# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


correspond: _t.Any
cut_tree: _t.Any
is_isomorphic: _t.Any
is_monotonic: _t.Any
is_valid_im: _t.Any
is_valid_linkage: _t.Any
num_obs_linkage: _t.Any
to_mlab_linkage: _t.Any
to_tree: _t.Any
