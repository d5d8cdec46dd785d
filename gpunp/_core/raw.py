"""Kernels written in CUDA C++."""

from .._C import RawKernel, RawModule

__all__ = ["RawKernel", "RawModule"]
