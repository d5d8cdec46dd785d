"""Kernels written in CUDA C++."""

from .._C import ElementwiseKernel, RawKernel, RawModule

__all__ = ["ElementwiseKernel", "RawKernel", "RawModule"]
