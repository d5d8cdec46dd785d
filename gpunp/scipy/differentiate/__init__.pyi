# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


def derivative(f: _a.Callable[..., _t.Any], x: _t.Any, *, args: _a.Sequence[_T.ArrayLike] = ..., tolerances: _t.Any = None, maxiter: _t.Any = 10, order: _t.Any = 8, initial_step: _t.Any = ..., step_factor: _t.Any = ..., step_direction: _t.Any = 0, preserve_shape: _t.Any = False, callback: _a.Callable[..., _t.Any] | None = None) -> _t.Any: ...
def hessian(f: _a.Callable[..., _t.Any], x: _t.Any, *, tolerances: _t.Any = None, maxiter: _t.Any = 10, order: _t.Any = 8, initial_step: _t.Any = ..., step_factor: _t.Any = ...) -> _t.Any: ...
def jacobian(f: _a.Callable[..., _t.Any], x: _t.Any, *, tolerances: _t.Any = None, maxiter: _t.Any = 10, order: _t.Any = 8, initial_step: _t.Any = ..., step_factor: _t.Any = ..., step_direction: _t.Any = 0) -> _t.Any: ...
