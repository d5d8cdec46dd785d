"""Kernels as people write them in CUDA C++ for CuPy: each beside NumPy."""

import numpy as np
import pytest
from check import assert_same

import gpunp as cp

f32, f64 = np.float32, np.float64


def kernel(code, name, **options):
    return cp.RawKernel(code, name, **options)


MATMUL = r"""
#define TILE 16
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
        int k = t * TILE;
        As[threadIdx.y][threadIdx.x] = (row < M && k + threadIdx.x < K) ? A[row * K + k + threadIdx.x] : 0.0f;
        Bs[threadIdx.y][threadIdx.x] = (k + threadIdx.y < K && col < N) ? B[(k + threadIdx.y) * N + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < TILE; ++i) sum += As[threadIdx.y][i] * Bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
"""


def test_tiled_product(rng):
    a, b = rng.random((35, 50), f32), rng.random((50, 21), f32)
    c = cp.zeros((35, 21), "f4")
    kernel(MATMUL, "matmul")((2, 3), (16, 16), (cp.asarray(a), cp.asarray(b), c, 35, 21, 50))
    np.testing.assert_allclose(c.get(), a @ b, rtol=1e-5)


REDUCE = r"""
template <typename T, unsigned int blockSize>
__device__ void warpReduce(volatile T* s, unsigned int tid) {
    if (blockSize >= 64) s[tid] += s[tid + 32];
    if (blockSize >= 32) s[tid] += s[tid + 16];
}
template <typename T, int BLOCK>
__global__ void reduce(const T* __restrict__ in, T* out, unsigned int n) {
    extern __shared__ unsigned char raw[];
    T* s = reinterpret_cast<T*>(raw);
    unsigned int tid = threadIdx.x;
    T acc = T(0);
    for (unsigned int i = blockIdx.x * BLOCK + tid; i < n; i += BLOCK * gridDim.x) acc += in[i];
    s[tid] = acc;
    __syncthreads();
    for (unsigned int k = BLOCK / 2; k > 0; k >>= 1) {
        if (tid < k) s[tid] += s[tid + k];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(out, s[0]);
}
"""


@pytest.mark.parametrize(("name", "dtype"), [("float", "f4"), ("double", "f8"), ("int", "i4")])
def test_template_reduction(name, dtype, rng):
    x = rng.integers(0, 9, 2000).astype(dtype)
    expressions = [f"reduce<{name}, 128>", f"reduce<{name}, 64>"]
    module = cp.RawModule(code=REDUCE, options=("--std=c++14",), name_expressions=expressions)
    for expression, threads in zip(expressions, (128, 64), strict=True):
        out = cp.zeros(1, dtype)
        f = module.get_function(expression)
        f(
            (4,),
            (threads,),
            (cp.asarray(x), out, np.uint32(x.size)),
            shared_mem=threads * x.itemsize,
        )
        assert out.item() == x.sum()


WARP = r"""
extern "C" __global__ void row_max(const float *x, float *out, int *where, int columns) {
    float best = -INFINITY; int at = -1;
    for (int j = threadIdx.x; j < columns; j += 32) {
        float v = x[blockIdx.x * columns + j];
        if (v > best) { best = v; at = j; }
    }
    for (int offset = 16; offset; offset >>= 1) {
        float other = __shfl_xor_sync(0xffffffff, best, offset);
        int j = __shfl_xor_sync(0xffffffff, at, offset);
        if (other > best || (other == best && j < at)) { best = other; at = j; }
    }
    if (threadIdx.x == 0) { out[blockIdx.x] = best; where[blockIdx.x] = at; }
}
"""


def test_warp_argmax(rng):
    x = rng.random((6, 100), f32)
    out, where = cp.zeros(6, "f4"), cp.zeros(6, "i4")
    source = WARP.replace("-INFINITY", "-__int_as_float(0x7f800000)")
    kernel(source, "row_max")((6,), (32,), (cp.asarray(x), out, where, 100))
    assert_same(out, x.max(1))
    assert_same(where, x.argmax(1).astype("i4"))


