"""Templates, cooperative groups, functions without `__device__`, surfaces, volumes; what failed."""

import cupy as cp
import numpy as np
from cupy.cuda import runtime, texture

CODE = r"""
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

static inline double horner(const double *c, int n, double x)
{
    double s = 0;
    for (int i = n - 1; i >= 0; i--) s = s * x + c[i];
    return s;
}
int offset = 1;

template <typename T, int N> struct Poly {
    T c[N];
    T at(T x) const { return horner(c, N, x) + offset; }
};
template <typename T, int N>
__global__ void evaluate(const T *x, T *y, Poly<T, N> p, size_t n)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = p.at(x[i]);
}
template <typename T> __global__ void total(const T *x, T *out, int n)
{
    extern __shared__ unsigned char raw[];
    T *s = reinterpret_cast<T *>(raw);
    cg::thread_block block = cg::this_thread_block();
    T v = 0;
    for (int i = block.thread_rank(); i < n; i += block.size()) v += x[i];
    s[block.thread_rank()] = v;
    block.sync();
    auto tile = cg::tiled_partition<32>(block);
    if (block.thread_rank() < 32) {
        v = 0;
        for (int i = block.thread_rank(); i < block.size(); i += 32) v += s[i];
        for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
        if (tile.thread_rank() == 0) *out = v;
    }
}
__global__ void halves(const __half *x, __half2 *y, int n)
{
    int i = threadIdx.x;
    if (i < n) y[i] = __hmul2(__half2half2(x[i]), __floats2half2_rn(2.f, 3.f));
}
"""
names = ["evaluate<double, 3>", "total<int>", "total<double>", "halves"]
module = cp.RawModule(code=CODE, options=("-std=c++17", "-DUNUSED"), name_expressions=names)
x = cp.arange(5.0)
y = cp.empty_like(x)
polynomial = np.zeros(1, np.dtype([("c", np.float64, 3)]))
polynomial["c"] = [1, 2, 3]
module.get_function(names[0])((1,), (32,), (x, y, polynomial, np.uint64(5)))
assert y.tolist() == [2 + 2 * v + 3 * v * v for v in range(5)]
for dtype, name in ((np.int32, "total<int>"), (np.float64, "total<double>")):
    values, out = cp.arange(1000, dtype=dtype), cp.zeros(1, dtype)
    function = module.get_function(name)
    function.max_dynamic_shared_size_bytes = 16384
    function((1,), (128,), (values, out, 1000), shared_mem=128 * values.itemsize)
    assert out[0] == 499500
half, pairs = cp.arange(4, dtype=cp.float16), cp.zeros((4, 2), cp.float16)
module.get_function("halves")((1,), (4,), (half, pairs, 4))
assert (pairs == half[:, None] * cp.array([2, 3], cp.float16)).all()

twice = cp.ElementwiseKernel(
    "float32 x",
    "float32 y",
    "y = twice(x)",
    "twice_of",
    preamble="float twice(float x) { return 2 * x; }",
)
assert twice(cp.arange(3, dtype=cp.float32)).tolist() == [0, 2, 4]

four = texture.ChannelFormatDescriptor(32, 32, 32, 32, runtime.cudaChannelFormatKindFloat)
array = texture.CUDAarray(four, 4, 3, 0, runtime.cudaArraySurfaceLoadStore)
image = cp.zeros((3, 16), cp.float32)
array.copy_from(image)
surface = texture.SurfaceObject(
    texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
)
increase = cp.RawKernel(
    r"""
extern "C" __global__ void increase(cudaSurfaceObject_t s, int w, int h)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x >= w || y >= h) return;
    float4 v;
    surf2Dread(&v, s, x * 16, y);
    v.x += 1;
    v.w = x * y;
    surf2Dwrite(v, s, x * 16, y);
}""",
    "increase",
)
increase((1,), (4, 3), (surface, 4, 3))
array.copy_to(image)
assert image.reshape(3, 4, 4)[2, 3].tolist() == [1, 0, 0, 6]

one = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
volume = cp.random.rand(4, 5, 6, dtype=cp.float32)
array = texture.CUDAarray(one, 6, 5, 4)
array.copy_from(volume)
resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
border = (runtime.cudaAddressModeBorder,) * 3
sampler = texture.TextureDescriptor(border, runtime.cudaFilterModeLinear, borderColors=(0, 0, 0, 0))
sample = cp.ElementwiseKernel(
    "U t, int32 w, int32 h",
    "float32 o",
    "o = tex3D<float>(t, i % w + .5f, i / w % h + .5f, i / (w * h) + .5f)",
    "sample",
)
got = sample(texture.TextureObject(resource, sampler), 6, 5, cp.empty((4, 5, 6), cp.float32))
cp.testing.assert_allclose(got, volume, rtol=1e-5)

try:
    cp.RawKernel('extern "C" __global__ void bad() { nope; }', "bad", options=("-DA",)).compile()
except cp.cuda.compiler.CompileException as error:
    assert "nope" in error.get_message() and "nope" in error.source and "-DA" in error.options
else:
    raise AssertionError("nope")
