"""Captures that are dropped, whose end fails, and that other threads' waits must not break."""

import gc
import threading
import time
import warnings

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Stream, runtime


def test_a_dropped_stream_ends_its_capture():
    with pytest.warns(ResourceWarning, match="dropped while it was captured"):
        Stream().begin_capture()
        gc.collect()
    assert cp.zeros(3).get().tolist() == [0, 0, 0]
    cp.cuda.Device().synchronize()


def test_what_a_dropped_capture_held_comes_back():
    pool = cp.get_default_memory_pool()
    used = pool.used_bytes()
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Stream(non_blocking=True) as stream:
                x = cp.zeros(1000)
                stream.begin_capture()
                y = x + 1
                other = Stream(non_blocking=True)
                other.wait_event(stream.record())
                with other:
                    z = x * 2
            del stream, other, x, y, z
            gc.collect()
    assert pool.used_bytes() == used
    assert float(cp.ones(3).sum()) == 3


def test_a_destroyed_handle_ends_its_capture():
    handle = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    cp.cuda.ExternalStream(handle).begin_capture()
    runtime.streamDestroy(handle)
    cp.cuda.Device().synchronize()


def test_an_end_that_fails_can_be_tried_again(emulator):
    with Stream(non_blocking=True) as stream:
        x = cp.zeros(3)
        stream.begin_capture()
        x += 1
        emulator.fail("cuStreamEndCapture", 1, 2)
        with pytest.raises(cp.cuda.OutOfMemoryError):
            stream.end_capture()
        assert stream.is_capturing()
        graph = stream.end_capture()
        graph.launch()
        assert x.get().tolist() == [1, 1, 1]


@pytest.mark.parametrize("wait", ["device", "runtime", "trim", "null"])
def test_waits_of_other_threads_break_no_capture(wait):
    pool = cp.cuda.MemoryPool()

    def trim():
        with cp.cuda.using_allocator(pool.malloc):
            x = cp.zeros(1 << 16)
        with Stream(non_blocking=True):
            x + 1
        del x
        pool.free_all_blocks()

    waits = {
        "device": lambda: cp.cuda.Device().synchronize(),
        "runtime": runtime.deviceSynchronize,
        "trim": trim,
        "null": lambda: Stream.null.synchronize(),
    }
    waits = waits[wait]
    stop, refused = threading.Event(), []

    def waiter():
        while not stop.is_set():
            try:
                waits()
            except cp.cuda.CUDADriverError as error:
                refused.append(error.status)

    threads = [threading.Thread(target=waiter) for _ in range(3)]
    for thread in threads:
        thread.start()
    stream = Stream(non_blocking=True)
    try:
        with stream:
            x = cp.zeros(100)
            end = time.monotonic() + 0.5
            launches = 0
            while time.monotonic() < end:
                stream.begin_capture()
                x += 1
                graph = stream.end_capture()
                graph.launch()
                launches += 1
            assert (x.get() == launches).all()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert set(refused) <= {900}
    assert np.isfinite(launches)
