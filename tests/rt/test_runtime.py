"""gpunp.cuda.runtime: cudart's functions."""

import ctypes
import pickle

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import nvrtc, runtime


@pytest.fixture
def block():
    ptr = runtime.malloc(1024)
    yield ptr
    runtime.free(ptr)


def test_versions():
    assert runtime.driverGetVersion() >= 12000
    assert runtime.runtimeGetVersion() >= 12000
    assert nvrtc.getVersion() >= (12, 0)
    assert cp.cuda.get_local_runtime_version() == runtime.runtimeGetVersion()


def test_device_functions():
    assert runtime.getDeviceCount() >= 1
    assert runtime.getDevice() == 0
    runtime.setDevice(0)
    runtime.deviceSynchronize()
    assert runtime.deviceGetByPCIBusId(runtime.deviceGetPCIBusId(0)) == 0
    assert runtime.deviceGetAttribute(10, 0) == 32
    assert runtime.deviceGetAttribute(attrib=10, device=0) == 32
    # Other limits cannot be set once a kernel that prints or allocates was loaded.
    size = runtime.deviceGetLimit(runtime.cudaLimitStackSize)
    assert size > 0
    runtime.deviceSetLimit(runtime.cudaLimitStackSize, size)
    low, high = runtime.deviceGetStreamPriorityRange()
    assert low >= high


def test_properties():
    properties = runtime.getDeviceProperties(0)
    assert isinstance(properties["name"].decode(), str)
    assert properties["totalGlobalMem"] == cp.cuda.Device(0).mem_info[1]
    assert properties["warpSize"] == 32
    assert len(properties["maxThreadsDim"]) == len(properties["maxGridSize"]) == 3
    assert f"{properties['major']}{properties['minor']}" == cp.cuda.Device(0).compute_capability
    assert properties["multiProcessorCount"] >= 1 and len(properties["uuid"]) == 16
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.getDeviceProperties(99)


def test_memory_functions(block):
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    host = np.arange(128, dtype=np.uint8)
    out = np.empty_like(host)
    runtime.memcpy(block, host.ctypes.data, 128, runtime.memcpyHostToDevice)
    runtime.memcpy(block + 512, block, 128, runtime.memcpyDeviceToDevice)
    runtime.memcpy(out.ctypes.data, block + 512, 128, runtime.memcpyDeviceToHost)
    assert (out == host).all()
    runtime.memset(block, 7, 64)
    runtime.memsetAsync(block + 64, 8, 64, 0)
    runtime.memcpyAsync(out.ctypes.data, block, 128, runtime.memcpyDeviceToHost, 0)
    runtime.streamSynchronize(0)
    assert out.tolist() == [7] * 64 + [8] * 64
    runtime.memcpy(out.ctypes.data, host.ctypes.data, 128, runtime.memcpyHostToHost)
    assert (out == host).all()


def test_memcpy_direction(block):
    for kind in (-1, 5, 17):
        with pytest.raises(runtime.CUDARuntimeError, match="InvalidMemcpyDirection") as caught:
            runtime.memcpy(block, block, 8, kind)
        assert caught.value.status == 21
        with pytest.raises(runtime.CUDARuntimeError):
            runtime.memcpyAsync(block, block, 8, kind, 0)
        with pytest.raises(runtime.CUDARuntimeError):
            runtime.memcpy2D(block, 8, block, 8, 8, 1, kind)


def test_memcpy_2d(block):
    host = np.arange(64, dtype=np.uint8).reshape(8, 8)
    out = np.zeros((4, 4), np.uint8)
    h2d, d2h = runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost
    runtime.memcpy2D(block, 16, host.ctypes.data, 8, 8, 8, h2d)
    runtime.memcpy2D(out.ctypes.data, 4, block + 16 + 2, 16, 4, 4, d2h)
    assert (out == host[1:5, 2:6]).all()
    runtime.memcpy2DAsync(out.ctypes.data, 4, block, 16, 4, 4, d2h, 0)
    runtime.streamSynchronize(0)
    assert (out == host[:4, :4]).all()


def test_stream_and_event_functions():
    a = runtime.streamCreate()
    b = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    c = runtime.streamCreateWithPriority(runtime.streamNonBlocking, -1)
    assert runtime.streamGetFlags(b) == runtime.streamNonBlocking
    assert runtime.streamGetPriority(c) <= 0
    start, stop = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventDefault)
    runtime.eventRecord(start, a)
    runtime.streamWaitEvent(b, start)
    runtime.eventRecord(stop, b)
    runtime.eventSynchronize(stop)
    runtime.streamSynchronize(a)
    assert runtime.eventQuery(stop) == runtime.streamQuery(b) == 0
    assert runtime.eventElapsedTime(start, stop) >= 0
    for event in (start, stop):
        runtime.eventDestroy(event)
    for stream in (a, b, c):
        runtime.streamDestroy(stream)


