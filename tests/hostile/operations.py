"""Every public name of gpunp.cuda and of arrays, and an operation that uses it.

`OPERATIONS` maps a name such as "Stream.record" to an `Operation`, or to a sentence that says why
there is nothing to call; `public_names()` is what the package has, so a new name without a row is
found. Operations run while Python functions are pending in streams (callbacks.py): what `prepare`
makes is made before, and `act` must not wait with the GIL held. A prepared list is cleared by "drop"
operations, so that its objects go at that moment. An `unordered` operation uses in the legacy stream
what was made in the current one: a race of the program where that does not wait for the legacy one.
"""

import contextlib
import copy
import ctypes
import gc
import io
import mmap
import pickle
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

import numpy as np

import gpunp as cp
from gpunp.cuda import memory, nvtx, pinned_memory, profiler, runtime, texture

Operation = namedtuple("Operation", "act prepare unordered")
OPERATIONS = {}
SOURCE = """
extern "C" __constant__ float factor;
extern "C" __global__ void add_one(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
extern "C" __global__ void scale(float *x) { x[0] *= factor; }
"""
PTX = b"""
.version 7.0
.target sm_60
.address_size 64
.visible .entry nothing() { ret; }
"""


UNORDERED = [
    "MemoryPointer.copy_from",
    "MemoryPointer.copy_from_device",
    "MemoryPointer.copy_from_host",
    "MemoryPointer.copy_to_host",
    "MemoryPointer.memset",
    "RawModule.get_global",
    "runtime.memcpy",
    "runtime.memcpy2D",
    "runtime.memcpy2DFromArray",
    "runtime.memcpy2DToArray",
    "runtime.memcpy3D",
    "runtime.memcpyPeer",
    "runtime.memset",
]


def row(name, act, prepare=lambda: None):
    """Operation `name`: act(what prepare() returned)."""
    assert name not in OPERATIONS, name
    OPERATIONS[name] = Operation(act, prepare, name in UNORDERED)


def rows(prefix, prepare, acts):
    """Several operations of one kind of object."""
    for name, act in acts.items():
        row(f"{prefix}.{name}", act, prepare)


def nothing(reason, names):
    """Names with nothing to call."""
    for name in names.split():
        assert name not in OPERATIONS, name
        OPERATIONS[name] = reason


def refused(act):
    """Do it; the driver may say no (it takes another process, or another device)."""
    with contextlib.suppress(RuntimeError, ValueError):
        act()


def drop(objects):
    """The last references go."""
    objects.clear()


# ---- what operations work on


def floats(n=64):
    return cp.arange(n, dtype="f4") + 1


EVENT = cp.cuda.Event()
SAMPLING = texture.TextureDescriptor()
CHANNELS = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)


def kernel():
    k = cp.RawKernel(SOURCE, "add_one")
    k((1,), (64,), (floats(), 64))
    return k


def loaded():
    module = cp.cuda.Module()
    module.load(PTX)
    return module


def graph():
    with cp.cuda.Stream(non_blocking=True) as stream:
        x = floats()
        stream.begin_capture()
        x += 1
        captured = stream.end_capture()
        captured.launch()
        stream.synchronize()
    return captured


def capturing():
    stream = cp.cuda.Stream(non_blocking=True)
    stream.begin_capture()
    return stream


def cuda_array():
    return texture.CUDAarray(CHANNELS, 8, 4, 0, runtime.cudaArraySurfaceLoadStore)


def resource():
    return texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=cuda_array())


def texture_object():
    return texture.TextureObject(resource(), texture.TextureDescriptor())


def address(buffer):
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def graph_handle():
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    x = floats()
    runtime.streamBeginCapture(stream)
    runtime.memsetAsync(x.data.ptr, 0, 4, stream)
    handle = runtime.streamEndCapture(stream)
    runtime.streamDestroy(stream)
    return handle, x


def exec_handle():
    handle, x = graph_handle()
    return runtime.graphInstantiate(handle), x, handle


def pool_handle():
    props = runtime.MemPoolProps(
        runtime.cudaMemAllocationTypePinned,
        runtime.cudaMemHandleTypeNone,
        runtime.cudaMemLocationTypeDevice,
        0,
    )
    return runtime.memPoolCreate(props)


def with_default_allocator(act):
    act()
    cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)


def trimmed_pool():
    pool = cp.cuda.MemoryPool()
    pool.malloc(5000)
    return pool


# ---- gpunp.cuda

Stream, Event = cp.cuda.Stream, cp.cuda.Event
TYPES = """BaseMemory CUDADriverError CompileException Graph MemoryHook OutOfMemoryError PooledMemory
    """
nothing("an abstract or internal type", " ".join(f"cuda.{name}" for name in TYPES.split()))
MODULES = """compiler device driver function graph memory memory_hook memory_hooks nvrtc nvtx
    pinned_memory profiler runtime stream texture"""
nothing("a module", " ".join(f"cuda.{name}" for name in MODULES.split()))
nothing("looks at files and settings", "cuda.get_cuda_path cuda.get_nvcc_path cuda.allow_tf32")
nothing("changes a setting", "cuda.set_peer_access")
nothing("changes the driver of the process", "cuda.emulate_driver cuda.emulator_directory")

