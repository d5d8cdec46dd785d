"""Every kind of object on the second device, while the first one is current elsewhere."""

import copy
import pickle
import threading

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Device, Event, Stream, runtime

pytestmark = pytest.mark.multi

SOURCE = """
__constant__ int step;
extern "C" __global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i * step;
}
"""


@pytest.fixture
def second():
    with Device(1) as device:
        yield device


def test_pools_are_apart(second):
    pool = cp.cuda.MemoryPool()
    before = cp.get_default_memory_pool().used_bytes()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.ones(1000)
        assert pool.used_bytes() == 8192 and a.data.mem.device_id == 1
        with Device(0):
            assert pool.used_bytes() == 0
            b = cp.ones(10)
            assert pool.used_bytes() == 512 and b.device.id == 0
        assert pool.used_bytes() == 8192
    assert cp.get_default_memory_pool().used_bytes() == before
    pool.set_limit(size=1 << 20)
    with Device(0):
        assert pool.get_limit() == 0
    del a, b
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_pools_of_the_driver(second):
    pool = cp.cuda.MemoryAsyncPool()
    with cp.cuda.using_allocator(pool.malloc):
        a = cp.arange(100)
        assert a.device.id == 1 and a.sum().item() == 4950
        with Device(0):
            b = cp.arange(3)
            assert b.device.id == 0 and b.tolist() == [0, 1, 2]
        del a, b


def test_memory_of_the_device(second):
    cp.get_default_memory_pool().free_all_blocks()
    free, total = second.mem_info
    keep = cp.zeros(3 << 20)  # a segment of its own
    free_then, total_then = second.mem_info
    assert total_then == total and free_then <= free - keep.nbytes + (2 << 20)
    with Device(0):
        assert Device(1).mem_info == (free_then, total)
        assert Device().id == 0
    memory = cp.cuda.Memory(4096)
    assert memory.device_id == 1 and memory.device == second
    managed = cp.cuda.ManagedMemory(4096)
    assert managed.device_id == 1
    attributes = runtime.pointerGetAttributes(memory.ptr)
    assert attributes.device == 1
    del keep
    cp.get_default_memory_pool().free_all_blocks()


def test_libraries_have_handles_of_the_device(second, rng):
    m = rng.random((60, 60)).astype("f4") + 60 * np.eye(60, dtype="f4")
    a = cp.asarray(m)
    for device in (1, 0, 1):
        with Device(device):
            a = cp.asarray(a)
            product = a @ a
            assert product.device.id == device
            assert np.allclose(product.get(), m @ m, rtol=1e-4)
            solved = cp.linalg.solve(a, a)
            assert solved.device.id == device
            assert np.allclose(solved.get(), np.eye(60), atol=1e-4)
            q = cp.linalg.qr(a)[0]
            assert q.device.id == device and cp.linalg.svd(a)[1].device.id == device
    with Device(0):
        first = cp.cuda.get_cublas_handle()
    assert cp.cuda.get_cublas_handle() != first


def test_plans_are_of_the_device(second, rng):
    values = rng.random((4, 600))
    for device in (1, 0, 1):
        with Device(device):
            x = cp.asarray(values)
            spectrum = cp.fft.fft(x)
            assert spectrum.device.id == device
            assert np.allclose(spectrum.get(), np.fft.fft(values))
    plan = cp.scipy.fft.get_fft_plan(cp.asarray(values, "D"))
    with plan:
        assert np.allclose(cp.scipy.fft.fft(cp.asarray(values, "D")).get(), np.fft.fft(values))


def test_random_generators(second):
    drawn = {}
    for device in (0, 1):
        with Device(device):
            cp.random.seed(5)
            drawn[device] = [
                cp.random.default_rng(3).random(100),
                cp.random.RandomState(3).standard_normal(100),
                cp.random.rand(10),
                cp.random.Generator(cp.random.XORWOW(2)).random(5),
            ]
            assert all(x.device.id == device for x in drawn[device])
    assert all(np.array_equal(a.get(), b.get()) for a, b in zip(drawn[0], drawn[1], strict=True))
    state = cp.random.RandomState(1)
    assert state.rand(3).device.id == 1
    with Device(0):
        cp.random.seed(1)
        state = cp.random.get_random_state()
    assert cp.random.get_random_state() is not state


