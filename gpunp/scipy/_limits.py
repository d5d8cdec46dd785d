"""What a block may have on the current device."""

import functools

from ..cuda.device import Device

__all__ = ["multiprocessors", "shared_bytes"]


@functools.cache
def _of(number: int) -> tuple[int, int]:
    known = Device(number).attributes
    return known["MultiProcessorCount"], known["MaxSharedMemoryPerBlockOptin"]


def multiprocessors() -> int:
    """Multiprocessors of the current device."""
    return _of(Device().id)[0]


def shared_bytes() -> int:
    """Most bytes of shared memory of a block, if the kernel asks for them."""
    return _of(Device().id)[1]
