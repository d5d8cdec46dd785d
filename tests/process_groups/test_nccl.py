"""gpunp.cuda.nccl: communicators of one process with two emulated devices, and of two threads."""

import pytest
from rank_runs import emulated_only, run_devices

pytestmark = pytest.mark.null

SETUP = """
import threading
import ml_dtypes
from gpunp.cuda import nccl
from gpunp.cuda.nccl import groupStart, groupEnd

def on(device, array):
    with cp.cuda.Device(device):
        return cp.asarray(array)

def everywhere(call, n=2):
    groupStart()
    for device in range(n):
        call(device)
    groupEnd()

TYPES = dict(b=0, B=1, i=2, I=3, l=4, L=5, e=6, f=7, d=8)
comms = nccl.NcclCommunicator.initAll(2)
"""


def test_communicators_know_their_places():
    run_devices(
        SETUP
        + """
assert nccl.available and nccl.get_version() == nccl.get_build_version() > 20000
assert [(c.rank_id(), c.size(), c.device_id()) for c in comms] == [(0, 2, 0), (1, 2, 1)]
assert all(c.comm for c in comms)
for c in comms:
    c.check_async_error()
one = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
assert (one.size(), one.rank_id()) == (1, 0)
x = cp.asarray(np.arange(3.0))
one.allReduce(x.data.ptr, x.data.ptr, 3, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, cp.cuda.get_current_stream().ptr)
assert x.tolist() == [0, 1, 2]
one.abort()
one.destroy()  # a second time is no error
for call in (one.size, one.check_async_error, lambda: one.bcast(0, 0, 0, 0, 0)):
    try:
        call()
    except nccl.NcclError as error:
        assert error.status == 5
    else:
        raise AssertionError
assert one.comm == 0
for bad, error in (
    (lambda: nccl.NcclCommunicator(2, nccl.get_unique_id(), 2), nccl.NcclError),
    (lambda: nccl.NcclCommunicator(2, (1, 2), 0), ValueError),
    (lambda: nccl.NcclCommunicator(2, "x" * 128, 0), TypeError),
    (lambda: nccl.NcclCommunicator.initAll([0, 0]), nccl.NcclError),
    (lambda: nccl.NcclCommunicator.initAll([]), ValueError),
    (lambda: comms[0].allReduce(0, 0, 1, 99, 0, 0), nccl.NcclError),
    (lambda: comms[0].allReduce(0, 0, 1, 0, 99, 0), nccl.NcclError),
    (lambda: comms[0].broadcast(0, 0, 1, 0, 2, 0), nccl.NcclError),
    (lambda: comms[0].allReduce(0, 0, -1, 0, 0, 0), ValueError),
    (lambda: nccl.groupEnd(), nccl.NcclError),
    (lambda: nccl.check_status(3), nccl.NcclError),
):
    try:
        bad()
    except error:
        pass
    else:
        raise AssertionError
nccl.check_status(0)
assert nccl.NcclError.__mro__[1] is RuntimeError
"""
    )


