"""gpunp's memory pool as the allocator of other libraries.

Set ``NUMBA_CUDA_MEMORY_MANAGER=gpunp.allocators`` in the environment for Numba's arrays; call
`torch.cuda.memory.change_current_allocator` with `torch_allocator()` for PyTorch's.
"""

from typing import Any

from . import _C

__all__ = ["numba_manager", "torch_allocator"]


def numba_manager() -> Any:
    """Return the class by which Numba allocates from gpunp's memory pool.

    Returns
    -------
    type
        Argument for `numba.cuda.set_memory_manager`, which has to be called before Numba makes its
        first context.

    Raises
    ------
    ImportError
        If Numba is not installed.

    Notes
    -----
    Memory that Numba frees can be used again by work on the stream that is current in gpunp;
    kernels that Numba runs on other streams must be complete by then. Page-locked memory is
    Numba's own.
    """
    from ._numba import GpunpNumbaManager

    return GpunpNumbaManager


def torch_allocator() -> Any:
    """Return an allocator by which PyTorch allocates from gpunp's memory pool.

    Returns
    -------
    torch.cuda.memory.CUDAPluggableAllocator
        Argument for `torch.cuda.memory.change_current_allocator`, which has to be called before
        PyTorch allocates anything on a device.

    Raises
    ------
    ImportError
        If PyTorch is not installed.

    Notes
    -----
    Memory belongs to the stream on which PyTorch asks for it. When there is none left, the error is
    passed to `sys.unraisablehook` and PyTorch gets a null pointer.
    """
    from torch.cuda.memory import CUDAPluggableAllocator

    return CUDAPluggableAllocator(_C.__file__, "gpunp_torch_alloc", "gpunp_torch_free")


def __getattr__(name: str) -> Any:
    if name == "_numba_memory_manager":
        return numba_manager()
    raise AttributeError(f"module 'gpunp.allocators' has no attribute {name!r}")
