"""Numba's device arrays from gpunp's memory pool, by Numba's interface for memory managers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.cuda import (
    GetIpcHandleMixin,
    HostOnlyCUDAMemoryManager,
    MemoryInfo,
    MemoryPointer,
)

from . import cuda


class GpunpNumbaManager(GetIpcHandleMixin, HostOnlyCUDAMemoryManager):
    """Memory manager that allocates device memory by the allocator of `gpunp.cuda`.

    Memory that Numba frees can be used again by work on the stream that is current in gpunp.
    Numba's kernels on other streams must be complete by then.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._live: dict[int, Any] = {}

    @property
    def interface_version(self) -> int:
        """Version of Numba's interface."""
        return 1

    def initialize(self) -> None:
        """Prepare page-locked memory, which is Numba's own."""
        super().initialize()

    def memalloc(self, size: int) -> Any:
        """Allocate device memory.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        numba.cuda.MemoryPointer
            Memory that goes back to the pool when Numba finalizes it.
        """
        with cuda.Device(self.context.device.id):
            memory = cuda.alloc(size)
        self._live[memory.ptr] = memory
        return MemoryPointer(self.context, memory.ptr, size, finalizer=self._finalizer(memory.ptr))

    def _finalizer(self, address: int) -> Callable[[], None]:
        live = self._live

        def finalize() -> None:
            live.pop(address, None)

        return finalize

    def get_memory_info(self) -> Any:
        """Return the free and the total memory of the device.

        Returns
        -------
        numba.cuda.MemoryInfo
            Bytes that the driver reports; the pool's unused memory counts as used.
        """
        with cuda.Device(self.context.device.id):
            free, total = cuda.runtime.memGetInfo()
        return MemoryInfo(free=free, total=total)

    def reset(self) -> None:
        """Free all memory that Numba holds."""
        super().reset()
        self._live.clear()

    @contextmanager
    def defer_cleanup(self) -> Iterator[None]:
        """Put off the freeing of page-locked memory; the pool's is free at once."""
        with super().defer_cleanup():
            yield
