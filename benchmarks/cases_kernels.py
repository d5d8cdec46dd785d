"""Kernels of the program's own: what a launch costs the host, and what they reach on the device."""

import importlib

import numpy as np
from case import Case

COPY = r"""
extern "C" __global__ void copy(const float *x, float *y, long long n)
{
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)blockDim.x * gridDim.x) {
        y[i] = x[i];
    }
}
"""


def jit_of(lib):
    """The module of kernels in Python; an ImportError where there is none."""
    return importlib.import_module({"cupy": "cupyx.jit"}.get(lib.name, f"{lib.name}.jit"))


def raw_kernel(lib, n=1000):
    """A RawKernel with two arrays and a number."""
    x, y = lib.ones((n,)), lib.ones((n,))
    kernel = lib.module.RawKernel(COPY, "copy")
    blocks, args = (min((n + 255) // 256, 1 << 20),), (x, y, np.int64(n))
    return lambda: kernel(blocks, (256,), args)


def jit_kernel(lib, n=1000):
    """The same in Python."""
    jit = jit_of(lib)

    @jit.rawkernel()
    def copy(x, y, n):
        for i in range(jit.grid(1), n, jit.gridsize(1)):
            y[i] = x[i]

    x, y = lib.ones((n,)), lib.ones((n,))
    blocks, count = min((n + 255) // 256, 1 << 20), np.int64(n)
    return lambda: copy[blocks, 256](x, y, count)


def vectorized(lib, n=1000):
    """A Python function of each element."""

    def limit(x, top):
        return top if x > top else x

    function = lib.module.vectorize(limit)
    a, top = lib.noise((n,), "f4"), lib.full((1,), 0.5)
    return lambda: function(a, top)


HOST = [
    Case("RawKernel", raw_kernel),
    Case("jit.rawkernel", jit_kernel),
    Case("vectorize", vectorized),
]
DEVICE = [
    Case("RawKernel, copy", raw_kernel, 8),
    Case("jit.rawkernel, copy", jit_kernel, 8),
    Case("vectorize, a limit", vectorized, 8),
]
