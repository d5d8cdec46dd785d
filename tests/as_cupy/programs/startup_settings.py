"""Settings that programs touch before they start: accelerators, memory limits, versions, devices."""

import os

os.environ.setdefault("CUPY_ACCELERATORS", "cub")
import cupy
import cupy as cp
import cupyx
from cupy._core import core as c2
from cupy.cuda.memory import OutOfMemoryError
from cupy_backends.cuda.api import runtime as rt
from packaging.version import Version as V

assert V(cupy.__version__) >= V("9.0")
cp._core.set_routine_accelerators(["cub", "cutensor"])
cp._core.set_reduction_accelerators(["cub"])
print(cp._core.get_routine_accelerators(), cp._core.get_reduction_accelerators())
cp._core.set_compute_type(cp.float32, cp._core.COMPUTE_TYPE_TF32)
assert cp._core.get_compute_type(cp.float32) == cp._core.COMPUTE_TYPE_TF32
cp._core.set_compute_type(cp.float32, cp._core.COMPUTE_TYPE_FP32)
assert cp._core.get_compute_type(cp.float16) == cp._core.COMPUTE_TYPE_DEFAULT
try:
    cp._core.set_compute_type(cp.float64, cp._core.COMPUTE_TYPE_TF32)
except ValueError as error:
    assert "float64" in str(error)
mempool = cp.get_default_memory_pool()
pinned = cp.get_default_pinned_memory_pool()
mempool.set_limit(size=1024**3)
assert mempool.get_limit() == 1024**3
mempool.set_limit(fraction=0.5)
mempool.set_limit(size=0)
a = cp.zeros(1000)
print(
    mempool.used_bytes(),
    mempool.total_bytes(),
    mempool.free_bytes(),
    mempool.n_free_blocks(),
    pinned.n_free_blocks(),
)
del a
mempool.free_all_blocks()
pinned.free_all_blocks()
dev = cp.cuda.Device()
props = cp.cuda.runtime.getDeviceProperties(dev.id)
print(
    props["name"].decode(),
    props["totalGlobalMem"],
    props["multiProcessorCount"],
    props["warpSize"],
    props["maxThreadsPerBlock"],
)
free, total = dev.mem_info
free2, total2 = cp.cuda.runtime.memGetInfo()
assert total == total2
assert dev.attributes["MaxThreadsPerBlock"] == 1024 and int(dev.compute_capability) >= 30
assert cp.cuda.runtime.getDeviceCount() >= 1 and cp.cuda.is_available() and cp.is_available()
print(
    cp.cuda.runtime.runtimeGetVersion(),
    cp.cuda.runtime.driverGetVersion(),
    cp.cuda.get_cuda_path(),
    dev.pci_bus_id,
)
cp.show_config()
print(cupyx.get_runtime_info())
assert dev == cp.cuda.Device(0) and hash(dev) == hash(cp.cuda.Device(0)) and dev.id == int(dev) == 0
with cp.cuda.Device(0) as d0:
    d0.use()
    d0.synchronize()
with cupyx.errstate(divide=None, over=None, under=None, invalid=None, linalg="raise"):
    pass
print(cupyx.geterr())
old = cupyx.seterr(linalg="raise")
cupyx.seterr(**old)
with cupyx.allow_synchronize(True):
    float(cp.ones(1).sum())
if not cp.cuda.nccl.available:
    print("no nccl")
print(cupy.cuda.cub.available, cupy.cuda.cutensor.available, cupy.cuda.thrust.available)

assert rt.CUDARuntimeError is cp.cuda.runtime.CUDARuntimeError
try:
    cp.cuda.Device(99).use()
except cp.cuda.runtime.CUDARuntimeError as e:
    print(e)
assert cupy.cuda.runtime.is_hip is False

assert c2.ndarray is cp.ndarray

try:
    mempool.set_limit(size=1 << 20)
    cp.zeros(1 << 24)
    raise SystemExit("no error")
except OutOfMemoryError as e:
    print(e)
finally:
    mempool.set_limit(size=0)
assert cp.cuda.alloc(100).mem.size >= 100