row("cuda.Device", lambda _: cp.cuda.Device(0).use())
row("cuda.Event", lambda _: Event())
row("cuda.ExternalStream", lambda s: cp.cuda.ExternalStream(s.ptr).synchronize(), Stream)
row("cuda.Stream", lambda _: Stream(priority=0))
row("cuda.Module", lambda _: loaded())
row("cuda.Function", lambda m: cp.cuda.Function(m, "nothing"), loaded)
row("cuda.ManagedMemory", lambda _: memory.ManagedMemory(100))
row("cuda.Memory", lambda _: memory.Memory(100))
row("cuda.MemoryAsync", lambda _: memory.MemoryAsync(100, cp.cuda.get_current_stream()))
row("cuda.MemoryAsyncPool", lambda _: cp.cuda.MemoryAsyncPool())
row("cuda.MemoryPointer", lambda x: cp.cuda.MemoryPointer(x.data.mem, 0), floats)
row("cuda.MemoryPool", lambda _: cp.cuda.MemoryPool().malloc(100))
row("cuda.UnownedMemory", lambda x: cp.cuda.UnownedMemory(x.data.ptr, 4, x), floats)
row("cuda.PinnedMemory", lambda _: cp.cuda.PinnedMemory(100))
row("cuda.PinnedMemoryPool", lambda _: cp.cuda.PinnedMemoryPool().malloc(100))
row(
    "cuda.PinnedMemoryPointer",
    lambda m: cp.cuda.PinnedMemoryPointer(m, 8),
    lambda: cp.cuda.PinnedMemory(100),
)
row(
    "cuda.PythonFunctionAllocator",
    lambda _: cp.cuda.PythonFunctionAllocator(
        lambda n, d: runtime.malloc(n), lambda p, d: runtime.free(p)
    ).malloc(100),
)
OPERATIONS["cuda.CFunctionAllocator"] = "PythonFunctionAllocator's kin: the functions are foreign"
row("cuda.alloc", lambda _: cp.cuda.alloc(100))
row("cuda.alloc_pinned_memory", lambda _: cp.cuda.alloc_pinned_memory(100))
row("cuda.get_allocator", lambda _: cp.cuda.get_allocator())
row("cuda.get_compute_capability", lambda _: cp.cuda.get_compute_capability())
row("cuda.get_cublas_handle", lambda _: cp.cuda.get_cublas_handle())
row("cuda.get_cusolver_handle", lambda _: cp.cuda.get_cusolver_handle())
row("cuda.get_current_stream", lambda _: cp.cuda.get_current_stream())
row("cuda.get_default_memory_pool", lambda _: cp.get_default_memory_pool().free_all_blocks())
row("cuda.get_default_pinned_memory_pool", lambda _: cp.get_default_pinned_memory_pool())
row("cuda.get_device_id", lambda _: cp.cuda.get_device_id())
row("cuda.get_elapsed_time", lambda e: refused(lambda: cp.cuda.get_elapsed_time(e, e)), Event)
row("cuda.get_local_runtime_version", lambda _: cp.cuda.get_local_runtime_version())
row("cuda.is_available", lambda _: cp.cuda.is_available())
row("cuda.is_emulated", lambda _: cp.cuda.is_emulated())
row("cuda.malloc_async", lambda _: cp.cuda.malloc_async(100))
row("cuda.malloc_managed", lambda _: cp.cuda.malloc_managed(100))
row("cuda.profile", lambda _: cp.cuda.profile().__enter__())
row(
    "cuda.set_allocator",
    lambda p: with_default_allocator(lambda: (cp.cuda.set_allocator(p.malloc), cp.zeros(3))),
    cp.cuda.MemoryPool,
)
row("cuda.set_pinned_memory_allocator", lambda _: cp.cuda.set_pinned_memory_allocator())


def allocate_using(pool):
    with cp.cuda.using_allocator(pool.malloc):
        cp.zeros(1000)


row("cuda.using_allocator", allocate_using, cp.cuda.MemoryPool)

# ---- streams, events, graphs, devices

rows(
    "Stream",
    Stream,
    {
        "add_callback": lambda s: s.add_callback(lambda *_: None, 0),
        "launch_host_func": lambda s: s.launch_host_func(lambda _: None, 0),
        "device_id": lambda s: s.device_id,
        "done": lambda s: s.done,
        "from_external": lambda s: Stream.from_external(s),
        "is_capturing": lambda s: s.is_capturing(),
        "is_non_blocking": lambda s: s.is_non_blocking,
        "null": lambda s: Stream.null.synchronize(),
        "ptds": lambda s: Stream.ptds.synchronize(),
        "priority": lambda s: s.priority,
        "ptr": lambda s: s.ptr,
        "record": lambda s: s.record(),
        "synchronize": lambda s: s.synchronize(),
        "wait_event": lambda s: s.wait_event(cp.cuda.get_current_stream().record()),
    },
)
row(
    "Stream.begin_capture",
    lambda s: (s.begin_capture(), s.end_capture()),
    lambda: Stream(non_blocking=True),
)
row("Stream.end_capture", lambda s: s.end_capture(), capturing)
row("Stream.use", lambda s: s.use(), lambda: Stream.null)
rows(
    "Event",
    Event,
    {
        "device_id": lambda e: e.device_id,
        "done": lambda e: e.done,
        "ptr": lambda e: e.ptr,
        "record": lambda e: e.record(),
        "synchronize": lambda e: (e.record(), e.synchronize()),
    },
)
rows(
    "Graph",
    graph,
    {
        "debug_dot_str": lambda g: g.debug_dot_str(),
        "graph": lambda g: g.graph,
        "graphExec": lambda g: g.graphExec,
        "host_funcargs": lambda g: g.host_funcargs,
        "launch": lambda g: g.launch(),
        "update": lambda g: g.update(g),
        "upload": lambda g: g.upload(),
    },
)


