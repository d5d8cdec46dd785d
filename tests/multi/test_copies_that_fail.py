"""Every driver call of a copy between devices made to fail: an exception or the right result, and
nothing is left behind."""

import gc
import subprocess
import sys

import child
import numpy as np
import pytest
from emulated import Emulator

import gpunp as cp
from gpunp.cuda import Device

pytestmark = pytest.mark.multi

INVALID_VALUE, OUT_OF_MEMORY = 1, 2
KINDS = ["allocations", "bytes", "pinned", "streams", "modules"]


def copies():
    """A line, a box, a layout that is packed, and a new array."""
    a = cp.asarray(np.arange(3000.0).reshape(3, 1000))
    with Device(1):
        b = cp.zeros((3, 1000))
    b[...] = a
    b[:2, :500] = a[1:, 500:]
    a[:, ::2] = b[:, 1::2]
    with Device(1):
        c = cp.asarray(a)
    return a, b, c


def expected():
    a = np.arange(3000.0).reshape(3, 1000)
    b = a.copy()
    b[:2, :500] = a[1:, 500:]
    a[:, ::2] = b[:, 1::2]
    return a, b, a


def quiet():
    gc.collect()
    for device in range(2):
        with Device(device):
            Device(device).synchronize()
            cp.get_default_memory_pool().free_all_blocks()


def sweep(code):
    """Let the nth call fail, for every n; return how many calls there are."""
    emulator = Emulator()
    copies()
    quiet()
    before = emulator.ledger()
    for n in range(1, 1000):
        plan = emulator.fail("*", n, code)
        results = ()
        try:
            results = [x.get() for x in copies()]
        except (cp.cuda.driver.CUDADriverError, MemoryError):
            pass
        fired = emulator.fired(plan)
        emulator.clear()
        assert Device().id == 0
        assert all(np.array_equal(*pair) for pair in zip(results, expected(), strict=False)), n
        if not fired:
            break
    assert all(np.array_equal(x.get(), y) for x, y in zip(copies(), expected(), strict=True))
    quiet()
    after = emulator.ledger()
    assert {kind: after[kind] for kind in KINDS} == {kind: before[kind] for kind in KINDS}
    return n


@pytest.mark.parametrize("code", [INVALID_VALUE, OUT_OF_MEMORY])
def test_each_call_of_copies(code):
    if not cp.cuda.is_emulated():
        pytest.skip("asks the emulated device")
    assert sweep(code) > 30


@pytest.mark.null
def test_each_call_of_copies_through_the_host():
    program = "import test_copies_that_fail as t; assert t.sweep(1) > 30; assert t.sweep(2) > 30"
    environment = child.environment(
        child.ROOT / "tests", child.ROOT / "tests" / "multi", GPUNP_DEVICE="emulated",
        GPUNP_EMU_DEVICES="2", GPUNP_EMU_PEERS="0",
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.null
def test_access_that_fails_once():
    """Where enabling access fails for want of memory, the copy is made through the host."""
    program = """
import numpy as np
import gpunp as cp
from emulated import Emulator
a = cp.arange(100)
with cp.cuda.Device(1):
    b = cp.zeros(100, int)
emulator = Emulator()
for entry in "cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess":
    plan = emulator.fail(entry, 1, 2)
    try:
        b[...] = a
    except cp.cuda.OutOfMemoryError:
        assert entry == "cuDeviceCanAccessPeer"
    assert emulator.fired(plan)
b[...] = a
assert np.array_equal(b.get(), np.arange(100))
"""
    environment = child.environment(
        child.ROOT / "tests", GPUNP_DEVICE="emulated", GPUNP_EMU_DEVICES="2"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=child.PATIENCE,
    )
    assert done.returncode == 0, done.stderr