def test_stream_destroyed_with_memory_of_its_own():
    stream = runtime.streamCreate()
    with cp.cuda.ExternalStream(stream):
        a = cp.arange(1000)
        b = a * 2
    runtime.streamDestroy(stream)
    assert int(b[999]) == 1998
    del a, b


def test_host_memory():
    ptr = runtime.hostAlloc(4096, runtime.hostAllocPortable)
    attributes = runtime.pointerGetAttributes(ptr)
    assert attributes.type == runtime.memoryTypeHost and attributes.hostPointer == ptr
    runtime.freeHost(ptr)
    array = np.zeros(1 << 16, np.uint8)
    runtime.hostRegister(array.ctypes.data, array.nbytes)
    runtime.hostUnregister(array.ctypes.data)


def test_pointer_attributes(block):
    attributes = runtime.pointerGetAttributes(block)
    assert (attributes.device, attributes.devicePointer) == (0, block)
    assert attributes.type == runtime.memoryTypeDevice
    assert "device=0" in repr(attributes)


def test_async_allocation():
    ptr = runtime.mallocAsync(1000, 0)
    runtime.memsetAsync(ptr, 1, 1000, 0)
    runtime.freeAsync(ptr, 0)
    pool = runtime.deviceGetDefaultMemPool(0)
    assert runtime.deviceGetMemPool(0) == pool
    runtime.deviceSetMemPool(0, pool)
    runtime.streamSynchronize(0)
    runtime.memPoolTrimTo(pool, 0)
    assert runtime.memPoolGetAttribute(pool, runtime.cudaMemPoolReuseFollowEventDependencies) == 1


def test_zero_bytes():
    assert runtime.malloc(0) == runtime.mallocAsync(0, 0) == 0
    runtime.free(0)
    runtime.freeAsync(0, 0)


def test_managed():
    ptr = runtime.mallocManaged(1000)
    runtime.memPrefetchAsync(ptr, 1000, 0, 0)
    runtime.memAdvise(ptr, 1000, runtime.cudaMemAdviseSetReadMostly, 0)
    runtime.memset(ptr, 5, 1000)
    runtime.deviceSynchronize()
    assert runtime.pointerGetAttributes(ptr).type == runtime.memoryTypeManaged
    assert ctypes.string_at(ptr, 1000) == bytes([5]) * 1000  # the host reads the same memory
    runtime.free(ptr)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.free(ptr)


def test_error_is_one_class_with_a_status():
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorInvalid") as caught:
        runtime.free(12345)
    error = caught.value
    assert isinstance(error, RuntimeError) and error.status == runtime.cudaErrorInvalidValue
    assert runtime.CUDARuntimeError is cp.cuda.driver.CUDADriverError
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.status) == (type(error), str(error), error.status)
    with pytest.raises(MemoryError) as caught:
        runtime.malloc(1 << 50)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is cp.cuda.OutOfMemoryError and copy.status == 2


@pytest.mark.parametrize("arguments", [(), ("x",), (1.5,), (1, 2), (None,), (object(),)])
def test_bad_arguments(arguments):
    with pytest.raises(TypeError):
        runtime.malloc(*arguments)
    with pytest.raises(TypeError):
        runtime.streamSynchronize(*arguments)


def test_messages_are_cpythons():
    with pytest.raises(
        TypeError, match=r"^malloc\(\) missing 1 required positional argument: 'size'$"
    ):
        runtime.malloc()
    with pytest.raises(
        TypeError, match=r"^malloc\(\) takes 1 positional argument but 2 were given$"
    ):
        runtime.malloc(1, 2)
    with pytest.raises(
        TypeError, match=r"^malloc\(\) got an unexpected keyword argument 'x'; it takes size$"
    ):
        runtime.malloc(x=1)
    with pytest.raises(TypeError, match=r"^malloc\(\) got multiple values for argument 'size'$"):
        runtime.malloc(1, size=1)
    with pytest.raises(
        TypeError,
        match=r"^mallocManaged\(\) takes from 1 to 2 positional arguments but 3 were given$",
    ):
        runtime.mallocManaged(1, 2, 3)
    with pytest.raises(TypeError, match="missing 3 required positional arguments: "
                       "'dst', 'src', and 'size'"):  # fmt: skip
        runtime.memcpy(kind=0)


def test_profiler(monkeypatch):
    calls = []
    for name in ("profilerStart", "profilerStop"):
        function = getattr(runtime, name)
        record = lambda name=name, function=function: (calls.append(name), function())[1]  # noqa: E731
        monkeypatch.setattr(runtime, name, record)
    with cp.cuda.profile():
        assert calls == ["profilerStart"]
    assert calls == ["profilerStart", "profilerStop"]
    with pytest.raises(ZeroDivisionError), cp.cuda.profile():
        1 / 0
    assert calls[2:] == ["profilerStart", "profilerStop"]
