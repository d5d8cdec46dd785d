# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.scipy.cluster import hierarchy as hierarchy
from gpunp.scipy.cluster import vq as vq

class _Step(_t.NamedTuple):
    code: _g.ndarray
    book: _g.ndarray
    members: _g.ndarray
    distance: _g.ndarray
