"""The emulated device's own services, for tests that make it fail and look at what is left."""

import ctypes

import pytest

import gpunp as cp
from gpunp import _C

INIT, RACE, STREAM, CONTINUE = 1, 2, 4, 32  # EMU_CHECK_* of gpunp_emu.h
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
        self.library.cuEmuChecks.restype = ctypes.c_uint
        self.library.cuEmuFindings.restype = ctypes.c_uint64
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

    def checks(self, wanted):
        """Set the checks of work from now on (EMU_CHECK_*); return those before."""
        return self.library.cuEmuChecks(wanted)

    def findings(self):
        return self.library.cuEmuFindings()

    def last_fault(self):
        text = ctypes.create_string_buffer(2000)
        self.library.cuEmuLastFault(text, ctypes.c_size_t(len(text)))
        return text.value.decode()

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


@pytest.fixture
def stream_check(emulator):
    """The stream check, with findings counted instead of raised."""
    before = emulator.checks(STREAM | CONTINUE)
    yield emulator
    emulator.checks(before)
