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
    """Memory allocated from the driver, without a pool.

    Parameters
    ----------
    size : int
        Size of the allocation in bytes.
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
    """Managed memory, which migrates between host and device on access.

    It is slow on most systems, and never used by default.

    Parameters
    ----------
    size : int
        Size of the allocation in bytes.
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
        """Prefetch the memory to a device in stream order.

        Parameters
        ----------
        stream : Stream
            Stream in which the operation is queued.
        device_id : int, optional
            Ordinal of the device; -1 is the host. By default the device of the allocation.
        """
        if device_id == runtime.cudaInvalidDeviceId:
            device_id = self.device_id
        runtime.memPrefetchAsync(self.ptr, self.size, device_id, stream.ptr)

    def advise(self, advise, dev) -> None:
        """Advise the driver about the expected use of the memory.

        Parameters
        ----------
        advise : int
            Advice, one of the constants `runtime.cudaMemAdvise...`.
        dev : Device
            Device that the advice concerns.
        """
        runtime.memAdvise(self.ptr, self.size, advise, int(dev))


class MemoryAsync(BaseMemory):
    """Memory allocated from the driver's stream-ordered pool.

    Parameters
    ----------
    size : int
        Size of the allocation in bytes.
    stream : Stream
        Stream in whose order the memory is allocated and freed.
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
    """Memory allocated by the C library, on systems whose devices can access it (ATS or HMM).

    Parameters
    ----------
    size : int
        Size of the allocation in bytes.

    Raises
    ------
    RuntimeError
        If the device cannot access such memory (its attribute PageableMemoryAccess is 0).
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
    """Memory that is owned by another object.

    Parameters
    ----------
    ptr : int
        Address of the memory.
    size : int
        Size of the memory in bytes.
    owner : object
        Object that owns the memory and is kept alive.
    device_id : int, optional
        Ordinal of the device; -1 asks the driver.
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
    """Pointer into a block of device memory.

    Parameters
    ----------
    mem : BaseMemory
        Block of memory, which is kept alive.
    offset : int
        Offset in bytes from the start of the block.
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
        """Number of bytes from the pointer to the end of the block."""
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
        """Copy `size` bytes from another MemoryPointer; return when they are copied.

        Parameters
        ----------
        src : MemoryPointer
            Source pointer, possibly on another device.
        size : int
            Number of bytes to copy.
        """
        if _C.as_size(size, "size") > 0:
            self.copy_from_device_async(src, size, Stream.null)
            Stream.null.synchronize()

    def copy_from_device_async(self, src, size, stream=None) -> None:
        """Copy `size` bytes from another MemoryPointer in stream order.

        Parameters
        ----------
        src : MemoryPointer
            Source pointer, possibly on another device.
        size : int
            Number of bytes to copy.
        stream : Stream, optional
            Stream in which the copy is queued. By default the current one.
        """
        _check_pointer(src)
        pointer = _stream_pointer(stream)
        if _C.as_size(size, "size") > 0:
            if src.device_id == self.device_id:
                kind = runtime.memcpyDeviceToDevice
                runtime.memcpyAsync(self.ptr, src.ptr, size, kind, pointer)
            else:
                _C._peer_reach(self.device_id, src.device_id, src.ptr)
                _C._peer_reach(src.device_id, self.device_id, self.ptr)
                runtime.memcpyPeerAsync(
                    self.ptr, self.device_id, src.ptr, src.device_id, size, pointer
                )

    def copy_from_host(self, mem, size) -> None:
        """Copy `size` bytes from host memory; return when they are copied.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Source in host memory: an address, a ctypes pointer or a buffer.
        size : int
            Number of bytes to copy.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memcpy(self.ptr, _host_address(mem), size, runtime.memcpyHostToDevice)

    def copy_from_host_async(self, mem, size, stream=None) -> None:
        """Copy `size` bytes from host memory in stream order.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Source in host memory: an address, a ctypes pointer or a buffer. It must not be modified
            before the copy is done.
        size : int
            Number of bytes to copy.
        stream : Stream, optional
            Stream in which the copy is queued. By default the current one.
        """
        if _C.as_size(size, "size") > 0:
            kind = runtime.memcpyHostToDevice
            pointer = _stream_pointer(stream)
            runtime.memcpyAsync(self.ptr, _host_address(mem), size, kind, pointer)

    def copy_from(self, mem, size) -> None:
        """Copy `size` bytes from a MemoryPointer or from host memory.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes pointer or buffer
            Source of the copy. Integers are addresses in host memory.
        size : int
            Number of bytes to copy.
        """
        if isinstance(mem, MemoryPointer):
            self.copy_from_device(mem, size)
        else:
            self.copy_from_host(mem, size)

    def copy_from_async(self, mem, size, stream=None) -> None:
        """Copy `size` bytes from a MemoryPointer or from host memory in stream order.

        Parameters
        ----------
        mem : MemoryPointer, int, ctypes pointer or buffer
            Source of the copy. Integers are addresses in host memory.
        size : int
            Number of bytes to copy.
        stream : Stream, optional
            Stream in which the copy is queued. By default the current one.
        """
        if isinstance(mem, MemoryPointer):
            self.copy_from_device_async(mem, size, stream)
        else:
            self.copy_from_host_async(mem, size, stream)

    def copy_to_host(self, mem, size) -> None:
        """Copy `size` bytes to host memory; return when they are copied.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Destination in host memory: an address, a ctypes pointer or a buffer.
        size : int
            Number of bytes to copy.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memcpy(_host_address(mem), self.ptr, size, runtime.memcpyDeviceToHost)

    def copy_to_host_async(self, mem, size, stream=None) -> None:
        """Copy `size` bytes to host memory in stream order.

        Parameters
        ----------
        mem : int, ctypes pointer or buffer
            Destination in host memory, which must not be read before the stream is synchronized.
        size : int
            Number of bytes to copy.
        stream : Stream, optional
            Stream in which the copy is queued. By default the current one.
        """
        if _C.as_size(size, "size") > 0:
            kind = runtime.memcpyDeviceToHost
            pointer = _stream_pointer(stream)
            runtime.memcpyAsync(_host_address(mem), self.ptr, size, kind, pointer)

    def memset(self, value, size) -> None:
        """Set `size` bytes to a value.

        Parameters
        ----------
        value : int
            Value of each byte, 0 to 255.
        size : int
            Number of bytes to set.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memset(self.ptr, value, size)

    def memset_async(self, value, size, stream=None) -> None:
        """Set `size` bytes to a value in stream order.

        Parameters
        ----------
        value : int
            Value of each byte, 0 to 255.
        size : int
            Number of bytes to set.
        stream : Stream, optional
            Stream in which the operation is queued. By default the current one.
        """
        if _C.as_size(size, "size") > 0:
            runtime.memsetAsync(self.ptr, value, size, _stream_pointer(stream))


# ---- pools


class MemoryPool(_C.MemoryPool):
    """Pool of device memory, with separate free lists for each device and stream.

    Memory freed on a stream is reused there at once; memory that other streams used as well is
    reused when their work is complete.

    Parameters
    ----------
    allocator : callable, optional
        Function that allocates the pool's segments: size -> MemoryPointer. By default the driver
        does.
    """

    def __init__(self, allocator=None):
        """Describe the constructor, which is in C; see the class."""

    def malloc(self, size):
        """Allocate `size` bytes from the pool, in the order of the current stream.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        MemoryPointer
            Pointer to the block, which returns to the pool when nothing refers to it.

        Raises
        ------
        OutOfMemoryError
            If the device, or the limit of the pool, does not allow it.
        """
        return MemoryPointer(self._malloc(size), 0)

    def free_all_free(self) -> None:
        """Former name of free_all_blocks."""
        self.free_all_blocks()


class SingleDeviceMemoryPool(MemoryPool):
    """Pool of the memory of one device, the current one at construction.

    Parameters
    ----------
    allocator : callable, optional
        Function that allocates the pool's segments: size -> MemoryPointer.
    """

    def __init__(self, allocator=None):
        self._device_id = _C.get_device_id()

    def malloc(self, size):
        """Allocate `size` bytes from the pool; its device must be the current one.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        MemoryPointer
            Pointer to memory of the pool's device.
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
        'current' or 'default' pool of each device, or the handle of a pool.
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
        """Allocate `size` bytes from the pool.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        MemoryPointer
            Pointer to the block, which returns to the driver's pool in stream order.
        """
        if isinstance(self._pool, int) or self._pool == "default":
            device_id, handle = _C.get_device_id(), self._handle()
            if runtime.deviceGetMemPool(device_id) != handle:
                runtime.deviceSetMemPool(device_id, handle)
        return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)

    def free_all_blocks(self, stream=None) -> None:
        """Release unused memory to the device.

        Parameters
        ----------
        stream : Stream, optional
            Stream that is synchronized first. By default the null stream.
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
        """Return the number of bytes in use.

        Returns
        -------
        int
            Size in bytes.
        """
        return runtime.memPoolGetAttribute(self._handle(), runtime.cudaMemPoolAttrUsedMemCurrent)

    def free_bytes(self):
        """Return the number of bytes that the pool holds and that are not in use.

        Returns
        -------
        int
            Size in bytes.
        """
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self):
        """Return the number of bytes that the pool has allocated from the device.

        Returns
        -------
        int
            Size in bytes.
        """
        return runtime.memPoolGetAttribute(
            self._handle(), runtime.cudaMemPoolAttrReservedMemCurrent
        )

    def set_limit(self, size=None, fraction=None) -> None:
        """Set the number of bytes that the pool keeps when they are free (its release threshold).

        Parameters
        ----------
        size : int, optional
            Threshold in bytes. By default 0: nothing is kept at a synchronization.
        fraction : float, optional
            Threshold as a fraction of the device's memory, instead of `size`.
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
            Threshold in bytes; free memory above it is released at the next synchronization.
        """
        return runtime.memPoolGetAttribute(self._handle(), runtime.cudaMemPoolAttrReleaseThreshold)


_default_pool = MemoryPool()
_default_pool._make_default()


def get_default_memory_pool():
    """Return the pool from which arrays are allocated if no other allocator is set.

    Returns
    -------
    MemoryPool
        The default pool of all devices.
    """
    return _default_pool


# ---- allocators


class PythonFunctionAllocator:
    """Allocator that calls two Python functions.

    Parameters
    ----------
    malloc_func : callable
        Function (size, device_id) -> address that allocates memory.
    free_func : callable
        Function (address, device_id) -> None that frees memory.
    """

    def __init__(self, malloc_func, free_func):
        self._malloc = malloc_func
        self._free = free_func

    def malloc(self, size):
        """Allocate `size` bytes by the Python function.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        MemoryPointer
            Pointer to the memory, which is freed by the Python function.
        """
        device_id = _C.get_device_id()
        memory = PythonFunctionAllocatorMemory(size, self._malloc, self._free, device_id)
        return MemoryPointer(memory, 0)


class CFunctionAllocator:
    """Allocator that calls two C functions.

    Parameters
    ----------
    param : int
        Address that is passed to both functions as first argument.
    malloc_func : int
        Address of a function void *(void *param, size_t size, int device_id).
    free_func : int
        Address of a function void (void *param, void *address, int device_id).
    owner : object
        Object that is kept alive as long as the allocator and its memory.
    """

    def __init__(self, param, malloc_func, free_func, owner):
        self._param = param
        self._malloc = malloc_func
        self._free = free_func
        self._owner = owner

    def malloc(self, size):
        """Allocate `size` bytes by the C function.

        Parameters
        ----------
        size : int
            Number of bytes to allocate.

        Returns
        -------
        MemoryPointer
            Pointer to the memory, which is freed by the C function.
        """
        device_id = _C.get_device_id()
        memory = CFunctionAllocatorMemory(size, self._param, self._malloc, self._free, device_id)
        memory._owner = self._owner
        return MemoryPointer(memory, 0)


class PythonFunctionAllocatorMemory(BaseMemory):
    """Memory allocated by a Python function and freed by another.

    Parameters
    ----------
    size : int
        Size of the allocation in bytes.
    malloc_func : callable
        Function (size, device_id) -> address that allocates memory.
    free_func : callable
        Function (address, device_id) -> None that frees memory.
    device_id : int
        Ordinal of the device.
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
    """Memory allocated by a C function and freed by another.

    Parameters
    ----------
    size : int
        Size of the allocation in bytes.
    param : int
        Address that is passed to both functions as first argument.
    malloc_func, free_func : int
        Addresses of the functions, as for CFunctionAllocator.
    device_id : int
        Ordinal of the device.
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
        Number of bytes to allocate.

    Returns
    -------
    MemoryPointer
        Pointer to the memory, which is freed when nothing refers to it.
    """
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_system(size):
    """Allocate `size` bytes of the C library's memory; usable as an allocator.

    Parameters
    ----------
    size : int
        Number of bytes to allocate.

    Returns
    -------
    MemoryPointer
        Pointer to the memory, which is freed when nothing refers to it.

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
        Number of bytes to allocate.

    Returns
    -------
    MemoryPointer
        Pointer to the memory, which is freed when nothing refers to it.
    """
    return MemoryPointer(MemoryAsync(size, get_current_stream()), 0)