def of_library(device, name):
    """A handle of a library that the emulated device does not have."""
    with contextlib.suppress(RuntimeError):
        getattr(device, name)


rows(
    "Device",
    lambda: cp.cuda.Device(0),
    {
        "attributes": lambda d: d.attributes,
        "compute_capability": lambda d: d.compute_capability,
        "cublas_handle": lambda d: d.cublas_handle,
        "cusolver_handle": lambda d: d.cusolver_handle,
        "cusolver_sp_handle": lambda d: of_library(d, "cusolver_sp_handle"),
        "cusparse_handle": lambda d: of_library(d, "cusparse_handle"),
        "from_pci_bus_id": lambda d: cp.cuda.Device.from_pci_bus_id(d.pci_bus_id),
        "id": lambda d: d.id,
        "mem_info": lambda d: d.mem_info,
        "name": lambda d: d.name,
        "pci_bus_id": lambda d: d.pci_bus_id,
        "synchronize": lambda d: d.synchronize(),
        "use": lambda d: d.use(),
    },
)

# ---- memory

rows(
    "MemoryPool",
    trimmed_pool,
    {
        "free_all_blocks": lambda p: p.free_all_blocks(),
        "free_all_free": lambda p: p.free_all_free(),
        "free_bytes": lambda p: p.free_bytes(),
        "get_limit": lambda p: p.get_limit(),
        "malloc": lambda p: p.malloc(1 << 20),
        "n_free_blocks": lambda p: p.n_free_blocks(),
        "peak_bytes": lambda p: p.peak_bytes(),
        "set_limit": lambda p: p.set_limit(size=1 << 30),
        "total_bytes": lambda p: p.total_bytes(),
        "used_bytes": lambda p: p.used_bytes(),
    },
)
rows(
    "MemoryAsyncPool",
    cp.cuda.MemoryAsyncPool,
    {
        "free_all_blocks": lambda p: p.free_all_blocks(),
        "free_bytes": lambda p: p.free_bytes(),
        "get_limit": lambda p: p.get_limit(),
        "malloc": lambda p: p.malloc(1000),
        "memoryAsyncHasStat": lambda p: p.memoryAsyncHasStat,
        "n_free_blocks": lambda p: refused(p.n_free_blocks),
        "set_limit": lambda p: refused(lambda: p.set_limit(size=0)),
        "total_bytes": lambda p: p.total_bytes(),
        "used_bytes": lambda p: p.used_bytes(),
    },
)


def pointer_and_host():
    return cp.cuda.alloc(800), np.zeros(100), cp.cuda.alloc(800)


rows(
    "MemoryPointer",
    pointer_and_host,
    {
        "copy_from": lambda o: o[0].copy_from(o[2], 800),
        "copy_from_async": lambda o: o[0].copy_from_async(o[2], 800, cp.cuda.get_current_stream()),
        "copy_from_device": lambda o: o[0].copy_from_device(o[2], 800),
        "copy_from_device_async": lambda o: o[0].copy_from_device_async(o[2], 800),
        "copy_from_host": lambda o: o[0].copy_from_host(o[1].ctypes.data, 800),
        "copy_from_host_async": lambda o: o[0].copy_from_host_async(o[1].ctypes.data, 800),
        "copy_to_host": lambda o: o[0].copy_to_host(o[1].ctypes.data, 800),
        "copy_to_host_async": lambda o: o[0].copy_to_host_async(o[1].ctypes.data, 800),
        "device": lambda o: o[0].device,
        "device_id": lambda o: o[0].device_id,
        "mem": lambda o: o[0].mem,
        "memset": lambda o: o[0].memset(1, 800),
        "memset_async": lambda o: o[0].memset_async(1, 800),
        "ptr": lambda o: o[0].ptr,
        "size": lambda o: o[0].mem.size,
    },
)


def pinned_pool():
    pool = cp.cuda.PinnedMemoryPool()
    pool.malloc(1000)
    return pool


rows(
    "PinnedMemoryPool",
    pinned_pool,
    {
        "free_all_blocks": lambda p: p.free_all_blocks(),
        "malloc": lambda p: p.malloc(100000),
        "n_free_blocks": lambda p: p.n_free_blocks(),
    },
)
rows(
    "PinnedMemory",
    lambda: cp.cuda.PinnedMemory(100),
    {"ptr": lambda m: m.ptr, "size": lambda m: m.size},
)

# ---- code

rows(
    "Module",
    loaded,
    {
        "get_function": lambda m: m.get_function("nothing"),
        "load": lambda m: m.load(PTX),
        "mapping": lambda m: m.mapping,
        "ptr": lambda m: m.ptr,
    },
)


def module_and_file():
    folder = tempfile.mkdtemp()
    path = Path(folder) / "module.ptx"
    path.write_bytes(PTX)
    return cp.cuda.Module(), path, folder


