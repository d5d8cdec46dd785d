# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


def repeat(func: _a.Callable[..., _t.Any], args: _b.tuple[_t.Any, ...] = ..., kwargs: _b.dict[_t.Any, _t.Any] = ..., n_repeat: _t.SupportsIndex = 10000, *, name: _b.str | None = None, n_warmup: _t.SupportsIndex = 10, max_duration: _t.SupportsFloat = ..., devices: _a.Sequence[_t.SupportsIndex] | None = None) -> _t.Any: ...
