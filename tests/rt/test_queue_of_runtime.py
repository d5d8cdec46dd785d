"""What cuda.runtime submits is counted by the queue, and what waits there can be left by Ctrl-C."""

import ctypes
import os
import signal
import threading

import numpy as np
import pytest
from test_queue import Gate, until_still

import gpunp as cp
from gpunp.cuda import Stream, runtime


class Memory:
    def __init__(self):
        self.x, self.y = cp.arange(256, dtype="u1"), cp.zeros(256, "u1")
        self.host = np.arange(256, dtype="u1")
        self.a, self.b, self.c = self.x.data.ptr, self.y.data.ptr, self.host.ctypes.data
        Stream.null.synchronize()


# Through the null stream: what the host sees is waited for, the rest is in stream order.
ORDERED = {
    "memset": lambda m: runtime.memset(m.b, 7, 256),
    "memcpy": lambda m: runtime.memcpy(m.b, m.a, 256, runtime.memcpyDeviceToDevice),
    "memcpy by address": lambda m: runtime.memcpy(m.b, m.a, 256, runtime.memcpyDefault),
    "memcpy2D": lambda m: runtime.memcpy2D(m.b, 16, m.a, 16, 16, 16, runtime.memcpyDeviceToDevice),
}
WAITING = {
    "memcpy": lambda m: runtime.memcpy(m.c, m.b, 256, runtime.memcpyDeviceToHost),
    "memcpy by address": lambda m: runtime.memcpy(m.c, m.b, 256, runtime.memcpyDefault),
    "memcpy2D": lambda m: runtime.memcpy2D(m.c, 16, m.b, 16, 16, 16, runtime.memcpyDeviceToHost),
    "memcpyPeer": lambda m: runtime.memcpyPeer(m.b, 0, m.a, 0, 256),
}
SUBMITTED = {
    "memsetAsync": lambda m, s: runtime.memsetAsync(m.b, 7, 256, s),
    "memcpyAsync": lambda m, s: runtime.memcpyAsync(m.b, m.a, 256, runtime.memcpyDeviceToDevice, s),
    "memcpyAsync by address": lambda m, s: runtime.memcpyAsync(
        m.b, m.a, 256, runtime.memcpyDefault, s
    ),
    "memcpy2DAsync": lambda m, s: runtime.memcpy2DAsync(
        m.b, 16, m.a, 16, 16, 16, runtime.memcpyDeviceToDevice, s
    ),
    "memcpyPeerAsync": lambda m, s: runtime.memcpyPeerAsync(m.b, 0, m.a, 0, 256, s),
}


@pytest.mark.parametrize("name", [*ORDERED, *SUBMITTED])
def test_calls_are_counted(name):
    memory, stream, done = Memory(), Stream(), []
    gate = Gate(stream)

    def work():
        for _ in range(1500):
            if name in ORDERED:
                ORDERED[name](memory)
            else:
                SUBMITTED[name](memory, stream.ptr)
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    count = until_still(done, 400)
    gate.open()
    thread.join()
    stream.synchronize()
    assert count < 1100
    assert memory.y.tolist() == ([7] * 256 if "memset" in name else list(range(256)))


def interrupted(function):
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        function()
    timer.join()


@pytest.mark.parametrize("name", ORDERED)
def test_a_full_queue_is_left(name):
    memory, stream = Memory(), Stream()
    gate = Gate(stream)

    def fill():
        while True:
            ORDERED[name](memory)

    interrupted(fill)
    gate.open()
    Stream.null.synchronize()


@pytest.mark.parametrize("name", WAITING)
def test_a_wait_is_left(name):
    memory, stream = Memory(), Stream()
    gate = Gate(stream)
    interrupted(lambda: WAITING[name](memory))
    gate.open()
    WAITING[name](memory)
    assert (memory.host == (np.arange(256) if name == "memcpyPeer" else 0)).all()


def test_host_unregister_is_left():
    host = np.zeros(1 << 16, "u1")
    runtime.hostRegister(host.ctypes.data, host.nbytes, 0)
    gate = Gate(Stream())
    interrupted(lambda: runtime.hostUnregister(host.ctypes.data))
    gate.open()
    runtime.hostUnregister(host.ctypes.data)  # it was still registered


@pytest.mark.parametrize("make", ["hostAlloc", "mallocManaged"])
def test_fills_that_the_host_sees_are_done(make):
    pointer = getattr(runtime, make)(256)
    gate = Gate(Stream())
    threading.Timer(0.2, gate.open).start()
    runtime.memset(pointer, 5, 256)
    assert gate.view[0] == 1  # it was waited for
    assert ctypes.string_at(pointer, 256) == b"\x05" * 256
    (runtime.freeHost if make == "hostAlloc" else runtime.free)(pointer)
