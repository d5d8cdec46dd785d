"""Device memory: pools, pointers, allocators."""

import contextlib
import ctypes
import mmap
import operator
import threading
import weakref

import numpy as np

from gpunp import _C
from gpunp._C import BaseMemory, OutOfMemoryError, PooledMemory, get_current_stream

from . import runtime
from .memory_hook import MemoryHook
from .stream import ExternalStream, Stream

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "CFunctionAllocatorMemory",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryHook",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "PooledMemory",
    "PythonFunctionAllocator",
    "PythonFunctionAllocatorMemory",
    "SingleDeviceMemoryPool",
    "SystemMemory",
    "UnownedMemory",
    "alloc",
    "get_allocator",
    "malloc_async",
    "malloc_managed",
    "malloc_system",
    "set_allocator",
    "using_allocator",
]


# ---- kinds of memory


class Memory(BaseMemory):
    """Memory taken from the driver for this object alone.

    Parameters
    ----------
    size : int
        Bytes.
    """

    ptr = 0  # of an object whose __init__ raised

    def __init__(self, size):
        self.size = _C.as_size(size, "size")
        self.device_id = _C.get_device_id()
        self.ptr = runtime.malloc(size)

    def __del__(self, _release=_C._release_memory):
        if self.ptr:
            _release(self.ptr, self.device_id, None)


class ManagedMemory(BaseMemory):
    """Memory that host and device share and that moves to whoever touches it.

    Slow on most systems, and never used unless asked for.

    Parameters
    ----------
    size : int
        Bytes.
    """

    ptr = 0

    def __init__(self, size):
        self.size = _C.as_size(size, "size")
        self.device_id = _C.get_device_id()
        self.ptr = runtime.mallocManaged(size)

    def __del__(self, _release=_C._release_memory):
        if self.ptr:
            _release(self.ptr, self.device_id, None)

    def prefetch(self, stream, *, device_id=runtime.cudaInvalidDeviceId) -> None:
        """Move the memory to a device (this one by default) in stream order.

        Parameters
        ----------
        stream : Stream
            Where the move is queued.
        device_id : int, optional
            Where to; -1 is the host.
        """
        if device_id == runtime.cudaInvalidDeviceId:
            device_id = self.device_id
        runtime.memPrefetchAsync(self.ptr, self.size, device_id, stream.ptr)

    def advise(self, advise, dev) -> None:
        """Tell the driver how the memory will be used.

        Parameters
        ----------
        advise : int
            One of `runtime.cudaMemAdvise...`.
        dev : Device
            The device it is about.
        """
        runtime.memAdvise(self.ptr, self.size, advise, int(dev))


class MemoryAsync(BaseMemory):
    """Memory from the driver's own stream-ordered pool.

    Parameters
    ----------
    size : int
        Bytes.
    stream : Stream
        In whose order the memory is allocated and freed.
    """

    ptr = 0

    def __init__(self, size, stream):
        self.size = _C.as_size(size, "size")
        pointer = _stream_pointer(stream)
        self.device_id = _C.get_device_id()
        self._stream = stream
        self.stream_ref = weakref.ref(stream)
        self.ptr = runtime.mallocAsync(size, pointer)

    def __del__(self, _release=_C._release_memory):
        if self.ptr:
            _release(self.ptr, self.device_id, self._stream.ptr)


class SystemMemory(BaseMemory):
    """Memory of the C library, on systems whose devices read it: by ATS or HMM.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    RuntimeError
        When the device cannot (its attribute PageableMemoryAccess is 0).
    """

    def __init__(self, size):
        self.size = size = _C.as_size(size, "size")
        self.device_id = _C.get_device_id()
        self._buffer = None
        self.ptr = 0
        if not runtime.deviceGetAttribute(runtime.cudaDevAttrPageableMemoryAccess, self.device_id):
            raise RuntimeError(f"device {self.device_id} cannot access memory of the system")
        if size > 0:
            self._buffer = mmap.mmap(-1, size)
            self.ptr = np.frombuffer(self._buffer, np.uint8).ctypes.data

    prefetch = ManagedMemory.prefetch
    advise = ManagedMemory.advise