STENCIL = r"""
__constant__ float weights[9];
extern "C" __global__ void blur(const unsigned char* __restrict__ in, unsigned char* out, int h, int w) {
    __shared__ float tile[10][10];
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int j = threadIdx.y; j < 10; j += 8)
        for (int i = threadIdx.x; i < 10; i += 8) {
            int gx = min(max((int)(blockIdx.x * 8) + i - 1, 0), w - 1);
            int gy = min(max((int)(blockIdx.y * 8) + j - 1, 0), h - 1);
            tile[j][i] = in[gy * w + gx];
        }
    __syncthreads();
    if (x >= w || y >= h) return;
    float s = 0;
    for (int k = 0; k < 9; k++) s += weights[k] * tile[threadIdx.y + k / 3][threadIdx.x + k % 3];
    out[y * w + x] = (unsigned char)rintf(s);
}
"""


def test_stencil_with_constant_weights(rng):
    image = rng.integers(0, 256, (21, 30)).astype("u1")
    weights = np.array([1, 2, 1, 2, 4, 2, 1, 2, 1], "f4") / 16
    module = cp.RawModule(code=STENCIL)
    pointer = module.get_global("weights")
    cp.ndarray(9, "f4", pointer)[:] = cp.asarray(weights)
    out = cp.zeros((21, 30), "u1")
    module.get_function("blur")((4, 3), (8, 8), (cp.asarray(image), out, 21, 30))
    padded = np.pad(image, 1, "edge").astype("f4")
    parts = [
        padded[i : i + 21, j : j + 30] * weights[3 * i + j] for i in range(3) for j in range(3)
    ]
    expected = np.rint(sum(parts))
    assert np.abs(out.get().astype(int) - expected.astype(int)).max() <= 1
    assert (out.get() == expected).mean() > 0.95


HISTOGRAM = r"""
extern "C" __global__ void histogram(const unsigned char *data, unsigned int *bins, size_t n) {
    __shared__ unsigned int local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(&bins[i], local[i]);
}
"""


def test_histogram(rng):
    data = rng.integers(0, 256, 5000).astype("u1")
    bins = cp.zeros(256, "u4")
    kernel(HISTOGRAM, "histogram")((3,), (128,), (cp.asarray(data), bins, data.size))
    assert_same(bins, np.bincount(data, minlength=256).astype("u4"))


SCAN = r"""
#define BANKS(n) ((n) >> 5)
extern "C" __global__ void scan(const int *in, int *out, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, offset = 1, a = t, b = t + n / 2, pa = BANKS(a), pb = BANKS(b);
    temp[a + pa] = in[a]; temp[b + pb] = in[b];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            temp[j + BANKS(j)] += temp[i + BANKS(i)];
        }
        offset *= 2;
    }
    if (t == 0) temp[n - 1 + BANKS(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            i += BANKS(i); j += BANKS(j);
            int k = temp[i]; temp[i] = temp[j]; temp[j] += k;
        }
    }
    __syncthreads();
    out[a] = temp[a + pa]; out[b] = temp[b + pb];
}
"""


def test_exclusive_scan(rng):
    x = rng.integers(-9, 9, 256).astype("i4")
    out = cp.zeros(256, "i4")
    kernel(SCAN, "scan")((1,), (128,), (cp.asarray(x), out, 256), shared_mem=4 * (256 + 8))
    assert_same(out, (np.cumsum(x) - x).astype("i4"))


MANDELBROT = r"""
#include <cupy/complex.cuh>
extern "C" __global__ void mandelbrot(int* out, int w, int h, complex<double> low, double step, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= w * h) return;
    complex<double> c = low + complex<double>(i % w, i / w) * step, z = 0;
    int n = 0;
    while (norm(z) <= 4.0 && n < most) { z = z * z + c; n++; }
    out[i] = n;
}
"""