row("Module.load_file", lambda o: o[0].load_file(str(o[1])), module_and_file)
row(
    "Module.get_global_var",
    lambda m: m.module.get_global_var("factor"),
    lambda: cp.RawModule(code=SOURCE),
)
rows(
    "Function",
    lambda: loaded().get_function("nothing"),
    {
        "linear_launch": lambda f: f.linear_launch(1, ()),
        "module": lambda f: f.module,
        "name": lambda f: f.name,
        "ptr": lambda f: f.ptr,
    },
)
rows(
    "RawModule",
    lambda: cp.RawModule(code=SOURCE),
    {
        "compile": lambda m: m.compile(),
        "get_function": lambda m: m.get_function("scale"),
        "get_global": lambda m: m.get_global("factor").memset(0, 4),
        "module": lambda m: m.module,
    },
)
nothing(
    "what it was made with",
    " ".join(
        f"RawModule.{name}"
        for name in [
            "backend",
            "code",
            "enable_cooperative_groups",
            "file_path",
            "name_expressions",
            "options",
        ]
    ),
)
rows(
    "RawKernel",
    lambda: cp.RawKernel(SOURCE, "scale"),
    {
        name: (lambda name: lambda k: getattr(k, name))(name)
        for name in [
            "attributes",
            "binary_version",
            "cache_mode_ca",
            "const_size_bytes",
            "kernel",
            "local_size_bytes",
            "max_dynamic_shared_size_bytes",
            "max_threads_per_block",
            "num_regs",
            "preferred_shared_memory_carveout",
            "ptx_version",
            "shared_size_bytes",
        ]
    },
)
row("RawKernel.compile", lambda k: k.compile(), lambda: cp.RawKernel(SOURCE, "scale"))
nothing(
    "what it was made with",
    " ".join(
        f"RawKernel.{name}"
        for name in ["backend", "code", "enable_cooperative_groups", "file_path", "name", "options"]
    ),
)

# ---- textures

row("texture.CUDAarray", lambda _: cuda_array())
row("texture.ChannelFormatDescriptor", lambda _: texture.ChannelFormatDescriptor(8, 0, 0, 0, 0))
row("texture.ResourceDescriptor", lambda _: resource())
row("texture.SurfaceObject", lambda r: texture.SurfaceObject(r), resource)
row("texture.TextureDescriptor", lambda _: texture.TextureDescriptor())
row("texture.TextureObject", lambda _: texture_object())
rows(
    "CUDAarray",
    lambda: (cuda_array(), cp.zeros((4, 8), "f4"), np.zeros((4, 8), "f4")),
    {
        "copy_from": lambda o: (o[0].copy_from(o[1]), o[0].copy_from(o[2])),
        "copy_to": lambda o: (o[0].copy_to(o[1]), o[0].copy_to(o[2])),
    },
)

# ---- gpunp.cuda.runtime

nothing("a type", "runtime.CUDARuntimeError runtime.MemPoolProps runtime.PointerAttributes")
nothing("a helper of the module", "runtime.Any")
nothing(
    "other processes' memory: it cannot be opened in the same one",
    "runtime.ipcOpenMemHandle runtime.ipcCloseMemHandle runtime.ipcOpenEventHandle",
)
SIMPLE = {
    "check_status": lambda: runtime.check_status(0),
    "deviceCanAccessPeer": lambda: runtime.deviceCanAccessPeer(0, 0),
    "deviceEnablePeerAccess": lambda: refused(lambda: runtime.deviceEnablePeerAccess(0)),
    "deviceDisablePeerAccess": lambda: refused(lambda: runtime.deviceDisablePeerAccess(0)),
    "deviceGetAttribute": lambda: runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0),
    "deviceGetByPCIBusId": lambda: runtime.deviceGetByPCIBusId(runtime.deviceGetPCIBusId(0)),
    "deviceGetDefaultMemPool": lambda: runtime.deviceGetDefaultMemPool(0),
    "deviceGetLimit": lambda: runtime.deviceGetLimit(0),
    "deviceGetMemPool": lambda: runtime.deviceGetMemPool(0),
    "deviceGetPCIBusId": lambda: runtime.deviceGetPCIBusId(0),
    "deviceGetStreamPriorityRange": runtime.deviceGetStreamPriorityRange,
    "deviceSetLimit": lambda: runtime.deviceSetLimit(0, runtime.deviceGetLimit(0)),
    "deviceSetMemPool": lambda: runtime.deviceSetMemPool(0, runtime.deviceGetMemPool(0)),
    "deviceSynchronize": runtime.deviceSynchronize,
    "driverGetVersion": runtime.driverGetVersion,
    "eventCreate": lambda: runtime.eventDestroy(runtime.eventCreate()),
    "eventCreateWithFlags": lambda: runtime.eventDestroy(runtime.eventCreateWithFlags(2)),
    "getDevice": runtime.getDevice,
    "getDeviceCount": runtime.getDeviceCount,
    "getDeviceProperties": lambda: runtime.getDeviceProperties(0),
    "hostAlloc": lambda: runtime.freeHost(runtime.hostAlloc(100)),
    "malloc": lambda: runtime.free(runtime.malloc(100)),
    "mallocAsync": lambda: runtime.freeAsync(runtime.mallocAsync(100, 0), 0),
    "mallocManaged": lambda: runtime.free(runtime.mallocManaged(100)),
    "memGetInfo": runtime.memGetInfo,
    "memPoolCreate": lambda: runtime.memPoolDestroy(pool_handle()),
    "profilerStart": runtime.profilerStart,
    "profilerStop": runtime.profilerStop,
    "runtimeGetVersion": runtime.runtimeGetVersion,
    "setDevice": lambda: runtime.setDevice(0),
    "streamCreate": lambda: runtime.streamDestroy(runtime.streamCreate()),
    "streamCreateWithFlags": lambda: runtime.streamDestroy(runtime.streamCreateWithFlags(1)),
    "streamCreateWithPriority": lambda: runtime.streamDestroy(
        runtime.streamCreateWithPriority(0, 0)
    ),
}
for name, act in SIMPLE.items():
    row(f"runtime.{name}", (lambda act: lambda _: act())(act))