class UnownedMemory(BaseMemory):
    """Memory that somebody else allocated.

    Parameters
    ----------
    ptr : int
        The address.
    size : int
        Bytes.
    owner : object
        Kept alive as long as this object.
    device_id : int, optional
        The device's ordinal; -1 asks the driver.
    """

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr = _C.as_address(ptr, "ptr")
        self.size = _C.as_size(size, "size")
        if device_id < 0:
            device_id = runtime.pointerGetAttributes(ptr).device if ptr else _C.get_device_id()
        self.device_id = device_id
        self._owner = owner


# ---- pointers


def _host_address(mem):
    """Address of host memory: an int, a NumPy array, a ctypes pointer or a buffer."""
    if isinstance(mem, int):
        return mem
    if isinstance(mem, np.ndarray):
        return mem.ctypes.data
    value = getattr(mem, "value", None)  # ctypes.c_void_p
    if isinstance(value, int):
        return value
    if hasattr(mem, "ptr"):
        return mem.ptr
    return np.frombuffer(mem, np.uint8).ctypes.data


def _stream_pointer(stream):
    pointer = get_current_stream().ptr if stream is None else getattr(stream, "ptr", None)
    if not isinstance(pointer, int):
        raise TypeError(f"a stream is a Stream or None, not {type(stream).__name__}")
    return pointer


def _check_pointer(src):
    if not isinstance(src, MemoryPointer):
        raise TypeError(f"expected a MemoryPointer, not {type(src).__name__}")


class MemoryPointer:
    """An address inside a block of device memory.

    Parameters
    ----------
    mem : BaseMemory
        The block, kept alive.
    offset : int
        Bytes from its start.
    """

    __slots__ = ("__weakref__", "device_id", "mem", "ptr")

    def __init__(self, mem, offset):
        if not isinstance(mem, BaseMemory):
            raise TypeError(f"mem must be a BaseMemory, not {type(mem).__name__}")
        self.mem = mem
        self.ptr = _C.as_address(mem.ptr + operator.index(offset), "the address")
        self.device_id = mem.device_id

    @property
    def device(self):
        """The device that holds the memory."""
        return self.mem.device

    @property
    def size(self):
        """Bytes from here to the end of the block."""
        return self.mem.size - (self.ptr - self.mem.ptr)

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} device={self.device_id} mem={self.mem!r}>"

    def __add__(self, other):
        if isinstance(self, MemoryPointer) and isinstance(other, int):
            return MemoryPointer(self.mem, self.ptr - self.mem.ptr + other)
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -offset if isinstance(offset, int) else NotImplemented

    def __iadd__(self, offset):
        self.ptr = _C.as_address(self.ptr + operator.index(offset), "the address")
        return self

    def __isub__(self, offset):
        return self.__iadd__(-operator.index(offset))

    def copy_from_device(self, src, size) -> None:
        """Copy `size` bytes from another MemoryPointer.

        Parameters
        ----------
        src : MemoryPointer
            Where from; its device may be another one.
        size : int
            Bytes. Returns when they are copied.
        """
        if _C.as_size(size, "size") > 0:
            self.copy_from_device_async(src, size, Stream.null)
            Stream.null.synchronize()

    def copy_from_device_async(self, src, size, stream=None) -> None:
        """Copy `size` bytes from another MemoryPointer in stream order.

        Parameters
        ----------
        src : MemoryPointer
            Where from; its device may be another one.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        _check_pointer(src)
        pointer = _stream_pointer(stream)
        if _C.as_size(size, "size") > 0:
            if src.device_id == self.device_id:
                kind = runtime.memcpyDeviceToDevice
                runtime.memcpyAsync(self.ptr, src.ptr, size, kind, pointer)
            else:
                runtime.memcpyPeerAsync(
                    self.ptr, self.device_id, src.ptr, src.device_id, size, pointer
                )

    def copy_from_host(self, mem, size) -> None:
        """Copy `size` bytes from host memory: an address, a ctypes pointer or a buffer.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Where from.
        size : int
            Bytes. Returns when they are copied.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memcpy(self.ptr, _host_address(mem), size, runtime.memcpyHostToDevice)

    def copy_from_host_async(self, mem, size, stream=None) -> None:
        """Copy `size` bytes from host memory in stream order; it must stay as it is till then.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Where from.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        if _C.as_size(size, "size") > 0:
            kind = runtime.memcpyHostToDevice
            pointer = _stream_pointer(stream)
            runtime.memcpyAsync(self.ptr, _host_address(mem), size, kind, pointer)

    def copy_from(self, mem, size) -> None:
        """Copy from a MemoryPointer or from host memory.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes pointer or buffer
            Where from; numbers are addresses of the host.
        size : int
            Bytes.
        """
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem, size, stream=None) -> None:
        """Copy from a MemoryPointer or from host memory in stream order.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes pointer or buffer
            Where from; numbers are addresses of the host.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def copy_to_host(self, mem, size) -> None:
        """Copy `size` bytes to host memory.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Where to.
        size : int
            Bytes. Returns when they are copied.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memcpy(_host_address(mem), self.ptr, size, runtime.memcpyDeviceToHost)

    def copy_to_host_async(self, mem, size, stream=None) -> None:
        """Copy `size` bytes to host memory in stream order.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Where to; it must not be read before the stream is synchronised.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        if _C.as_size(size, "size") > 0:
            kind = runtime.memcpyDeviceToHost
            pointer = _stream_pointer(stream)
            runtime.memcpyAsync(_host_address(mem), self.ptr, size, kind, pointer)

    def memset(self, value, size) -> None:
        """Fill `size` bytes with one value.

        Parameters
        ----------
        value : int
            Of a byte.
        size : int
            Bytes.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memset(self.ptr, value, size)

    def memset_async(self, value, size, stream=None) -> None:
        """Fill `size` bytes with one value in stream order.

        Parameters
        ----------
        value : int
            Of a byte.
        size : int
            Bytes.
        stream : Stream, optional
            The current one by default.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memsetAsync(self.ptr, value, size, _stream_pointer(stream))


