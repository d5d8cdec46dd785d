"""Whole kernels as NVRTC makes them: control flow, warps, barriers, atomics, calls, memory spaces."""

import os

import harness
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(harness.nvrtc() is None, reason="NVRTC is not installed")

TYPES = """
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned int u32; typedef long long i64; typedef unsigned long long u64;
typedef float f32; typedef double f64;
#define LOOP for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; \\
                  i += (i64)gridDim.x * blockDim.x)
#define KERNEL extern "C" __global__ void
"""
RNG = np.random.default_rng(5)


@pytest.fixture(params=(0, 1, 2), autouse=True)
def level(request):
    """Every test runs with plain rows, uniform scalars, and affine tracking."""
    harness.library().stub_optimise(request.param)
    yield request.param
    harness.library().stub_optimise(2)


def run(source, name, grid, block, *args, **options):
    """Compile, launch once, and return the arrays of the buffers."""
    buffers = [harness.Buffer(a) if isinstance(a, np.ndarray) else a for a in args]
    m = harness.module(TYPES + source)
    try:
        m.launch(name, grid, block, *buffers, **options)
    finally:
        results = [b.array.copy() for b in buffers if isinstance(b, harness.Buffer)]
        for b in buffers:
            if isinstance(b, harness.Buffer):
                b.free()
        m.close()
    return results


def test_a_table_among_the_parameters_that_each_lane_searches():
    source = """struct Table { u32 at[33]; };
    KERNEL k(u32 *o, const u32 n, const Table t) {
        u32 i = threadIdx.x, k = 0;
        for (u32 step = 16; step > 0; step /= 2) { k += t.at[k + step] <= i ? step : 0; }
        if (i < n) { o[i] = k + 100 * t.at[k]; } }"""
    table = np.array([0, 1, 2, 5, 9, 17, 30, 31] + [200] * 25, np.uint32)
    record = np.zeros((), np.dtype([("at", "u4", 33)]))
    record["at"] = table
    [out] = run(source, "k", 1, 64, np.zeros(64, "u4"), np.uint32(64), record[()])
    place = np.searchsorted(table, np.arange(64), side="right") - 1
    assert (out == place + 100 * table[place]).all()


# ---- control flow ---------------------------------------------------------------------------------


def test_switch():
    a = RNG.integers(-2, 12, 1000).astype("i4")
    source = """KERNEL k(const i32 *a, i32 *o, i64 n) { LOOP {
        i32 v = a[i];
        switch (v) {
        case 0: v = 7 * (int)i; break;
        case 1: v = v + o[1]; break;
        case 2: v = 100 / (v + 3); break;
        case 3: v ^= 0x55; break;
        case 4: v = 3 << v; break;
        case 5: v = o[5] - 1; break;
        case 6: v = -v; break;
        case 7: v = v % 5; break;
        case 9: v = __popc(v); break;
        default: v = -1;
        }
        o[i] = v; } }"""
    _, o = run(source, "k", 3, 128, a, np.zeros(1000, "i4"), np.int64(1000))
    i = np.arange(1000)
    want = np.select(
        [a == 0, a == 1, a == 2, a == 3, a == 4, a == 6, a == 7, a == 9],
        [7 * i, 1, 20, 0x56, 48, -6, 2, 2],
        -1,
    )
    check = (a != 1) & (a != 5)
    assert (o[check] == want[check]).all()


def test_divergent_loops():
    a = RNG.integers(1, 100000, 500).astype("u4")
    source = """KERNEL k(const u32 *a, u32 *o, i64 n) { LOOP {
        u64 v = a[i]; u32 c = 0;
        while (v != 1) { v = (v & 1) ? 3 * v + 1 : v >> 1; c++; if (c > 10000) break; }
        o[i] = c; } }"""
    _, o = run(source, "k", 2, 256, a, np.zeros(500, "u4"), np.int64(500))

    def steps(v):
        c = 0
        while v != 1:
            v = 3 * v + 1 if v & 1 else v // 2
            c += 1
        return c

    assert list(o) == [steps(int(v)) for v in a]