rows(
    "runtime",
    runtime.eventCreate,
    {
        "eventDestroy": runtime.eventDestroy,
        "eventElapsedTime": lambda e: refused(lambda: runtime.eventElapsedTime(e, e)),
        "eventQuery": runtime.eventQuery,
        "eventRecord": lambda e: runtime.eventRecord(e, cp.cuda.get_current_stream().ptr),
        "eventSynchronize": lambda e: (runtime.eventRecord(e, 0), runtime.eventSynchronize(e)),
    },
)
rows(
    "runtime",
    runtime.streamCreate,
    {
        "streamDestroy": runtime.streamDestroy,
        "streamAddCallback": lambda s: runtime.streamAddCallback(s, lambda *_: None, 0),
        "launchHostFunc": lambda s: runtime.launchHostFunc(s, lambda _: None, 0),
        "streamGetFlags": runtime.streamGetFlags,
        "streamGetPriority": runtime.streamGetPriority,
        "streamIsCapturing": runtime.streamIsCapturing,
        "streamQuery": runtime.streamQuery,
        "streamSynchronize": runtime.streamSynchronize,
        "streamWaitEvent": lambda s: runtime.streamWaitEvent(s, EVENT.ptr),
    },
)
row(
    "runtime.streamBeginCapture",
    lambda s: (runtime.streamBeginCapture(s), runtime.streamEndCapture(s)),
    lambda: runtime.streamCreateWithFlags(1),
)
row(
    "runtime.streamEndCapture",
    lambda s: runtime.graphDestroy(runtime.streamEndCapture(s)),
    lambda: (lambda s: (runtime.streamBeginCapture(s), s)[1])(runtime.streamCreateWithFlags(1)),
)
rows(
    "runtime",
    graph_handle,
    {
        "graphDebugDotPrint": lambda g: runtime.graphDebugDotPrint(g[0], "/dev/null", 0),
        "graphDestroy": lambda g: runtime.graphDestroy(g[0]),
        "graphInstantiate": lambda g: runtime.graphExecDestroy(runtime.graphInstantiate(g[0])),
    },
)
rows(
    "runtime",
    exec_handle,
    {
        "graphExecDestroy": lambda g: runtime.graphExecDestroy(g[0]),
        "graphLaunch": lambda g: runtime.graphLaunch(g[0], cp.cuda.get_current_stream().ptr),
        "graphUpload": lambda g: runtime.graphUpload(g[0], cp.cuda.get_current_stream().ptr),
    },
)
row("runtime.free", runtime.free, lambda: runtime.malloc(100))
row("runtime.freeAsync", lambda p: runtime.freeAsync(p, 0), lambda: runtime.mallocAsync(100, 0))
row("runtime.freeHost", runtime.freeHost, lambda: runtime.hostAlloc(100))
row("runtime.freeArray", runtime.freeArray, lambda: runtime.mallocArray(CHANNELS.ptr, 8, 4))
row("runtime.mallocArray", lambda _: runtime.freeArray(runtime.mallocArray(CHANNELS.ptr, 8, 4)))
row(
    "runtime.malloc3DArray",
    lambda _: runtime.freeArray(runtime.malloc3DArray(CHANNELS.ptr, 8, 4, 2)),
)
rows(
    "runtime",
    lambda: mmap.mmap(-1, 4096),
    {
        "hostRegister": lambda b: (
            runtime.hostRegister(address(b), 4096),
            runtime.hostUnregister(address(b)),
        ),
    },
)


def registered():
    buffer = mmap.mmap(-1, 4096)
    runtime.hostRegister(address(buffer), 4096)
    return buffer


row("runtime.hostUnregister", lambda b: runtime.hostUnregister(address(b)), registered)
rows(
    "runtime",
    lambda: cp.cuda.malloc_managed(1 << 16),
    {
        "memAdvise": lambda m: refused(lambda: runtime.memAdvise(m.ptr, 4096, 1, 0)),
        "memPrefetchAsync": lambda m: runtime.memPrefetchAsync(m.ptr, 4096, 0, 0),
    },
)
rows(
    "runtime",
    pool_handle,
    {
        "mallocFromPoolAsync": lambda p: runtime.freeAsync(
            runtime.mallocFromPoolAsync(100, p, 0), 0
        ),
        "memPoolDestroy": runtime.memPoolDestroy,
        "memPoolGetAttribute": lambda p: runtime.memPoolGetAttribute(p, 4),
        "memPoolSetAttribute": lambda p: runtime.memPoolSetAttribute(p, 4, 0),
        "memPoolTrimTo": lambda p: runtime.memPoolTrimTo(p, 0),
    },
)
row(
    "runtime.ipcGetMemHandle",
    lambda p: refused(lambda: runtime.ipcGetMemHandle(p)),
    lambda: runtime.malloc(1 << 21),
)
row(
    "runtime.ipcGetEventHandle",
    runtime.ipcGetEventHandle,
    lambda: runtime.eventCreateWithFlags(6),
)
KINDS = {"HtoD": 1, "DtoH": 2, "DtoD": 3, "any": 4}


