"""How far a program may be ahead of a device, what Ctrl-C ends, and what is told at exit."""

import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp import _C
from gpunp.cuda import Stream

emulated = pytest.mark.skipif(not _C.is_emulated(), reason="asks the emulated device")


class Gate:
    """A stream that waits for a word of memory: without Python, so that launches cannot know."""

    def __init__(self, stream):
        self.word = cp.cuda.alloc_pinned_memory(4)
        self.view = np.frombuffer(self.word, np.uint32, 1)
        self.view[0] = 0
        wait = ctypes.CDLL(_C._library_paths()["driver"]).cuStreamWaitValue32_v2
        wait.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint]
        assert wait(stream.ptr, self.word.ptr, 1, 0) == 0

    def open(self):
        self.view[0] = 1


def until_still(counted, least):
    """The length of a list once it is longer than `least` and no thread appends to it any more."""
    begin, still, now = time.monotonic(), 0, 0
    while still < 5:
        time.sleep(0.1)  # with the GIL held by the thread this would be the end
        before, now = now, len(counted)
        still = still + 1 if before == now > least else 0
        assert now > least or time.monotonic() < begin + child.PATIENCE, now
    return now


SQUARE = cp.eye(40)
OPERATIONS = {
    "ufunc": lambda x: cp.add(x, 1, out=x),
    "fill": lambda x: x.fill(0),
    "copy": lambda x: x.__setitem__(slice(0, 5), x[5:]),
    "upload": lambda x: x.set(np.zeros(10)),
    "library": lambda x: cp.matmul(SQUARE, SQUARE),
    "kernel": lambda x: INCREMENT((1,), (10,), (x,)),
}
INCREMENT = cp.RawKernel(
    'extern "C" __global__ void increment(double *x) { x[threadIdx.x] += 1; }', "increment"
)


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_full_queue_waits_and_lets_other_threads_run(name):
    stream, x = Stream(non_blocking=True), cp.zeros(10)
    operation, done = OPERATIONS[name], []
    operation(x)
    Stream.null.synchronize()
    gate = Gate(stream)

    def work():
        with stream:
            for _ in range(2500):
                operation(x)
                done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    now = until_still(done, 400)
    gate.open()
    thread.join()
    stream.synchronize()
    assert now < 1100


def test_streams_used_in_turn_are_bounded_each():
    streams, x = [Stream(non_blocking=True) for _ in range(4)], cp.zeros((4, 10))
    x += 1
    Stream.null.synchronize()
    gate, done = Gate(streams[2]), []

    def work():
        for i in range(6000):
            with streams[i % 4]:
                x[i % 4] += 1
            done.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    now = until_still(done, 400)
    gate.open()
    thread.join()
    for stream in streams:
        stream.synchronize()
    assert now < 4 * 1100 and (x.get() == 1501).all()


def test_ctrl_c_leaves_a_full_queue():
    stream, x = Stream(non_blocking=True), cp.zeros(10)
    x += 1
    Stream.null.synchronize()
    gate = Gate(stream)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    count = 0
    with pytest.raises(KeyboardInterrupt), stream:
        while True:
            x += 1
            count += 1
    timer.join()
    gate.open()
    stream.synchronize()
    assert float(x[0]) == count + 1  # what was not submitted did not happen


def test_captures_are_not_held_up():
    stream, x = Stream(non_blocking=True), cp.zeros(10)
    Stream.null.synchronize()
    with stream:
        x += 1
        stream.synchronize()
        stream.begin_capture()
        for _ in range(1500):
            x += 1
        graph = stream.end_capture()
    assert len(graph) == 1500
    graph.launch(stream)
    stream.synchronize()
    assert float(x[0]) == 1501


# ---- Ctrl-C


def interrupt_soon(seconds=0.3):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@emulated
def test_a_second_ctrl_c_cancels_what_is_queued():
    stream, x = Stream(non_blocking=True), cp.zeros(10)
    x += 1
    Stream.null.synchronize()
    gate = Gate(stream)
    with stream:
        for _ in range(100):
            x += 1
    notes = []
    for _ in range(2):
        timer = interrupt_soon()
        with pytest.raises(KeyboardInterrupt) as caught:
            stream.synchronize()
        timer.join()
        notes.append(caught.value.__notes__[0])
    assert "goes on" in notes[0] and re.search(r"cancelled \(10\d pieces\)", notes[1])
    stream.synchronize()  # at once, though nobody has opened the gate
    assert gate.view[0] == 0
    x.fill(3)
    assert float((x + 1)[0]) == 4  # the device is whole