def test_graphs(second):
    a = cp.zeros(100)
    stream = Stream(non_blocking=True)
    second.synchronize()
    with stream:
        stream.begin_capture()
        a += 1
        b = a * 2
        graph = stream.end_capture()
    with Device(0):
        c = cp.arange(5)
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    assert (a.get() == 3).all() and (b.get() == 6).all() and c.tolist()[4] == 4
    del graph, b


def test_modules_and_kernels(second):
    module = cp.RawModule(code=SOURCE)
    fill = module.get_function("fill")
    cp.ndarray(1, "i4", memptr=module.get_global("step"))[...] = 3
    x = cp.zeros(40, "i4")
    fill((1,), (64,), (x, 40))
    assert x.tolist() == list(range(0, 120, 3))
    kernel = cp.RawKernel(SOURCE.replace("__constant__ int step;", "#define step 2"), "fill")
    square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    for device in (1, 0, 1):
        with Device(device):
            y = cp.zeros(40, "i4")
            kernel((1,), (64,), (y, 40))
            assert y.tolist() == list(range(0, 80, 2))
            assert square(y).device.id == device and total(square(y)).item() == 4 * 20540
    with Device(0), pytest.raises(ValueError, match="device 1"):
        square(x)
    with Device(0), pytest.raises(ValueError, match="device 1"):
        kernel((1,), (64,), (x, 40))


def test_kernels_written_in_python(second):
    @cp.jit.rawkernel()
    def double(x, n):
        i = cp.jit.grid(1)
        if i < n:
            x[i] *= 2

    for device in (1, 0):
        with Device(device):
            x = cp.arange(50)
            double[1, 64](x, 50)
            assert x.tolist() == list(range(0, 100, 2)) and x.device.id == device


def test_textures(second):
    from gpunp.cuda import texture

    values = np.arange(12, dtype="f4").reshape(3, 4)
    array = texture.CUDAarray(
        texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat), 4, 3
    )
    array.copy_from(values)
    kernel = cp.RawKernel(
        """
extern "C" __global__ void read(float *out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f);
}""",
        "read",
    )
    image = texture.TextureObject(
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array),
        texture.TextureDescriptor(
            (runtime.cudaAddressModeClamp,) * 2,
            runtime.cudaFilterModePoint,
            runtime.cudaReadModeElementType,
        ),
    )
    out = cp.zeros(12, "f4")
    kernel((1,), (12,), (out, image))
    assert np.array_equal(out.get(), values.ravel())
    with Device(0):
        del image, array  # released on their own device


def test_pickles_and_copies(second):
    a = cp.arange(6.0).reshape(2, 3)
    text = pickle.dumps(a)
    assert pickle.loads(text).device.id == 1
    with Device(0):
        assert pickle.loads(text).device.id == 0
        for made in (copy.copy(a), copy.deepcopy(a), a.copy(), a[:1].copy()):
            assert made.device.id == 1
        made = cp.empty_like(a)
        assert made.device.id == 0
        assert a.get().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_exchange_names_the_device(second):
    a = cp.arange(6)
    assert a.__dlpack_device__() == (2, 1)
    b = cp.from_dlpack(a)
    assert b.device.id == 1 and b.data.ptr == a.data.ptr
    with Device(0):
        c = cp.from_dlpack(a)
        assert c.device.id == 1 and c.data.ptr == a.data.ptr
        with pytest.raises((BufferError, ValueError)):
            a.__dlpack__(dl_device=(2, 0), copy=False)
        moved = cp.from_dlpack(a, device=Device(0))
        assert moved.device.id == 0 and moved.tolist() == a.tolist()

    class Other:
        __cuda_array_interface__ = a.__cuda_array_interface__

    with Device(0):
        assert cp.asarray(Other()).device.id in (0, 1)
        assert cp.asarray(Other()).tolist() == [0, 1, 2, 3, 4, 5]


