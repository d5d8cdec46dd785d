"""cupyx.jit: a copy and a reduction by warps."""

import cupy
from cupyx import jit


@jit.rawkernel()
def elementwise_copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


size = cupy.uint32(2**12)
x = cupy.random.normal(size=(size,), dtype=cupy.float32)
y = cupy.empty((size,), dtype=cupy.float32)
elementwise_copy((8,), (128,), (x, y, size))
assert (x == y).all()
y.fill(0)
elementwise_copy[8, 128](x, y, size)
assert (x == y).all()


@jit.rawkernel()
def warp_sum(x, out):
    value = x[jit.threadIdx.x]
    for shift in (16, 8, 4, 2, 1):
        value += jit.shfl_down_sync(0xFFFFFFFF, value, shift)
    if jit.laneid() == 0:
        out[0] = value


total = cupy.zeros(1, dtype=cupy.float32)
warp_sum[1, 32](cupy.arange(32, dtype=cupy.float32), total)
assert float(total[0]) == 496
