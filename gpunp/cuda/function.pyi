# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import Function as Function
from gpunp._C import LinkState as LinkState
from gpunp._C import Module as Module

def global_pointer(module: _g.cuda.Module, name: _b.str) -> _g.cuda.MemoryPointer: ...