def test_streams_and_events_of_another_device(second):
    stream, event = Stream(non_blocking=True), Event()
    assert stream.device_id == 1 and event.device_id == 1
    with Device(0):
        with pytest.raises(RuntimeError, match="device 1"):
            stream.use()
        with pytest.raises(RuntimeError, match="device 1"), stream:
            pass
        event.record(stream)
        event.synchronize()
        stream.synchronize()
        assert event.done and stream.done
        here = Stream(non_blocking=True)
        here.wait_event(event)
        stream.wait_event(here.record())
        here.synchronize()
        assert Device().id == 0
    with stream:
        a = cp.arange(100)
        with Device(0):
            assert cp.cuda.get_current_stream() == Stream.null
            with here:
                b = cp.arange(10)
        assert cp.cuda.get_current_stream() == stream
        a += 1
    stream.synchronize()
    assert a.device.id == 1 and b.device.id == 0
    here.synchronize()


def test_times_of_events_need_one_device(second):
    a, b = Event(), Event()
    a.record()
    b.record()
    b.synchronize()
    assert cp.cuda.get_elapsed_time(a, b) >= 0


def test_each_thread_has_its_own_device(second):
    seen = {}

    def work(device):
        seen[device, "start"] = Device().id
        with Device(device):
            seen[device] = [cp.arange(10).device.id, runtime.getDevice()]
        seen[device, "end"] = Device().id

    threads = [threading.Thread(target=work, args=(device,)) for device in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for device in (0, 1):
        assert seen[device] == [device, device]
        assert seen[device, "start"] == seen[device, "end"] == 0
    assert Device().id == 1


def test_generators_and_nested_blocks():
    def chunks():
        with Device(1):
            for i in range(2):
                yield cp.full(3, i)

    made = [x.device.id for x in chunks()]
    assert made == [1, 1] and Device().id == 0
    with Device(1), Device(0):
        assert Device().id == 0
        with Device(1):
            assert cp.arange(2).device.id == 1
        assert cp.arange(2).device.id == 0
    device = Device(1)
    with device, device:
        assert Device().id == 1
    assert Device().id == 0
    with pytest.raises(KeyError), Device(1):
        raise KeyError
    assert Device().id == 0


def test_a_device_that_is_left_or_missing():
    """The arrays outlive the block, and an error leaves the current device as it was."""
    with Device(1):
        a = cp.arange(10)
        runtime.setDevice(0)  # inside of the block, which restores what was before it
        assert Device().id == 0
    assert Device().id == 0
    for bad in (runtime.getDeviceCount(), 31, 99):
        with pytest.raises(cp.cuda.driver.CUDADriverError):
            Device(bad).use()
        with pytest.raises(cp.cuda.driver.CUDADriverError), Device(bad):
            pass
        assert Device().id == 0
    assert a.tolist() == list(range(10))
    assert Device(1).compute_capability == Device(0).compute_capability
    assert Device(1).pci_bus_id != Device(0).pci_bus_id
    assert runtime.deviceGetByPCIBusId(Device(1).pci_bus_id) == 1


def test_a_stream_of_a_device_that_is_not_current():
    """Its event, too, is of its device."""
    with Device(1):
        stream = cp.cuda.Stream(non_blocking=True)
    event = stream.record()
    assert event.device_id == 1 and Device().id == 0
    event.synchronize()
    stream.wait_event(event)
    stream.synchronize()


def test_scipy_and_sparse(second, rng):
    dense = rng.random((30, 30)) * (rng.random((30, 30)) < 0.2)
    m = cp.scipy.sparse.csr_matrix(cp.asarray(dense))
    v = cp.arange(30.0)
    assert (m @ v).device.id == 1
    assert np.allclose((m @ v).get(), dense @ np.arange(30.0))
    assert cp.scipy.ndimage.gaussian_filter(cp.asarray(dense), 2).device.id == 1
    assert cp.sort(v[::-1]).device.id == 1
    assert cp.unique(cp.asarray([3, 1, 1])).device.id == 1


def test_a_context_of_another_library(second):
    """Another library makes the other device's context current behind our back."""
    import ctypes

    from gpunp import _C

    a = cp.arange(10)
    driver = ctypes.CDLL(_C._library_paths()["driver"])
    context = ctypes.c_void_p()
    with Device(0):
        cp.zeros(1)
        assert driver.cuCtxGetCurrent(ctypes.byref(context)) == 0
    cp.zeros(1)
    assert driver.cuCtxSetCurrent(context) == 0
    a += 1
    assert a.device.id == 1 and cp.zeros(3).device.id == 1
    assert a.tolist() == list(range(1, 11))