def test_nested_exits():
    a = RNG.integers(-1, 60, 40).astype("i4")
    source = """KERNEL k(const i32 *a, i32 *o, int m, i64 n) { LOOP { i32 s = 0;
        for (int p = 0; p < m; p++) {
            if (a[p] == i) continue;
            for (int q = p; q < m; q++) {
                if (a[q] < 0) goto out;
                if (a[q] > s) { s += a[q]; if (s > 200) break; } else s -= 1;
            }
        }
        out: o[i] = s; } }"""
    _, o = run(source, "k", 1, 64, a, np.zeros(64, "i4"), np.int32(40), np.int64(64))

    def one(i):
        s = 0
        for p in range(40):
            if a[p] == i:
                continue
            for q in range(p, 40):
                if a[q] < 0:
                    return s
                if a[q] > s:
                    s += a[q]
                    if s > 200:
                        break
                else:
                    s -= 1
        return s

    assert list(o) == [one(i) for i in range(64)]


def test_early_return_and_predicates():
    source = """KERNEL k(const i32 *a, i32 *o, int n) {
        __shared__ int s[256]; int t = threadIdx.x;
        if (t >= n) return;
        s[t] = a[t]; __syncwarp(); o[t] = s[t ^ 1];
        asm("{.reg .pred p; setp.lt.u32 p, %1, %2; @p add.u32 %0, %0, 1; @!p mul.lo.u32 %0, %0, 3;}"
            : "+r"(o[t]) : "r"(t), "r"(20)); }"""
    a = np.arange(100, dtype="i4")
    _, o = run(source, "k", 1, 256, a, np.zeros(256, "i4"), np.int32(100))
    want = np.where(np.arange(100) < 20, (a ^ 1) + 1, (a ^ 1) * 3)
    assert (o[:100] == want).all() and not o[100:].any()


# ---- barriers and forward progress -----------------------------------------------------------------


def test_barriers_in_a_loop():
    a = RNG.integers(-5, 10, 256).astype("i4")
    source = """KERNEL k(const i32 *a, i32 *o) { __shared__ int s[256]; int t = threadIdx.x;
        for (int k = 0; k < 10; k++) { s[t] = a[t] + k; __syncthreads();
            if (s[(t + 1) & 255] > 5) o[t] += s[(t + 1) & 255]; else o[t] -= 1;
            __syncthreads(); } }"""
    _, o = run(source, "k", 1, 256, a, np.zeros(256, "i4"))
    want = np.zeros(256, "i4")
    for k in range(10):
        s = np.roll(a + k, -1)
        want += np.where(s > 5, s, -1)
    assert (o == want).all()


def test_barrier_reductions():
    a = RNG.integers(-3, 5, 256).astype("i4")
    source = """KERNEL k(const i32 *a, i32 *o) { int t = threadIdx.x;
        o[t] = __syncthreads_count(a[t] > 0);
        o[t + 256] = __syncthreads_and(a[t] > -4);
        o[t + 512] = __syncthreads_or(a[t] > 100);
        if (t & 1) o[t + 768] = 1;
        o[t + 768] += __syncthreads_count(t & 1); }"""
    _, o = run(source, "k", 1, 256, a, np.zeros(1024, "i4"))
    assert (o[:256] == (a > 0).sum()).all() and (o[256:512] == 1).all()
    assert not o[512:768].any() and (o[768:] == 128 + np.arange(256) % 2).all()


def test_named_barriers():
    """Half of the block produces, the other consumes, in turns."""
    source = """KERNEL k(i32 *o, int rounds) { __shared__ int box[64]; int t = threadIdx.x;
        if (t < 64) { for (int r = 0; r < rounds; r++) {
                asm volatile("bar.sync 1, 128;");
                box[t] = r * 100 + t;
                asm volatile("bar.arrive 2, 128;"); } }
        else { for (int r = 0; r < rounds; r++) {
                asm volatile("bar.arrive 1, 128;");
                asm volatile("bar.sync 2, 128;");
                o[r * 64 + t - 64] = box[127 - t]; } } }"""
    (o,) = run(source, "k", 1, 128, np.zeros(5 * 64, "i4"), np.int32(5))
    want = [r * 100 + 63 - t for r in range(5) for t in range(64)]
    assert list(o) == want