def test_reductions_of_every_type_are_numpys():
    run_devices(
        SETUP
        + """
rng = np.random.default_rng(7)
OPS = [np.add, np.multiply, np.maximum, np.minimum]
TYPES |= {ml_dtypes.bfloat16: 9}
if cp.cuda.is_emulated():  # NVIDIA's rounds what lies between as well
    TYPES |= {ml_dtypes.float8_e4m3fn: 10, ml_dtypes.float8_e5m2: 11}
for dtype, number in TYPES.items():
    dtype = np.dtype(dtype)
    values = [rng.integers(0, 120, 37).astype(dtype) if dtype.kind in "iu" else
              rng.normal(size=37).astype(dtype) for _ in range(2)]
    raw = np.uint8 if number >= 10 else dtype
    given = [on(d, v.view(raw)) for d, v in enumerate(values)]
    for op in range(5):
        out = [on(d, np.zeros(37, dtype).view(raw)) for d in range(2)]
        everywhere(lambda d: comms[d].allReduce(
            given[d].data.ptr, out[d].data.ptr, 37, number, op, 0))
        if op < 4:
            expected = OPS[op](*values)
        elif dtype.kind in "iu":
            with np.errstate(over="ignore"):
                total = values[0] + values[1]
            expected = np.trunc(total.astype(float) / 2).astype(dtype)
        else:
            expected = ((values[0] + values[1]) / dtype.type(2)).astype(dtype)
        for o in out:
            assert (o.get().view(dtype) == expected).all(), (dtype, op)
        out = [on(d, np.zeros(37, dtype).view(raw)) for d in range(2)]
        everywhere(lambda d: comms[d].reduce(
            given[d].data.ptr, out[d].data.ptr, 37, number, op, 1, 0))
        assert (out[1].get().view(dtype) == expected).all()
        assert not out[0].get().view("u1").any()
"""
    )


@pytest.mark.parametrize(
    "variables",
    [
        {"GPUNP_EMU": "init,race,stream"},
        pytest.param({}, marks=pytest.mark.slow),
        pytest.param({"GPUNP_EMU_ASYNC": "2"}, marks=pytest.mark.slow),
    ],
)
def test_collectives_and_messages(variables):
    run_devices(
        SETUP
        + """
F = nccl.NCCL_FLOAT
n = 40000  # more than a ring buffer holds
a = [np.arange(n, dtype="f4") + 1000 * d for d in range(2)]
x = [on(d, a[d]) for d in range(2)]

def outs(size):
    return [on(d, np.zeros(size, "f4")) for d in range(2)]

streams = []
for d in range(2):
    with cp.cuda.Device(d):
        streams.append(cp.cuda.Stream(non_blocking=True))
def with_streams(call):
    for d in range(2):
        with cp.cuda.Device(d):
            cp.cuda.Device().synchronize()
    everywhere(call)
    for stream in streams:
        stream.synchronize()
s = [stream.ptr for stream in streams]

y = outs(n)
with_streams(lambda d: comms[d].broadcast(x[d].data.ptr, y[d].data.ptr, n, F, 1, s[d]))
assert all((o.get() == a[1]).all() for o in y)
y = outs(2 * n)
with_streams(lambda d: comms[d].allGather(x[d].data.ptr, y[d].data.ptr, n, F, s[d]))
assert all((o.get() == np.concatenate(a)).all() for o in y)
y = outs(n // 2)
with_streams(lambda d: comms[d].reduceScatter(
    x[d].data.ptr, y[d].data.ptr, n // 2, F, nccl.NCCL_SUM, stream=s[d]))
assert (np.concatenate([o.get() for o in y]) == a[0] + a[1]).all()
y = outs(n)  # both send before they receive
def swap(d):
    comms[d].send(x[d].data.ptr, n, F, 1 - d, s[d])
    comms[d].recv(y[d].data.ptr, n, F, 1 - d, s[d])
with_streams(swap)
assert (y[0].get() == a[1]).all() and (y[1].get() == a[0]).all()
y = outs(n)  # to itself, and two messages in their order
def own(d):
    comms[d].send(x[d].data.ptr, n // 2, F, d, s[d])
    comms[d].send(x[d].data.ptr, n // 2, F, d, s[d])
    comms[d].recv(y[d].data.ptr, n // 2, F, d, s[d])
    comms[d].recv(y[d].data.ptr + 2 * n, n // 2, F, d, s[d])
with_streams(own)
assert all((o.get() == np.tile(v[: n // 2], 2)).all() for o, v in zip(y, a))
with_streams(lambda d: comms[d].bcast(x[d].data.ptr, n, F, 0, s[d]))  # in place
assert all((o.get() == a[0]).all() for o in x)
with_streams(lambda d: comms[d].allReduce(x[d].data.ptr, x[d].data.ptr, n, F, 0, s[d]))
assert all((o.get() == 2 * a[0]).all() for o in x)
with_streams(lambda d: comms[d].allReduce(x[d].data.ptr, x[d].data.ptr, 0, F, 0, s[d]))
# several calls of one group, in streams of their own
y, z = outs(n), outs(n)
def two(d):
    comms[d].allReduce(x[d].data.ptr, y[d].data.ptr, n, F, nccl.NCCL_MAX, s[d])
    comms[d].broadcast(x[d].data.ptr, z[d].data.ptr, n, F, 0, 0)
with_streams(two)
for d in range(2):
    with cp.cuda.Device(d):
        assert (y[d].get() == 2 * a[0]).all() and (z[d].get() == 2 * a[0]).all()
for c in comms:
    c.destroy()
""",
        **variables,
    )