def test_complex_by_value():
    out = cp.zeros((12, 16), "i4")
    args = (out, 16, 12, -2.03 - 1.21j, 0.2, 60)
    kernel(MANDELBROT, "mandelbrot", options=("--fmad=false",))((3,), (64,), args)
    c = (-2.03 + np.arange(16) * 0.2) + 1j * (-1.21 + np.arange(12) * 0.2)[:, None]
    z, n, active = np.zeros_like(c), np.zeros(c.shape, "i4"), np.ones(c.shape, bool)
    for _ in range(60):
        active &= z.real**2 + z.imag**2 <= 4
        z[active] = z[active] ** 2 + c[active]
        n += active
    assert (out.get() == n).mean() > 0.98


NBODY = r"""
extern "C" __global__ __launch_bounds__(64) void nbody(const float4* __restrict__ p, float4* a, int n, float eps2) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
    float3 acc = {0, 0, 0};
    for (int base = 0; base < n; base += 64) {
        tile[threadIdx.x] = base + threadIdx.x < n ? p[base + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + eps2);
            float s = tile[k].w * inv * inv * inv;
            acc.x += dx * s; acc.y += dy * s; acc.z += dz * s;
        }
        __syncthreads();
    }
    if (i < n) a[i] = make_float4(acc.x, acc.y, acc.z, 0);
}
"""


def test_vector_types(rng):
    p = rng.random((100, 4), f32)
    a = cp.zeros((100, 4), "f4")
    kernel(NBODY, "nbody")((2,), (64,), (cp.asarray(p), a, 100, 0.01))
    d = p[None, :, :3] - p[:, None, :3]
    r = 1 / np.sqrt((d**2).sum(-1) + 0.01)
    expected = ((p[:, 3] * r**3)[..., None] * d).sum(1)
    np.testing.assert_allclose(a.get()[:, :3], expected, rtol=1e-4, atol=1e-3)


TEXT = r"""
extern "C" __global__ void count_word(const char *text, int n, const char *word, int m, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + m > n) return;
    for (int k = 0; k < m; k++) {
        char c = text[i + k];
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
        if (c != word[k]) return;
    }
    atomicAdd(count, 1);
}
"""


def test_text():
    text = b"The cat and the other CAT; concatenate the cats."
    count = cp.zeros(1, "i4")
    data, word = (cp.asarray(np.frombuffer(s, "u1").copy()) for s in (text, b"cat"))
    kernel(TEXT, "count_word")((1,), (64,), (data, len(text), word, 3, count))
    assert count.item() == text.lower().count(b"cat")


HALF = r"""
#include <cuda_fp16.h>
extern "C" __global__ void hfma(const __half* a, const __half* b, __half* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) {
        __half2 r = __hfma2(((const __half2*)a)[i], ((const __half2*)b)[i], __float2half2_rn(1.0f));
        ((__half2*)c)[i] = r;
    }
}
"""


def test_half(rng):
    a, b = (rng.integers(0, 30, 100).astype("f2") for _ in range(2))
    c = cp.zeros(100, "f2")
    kernel(HALF, "hfma")((1,), (64,), (cp.asarray(a), cp.asarray(b), c, 100))
    assert_same(c, a * b + np.float16(1))


OVERLOADS = r"""
namespace ops {
struct Add { template <class T> static __device__ T apply(T a, T b) { return a + b; } };
struct Mul { template <class T> static __device__ T apply(T a, T b) { return a * b; } };
}
template <class Op, class T, int N = 1> __global__ void zip(const T *a, const T *b, T *c, int n) {
    for (int k = 0; k < N; k++) {
        int i = (blockIdx.x * blockDim.x + threadIdx.x) * N + k;
        if (i < n) c[i] = Op::apply(a[i], b[i]);
    }
}
__device__ int calls = 0;
template <> __global__ void zip<ops::Add, char, 1>(const char *, const char *, char *c, int) { *c = 42; }
"""


