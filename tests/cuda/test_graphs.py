"""Captured work: graphs, their memory, what they keep alive, what they refuse."""

import gc
import threading

import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Event, Graph, Stream, runtime
from gpunp.cuda import graph as graphs


@pytest.fixture
def stream():
    with Stream(non_blocking=True) as stream:
        yield stream
        if stream.is_capturing():
            stream.end_capture()


def capture(stream, function, mode=None):
    stream.begin_capture(mode)
    result = function()
    return stream.end_capture(), result


def test_nothing_runs_before_the_launch(stream):
    x = cp.zeros(100)
    assert not stream.is_capturing()
    stream.begin_capture()
    assert stream.is_capturing()
    x += 1
    graph = stream.end_capture()
    assert isinstance(graph, Graph) and len(graph) == 1 and graph
    assert x.get().max() == 0
    for _ in range(3):
        graph.launch()
    assert (x.get() == 3).all()


def test_results_stay_where_they_are(stream):
    x = cp.arange(1000.0)
    graph, (y, total) = capture(stream, lambda: (cp.sqrt(x * 2) + 1, x.sum()))
    for factor in (1, 2, 3):
        x[...] = cp.arange(1000.0) * factor
        graph.launch()
        expected = np.arange(1000.0) * factor
        np.testing.assert_allclose(y.get(), np.sqrt(expected * 2) + 1)
        assert float(total) == expected.sum()


def test_temporaries_are_nobody_elses(stream):
    x = cp.full(1 << 16, 3.0)
    graph, y = capture(stream, lambda: ((x + 1) * (x + 2)) - ((x + 3) * (x + 4)))
    others = [cp.full(1 << 16, 7.0) for _ in range(8)]  # memory freed in the capture is not theirs
    graph.launch()
    assert (y.get() == 4 * 5 - 6 * 7).all()
    assert all((other.get() == 7).all() for other in others)


def test_arrays_of_before_live_as_long_as_the_graph(stream):
    x = cp.full(1000, 2.0)
    graph, y = capture(stream, lambda x=x: x * 3)
    del x
    gc.collect()
    others = [cp.full(1000, 9.0) for _ in range(4)]
    graph.launch()
    assert (y.get() == 6).all() and all((other.get() == 9).all() for other in others)


def test_results_outlive_the_graph(stream):
    x = cp.arange(10)
    graph, y = capture(stream, lambda: x + 1)
    graph.launch()
    del graph
    gc.collect()
    others = [cp.full(10, -1) for _ in range(4)]
    assert y.get().tolist() == list(range(1, 11)) and len(others) == 4


def test_memory_comes_back():
    pool = cp.get_default_memory_pool()
    used, total = pool.used_bytes(), []
    with Stream(non_blocking=True) as stream:
        for _ in range(8):
            x = cp.zeros(1 << 18)
            graph, y = capture(stream, lambda x=x: cp.exp(x) + 1)
            graph.launch()
            stream.synchronize()
            del x, y, graph
            stream.synchronize()
            total.append(pool.total_bytes())
    assert pool.used_bytes() == used
    assert total[3] == total[-1]  # segments of dead graphs are used again


def test_a_pool_of_ones_own_outlives_its_object(stream):
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        graph, y = capture(stream, lambda: cp.arange(100) * 2)
    del pool
    gc.collect()
    graph.launch()
    assert y.get().sum() == 9900
    del y
    graph.launch()
    stream.synchronize()


def test_constants_are_part_of_the_graph(stream):
    host = np.array([1.0, 2.0, 3.0])
    graph, y = capture(stream, lambda: cp.array(host) * cp.array([2, 4, 6]))
    host[:] = 0
    gc.collect()
    for _ in range(2):
        graph.launch()
        assert y.get().tolist() == [2, 8, 18]


