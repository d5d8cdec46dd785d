# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp._C import CUBLASError as CUBLASError

CUBLAS_COMPUTE_16F: _b.int
CUBLAS_COMPUTE_16F_PEDANTIC: _b.int
CUBLAS_COMPUTE_32F: _b.int
CUBLAS_COMPUTE_32F_FAST_16BF: _b.int
CUBLAS_COMPUTE_32F_FAST_16F: _b.int
CUBLAS_COMPUTE_32F_FAST_TF32: _b.int
CUBLAS_COMPUTE_32F_PEDANTIC: _b.int
CUBLAS_COMPUTE_32I: _b.int
CUBLAS_COMPUTE_32I_PEDANTIC: _b.int
CUBLAS_COMPUTE_64F: _b.int
CUBLAS_COMPUTE_64F_PEDANTIC: _b.int
CUBLAS_DEFAULT_MATH: _b.int
CUBLAS_DIAG_NON_UNIT: _b.int
CUBLAS_DIAG_UNIT: _b.int
CUBLAS_FILL_MODE_LOWER: _b.int
CUBLAS_FILL_MODE_UPPER: _b.int
CUBLAS_GEMM_DEFAULT: _b.int
CUBLAS_GEMM_DEFAULT_TENSOR_OP: _b.int
CUBLAS_GEMM_DFALT: _b.int
CUBLAS_GEMM_DFALT_TENSOR_OP: _b.int
CUBLAS_OP_C: _b.int
CUBLAS_OP_N: _b.int
CUBLAS_OP_T: _b.int
CUBLAS_POINTER_MODE_DEVICE: _b.int
CUBLAS_POINTER_MODE_HOST: _b.int
CUBLAS_SIDE_LEFT: _b.int
CUBLAS_SIDE_RIGHT: _b.int
CUBLAS_TENSOR_OP_MATH: _b.int
def check_status(status: _t.SupportsIndex) -> None: ...
def create() -> _b.int: ...
def destroy(handle: _t.SupportsIndex) -> None: ...
def getVersion(handle: _t.SupportsIndex) -> _b.int: ...
def setMathMode(handle: _t.SupportsIndex, mode: _t.SupportsIndex) -> None: ...
def setStream(handle: _t.SupportsIndex, stream: _t.SupportsIndex) -> None: ...
