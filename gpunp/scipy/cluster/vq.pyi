# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


class ClusterError(_b.Exception):
    ...
def kmeans(obs: _T.ArrayLike, k_or_guess: _t.SupportsIndex | _T.ArrayLike, iter: _t.SupportsIndex = 20, thresh: _t.SupportsFloat = ..., check_finite: _T._Bool = True, *, rng: _t.SupportsIndex | _np.random.Generator | None = None, seed: _t.SupportsIndex | _np.random.Generator | None = None) -> _b.tuple[_g.ndarray, _np.floating]: ...
def kmeans2(data: _T.ArrayLike, k: _t.SupportsIndex | _T.ArrayLike, iter: _t.SupportsIndex = 10, thresh: _t.SupportsFloat = ..., minit: _t.Literal['random', 'points', '++', 'matrix'] = 'random', missing: _t.Literal['warn', 'raise'] = 'warn', check_finite: _T._Bool = True, *, rng: _t.SupportsIndex | _np.random.Generator | None = None, seed: _t.SupportsIndex | _np.random.Generator | None = None) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
def vq(obs: _T.ArrayLike, code_book: _T.ArrayLike, check_finite: _T._Bool = True) -> _b.tuple[_g.ndarray, _g.ndarray]: ...
def whiten(obs: _T.ArrayLike, check_finite: _T._Bool | None = None) -> _g.ndarray: ...