WAITERS = {
    "get": lambda x: x.get(),
    "float": lambda x: float(x[0]),
    "bool": lambda x: bool(x[0] > 0),
    "item": lambda x: x.max().item(),
    "print": repr,
    "mask": lambda x: x[x > 1],
    "nonzero": lambda x: x.nonzero(),
    "unique": lambda x: cp.unique(x),
    "stream": lambda x: cp.cuda.get_current_stream().synchronize(),
    "device": lambda x: cp.cuda.Device().synchronize(),
    "done": lambda x: cp.cuda.get_current_stream().record().done,
    "event": lambda x: cp.cuda.get_current_stream().record().synchronize(),
}


@pytest.mark.parametrize("name", WAITERS)
def test_what_waits_says_so_and_breaks_nothing(stream, name):
    x = cp.arange(5.0)
    stream.begin_capture()
    y = x + 1
    with pytest.raises(RuntimeError, match="captured"):
        WAITERS[name](x)
    z = y * 2
    graph = stream.end_capture()
    graph.launch()
    assert z.get().tolist() == [2, 4, 6, 8, 10]


def test_the_default_stream_beside_a_blocking_one():
    with Stream() as stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="captured"):
            Stream.null.synchronize()
        y = cp.zeros(3) + 1
        graph = stream.end_capture()
        graph.launch()
        assert y.get().tolist() == [1, 1, 1]


def test_work_of_the_default_stream_beside_a_blocking_one():
    stream = Stream()
    x = cp.zeros(3)
    Stream.null.synchronize()
    stream.begin_capture()
    with pytest.raises(RuntimeError, match="with stream:"):
        x += 1
    with pytest.raises(RuntimeError):
        stream.end_capture()
    x += 1
    assert x.get().tolist() == [1, 1, 1]


@pytest.mark.parametrize("mode", [None, 0, 1, 2])
def test_modes(stream, mode):
    x = cp.zeros(1 << 20)
    graph, y = capture(stream, lambda: cp.cbrt(x + 8), mode)  # allocates, loads kernels
    graph.launch()
    assert y.get()[-1] == 2
    assert [runtime.streamCaptureModeGlobal, runtime.streamCaptureModeRelaxed] == [0, 2]


def test_other_streams_join(stream):
    x = cp.arange(1000.0)
    other = Stream(non_blocking=True)
    stream.begin_capture()
    a = x + 1
    other.wait_event(stream.record())
    assert other.is_capturing()
    with other:
        b = a * 2
        c = cp.sqrt(b)
        del b
        d = c + a
    stream.wait_event(other.record())
    e = d - x
    graph = stream.end_capture()
    assert not other.is_capturing()
    del a, c, d
    junk = []
    for s in (stream, other):
        with s:
            junk += [cp.full(1000, 5.0) for _ in range(4)]
    graph.launch()
    n = np.arange(1000.0)
    np.testing.assert_allclose(e.get(), np.sqrt((n + 1) * 2) + n + 1 - n)
    other.synchronize()


def test_events_order_replays_with_other_streams(stream):
    x = cp.zeros(1 << 16)
    graph, y = capture(stream, lambda: x + 1)
    other = Stream(non_blocking=True)
    other.wait_event(stream.record())
    graph.launch(other)
    with other:
        assert (y.get() == 1).all()


def test_frees_during_a_capture_wait_for_its_end(stream):
    other = Stream(non_blocking=True)
    with other:
        x = cp.arange(1000)
    with stream:
        stream.wait_event(other.record())
        y = x + 1  # x is used by two streams
        stream.begin_capture()
        del x
        z = y + 1
        graph = stream.end_capture()
        graph.launch()
        assert z.get()[-1] == 1001


def test_graphs_that_go_during_a_capture(stream):
    x = cp.zeros(100)
    first, y = capture(stream, lambda: x + 1)
    first.launch()
    stream.begin_capture()
    del first, y
    gc.collect()
    z = x + 2
    graph = stream.end_capture()
    graph.launch()
    assert z.get().max() == 2


