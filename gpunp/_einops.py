"""How einops works with arrays of the device: it finds backends among the subclasses of its own."""

from typing import Any

import numpy as np
from einops._backends import AbstractBackend

import gpunp


class GpunpBackend(AbstractBackend):
    """Operations of einops on arrays of the device."""

    framework_name = "gpunp"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether this backend works with the object."""
        return isinstance(tensor, gpunp.ndarray)

    def from_numpy(self, x: np.ndarray) -> gpunp.ndarray:
        """The array on the device."""
        return gpunp.asarray(x)

    def to_numpy(self, x: gpunp.ndarray) -> np.ndarray:
        """A copy on the host."""
        return gpunp.asnumpy(x)

    def arange(self, start: int, stop: int) -> gpunp.ndarray:
        """Integers in an interval."""
        return gpunp.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors: list[Any]) -> gpunp.ndarray:
        """The arrays along a new first axis."""
        return gpunp.stack(tensors)

    def add_axis(self, x: gpunp.ndarray, new_position: int) -> gpunp.ndarray:
        """A view with a new axis."""
        return gpunp.expand_dims(x, new_position)

    def tile(self, x: gpunp.ndarray, repeats: Any) -> gpunp.ndarray:
        """The array repeated along its axes."""
        return gpunp.tile(x, repeats)

    def concat(self, tensors: list[Any], axis: int) -> gpunp.ndarray:
        """The arrays joined along an axis."""
        return gpunp.concatenate(tensors, axis=axis)

    def is_float_type(self, x: gpunp.ndarray) -> bool:
        """Whether elements are floating-point numbers, whose mean has their type."""
        return bool(gpunp.isdtype(x.dtype, "real floating"))

    def einsum(self, pattern: str, *x: gpunp.ndarray) -> gpunp.ndarray:
        """Sums of products by a pattern."""
        return gpunp.einsum(pattern, *x)
