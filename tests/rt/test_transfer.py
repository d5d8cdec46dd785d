"""Copies between host and device, staged ones included."""

import os
import signal
import threading

import numpy as np
import pytest

import gpunp as cp
from gpunp import _C

MIB = 1 << 20
SIZES = [1, 3, 255, 65536, 65537, 4 * MIB - 1, 4 * MIB, 4 * MIB + 1, 17 * MIB + 12345]


@pytest.fixture(params=[False, True], ids=["driver", "staged"])
def staged(request):
    _C._stage_always(request.param)
    yield request.param
    _C._stage_always(False)


@pytest.mark.parametrize("size", SIZES)
def test_there_and_back(staged, rng, size):
    host = rng.integers(0, 255, size, dtype=np.uint8)
    out = np.empty_like(host)
    block = cp.cuda.alloc(size)
    block.copy_from_host(host, size)
    block.copy_to_host(out, size)
    assert np.array_equal(out, host)


def test_unaligned_host_memory(staged, rng):
    host = rng.integers(0, 255, 9 * MIB, dtype=np.uint8)[3:]
    out = np.empty(9 * MIB + 5, np.uint8)[5:][: host.size]
    block = cp.cuda.alloc(host.size)
    block.copy_from_host(host, host.size)
    block.copy_to_host(out, host.size)
    assert np.array_equal(out, host)


def test_page_locked_memory(staged):
    size = 5 * MIB
    memory = cp.cuda.alloc_pinned_memory(size)
    array = np.frombuffer(memory, np.uint8, size)
    array[...] = 7
    block = cp.cuda.alloc(size)
    block.copy_from_host(array, size)
    array[...] = 0
    block.copy_to_host(array, size)
    assert (array == 7).all()


def test_source_may_change_at_once(staged):
    """What was copied is what the host held at the call, even when the stream is behind."""
    stream = cp.cuda.Stream(non_blocking=True)
    opened = threading.Event()
    host = np.full(6 * MIB, 1, np.uint8)
    if staged:  # the driver's way waits for the stream
        stream.launch_host_func(lambda _: opened.wait(20), None)
    with stream:
        timer = threading.Timer(0.2, opened.set)
        timer.start()
        x = cp.asarray(host)
        host[...] = 2
        out = x.get()
    timer.join()
    assert (out == 1).all()


def test_threads_copy_at_once(staged, rng):
    hosts = [rng.integers(0, 255, 5 * MIB, dtype=np.uint8) for _ in range(4)]
    results = [None] * 4

    def work(i):
        with cp.cuda.Stream(non_blocking=True):
            results[i] = cp.asarray(hosts[i]).get()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(hosts, results, strict=False))


def test_per_thread_stream(staged, rng):
    host = rng.integers(0, 255, 5 * MIB, dtype=np.uint8)
    with cp.cuda.Stream.ptds:
        assert np.array_equal(cp.asarray(host).get(), host)


def test_ctrl_c_during_a_staged_copy():
    stream = cp.cuda.Stream(non_blocking=True)
    opened = threading.Event()
    host = np.zeros(64 * MIB, np.uint8)
    block = cp.cuda.alloc(host.size)
    _C._stage_always(True)
    block.copy_from_host(host, host.size)  # makes the buffers, for which the driver may wait
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    stream.launch_host_func(lambda _: opened.wait(20), None)
    try:
        with stream, pytest.raises(KeyboardInterrupt):
            timer.start()
            cp.asarray(host)  # fills every buffer, then waits for the stream
    finally:
        timer.join()
        opened.set()
        stream.synchronize()
        host[...] = 9
        block.copy_from_host(host, host.size)
        out = np.empty_like(host)
        block.copy_to_host(out, host.size)
        _C._stage_always(False)
    assert (out == 9).all()


@pytest.mark.parametrize("entry", ["cuMemHostAlloc", "cuEventCreate"])
def test_no_page_locked_memory(emulator, entry, rng):
    """Without staging buffers the driver's way is taken."""
    host = rng.integers(0, 255, 5 * MIB, dtype=np.uint8)
    _C._stage_always(True)
    try:
        emulator.fail(entry, 1, 2, "after")
        x = cp.asarray(host)
        out = x.get()
    finally:
        emulator.clear()
        _C._stage_always(False)
    assert np.array_equal(out, host)


@pytest.mark.parametrize("nth", [1, 2, 3])
@pytest.mark.parametrize("entry", ["cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuEventRecord"])
def test_copy_that_fails(emulator, staged, entry, nth):
    host = np.ones(9 * MIB, np.uint8)
    x = cp.asarray(host)
    plan = emulator.fail(entry, nth, 1)
    try:
        y = cp.asarray(host)
        y.get()
    except cp.cuda.driver.CUDADriverError as error:
        assert error.status == 1
    else:
        assert emulator.fired(plan) == 0
    emulator.clear()
    assert (cp.asarray(host).get() == 1).all() and (x.get() == 1).all()