# ---- pools


class MemoryPool(_C.MemoryPool):
    """A pool of device memory, per device and stream.

    Memory freed on a stream is reused there at once; memory that other streams used as well is
    reused when their work is done.

    Parameters
    ----------
    allocator : callable, optional
        Where the pool takes its segments from: size -> MemoryPointer. The driver by default.
    """

    def malloc(self, size):
        """Return a MemoryPointer to a new block of `size` bytes, ordered on the current stream.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            The block goes back to the pool when nothing refers to it.

        Raises
        ------
        OutOfMemoryError
            The device, or the pool's limit, has no room for it.
        """
        return MemoryPointer(self._malloc(size), 0)

    def free_all_free(self) -> None:
        """The old name of free_all_blocks."""
        self.free_all_blocks()


class SingleDeviceMemoryPool(MemoryPool):
    """A pool of the memory of the device that is current when it is made.

    Parameters
    ----------
    allocator : callable, optional
        Where it takes its segments from: size -> MemoryPointer.
    """

    def __init__(self, allocator=None):
        self._device_id = _C.get_device_id()

    def malloc(self, size):
        """Return a MemoryPointer to a new block; the pool's device must be the current one.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            To memory of the pool's device.
        """
        if _C.get_device_id() != self._device_id:
            raise RuntimeError(
                f"this pool holds memory of device {self._device_id}, and device "
                f"{_C.get_device_id()} is the current one"
            )
        return super().malloc(size)