def two_and_host():
    return cp.zeros(64), cp.zeros(64), np.zeros(64)


def copies(o, copy_one):
    """Each direction; `copy_one` takes the target, the source and the kind."""
    a, b, host = o[0].data.ptr, o[1].data.ptr, o[2].ctypes.data
    copy_one(a, host, 1)
    copy_one(host, a, 2)
    copy_one(a, b, 3)
    copy_one(a, b, 4)


def current():
    return cp.cuda.get_current_stream().ptr


rows(
    "runtime",
    two_and_host,
    {
        "memcpy": lambda o: copies(o, lambda t, f, k: runtime.memcpy(t, f, 512, k)),
        "memcpyAsync": lambda o: copies(
            o, lambda t, f, k: runtime.memcpyAsync(t, f, 512, k, current())
        ),
        "memcpy2D": lambda o: copies(o, lambda t, f, k: runtime.memcpy2D(t, 64, f, 64, 32, 8, k)),
        "memcpy2DAsync": lambda o: copies(
            o, lambda t, f, k: runtime.memcpy2DAsync(t, 64, f, 64, 32, 8, k, current())
        ),
        "memcpyPeer": lambda o: runtime.memcpyPeer(o[0].data.ptr, 0, o[1].data.ptr, 0, 512),
        "memcpyPeerAsync": lambda o: runtime.memcpyPeerAsync(
            o[0].data.ptr, 0, o[1].data.ptr, 0, 512, current()
        ),
        "memset": lambda o: runtime.memset(o[0].data.ptr, 1, 512),
        "memsetAsync": lambda o: runtime.memsetAsync(o[0].data.ptr, 1, 512, current()),
        "pointerGetAttributes": lambda o: runtime.pointerGetAttributes(o[0].data.ptr),
        "pointerGetMemoryType": lambda o: runtime.pointerGetMemoryType(o[0].data.ptr),
    },
)


def array_and_memory():
    return cuda_array(), cp.zeros((4, 8), "f4"), np.zeros((4, 8), "f4")


def to_array(o, function, *stream):
    function(o[0].ptr, 0, 0, o[1].data.ptr, 32, 32, 4, 3, *stream)
    function(o[0].ptr, 0, 0, o[2].ctypes.data, 32, 32, 4, 1, *stream)


def from_array(o, function, *stream):
    function(o[1].data.ptr, 32, o[0].ptr, 0, 0, 32, 4, 3, *stream)
    function(o[2].ctypes.data, 32, o[0].ptr, 0, 0, 32, 4, 2, *stream)


def copy_3d(o, function, *stream):
    described = texture._Copy3D(kind=3)
    described.dst_array, described.src = o[0].ptr, texture._PitchedPtr(o[1].data.ptr, 32, 32, 4)
    described.extent[:] = (8, 4, 1)
    function(ctypes.addressof(described), *stream)


rows(
    "runtime",
    array_and_memory,
    {
        "memcpy2DToArray": lambda o: to_array(o, runtime.memcpy2DToArray),
        "memcpy2DToArrayAsync": lambda o: to_array(o, runtime.memcpy2DToArrayAsync, current()),
        "memcpy2DFromArray": lambda o: from_array(o, runtime.memcpy2DFromArray),
        "memcpy2DFromArrayAsync": lambda o: from_array(
            o, runtime.memcpy2DFromArrayAsync, current()
        ),
        "memcpy3D": lambda o: copy_3d(o, runtime.memcpy3D),
        "memcpy3DAsync": lambda o: copy_3d(o, runtime.memcpy3DAsync, current()),
    },
)
row(
    "runtime.createTextureObject",
    lambda r: runtime.destroyTextureObject(runtime.createTextureObject(r.ptr, SAMPLING.ptr)),
    resource,
)
row(
    "runtime.destroyTextureObject",
    lambda o: runtime.destroyTextureObject(o[0]),
    lambda: (lambda r: (runtime.createTextureObject(r.ptr, SAMPLING.ptr), r))(resource()),
)
row(
    "runtime.createSurfaceObject",
    lambda r: runtime.destroySurfaceObject(runtime.createSurfaceObject(r.ptr)),
    resource,
)
row(
    "runtime.destroySurfaceObject",
    lambda o: runtime.destroySurfaceObject(o[0]),
    lambda: (lambda r: (runtime.createSurfaceObject(r.ptr), r))(resource()),
)

# ---- objects that go

DROPPED = {
    "kernel": kernel,
    "RawModule": lambda: cp.RawModule(code=SOURCE).get_function("scale"),
    "Module": loaded,
    "Graph": graph,
    "Stream": lambda: Stream(non_blocking=True),
    "blocking stream": Stream,
    "capturing stream": capturing,
    "Event": Event,
    "PinnedMemory": lambda: cp.cuda.PinnedMemory(1 << 20),
    "PinnedMemoryPool": pinned_pool,
    "Memory": lambda: memory.Memory(1 << 20),
    "ManagedMemory": lambda: memory.ManagedMemory(1 << 16),
    "MemoryPool": trimmed_pool,
    "CUDAarray": cuda_array,
    "TextureObject": texture_object,
    "SurfaceObject": lambda: texture.SurfaceObject(resource()),
    "array": floats,
    "large array": lambda: floats(1 << 21),
    "generator": lambda: cp.random.default_rng(1),
}
for name, make in DROPPED.items():
    row(f"drop.{name}", drop, (lambda make: lambda: [make()])(make))


