"""Objects that are made while memory is short: each allocation of CPython fails in turn, the collector runs at each
allocation, and freed memory is overwritten, so that a use of what is half made or gone ends the program. Dates are left out: NumPy 2.4 gives up a reference to their
dtypes that it does not have where memory is short."""

import importlib.util
import subprocess
import sys

import child
import pytest

needs_hooks = pytest.mark.skipif(
    importlib.util.find_spec("_testcapi") is None, reason="CPython without its test modules"
)

PROLOGUE = """
import gc
import _testcapi
import gpunp as cp
from gpunp import _C
from gpunp.cuda import Stream

def affine(x, y=1):
    return x * y + 1

class Array(cp.ndarray):
    def __init__(self, *args):
        self.cycle = self

class Own(Stream):
    def __init__(self, *args):
        self.cycle = self

class Pool(cp.cuda.MemoryPool):
    def __init__(self, *args):
        self.cycle = self

def captured():
    with Stream(non_blocking=True) as stream:
        stream.begin_capture()
        try:
            x + 1
        finally:
            graph = stream.end_capture()
    return graph

SOURCE = 'extern "C" __global__ void k(double *x) {}'
x, host = cp.ones((2, 3)), cp.ones(3).get()
elementwise = cp.ElementwiseKernel("T x", "T y", "y = x", "half_made")
reduction = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "half_made")
module, kernel, fused = cp.RawModule(code=SOURCE), cp.RawKernel(SOURCE, "k"), cp.fuse(affine)

def check(call):
    call(), call()  # kernels and what is imported at the first use
    gc.collect()
    gc.set_threshold(1)
    good = n = 0
    while good < 3 and n < 500:
        _testcapi.set_nomemory(n, n + 1)
        try:
            call()
            good += 1
        except MemoryError:
            good = 0
        finally:
            _testcapi.remove_mem_hooks()
        n += 1
    gc.set_threshold(700)
    gc.collect()
    call()
    cp.cuda.Device().synchronize()
"""

CALLS = {
    "arrays": [
        "cp.zeros((2, 3))[:, 1:]", "cp.ndarray((1,) * 8)", "x.flags", "x.flat", "[*x]", "Array(3)", "cp.asarray(host)",
        "cp.asarray([1, 2, 3])", "cp.broadcast(x, x)", "x.get()", "cp.from_dlpack(x)", "x.__cuda_array_interface__",
        "cp.zeros(3, 'i4,f8')['f0']",
    ],
    "runtime": [
        "Stream(non_blocking=True)", "Own()", "cp.cuda.ExternalStream(0)", "cp.cuda.Event()", "cp.cuda.Device(0)",
        "cp.cuda.MemoryPool()", "Pool()", "cp.cuda.alloc(64)", "cp.cuda.BaseMemory()", "cp.cuda.PinnedMemory(64)",
        "cp.cuda.UnownedMemory(x.data.ptr, 16, x)", "cp.cuda.alloc_pinned_memory(64)", "captured()",
        "cp.cuda.MemoryPointer(x.data.mem, 8)", "cp.allow_host_copy()",
    ],
    "kernels": [
        "cp.RawModule(code=SOURCE)", "cp.RawKernel(SOURCE, 'k')", "module.get_function('k')", "_C.Module()",
        "_C.LinkState()", "_C.Dispatch('half_made')", "_C.Dispatch('half_made')[1, 1]", "_C.renamed(affine, {}, affine, 1)",
        "cp.ElementwiseKernel('T x', 'T y', 'y = x', 'half_made')", "cp.fuse(affine)", "_C.FusedFunction(affine, 'half_made')",
        "cp.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'half_made')", "_C.RandomStream('given', affine)",
        "_C.RandomStream('philox', 5)", "_C.RandomStream('xorwow', (1, 2, 3, 4, 5, 6))", "_C.CurandGenerator(100, 1)",
    ],
    "operations": [
        "elementwise(x)", "reduction(x)", "fused(x, x)", "kernel((1,), (1,), (x,))", "x + x", "3 * x", "x.sum(axis=0)",
        "x[x > 0]", "x.__setitem__(slice(1), 5)", "cp.add(x, 1, out=x)", "cp.add(x, 1, cp.empty((2, 3)), where=x > 0)",
        "cp.add.at(x, (0, 1), 2)", "cp.add.reduce(x, axis=(0, 1), keepdims=True)", "cp.concatenate([x, x])",
        "cp.take(x, cp.arange(2), axis=0)", "x @ x.T", "cp.where(x > 0, x, 0)", "cp.sort(x)", "x.argmax()", "cp.fft.fft(x)",
        "cp.einsum('ij,ij->i', x, x)", "x.reshape(3, 2).T.copy()",
        "cp.linalg.solve(cp.eye(2), cp.ones(2))", "cp.scipy.sparse.csr_array(cp.eye(3)) @ cp.ones(3)",
    ],
}  # fmt: skip


@needs_hooks
@pytest.mark.null
@pytest.mark.parametrize("name", CALLS)
def test_each_allocation_may_fail(name):
    calls = "".join(f"check(lambda: {call})\n" for call in CALLS[name])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROLOGUE + calls],
        env=child.environment(GPUNP_DEVICE="emulated", PYTHONMALLOC="debug", MALLOC_PERTURB_="165"),
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