def test_name_expressions_of_every_form(rng):
    names = ["zip<ops::Add, float>", "zip<ops::Mul, long long, 4>", "zip< ops::Add , char >"]
    module = cp.RawModule(code=OVERLOADS, options=("-std=c++17",), name_expressions=names)
    a, b = (rng.integers(0, 100, 50) for _ in range(2))
    for name, dtype, function in ((names[0], "f4", np.add), (names[1], "i8", np.multiply)):
        x, y, z = cp.asarray(a.astype(dtype)), cp.asarray(b.astype(dtype)), cp.zeros(50, dtype)
        module.get_function(name)((1,), (64,), (x, y, z, 50))
        assert_same(z, function(a, b).astype(dtype))
    c = cp.zeros(1, "i1")
    module.get_function(names[2])((1,), (1,), (c, c, c, 1))
    assert c.item() == 42


PRECISE = r"""
extern "C" {
__device__ __forceinline__ double sinc_impl(double x) { return x == 0 ? 1.0 : sin(x) / x; }
__global__ void special(const double *x, double *y, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    y[4 * i] = erf(x[i]); y[4 * i + 1] = tgamma(x[i] + 1); y[4 * i + 2] = sinc_impl(x[i]);
    y[4 * i + 3] = fma(x[i], x[i], hypot(x[i], 1.0));
}
}
"""


def test_special_functions():
    import math

    x = np.linspace(0, 3, 20)
    y = cp.zeros((20, 4))
    kernel(PRECISE, "special")((1,), (32,), (cp.asarray(x), y, np.int32(20)))
    expected = [
        [math.erf(v), math.gamma(v + 1), math.sin(v) / v if v else 1.0, v * v + math.hypot(v, 1)]
        for v in x
    ]
    np.testing.assert_allclose(y.get(), expected, rtol=1e-13)


STRUCTURES = r"""
struct Particle { float x, y; int kind; unsigned char flags[4]; };
struct Params { double dt; int n; int pad; float3 g; };
extern "C" __global__ void step(Particle *p, const Params params, const __grid_constant__ int keep) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < params.n && p[i].kind != keep) {
        p[i].x += params.dt * params.g.x;
        p[i].y += params.dt * params.g.y;
        p[i].flags[3] |= 0x80;
    }
}
"""


def test_structures():
    particle = np.dtype([("x", "f4"), ("y", "f4"), ("kind", "i4"), ("flags", "u1", 4)])
    params = np.dtype(
        {"names": ["dt", "n", "g"], "formats": ["f8", "i4", ("f4", 3)], "offsets": [0, 8, 16],
         "itemsize": 32}
    )  # fmt: skip
    p = np.zeros(10, particle)
    p["kind"] = np.arange(10) % 2
    data = cp.asarray(p.view("u1"))
    given = np.array((0.5, 9, (2.0, 4.0, 0.0)), params)
    code = STRUCTURES.replace("const __grid_constant__ int", "int")
    kernel(code, "step")((1,), (32,), (data, given, 1))
    p["x"][:9:2], p["y"][:9:2] = 1.0, 2.0
    p["flags"][:9:2, 3] = 0x80
    assert data.get().tobytes() == p.tobytes()


CONTROL = r"""
extern "C" __global__ void control(const int *ops, const int *values, int *out, int n) {
    int stack[8], top = 0;
    for (int i = 0; i < n; i++) {
        switch (ops[i]) {
        case 0: stack[top++] = values[i]; break;
        case 1: top--; stack[top - 1] += stack[top]; break;
        case 2: top--; stack[top - 1] *= stack[top]; break;
        case 3: stack[top - 1] = -stack[top - 1]; continue;
        default: goto done;
        }
    }
done:
    out[threadIdx.x] = top > 0 ? stack[0] + (int)threadIdx.x : -1;
}
"""


