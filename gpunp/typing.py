"""Types for annotations: NumPy's, with the device array added."""

from typing import Any, TypeAlias

from numpy.typing import DTypeLike

from ._core.multiarray import ndarray

ArrayLike: TypeAlias = Any
NDArray: TypeAlias = ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]


def __getattr__(name):
    if name == "NBitBase":  # accessing NumPy's warns: it is deprecated
        import numpy.typing

        return numpy.typing.NBitBase
    raise AttributeError(f"module 'gpunp.typing' has no attribute {name!r}")
