# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T


CUSPARSE_ACTION_NUMERIC: _b.int
CUSPARSE_ACTION_SYMBOLIC: _b.int
CUSPARSE_COOMM_ALG1: _b.int
CUSPARSE_COOMM_ALG2: _b.int
CUSPARSE_COOMM_ALG3: _b.int
CUSPARSE_COOMV_ALG: _b.int
CUSPARSE_CSR2CSC_ALG1: _b.int
CUSPARSE_CSRMM_ALG1: _b.int
CUSPARSE_CSRMV_ALG1: _b.int
CUSPARSE_CSRMV_ALG2: _b.int
CUSPARSE_DENSETOSPARSE_ALG_DEFAULT: _b.int
CUSPARSE_DIAG_TYPE_NON_UNIT: _b.int
CUSPARSE_DIAG_TYPE_UNIT: _b.int
CUSPARSE_DIRECTION_COLUMN: _b.int
CUSPARSE_DIRECTION_ROW: _b.int
CUSPARSE_FILL_MODE_LOWER: _b.int
CUSPARSE_FILL_MODE_UPPER: _b.int
CUSPARSE_FORMAT_COO: _b.int
CUSPARSE_FORMAT_CSC: _b.int
CUSPARSE_FORMAT_CSR: _b.int
CUSPARSE_INDEX_16U: _b.int
CUSPARSE_INDEX_32I: _b.int
CUSPARSE_INDEX_64I: _b.int
CUSPARSE_INDEX_BASE_ONE: _b.int
CUSPARSE_INDEX_BASE_ZERO: _b.int
CUSPARSE_MATRIX_TYPE_GENERAL: _b.int
CUSPARSE_MATRIX_TYPE_HERMITIAN: _b.int
CUSPARSE_MATRIX_TYPE_SYMMETRIC: _b.int
CUSPARSE_MATRIX_TYPE_TRIANGULAR: _b.int
CUSPARSE_MM_ALG_DEFAULT: _b.int
CUSPARSE_MV_ALG_DEFAULT: _b.int
CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE: _b.int
CUSPARSE_OPERATION_NON_TRANSPOSE: _b.int
CUSPARSE_OPERATION_TRANSPOSE: _b.int
CUSPARSE_ORDER_COL: _b.int
CUSPARSE_ORDER_ROW: _b.int
CUSPARSE_POINTER_MODE_DEVICE: _b.int
CUSPARSE_POINTER_MODE_HOST: _b.int
CUSPARSE_SOLVE_POLICY_NO_LEVEL: _b.int
CUSPARSE_SOLVE_POLICY_USE_LEVEL: _b.int
CUSPARSE_SPARSETODENSE_ALG_DEFAULT: _b.int
CUSPARSE_SPGEMM_ALG1: _b.int
CUSPARSE_SPGEMM_ALG2: _b.int
CUSPARSE_SPGEMM_ALG3: _b.int
CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC: _b.int
CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC: _b.int
CUSPARSE_SPGEMM_DEFAULT: _b.int
CUSPARSE_SPMAT_DIAG_TYPE: _b.int
CUSPARSE_SPMAT_FILL_MODE: _b.int
CUSPARSE_SPSM_ALG_DEFAULT: _b.int
class CooAttributes(_t.NamedTuple):
    rows: _t.Any
    cols: _t.Any
    nnz: _t.Any
    rowIdx: _t.Any
    colIdx: _t.Any
    values: _t.Any
    idxType: _t.Any
    idxBase: _t.Any
    valueType: _t.Any
class CscAttributes(_t.NamedTuple):
    rows: _t.Any
    cols: _t.Any
    nnz: _t.Any
    colOffsets: _t.Any
    rowIdx: _t.Any
    values: _t.Any
    colOffsetType: _t.Any
    rowIdxType: _t.Any
    idxBase: _t.Any
    valueType: _t.Any
class CsrAttributes(_t.NamedTuple):
    rows: _t.Any
    cols: _t.Any
    nnz: _t.Any
    rowOffsets: _t.Any
    colIdx: _t.Any
    values: _t.Any
    rowOffsetType: _t.Any
    colIdxType: _t.Any
    idxBase: _t.Any
    valueType: _t.Any
class CuSparseError(_b.RuntimeError):
    status: _b.int
class DnMatAttributes(_t.NamedTuple):
    rows: _t.Any
    cols: _t.Any
    ld: _t.Any
    values: _t.Any
    valueType: _t.Any
    order: _t.Any
class DnMatBatchAttributes(_t.NamedTuple):
    count: _t.Any
    stride: _t.Any
class DnVecAttributes(_t.NamedTuple):
    size: _t.Any
    values: _t.Any
    valueType: _t.Any
class SpVecAttributes(_t.NamedTuple):
    size: _t.Any
    nnz: _t.Any
    idx: _t.Any
    values: _t.Any
    idxType: _t.Any
    idxBase: _t.Any
    valueType: _t.Any
def check_status(status: _t.SupportsIndex) -> None: ...
