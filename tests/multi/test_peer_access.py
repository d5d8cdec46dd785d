"""Access to another device's memory: cudart's functions, consent for operands, faults without it."""

import subprocess
import sys

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp.cuda import Device, Stream, runtime

pytestmark = pytest.mark.multi

TWICE = """
extern "C" __global__ void twice(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
"""


@pytest.fixture(autouse=True)
def path(request):
    if not request.node.get_closest_marker("null") and not runtime.deviceCanAccessPeer(0, 1):
        pytest.skip("the devices cannot access each other's memory")


@pytest.fixture
def consent():
    before = cp.cuda.set_peer_access(True)
    yield
    cp.cuda.set_peer_access(before)


def pair():
    """An array on each device, with unfinished work behind them."""
    a = cp.zeros(1000)
    with Device(1):
        b = cp.zeros(1000)
        for _ in range(5):
            b += 1
    a += 2
    return a, b


def test_functions_of_cudart():
    assert runtime.deviceCanAccessPeer(0, 1) == 1 and runtime.deviceCanAccessPeer(0, 0) == 0
    runtime.deviceEnablePeerAccess(1)  # whether or not a copy has enabled it before
    with pytest.raises(runtime.CUDARuntimeError, match="PeerAccessAlreadyEnabled"):
        runtime.deviceEnablePeerAccess(1)
    runtime.deviceDisablePeerAccess(1)
    with pytest.raises(runtime.CUDARuntimeError, match="PeerAccessNotEnabled"):
        runtime.deviceDisablePeerAccess(1)
    a = cp.arange(10)
    with Device(1):
        b = cp.asarray(a)  # enables it again, which is none of the program's business
    with pytest.raises(runtime.CUDARuntimeError, match="PeerAccessNotEnabled"):
        runtime.deviceDisablePeerAccess(1)
    runtime.deviceEnablePeerAccess(1)
    runtime.deviceDisablePeerAccess(1)
    assert np.array_equal(b.get(), np.arange(10))
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceEnablePeerAccess(0)
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        runtime.deviceEnablePeerAccess(7)


def test_copies_by_address():
    a, b = cp.arange(100), None
    with Device(1):
        b = cp.zeros(100, int)
        Device(1).synchronize()
    Device(0).synchronize()
    runtime.memcpyPeer(b.data.ptr, 1, a.data.ptr, 0, 800)
    assert np.array_equal(b.get(), np.arange(100))
    with Device(1):
        b *= 2
        stream = Stream.null
        runtime.memcpyPeerAsync(a.data.ptr, 0, b.data.ptr, 1, 800, stream.ptr)
        stream.synchronize()
    assert np.array_equal(a.get(), np.arange(100) * 2)


def test_the_setting():
    assert cp.cuda.set_peer_access("warn") is False
    assert cp.cuda.set_peer_access(True) == "warn"
    assert cp.cuda.set_peer_access(False) is True
    for wrong in (None, 2, 1, 0, "yes", 1.0):
        with pytest.raises(ValueError, match="True, False or 'warn'"):
            cp.cuda.set_peer_access(wrong)
    assert cp.cuda.set_peer_access(False) is False


def test_without_consent():
    a, b = pair()
    square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square_peer")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total_peer")
    twice = cp.RawKernel(TWICE, "twice")
    for call in (
        lambda: a + b,
        lambda: cp.sum(b),
        lambda: a @ b,
        lambda: square(b),
        lambda: total(b),
        lambda: twice((8,), (128,), (b, a, 1000)),
    ):
        with pytest.raises(ValueError, match="device 1"):
            call()


def test_functions_copy_operands(consent):
    a, b = pair()
    c = a + b
    assert c.device.id == 0 and (c.get() == 7).all()
    assert cp.sum(b).item() == 5000 and (a @ b).item() == 10000
    assert (cp.sort(b)[:3].get() == 5).all() and cp.where(b > 4, a, b).sum().item() == 2000
    b += a  # computed here, stored there
    assert b.device.id == 1 and (b.get() == 7).all()
    out = np.zeros(1000)
    out[::2] = 9
    cp.add(a, b, out=b, where=cp.arange(1000) % 2 == 0)
    assert np.array_equal(b.get(), np.where(out > 0, 9, 7))
    cp.matmul(a.reshape(10, 100), b.reshape(100, 10), out=b[:100].reshape(10, 10))
    assert (b[:100].get() != 7).any()
    assert (a.get() == 2).all()


