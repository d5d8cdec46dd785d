"""User kernels in every form: indices, preambles, atomics, complex numbers, arrays with shapes, graphs."""

import cupy as cp
import numpy as np

x = cp.arange(20, dtype=cp.float32).reshape(4, 5)
scatter = cp.ElementwiseKernel(
    "T v, I idx", "raw T hist", "atomicAdd(&hist[idx], v)", "scatter_add_hist"
)
h = cp.zeros(3, cp.float32)
scatter(x.ravel(), cp.arange(20) % 3, h)
cp.testing.assert_allclose(h, np.bincount(np.arange(20) % 3, np.arange(20)))
roll = cp.ElementwiseKernel("raw T x, int64 n", "T y", "y = x[(i + 1) % n]", "rolled")
cp.testing.assert_array_equal(roll(x, x.size, size=20), np.roll(np.arange(20), -1))
idx = cp.ElementwiseKernel(
    "T x", "int32 r, int32 c", "const int k = (int)i; r = k / 5; c = k % 5;", "rowcol"
)
r, c = idx(x)
cp.testing.assert_array_equal(r * 5 + c, np.arange(20).reshape(4, 5))
big = cp.arange(35, dtype="f4").reshape(5, 7)
nd2 = cp.ElementwiseKernel(
    "raw T a, int32 w", "T y", "int at[2]; at[0] = i / w; at[1] = i % w; y = a[at];", "nd2"
)
cp.testing.assert_array_equal(
    nd2(big[::2, 1::2], 3, y := cp.empty((3, 3), "f4")), big[::2, 1::2].get()
)
sz = cp.ElementwiseKernel(
    "raw T a", "int64 n", "n = a.size() * 100 + a.shape()[1] * 10 + a.ndim", "sizes"
)
assert sz(big, size=1).item() == 3500 + 70 + 2
lp = cp.ElementwiseKernel(
    "T x, T k",
    "T y",
    "y = f(x) * twice_k",
    "prep",
    preamble="template <class V> __device__ V f(V v) { return v + 1; }",
    loop_prep="T twice_k = 2 * k;",
)
cp.testing.assert_allclose(lp(x, 3), (x.get() + 1) * 6)
ph = cp.ElementwiseKernel("X x, Y y", "Z z", "z = (Z)x + (Z)y;", "place")
assert ph(cp.ones(2, "i4"), cp.ones(2, "f4"), cp.empty(2, "f8")).dtype == "f8"
cx = cp.ElementwiseKernel(
    "complex128 z",
    "complex128 w, float64 m",
    "w = exp(z) * thrust::complex<double>(0, 1); m = abs(z); if (z.real() < 0) w = conj(w);",
    "cplx",
)
z = cp.array([1 + 1j, -2 + 0.5j])
w, m = cx(z)
e = np.exp(z.get()) * 1j
e[1] = e[1].conj()
cp.testing.assert_allclose(w, e)
cp.testing.assert_allclose(m, abs(z.get()))
red = cp.ReductionKernel(
    "T x, T y",
    "float64 z",
    "(x - y) * (x - y)",
    "a + b",
    "z = sqrt((double)a)",
    "0",
    "dist",
    reduce_type="double",
)
cp.testing.assert_allclose(red(x, 1, axis=(0,)), np.sqrt(((x.get() - 1) ** 2).sum(0)))
cp.testing.assert_allclose(red(x, x[0], axis=1), np.sqrt(((x.get() - x.get()[0]) ** 2).sum(1)))
am = cp.ReductionKernel("T x", "int64 k", "x", "max(a, b)", "k = a", "-1e30", "maxk")
assert int(am(x)) == 19
out = cp.empty(4, "f4")
sq = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sq")
assert sq(x, out, axis=1) is out and sq(x, axis=1, keepdims=True).shape == (4, 1)
sq(x, axis=1, out=out)
raw = cp.RawKernel(
    r"""
#include <cupy/complex.cuh>
#include <cupy/carray.cuh>
extern "C" __global__ void rot(const complex<float>* a, complex<float>* b, float angle, const CArray<float, 2, true> m, bool flag, unsigned long long n) {
    unsigned long long tid = (unsigned long long)blockDim.x * blockIdx.x + threadIdx.x;
    if (tid >= n) return;
    complex<float> r(cosf(angle), sinf(angle));
    b[tid] = a[tid] * r + (flag ? m[tid] : 0.f);
}""",
    "rot",
)
a = cp.arange(5).astype("F") + 1j
b = cp.empty_like(a)
mm = cp.ones((1, 5), "f4")
try:
    raw((1,), (32,), (a, b, np.float32(0.3), mm, True, np.uint64(5)))
    cp.testing.assert_allclose(b, a.get() * np.exp(0.3j) + 1, rtol=1e-5)
