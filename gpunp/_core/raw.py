"""Kernels written in CUDA C++."""

from .._C import ElementwiseKernel, RawKernel, RawModule, ReductionKernel, _set_block_tuner

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]

set_block_tuner = _set_block_tuner
