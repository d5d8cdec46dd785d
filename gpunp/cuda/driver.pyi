# Written by tools/stubs.py (`make stubs`) from signatures, docstrings, tools/stubs.txt.
# ruff: noqa
import builtins as _b
import collections.abc as _a
import types as _m
import typing as _t

import numpy as _np

import gpunp as _g
from gpunp import _C as _C, typing as _T

from gpunp.cuda import CUDADriverError as CUDADriverError

class CUDALaunchError(_g.cuda.CUDADriverError, _b.ValueError):
    ...
CUDA_ERROR_INVALID_VALUE: _b.int
CU_AD_FORMAT_FLOAT: _b.int
CU_AD_FORMAT_HALF: _b.int
CU_AD_FORMAT_SIGNED_INT16: _b.int
CU_AD_FORMAT_SIGNED_INT32: _b.int
CU_AD_FORMAT_SIGNED_INT8: _b.int
CU_AD_FORMAT_UNSIGNED_INT16: _b.int
CU_AD_FORMAT_UNSIGNED_INT32: _b.int
CU_AD_FORMAT_UNSIGNED_INT8: _b.int
CU_FUNC_ATTRIBUTE_BINARY_VERSION: _b.int
CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: _b.int
CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: _b.int
CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: _b.int
CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: _b.int
CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: _b.int
CU_FUNC_ATTRIBUTE_NUM_REGS: _b.int
CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: _b.int
CU_FUNC_ATTRIBUTE_PTX_VERSION: _b.int
CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: _b.int
CU_JIT_CACHE_MODE: _b.int
CU_JIT_ERROR_LOG_BUFFER: _b.int
CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: _b.int
CU_JIT_FALLBACK_STRATEGY: _b.int
CU_JIT_FAST_COMPILE: _b.int
CU_JIT_FMA: _b.int
CU_JIT_FTZ: _b.int
CU_JIT_GENERATE_DEBUG_INFO: _b.int
CU_JIT_GENERATE_LINE_INFO: _b.int
CU_JIT_GLOBAL_SYMBOL_ADDRESSES: _b.int
CU_JIT_GLOBAL_SYMBOL_COUNT: _b.int
CU_JIT_GLOBAL_SYMBOL_NAMES: _b.int
CU_JIT_INFO_LOG_BUFFER: _b.int
CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: _b.int
CU_JIT_INPUT_CUBIN: _b.int
CU_JIT_INPUT_FATBINARY: _b.int
CU_JIT_INPUT_LIBRARY: _b.int
CU_JIT_INPUT_NVVM: _b.int
CU_JIT_INPUT_OBJECT: _b.int
CU_JIT_INPUT_PTX: _b.int
CU_JIT_LOG_VERBOSE: _b.int
CU_JIT_LTO: _b.int
CU_JIT_MAX_REGISTERS: _b.int
CU_JIT_NEW_SM3X_OPT: _b.int
CU_JIT_OPTIMIZATION_LEVEL: _b.int
CU_JIT_PREC_DIV: _b.int
CU_JIT_PREC_SQRT: _b.int
CU_JIT_TARGET: _b.int
CU_JIT_TARGET_FROM_CUCONTEXT: _b.int
CU_JIT_THREADS_PER_BLOCK: _b.int
CU_JIT_WALL_TIME: _b.int
CU_TRSA_OVERRIDE_FORMAT: _b.int
CU_TRSF_NORMALIZED_COORDINATES: _b.int
CU_TRSF_READ_AS_INTEGER: _b.int
CU_TRSF_SRGB: _b.int
CU_TR_ADDRESS_MODE_BORDER: _b.int
CU_TR_ADDRESS_MODE_CLAMP: _b.int
CU_TR_ADDRESS_MODE_MIRROR: _b.int
CU_TR_ADDRESS_MODE_WRAP: _b.int
CU_TR_FILTER_MODE_LINEAR: _b.int
CU_TR_FILTER_MODE_POINT: _b.int
def check_status(status: _t.SupportsIndex) -> None: ...
def ctxGetCurrent() -> _b.int: ...
def ctxGetDevice() -> _b.int: ...
def driverGetVersion() -> _b.int: ...
def funcGetAttribute(attribute: _t.SupportsIndex, f: _t.SupportsIndex) -> _b.int: ...
def funcSetAttribute(f: _t.SupportsIndex, attribute: _t.SupportsIndex, value: _t.SupportsIndex) -> None: ...
def get_build_version() -> _b.int: ...
def launchCooperativeKernel(f: _t.SupportsIndex, grid_dim_x: _t.SupportsIndex, grid_dim_y: _t.SupportsIndex, grid_dim_z: _t.SupportsIndex, block_dim_x: _t.SupportsIndex, block_dim_y: _t.SupportsIndex, block_dim_z: _t.SupportsIndex, shared_mem_bytes: _t.SupportsIndex, stream: _t.SupportsIndex, kernel_params: _t.SupportsIndex) -> None: ...
def launchKernel(f: _t.SupportsIndex, grid_dim_x: _t.SupportsIndex, grid_dim_y: _t.SupportsIndex, grid_dim_z: _t.SupportsIndex, block_dim_x: _t.SupportsIndex, block_dim_y: _t.SupportsIndex, block_dim_z: _t.SupportsIndex, shared_mem_bytes: _t.SupportsIndex, stream: _t.SupportsIndex, kernel_params: _t.SupportsIndex, extra: _t.SupportsIndex) -> None: ...
def linkAddData(state: _t.SupportsIndex, input_type: _t.SupportsIndex, data: _b.bytes, name: _b.str) -> None: ...
def linkAddFile(state: _t.SupportsIndex, input_type: _t.SupportsIndex, path: _b.str) -> None: ...
def linkComplete(state: _t.SupportsIndex) -> _b.bytes: ...
def linkCreate() -> _b.int: ...
def linkDestroy(state: _t.SupportsIndex) -> None: ...
def moduleGetFunction(module: _t.SupportsIndex, funcname: _b.str) -> _b.int: ...
def moduleGetGlobal(module: _t.SupportsIndex, varname: _b.str) -> _b.int: ...
def moduleLoad(filename: _b.str) -> _b.int: ...
def moduleLoadData(image: _b.bytes) -> _b.int: ...
def moduleUnload(module: _t.SupportsIndex) -> None: ...
def occupancyMaxActiveBlocksPerMultiprocessor(func: _t.SupportsIndex, blockSize: _t.SupportsIndex, dynamicSMemSize: _t.SupportsIndex) -> _b.int: ...
def occupancyMaxPotentialBlockSize(func: _t.SupportsIndex, dynamicSMemSize: _t.SupportsIndex, blockSizeLimit: _t.SupportsIndex) -> _b.tuple[_b.int, ...]: ...
def streamGetCtx(stream: _t.SupportsIndex) -> _b.int: ...
