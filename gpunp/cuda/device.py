"""Devices."""

import ctypes
import os
import threading

from gpunp._C import (
    Device,
    _allow_tf32,
    _library_handle,
    _set_peer_access,
    get_device_id,
    is_emulated,
)

__all__ = [
    "Device",
    "allow_tf32",
    "emulate_driver",
    "emulator_directory",
    "get_compute_capability",
    "from_pointer",
    "get_cublas_handle",
    "get_cusolver_handle",
    "get_cusolver_sp_handle",
    "get_cusparse_handle",
    "get_device_id",
    "is_available",
    "is_emulated",
    "set_peer_access",
]

_lent: list[object] = []  # handles of libraries that stay loaded
_thread = threading.local()  # its handles of libraries, by name and device


def get_compute_capability():
    """Return the compute capability of the current device as a string such as '90'.

    Returns
    -------
    str
        Major and minor version without a point.
    """
    return Device().compute_capability


_CONSENT: list[bool | str] = [False, True, "warn"]


def set_peer_access(allow):
    """Set whether operations take operands of another device than the current one.

    Functions work on a copy of such an operand, which is made in stream order. Kernels of the
    program's own (`RawKernel`, `ElementwiseKernel`, `ReductionKernel`, `jit.rawkernel`) access its
    memory over the bus between the devices. Assignments, `copyto`, `asarray` and `concatenate`
    copy between devices in any case.

    Parameters
    ----------
    allow : bool or str
        False, the default: such operands raise ValueError. True: they are used. 'warn': they are
        used with a PerformanceWarning, as in CuPy.

    Returns
    -------
    bool or str
        Setting before the call. It holds for all threads.

    Raises
    ------
    ValueError
        If `allow` is none of these.

    Examples
    --------
    >>> import gpunp as cp
    >>> before = cp.cuda.set_peer_access(True)
    >>> cp.cuda.set_peer_access(before)
    True
    """
    if allow not in _CONSENT or (isinstance(allow, (int, float)) and not isinstance(allow, bool)):
        raise ValueError(f"allow must be True, False or 'warn', not {allow!r}")
    return _CONSENT[_set_peer_access(_CONSENT.index(allow))]


def from_pointer(ptr):
    """Return the device whose memory contains an address.

    Parameters
    ----------
    ptr : int
        Address in device memory.

    Returns
    -------
    Device
        Device that holds the memory.
    """
    from . import runtime

    return Device(runtime.pointerGetAttributes(ptr).device)


def is_available():
    """Return whether a device is available: a GPU, or the emulated device.

    Returns
    -------
    bool
        Whether there is a device. The call opens the driver.
    """
    from . import runtime

    try:
        return runtime.getDeviceCount() > 0
    except RuntimeError:
        return False


def emulator_directory():
    """Return the directory with the emulated device's library, named ``libcuda.so.1``.

    Returns
    -------
    str
        The path, as printed by ``python -m gpunp emulator-path``.
    """
    library = os.environ.get("GPUNP_EMULATOR")
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(os.path.dirname(library) if library else package, "emulator")


def emulate_driver():
    """Make other libraries of this process use the emulated device as their CUDA driver.

    Numba and cuda-python open ``libcuda.so.1`` by name, and ``libnvJitLink``, whose machine code no
    CPU can run. After this call both names refer to the emulated device, and arrays can be shared:
    all libraries use its primary context. Nothing happens if gpunp uses a GPU.

    Returns
    -------
    bool
        Whether the emulated device is in use.

    Notes
    -----
    Call it before the other library loads the driver. Child processes load a driver of their own;
    use ``python -m gpunp emulate program`` for those.

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


# ---- NVIDIA's libraries ------------------------------------------------------------------------


def get_cublas_handle():
    """Return this thread's cuBLAS handle for the current device.

    The current stream is set. The handle belongs to gpunp: do not destroy it, and restore its
    stream after a change.

    Returns
    -------
    int
        Value of the cublasHandle_t.
    """
    return _library_handle("cublas")


def get_cusolver_handle():
    """Return this thread's handle of cuSOLVER's dense functions for the current device.

    The current stream is set. The handle belongs to gpunp: do not destroy it, and restore its
    stream after a change.

    Returns
    -------
    int
        Value of the cusolverDnHandle_t.
    """
    return _library_handle("cusolver")


def get_cusolver_sp_handle():
    """Return this thread's handle of cuSOLVER's sparse functions for the current device.

    The functions of `gpunp.cuda.cusolver` set its stream. The handle belongs to gpunp: do not
    destroy it. The emulated device has none.

    Returns
    -------
    int
        Value of the cusolverSpHandle_t.
    """
    from . import cusolver

    if is_emulated():
        missing = "the emulated device has no sparse functions of cuSOLVER"
        raise RuntimeError(cusolver._library.absent(missing))
    return _thread_handle("cusolverSp", cusolver, "spCreate")


def get_cusparse_handle():
    """Return this thread's cuSPARSE handle for the current device.

    The functions of `gpunp.cuda.cusparse` set its stream. The handle belongs to gpunp: do not
    destroy it.

    Returns
    -------
    int
        Value of the cusparseHandle_t.
    """
    from . import cusparse

    return _thread_handle("cusparse", cusparse, "create")


def _thread_handle(name, module, create):
    """A handle that is made at its first use, as are those of the extension."""
    handles = _thread.__dict__
    key = f"{name} {get_device_id()}"
    if key not in handles:
        handles[key] = getattr(module, create)()
    return handles[key]


class allow_tf32:
    """Set whether products of float32 and complex64 may round their operands to TF32.

    The setting takes effect at once, and is restored at the end of a ``with`` block. By default
    operands are not rounded; GPUNP_TF32=1 in the environment enables it from the start.

    Parameters
    ----------
    allowed : bool, optional
        Whether rounding to TF32 is allowed.

    Examples
    --------
    >>> import gpunp as cp
    >>> a = cp.ones((4, 4), dtype="f4")
    >>> with cp.cuda.allow_tf32():
    ...     b = a @ a
    """

    def __init__(self, allowed=True):
        self._before = _allow_tf32(bool(allowed))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _allow_tf32(self._before)


def _handle_of(get):
    """A property of Device: the handle that `get` returns on it."""

    def handle(self):
        with self:
            return get()

    return property(handle, doc=get.__doc__)


Device.cublas_handle = _handle_of(get_cublas_handle)
Device.cusolver_handle = _handle_of(get_cusolver_handle)
Device.cusolver_sp_handle = _handle_of(get_cusolver_sp_handle)
Device.cusparse_handle = _handle_of(get_cusparse_handle)
