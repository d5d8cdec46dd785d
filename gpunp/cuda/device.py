"""Devices."""

import ctypes
import os

from gpunp._C import Device, get_device_id, is_emulated

__all__ = [
    "Device",
    "emulate_driver",
    "emulator_directory",
    "get_compute_capability",
    "from_pointer",
    "get_device_id",
    "is_available",
    "is_emulated",
]

_lent: list[object] = []  # handles of libraries that stay loaded


def get_compute_capability():
    """Return the compute capability of the current device as text, such as '90'."""
    return Device().compute_capability


def from_pointer(ptr):
    """Return the device whose memory an address is in.

    Parameters
    ----------
    ptr : int
        The address.

    Returns
    -------
    Device
    """
    from . import runtime

    return Device(runtime.pointerGetAttributes(ptr).device)


def is_available():
    """Return whether a device can be used: a GPU, or the emulated one."""
    from . import runtime

    try:
        return runtime.getDeviceCount() > 0
    except RuntimeError:
        return False


def emulator_directory():
    """Return the directory in which programs find the emulated device as ``libcuda.so.1``.

    Returns
    -------
    str
        What ``python -m gpunp emulator-path`` prints.
    """
    library = os.environ.get("GPUNP_EMULATOR")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(os.path.dirname(library) if library else package, "emulator")


def emulate_driver():
    """Let other libraries of this process find the emulated device under the driver's name.

    Numba and cuda-python open ``libcuda.so.1`` by name, and ``libnvJitLink``, whose machine code no
    CPU runs. After this call both names mean the emulated device, and gpunp's arrays are theirs:
    all share its primary context. Nothing happens when gpunp uses a GPU.

    Returns
    -------
    bool
        Whether the emulated device is in use.

    Notes
    -----
    To be called before the other library looks for a driver. Processes that are started from this
    one find a driver of their own; ``python -m gpunp emulate program`` serves those.

    Examples
    --------
    >>> import gpunp as cp
    >>> emulated = cp.cuda.emulate_driver()
    >>> from numba import cuda  # doctest: +SKIP
    """
    if not is_emulated():
        return False
    directory = emulator_directory()
    if not _lent:
        for name in ("libcuda.so.1", "libnvJitLink.so.12", "libnvJitLink.so.13"):
            _lent.append(ctypes.CDLL(os.path.join(directory, name)))
    return True
