"""Each driver call of an operation made to fail, with each class of error, once and for ever.

As tests/rt/test_driver_faults.py, over graphs, textures, modules, host functions, peer copies and
libraries: an exception of the right class, nothing lost, and everything works afterwards. The short
form takes every operation with one error in both modes; --slow takes all errors.
"""

import gc
import sys
import warnings

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Stream, runtime, texture

ERRORS = {
    "OUT_OF_MEMORY": 2,
    "INVALID_VALUE": 1,
    "ILLEGAL_ADDRESS": 700,  # a context that is lost answers so to everything
    "NOT_SUPPORTED": 801,
    "NOT_READY": 600,
    "INVALID_HANDLE": 400,
}
SOURCE = """
extern "C" __constant__ float factor;
extern "C" __global__ void scale(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }
"""
PTX = b"""
.version 7.0
.target sm_60
.address_size 64
.visible .entry nothing(.param .u64 x, .param .u32 n) { ret; }
"""


def floats(n=100):
    return cp.asarray(np.arange(n, dtype="f4"))


def capture():
    with Stream(non_blocking=True) as stream:
        x = floats()  # on this stream: it waits for no other
        stream.begin_capture()
        y = x * 2 + cp.asarray(np.ones(100, "f4"))
        graph = stream.end_capture()
        graph.launch()
        stream.synchronize()
    assert float(y[3]) == 7


def capture_two_streams():
    x = floats()
    with Stream(non_blocking=True) as stream:
        other = Stream(non_blocking=True)
        stream.begin_capture()
        other.wait_event(stream.record())
        with other:
            y = x + 1
        stream.wait_event(other.record())
        graph = stream.end_capture()
        graph.upload()
        graph.launch()
        graph.launch(other)
        stream.synchronize()
    assert len(graph) >= 1 and y.size == 100


def textures():
    channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    image = texture.CUDAarray(channels, 16, 16, 0, runtime.cudaArraySurfaceLoadStore)
    image.copy_from(np.ones((16, 16), "f4"))
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=image)
    texture.TextureObject(resource, texture.TextureDescriptor())
    texture.SurfaceObject(resource)
    out = np.zeros((16, 16), "f4")
    image.copy_to(out)
    assert out.all()


def raw_module():
    module = cp.RawModule(code=SOURCE)
    kernel = module.get_function("scale")
    x = floats()
    kernel((1,), (100,), (x, 100))
    module.get_global("factor")
    assert float(x[3]) == 6


def loaded_module():
    module = cp.cuda.Module()
    module.load(PTX)
    x = floats()
    function = module.get_function("nothing")
    function((1,), (1,), (x, np.int32(3)))
    cp.cuda.get_current_stream().synchronize()


def host_functions():
    seen = []
    stream = Stream()
    try:
        stream.launch_host_func(seen.append, 1)
        stream.add_callback(lambda *_: seen.append(2), 0)
        stream.synchronize()
        assert seen == [1, 2]
    finally:
        del stream


def peer_copies():
    a, b = floats(), floats()
    runtime.memcpyPeer(a.data.ptr, 0, b.data.ptr, 0, 400)
    runtime.memcpyPeerAsync(a.data.ptr, 0, b.data.ptr, 0, 400, 0)
    assert float(a[3]) == 3


def products():
    x = cp.asarray(np.eye(40, dtype="f4") * 2)
    assert float((x @ x)[3, 3]) == 4


def solutions():
    x = cp.asarray(np.eye(40) * 2)
    assert float(cp.linalg.solve(x, x)[3, 3]) == 1


def transforms():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cp.fft.config.get_plan_cache().clear()
    assert float(abs(cp.fft.fft(cp.asarray(np.ones(77)))[0])) == 77


def generators():
    rng = cp.random.default_rng(3)
    assert rng.normal(size=100).get().shape == (100,)


def pinned_pool():
    pool = cp.cuda.PinnedMemoryPool()
    memoryview(pool.malloc(5000))[0:3] = b"abc"
    pool.free_all_blocks()


def big_copies():
    host = np.arange(1 << 20)
    device = cp.asarray(host)
    assert (device.get() == host).all()


OPERATIONS = [
    capture,
    capture_two_streams,
    textures,
    raw_module,
    loaded_module,
    host_functions,
    peer_copies,
    products,
    solutions,
    transforms,
    generators,
    pinned_pool,
    big_copies,
]
LIBRARIES = ["FFT", "BLAS", "BLASLT", "SOLVER", "RAND"]
KINDS = [
    "allocations",
    "bytes",
    "pinned",
    "streams",
    "managed",
    "modules",
    "graphs",
    "graph_execs",
    "events",
]


def check_class(error, code, name):
    """The exception names the driver's code; a library's says it in its own words."""
    if code == ERRORS["OUT_OF_MEMORY"] and isinstance(error, MemoryError):
        return
    status = getattr(error, "status", None)
    library = type(error).__name__.upper() in {f"CU{x}ERROR" for x in LIBRARIES}
    assert status == code or library or isinstance(error, ImportError), f"{name}: {error!r}"


def settle(emulator):
    """Everything that waits is released."""
    emulator.clear()
    gc.collect()
    cp.cuda.Device().synchronize()
    texture._sweep()
    cp.get_default_pinned_memory_pool().free_all_blocks()
    cp.get_default_memory_pool().free_all_blocks()


def attempt(emulator, operation, nth, code, mode):
    """Run with the nth call failing; whether the fault fired."""
    plan = emulator.fail("*", nth, code, mode)
    try:
        operation()
    except Exception as error:
        emulator_fired = emulator.fired(plan)
        assert emulator_fired, f"call {nth}: {error!r}"
        if not isinstance(error, (RuntimeError, MemoryError, ImportError)):
            raise
        check_class(error, code, f"call {nth}")
    fired = emulator.fired(plan)
    emulator.clear()
    return fired


SHORT = [("INVALID_VALUE", "once"), ("OUT_OF_MEMORY", "after")]
ALL = [(name, mode) for name in ERRORS for mode in ("once", "after")]
ALL.remove(("NOT_READY", "after"))  # a device that is never ready: waits do not end
CASES = SHORT + [pytest.param(*case, marks=pytest.mark.slow) for case in ALL if case not in SHORT]


@pytest.fixture
def quick_collections():
    """Collections look at what a test made, not at all of the suite."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(scope="module")
def marks_of_the_queue():
    """The events by which the host sees how far it is ahead are made one by one, at every 251st
    submission, and kept: all of them exist before any are counted."""
    x = floats()
    for _ in range(8 * 251):
        x.fill(1)


@pytest.mark.usefixtures("quick_collections", "marks_of_the_queue")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("operation", OPERATIONS, ids=[f.__name__ for f in OPERATIONS])
@pytest.mark.parametrize("name, mode", CASES)
def test_every_call_fails_in_turn(emulator, monkeypatch, operation, name, mode):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    operation()
    operation()
    settle(emulator)
    used, before = cp.get_default_memory_pool().used_bytes(), emulator.ledger()
    for nth in range(1, 300):
        if not attempt(emulator, operation, nth, ERRORS[name], mode):
            break
        gc.collect()
        operation()
    assert 1 < nth < 299
    assert not unraisable, [u.exc_value for u in unraisable]
    settle(emulator)
    assert cp.get_default_memory_pool().used_bytes() == used
    after = emulator.ledger()
    grown = {kind: after[kind] - before[kind] for kind in KINDS if after[kind] > before[kind]}
    assert not grown, grown