def test_switch_goto_and_local_arrays():
    ops, values = np.array([0, 0, 1, 0, 2, 3, 9, 0]), np.array([2, 3, 0, 7, 0, 0, 0, 1])
    out = cp.zeros(4, "i4")
    args = (*[cp.asarray(v.astype("i4")) for v in (ops, values)], out, 8)
    kernel(CONTROL, "control")((1,), (4,), args)
    assert out.tolist() == [-35, -34, -33, -32]


SORT = r"""
extern "C" __global__ void odd_even(float *x, int n) {
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * threadIdx.x + (phase & 1);
        if (i + 1 < n && x[i] > x[i + 1]) { float t = x[i]; x[i] = x[i + 1]; x[i + 1] = t; }
        __syncthreads();
    }
}
"""


def test_sort(rng):
    x = rng.random(60, f32)
    ours = cp.asarray(x)
    kernel(SORT, "odd_even")((1,), (32,), (ours, 60))
    assert_same(ours, np.sort(x))


VOTES = r"""
extern "C" __global__ void compact(const int *in, int *out, int *count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned mask = __ballot_sync(0xffffffffu, keep);
    int base = 0;
    if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}
"""


def test_votes_and_compaction(rng):
    x = rng.integers(0, 100, 500).astype("i4")
    out, count = cp.zeros(500, "i4"), cp.zeros(1, "i4")
    kernel(VOTES, "compact")((4,), (128,), (cp.asarray(x), out, count, 500))
    kept = x[x % 3 == 0]
    assert count.item() == kept.size
    assert_same(cp.sort(out[: kept.size]), np.sort(kept))


LOCKS = r"""
extern "C" __global__ void locked(int *lock, volatile double *total, const double *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool done = i >= n;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *total = *total + x[i];
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
extern "C" __global__ void flagged(volatile int *flag, int *out) {
    if (blockIdx.x == 0) { out[0] = 7; __threadfence(); *flag = 1; }
    else { while (*flag == 0) { } out[1] = ((volatile int *)out)[0] + 1; }
}
"""


def test_locks(rng):
    module = cp.RawModule(code=LOCKS)
    x = rng.integers(0, 9, 100).astype("f8")
    lock, total = cp.zeros(1, "i4"), cp.zeros(1)
    module.get_function("locked")((2,), (64,), (lock, total, cp.asarray(x), 100))
    assert total.item() == x.sum()
    flag, out = cp.zeros(1, "i4"), cp.zeros(2, "i4")
    module.get_function("flagged")((2,), (1,), (flag, out))
    assert out.tolist() == [7, 8]


def test_clock_and_intrinsics():
    code = r"""
    extern "C" __global__ void f(unsigned long long *out) {
        long long t = clock64();
        out[0] = __brev(1u); out[1] = __clz(255); out[2] = __ffsll(8ll); out[3] = __byte_perm(0x11223344, 0, 0x0123);
        out[4] = __umulhi(0x80000000u, 6u); out[5] = __mul24(3, 5); out[6] = __dp4a(0x01020304, 0x01010101, 5);
        out[7] = clock64() >= t; out[8] = __funnelshift_l(0x80000000u, 1u, 1); out[9] = __popcll(~0ull);
    }
    """
    out = cp.zeros(10, "u8")
    kernel(code, "f")((1,), (1,), (out,))
    assert out.tolist() == [2**31, 24, 4, 0x44332211, 3, 15, 15, 1, 3, 64]


def test_kernels_share_streams_and_events(rng):
    add = kernel(
        'extern "C" __global__ void add(float *x, float v) { x[threadIdx.x] += v; }', "add"
    )
    x = cp.zeros(64, "f4")
    first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with first:
        add((1,), (64,), (x, f32(1)))
        event = first.record()
    second.wait_event(event)
    add((1,), (64,), (x, 2.5), stream=second)
    second.synchronize()
    assert x.tolist() == [3.5] * 64