def test_spin_lock():
    source = """KERNEL k(int *lock, int *ctr) { bool done = false;
        while (!done) { if (atomicCAS(lock, 0, 1) == 0) { *(volatile int *)ctr += 1;
            __threadfence(); atomicExch(lock, 0); done = true; } } }"""
    _, c = run(source, "k", 4, 96, np.zeros(1, "i4"), np.zeros(1, "i4"))
    assert c[0] == 4 * 96


def test_producer_consumer():
    source = """KERNEL k(volatile int *f, int *o) {
        if (threadIdx.x >= 32) { if (threadIdx.x == 32) { o[0] = 42; __threadfence(); f[0] = 1; } }
        else { while (f[0] == 0); o[threadIdx.x + 1] = o[0]; } }"""
    _, o = run(source, "k", 1, 64, np.zeros(1, "i4"), np.zeros(40, "i4"))
    assert (o[:33] == 42).all()


def test_waiting_for_a_later_block():
    source = """KERNEL k(volatile int *f, int *o) {
        if (blockIdx.x + 1 < gridDim.x) while (f[blockIdx.x + 1] == 0);
        o[blockIdx.x] = (blockIdx.x + 1 < gridDim.x ? o[blockIdx.x + 1] : 0) + 1;
        __threadfence(); f[blockIdx.x] = 1; }"""
    _, o = run(source, "k", 10, 1, np.zeros(10, "i4"), np.zeros(10, "i4"))
    assert list(o) == list(range(10, 0, -1))


@pytest.mark.parametrize("workers", (1, 2))
def test_grid_barrier(workers):
    source = """KERNEL k(u32 *arrived, const i32 *a, i32 *o, i32 *total, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        atomicAdd(total, a[i]);
        __syncthreads();
        if (threadIdx.x == 0) { __threadfence(); atomicAdd(arrived, 1);
            while (*(volatile u32 *)arrived < gridDim.x); __threadfence(); }
        __syncthreads();
        o[i] = *(volatile i32 *)total; }"""
    a = RNG.integers(0, 10, 40 * 64).astype("i4")
    out = run(
        source,
        "k",
        40,
        64,
        np.zeros(1, "u4"),
        a,
        np.zeros_like(a),
        np.zeros(1, "i4"),
        np.int32(len(a)),
        cooperative=1,
        workers=workers,
    )
    assert (out[2] == a.sum()).all()


@pytest.mark.parametrize("seed", (0, 7))
def test_look_back_scan(seed):
    source = """KERNEL k(const i32 *a, i32 *o, volatile u64 *st, u32 *ctr, i64 n) {
        __shared__ u32 bid; __shared__ i32 pre, ws[32];
        if (threadIdx.x == 0) bid = atomicAdd(ctr, 1u);
        __syncthreads();
        i64 i = (i64)bid * blockDim.x + threadIdx.x;
        int l = threadIdx.x & 31, w = threadIdx.x >> 5;
        i32 v = i < n ? a[i] : 0;
        for (int d = 1; d < 32; d <<= 1) { i32 u = __shfl_up_sync(~0u, v, d); if (l >= d) v += u; }
        if (l == 31) ws[w] = v;
        __syncthreads();
        if (w == 0) { i32 x = l < (int)blockDim.x / 32 ? ws[l] : 0;
            for (int d = 1; d < 32; d <<= 1) { i32 u = __shfl_up_sync(~0u, x, d); if (l >= d) x += u; }
            ws[l] = x; }
        __syncthreads();
        if (w) v += ws[w - 1];
        i32 t = ws[31];
        if (threadIdx.x == 0) { i32 e = 0;
            if (bid == 0) st[0] = (2ull << 32) | (u32)t;
            else { st[bid] = (1ull << 32) | (u32)t; __threadfence(); i64 j = (i64)bid - 1;
                for (;;) { u64 s = st[j]; u32 f = s >> 32; if (f == 0) continue;
                    e += (i32)(u32)s; if (f == 2) break; j--; }
                st[bid] = (2ull << 32) | (u32)(e + t); }
            pre = e; }
        __syncthreads();
        if (i < n) o[i] = v + pre; }"""
    a = RNG.integers(-50, 50, 5000).astype("i4")
    harness.library().stub_shuffle(seed)
    try:
        out = run(
            source,
            "k",
            40,
            128,
            a,
            np.zeros_like(a),
            np.zeros(40, "u8"),
            np.zeros(1, "u4"),
            np.int64(len(a)),
        )
    finally:
        harness.library().stub_shuffle(0)
    assert (out[1] == np.cumsum(a)).all()


