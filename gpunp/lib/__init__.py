"""Functions composed of array operations, in NumPy's own split."""

from . import array_utils, scimath, stride_tricks

__all__ = ["array_utils", "scimath", "stride_tricks"]
