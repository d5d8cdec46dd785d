"""The emulated device's own services, for tests that make it fail and look at what is left."""

import ctypes

import pytest

import gpunp as cp
from gpunp import _C

KINDS = ["allocations", "bytes", "pinned", "streams", "events", "modules"]


class Emulator:
    """Fault plans and the ledger of live objects (gpunp_emu.h)."""

    def __init__(self):
        cp.cuda.runtime.getDeviceCount()
        self.library = ctypes.CDLL(_C._library_paths()["driver"])
        self.library.cuEmuFail.argtypes = [
            ctypes.c_char_p,
            ctypes.c_uint64,
            ctypes.c_int,
            ctypes.c_int,
        ]
        self.library.cuEmuFailFired.restype = ctypes.c_uint64
        self.library.cuEmuCalls.restype = ctypes.c_uint64
        self.library.cuEmuCalls.argtypes = [ctypes.c_char_p]
        self.library.cuEmuLedger.restype = ctypes.c_uint64
        self.library.cuEmuLedgerName.restype = ctypes.c_char_p

    def fail(self, entry, nth, code, mode="once"):
        """Let the nth call from now on fail; return the plan's number."""
        number = {"once": 0, "after": 1, "late": 2}[mode]
        plan = self.library.cuEmuFail(entry.encode(), nth, code, number)
        assert plan > 0, f"{entry} is no entry"
        return plan

    def fired(self, plan):
        return self.library.cuEmuFailFired(plan)

    def clear(self):
        self.library.cuEmuFailClear()

    def calls(self, entry="*"):
        return self.library.cuEmuCalls(entry.encode())

    def ledger(self):
        """{kind: live objects}."""
        counts, i = {}, 0
        while name := self.library.cuEmuLedgerName(i):
            counts[name.decode()] = self.library.cuEmuLedger(i)
            i += 1
        return counts


@pytest.fixture
def emulator():
    if not _C.is_emulated():
        pytest.skip("asks the emulated device")
    emulator = Emulator()
    yield emulator
    emulator.clear()
