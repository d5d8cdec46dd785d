"""Threads that wait: sleeping, spinning without an end, and barriers and shuffles that others left out."""

import harness
import numpy as np
import pytest

CONTINUE, SYNC = 32, 64

pytestmark = pytest.mark.skipif(harness.nvrtc() is None, reason="NVRTC is not installed")


@pytest.fixture(autouse=True)
def checks():
    """No test leaves its checks on."""
    yield
    harness.library().stub_checks(0)


def launch(source, grid, block, *args, checks=0, **more):
    harness.library().stub_checks(checks)
    harness.module('extern "C" ' + source).launch("k", grid, block, *args, **more)


def test_nanosleep_sleeps():
    """As long as was asked for, a millisecond at most."""
    out = harness.Buffer(np.zeros(4, "u8"))
    source = """__global__ void k(unsigned long long *o) {
        unsigned long long a, b;
        for (int i = 0; i < 4; i++) {
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(a));
            __nanosleep(i == 0 ? 0 : i == 3 ? 2000000000 : 250000 * i);
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(b));
            o[i] = b - a; } }"""
    launch(source, 1, 1, out)
    slept = out.array.tolist()
    assert slept[1] >= 250000 and slept[2] >= 500000 and 999000 <= slept[3] < 2000000000


def test_lanes_sleep_as_the_most_patient():
    out = harness.Buffer(np.zeros(32, "u8"))
    source = """__global__ void k(unsigned long long *o) {
        unsigned long long a, b;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(a));
        __nanosleep(10000 * threadIdx.x);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(b));
        o[threadIdx.x] = b - a; }"""
    launch(source, 1, 32, out)
    assert (out.array >= np.arange(32) * 10000).all()


@pytest.mark.slow
def test_no_watchdog_unless_asked_for():
    """20 million rounds of a loop that changes nothing, which are 2^30 in the watchdog's count."""
    flag = harness.Buffer(np.zeros(1, "i4"))
    source = """__global__ void k(volatile int *f) {
        for (int i = 0; i < 20000000 && *f == 0; i++) { } }"""
    launch(source, 1, 1, flag)
    with pytest.raises(harness.KernelFault, match="no progress"):
        launch(source, 1, 1, flag, watchdog=1 << 20)


EARLY = """__global__ void k(int *o, int n) {
    __shared__ int s[64];
    if (threadIdx.x >= n) return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = s[n - 1 - threadIdx.x]; }"""


def test_a_barrier_after_others_have_left():
    """Allowed on a GPU since Volta; the check on request says it."""
    out = harness.Buffer(np.zeros(64, "i4"))
    launch(EARLY, 1, 64, out, np.int32(40))
    assert (out.array[:40] == np.arange(39, -1, -1)).all()
    launch(EARLY, 1, 64, out, np.int32(64), checks=SYNC)
    with pytest.raises(harness.KernelFault, match=r"barrier 0 of all .* 24 of which have left"):
        launch(EARLY, 1, 64, out, np.int32(40), checks=SYNC)


def test_barriers_that_count_are_left_alone():
    """A barrier of 32 threads asks nothing of the others."""
    out = harness.Buffer(np.zeros(64, "i4"))
    source = """__global__ void k(int *o) {
        if (threadIdx.x >= 32) return;
        asm volatile("bar.sync 1, 32;" ::: "memory");
        o[threadIdx.x] = 1; }"""
    launch(source, 1, 64, out, checks=SYNC)
    assert out.array.sum() == 32


@pytest.mark.parametrize("operation", ("__shfl_xor_sync(-1, i, 1)", "__any_sync(-1, i > 3)"))
@pytest.mark.parametrize("left", (0, 8))
def test_a_full_mask_met_by_lanes_that_left(operation, left):
    out = harness.Buffer(np.zeros(32, "i4"))
    source = f"""__global__ void k(int *o, int n) {{
        int i = threadIdx.x;
        if (i >= n) return;
        o[i] = {operation}; }}"""
    n = np.int32(32 - left)
    launch(source, 1, 32, out, n)
    if left == 0:
        launch(source, 1, 32, out, n, checks=SYNC)
        return
    with pytest.raises(harness.KernelFault, match=r"names lanes 0xff000000, which have left"):
        launch(source, 1, 32, out, n, checks=SYNC)


def test_lanes_that_never_were():
    """A block of 20 threads may use the full mask."""
    out = harness.Buffer(np.zeros(20, "i4"))
    source = """__global__ void k(int *o) {
        o[threadIdx.x] = __popc(__ballot_sync(-1, 1)); __syncthreads(); }"""
    launch(source, 1, 20, out, checks=SYNC)
    assert (out.array == 20).all()
