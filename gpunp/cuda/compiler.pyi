# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.cuda import CompileException as CompileException

def compile_using_nvrtc(source: _b.str, options: _a.Sequence[_b.str] = ..., arch: _t.SupportsIndex | _b.str | None = None, filename: _b.str = 'kern.cu', name_expressions: _a.Sequence[_b.str] | None = None, log_stream: _t.Any = None, cache_in_memory: _T._Bool = False, jitify: _T._Bool | None = None, method: _t.Literal['ptx', 'cubin', 'lto'] | None = None) -> _b.tuple[_b.bytes, _t.Any]: ...
def compile_with_nvcc(source: _b.str, options: _a.Sequence[_b.str], arch: _t.SupportsIndex, to_ptx: _T._Bool) -> _b.bytes: ...
def is_valid_kernel_name(name: _b.str) -> _b.bool: ...