class MemoryAsyncPool:
    """The driver's stream-ordered memory pool.

    Parameters
    ----------
    pool_handles : str or int
        'current' or 'default' pool of each device, or the handle of one pool.
    """

    memoryAsyncHasStat = True

    def __init__(self, pool_handles="current"):
        if not isinstance(pool_handles, int) and pool_handles not in ("current", "default"):
            raise ValueError("pool_handles must be 'current', 'default' or a handle")
        self._pool = pool_handles

    def _handle(self):
        if isinstance(self._pool, int):
            return self._pool
        if self._pool == "default":
            return runtime.deviceGetDefaultMemPool(_C.get_device_id())
        return runtime.deviceGetMemPool(_C.get_device_id())

    def malloc(self, size):
        """Return a MemoryPointer to a new block of `size` bytes.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            The block goes back to the driver's pool in stream order.
        """
        if isinstance(self._pool, int) or self._pool == "default":
            device_id, handle = _C.get_device_id(), self._handle()
            if runtime.deviceGetMemPool(device_id) != handle:
                runtime.deviceSetMemPool(device_id, handle)
        return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)

    def free_all_blocks(self, stream=None) -> None:
        """Give memory that is not in use back to the device.

        Parameters
        ----------
        stream : Stream, optional
            Waited for first; the null stream by default.
        """
        if not isinstance(stream, (Stream, ExternalStream, type(None))):
            raise TypeError(f"a stream is a Stream or None, not {type(stream).__name__}")
        (Stream.null if stream is None else stream).synchronize()
        runtime.memPoolTrimTo(self._handle(), 0)

    def n_free_blocks(self):
        """Return 0: the driver does not count its free blocks.

        Returns
        -------
        int
            Always 0.
        """
        return 0

    def used_bytes(self):
        """Return the bytes in use.

        Returns
        -------
        int
            Bytes.
        """
        return runtime.memPoolGetAttribute(self._handle(), runtime.cudaMemPoolAttrUsedMemCurrent)

    def free_bytes(self):
        """Return the bytes the pool holds and nobody uses.

        Returns
        -------
        int
            Bytes.
        """
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self):
        """Return the bytes the pool has taken from the device.

        Returns
        -------
        int
            Bytes.
        """
        return runtime.memPoolGetAttribute(
            self._handle(), runtime.cudaMemPoolAttrReservedMemCurrent
        )

    def set_limit(self, size=None, fraction=None) -> None:
        """Set how many bytes the pool keeps when they are free (its release threshold).

        Parameters
        ----------
        size : int, optional
            Bytes; 0 by default: nothing is kept past a synchronisation.
        fraction : float, optional
            Of the device's memory, instead of `size`.
        """
        if size is not None and fraction is not None:
            raise ValueError("size and fraction exclude each other")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"fraction must lie between 0 and 1, not {fraction!r}")
            size = int(fraction * runtime.memGetInfo()[1])
        size = 0 if size is None else size
        if size < 0:
            raise ValueError("size must not be negative")
        runtime.memPoolSetAttribute(self._handle(), runtime.cudaMemPoolAttrReleaseThreshold, size)

    def get_limit(self):
        """Return the release threshold in bytes.

        Returns
        -------
        int
            Bytes; what is free above it goes back to the device at the next synchronisation.
        """
        return runtime.memPoolGetAttribute(self._handle(), runtime.cudaMemPoolAttrReleaseThreshold)


_default_pool = MemoryPool()
_default_pool._make_default()


def get_default_memory_pool():
    """Return the pool that arrays are allocated from unless another allocator is set.

    Returns
    -------
    MemoryPool
    """
    return _default_pool


# ---- allocators


class PythonFunctionAllocator:
    """An allocator made of two functions.

    Parameters
    ----------
    malloc_func : callable
        (size, device_id) -> address.
    free_func : callable
        (address, device_id) -> None.
    """

    def __init__(self, malloc_func, free_func):
        self._malloc = malloc_func
        self._free = free_func

    def malloc(self, size):
        """Return a MemoryPointer to `size` bytes.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            To memory that the Python function gives and takes back.
        """
        device_id = _C.get_device_id()
        memory = PythonFunctionAllocatorMemory(size, self._malloc, self._free, device_id)
        return MemoryPointer(memory, 0)


class CFunctionAllocator:
    """An allocator made of two C functions.

    Parameters
    ----------
    param : int
        Address handed to both functions first.
    malloc_func : int
        Address of void *(void *param, size_t size, int device_id).
    free_func : int
        Address of void (void *param, void *address, int device_id).
    owner : object
        Kept alive as long as the allocator and its memory.
    """

    def __init__(self, param, malloc_func, free_func, owner):
        self._param = param
        self._malloc = malloc_func
        self._free = free_func
        self._owner = owner

    def malloc(self, size):
        """Return a MemoryPointer to `size` bytes.

        Parameters
        ----------
        size : int
            Bytes.

        Returns
        -------
        MemoryPointer
            To memory that the C function gives and takes back.
        """
        device_id = _C.get_device_id()
        memory = CFunctionAllocatorMemory(size, self._param, self._malloc, self._free, device_id)
        memory._owner = self._owner
        return MemoryPointer(memory, 0)