def test_host_functions(stream):
    seen = []
    x = cp.zeros(10)
    stream.begin_capture()
    x += 1
    stream.launch_host_func(seen.append, "a")
    stream.add_callback(lambda s, status, arg: seen.append((s is stream, status, arg)), "b")
    graph = stream.end_capture()
    gc.collect()
    assert len(graph.host_funcargs) == 2 and seen == []
    for _ in range(3):
        graph.launch()
    stream.synchronize()
    assert seen == ["a", (True, 0, "b")] * 3
    del graph
    gc.collect()
    stream.synchronize()


def test_a_graph_inside_a_graph(stream):
    x = cp.zeros(10)
    inner, _ = capture(stream, lambda: x.__iadd__(1))
    stream.begin_capture()
    inner.launch()
    x *= 2
    inner.launch()
    outer = stream.end_capture()
    del inner
    gc.collect()
    outer.launch()
    outer.launch()
    assert (x.get() == 9).all()  # 0, 1, 2, 3, 4, 8, 9


def test_kernels_stay_loaded(stream):
    kernel = cp.RawKernel('extern "C" __global__ void f(float *x) { x[threadIdx.x] += 2; }', "f")
    x = cp.zeros(32, cp.float32)
    kernel((1,), (32,), (x,))
    graph, _ = capture(stream, lambda kernel=kernel: kernel((1,), (32,), (x,)))
    del kernel
    gc.collect()
    graph.launch()
    assert (x.get() == 4).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x @ x,
        lambda x: cp.fft.fft2(x),
        lambda x: cp.fft.rfft(x, axis=0),
        lambda x: cp.sort(x, axis=None),
        lambda x: cp.cumsum(x, axis=1),
        lambda x: cp.argmax(x, axis=0),
        lambda x: cp.where(x > 0, x, -x),
        lambda x: cp.searchsorted(cp.arange(-3.0, 3), x),
        lambda x: cp.random.default_rng(3).standard_normal(x.shape) + x,
        lambda x: cp.einsum("ij,kj->ik", x, x),
    ],
)
def test_library_calls_are_captured(stream, call, rng):
    x = cp.asarray(rng.standard_normal((48, 48)))
    expected = call(x)
    graph, y = capture(stream, lambda: call(x))
    for _ in range(2):
        graph.launch()
        np.testing.assert_array_equal(y.get(), expected.get())


def test_kernels_from_expressions_outlive_their_objects(stream):
    x = cp.arange(1000.0)
    kernels = [
        cp.ElementwiseKernel("T x", "T y", "y = x * 3 + 1", "triple"),
        cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares"),
    ]
    expected = [kernel(x).get() for kernel in kernels]
    graph, results = capture(stream, lambda: [kernel(x) for kernel in kernels])
    del kernels[:]
    gc.collect()
    graph.launch()
    for ours, theirs in zip(results, expected, strict=True):
        np.testing.assert_allclose(ours.get(), theirs)


def test_update_takes_other_arguments(stream):
    x, y = cp.arange(5.0), cp.arange(5.0) * 10
    graph, a = capture(stream, lambda: x * 2 + 1)
    graph.launch()
    second, b = capture(stream, lambda y=y: y * 3 + 4)
    graph.update(second)
    del second, y
    gc.collect()
    graph.launch()
    assert a.get().tolist() == [1, 3, 5, 7, 9]
    assert b.get().tolist() == [4, 34, 64, 94, 124]
    third, _ = capture(stream, lambda: (x.sum() + x) * 2)
    with pytest.raises(ValueError, match="cannot take over"):
        graph.update(third)
    with pytest.raises(TypeError):
        graph.update(3)
    graph.update(graph)
    graph.launch()
    assert b.get().tolist() == [4, 34, 64, 94, 124]


def test_dot_and_handles(stream):
    x = cp.zeros(5)
    graph, _ = capture(stream, lambda: x.__iadd__(1))
    assert graph.graph and graph.graphExec
    text = graph.debug_dot_str(runtime.cudaGraphDebugDotFlagsVerbose)
    assert text.startswith("digraph") and "elementwise" in text
    graph.upload()
    graph.launch(stream.ptr)
    graph.launch(stream=stream)
    assert x.get().max() == 2
    assert f"{graph.graph:#x}" in repr(graph)


