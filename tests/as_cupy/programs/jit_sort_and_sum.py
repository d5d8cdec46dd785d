"""Kernels in Python: a reduction by shuffles, a sort of rows, atomics, device functions, a grid."""

import cupy
import numpy
from cupyx import jit


@jit.rawkernel()
def reduction(x, y, size):
    tid = jit.threadIdx.x
    ntid = jit.blockDim.x
    value = cupy.float32(0)
    for i in range(tid, size, ntid):
        value += x[i]
    smem = jit.shared_memory(cupy.float32, 1024)
    smem[tid] = value
    jit.syncthreads()
    if tid == cupy.uint32(0):
        value = cupy.float32(0)
        for i in range(ntid):
            value += smem[i]
        y[0] = value


@jit.rawkernel()
def elementwise_copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


@jit.rawkernel(device=True)
def squared(v):
    return v * v


@jit.rawkernel()
def warp_sum(x, y):
    i = jit.grid(1)
    v = squared(x[i])
    for k in jit.range(5, unroll=True):
        v += jit.shfl_xor_sync(0xFFFFFFFF, v, 1 << k)
    if jit.laneid() == 0:
        jit.atomic_add(y, 0, v)


@jit.rawkernel()
def sort_by_key(x, y):
    i = jit.threadIdx.x
    x_array = x[i]
    y_array = y[i]
    jit.thrust.sort_by_key(jit.thrust.device, x_array.begin(), x_array.end(), y_array.begin())


@jit.rawkernel()
def count_them(x, y):
    i = jit.threadIdx.x
    y[i] = jit.thrust.count(jit.thrust.device, x.begin(), x.end(), i)


x = cupy.random.standard_normal(2048, dtype=cupy.float32)
y = cupy.zeros((1,), dtype=cupy.float32)
reduction[1, 256](x, y, numpy.uint32(x.size))
assert abs(float(y[0]) - float(x.sum())) < 1e-3
reduction((1,), (128,), (x, y, x.size))
z = cupy.empty_like(x)
elementwise_copy((4,), (128,), (x, z, numpy.uint32(x.size)))
assert (x == z).all()
elementwise_copy[4, 128](z, x, x.size)
y.fill(0)
warp_sum[8, 256](x, y)
assert abs(float(y[0]) - float((x * x).sum())) < 1e-1
a = cupy.random.randint(0, 100, (3, 50)).astype(cupy.int32)
b = cupy.tile(cupy.arange(50, dtype=cupy.int32), (3, 1))
keys = a.copy()
sort_by_key[1, 3](keys, b)
assert (keys == cupy.sort(a, axis=1)).all() and (cupy.take_along_axis(a, b, 1) == keys).all()
counts = cupy.zeros(32, dtype=cupy.int32)
small = (a % 32).ravel()
count_them[1, 32](small, counts)
assert (counts == cupy.bincount(small, minlength=32)).all()
print(reduction.cached_code[:60])
