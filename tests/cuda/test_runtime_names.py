"""cudart's functions by handles, and the kinds of memory behind the allocators."""

import ctypes

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import memory, pinned_memory, runtime


def test_capture_by_handles(tmp_path):
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    x = cp.zeros(16, np.uint8)
    cp.cuda.Stream.null.synchronize()
    assert not runtime.streamIsCapturing(stream)
    runtime.streamBeginCapture(stream)
    assert runtime.streamIsCapturing(stream)
    runtime.memsetAsync(x.data.ptr, 7, 16, stream)
    graph = runtime.streamEndCapture(stream)
    executable = runtime.graphInstantiate(graph)
    runtime.graphDebugDotPrint(graph, tmp_path / "graph.dot", runtime.cudaGraphDebugDotFlagsVerbose)
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")
    runtime.graphDestroy(graph)
    runtime.graphUpload(executable, stream)
    runtime.graphLaunch(executable, stream)
    runtime.streamSynchronize(stream)
    assert (x.get() == 7).all()
    runtime.graphExecDestroy(executable)
    runtime.streamDestroy(stream)


def test_host_functions_by_handles():
    stream = cp.cuda.Stream(non_blocking=True)
    seen = []
    runtime.launchHostFunc(stream.ptr, seen.append, 1)
    runtime.streamAddCallback(stream.ptr, lambda *args: seen.append(args), 2)
    stream.synchronize()
    assert seen == [1, (stream.ptr, 0, 2)]


def test_pools_of_the_driver():
    props = runtime.MemPoolProps(
        runtime.cudaMemAllocationTypePinned,
        runtime.cudaMemHandleTypeNone,
        runtime.cudaMemLocationTypeDevice,
        0,
    )
    pool = runtime.memPoolCreate(props)
    stream = cp.cuda.Stream(non_blocking=True)
    ptr = runtime.mallocFromPoolAsync(1024, pool, stream.ptr)
    used = runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolAttrUsedMemCurrent)
    assert used >= 1024
    runtime.freeAsync(ptr, stream.ptr)
    stream.synchronize()
    runtime.memPoolDestroy(pool)


def test_handles_for_other_processes():
    ptr = runtime.malloc(1 << 21)
    handle = runtime.ipcGetMemHandle(ptr)
    assert isinstance(handle, bytes) and len(handle) == 64
    with pytest.raises(ValueError):
        runtime.ipcOpenMemHandle(b"short")
    runtime.free(ptr)
    event = runtime.eventCreateWithFlags(runtime.eventInterprocess | runtime.eventDisableTiming)
    assert len(runtime.ipcGetEventHandle(event)) == 64
    runtime.eventDestroy(event)


def test_status_and_constants():
    runtime.check_status(0)
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalidValue"):
        runtime.check_status(1)
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0) == 32
    assert runtime.CUDA_R_32F == 0 and runtime.cudaFilterModeLinear == 1
    assert runtime.errorInvalidResourceHandle == 400
    x = cp.zeros(3)
    assert runtime.pointerGetMemoryType(x.data.ptr) == runtime.memoryTypeDevice
    assert cp.cuda.device.from_pointer(x.data.ptr) == cp.cuda.Device(0)


def test_memory_of_functions():
    given, taken = [], []

    def malloc(size, device_id):
        given.append(size)
        return runtime.malloc(size)

    def free(ptr, device_id):
        taken.append(ptr)
        runtime.free(ptr)

    block = memory.PythonFunctionAllocatorMemory(512, malloc, free, 0)
    ptr = block.ptr
    assert (block.size, block.device_id) == (512, 0)
    del block
    assert given == [512] and taken == [ptr]
    pointer = ctypes.c_void_p
    c_malloc = ctypes.CFUNCTYPE(pointer, pointer, ctypes.c_size_t, ctypes.c_int)(
        lambda param, size, device: malloc(size, device)
    )
    c_free = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int)(
        lambda param, ptr, device: free(ptr, device)
    )
    addresses = [ctypes.cast(f, pointer).value for f in (c_malloc, c_free)]
    block = memory.CFunctionAllocatorMemory(256, 0, *addresses, 0)
    assert block.size == 256 and block.ptr
    del block
    assert given == [512, 256] and len(taken) == 2


def test_pooled_memory_can_be_given_back_early():
    pool = cp.cuda.MemoryPool()
    pointer = pool.malloc(1000)
    assert pool.used_bytes() == 1024
    pointer.mem.free()
    pointer.mem.free()
    assert pool.used_bytes() == 0 and pointer.mem.ptr == 0
    single = memory.SingleDeviceMemoryPool()
    assert single.malloc(10).mem.device_id == 0
    stream = cp.cuda.Stream()
    with stream:
        assert memory.malloc_async(100).mem.stream_ref() is stream


def test_memory_of_the_system():
    if not runtime.deviceGetAttribute(runtime.cudaDevAttrPageableMemoryAccess, 0):
        with pytest.raises(RuntimeError, match="cannot access"):
            memory.malloc_system(100)
        return
    with cp.cuda.using_allocator(memory.malloc_system):
        assert cp.arange(10).sum().get() == 45


def test_pinned_memory_is_known():
    pool = pinned_memory.PinnedMemoryPool()
    pointer = pool.malloc(1000)
    assert isinstance(pointer.mem, pinned_memory.PooledPinnedMemory)
    assert int(pointer.mem) == pointer.ptr and pointer.mem.size == 1024
    assert pinned_memory.is_memory_pinned(pointer.ptr)
    assert not pinned_memory.is_memory_pinned(np.zeros(10).ctypes.data)
    assert pool.n_free_blocks() == 0
    pointer.mem.free()
    assert pool.n_free_blocks() == 1
