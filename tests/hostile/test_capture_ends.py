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


def test_an_exception_that_leaves_the_block_ends_its_capture():
    """Of the stream's own block only, and with an exception only."""
    stream, x = Stream(non_blocking=True), cp.zeros(3)
    cp.cuda.Device().synchronize()
    for error in (KeyError, KeyboardInterrupt):
        with pytest.raises(error), stream:
            stream.begin_capture()
            x += 1
            raise error
        assert not stream.is_capturing()
        cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
    assert stream.is_capturing()
    with pytest.raises(ZeroDivisionError), stream:
        x += 1 / 0
    with stream:
        x += 1
    graph = stream.end_capture()
    assert x.tolist() == [0, 0, 0]
    graph.launch(stream)
    stream.synchronize()
    assert x.tolist() == [1, 1, 1]


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


# ---- plans of cuFFT, which break captures of other threads ---------------------------------------


class Thread(threading.Thread):
    """A thread whose exception is raised by `join`."""

    def __init__(self, function):
        super().__init__(daemon=True)
        self.function, self.error = function, None
        self.start()

    def run(self):
        try:
            self.function()
        except BaseException as error:
            self.error = error

    def join(self, timeout=None):
        super().join(timeout)
        if self.error is not None:
            raise self.error


@pytest.fixture
def lengths():
    """Lengths of transforms whose plans are yet to be made."""
    cp.fft.config.clear_plan_cache()
    yield iter(range(1000, 10000))
    cp.fft.config.clear_plan_cache()


def capture_once(stream, x, during=lambda: None):
    with stream:
        stream.begin_capture()
        x += 1
        during()
        x += 1
        return stream.end_capture()


def test_a_plan_waits_for_the_captures_of_other_threads(lengths):
    stream, x, n = Stream(non_blocking=True), cp.zeros(3), next(lengths)
    ones = cp.ones(n, "F")
    Stream.null.synchronize()
    thread = None

    def during():
        nonlocal thread
        thread = Thread(lambda: cp.fft.fft(ones))
        thread.join(0.2)
        assert thread.is_alive()

    graph = capture_once(stream, x, during)
    thread.join()
    graph.launch(stream)
    stream.synchronize()
    assert x.get().tolist() == [2, 2, 2]


def test_plans_and_captures_of_many_threads(lengths):
    ones = cp.ones(20000, "F")
    Stream.null.synchronize()  # the streams below do not wait for it
    end, launches = time.monotonic() + 1.0, []

    def plan():
        with Stream(non_blocking=True):
            while time.monotonic() < end:
                n = next(lengths)
                assert abs(float(cp.fft.fft(ones[:n])[0].real) - n) < 1e-3 * n

    def capture():
        stream, x = Stream(non_blocking=True), cp.zeros(3)
        Stream.null.synchronize()
        while time.monotonic() < end:
            capture_once(stream, x, lambda: time.sleep(0.002)).launch(stream)
            launches.append(1)

    cp.fft.config.set_plan_cache_size(4)  # they are destroyed, too
    try:
        for thread in [Thread(f) for f in (plan, plan, capture, capture)]:
            thread.join()
    finally:
        cp.fft.config.set_plan_cache_size(128)
    assert launches


def test_plans_that_are_cleared_beside_a_capture_go_later(lengths):
    cp.fft.fft(cp.ones(next(lengths), "F"))
    stream, x = Stream(non_blocking=True), cp.zeros(3)
    Stream.null.synchronize()
    capture_once(stream, x, lambda: Thread(cp.fft.config.clear_plan_cache).join())
    assert cp.fft.config.get_plan_cache().get_curr_size() == 0


def test_a_thread_that_captures_makes_plans(lengths):
    n = next(lengths)
    stream, x, ones = Stream(non_blocking=True), cp.zeros(3), cp.ones(n, "F")
    Stream.null.synchronize()
    graph = capture_once(stream, x, lambda: cp.fft.fft(ones))
    graph.launch(stream)
    stream.synchronize()
    assert x.get().tolist() == [2, 2, 2]


@pytest.mark.slow
def test_a_capture_that_waits_for_a_plan(lengths):
    stream, x, ones = Stream(non_blocking=True), cp.zeros(3), cp.ones(next(lengths), "F")
    Stream.null.synchronize()

    def during():
        with pytest.raises(RuntimeError, match="waited 10 s for one to end"):
            Thread(lambda: cp.fft.fft(ones)).join()

    capture_once(stream, x, during).launch(stream)
    stream.synchronize()
    assert x.get().tolist() == [2, 2, 2]
    assert abs(float(cp.fft.fft(ones)[0].real) - len(ones)) < 1e-3 * len(ones)
