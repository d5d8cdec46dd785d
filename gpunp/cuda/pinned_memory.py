"""Page-locked host memory, which devices read and write directly."""

import threading

from gpunp._C import PinnedMemory, PinnedMemoryPointer, as_size

from . import runtime

__all__ = [
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PooledPinnedMemory",
    "alloc_pinned_memory",
    "get_default_pinned_memory_pool",
    "is_memory_pinned",
    "set_pinned_memory_allocator",
]


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


class PooledPinnedMemory:
    """Block of a pool, to which it returns when it is freed or destroyed.

    Parameters
    ----------
    mem : PinnedMemoryPointer
        Pointer to the block.
    pool : PinnedMemoryPool
        Pool that owns the block.
    """

    mem = None  # of an object whose __init__ raised

    def __init__(self, mem, pool):
        if not isinstance(getattr(mem, "ptr", None), int) or not hasattr(mem, "size"):
            raise TypeError(f"mem must be a PinnedMemoryPointer, not {type(mem).__name__}")
        self.ptr = mem.ptr
        self.size = mem.size() if callable(mem.size) else mem.size
        self.mem, self.pool = mem, pool

    def free(self) -> None:
        """Return the block to its pool."""
        mem, self.mem = self.mem, None
        if mem is not None:
            self.ptr = 0
            self.pool._give_back(self.size, mem)

    def __int__(self):
        return self.ptr

    def __del__(self):
        self.free()


class PinnedMemoryPool:
    """Pool of page-locked memory in blocks whose sizes are powers of two.

    Parameters
    ----------
    allocator : callable, optional
        Function size -> PinnedMemoryPointer that allocates new blocks.
    """

    def __init__(self, allocator=None):
        self._allocator = _malloc if allocator is None else allocator
        self._free = {}  # rounded size -> blocks
        self._lock = (
            threading.RLock()
        )  # reentrant: the garbage collector may return a block while the lock is held

    def malloc(self, size):
        """Allocate at least `size` bytes from the pool.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        PinnedMemoryPointer
            Pointer to the block, which returns to the pool when nothing refers to it.
        """
        size = as_size(size, "size")
        rounded = max(512, 1 << (size - 1).bit_length()) if size > 0 else 512
        with self._lock:
            blocks = self._free.get(rounded)
            block = blocks.pop() if blocks else None
        if block is None:
            block = self._allocator(rounded)
        return PinnedMemoryPointer(PooledPinnedMemory(block, self), 0)

    def _give_back(self, rounded, block):
        with self._lock:
            self._free.setdefault(rounded, []).append(block)

    def free_all_blocks(self) -> None:
        """Release all unused blocks to the system."""
        with self._lock:
            self._free.clear()

    def n_free_blocks(self):
        """Return the number of free blocks in the pool.

        Returns
        -------
        int
            Number of blocks.
        """
        with self._lock:
            return sum(map(len, self._free.values()))


_default_pool = PinnedMemoryPool()
_allocator = _default_pool.malloc


def get_default_pinned_memory_pool():
    """Return the default pool of page-locked memory.

    Returns
    -------
    PinnedMemoryPool
        The default pool of host memory.
    """
    return _default_pool


def alloc_pinned_memory(size):
    """Allocate `size` bytes of page-locked memory with the current allocator.

    Parameters
    ----------
    size : int
        Number of bytes to allocate.

    Returns
    -------
    PinnedMemoryPointer
        Pointer with the buffer protocol: `numpy.frombuffer(mem, dtype, count)` makes an array of
        it.
    """
    return _allocator(size)


def set_pinned_memory_allocator(allocator=None) -> None:
    """Set the allocator of page-locked memory.

    Parameters
    ----------
    allocator : callable, optional
        Function size -> PinnedMemoryPointer. None allocates each block from the driver, without a
        pool.
    """
    global _allocator
    _allocator = _malloc if allocator is None else allocator


def is_memory_pinned(data):
    """Return whether an address is in page-locked memory.

    Parameters
    ----------
    data : int
        Address in host memory.

    Returns
    -------
    bool
        True if the driver has page-locked the memory.
    """
    return runtime.pointerGetAttributes(data).type == runtime.memoryTypeHost
