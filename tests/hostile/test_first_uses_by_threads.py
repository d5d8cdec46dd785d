"""Objects that several threads use at once while the GIL is released: what they make, and how they
wait for each other."""

import functools
import gc
import json
import threading
import time

import pytest

import gpunp as cp
from gpunp.cuda import Stream


def at_once(calls):
    """Run each in a thread while a Python function holds up whatever waits for the device."""
    errors = []

    def run(call):
        try:
            call()
        except Exception as error:
            errors.append(error)

    with Stream(non_blocking=True) as blocked:
        blocked.launch_host_func(lambda _: time.sleep(0.1), None)
        threads = [threading.Thread(target=run, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        blocked.synchronize()
    return errors


@pytest.mark.parametrize("use", ["launch", "upload", "update"])
def test_a_graph_is_instantiated_once(emulator, use):
    stream, x = Stream(non_blocking=True), cp.zeros(3)
    cp.cuda.Device().synchronize()
    gc.collect()
    before = emulator.ledger()
    graphs = []
    for _ in range(2):
        with stream:
            stream.begin_capture()
            x += 1
            graphs.append(stream.end_capture())
    first, second = graphs
    calls = {
        "launch": [first.launch] * 4,
        "upload": [first.upload] * 4,
        "update": [first.launch, functools.partial(first.update, second)] * 2,
    }
    assert at_once(calls[use]) == []
    cp.cuda.Device().synchronize()
    assert emulator.ledger()["graph_execs"] == before["graph_execs"] + 1
    del graphs, first, second, calls
    gc.collect()
    after = emulator.ledger()
    assert [after[k] - before[k] for k in ("graph_execs", "graphs")] == [0, 0]


def test_a_trace_begins_when_the_one_before_is_written(tmp_path):
    paths = [str(tmp_path / name) for name in "ab"]
    cp._C._trace_start(paths[0])
    with Stream(non_blocking=True) as stream:
        cp.zeros(100) + 1  # the first records of the device's clock wait
        stream.launch_host_func(lambda _: time.sleep(0.2), None)
        cp.zeros(100) + 1  # events behind the function, for which the end of the trace waits
        thread = threading.Thread(target=cp._C._trace_stop)
        thread.start()
        time.sleep(0.05)
        began = True
        try:
            cp._C._trace_start(paths[1])
        except RuntimeError:
            began = False
        thread.join()
        if not began:
            cp._C._trace_start(paths[1])
        cp.zeros(100) * 2
        cp._C._trace_stop()
    for path in paths:
        with open(path) as file:
            assert len(json.load(file)["traceEvents"]) > 1


def test_a_link_is_used_by_one_thread():
    ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry f() { ret; }\n"
    link = cp.cuda.function.LinkState()
    link.add_ptr_data(ptx, "first.ptx")
    images = []
    errors = at_once([lambda: images.append(link.complete())] * 4)
    assert len(images) == 1 and images[0]
    assert [type(error) for error in errors] == [RuntimeError] * 3


def test_threads_draw_from_one_generator_in_turn():
    n, rounds = 500, 10
    philox = 161
    alone = cp._C.CurandGenerator(philox, 7)
    expected = [alone.words(n).get() for _ in range(4 * rounds)]
    generator, drawn = cp._C.CurandGenerator(philox, 7), []

    def draw():
        with Stream(non_blocking=True) as stream:
            for _ in range(rounds):
                words = generator.words(n)
                stream.synchronize()
                drawn.append(words.get())

    assert at_once([draw] * 4) == []
    assert sorted(map(bytes, drawn)) == sorted(map(bytes, expected))
