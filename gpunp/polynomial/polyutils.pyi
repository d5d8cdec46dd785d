# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from numpy.exceptions import RankWarning as RankWarning

def as_series(alist: _a.Sequence[_T._ArrayLikeOrHost], trim: _T._Bool = True) -> _b.list[_g.ndarray]: ...
def getdomain(x: _T._ArrayLikeOrHost) -> _g.ndarray: ...
def mapdomain(x: _t.Any, old: _a.Sequence[_T._Number], new: _a.Sequence[_T._Number]) -> _t.Any: ...
def mapparms(old: _a.Sequence[_T._Number], new: _a.Sequence[_T._Number]) -> _b.tuple[_t.Any, _t.Any]: ...
trimcoef = _g.polynomial.chebyshev.chebtrim
def trimseq(seq: _T._ArrayLikeOrHost) -> _g.ndarray: ...
