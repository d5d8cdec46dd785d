"""The emulated device knows the exact size of every array, though a pool hands the memory out: an element
past the end is a fault, with the pool and without it, and what is queued is judged by its own time."""

import os
import re
import subprocess
import sys

import child
import numpy as np
import pytest

import gpunp as cp
from gpunp import _C

pytestmark = pytest.mark.skipif(not _C.is_emulated(), reason="about the emulated device")

PROGRAM = """
import gpunp as cp
touch = cp.RawKernel(r'''
extern "C" __global__ void touch(float *o, int at) { o[at] = 1; }
extern "C" __global__ void look(const float *o, int at, float *out) { out[0] = o[at]; }
''', "touch")
def run(n, at):
    before, o, after = cp.zeros(700, "f4"), cp.zeros(n, "f4"), cp.zeros(700, "f4")
    touch((1,), (1,), (o, cp.int32(at)))
    return float(o.sum())
"""


def program(text, **settings):
    """(exit status, standard output and error) of a fresh process."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GPUNP_EMU")}
    environment |= {"GPUNP_DEVICE": "emulated", **settings}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + text],
        capture_output=True,
        text=True,
        env=environment,
        timeout=child.PATIENCE,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("pool", ("on", "off", "poison"))
@pytest.mark.parametrize(("n", "at"), ((1000, 1000), (1024, 1024), (1, 1), (300000, 300000)))
def test_one_past_the_end(pool, n, at):
    status, text = program(f"print(run({n}, {at - 1})); run({n}, {at})", GPUNP_POOL=pool)
    assert status == 1 and text.startswith("1.0\n"), text
    assert re.search(rf"0 bytes past the end of the (block|allocation) of {4 * n} bytes", text), (
        text
    )


def test_one_before_the_start():
    status, text = program("run(1000, -1)")
    assert status == 1 and "ILLEGAL_ADDRESS" in text and "4-byte store" in text, text


def test_after_its_end():
    """A kernel that is launched with the address of an array that is gone."""
    status, text = program("""
a = cp.zeros(1000, "f4"); p = a.data.ptr; cp.zeros(5).get(); del a
cp.RawKernel('extern "C" __global__ void late(unsigned long long p) { *(float *)p = 1; }', "late")(
    (1,), (1,), (cp.uint64(p),))
cp.cuda.Device().synchronize()""")
    assert status == 1 and "ILLEGAL_ADDRESS" in text, text


def test_a_granule():
    """For programs that read whole vectors: the end is rounded up."""
    settings = {"GPUNP_EMU_GRANULE": "16"}
    status, text = program("print(run(1001, 1003))", **settings)
    assert status == 0 and text == "0.0\n", text
    status, text = program("run(1001, 1004)", **settings)
    assert status == 1 and "3 bytes past" not in text and "ILLEGAL_ADDRESS" in text, text


@pytest.mark.parametrize("mode", ("1", "2"))
def test_memory_that_is_reused_while_work_waits(mode):
    """Blocks of other sizes come and go at one place faster than the queue is worked off."""
    status, text = program(
        """
import numpy as np
rng, kept, want = np.random.default_rng(1), [], []
for i in range(3000):
    n = int(rng.integers(1, 3000))
    a = cp.arange(n, dtype="f4") * 2 + 1          # two blocks that are free at once
    if i % 7 == 0:
        kept.append(a[-1] + a[: n // 2 + 1].sum())
        want.append(2 * (n - 1) + 1 + sum(2 * k + 1 for k in range(n // 2 + 1)))
    if i % 50 == 0:
        stream = cp.cuda.Stream(non_blocking=True)
        with stream:
            b = cp.ones(n) + 1
        del b, stream
assert np.allclose([float(k) for k in kept], want, rtol=1e-4)
print("done")""",
        GPUNP_EMU_ASYNC=mode,
    )
    assert status == 0 and text == "done\n", text


def test_graphs_keep_what_they_were_captured_with():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(1000.0)
    with stream:
        stream.begin_capture()
        y = (x * 2 + 1).cumsum()
        graph = stream.end_capture()
    for _ in range(3):
        cp.ones(500).sum()
        graph.launch(stream)
        stream.synchronize()
        assert np.array_equal(y.get(), (np.arange(1000.0) * 2 + 1).cumsum())


def test_allocators_within_allocators():
    """Pools over somebody's blocks, and memory that a Python function gave."""
    inner = cp.cuda.MemoryPool()
    outer = cp.cuda.MemoryPool(inner.malloc)
    with cp.cuda.using_allocator(outer.malloc):
        a = [cp.arange(n) + 1 for n in (10, 1000, 100000)]
        assert [int(x.sum()) for x in a] == [n * (n + 1) // 2 for n in (10, 1000, 100000)]
    with cp.cuda.using_allocator(cp.cuda.malloc_managed):
        assert int((cp.arange(1000) + 1).sum()) == 500500


@pytest.mark.parametrize("dtype", ("i1", "f2"))
@pytest.mark.parametrize("n", (1, 3, 255, 509, 511))
def test_atomics_on_parts_of_a_word(dtype, n):
    """They read the word around their element, at the end of an array too."""
    a = cp.zeros(n, dtype)
    cp.add.at(a, cp.full(50, n - 1), 1)
    assert float(a[n - 1]) == 50 and float(a.sum(dtype="f8")) == 50
