"""Compilation of kernels."""

from gpunp._C import CompileException

__all__ = ["CompileException"]
