"""Tests of two devices: on the emulated one work must be in order and memory must come back.

The stream check reports work of two streams, of whichever devices, on the same bytes that nothing
orders. A test may use no fault that ends a context: those run in processes of their own.
"""

import gc

import pytest
from emulated import CONTINUE, STREAM, Emulator

import gpunp as cp


def used_bytes():
    """Bytes that arrays hold on each device."""
    pool, used = cp.get_default_memory_pool(), []
    for device in range(2):
        with cp.cuda.Device(device):
            used.append(pool.used_bytes())
    return used


@pytest.fixture(autouse=True)
def order_and_leaks(request):
    if request.node.get_closest_marker("null"):
        yield
        return
    emulator = Emulator() if cp.cuda.is_emulated() else None
    checks = emulator.checks(STREAM | CONTINUE) if emulator else 0
    findings = emulator.findings() if emulator else 0
    before = used_bytes()
    yield
    assert cp.cuda.Device().id == 0
    for device in range(2):
        cp.cuda.Device(device).synchronize()
    if used_bytes() > before:
        gc.collect()
    if emulator:
        emulator.checks(checks)
        assert emulator.findings() == findings, emulator.last_fault()
    assert used_bytes() <= before
