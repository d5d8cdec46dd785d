"""Devices."""

from gpunp._C import Device, get_device_id, is_emulated

__all__ = ["Device", "get_device_id", "get_compute_capability", "is_emulated", "is_available"]


def get_compute_capability():
    """Return the compute capability of the current device as text, such as '90'."""
    return Device().compute_capability


def is_available():
    """Return whether a device can be used: a GPU, or the emulated one."""
    from . import runtime

    try:
        return runtime.getDeviceCount() > 0
    except RuntimeError:
        return False