# ---- warps -----------------------------------------------------------------------------------------


def test_shuffles():
    a = RNG.integers(0, 1000, 64).astype("i4")
    source = """KERNEL k(const i32 *a, i32 *o) { int t = threadIdx.x; i32 v = a[t];
        o[t] = __shfl_sync(~0u, v, t ^ 5); o[t + 64] = __shfl_up_sync(~0u, v, 3);
        o[t + 128] = __shfl_down_sync(~0u, v, 2, 16); o[t + 192] = __shfl_xor_sync(~0u, v, 1, 8);
        o[t + 256] = __shfl_sync(~0u, v, v, 8); o[t + 320] = __shfl_up_sync(~0u, v, 1, 4); }"""
    _, o = run(source, "k", 1, 64, a, np.zeros(384, "i4"))
    t = np.arange(64)
    lane, warp = t % 32, t - t % 32
    w = lane % 16
    want = [
        a[t ^ 5],
        np.where(lane < 3, a, a[t - 3]),
        np.where(w + 2 < 16, a[np.minimum(t + 2, 63)], a),
        a[t ^ 1],
        a[warp + lane // 8 * 8 + a % 8],
        np.where(lane % 4 == 0, a, a[t - 1]),
    ]
    assert (o == np.concatenate(want)).all()


def test_votes_and_matches():
    a = RNG.integers(0, 6, 64).astype("i4")
    source = """KERNEL k(const i32 *a, u32 *o) { int t = threadIdx.x; int p;
        o[t] = __ballot_sync(~0u, a[t] > 2); o[t + 64] = __all_sync(~0u, a[t] < 9);
        o[t + 128] = __any_sync(~0u, a[t] == 77); o[t + 192] = __match_any_sync(~0u, a[t]);
        o[t + 256] = __match_all_sync(~0u, a[t], &p) + p; o[t + 320] = __activemask();
        o[t + 384] = __match_any_sync(~0u, (u64)a[t] << 40);
        if (t & 1) o[t + 448] = __ballot_sync(0xaaaaaaaau, a[t] > 1);
        else o[t + 448] = __ballot_sync(0x55555555u, a[t] > 3); }"""
    _, o = run(source, "k", 1, 64, a, np.zeros(512, "u4"))
    o = o.reshape(8, 2, 32)
    for w, v in enumerate(a.reshape(2, 32)):
        bits = 1 << np.arange(32, dtype="u8")
        assert (o[0, w] == bits[v > 2].sum()).all() and (o[1, w] == 1).all()
        assert not o[2, w].any()
        same = [bits[v == x].sum() for x in v]
        assert (o[3, w] == same).all() and (o[6, w] == same).all()
        assert not o[4, w].any() and (o[5, w] == 0xFFFFFFFF).all()
        odd = np.arange(32) % 2 == 1
        assert (o[7, w][odd] == bits[odd & (v > 1)].sum()).all()
        assert (o[7, w][~odd] == bits[~odd & (v > 3)].sum()).all()


def test_redux():
    a = RNG.integers(-1000, 1000, 64).astype("i4")
    source = """KERNEL k(const i32 *a, u32 *o) { int t = threadIdx.x;
        o[t] = __reduce_add_sync(~0u, a[t]); o[t + 64] = __reduce_max_sync(~0u, a[t]);
        o[t + 128] = __reduce_min_sync(~0u, (u32)a[t]); o[t + 192] = __reduce_xor_sync(~0u, (u32)a[t]);
        o[t + 256] = __reduce_and_sync(~0u, (u32)a[t]); o[t + 320] = __reduce_or_sync(~0u, (u32)a[t]); }"""
    _, o = run(source, "k", 1, 64, a, np.zeros(384, "u4"))
    w = a.reshape(2, 32)
    u = w.view("u4")
    want = [
        w.sum(1).astype("i4").view("u4"),
        w.max(1).view("u4"),
        u.min(1),
        np.bitwise_xor.reduce(u, 1),
        np.bitwise_and.reduce(u, 1),
        np.bitwise_or.reduce(u, 1),
    ]
    assert (o.reshape(6, 2, 32) == np.array(want)[:, :, None]).all()


def test_compaction_with_active_masks():
    a = RNG.integers(-5, 5, 1000).astype("i4")
    source = """KERNEL k(const i32 *a, i32 *o, u32 *ctr, i64 n) { LOOP { bool k = a[i] > 0;
        u32 act = __activemask(); u32 b = __ballot_sync(act, k); int l = threadIdx.x & 31;
        int lead = __ffs(b) - 1; u32 base = 0;
        if (b && l == lead) base = atomicAdd(ctr, __popc(b));
        base = __shfl_sync(act, base, lead < 0 ? 0 : lead);
        if (k) o[base + __popc(b & ((1u << l) - 1))] = a[i]; } }"""
    _, o, c = run(source, "k", 2, 128, a, np.zeros(1000, "i4"), np.zeros(1, "u4"), np.int64(1000))
    assert c[0] == (a > 0).sum()
    assert (np.sort(o[: c[0]]) == np.sort(a[a > 0])).all()


# ---- reductions, sorts ------------------------------------------------------------------------------


@pytest.mark.parametrize("block", (32, 96, 256, 1024))
def test_block_sum(block):
    a = RNG.integers(-100, 100, 5000).astype("i4")
    source = """KERNEL k(const i32 *a, i64 *o, i64 n) { __shared__ i64 s[32]; i64 v = 0;
        LOOP v += a[i];
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
        __syncthreads();
        if (threadIdx.x < 32) { v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
            for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
            if (threadIdx.x == 0) o[blockIdx.x] = v; } }"""
    _, o = run(source, "k", 5, block, a, np.zeros(5, "i8"), np.int64(5000))
    assert o.sum() == a.sum()


def test_bitonic_sort():
    a = RNG.standard_normal(1024).astype("f4")
    source = """KERNEL k(f32 *a) { __shared__ f32 s[1024]; int t = threadIdx.x;
        s[t] = a[t]; s[t + 512] = a[t + 512];
        for (int k = 2; k <= 1024; k <<= 1) for (int j = k >> 1; j; j >>= 1) { __syncthreads();
            int i = 2 * t - (t & (j - 1)); bool up = (i & k) == 0; f32 x = s[i], y = s[i + j];
            if ((x > y) == up) { s[i] = y; s[i + j] = x; } }
        __syncthreads(); a[t] = s[t]; a[t + 512] = s[t + 512]; }"""
    (o,) = run(source, "k", 1, 512, a)
    assert (o == np.sort(a)).all()


# ---- atomics ----------------------------------------------------------------------------------------


def test_atomics():
    source = """KERNEL k(i32 *a, u32 *b, f32 *f, f64 *d, u64 *q) { int t = threadIdx.x;
        atomicAdd(a, t); atomicSub(a + 1, t); atomicMin(a + 2, -t); atomicMax(a + 3, t);
        atomicAnd(a + 4, t | 256); atomicOr(a + 5, t); atomicXor(a + 6, t * 3);
        atomicInc(b, 9); atomicDec(b + 1, 9); b[2 + t] = atomicAdd(b + 300, 2);
        atomicAdd(f, 0.5f); atomicAdd(d, 0.25); atomicAdd(q, (u64)t << 33);
        atomicMax(q + 1, (u64)t << 40); atomicExch(q + 2, 5ull); }"""
    a = np.array([0, 0, 0, 0, -1, 0, 0], "i4")
    out = run(
        source,
        "k",
        1,
        256,
        a,
        np.zeros(301, "u4"),
        np.zeros(1, "f4"),
        np.zeros(1),
        np.zeros(3, "u8"),
    )
    t = np.arange(256)
    x = np.bitwise_xor.reduce(t * 3)
    assert list(out[0]) == [t.sum(), -t.sum(), -255, 255, 256, 255, x]
    assert out[1][0] == 256 % 10 and out[1][1] == (10 - 256 % 10) % 10
    assert sorted(out[1][2:258]) == list(range(0, 512, 2)) and out[1][300] == 512
    assert out[2][0] == 128 and out[3][0] == 64
    assert list(out[4]) == [int(t.sum()) << 33, 255 << 40, 5]


@pytest.mark.skipif(
    not os.path.exists("/usr/local/cuda/include/cuda_fp16.h"), reason="no CUDA toolkit headers here"
)
def test_half_atomics():
    source = """#include <cuda_fp16.h>
        KERNEL k(__half *h, __half2 *h2, unsigned short *c) {
        atomicAdd(h, __float2half(1.f)); atomicAdd(h2, __float2half2_rn(2.f));
        c[1 + threadIdx.x] = atomicCAS(c, (unsigned short)0, (unsigned short)7); }"""
    text = harness.ptx(TYPES + source, (*harness.OPTIONS, "-I/usr/local/cuda/include"))
    m = harness.Module(text)
    h, h2, c = (harness.Buffer(np.zeros(n, "u2")) for n in (1, 2, 65))
    m.launch("k", 1, 64, h, h2, c)
    assert h.array.view("f2")[0] == 64 and (h2.array.view("f2") == 128).all()
    assert sorted(c.array[1:]) == [0] + [7] * 63


@pytest.mark.parametrize("workers", (1, 2))
def test_histogram(workers):
    a = RNG.integers(0, 256, 100000).astype("u1")
    source = """KERNEL k(const u8 *a, u32 *o, i64 n) { __shared__ u32 h[256];
        for (int k = threadIdx.x; k < 256; k += blockDim.x) h[k] = 0;
        __syncthreads(); LOOP atomicAdd(&h[a[i]], 1u); __syncthreads();
        for (int k = threadIdx.x; k < 256; k += blockDim.x) if (h[k]) atomicAdd(&o[k], h[k]); }"""
    _, o = run(source, "k", 64, 256, a, np.zeros(256, "u4"), np.int64(len(a)), workers=workers)
    assert (o == np.bincount(a, minlength=256)).all()


# ---- calls and memory spaces -------------------------------------------------------------------------


def test_calls():
    source = """
        __noinline__ __device__ f64 nf(f64 a, f32 b, i8 c, bool d) { return d ? a * b : a - c; }
        struct Big { f64 v[6]; i32 k; };
        __noinline__ __device__ Big nb(Big b, int k) { b.v[k % 6] += k; b.k = k; return b; }
        __noinline__ __device__ void nv(i32 *p) { *p += 1; }
        __noinline__ __device__ i16 ns(i16 a, u8 b) { return a * b; }
        __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
        __device__ int ack(int m, int n) { if (m == 0) return n + 1;
            if (n == 0) return ack(m - 1, 1); return ack(m - 1, ack(m, n - 1)); }
        KERNEL k(const f64 *a, f64 *o, i32 *q, i64 n) { LOOP { Big b;
            for (int k = 0; k < 6; k++) b.v[k] = a[i];
            b.k = 0; b = nb(b, (int)i); i32 z = 3; nv(&z);
            o[i] = nf(a[i], 2.5f, (i8)i, i & 1) + b.v[1] + b.k + z + ns((i16)i, 3);
            q[i] = fib((int)(i % 10)) * 100 + ack(2, (int)(i % 3)); } }"""
    a = RNG.standard_normal(100)
    _, o, q = run(source, "k", 1, 64, a, np.zeros(100), np.zeros(100, "i4"), np.int64(100))
    i = np.arange(100)
    want = np.where(i & 1, a * 2.5, a - i) + (a + np.where(i % 6 == 1, i, 0)) + i + 4 + i * 3
    np.testing.assert_allclose(o, want, rtol=1e-14)
    fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
    assert list(q) == [fib[k % 10] * 100 + (3, 5, 7)[k % 3] for k in range(100)]


def test_function_pointers():
    source = """typedef f32 (*F)(f32);
        __device__ f32 f1(f32 a) { return a + 1; } __device__ f32 f2(f32 a) { return a * 2; }
        __device__ F tab[2] = {f1, f2};
        struct V { __device__ virtual f32 g(f32) = 0; };
        struct V1 : V { __device__ f32 g(f32 a) { return a + 3; } };
        struct V2 : V { __device__ f32 g(f32 a) { return a * 3; } };
        KERNEL k(f32 *o, const i32 *k) { o[threadIdx.x] = tab[k[threadIdx.x]](o[threadIdx.x]);
            V1 a; V2 b; V *p = k[threadIdx.x] ? (V *)&a : (V *)&b;
            o[threadIdx.x] = p->g(o[threadIdx.x]); }"""
    k = RNG.integers(0, 2, 64).astype("i4")
    a = RNG.standard_normal(64).astype("f4")
    o, _ = run(source, "k", 1, 64, a, k)
    assert (o == np.where(k == 1, a * 2 + np.float32(3), (a + np.float32(1)) * np.float32(3))).all()


def test_variables():
    source = """__device__ int gcount; __device__ f32 gtab[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        __constant__ i32 cparam[16] = {5, 4, 3}; __device__ i32 *gptr = &gcount;
        __constant__ char msg[] = "hello"; struct S { int a; f64 b; i8 c[3]; };
        __constant__ S cs = {3, 4.5, {1, 2, 3}}; __device__ f32 *tp = gtab + 3;
        template <class T> __device__ T tmpl = T(3);
        KERNEL k(f64 *o) { int t = threadIdx.x; atomicAdd(&gcount, 1); __syncthreads();
            o[t] = gtab[t & 7] + cparam[t & 15] + *gptr + msg[t % 5] + cs.a + cs.b + cs.c[t % 3]
                   + *tp + tmpl<f32>; }"""
    (o,) = run(source, "k", 1, 64, np.zeros(64))
    t = np.arange(64)
    cparam = np.array([5, 4, 3] + [0] * 13)
    want = (t % 8 + 1) + cparam[t & 15] + 64 + np.frombuffer(b"hello", "u1")[t % 5] + 3 + 4.5
    assert (o == want + (t % 3 + 1) + 4 + 3).all()


def test_shared_and_generic():
    source = """extern __shared__ f32 fs[];
        KERNEL k(f32 *o, f32 *g, int sel) { __shared__ f32 st[100]; f32 l[4]; int t = threadIdx.x;
            fs[t] = t; st[t] = 1000 + t; l[t & 3] = 3; l[1] = 7; __syncthreads();
            f32 *p = (t & 1) ? fs : st;
            f32 *q = sel == 0 ? g : (t % 3 == 0 ? st : (t % 3 == 1 ? l : g));
            o[t] = p[t / 2] + fs[blockDim.x - 1 - t];
            o[t + 64] = q[1] + 10 * __isShared(q) + 100 * __isGlobal(q) + 1000 * __isLocal(q); }"""
    g = np.array([1, 2, 3, 4], "f4")
    o, _ = run(source, "k", 1, 64, np.zeros(128, "f4"), g, np.int32(1), shared=256)
    t = np.arange(64)
    assert (o[:64] == np.where(t & 1, t // 2, 1000 + t // 2) + 63 - t).all()
    assert (o[64:] == np.choose(t % 3, [1001 + 10, 7 + 1000, 2 + 100])).all()


def test_local_arrays():
    a = RNG.standard_normal((64, 16))
    source = """KERNEL k(const f64 *a, f64 *o) { f64 t[16];
        for (int k = 0; k < 16; k++) t[k] = a[threadIdx.x * 16 + k];
        for (int k = 1; k < 16; k++) { f64 v = t[k]; int j = k;
            while (j > 0 && t[j - 1] > v) { t[j] = t[j - 1]; j--; } t[j] = v; }
        for (int k = 0; k < 16; k++) o[threadIdx.x * 16 + k] = t[k]; }"""
    _, o = run(source, "k", 1, 64, a, np.zeros_like(a))
    assert (o == np.sort(a, 1)).all()


def test_vectors_and_strides():
    a = RNG.standard_normal((100, 4)).astype("f4")
    source = """KERNEL k(const float4 *a, float4 *o, const double2 *d, double2 *e, i64 n) { LOOP {
        float4 v = a[i]; o[n - 1 - i] = make_float4(v.w, v.z, v.y, v.x);
        double2 w = d[(i * 37) % n]; e[i] = make_double2(w.y, w.x); } }"""
    d = RNG.standard_normal((100, 2))
    _, o, _, e = run(source, "k", 2, 32, a, np.zeros_like(a), d, np.zeros_like(d), np.int64(100))
    assert (o == a[::-1, ::-1]).all() and (e == d[np.arange(100) * 37 % 100][:, ::-1]).all()


def test_three_dimensions():
    source = """KERNEL k(i32 *o) { int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        o[b * 60 + t] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x
                        + 10000 * blockIdx.y + 100000 * blockIdx.z; }"""
    (o,) = run(source, "k", (2, 3, 2), (5, 4, 3), np.zeros(12 * 60, "i4"))
    o = o.reshape(2, 3, 2, 3, 4, 5)
    bz, by, bx, z, y, x = np.indices(o.shape)
    assert (o == x + 10 * y + 100 * z + 1000 * bx + 10000 * by + 100000 * bz).all()


def test_printf_and_heap():
    source = """extern "C" __device__ int printf(const char *, ...);
        KERNEL k(i32 **o) { int t = threadIdx.x;
            if (t < 2) printf("t=%d %5.2f %s %lld %x%%\\n", t, t + 0.5, "word", (i64)t << 40, 255);
            i32 *p = (i32 *)malloc(16); p[0] = t; p[3] = p[0] + 1; o[t] = (i32 *)(i64)(p[0] + p[3]);
            free(p); }"""
    buffer = harness.Buffer(np.zeros(32, "u8"))
    m = harness.module(TYPES + source, ("-no-cache", "--fmad=false"))
    m.launch("k", 1, 32, buffer)
    assert m.printed() == ("t=0  0.50 word 0 ff%\nt=1  1.50 word 1099511627776 ff%\n")
    assert (buffer.array == 2 * np.arange(32) + 1).all()


def test_printf_narrow():
    """Widths of characters, and integers cut to short and char: an H200's line."""
    source = """extern "C" __device__ int printf(const char *, ...);
        KERNEL k() { printf("%c|%5c|%-3c|%hd|%hhd|%hd|%hhx\\n",
                            'a', 'b', 'c', 70000, 300, -2, 0x1ff); }"""
    m = harness.module(TYPES + source, ("-no-cache", "--fmad=false"))
    m.launch("k", 1, 1)
    assert m.printed() == "a|    b|c  |4464|44|-2|ff\n"


def test_special_registers():
    source = """KERNEL k(u32 *o) { int t = threadIdx.x; u32 v;
        #define GET(k, name) asm volatile("mov.u32 %0, %%" name ";" : "=r"(v)); o[k * 64 + t] = v;
        GET(0, "laneid") GET(1, "warpid") GET(2, "lanemask_lt") GET(3, "lanemask_ge")
        GET(4, "nwarpid") GET(5, "lanemask_eq") GET(6, "lanemask_gt") GET(7, "lanemask_le") }"""
    (o,) = run(source, "k", 1, 64, np.zeros(512, "u4"))
    t = np.arange(64)
    eq = np.uint64(1) << (t % 32).astype("u8")
    full = np.uint64(0xFFFFFFFF)
    want = [
        t % 32,
        t // 32,
        eq - np.uint64(1),
        full ^ (eq - np.uint64(1)),
        np.full(64, 64),
        eq,
        full ^ (np.uint64(2) * eq - np.uint64(1)),
        np.uint64(2) * eq - np.uint64(1),
    ]
    assert (o.reshape(8, 64) == np.array(want).astype("u4")).all()


def test_asynchronous_copies():
    source = """KERNEL k(const float4 *a, float4 *o, int limit) { __shared__ float4 s[64];
        int t = threadIdx.x; unsigned at = __cvta_generic_to_shared(s + t);
        int bytes = t < limit ? 16 : 0;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(at),
                     "l"(a + (t < limit ? t : 0)), "r"(bytes));
        asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;");
        __syncthreads(); o[t] = s[63 - t]; }"""
    a = RNG.standard_normal((64, 4)).astype("f4")
    _, o = run(source, "k", 1, 64, a, np.zeros_like(a), np.int32(40))
    want = np.where(np.arange(64)[:, None] < 40, a, 0)[::-1]
    assert (o == want).all()
