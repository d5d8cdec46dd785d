"""gpunp's memory pool as the allocator of other libraries."""

import ctypes
import importlib
import subprocess
import sys
import threading

import child
import pytest

import gpunp as cp

ALLOC = (ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)
FREE = (None, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)


@pytest.fixture(scope="module")
def functions():
    """The functions that PyTorch is given, called as PyTorch does: without the GIL."""
    library = ctypes.CDLL(cp._C.__file__)
    alloc, free = library.gpunp_torch_alloc, library.gpunp_torch_free
    alloc.restype, *alloc.argtypes = ALLOC
    free.restype, *free.argtypes = FREE
    return alloc, free


def test_memory_is_the_pools(functions):
    alloc, free = functions
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    a, b = alloc(1000, 0, None), alloc(5000, 0, None)
    assert a != b and pool.used_bytes() - before >= 6000
    memory = cp.cuda.UnownedMemory(a, 1000, None)
    x = cp.ndarray((250,), "f4", memptr=cp.cuda.MemoryPointer(memory, 0))
    x.fill(3)
    assert float(x.sum()) == 750
    free(a, 1000, 0, None)
    assert alloc(1000, 0, None) == a  # at once, on the same stream
    free(a, 1000, 0, None)
    free(b, 5000, 0, None)
    assert pool.used_bytes() == before


def test_memory_is_ordered_on_streams(functions):
    alloc, free = functions
    before = cp.get_default_memory_pool().used_bytes()
    one, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    a = alloc(1 << 20, 0, one.ptr)
    free(a, 1 << 20, 0, other.ptr)
    b = alloc(1 << 20, 0, one.ptr)
    free(b, 1 << 20, 0, one.ptr)
    one.synchronize()
    other.synchronize()
    assert cp.get_default_memory_pool().used_bytes() == before


def test_nothing_and_strangers(functions):
    alloc, free = functions
    assert alloc(0, 0, None) is None and alloc(-1, 0, None) is None
    free(None, 0, 0, None)
    free(12345, 8, 0, None)  # not ours


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_memory_that_there_is_not(functions):
    alloc, _ = functions
    seen = []
    hook, sys.unraisablehook = sys.unraisablehook, lambda found: seen.append(found.exc_type)
    try:
        assert alloc(1 << 50, 0, None) is None
        assert alloc(8, 99, None) is None
    finally:
        sys.unraisablehook = hook
    assert issubclass(seen[0], MemoryError) and len(seen) == 2
    assert cp.ones(3).sum() == 3


def test_threads(functions):
    alloc, free = functions
    before = cp.get_default_memory_pool().used_bytes()

    def work():
        for i in range(200):
            free(alloc(512 * (1 + i % 7), 0, None), 0, 0, None)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cp.get_default_memory_pool().used_bytes() == before


@pytest.mark.gpu
def test_torch():
    torch = pytest.importorskip("torch")
    torch.cuda.memory.change_current_allocator(cp.allocators.torch_allocator())
    used = cp.get_default_memory_pool().used_bytes()
    t = torch.ones(1000, device="cuda")
    assert cp.get_default_memory_pool().used_bytes() > used
    assert float(cp.asarray(t).sum()) == 1000


NUMBA = """
import gc
import numpy as np
import gpunp as cp
cp.cuda.emulate_driver()
from numba import cuda
assert cp.allocators._numba_memory_manager is cp.allocators.numba_manager()
cuda.set_memory_manager(cp.allocators.numba_manager())
pool = cp.get_default_memory_pool()
assert pool.used_bytes() == 0
a = cuda.to_device(np.arange(1000.0))
b = cuda.device_array(1000)
assert pool.used_bytes() >= 16000
@cuda.jit
def double(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = 2 * a[i]
double[8, 128](a, b)
assert (b.copy_to_host() == 2 * np.arange(1000.0)).all()
info = cuda.current_context().get_memory_info()
assert 0 < info.free <= info.total
pinned = cuda.pinned_array(10)
with cuda.defer_cleanup():
    del a
del b
gc.collect()
assert pool.used_bytes() == 0
"""


def test_numba():
    pytest.importorskip("numba.cuda")
    pytest.importorskip("cuda.bindings")
    try:
        importlib.import_module("numba.cuda.np.arrayobj")
    except AttributeError as error:
        pytest.skip(f"Numba does not know this NumPy: {error}")
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", NUMBA],
        env=child.environment(GPUNP_DEVICE="emulated"),
        timeout=child.PATIENCE,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr


def test_libraries_that_are_absent():
    code = """
import sys
sys.modules["torch"] = sys.modules["numba"] = None
import gpunp
for function in (gpunp.allocators.torch_allocator, gpunp.allocators.numba_manager):
    try:
        function()
    except ImportError:
        continue
    raise AssertionError
assert not hasattr(gpunp.allocators, "other")
"""
    subprocess.run(
        [sys.executable, "-c", code], env=child.environment(), timeout=child.PATIENCE, check=True
    )
