"""Driver calls that fail, one after the other: an exception or the right answer, nothing leaked."""

import copy
import ctypes
import gc
import pickle
from pathlib import Path

import numpy as np
import pytest

import gpunp as cp

pytestmark = pytest.mark.skipif(
    not cp._C.is_emulated(), reason="failures are injected on the emulated device"
)

OUT_OF_MEMORY, INVALID_VALUE = 2, 1
ONCE, AFTER = 0, 1


@pytest.fixture(scope="module")
def emulator():
    library = ctypes.CDLL(str(Path(cp.__file__).with_name("libgpunp_emu.so")))
    library.cuEmuFail.argtypes = [ctypes.c_char_p, ctypes.c_uint64, ctypes.c_int, ctypes.c_int]
    library.cuEmuFailFired.restype = ctypes.c_uint64
    gc.collect()
    gc.freeze()  # the library collects garbage before it gives up; let that be quick
    yield library
    library.cuEmuFailClear()
    gc.unfreeze()


A = np.arange(24.0).reshape(4, 6)
LONG = np.arange(3000.0)


def assign(x):
    x[1:3, ::-2] = [[1, 2, 3], [4, 5, 6]]
    return x


def mask(x):
    x[x > 5.0] = 0
    return x


def flat(x):
    x.T.flat[1:5] = [9, 8]
    return x


def swap(x):
    x[...] = x[::-1]
    return x


WORK = {
    "get": lambda x: x.get(),
    "get strided": lambda x: x[:, ::2].get(),
    "get turned": lambda x: x.T.get(order="C"),
    "list": lambda x: cp.array([[1.0, 2.0], [3.0, 4.0]]),
    "stack": lambda x: cp.array([x, x]),
    "numpy": lambda x: cp.array(A[::-1].T),
    "cast": lambda x: x.astype("i4"),
    "copy": lambda x: x.copy("F"),
    "assign": assign,
    "overlap": swap,
    "mask": mask,
    "index": lambda x: x[[0, -1], :, None],
    "flat": flat,
    "reshape": lambda x: x.T.reshape(-1),
    "item": lambda x: x[1, 1].item(),
    "text": lambda x: repr(cp.array(LONG)),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "deepcopy": lambda x: copy.deepcopy(x[:, 1:]),
    "dlpack": lambda x: cp.from_dlpack(x),
    "dlpack copy": lambda x: cp.from_dlpack(x.__dlpack__(copy=True, max_version=(1, 0))),
    "dlpack stream": lambda x: x.__dlpack__(stream=2) and None,
    "dlpack host": lambda x: x.__dlpack__(dl_device=(1, 0)) and None,
    "interface": lambda x: cp.asarray(type("W", (), {"__cuda_array_interface__": x.__cuda_array_interface__})()),
    "full": lambda x: cp.full((3, 4), 2.5),
}  # fmt: skip


def as_host(value):
    return value.get() if isinstance(value, cp.ndarray) else value


@pytest.mark.parametrize("mode", [ONCE, AFTER], ids=["once", "after"])
@pytest.mark.parametrize("name", WORK)
def test_every_driver_call_may_fail(emulator, name, mode):
    work = WORK[name]
    pool = cp.get_default_memory_pool()
    expected = as_host(work(cp.array(A)))
    for nth in range(1, 200):
        x = cp.array(A)
        pool.free_all_blocks()
        before = pool.used_bytes()
        result = None
        plan = emulator.cuEmuFail(b"*", nth, OUT_OF_MEMORY, mode)
        assert plan > 0
        try:
            result = work(x)
        except (cp.cuda.CUDADriverError, MemoryError):
            failed = True
        else:
            failed = False
        fired = emulator.cuEmuFailFired(plan)
        emulator.cuEmuFailClear()
        if not failed:
            np.testing.assert_equal(as_host(result), expected)
        result = None
        assert pool.used_bytes() == before, nth
        if not fired:
            assert not failed
            break
        again = cp.array(A)  # the same work, the same process, no fault
        np.testing.assert_equal(as_host(work(again)), expected)
        del again
    else:
        raise AssertionError("no end of driver calls")
