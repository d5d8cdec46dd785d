"""What every test stands on: the device, the seed, the leak guard, the marks.

The suite runs on whatever GPUNP_DEVICE names; without it, on a GPU when there is one and on the
emulated device otherwise. Marks: `null` needs no device, `gpu` a real one, `multi` two or more,
`slow` the --slow option.
"""

import gc
import os
import re
import signal
import subprocess
import sys
import zlib
from pathlib import Path

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(
    0, str(Path(__file__).resolve().parent)
)  # check, cases and child, from every folder

HAS_GPU = (
    "import ctypes as c; d = c.CDLL('libcuda.so.1'); n = c.c_int(0); "
    "raise SystemExit(d.cuInit(0) or d.cuDeviceGetCount(c.byref(n)) or n.value == 0)"
)


def choose_device():
    """Settle GPUNP_DEVICE before gpunp is imported; ask in another process, so nothing is open."""
    if "GPUNP_DEVICE" not in os.environ:
        asked = subprocess.run([sys.executable, "-c", HAS_GPU], capture_output=True)
        os.environ["GPUNP_DEVICE"] = "cuda" if asked.returncode == 0 else "emulated"
    return os.environ["GPUNP_DEVICE"]


DEVICE = choose_device()
EMULATED = DEVICE.startswith("emulated")
DEVICE_LOST = 70  # exit status, which tools/sanitized.py knows
# Kernels compiled by tests stay out of the user's cache and are kept from one run to the next.
os.environ.setdefault("GPUNP_CACHE_DIR", str(ROOT / "build" / "test-cache"))
# Two emulated devices, for the tests marked `multi`; the second one costs nothing until it is used.
os.environ.setdefault("GPUNP_EMU_DEVICES", "2")
os.environ.setdefault("GPUNP_PACK", "off")  # a wheel's, which would hide what is compiled when

hypothesis.settings.register_profile(
    "gpunp",
    derandomize=True,
    deadline=None,
    max_examples=30 if EMULATED else 100,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gpunp"))


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the tests marked slow as well")
    parser.addoption("--seed", type=int, default=0, help="another seed for every random array")
    parser.addoption("--part", help="K/N: the K-th of N parts of the tests, one after the other")
    parser.addoption("--after", help="only the tests of the file that follow this one")


def pytest_report_header(config):
    return f"gpunp: device {DEVICE}, seed {config.getoption('--seed')}"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Processes of `-n auto`: one on a GPU, whose memory they would share, and on the emulated
    device one for each processor up to four, since each reads all files and compiles for itself."""
    return min(len(os.sched_getaffinity(0)), 4) if EMULATED else 0


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem, sched):
    """A test that ends its process is not run again with the rest of its file, as xdist would."""
    queue = getattr(sched, "workqueue", {})
    for file, is_done in list(queue.items()):
        if crashitem in is_done:
            is_done[crashitem] = True
        if all(is_done.values()):
            del queue[file]


def device_count():
    """How many devices there are; touches the driver."""
    import gpunp as cp

    return cp.cuda.runtime.getDeviceCount()


def share_of(items, part, after):
    """The tests of one process of tools/sanitized.py."""
    if part:
        number, count = map(int, part.split("/"))
        items = items[len(items) * (number - 1) // count : len(items) * number // count]
    names = [item.nodeid.partition("::")[2] for item in items]
    return items[names.index(after) + 1 :] if after else items


@pytest.hookimpl(trylast=True)  # after pytest has put together what shares a fixture
def pytest_collection_modifyitems(config, items):
    items[:] = share_of(items, config.getoption("--part"), config.getoption("--after"))
    changing = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]{4,}", item.nodeid)]
    if changing:
        raise pytest.UsageError(f"an address in a test's name differs among processes: {changing}")
    reasons = {}
    if EMULATED:
        reasons["gpu"] = "needs a real GPU"
    if not config.getoption("--slow"):
        reasons["slow"] = "needs --slow"
    if any(item.get_closest_marker("multi") for item in items) and device_count() < 2:
        reasons["multi"] = "needs two devices"
    for item in items:
        for mark, reason in reasons.items():
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish():
    """Forty thousand collected tests are never garbage: `gc.collect` need not walk through them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.passed = report.passed
        seed = getattr(item, "seed", None)
        if report.failed and seed is not None:
            report.sections.append(("seed", f"numpy.random.default_rng({seed})"))


@pytest.fixture(autouse=True, scope="session")
def interrupts():
    """Ctrl-C interrupts, also where a shell that runs the suite behind its back ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def rng(request):
    """A random generator of this test's own: the same in every run, another for every test."""
    seed = zlib.crc32(request.node.nodeid.encode()) + request.config.getoption("--seed")
    request.node.seed = seed
    return np.random.default_rng(seed)


def used_bytes():
    """Bytes of device memory that arrays hold now."""
    return sys.modules["gpunp"].get_default_memory_pool().used_bytes()


def end_without_device(name):
    """End the process where every later test would fail with the error of this one; xdist begins
    another and calls this test the one that ended it."""
    cp = sys.modules["gpunp"]
    try:
        cp.cuda.Device().synchronize()
    except cp.cuda.CUDADriverError as error:
        if "PYTEST_XDIST_WORKER" in os.environ:
            os._exit(DEVICE_LOST)
        pytest.exit(f"the device cannot be used any more since {name}: {error}", DEVICE_LOST)


@pytest.fixture(autouse=True)
def leak_guard(request):
    """A passed test leaves the memory pool as it found it, a failed one a device that works."""
    guarded = "gpunp" in sys.modules and not request.node.get_closest_marker("null")
    before = used_bytes() if guarded else 0
    yield
    if not guarded:
        return
    if not getattr(request.node, "passed", False):
        end_without_device(request.node.nodeid)
        return
    if used_bytes() > before:
        gc.collect()
    assert used_bytes() <= before, f"the test left {used_bytes() - before} bytes on the device"