def test_mistakes(stream):
    with pytest.raises(RuntimeError, match="default stream"):
        Stream.null.begin_capture()
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="not being captured"):
        stream.end_capture()
    with pytest.raises(ValueError):
        stream.begin_capture(7)
    with pytest.raises(TypeError):
        Graph()
    stream.begin_capture()
    with pytest.raises(RuntimeError, match="already"):
        stream.begin_capture()
    other = Stream(non_blocking=True)
    other.wait_event(stream.record())
    with pytest.raises(RuntimeError, match="began"):
        other.end_capture()
    with other:
        cp.zeros(3).fill(1)
    with pytest.raises(RuntimeError):  # other's work was not joined
        stream.end_capture()
    assert not stream.is_capturing() and not other.is_capturing()
    x = cp.zeros(3) + 1
    assert x.get().tolist() == [1, 1, 1]


def test_empty_graph(stream):
    stream.begin_capture()
    graph = stream.end_capture()
    assert len(graph) == 0 and graph
    graph.launch()
    stream.synchronize()


def test_per_thread_stream():
    x = cp.zeros(10)
    Stream.null.synchronize()
    with Stream.ptds as stream:
        stream.begin_capture()
        y = (x + 1) * 2
        graph = stream.end_capture()
        graph.launch()
        assert (y.get() == 2).all()


def test_other_threads_go_on(stream):
    """Allocation and work on another stream while one is captured."""
    found = []

    def work():
        with Stream(non_blocking=True):
            found.append(float(cp.arange(100000).sum()))

    stream.begin_capture()
    y = cp.zeros(1000) + 1
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    graph = stream.end_capture()
    graph.launch()
    assert found == [sum(range(100000))] and y.get().sum() == 1000


def test_get_without_waiting_is_a_node(stream):
    x = cp.arange(5)
    out = np.zeros(5, x.dtype)
    stream.begin_capture()
    (x + 1).get(stream=stream, out=out, blocking=False)
    graph = stream.end_capture()
    graph.launch()
    stream.synchronize()
    assert out.tolist() == [1, 2, 3, 4, 5]


