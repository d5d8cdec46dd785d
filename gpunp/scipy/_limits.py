"""What a block may have on the current device."""

import functools

from ..cuda.device import Device

__all__ = ["has_clusters", "multiprocessors", "shared_bytes"]


@functools.cache
def _of(number: int) -> tuple[int, int, bool]:
    known = Device(number).attributes
    most = known["MaxSharedMemoryPerBlockOptin"]
    return known["MultiProcessorCount"], most, known["ComputeCapabilityMajor"] >= 9


def multiprocessors() -> int:
    """Multiprocessors of the current device."""
    return _of(Device().id)[0]


def shared_bytes() -> int:
    """Most bytes of shared memory of a block, if the kernel asks for them."""
    return _of(Device().id)[1]


def has_clusters() -> bool:
    """Whether blocks of the current device see each other's shared memory."""
    return _of(Device().id)[2]
