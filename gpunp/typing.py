"""Types for annotations: NumPy's, with the device array added."""

from typing import Any, TypeAlias

from numpy.typing import DTypeLike

from ._core.multiarray import ndarray

ArrayLike: TypeAlias = Any
NDArray: TypeAlias = ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]