def test_exit_with_graphs_in_globals():
    import subprocess
    import sys

    program = (
        "import gpunp as cp\n"
        "s = cp.cuda.Stream(non_blocking=True)\n"
        "s.use()\n"
        "x = cp.zeros(10)\n"
        "s.begin_capture()\n"
        "y = x + 1\n"
        "s.launch_host_func(print, 'called')\n"
        "g = s.end_capture()\n"
        "g.launch()\n"
        "s.synchronize()\n"
        "s.begin_capture()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "called\n", "")


# ---- the decorator


def test_function_replays():
    runs = []

    @cp.cuda.graph
    def step(x, v, dt=0.1):
        runs.append(dt)
        v = v - dt * x
        return {"x": x + dt * v, "v": v, "dt": dt}

    x, v = np.ones(3), np.zeros(3)
    mine = {"x": cp.asarray(x), "v": cp.asarray(v)}
    for _ in range(5):
        v = v - 0.1 * x
        x = x + 0.1 * v
        mine = step(mine["x"], mine["v"])
        assert mine["dt"] == 0.1
    np.testing.assert_allclose(mine["x"].get(), x)
    assert runs == [0.1, 0.1] and len(step.graphs) == 1
    assert step.__name__ == "step"


def test_function_records_again_for_other_forms():
    @cp.cuda.graph(max_graphs=3)
    def f(x, k=2):
        return x * k

    for _ in range(3):
        for shape in [(3,), (2, 2)]:
            x = cp.ones(shape)
            assert f(x).get().tolist() == np.full(shape, 2.0).tolist()
        assert f(cp.ones(3, np.int32)).dtype == np.int32
    assert len(f.graphs) == 3
    assert f(cp.ones(3), k=3).get().tolist() == [3, 3, 3]
    assert f(cp.ones(3), k=3).get().tolist() == [3, 3, 3]
    assert len(f.graphs) == 3
    f.clear()
    assert f.graphs == []
    with pytest.raises(TypeError, match="hashed"):
        f(cp.ones(3), k=[1, {2}])


def test_function_results_are_copies_unless_asked_not_to():
    @cp.cuda.graph
    def f(x):
        return x + 1, x

    a = [f(cp.full(3, float(i))) for i in range(4)]
    assert [int(y[0]) for y, _ in a] == [1, 2, 3, 4]
    assert [int(x[0]) for _, x in a] == [0, 1, 2, 3]
    a[0][1][0] = 5  # writeable

    @cp.cuda.graph(copy_outputs=False)
    def g(x):
        return x + 1

    g(cp.zeros(3))
    first, second = g(cp.zeros(3)), g(cp.ones(3))
    assert first is second and int(first[0]) == 2


def test_function_arguments_are_read_only():
    @cp.cuda.graph
    def f(x):
        x += 1
        return x

    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            f(cp.zeros(3))


def test_function_that_needs_values():
    @cp.cuda.graph
    def f(x):
        return float(x.sum())

    assert f(cp.ones(3)) == 3
    with pytest.raises(RuntimeError, match="captured"):
        f(cp.ones(3))
    assert (cp.ones(3) + 1).get().tolist() == [2, 2, 2]


def test_function_on_several_streams_and_inside_a_capture(stream):
    weights = cp.arange(3.0)

    @cp.cuda.graph
    def f(x):
        return x * weights

    with Stream(non_blocking=True) as other:
        other.wait_event(stream.record())
        for _ in range(2):
            f(cp.ones(3))
        y = f(cp.ones(3) * 2)
        other.synchronize()
    assert f(y).get().tolist() == [0, 2, 8]
    graph, z = capture(stream, lambda: f(y) + 1)
    graph.launch()
    assert z.get().tolist() == [1, 3, 9]


def test_method_that_replays():
    class Model:
        def __init__(self, k):
            self.k = k

        @cp.cuda.graph
        def call(self, x):
            return x * self.k

    a, b = Model(2), Model(3)
    for _ in range(3):
        assert float(a.call(cp.ones(1))[0]) == 2
        assert float(b.call(cp.ones(1))[0]) == 3
    assert len(Model.call.graphs) == 2
    Model.call.clear()


def test_event_is_usable_again_after_a_capture(stream):
    event = Event()
    stream.begin_capture()
    event.record(stream)
    cp.zeros(3).fill(1)
    stream.end_capture()
    event.record(stream)
    event.synchronize()
    assert event.done


def test_others_wait_for_the_end_of_brief_captures():
    x, began, errors = cp.zeros(3), threading.Event(), []

    def wait():
        began.wait()
        try:
            cp.cuda.Device().synchronize()
        except Exception as error:
            errors.append(error)

    other = threading.Thread(target=wait)
    other.start()

    def work():
        x[...] = x + 1
        if cp.cuda.get_current_stream().is_capturing():
            began.set()
            for _ in range(20):
                threading.Event().wait(0.002)  # the other thread meets the capture
            with pytest.raises(runtime.CUDARuntimeError):
                cp.cuda.Device().synchronize()

    replayed = graphs.Replayed()
    for _ in range(3):
        replayed(work)
    other.join()
    assert not errors
    assert x.get().tolist() == [3, 3, 3]
    mine, x = graphs.Replayed(is_fixed=False), cp.zeros(3)
    for _ in range(3):
        mine(work)
    assert x.get().tolist() == [3, 3, 3]


def test_replayed_work_in_a_capture_and_errors_in_one(stream):
    x, replayed = cp.zeros(3), graphs.Replayed()

    def work():
        x[...] = x + 1

    replayed(work)
    graph, _ = capture(stream, lambda: replayed(work))
    graph.launch()
    assert x.get().tolist() == [2, 2, 2]

    def waits():
        return float(x[0])

    broken = graphs.Replayed()
    broken(waits)
    with pytest.raises(runtime.CUDARuntimeError):
        broken(waits)
    assert float(x[0]) == 2