def used_elsewhere():
    """An array that another stream has used: its block waits for that stream."""
    x = floats(1 << 16)
    made = cp.cuda.get_current_stream().record()
    with Stream(non_blocking=True) as stream:
        stream.wait_event(made)
        x + 1
    return [x]


row("drop.array used elsewhere", drop, used_elsewhere)


def graph_with_host_data():
    with Stream(non_blocking=True) as stream:
        stream.begin_capture()
        x = cp.array(np.arange(9.0))
        stream.launch_host_func(lambda _: None, 0)
        captured = stream.end_capture()
    with Stream(), Stream() as other:
        captured.launch()
        captured.launch(other)
    return [captured, x]


row("drop.graph with host data", drop, graph_with_host_data)

# ---- libraries and what else may wait

WAITERS = {
    "matmul": lambda x: x @ x,
    "solve": lambda x: cp.linalg.solve(x, x),
    "svd": lambda x: cp.linalg.svd(x),
    "cholesky": lambda x: cp.linalg.cholesky(x),
    "eigh": lambda x: cp.linalg.eigh(x),
    "qr": lambda x: cp.linalg.qr(x),
    "fft": lambda x: cp.fft.fft(x),
    "fft of a new length": lambda x: cp.fft.fft(cp.ones(np.random.randint(100, 900))),
    "fft cache": lambda x: cp.fft.config.get_plan_cache().clear(),
    "random": lambda x: cp.random.default_rng(3).normal(size=9),
    "random state": lambda x: cp.random.RandomState(3).rand(9),
    "sort": lambda x: cp.sort(x),
    "histogram": lambda x: cp.histogram(x, 9),
    "unique": lambda x: cp.unique(x),
    "nonzero": lambda x: cp.nonzero(x),
    "mask": lambda x: x[x > 2],
    "asnumpy": lambda x: cp.asnumpy(x),
    "array of the host": lambda x: cp.asarray(np.ones((40, 40))),
    "large array of the host": lambda x: cp.asarray(np.ones(1 << 20)),
    "add.at": lambda x: cp.add.at(x, ([0, 0], [1, 1]), 1),
    "einsum": lambda x: cp.einsum("ij,jk->k", x, x),
    "scan": lambda x: cp.cumsum(x),
    "compile": lambda x: cp.RawModule(
        code=f'extern "C" __global__ void f() {{ int x = {np.random.randint(1 << 30)}; }}'
    ).get_function("f"),
    "elementwise": lambda x: cp.ElementwiseKernel("T x", "T y", "y = x + 3", "plus3")(x),
    "garbage": lambda x: gc.collect(),
    "printing": lambda x: repr(x),
    "trace": lambda x: traced(x),
    "many launches": lambda x: [x + 1 for _ in range(50)],
}
try:
    cp.fft.config.get_plan_cache()
except Exception:
    del WAITERS["fft cache"]


def traced(x):
    with tempfile.TemporaryDirectory() as folder, cp.profiler.trace(Path(folder) / "t.json"):
        x + 1


for name, act in WAITERS.items():
    row(f"use.{name}", act, lambda: cp.eye(4) * 3 + 1)

# ---- the methods of arrays

DATA = """T __doc__ base cstruct data device dtype flags flat imag itemsize nbytes ndim real shape size
    strides _c_contiguous _f_contiguous __module__ __array_priority__
    __cuda_array_interface__ __dlpack_c_exchange_api__"""
for name in DATA.split():
    row(f"ndarray.{name}", (lambda name: lambda x: getattr(x, name))(name), floats)
PLAIN = """all any argmax argmin argsort byteswap conj conjugate copy cumprod cumsum dumps flatten get
    max mean min nonzero prod ptp ravel round sort squeeze std sum tobytes tolist to_numpy transpose
    var view toDlpack reduced_view __abs__ __copy__ __dlpack__ __dlpack_device__ __invert__ __iter__
    __len__ __neg__ __pos__ __repr__ __str__ __sizeof__ __dir__ __array_namespace__ _repr_html_"""
METHODS = {name: (lambda name: lambda x: getattr(x, name)())(name) for name in PLAIN.split()}
BINARY = """add and divmod eq floordiv ge gt le lshift lt matmul mod mul ne or pow radd rand rdivmod
    rfloordiv rlshift rmatmul rmod rmul ror rpow rrshift rshift rsub rtruediv rxor sub truediv xor
    iadd iand ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor"""
WHOLE = {"and", "or", "xor", "lshift", "rshift"}


def binary(name):
    base = name.removeprefix("r" if name[1:] in WHOLE | {"and"} else "")
    integral = any(base.endswith(word) for word in WHOLE) or name == "invert"

    def act(x):
        a = x.astype("i4") if integral else x
        if name in ("matmul", "rmatmul", "imatmul"):
            a = a.reshape(8, 8)
        return getattr(a, f"__{name}__")(a.copy())

    return act


