"""The device seen from the top: availability, memory pools, a description of the installation."""

import contextlib
import platform
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _C
from .._C import DeviceSynchronized, allow_host_copy, set_index_mode
from .._version import __version__

__all__ = [
    "DeviceSynchronized",
    "allow_host_copy",
    "allow_synchronize",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "is_available",
    "set_index_mode",
    "show_config",
]

# gpunp.cuda is imported on use: `import gpunp` stays cheap.


@contextlib.contextmanager
def allow_synchronize(allow) -> Iterator[None]:
    """Context manager that sets whether this thread may wait for the device.

    Parameters
    ----------
    allow : bool
        If False, operations that wait, such as `a.get()`, `float(a)` or `a[mask]`, raise
        DeviceSynchronized. True allows them again within such a block.

    Yields
    ------
    None

    Examples
    --------
    >>> import gpunp as cp
    >>> with cp.allow_synchronize(False):
    ...     b = cp.arange(3) + 1  # only starts work
    >>> b
    array([1, 2, 3])
    """
    before = _C._allow_waits(bool(allow))
    try:
        yield
    finally:
        _C._allow_waits(before)


def is_available() -> bool:
    """Return whether a device is available.

    Returns
    -------
    bool
        True if there is a GPU, or the emulated device.
    """
    from .. import cuda

    return cuda.is_available()


def get_default_memory_pool() -> Any:
    """Return the memory pool from which arrays on the current device are allocated.

    Returns
    -------
    cuda.MemoryPool
        Pool of the current device.
    """
    from .. import cuda

    return cuda.get_default_memory_pool()


def get_default_pinned_memory_pool() -> Any:
    """Return the pool of page-locked host memory that transfers use.

    Returns
    -------
    cuda.PinnedMemoryPool
        Pool of host memory.
    """
    from .. import cuda

    return cuda.get_default_pinned_memory_pool()


def show_config(mode="stdout", *, _full=False):
    """Print versions and devices, or return them as a dict if `mode` is 'dicts'.

    `python -m gpunp` prints more, including why a library is missing.

    Parameters
    ----------
    mode : {'stdout', 'dicts'}, optional
        Whether to print the configuration or to return it.
    _full : bool, optional
        Whether to print what `show_runtime` does, NVRTC among it.

    Returns
    -------
    dict of str, or None
        Configuration by name if `mode` is 'dicts'.

    Raises
    ------
    AttributeError
        If `mode` is neither, as in NumPy.
    """
    if mode not in ("stdout", "dicts"):
        raise AttributeError("Invalid `mode`, use one of: stdout, dicts")
    if _full and mode == "stdout":
        from .runtime_info import show_runtime

        return show_runtime()
    from ..cuda import runtime

    rows = [
        ("OS", platform.platform()),
        ("Python", platform.python_version()),
        ("gpunp", __version__),
        ("NumPy", np.__version__),
        ("CUDA driver", str(runtime.driverGetVersion())),
    ]
    for i in range(runtime.getDeviceCount()):
        properties = runtime.getDeviceProperties(i)
        rows.append((f"Device {i}", properties["name"].decode()))
    if mode == "dicts":
        return dict(rows)
    for label, value in rows:
        print(f"{label:<14}: {value}")