# Each changes its operand, which is on the other device.
IN_PLACE = {
    "sort": lambda xp, a: a.sort(0),
    "put": lambda xp, a: xp.put(a, xp.asarray([1, 2]), 7.0),
    "putmask": lambda xp, a: xp.putmask(a, a > 0.5, 3.0),
    "add.at": lambda xp, a: xp.add.at(a, xp.asarray([1, 1, 2]), 1.0),
    "a mask": lambda xp, a: a.__setitem__(a > 0.5, 2.0),
    "indices and values": lambda xp, a: a.__setitem__(xp.asarray([3, 0]), xp.ones((2, 6))),
    "put_along_axis": lambda xp, a: xp.put_along_axis(a, xp.asarray([[1]] * 6), 3.0, 1),
    "copyto where": lambda xp, a: xp.copyto(a, 5.0, where=a > 0.5),
    "cumsum": lambda xp, a: xp.cumsum(a, 0, out=a),
    "clip": lambda xp, a: xp.clip(a, 0.2, 0.4, out=a),
    "divmod": lambda xp, a: xp.divmod(a, 0.3, out=(a, xp.empty_like(a))),
    "median": lambda xp, a: xp.median(a, 0, out=a[0]),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_arrays_there_are_changed(consent, name, rng):
    values = rng.random((6, 6))
    with Device(1):
        a = cp.asarray(values)
    expected = values.copy()
    IN_PLACE[name](np, expected)
    IN_PLACE[name](cp, a)
    assert a.device.id == 1 and np.allclose(a.get(), expected)
    assert np.array_equal(a[cp.asarray([2, 1])].get(), a.get()[[2, 1]])


def test_kernels_access_the_other_memory(consent):
    a, b = pair()
    square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square_peer")
    gather = cp.ElementwiseKernel("raw T x, int64 k", "T y", "y = x[999 - k]", "gather_peer")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total_peer")
    twice = cp.RawKernel(TWICE, "twice")

    @cp.jit.rawkernel()
    def triple(x, y, n):
        i = cp.jit.grid(1)
        if i < n:
            y[i] = 3 * x[i]

    assert (square(b).get() == 25).all()
    assert gather(b, cp.arange(1000)).device.id == 0
    assert total(b).item() == 5000
    twice((8,), (128,), (b, a, 1000))
    b += 1  # after the kernel has read it
    assert (a.get() == 10).all() and (b.get() == 6).all()
    twice((8,), (128,), (a, b, 1000))  # writes there
    with Device(1):
        b += 1
    assert (b.get() == 21).all()
    triple[8, 128](b, a, 1000)
    del b
    with Device(1):
        other = cp.full(1000, -1.0)
    assert (a.get() == 63).all() and (other.get() == -1).all()


def test_arguments_that_launch_kernels_of_their_own(consent):
    """Reading one does not make the call forget that another one is of a second device."""
    a, b = pair()
    c = cp.ones(1000)
    twice = cp.RawKernel(TWICE, "twice")

    class Launching:
        @property
        def ptr(self):
            twice((8,), (128,), (c, a, 1000))
            return a.data.ptr

    twice((8,), (128,), (b, Launching(), 1000))
    with Device(1):
        b += 1  # after the kernel has read it
    assert (a.get() == 10).all() and (b.get() == 6).all()


def test_kernels_and_streams(consent):
    a, b = pair()
    twice = cp.RawKernel(TWICE, "twice")
    with Device(1):
        there = Stream(non_blocking=True)
        there.wait_event(Stream.null.record())
    here = Stream(non_blocking=True)
    here.wait_event(Stream.null.record())
    with Device(1), there, Device(0):
        with Device(1):
            b += 1
        twice((8,), (128,), (b, a, 1000), stream=here)
        with Device(1):
            b *= 0
    here.synchronize()
    there.synchronize()
    assert (a.get() == 12).all() and (b.get() == 0).all()


def test_memory_of_a_pool_of_the_driver(consent):
    with Device(1):
        pool = cp.cuda.MemoryAsyncPool()
        with cp.cuda.using_allocator(pool.malloc):
            b = cp.arange(1000.0)
    a = cp.zeros(1000)
    cp.RawKernel(TWICE, "twice")((8,), (128,), (b, a, 1000))
    assert np.array_equal(a.get(), 2 * np.arange(1000.0))
    with Device(1):
        del b


def test_a_warning_where_it_is_asked_for():
    a, b = pair()
    before = cp.cuda.set_peer_access("warn")
    try:
        with pytest.warns(cp.exceptions.PerformanceWarning, match="device 1"):
            assert (a + b).sum().item() == 7000
        with pytest.warns(cp.exceptions.PerformanceWarning, match="device 1"):
            cp.RawKernel(TWICE, "twice")((8,), (128,), (b, a, 1000))
        assert (a.get() == 10).all()
    finally:
        cp.cuda.set_peer_access(before)


def run(program, **variables):
    environment = child.environment(GPUNP_DEVICE="emulated", GPUNP_EMU_DEVICES="2", **variables)
    return subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )


# The kernel gets an address, so that nobody but the device can notice.
PLANTED = f"""
import gpunp as cp
kernel = cp.RawKernel('''{TWICE}''', "twice")
with cp.cuda.Device(1):
    b = cp.full(1000, 3.0)
    cp.cuda.Device(1).synchronize()
a = cp.zeros(1000)
ENABLE
kernel((8,), (128,), (b.data.ptr, a, 1000))
print(a.sum())
"""


@pytest.mark.null
@pytest.mark.parametrize("enables", [False, True])
def test_a_kernel_that_reads_memory_without_access(enables):
    """A planted bug and its correct counterpart."""
    done = run(
        PLANTED.replace("ENABLE", "cp.cuda.runtime.deviceEnablePeerAccess(1)" * enables),
    )
    if enables:
        assert done.stdout == "6000.0\n", done.stderr
    else:
        assert done.returncode != 0
        assert "on device 1, to whose memory device 0 has no access" in done.stderr
        assert "twice" in done.stderr


@pytest.mark.null
def test_kernels_without_a_path():
    done = run(
        f"""
import gpunp as cp
cp.cuda.set_peer_access(True)
kernel = cp.RawKernel('''{TWICE}''', "twice")
a = cp.zeros(1000)
with cp.cuda.Device(1):
    b = cp.full(1000, 3.0)
try:
    kernel((8,), (128,), (b, a, 1000))
except ValueError as error:
    assert "cannot access memory of device 1" in str(error)
else:
    raise AssertionError
assert (a + b).sum().item() == 3000
""",
        GPUNP_EMU_PEERS="0",
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.null
def test_programs_for_cupy():
    """Operands of another device are taken with a warning, as in CuPy."""
    done = run(
        """
import warnings
import gpunp.as_cupy
import cupy as cp
from cupy._util import PerformanceWarning
with cp.cuda.Device(1):
    b = cp.ones(10)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    assert (cp.ones(10) + b).sum() == 20
assert [w.category for w in seen] == [PerformanceWarning], seen
"""
    )
    assert done.returncode == 0, done.stderr
