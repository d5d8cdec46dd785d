# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.jit import cg as cg
from gpunp.jit import cub as cub
from gpunp.jit import thrust as thrust

atomic_add: _t.Any
atomic_and: _t.Any
atomic_cas: _t.Any
atomic_dec: _t.Any
atomic_exch: _t.Any
atomic_inc: _t.Any
atomic_max: _t.Any
atomic_min: _t.Any
atomic_or: _t.Any
atomic_sub: _t.Any
atomic_xor: _t.Any
blockDim: _t.Any
blockIdx: _t.Any
grid: _t.Any
gridDim: _t.Any
gridsize: _t.Any
laneid: _t.Any
range: _t.Any
def rawkernel(*, mode: _t.Literal['cuda', 'numpy'] = 'cuda', device: _T._Bool = False) -> _t.Any: ...
shared_memory: _t.Any
shfl_down_sync: _t.Any
shfl_sync: _t.Any
shfl_up_sync: _t.Any
shfl_xor_sync: _t.Any
syncthreads: _t.Any
syncwarp: _t.Any
threadIdx: _t.Any
warpsize: _t.Any