METHODS.update({f"__{name}__": binary(name) for name in BINARY.split()})
METHODS["__invert__"] = lambda x: ~x.astype("i4")
METHODS.update(
    argpartition=lambda x: x.argpartition(3),
    astype=lambda x: x.astype("i8"),
    choose=lambda x: (x > 3).astype("i4").choose([x, x]),
    clip=lambda x: x.clip(1, 2),
    compress=lambda x: x.compress(x > 3),
    diagonal=lambda x: x.reshape(8, 8).diagonal(),
    dot=lambda x: x.dot(x),
    dump=lambda x: x.dump(io.BytesIO()),
    fill=lambda x: x.fill(3),
    getfield=lambda x: x.getfield("f4"),
    item=lambda x: x.item(3),
    partition=lambda x: x.partition(3),
    put=lambda x: x.put([1, 2], 3),
    repeat=lambda x: x.repeat(2),
    reshape=lambda x: x.reshape(8, 8),
    resize=lambda x: x.resize((128,), refcheck=False),
    scatter_add=lambda x: x.scatter_add([1, 1], 2),
    scatter_max=lambda x: x.scatter_max([1, 1], 2),
    scatter_min=lambda x: x.scatter_min([1, 1], 2),
    searchsorted=lambda x: x.searchsorted(x),
    set=lambda x: x.set(np.ones(64, "f4")),
    setfield=lambda x: x.setfield(1, "f4"),
    setflags=lambda x: x.setflags(write=True),
    swapaxes=lambda x: x.reshape(8, 8).swapaxes(0, 1),
    take=lambda x: x.take([1, 2]),
    mT=lambda x: x.reshape(8, 8).mT,
    to_device=lambda x: x.to_device(x.device),
    tofile=lambda x: x.tofile("/dev/null"),
    trace=lambda x: x.reshape(8, 8).trace(),
    __array_function__=lambda x: np.concatenate([x, x]),
    __array_ufunc__=lambda x: np.add(x, x),
    __array_finalize__=lambda x: x.view(),
    __bool__=lambda x: bool(x[0]),
    __bytes__=lambda x: bytes(x),
    __complex__=lambda x: complex(x[0]),
    __contains__=lambda x: 3.0 in x,
    __deepcopy__=lambda x: copy.deepcopy(x),
    __delitem__=lambda x: refuses(lambda: x.__delitem__(0)),
    __float__=lambda x: float(x[0]),
    __format__=lambda x: format(x[0], ".2f"),
    __getitem__=lambda x: (x[3], x[::2], x[[1, 2]]),
    __index__=lambda x: [0, 1, 2].__getitem__(x.astype("i4")[0] - 1),
    __int__=lambda x: int(x[0]),
    __reduce__=lambda x: pickle.dumps(x),
    __round__=lambda x: round(x[0], 1),
    __reduce_ex__=lambda x: pickle.dumps(x, 5),
    __setitem__=lambda x: (x.__setitem__(3, 1), x.__setitem__([1, 2], 3)),
)


def refuses(act):
    with contextlib.suppress(TypeError, ValueError, NotImplementedError):
        act()


for name, act in METHODS.items():
    row(f"ndarray.{name}", act, floats)
nothing("no host copy is implicit", "ndarray.__array__")

# ---- nvtx, profiler and the helpers of memory

row("nvtx.RangePush", lambda _: (nvtx.RangePush("x"), nvtx.RangePop(), nvtx.Mark("y")))
row("profiler.start", lambda _: (profiler.start(), profiler.stop()))
row("memory.SingleDeviceMemoryPool", lambda _: memory.SingleDeviceMemoryPool().malloc(10))
row(
    "pinned_memory.is_memory_pinned",
    lambda x: pinned_memory.is_memory_pinned(x.ctypes.data),
    lambda: np.ones(100),
)


# ---- what the package has


def own(cls):
    """Names that a class or its bases of this package define."""
    names = set()
    for base in cls.__mro__:
        if base is not object:
            names |= set(vars(base))
    return names


def public_names():
    """Every name that must stand in OPERATIONS."""
    names = {
        f"cuda.{name}"
        for name in dir(cp.cuda)
        if not name.startswith("_") and f"gpunp.cuda.{name}" not in sys.modules
    }
    names |= {
        f"runtime.{name}"
        for name in dir(runtime)
        if not name.startswith("_") and not isinstance(getattr(runtime, name), int)
    }
    classes = "Stream Event Graph Device MemoryPool MemoryAsyncPool MemoryPointer PinnedMemoryPool"
    classes += " PinnedMemory Module Function"
    for title in classes.split():
        cls = getattr(cp.cuda, title)
        names |= {f"{title}.{name}" for name in dir(cls) if not name.startswith("_")}
    for cls in (cp.RawKernel, cp.RawModule):
        names |= {f"{cls.__name__}.{name}" for name in dir(cls) if not name.startswith("_")}
    names |= {f"texture.{name}" for name in dir(texture) if name[0].isupper()}
    nothing_to_call = [
        "__class__",
        "__class_getitem__",
        "__delattr__",
        "__getattribute__",
        "__getstate__",
        "__hash__",
        "__init__",
        "__init_subclass__",
        "__new__",
        "__setattr__",
        "__subclasshook__",
    ]
    methods = {name for name in dir(cp.ndarray) if hasattr(cp.ndarray, name)}
    return names | {f"ndarray.{name}" for name in methods - set(nothing_to_call)}
