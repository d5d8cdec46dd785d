"""Settings of the environment, and two devices: the same results whatever is set."""

import subprocess
import sys

import child
import pytest

pytestmark = pytest.mark.null  # every test works in a process of its own


def run(program, **environment):
    variables = child.environment(**environment)
    process = subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, timeout=child.PATIENCE,
        check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    return process


WORK = """
import gc, threading
import numpy as np
import gpunp as cp
x = np.arange(10_000.0)
a = cp.asarray(x)
streams = [cp.cuda.Stream(non_blocking=True) for _ in range(3)]
b = a
event = cp.cuda.get_current_stream().record()
for i in range(12):  # hand over from stream to stream, freeing what others still read
    with streams[i % 3]:
        streams[i % 3].wait_event(event)
        b = b * 2 - a
        c = cp.empty(10_000)
        c[...] = 0
        event = streams[i % 3].record()
for stream in streams:
    stream.synchronize()
expected = x
for _ in range(12):
    expected = expected * 2 - x
assert (b.get() == expected).all()
results = []
def work(i):
    d = cp.full(5000, i)
    for _ in range(5):
        d = d + 1
    results.append((d.get() == i + 5).all())
threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert results == [True] * 4
del a, b, c, streams, stream
gc.collect()
pool = cp.get_default_memory_pool()
assert pool.used_bytes() == 0
pool.free_all_blocks()
assert pool.total_bytes() == 0
"""


@pytest.mark.parametrize(
    "setting",
    [
        "GPUNP_POOL=off",
        "GPUNP_POOL=poison",
        "GPUNP_PER_THREAD_DEFAULT_STREAM=1",
        "GPUNP_SYNC=1",
        "GPUNP_POOL_LIMIT=64000000",
        "GPUNP_POOL_LIMIT=50%",
        "GPUNP_EMU_ASYNC=0",
        "GPUNP_EMU_ASYNC=2",
        "GPUNP_EMU_DELAY=500",
        "GPUNP_CACHE_DIR=off",
    ],
)
def test_same_results(setting):
    name, _, value = setting.partition("=")
    assert run(WORK, **{name: value}).stderr == ""


def test_pool_limit():
    program = "import gpunp as cp; cp.arange(3); print(cp.get_default_memory_pool().get_limit())"
    assert run(program, GPUNP_POOL_LIMIT="5000000").stdout == "5000000\n"
    total = "print(cp.cuda.Device().mem_info[1] // 4)"
    lines = run(f"{program}; {total}", GPUNP_POOL_LIMIT="25%").stdout.split()
    assert lines[0] == lines[1]


def test_debug_levels():
    program = "import gpunp as cp; print((cp.arange(3) + 1).tolist())"
    environment = {"GPUNP_CACHE_DIR": "off"}
    levels = [run(program, GPUNP_DEBUG=str(n), **environment) for n in range(5)]
    assert {process.stdout for process in levels} == {"[1, 2, 3]\n"}
    sizes = [len(process.stderr) for process in levels]
    assert sizes[0] == 0 and sizes == sorted(sizes) and len(set(sizes)) == 5
    assert "launch add" in levels[2].stderr and "compiled" in levels[3].stderr
    assert "typedef" in levels[4].stderr


def test_per_thread_default_stream():
    program = (
        "import gpunp as cp; print(cp.cuda.get_current_stream() == cp.cuda.Stream.ptds)\n"
        "with cp.cuda.Stream.null: print(cp.cuda.get_current_stream().ptr, int(cp.arange(4).sum()))\n"
        "print(int(cp.arange(4).sum()))"
    )
    process = run(program, GPUNP_PER_THREAD_DEFAULT_STREAM="1")
    assert process.stdout == "True\n0 6\n6\n"


TWO_DEVICES = """
import gc, threading
import numpy as np
import gpunp as cp
from gpunp.cuda import runtime
assert runtime.getDeviceCount() == 2
with cp.cuda.Device(1) as device:
    assert runtime.getDevice() == 1
    a = cp.arange(10)
    stream, event = cp.cuda.Stream(), cp.cuda.Event()
    with stream:
        b = a * 2
    stream.synchronize()
    with cp.cuda.Device(0):
        assert runtime.getDevice() == 0
    assert runtime.getDevice() == 1
assert runtime.getDevice() == 0
assert a.device == b.device == device and a.data.device_id == 1
assert b.tolist() == list(range(0, 20, 2))
for operation in (lambda: stream.use(), lambda: a + cp.arange(10)):
    try:
        operation()
    except (RuntimeError, ValueError) as error:
        assert "device 1" in str(error)
    else:
        raise AssertionError
event.record()
event.synchronize()
assert event.device_id == 1 and event.done and stream.done

memory = cp.cuda.alloc(80)
memory.copy_from_device(a.data, 80)
out = np.empty(10, np.int64)
memory.copy_to_host(out, 80)
assert out.tolist() == list(range(10))
if runtime.deviceCanAccessPeer(0, 1):
    runtime.deviceEnablePeerAccess(1)
    runtime.deviceDisablePeerAccess(1)

pool = cp.get_default_memory_pool()
assert pool.used_bytes() == 512
with cp.cuda.Device(1):
    assert pool.used_bytes() == 1024
    pool.set_limit(size=4 << 20)
assert pool.get_limit() == 0

def work():
    assert runtime.getDevice() == 0  # a new thread starts there
    assert cp.arange(3).device.id == 0
with device:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
try:
    with device:
        raise KeyError
except KeyError:
    assert runtime.getDevice() == 0
runtime.setDevice(1)
assert cp.arange(3).device.id == 1
runtime.setDevice(0)
with device:
    other = cp.cuda.Stream()
del a, b, memory, stream, other
gc.collect()
for n in range(2):
    with cp.cuda.Device(n):
        assert pool.used_bytes() == 0
        pool.free_all_blocks()
        assert pool.total_bytes() == 0
cp.cuda.Device(1).synchronize()
"""


def test_two_devices():
    process = run(TWO_DEVICES, GPUNP_DEVICE="emulated", GPUNP_EMU_DEVICES="2")
    assert process.stderr == ""