_allocator = _default_pool.malloc  # as the user set it
_thread = threading.local()


def _for_core(allocator):
    """Argument for the extension: None for the default pool, a pool, or a callable."""
    pool = getattr(allocator, "__self__", None)
    if isinstance(pool, MemoryPool) and getattr(allocator, "__func__", None) is MemoryPool.malloc:
        return None if pool is _default_pool else pool
    return allocator


def set_allocator(allocator=None) -> None:
    """Set the allocator of device memory for all threads.

    Parameters
    ----------
    allocator : callable, optional
        Function size -> MemoryPointer, such as `MemoryPool().malloc`. None allocates each block
        from the driver, without a pool.
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
    """Return the allocator of device memory of this thread.

    Returns
    -------
    callable
        Function size -> MemoryPointer.
    """
    stack = getattr(_thread, "stack", None)
    return stack[-1] if stack else _allocator


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Set the allocator of device memory for this thread within a `with` block.

    Parameters
    ----------
    allocator : callable, optional
        Function size -> MemoryPointer, as for `set_allocator`.

    Returns
    -------
    context manager
        Context manager that restores the previous allocator.
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
    """Set the allocator of this thread; the default pool is passed explicitly, as None means the
    allocator of all threads.
    """
    if allocator is not None:
        allocator = _for_core(allocator)
        allocator = _default_pool if allocator is None else allocator
    _C._set_thread_allocator(allocator)


def alloc(size):
    """Allocate `size` bytes with the current allocator.

    Parameters
    ----------
    size : int
        Number of bytes to allocate.

    Returns
    -------
    MemoryPointer
        Pointer to the memory, which is freed when nothing refers to it.
    """
    return get_allocator()(size)


_C.MemoryPointer = MemoryPointer
_C.UnownedMemory = UnownedMemory