except TypeError as err:
    print("CArray by value", err)
mod = cp.RawModule(
    code=r"""
template <typename T, int N> __global__ void fill(T *x, T v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < N) x[i] = v; }
__constant__ float table[4]; __device__ int counter = 3;
extern "C" __global__ void look(float *y) { y[threadIdx.x] = table[threadIdx.x] + counter; }
extern "C" __global__ void dyn(float *y, int n) { extern __shared__ float s[]; s[threadIdx.x] = y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = s[n - 1 - threadIdx.x]; }
""",
    options=("-std=c++17", "-DUNUSED=1"),
    name_expressions=["fill<float, 7>", "fill<double, 3>"],
)
f7 = mod.get_function("fill<float, 7>")
t = cp.zeros(10, "f4")
f7((1,), (16,), (t, cp.float32(2)))
assert t.sum() == 14
d3 = mod.get_function("fill<double, 3>")
u = cp.zeros(5)
d3((1,), (16,), (u, 1.5))
assert u.sum() == 4.5
tab = cp.ndarray((4,), "f4", mod.get_global("table"))
tab[:] = cp.arange(4, dtype="f4")
cnt = cp.ndarray((1,), "i4", mod.get_global("counter"))
cnt += 1
o = cp.zeros(4, "f4")
mod.get_function("look")((1,), (4,), (o,))
assert o.tolist() == [4, 5, 6, 7]
dk = mod.get_function("dyn")
dk((1,), (4,), (o, 4), shared_mem=16)
assert o.tolist() == [7, 6, 5, 4]
mod.compile()
print(dk.attributes["binary_version"], mod.options)
with cp.cuda.Stream() as s:
    xs = cp.ones(10, "f4")
    s.begin_capture()
    f7((1,), (16,), (xs, cp.float32(5)))
    xs2 = xs * 2
    g = s.end_capture()
    g.launch()
    g.launch(stream=s)
    s.synchronize()
    assert xs.sum() == 38
fa = cp.fuse(lambda a, b: cp.sum(a * b + a, axis=1), kernel_name="fa")
cp.testing.assert_allclose(fa(x, x), (x.get() ** 2 + x.get()).sum(1))


@cp.fuse
def norm(v):
    return cp.exp(v) / (1 + cp.exp(v))


cp.testing.assert_allclose(norm(x), 1 / (1 + np.exp(-x.get())), rtol=1e-6)
k2 = cp.RawKernel(
    'extern "C" __global__ void nothing() {}',
    "nothing",
    translate_cucomplex=False,
    enable_cooperative_groups=True,
)
k2((1,), (1,), ())
cc = cp.RawKernel(
    r"""#include <cuComplex.h>
extern "C" __global__ void add(cuFloatComplex *a, int n) { int i = threadIdx.x; if (i < n) a[i] = cuCaddf(a[i], make_cuFloatComplex(1, 2)); }""",
    "add",
    translate_cucomplex=True,
)
v = cp.zeros(3, "F")
cc((1,), (8,), (v, 3))
assert v[0] == 1 + 2j
f16 = cp.RawKernel(
    r"""#include <cuda_fp16.h>
extern "C" __global__ void half_twice(__half *a) { a[threadIdx.x] = __hmul(a[threadIdx.x], __float2half(2.f)); }""",
    "half_twice",
)
hv = cp.arange(4, dtype="e")
f16((1,), (4,), (hv,))
assert hv.tolist() == [0, 2, 4, 6]
