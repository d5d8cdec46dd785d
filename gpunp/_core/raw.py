"""Kernels written in CUDA C++."""

from .._C import ElementwiseKernel, RawKernel, RawModule, ReductionKernel

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel"]
