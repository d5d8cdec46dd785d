"""Streams, events and devices."""

import ctypes
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Device, Event, ExternalStream, Stream, get_current_stream


class Gate:
    """A stream that waits, on the host, until it is opened."""

    def __init__(self, stream):
        self.opened = threading.Event()
        stream.launch_host_func(lambda _: self.opened.wait(20), None)

    def open(self, *_):
        self.opened.set()


def test_default_streams():
    assert (Stream.null.ptr, Stream.ptds.ptr) == (0, 2)
    assert get_current_stream() == Stream.null
    assert Stream.null.device_id == -1
    assert Stream(null=True) == Stream.null and hash(Stream(null=True)) == hash(Stream.null)
    assert Stream(ptds=True) == Stream.ptds != Stream.null
    with pytest.raises(ValueError):
        Stream(null=True, ptds=True)


def test_context_manager_nests():
    a, b = Stream(), Stream(non_blocking=True)
    with a as entered:
        assert entered is a and get_current_stream() is a
        with b:
            assert get_current_stream() is b
            with Stream.null:
                assert get_current_stream() == Stream.null
        assert get_current_stream() is a
        with pytest.raises(KeyError), b:
            raise KeyError
        assert get_current_stream() is a
    assert get_current_stream() == Stream.null


def test_use():
    a = Stream()
    try:
        assert a.use() is a
        assert get_current_stream() is a
        x = cp.arange(3) + 1
    finally:
        Stream.null.use()
    assert get_current_stream() == Stream.null
    a.synchronize()
    assert x.get().tolist() == [1, 2, 3]


def test_current_stream_is_the_threads_own():
    seen = []
    with Stream():
        thread = threading.Thread(target=lambda: seen.append(get_current_stream()))
        thread.start()
        thread.join()
    assert seen == [Stream.null]


def test_attributes():
    a = Stream(non_blocking=True, priority=-1)
    assert a.is_non_blocking and not Stream().is_non_blocking
    assert a.priority <= 0
    assert a.device_id == 0 and a.ptr > 2
    assert a.__cuda_stream__() == (0, a.ptr)
    assert f"{a.ptr:#x}" in repr(a)
    assert repr(cp.cuda.Stream.null).startswith("<Stream 0x0 (device ")
    assert a != Stream() and a != 3
    with pytest.raises(TypeError):
        Stream(priority="high")
    with pytest.raises(TypeError):
        Stream(blocking=True)


def test_done_and_synchronize():
    stream = Stream(non_blocking=True)
    gate = Gate(stream)
    assert not stream.done
    gate.open()
    stream.synchronize()
    assert stream.done


def test_streams_order_work():
    a, b = Stream(non_blocking=True), Stream(non_blocking=True)
    x = cp.zeros(1000)
    Stream.null.synchronize()
    with b:  # loading a kernel waits for host functions, on a GPU
        x += 0
        y = x * 2
    b.synchronize()
    Stream.null.synchronize()
    gate = Gate(a)
    with a:
        x += 1
        event = a.record()
    b.wait_event(event)
    with b:
        y = x * 2
    assert not event.done and not b.done
    gate.open()
    b.synchronize()
    assert (y.get() == 2).all()


def test_external_stream():
    owner = Stream()
    a = ExternalStream(owner.ptr)
    assert (a.ptr, a.device_id, a == owner, isinstance(a, Stream)) == (owner.ptr, 0, True, True)
    with a:
        x = cp.ones(3) + 1
    a.synchronize()
    assert x.get().tolist() == [2, 2, 2]


def test_from_external():
    class Foreign:
        def __init__(self):
            self.stream = Stream()

        def __cuda_stream__(self):
            return 0, self.stream.ptr

    foreign = Foreign()
    a = Stream.from_external(foreign)
    assert a.ptr == foreign.stream.ptr
    for bad in (3, None, object()):
        with pytest.raises(TypeError):
            Stream.from_external(bad)

    class Liar:
        def __cuda_stream__(self):
            return 17

    with pytest.raises(TypeError):
        Stream.from_external(Liar())


def test_callbacks():
    called = []
    stream = Stream()
    stream.add_callback(lambda s, status, arg: called.append((s is stream, status, arg)), 5)
    stream.launch_host_func(called.append, "x")
    stream.synchronize()
    for _ in range(100):
        if len(called) == 2:
            break
        time.sleep(0.01)
    assert called == [(True, 0, 5), "x"]
    with pytest.raises(TypeError):
        stream.launch_host_func(3, None)
    with pytest.raises(TypeError):
        stream.add_callback()


def test_streams_and_events_are_destroyed(emulator):
    gc.collect()
    before = emulator.ledger()
    streams = [Stream() for _ in range(5)]
    events = [Event() for _ in range(5)]
    assert emulator.ledger()["streams"] == before["streams"] + 5
    with streams[0]:
        x = cp.ones(10)
    del streams, events, x
    after = emulator.ledger()
    # The pool may keep an event of a stream that went, or let an older one go.
    assert after["streams"] == before["streams"]
    assert after["events"] <= before["events"] + 1