def test_ranks_that_are_threads_and_order_in_a_stream():
    run_devices(
        SETUP
        + """
identifier = nccl.get_unique_id()
failed = []
def rank(number):
    try:
        with cp.cuda.Device(number):
            comm = nccl.NcclCommunicator(2, identifier, number)
            x = cp.zeros(1000, "i8")
            for i in range(60):  # kernels and operations take turns in the stream
                x += number + 1
                comm.allReduce(x.data.ptr, x.data.ptr, 1000, nccl.NCCL_INT64, nccl.NCCL_MAX,
                               cp.cuda.get_current_stream().ptr)
            assert (x.get() == 120).all()
            half = comm.commSplit(number, 0)
            assert (half.size(), half.rank_id()) == (1, 0)
            turned = comm.commSplit(0, -number)
            assert (turned.size(), turned.rank_id()) == (2, 1 - number)
            assert comm.commSplit(-1, 0) is None
            comm.destroy()
    except BaseException as error:
        failed.append(error)
        raise
threads = [threading.Thread(target=rank, args=(i,)) for i in range(2)]
for t in threads: t.start()
for t in threads: t.join()
assert not failed
"""
    )


def test_a_captured_operation_runs_again_with_its_graph():
    run_devices(
        SETUP
        + """
x = [on(d, np.full(10, 0.5, "f4")) for d in range(2)]
# NCCL connects ranks at their first operation, for which both are wanted at once.
everywhere(lambda d: comms[d].allReduce(x[d].data.ptr, x[d].data.ptr, 10, nccl.NCCL_FLOAT, 0, 0))
streams = []
for d in range(2):
    with cp.cuda.Device(d):
        cp.cuda.Device().synchronize()
        streams.append(cp.cuda.Stream(non_blocking=True))
for stream in streams:
    stream.begin_capture()
# As NCCL asks of one thread with several devices: a rank that is captured waits for the others.
everywhere(
    lambda d: comms[d].allReduce(
        x[d].data.ptr, x[d].data.ptr, 10, nccl.NCCL_FLOAT, 0, streams[d].ptr
    )
)
graphs = [(stream.end_capture(), stream) for stream in streams]
for graph, stream in graphs:  # instantiated before any of them runs and waits for the other
    with cp.cuda.Device(stream.device_id):
        graph.upload(stream)
        stream.synchronize()
for i in range(3):
    for graph, stream in graphs:
        with cp.cuda.Device(stream.device_id):
            graph.launch(stream)
for graph, stream in graphs:
    with cp.cuda.Device(stream.device_id):
        stream.synchronize()
assert all((o.get() == 8).all() for o in x)
try:  # NCCL would wait for the graph's end
    comms[0].destroy()
except nccl.NcclError as error:
    assert error.status == 5 and "in graphs" in str(error)
else:
    raise AssertionError
del graph, graphs
for c in comms:
    assert not c._is_captured
    c.destroy()
"""
    )


