"""NVIDIA's libraries without memory: freed and tried again, else an OutOfMemoryError."""

import numpy as np
import pytest

import gpunp as cp
from gpunp import _C
from gpunp.cuda import MemoryPool, OutOfMemoryError


@pytest.fixture(autouse=True)
def products_by_the_library():
    before = _C._products("library")
    yield
    _C._products(before)


OUT_OF_MEMORY, NOT_PERMITTED = 2, 800


def transform():
    got = cp.fft.fft(cp.arange(1009.0))
    assert abs(got[0].get() - 508536) < 1e-6


def eigenvalues():
    got = cp.linalg.eigvalsh(cp.eye(70) * 3)
    assert np.allclose(got.get(), 3)


def solution():
    got = cp.linalg.solve(cp.eye(300) * 2, cp.ones(300))
    assert np.allclose(got.get(), 0.5)


def least_squares():
    got = cp.linalg.qr(cp.eye(70))[1]
    assert np.allclose(abs(got.get()), np.eye(70))


def product():
    a = cp.ones((256, 256), "f4")
    assert (a @ a).get()[0, 0] == 256


def words():
    state = cp.random.RandomState(7, method=cp.cuda.curand.CURAND_RNG_PSEUDO_XORWOW)
    assert state.random_sample(10).get().max() < 1


OPERATIONS = [transform, eigenvalues, solution, least_squares, product, words]
OPERATION = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda f: f.__name__)


@OPERATION
def test_work_is_tried_again(emulator, operation):
    operation()
    plan = emulator.fail("cuLaunchHostFunc", 1, OUT_OF_MEMORY)
    operation()
    assert emulator.fired(plan) == 1


@OPERATION
def test_what_is_cached_is_given_back_before(emulator, operation):
    operation()
    pool = MemoryPool()
    pool.malloc(1 << 20)
    held = pool.total_bytes()
    emulator.fail("cuLaunchHostFunc", 1, OUT_OF_MEMORY)
    operation()
    assert held > 0 and pool.total_bytes() == 0


@OPERATION
def test_lasting_exhaustion_is_a_memory_error(emulator, operation):
    operation()
    plan = emulator.fail("cuLaunchHostFunc", 1, OUT_OF_MEMORY, "after")
    with pytest.raises(OutOfMemoryError, match=r"ALLOC.*FAILED|out of memory") as caught:
        operation()
    assert isinstance(caught.value, MemoryError)
    assert emulator.fired(plan) == 3  # at once, without the caches, after a garbage collection
    emulator.clear()
    operation()


@OPERATION
def test_other_failures_are_not_repeated(emulator, operation):
    operation()
    plan = emulator.fail("cuLaunchHostFunc", 1, NOT_PERMITTED)
    with pytest.raises(RuntimeError, match="FAIL"):
        operation()
    assert emulator.fired(plan) == 1
    operation()


CALLS = ["cuMemAlloc_v2", "cuLaunchHostFunc", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2"]


@pytest.mark.parametrize("entry", CALLS)
@OPERATION
def test_every_call_without_memory(emulator, operation, entry):
    """No memory at the nth call and after it is one class of error, whoever made the call."""
    operation()
    for nth in range(1, 50):
        cp.get_default_memory_pool().free_all_blocks()
        plan = emulator.fail(entry, nth, OUT_OF_MEMORY, "after")
        try:
            operation()
        except OutOfMemoryError:
            pass
        fired = emulator.fired(plan)
        emulator.clear()
        if not fired:
            break
    operation()


def test_little_memory_explains_other_statuses(emulator):
    """A library that cannot tell is believed to lack memory when the device has next to none."""
    transform()
    blocks = []
    free = cp.cuda.Device().mem_info[0]
    try:
        blocks.append(cp.cuda.memory.alloc(free - (32 << 20)))
    except OutOfMemoryError:
        pytest.skip("the emulated device is too small")
    assert cp.cuda.Device().mem_info[0] < 64 << 20
    emulator.fail("cuLaunchHostFunc", 1, NOT_PERMITTED)
    with pytest.raises(OutOfMemoryError, match="CUFFT_EXEC_FAILED"):
        transform()
    del blocks
    cp.get_default_memory_pool().free_all_blocks()
    transform()
