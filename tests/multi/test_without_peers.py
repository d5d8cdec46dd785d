"""Devices that cannot access each other's memory: copies go through page-locked memory instead.

On GPUs that can, GPUNP_PEER=0 takes the same way.
"""

import subprocess
import sys
from pathlib import Path

import child
import pytest

HERE = Path(__file__).resolve().parent
WITHOUT = {"GPUNP_EMU_DEVICES": "2", "GPUNP_EMU_PEERS": "0", "GPUNP_PEER": "0"}


def run(*arguments, **variables):
    return subprocess.run(
        [sys.executable, *arguments],
        env=child.environment(HERE.parent, **WITHOUT, **variables),
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )


@pytest.mark.multi
@pytest.mark.parametrize("late", ["2", pytest.param("1", marks=pytest.mark.slow)])
def test_copies(late):
    """The tests of copies, with work that runs at once or as late as possible."""
    # Plugins that are installed for the outer run, such as xdist and benchmark, stay out of it.
    options = ["-q", "-p", "no:cacheprovider", "-k", "not pools"]
    file = HERE / "test_peer_copies.py"
    alone = {"GPUNP_EMU_ASYNC": late, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = run("-m", "pytest", file, *options, **alone)
    assert done.returncode == 0, done.stdout + done.stderr


REFUSED = """
import gpunp as cp
runtime = cp.cuda.runtime
assert runtime.deviceCanAccessPeer(0, 1) == runtime.deviceCanAccessPeer(1, 0) == 0
for _ in range(2):
    try:
        runtime.deviceEnablePeerAccess(1)
    except runtime.CUDARuntimeError as error:
        assert error.status == 217, error
    else:
        raise AssertionError
a = cp.arange(10)
with cp.cuda.Device(1):
    b = cp.zeros(10, int)
    pool = cp.cuda.MemoryAsyncPool()
    with cp.cuda.using_allocator(pool.malloc):
        c = cp.zeros(10, int)
b[...] = a
c[...] = a
assert b.tolist() == c.tolist() == list(range(10))
try:
    runtime.deviceDisablePeerAccess(1)
except runtime.CUDARuntimeError as error:
    assert error.status == 705, error
else:
    raise AssertionError
print("ok")
"""


@pytest.mark.null
def test_what_is_refused():
    done = run("-c", REFUSED, GPUNP_DEVICE="emulated")
    assert done.stdout == "ok\n", done.stderr


CAPTURED = """
import gpunp as cp
from gpunp.cuda import Device, Stream
a = cp.ones((40, 1000))
with Device(1):
    there = Stream(non_blocking=True)
    b = cp.ones((40, 1000))
Device(1).synchronize()
Device(0).synchronize()
for copy in (
    lambda: cp.copyto(a, b),
    lambda: cp.copyto(a[:, :500], b[:, 500:]),
    lambda: cp.copyto(a[:, ::2], b[:, 1::2]),  # would be packed
    lambda: cp.asarray(b[::-1]),
):
    with Stream(non_blocking=True) as here, Device(1), there, Device(0):
        here.begin_capture()
        there.wait_event(here.record())
        a += 1
        try:
            copy()
        except RuntimeError as error:
            assert "from device 1 to device 0 cannot be captured" in str(error), error
        else:
            raise AssertionError
        here.wait_event(there.record())
        graph = here.end_capture()  # which is whole
    a[...] = 0
    Device(0).synchronize()
    graph.launch(here)
    here.synchronize()
    assert (a == 1).all()
print("ok")
"""


@pytest.mark.null
def test_copies_that_a_capture_cannot_have():
    done = run("-c", CAPTURED, GPUNP_DEVICE="emulated")
    assert done.stdout == "ok\n", done.stderr


STRICT = """
import gpunp as cp
from gpunp.cuda import Device, Stream
captured = [Stream(non_blocking=True) for _ in range(2)]
x = [cp.zeros(3), None]
with Device(1):
    target = cp.zeros(1000)
a = cp.arange(1000.0)
Device(0).synchronize()
with captured[0] as stream:
    stream.begin_capture(cp.cuda.runtime.streamCaptureModeThreadLocal)
    x[0] += 1
with captured[1]:
    target[...] = a  # the first copy makes its page-locked memory
with captured[0] as stream:
    graph = stream.end_capture()
graph.launch(stream)
stream.synchronize()
assert x[0].tolist() == [1, 1, 1]
assert target.tolist() == a.tolist()
print("ok")
"""


@pytest.mark.null
def test_a_copy_beside_a_strict_capture():
    done = run("-c", STRICT, GPUNP_DEVICE="emulated")
    assert done.stdout == "ok\n", done.stderr
