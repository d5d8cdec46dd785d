# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import CUSOLVERError as CUSOLVERError

CUSOLVER_EIG_MODE_NOVECTOR: _b.int
CUSOLVER_EIG_MODE_VECTOR: _b.int
CUSOLVER_EIG_TYPE_1: _b.int
CUSOLVER_EIG_TYPE_2: _b.int
CUSOLVER_EIG_TYPE_3: _b.int
def check_status(status: _t.SupportsIndex) -> None: ...
