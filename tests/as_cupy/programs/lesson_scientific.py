"""A chapter on scientific computing: sizes, benchmarks, agnostic dispatch, jit kernels."""

import time

import cupy as cp
import numpy as np
from cupyx import jit

x_gpu = cp.ones((10, 5, 5))
x_cpu = cp.asnumpy(x_gpu)
assert x_cpu.shape == (10, 5, 5)
x_gpu = cp.random.random((20, 20))
x_gpu *= 2
u, s, v = np.linalg.svd(x_gpu)  # NumPy dispatches
assert isinstance(s, cp.ndarray)
start = time.perf_counter()
cp.linalg.svd(x_gpu)
cp.cuda.Stream.null.synchronize()
assert time.perf_counter() > start
with cp.cuda.Device(0):
    on_device_0 = cp.array([1, 2, 3, 4, 5])


@jit.rawkernel()
def saxpy(a, x, y, out):
    i = jit.blockDim.x * jit.blockIdx.x + jit.threadIdx.x
    if i < x.size:
        out[i] = a * x[i] + y[i]


x, y = cp.random.random(100, dtype=cp.float32), cp.random.random(100, dtype=cp.float32)
out = cp.empty_like(x)
saxpy[(1,), (128,)](2.0, x, y, out)
assert cp.allclose(out, 2 * x + y)
