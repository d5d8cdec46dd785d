"""Devices, streams, events and memory of CUDA."""

import importlib as _importlib
import os as _os

from .. import _foreign_names
from . import (
    driver,
    graph,
    memory,
    memory_hooks,
    nvrtc,
    nvtx,
    pinned_memory,
    runtime,
    stream,
    texture,
)
from .compiler import CompileException
from .device import (
    Device,
    allow_tf32,
    emulate_driver,
    emulator_directory,
    get_compute_capability,
    get_cublas_handle,
    get_cusolver_handle,
    get_device_id,
    is_available,
    is_emulated,
    set_peer_access,
)
from .driver import CUDADriverError
from .function import Function, Module
from .graph import Graph
from .memory import (
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryHook,
    MemoryPointer,
    MemoryPool,
    OutOfMemoryError,
    PooledMemory,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    get_default_memory_pool,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from .pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    get_default_pinned_memory_pool,
    set_pinned_memory_allocator,
)
from .profiler import profile
from .stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time


def get_cuda_path():
    """Return the path of the CUDA toolkit, or None.

    Returns
    -------
    str or None
        Path, or None if no toolkit is found.
    """
    for path in (_os.environ.get("CUDA_PATH"), _os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if path and _os.path.isdir(path):
            return path
    return None


def get_nvcc_path():
    """Return the path of the compiler nvcc, or None.

    Returns
    -------
    str or None
        Path, or None if nvcc is not found.
    """
    path = get_cuda_path()
    nvcc = _os.path.join(path, "bin", "nvcc") if path else ""
    return nvcc if _os.path.exists(nvcc) else None


def get_local_runtime_version():
    """Return the version of the CUDA toolkit in use, such as 13000 for 13.0.

    Returns
    -------
    int
        Version as 1000 times the major plus 10 times the minor number.
    """
    return runtime.runtimeGetVersion()


_LAZY_MODULES = (
    *("compiler", "cub", "cublas", "cufft", "curand", "cusolver", "cutensor", "device"),
    *("cusparse", "function", "memory_hook", "nccl", "profiler", "thrust"),
)


def __getattr__(name):
    if name in _LAZY_MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    use = _foreign_names.instead(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{use}")


__all__ = [name for name in globals() if not name.startswith("_")]
