"""Graphs of two devices: a stream of the second one joins a capture of the first one."""

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Device, Stream

pytestmark = pytest.mark.multi


@pytest.fixture
def streams():
    here = Stream(non_blocking=True)
    with Device(1):
        there = Stream(non_blocking=True)
    for device in range(2):
        Device(device).synchronize()
    return here, there


def joined(here, there, work):
    """The graph of `work`, captured in both streams."""
    with here, Device(1), there, Device(0):
        here.begin_capture()
        there.wait_event(here.record())
        results = work()
        with Device(1):
            event = there.record()
        here.wait_event(event)
        return here.end_capture(), results


def test_copies_between_captured_streams(streams):
    a = cp.zeros((50, 40))
    with Device(1):
        b = cp.zeros((50, 40))
    Device(1).synchronize()
    Device(0).synchronize()

    def work():
        nonlocal a, b
        a += 1
        b[...] = a  # straight to its place
        with Device(1):
            b *= 2
            c = b[:, ::2] + 1
        d = cp.asarray(c[::-1])  # packed on the second device
        return c, d, d.sum(axis=0)

    graph, results = joined(*streams, work)
    for i in range(1, 4):
        graph.launch(streams[0])
        streams[0].synchronize()
        assert (a.get() == i).all() and (b.get() == 2 * i).all()
        assert all((x.get() == (2 * i + 1) * (50 if x.ndim == 1 else 1)).all() for x in results)
    assert [x.device.id for x in results] == [1, 0, 0]


@pytest.mark.parametrize("is_joined", [True, False])
def test_boxes_in_a_capture(streams, is_joined):
    """Rows and slices are nodes of their own, and keep what is between them."""
    with Device(1):
        a = cp.arange(6 * 5 * 400.0).reshape(6, 5, 400)
    b = cp.zeros((6, 5, 400))
    Device(1).synchronize()
    Device(0).synchronize()

    def work():
        b[:, 1, :300] = a[:, 2, 100:]
        b[::2, 2:4, 150:] = a[1::2, :2, :250]

    if is_joined:
        graph, _ = joined(*streams, work)
    else:
        with streams[0] as stream:
            stream.begin_capture()
            work()
            graph = stream.end_capture()
    for i in range(2):
        with Device(1):
            a += i
        Device(1).synchronize()
        graph.launch(streams[0])
        streams[0].synchronize()
        expected, values = np.zeros((6, 5, 400)), a.get()
        expected[:, 1, :300] = values[:, 2, 100:]
        expected[::2, 2:4, 150:] = values[1::2, :2, :250]
        assert np.array_equal(b.get(), expected)


def test_an_exception_ends_the_capture_of_both_streams(streams):
    def work():
        cp.zeros(3)
        with Device(1):
            cp.zeros(3)
        raise KeyError("an error of the program")

    with pytest.raises(KeyError, match="an error") as error:
        joined(*streams, work)
    assert error.tb is not None  # it keeps the frames, and so the streams
    assert not any(stream.is_capturing() for stream in streams)
    for i in range(2):
        Device(i).synchronize()
        with Device(i), streams[i]:
            assert (cp.ones(3) + 1).tolist() == [2, 2, 2]


def test_memory_of_a_joined_stream_is_the_graph_s(streams):
    """What a capture allocates on the second device is not given to others while the graph lives."""

    def work():
        with Device(1):
            x = cp.arange(1000)
            y = x * 2
            del x  # only the graph uses it now
            return y + 1

    with Device(1), streams[1]:
        before = cp.zeros(1000)
    graph, result = joined(*streams, work)
    with Device(1):
        with streams[1]:
            others = [cp.full(1000, -1) for _ in range(20)]
        Device(1).synchronize()
    for _ in range(2):
        graph.launch(streams[0])
        streams[0].synchronize()
        assert np.array_equal(result.get(), np.arange(1000) * 2 + 1)
    assert all((x.get() == -1).all() for x in others)
    del graph, others, before
    used = cp.get_default_memory_pool()
    with Device(1):
        del result
        Device(1).synchronize()
        cp.zeros(1)  # collects what had to wait
        used.free_all_blocks()


def test_a_captured_device_is_not_waited_for(streams):
    here, there = streams
    with here, Device(1), there, Device(0):
        here.begin_capture()
        there.wait_event(here.record())
        with pytest.raises(cp.cuda.driver.CUDADriverError, match="captured"):
            Device(1).synchronize()
        with Device(1):
            x = cp.ones(3) + 1
            event = there.record()
        here.wait_event(event)
        graph = here.end_capture()
    graph.launch(here)
    here.synchronize()
    assert x.tolist() == [2, 2, 2]
    del graph


def test_only_the_target_is_captured(streams):
    """A node of the graph copies what the source holds at a replay."""
    here, _ = streams
    with Device(1):
        source = cp.arange(100)
    target = cp.zeros(100, int)
    Device(0).synchronize()
    Device(1).synchronize()
    with here:
        here.begin_capture()
        target[...] = source
        graph = here.end_capture()
    for i in range(3):
        with Device(1):
            source += 1
        Device(1).synchronize()
        graph.launch(here)
        here.synchronize()
        assert np.array_equal(target.get(), np.arange(100) + i + 1)
    kept = source.data.ptr
    del source
    with Device(1):
        other = cp.zeros(100, int)
    assert other.data.ptr != kept
    graph.launch(here)
    here.synchronize()
    assert np.array_equal(target.get(), np.arange(100) + 3)
    del graph


def test_what_a_capture_refuses(streams):
    here, there = streams
    with Device(1):
        source = cp.zeros((10, 10))
    target = cp.zeros((10, 10))
    Device(0).synchronize()
    Device(1).synchronize()
    with here:
        here.begin_capture()
        with pytest.raises(cp.cuda.driver.CUDADriverError, match="packing"):
            target[:, :5] = source[:, ::2]
        target += 1
        graph = here.end_capture()
    graph.launch(here)
    here.synchronize()
    assert (target.get() == 1).all()
    with Device(1), there:
        there.begin_capture()
        with Device(0), pytest.raises(RuntimeError, match="not captured"):
            target[...] = source
        source += 1
        graph = there.end_capture()
        graph.launch(there)
        there.synchronize()
        assert (source.get() == 1).all()
    assert (target.get() == 1).all()
    del graph
