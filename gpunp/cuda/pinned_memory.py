"""Page-locked host memory, which devices read and write directly."""

import threading

from gpunp._C import PinnedMemory, PinnedMemoryPointer

__all__ = [
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "alloc_pinned_memory",
    "get_default_pinned_memory_pool",
    "set_pinned_memory_allocator",
]


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


class _PooledPinnedMemory:
    """A block on loan: it goes back to its pool with this object."""

    def __init__(self, pool, block, rounded):
        self.ptr = block.ptr
        self.size = rounded
        self._pool, self._block = pool, block

    def __del__(self):
        self._pool._give_back(self.size, self._block)


class PinnedMemoryPool:
    """A pool of page-locked memory in blocks of powers of two.

    Parameters
    ----------
    allocator : callable, optional
        size -> PinnedMemoryPointer, for blocks the pool does not have.
    """

    def __init__(self, allocator=None):
        self._allocator = _malloc if allocator is None else allocator
        self._free = {}  # rounded size -> blocks
        self._lock = threading.RLock()  # a block may come back while the collector runs inside

    def malloc(self, size):
        """Return a PinnedMemoryPointer to at least `size` bytes."""
        rounded = max(512, 1 << (size - 1).bit_length()) if size > 0 else 512
        with self._lock:
            blocks = self._free.get(rounded)
            block = blocks.pop() if blocks else None
        if block is None:
            block = self._allocator(rounded)
        return PinnedMemoryPointer(_PooledPinnedMemory(self, block, rounded), 0)

    def _give_back(self, rounded, block):
        with self._lock:
            self._free.setdefault(rounded, []).append(block)

    def free_all_blocks(self):
        """Give all blocks that are not in use back to the system."""
        with self._lock:
            self._free.clear()

    def n_free_blocks(self):
        """Return how many free blocks the pool keeps."""
        with self._lock:
            return sum(map(len, self._free.values()))


_default_pool = PinnedMemoryPool()
_allocator = _default_pool.malloc


def get_default_pinned_memory_pool():
    """Return the pool of page-locked memory.

    Returns
    -------
    PinnedMemoryPool
    """
    return _default_pool


def alloc_pinned_memory(size):
    """Allocate `size` bytes of page-locked memory with the current allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    PinnedMemoryPointer
        It has the buffer protocol: `numpy.frombuffer(mem, dtype, count)` makes an array of it.
    """
    return _allocator(size)


def set_pinned_memory_allocator(allocator=None):
    """Set what allocates page-locked memory.

    Parameters
    ----------
    allocator : callable, optional
        size -> PinnedMemoryPointer. None takes each block from the driver, without a pool.
    """
    global _allocator
    _allocator = _malloc if allocator is None else allocator
