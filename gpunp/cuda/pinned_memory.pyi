# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.cuda import PinnedMemory as PinnedMemory
from gpunp.cuda import PinnedMemoryPointer as PinnedMemoryPointer
from gpunp.cuda import PinnedMemoryPool as PinnedMemoryPool
from gpunp.cuda import alloc_pinned_memory as alloc_pinned_memory
from gpunp.cuda import get_default_pinned_memory_pool as get_default_pinned_memory_pool
from gpunp.cuda import set_pinned_memory_allocator as set_pinned_memory_allocator

class PooledPinnedMemory:
    def __init__(self, mem: _g.cuda.PinnedMemoryPointer, pool: _g.cuda.PinnedMemoryPool) -> None: ...
    def __int__(self) -> _b.int: ...
    def free(self) -> None: ...
    mem: None
    pool: _t.Any
    ptr: _t.Any
    size: _t.Any
def is_memory_pinned(data: _t.SupportsIndex) -> _b.bool: ...
