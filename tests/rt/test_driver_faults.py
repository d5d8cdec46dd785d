"""Every driver call made to fail, one after the other: an exception, nothing lost, usable after.

After SQLite's sweep: the nth call fails for n = 1, 2, 3, ... until the operation ends without the
fault having fired; once with that call alone failing and once with all calls from it on.
"""

import gc
import subprocess
import sys

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Event, MemoryPool, OutOfMemoryError, Stream
from gpunp.cuda.driver import CUDADriverError

OUT_OF_MEMORY, INVALID_VALUE = 2, 1


def pool_round():
    pool = MemoryPool()
    blocks = [pool.malloc(size) for size in (100, 5000, 3 << 20)]
    blocks[0].memset(1, 100)
    blocks.clear()
    pool.free_all_blocks()


def stream_round():
    stream = Stream(non_blocking=True)
    with stream:
        block = cp.cuda.alloc(2000)
        block.memset_async(1, 2000)
    stream.synchronize()
    event = stream.record()
    event.synchronize()
    Stream.null.wait_event(event)


def copies():
    host = np.arange(1000)
    block = cp.cuda.alloc(host.nbytes)
    block.copy_from_host(host, host.nbytes)
    out = np.empty_like(host)
    block.copy_to_host(out, host.nbytes)
    assert (out == host).all()


def arithmetic():
    a = cp.asarray(np.arange(100.0))
    b = a * 2 + a[::-1]
    assert (b.get() == np.arange(100.0) * 2 + np.arange(100.0)[::-1]).all()


def two_streams():
    stream = Stream()
    a = cp.asarray(np.arange(100.0))
    with stream:
        b = a + 1
    del a
    stream.synchronize()
    assert float(b[99]) == 100.0


def pinned():
    block = cp.cuda.PinnedMemory(5000)
    memoryview(block)[0:3] = b"abc"


def events():
    a, b = Event(), Event()
    a.record()
    b.record()
    b.synchronize()
    cp.cuda.get_elapsed_time(a, b)


def managed():
    block = cp.cuda.malloc_managed(1000)
    block.memset(1, 1000)


OPERATIONS = [pool_round, stream_round, copies, arithmetic, two_streams, pinned, events, managed]


@pytest.mark.parametrize("mode", ["once", "after"])
@pytest.mark.parametrize("code", [OUT_OF_MEMORY, INVALID_VALUE], ids=["memory", "value"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=[f.__name__ for f in OPERATIONS])
def test_every_call_fails_in_turn(emulator, monkeypatch, operation, code, mode):
    unraisable = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    operation()  # kernels compiled, pools filled
    default = cp.get_default_memory_pool()
    gc.collect()
    default.free_all_blocks()
    used, before = default.used_bytes(), emulator.ledger()
    for nth in range(1, 400):
        plan = emulator.fail("*", nth, code, mode)
        try:
            operation()
        except (CUDADriverError, OutOfMemoryError) as error:
            status = getattr(error, "status", OUT_OF_MEMORY)
            assert status == code, error
        fired = emulator.fired(plan)
        emulator.clear()
        if default.used_bytes() != used:
            gc.collect()  # a traceback's cycle
        assert default.used_bytes() == used, f"call {nth}"
        if not fired:
            break
        operation()
    assert nth > 1
    assert not unraisable
    gc.collect()
    default.free_all_blocks()
    after = emulator.ledger()
    for kind in ("allocations", "pinned", "streams", "managed"):
        assert after[kind] <= before[kind], kind


def test_allocation_that_fails_once_is_tried_again(emulator):
    pool = MemoryPool()
    plan = emulator.fail("cuMemAlloc_v2", 1, OUT_OF_MEMORY)
    block = pool.malloc(1000)
    block.memset(1, 1000)
    assert emulator.fired(plan) == 1


def test_exhaustion_is_reported_with_sizes(emulator):
    pool = MemoryPool()
    pool.set_limit(size=1 << 20)
    plan = emulator.fail("cuMemAlloc_v2", 1, OUT_OF_MEMORY, "after")
    with pytest.raises(
        OutOfMemoryError, match=r"out of memory allocating 1000 bytes .1024 when rou"
    ):
        pool.malloc(1000)
    assert emulator.fired(plan) == 3  # at once, without the cache, after a garbage collection
    assert pool.total_bytes() == 0
    emulator.clear()
    pool.malloc(1000)


def test_no_page_locked_memory(emulator):
    emulator.fail("cuMemHostAlloc", 1, OUT_OF_MEMORY)
    with pytest.raises(OutOfMemoryError):
        cp.cuda.PinnedMemory(100)
    cp.cuda.PinnedMemory(100)


def test_error_of_a_kernel_names_it(emulator):
    """A fault that arrives late is reported with the last kernel and the call that met it."""
    program = """
import gpunp as cp, ctypes
from gpunp import _C
a = cp.arange(10)
cp.cuda.Stream.null.synchronize()
library = ctypes.CDLL(_C._library_paths()["driver"])
library.cuEmuFail(b"cuLaunchKernel", ctypes.c_uint64(1), 700, 2)
b = None
try:
    b = a * 2
    cp.cuda.Stream.null.synchronize()
except cp.cuda.driver.CUDADriverError as error:
    print(error.status, error.name, "last kernel" in str(error), "multiply" in str(error))
for _ in range(3):
    try:
        cp.arange(10)
    except cp.cuda.driver.CUDADriverError as error:
        print(error.status)
del a, b
"""
    process = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    assert lines[0] == "700 CUDA_ERROR_ILLEGAL_ADDRESS True True"
    assert lines[1:] == ["700"] * 3
    assert process.stderr == ""


SHARED = {
    "bins": """
x = cp.asarray(np.arange(330_000, dtype="u2") % 20_000)
operation = lambda: cp.bincount(x, minlength=20_000)
""",
    "labels": """
from gpunp.scipy import ndimage
x = cp.asarray(np.arange(40_000) % 1500)
operation = lambda: ndimage.sum(cp.ones(40_000), x, cp.arange(1500))
""",
}


@pytest.mark.parametrize("operation", sorted(SHARED))
def test_shared_memory_that_was_refused_is_asked_for_again(emulator, operation):
    """In a process of its own, where no kernel has asked before."""
    program = f"""
import ctypes, numpy as np
import gpunp as cp
{SHARED[operation]}
cp.ones(3) + cp.arange(3)
library = ctypes.CDLL(cp._C._library_paths()["driver"])
library.cuEmuFail(b"cuFuncSetAttribute", ctypes.c_uint64(1), {INVALID_VALUE}, 0)
try:
    operation()
except cp.cuda.driver.CUDADriverError as error:
    print(error.status)
print(operation().get().min() > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=child.PATIENCE
    )
    assert done.stdout.split() == [str(INVALID_VALUE), "True"], done.stderr