def test_communicators_are_dropped_before_their_graphs():
    run_devices(
        """
import gc
from gpunp.cuda import nccl
one = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
x = cp.ones(3)
cp.cuda.Device().synchronize()
stream = cp.cuda.Stream(non_blocking=True)
def reduce():
    one.allReduce(x.data.ptr, x.data.ptr, 3, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, stream.ptr)
for ends in ("end", "drop"):
    stream.begin_capture()
    assert not one._is_captured
    reduce()
    reduce()
    assert one._is_captured
    graph = stream.end_capture()
    if ends == "end":
        del graph
        gc.collect()
        assert not one._is_captured
del one, reduce
gc.collect()
graph.launch(stream)
stream.synchronize()
assert (x.get() == 1).all()
del graph
gc.collect()
"""
    )


def test_a_graph_reduces_memory_of_its_own():
    run_devices(
        """
from gpunp.cuda import nccl, runtime
one = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
x = cp.zeros(100)
cp.cuda.Device().synchronize()  # the stream does not wait for the default one
with cp.cuda.Stream(non_blocking=True) as stream:
    stream.begin_capture()
    own = runtime.mallocAsync(x.nbytes, stream.ptr)
    runtime.memsetAsync(own, 1, x.nbytes, stream.ptr)
    one.allReduce(own, x.data.ptr, 100, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, stream.ptr)
    runtime.freeAsync(own, stream.ptr)
    graph = stream.end_capture()
    graph.launch()
    stream.synchronize()
assert (x.view(cp.uint8) == 1).all()
"""
    )


def test_abort_ends_what_waits_for_another_rank():
    run_devices(
        SETUP
        + """
y = [on(d, np.zeros(4)) for d in range(2)]
groupStart()  # NCCL connects ranks at their first message, for which both are wanted at once
comms[1].send(y[1].data.ptr, 4, nccl.NCCL_DOUBLE, 0, 0)
comms[0].recv(y[0].data.ptr, 4, nccl.NCCL_DOUBLE, 1, 0)
groupEnd()
x = on(0, np.zeros(4))
stream = cp.cuda.Stream(non_blocking=True)
comms[0].recv(x.data.ptr, 4, nccl.NCCL_DOUBLE, 1, stream.ptr)
time.sleep(0.1)
assert not stream.done
comms[0].abort()
stream.synchronize()
cp.cuda.Device(0).synchronize()
"""
    )


FAILS = """
class Clearing:
    def __init__(self, items):
        self.items = items

    def __index__(self):
        self.items.clear()
        return 0

def fails(call, error, status=None):
    try:
        call()
    except error as caught:
        assert status is None or caught.status == status, caught
    else:
        raise AssertionError
"""


def test_wrong_arguments_end_nothing():
    """A list that changes while it is read, and a communicator that is dropped in a group."""
    run_devices(
        SETUP
        + FAILS
        + """
items = [0] * 2
items[0] = Clearing(items)
fails(lambda: nccl.NcclCommunicator.initAll(items), nccl.NcclError)
fails(lambda: nccl.NcclCommunicator(1, 5, 0), TypeError)

groupStart()
nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)  # dropped before NCCL has made it
fails(lambda: nccl.NcclCommunicator.initAll(2), nccl.NcclError, 5)
groupEnd()
"""
    )


@emulated_only
def test_wrong_identifiers_and_buffers_end_nothing():
    run_devices(
        SETUP
        + FAILS
        + """
fails(lambda: nccl.NcclCommunicator(2, (0,) * 128, 0), nccl.NcclError)
items = [0] * 128
items[0] = Clearing(items)
fails(lambda: nccl.NcclCommunicator(1, items, 0), nccl.NcclError)

x = on(0, np.zeros(4))  # too short
one = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
for count in (2**61, 2**20):
    fails(lambda: one.allReduce(x.data.ptr, x.data.ptr, count, 8, 0, 0), nccl.NcclError, 4)
fails(lambda: one.bcast(16, 1, 8, 0, 0), nccl.NcclError, 4)
cp.cuda.Device(0).synchronize()
"""
    )
