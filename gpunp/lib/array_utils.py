"""Utilities for functions of arrays."""

from .._core._convert import normalize_axis_index, normalize_axis_tuple
from ._array_utils_impl import byte_bounds

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]