@emulated
def test_cancelled_graphs_and_library_calls():
    stream = Stream(non_blocking=True)
    a = cp.eye(50) * 3
    with stream:
        b = a @ a
        stream.synchronize()
        stream.begin_capture()
        b += 1
        graph = stream.end_capture()
    gate = Gate(stream)
    with stream:
        for _ in range(10):
            graph.launch()
            c = a @ b
            d = a @ c
    called = []
    stream.launch_host_func(called.append, 1)
    for _ in range(2):
        timer = interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            stream.synchronize()
        timer.join()
    stream.synchronize()
    assert called == [1] and gate.view[0] == 0
    np.testing.assert_allclose((a @ a).get(), np.eye(50) * 9)
    del b, c, d


def test_runtime_free_can_be_interrupted():
    stream = Stream()
    pointer = cp.cuda.runtime.malloc(1000)
    gate = Gate(stream)
    timer = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        cp.cuda.runtime.free(pointer)
    timer.join()
    gate.open()
    cp.cuda.runtime.free(pointer)  # it had not been freed


# ---- at exit

STRAY = """
import gpunp as cp
cp.RawKernel('extern "C" __global__ void stray(int *p) { p[1] = 1; }', "stray")(
    (1,), (1,), (0,))  # no array is there
"""


def run(program, **environment):
    variables = child.environment(**environment)
    return subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=child.PATIENCE,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize("ending", ["", "import sys; sys.exit(0)", "non-blocking"])
def test_a_fault_that_nobody_met_is_told_at_exit(ending):
    program = STRAY + ending
    if ending == "non-blocking":
        program = "import gpunp as cp; s = cp.cuda.Stream(non_blocking=True).use()" + STRAY
    process = run(program)
    assert process.returncode == 1
    assert process.stderr.count("a kernel failed, and no call has reported it") == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in process.stderr and "stray" in process.stderr
    assert "Traceback" not in process.stderr


def test_a_status_of_the_programs_own_stays():
    assert run(STRAY + "import sys; sys.exit(7)").returncode == 7


def test_a_fault_that_was_met_is_told_once():
    process = run(STRAY + "cp.cuda.Stream.null.synchronize()")
    assert process.returncode == 1 and process.stderr.count("ILLEGAL_ADDRESS") == 1
    met = "\ntry: cp.cuda.Stream.null.synchronize()\nexcept RuntimeError: print('met')"
    process = run(STRAY + met)
    assert (process.returncode, process.stdout, process.stderr) == (0, "met\n", "")


def test_exit_does_not_hang_on_endless_work():
    program = """
import ctypes, gpunp as cp
from gpunp import _C
word = cp.zeros(1, "u4")
wait = ctypes.CDLL(_C._library_paths()["driver"]).cuStreamWaitValue32_v2
wait.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint]
assert wait(0, word.data.ptr, 1, 0) == 0
"""
    process = run(program)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.parametrize("source", ["Philox4x3210", "XORWOW"])
def test_threads_that_wait_for_room_draw_different_numbers(source):
    """A thread that waits has read the generator's position, which others must not read then."""
    n, rounds, threads = 8, 400, 3
    bits = getattr(cp.random, source)
    alone = cp.random.Generator(bits(5))
    expected = [alone.random(n) for _ in range(threads * rounds)]
    generator, drawn, blocked = cp.random.Generator(bits(5)), [], Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    gate = Gate(blocked)
    reached = blocked.record()

    def draw():
        with Stream(non_blocking=True) as stream:
            stream.wait_event(reached)
            for _ in range(rounds):
                drawn.append(generator.random(n))
            stream.synchronize()

    workers = [threading.Thread(target=draw) for _ in range(threads)]
    for worker in workers:
        worker.start()
    until_still(drawn, 500)
    gate.open()
    for worker in workers:
        worker.join()
    values = [sorted(bytes(x.get()) for x in part) for part in (drawn, expected)]
    assert values[0] == values[1]
