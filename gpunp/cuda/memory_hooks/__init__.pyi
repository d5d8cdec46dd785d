# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


class DebugPrintHook(_g.cuda.MemoryHook):
    def __init__(self, file: _t.Any = None, flush: _T._Bool = True) -> None: ...
    def alloc_postprocess(self, **kwargs: _t.Any) -> None: ...
    def free_postprocess(self, **kwargs: _t.Any) -> None: ...
    def malloc_postprocess(self, **kwargs: _t.Any) -> None: ...
    name: _b.str
    file: _t.Any
    flush: _t.Any
class LineProfileHook(_g.cuda.MemoryHook):
    def __init__(self, max_depth: _t.SupportsIndex = 0) -> None: ...
    def alloc_preprocess(self, **kwargs: _t.Any) -> None: ...
    def malloc_preprocess(self, **kwargs: _t.Any) -> None: ...
    name: _b.str
    def print_report(self, file: _t.Any = None) -> None: ...