class PythonFunctionAllocatorMemory(BaseMemory):
    """Memory from a function, given back to another.

    Parameters
    ----------
    size : int
        Bytes.
    malloc_func : callable
        (size, device_id) -> address.
    free_func : callable
        (address, device_id) -> None.
    device_id : int
        The device's ordinal.
    """

    ptr = 0

    def __init__(self, size, malloc_func, free_func, device_id):
        self.size = _C.as_size(size, "size")
        self.device_id = device_id
        self._free = free_func
        self.ptr = malloc_func(size, device_id)
        if not self.ptr and size > 0:
            raise OutOfMemoryError(f"the allocator's function gave nothing for {size} bytes")

    def __del__(self):
        if self.ptr:
            self._free(self.ptr, self.device_id)
            self.ptr = 0


class CFunctionAllocatorMemory(PythonFunctionAllocatorMemory):
    """Memory from a C function, given back to another.

    Parameters
    ----------
    size : int
        Bytes.
    param : int
        Address handed to both functions first.
    malloc_func, free_func : int
        Addresses, as of CFunctionAllocator.
    device_id : int
        The device's ordinal.
    """

    def __init__(self, size, param, malloc_func, free_func, device_id):
        pointer = ctypes.c_void_p
        malloc = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_size_t, ctypes.c_int)(malloc_func)
        free = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int)(free_func)
        super().__init__(
            size,
            lambda size, device_id: malloc(param, size, device_id) or 0,
            lambda address, device_id: free(param, address, device_id),
            device_id,
        )


def _malloc(size):
    return MemoryPointer(Memory(size), 0)


def malloc_managed(size):
    """Allocate `size` bytes of managed memory; usable as an allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
    """
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_system(size):
    """Allocate `size` bytes of the C library's memory; usable as an allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer

    Notes
    -----
    Only where the device reads such memory: with ATS or HMM.
    """
    return MemoryPointer(SystemMemory(size), 0)


def malloc_async(size):
    """Allocate `size` bytes from the driver's stream-ordered pool; usable as an allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
    """
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)


_allocator = _default_pool.malloc  # as the user set it
_thread = threading.local()


def _for_core(allocator):
    """What the C side is told: None for the default pool, a pool, or a callable."""
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool) and getattr(allocator, "__func__", None) is MemoryPool.malloc:
        return None if pool is _default_pool else pool
    return allocator


def set_allocator(allocator=None) -> None:
    """Set what allocates device memory in all threads.

    Parameters
    ----------
    allocator : callable, optional
        size -> MemoryPointer, such as `MemoryPool().malloc`. None takes each block from the
        driver, without a pool.
    """
    global _allocator
    if getattr(_thread, "stack", None):
        raise ValueError("set_allocator cannot be called inside using_allocator")
    if allocator is None:
        allocator = _malloc
    elif not callable(allocator):
        raise TypeError("the allocator must be callable: size -> MemoryPointer")
    _C._set_allocator(_for_core(allocator))
    _allocator = allocator


def get_allocator():
    """Return what allocates device memory in this thread.

    Returns
    -------
    callable
        size -> MemoryPointer.
    """
    stack = getattr(_thread, "stack", None)
    return stack[-1] if stack else _allocator


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Set what allocates device memory in this thread, for a `with` block.

    Parameters
    ----------
    allocator : callable, optional
        As of set_allocator.

    Returns
    -------
    context manager
        The allocator before comes back at the block's end.
    """
    allocator = _malloc if allocator is None else allocator
    if not callable(allocator):
        raise TypeError("the allocator must be callable: size -> MemoryPointer")
    if not hasattr(_thread, "stack"):
        _thread.stack = []
    _thread.stack.append(allocator)
    _set_for_thread(allocator)
    try:
        yield
    finally:
        _thread.stack.pop()
        _set_for_thread(_thread.stack[-1] if _thread.stack else None)


def _set_for_thread(allocator):
    """Tell the C side; the default pool is named, since None means the allocator of all threads."""
    if allocator is not None:
        allocator = _for_core(allocator)
        allocator = _default_pool if allocator is None else allocator
    _C._set_thread_allocator(allocator)


def alloc(size):
    """Allocate `size` bytes with the current allocator.

    Parameters
    ----------
    size : int
        Bytes.

    Returns
    -------
    MemoryPointer
    """
    return get_allocator()(size)


_C.MemoryPointer = MemoryPointer
_C.UnownedMemory = UnownedMemory