def test_an_array_forgets_streams_that_were_destroyed(emulator):
    """One that lives long and is used in ever new streams keeps no event of each."""
    x = cp.arange(10.0)
    gc.collect()
    before = emulator.ledger()["events"]
    for _ in range(50):
        with Stream() as stream:
            y = x + 1
            stream.synchronize()
    del stream, y
    assert emulator.ledger()["events"] <= before + 3


# ---- events


def test_event_timing():
    start, stop = Event(), Event()
    start.record()
    x = cp.zeros(1000) + 1
    stop.record()
    stop.synchronize()
    assert start.done and stop.done
    assert cp.cuda.get_elapsed_time(start, stop) >= 0
    assert x.size == 1000


def test_event_on_a_stream():
    stream = Stream(non_blocking=True)
    event = Event(disable_timing=True)
    gate = Gate(stream)
    event.record(stream)
    assert not event.done
    gate.open()
    event.synchronize()
    assert event.done and event.ptr != 0 and event.device_id == 0
    assert stream.record(event) is event


def test_event_errors():
    with pytest.raises(ValueError):
        Event(interprocess=True)
    Event(interprocess=True, disable_timing=True)
    a, b = Event(), Event()
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError) as caught:
        cp.cuda.get_elapsed_time(a, b)
    assert caught.value.status == cp.cuda.runtime.cudaErrorInvalidResourceHandle
    for bad in (None, 3, Stream.null):
        with pytest.raises(TypeError):
            cp.cuda.get_elapsed_time(a, bad)
        with pytest.raises(TypeError):
            Stream.null.wait_event(bad)


# ---- devices


def test_device():
    device = Device()
    assert (device.id, int(device), repr(device)) == (0, 0, "<CUDA Device 0>")
    assert device == Device(0) == Device(device) and hash(device) == hash(Device(0))
    assert device != Device(1) and device < Device(1) and device != 0
    assert device.compute_capability.isdigit() and len(device.compute_capability) in (2, 3)
    free, total = device.mem_info
    assert 0 < free <= total
    assert Device.from_pci_bus_id(device.pci_bus_id) == device
    attributes = device.attributes
    assert attributes["WarpSize"] == 32
    assert attributes["MultiProcessorCount"] >= 1
    device.use()
    device.synchronize()
    with device as entered:
        assert entered is device and cp.cuda.get_device_id() == 0


@pytest.mark.parametrize("bad", [-1, 1 << 40, "0", 1.0, [0]])
def test_device_refuses(bad):
    with pytest.raises((TypeError, ValueError)):
        Device(bad)


def test_device_that_is_not_there():
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="Device\\(31\\)") as caught:
        Device(31).use()
    assert caught.value.status == cp.cuda.runtime.cudaErrorInvalidDevice
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError), Device(31):
        pass
    assert cp.cuda.get_device_id() == 0
    assert cp.arange(3).sum() == 3


# ---- waiting


def test_gil_is_released_while_waiting():
    stream = Stream(non_blocking=True)
    gate = Gate(stream)
    timer = threading.Timer(0.05, gate.open)
    timer.start()
    stream.synchronize()  # would never return with the GIL held
    timer.join()


@pytest.mark.parametrize("wait", ["stream", "event", "device", "get", "item"])
def test_ctrl_c_leaves_any_wait(wait):
    stream = Stream(non_blocking=True)
    x = cp.zeros(10)
    Stream.null.synchronize()
    gate = Gate(stream)
    event = stream.record()
    with stream:
        y = x + 1
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt), stream:
        if wait == "stream":
            stream.synchronize()
        elif wait == "event":
            event.synchronize()
        elif wait == "device":
            Device().synchronize()
        elif wait == "get":
            y.get()
        else:
            y[0].item()
    timer.join()
    gate.open()
    stream.synchronize()
    assert (y.get() == 1).all()


def test_protocol_object_as_stream_argument():
    stream = Stream()
    event = Event()
    event.record(stream)
    event.record(None)
    event.record(stream.ptr)
    with pytest.raises(TypeError):
        event.record("stream")


def test_many_threads_with_streams_of_their_own():
    results = {}

    def work(i):
        with Stream(non_blocking=True) as stream:
            x = cp.full(1000, i)
            for _ in range(10):
                x = x + 1
            stream.synchronize()
            results[i] = x.get()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((results[i] == i + 10).all() for i in range(8))


def test_per_thread_stream():
    with Stream.ptds:
        x = cp.arange(100) * 2
        y = x + 1
        del x
        z = cp.arange(100)
    Stream.ptds.synchronize()
    np.testing.assert_array_equal(y.get(), np.arange(100) * 2 + 1)
    assert int(z[99]) == 99
    assert ctypes.sizeof(ctypes.c_void_p) == 8


def test_many_launches_behind_a_python_function():
    """A full queue waits for the function, and the function for the GIL: both get on."""
    stream = Stream(non_blocking=True)
    x = cp.zeros(10)
    Stream.null.synchronize()
    called = []

    def function(_):
        time.sleep(0.05)
        called.append(1)

    stream.launch_host_func(function, None)
    with stream:
        for _ in range(1500):
            x += 1
    stream.synchronize()
    assert called == [1] and float(x[0]) == 1500
