"""A histogram with shared memory and atomics, and scatter_add."""

import cupy as cp
import cupyx
from cupyx import jit


@jit.rawkernel()
def histogram(x, bins, n):
    shared = jit.shared_memory(cp.int32, 16)
    if jit.threadIdx.x < 16:
        shared[jit.threadIdx.x] = 0
    jit.syncthreads()
    i = jit.grid(1)
    if i < n:
        jit.atomic_add(shared, x[i], 1)
    jit.syncthreads()
    if jit.threadIdx.x < 16:
        jit.atomic_add(bins, jit.threadIdx.x, shared[jit.threadIdx.x])


x = cp.random.randint(0, 16, 1000).astype(cp.int32)
bins = cp.zeros(16, dtype=cp.int32)
histogram[8, 128](x, bins, x.size)
counted = cp.zeros(16, dtype=cp.int32)
cupyx.scatter_add(counted, x, 1)
assert (bins == counted).all() and (bins == cp.bincount(x, minlength=16)).all()
