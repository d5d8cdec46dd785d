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


def jit_thrust(lib, n=1000):
    """Rows of 64 numbers, each copied and sorted by one thread."""
    jit = jit_of(lib)
    thrust = jit.thrust

    @jit.rawkernel()
    def sort_rows(x, y):
        i = jit.grid(1)
        if i < x.shape[0]:
            row, out = x[i], y[i]
            thrust.copy(thrust.seq, row.begin(), row.end(), out.begin())
            thrust.sort(thrust.seq, out.begin(), out.end())

    x = lib.noise((max(n // 64, 1), 64), "f4")
    y = lib.full(x.shape, 0.0)
    return lambda: sort_rows[(x.shape[0] + 255) // 256, 256](x, y)


def vectorized(lib, n=1000):
    """A Python function of each element."""

    def limit(x, top):
        return top if x > top else x

    function = lib.module.vectorize(limit)
    a, top = lib.noise((n,), "f4"), lib.full((1,), 0.5)
    return lambda: function(a, top)


def elementwise_kernel(lib, n=1000):
    """A function of two arrays in CUDA C++."""
    kernel = lib.module.ElementwiseKernel(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff"
    )
    a, b, c = lib.noise((n,), "f4"), lib.noise((n,), "f4"), lib.noise((n,), "f4")
    return lambda: kernel(a, b, c)


def reduction_kernel(lib, n=1000):
    """A norm in CUDA C++."""
    kernel = lib.module.ReductionKernel(
        "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm"
    )
    a = lib.noise((n,), "f4")
    return lambda: kernel(a)


def fused(lib, n=1000):
    """A chain of ufuncs."""
    xp = lib.module
    function = xp.fuse(lambda x: xp.tanh(xp.sin(x) + 0.1 * x))
    a = lib.noise((n,), "f4")
    return lambda: function(a)


def fused_softmax(lib, n=1000):
    """Two reductions along rows, and what follows from them."""
    xp = lib.module
    columns = 4096 if n >= 1 << 20 else 10

    def softmax(x):
        e = xp.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    function = xp.fuse(softmax) if hasattr(xp, "lazy") else softmax
    a = lib.noise((n // columns * columns,), "f4").reshape(-1, columns)
    return lambda: function(a)


HOST = [
    Case("RawKernel", raw_kernel),
    Case("ElementwiseKernel", elementwise_kernel),
    Case("ReductionKernel", reduction_kernel),
    Case("fuse, tanh(sin(a) + 0.1 a)", fused),
    Case("fuse, softmax", fused_softmax),
    Case("jit.rawkernel", jit_kernel),
    Case("vectorize", vectorized),
]
DEVICE = [
    Case("RawKernel, copy", raw_kernel, 8),
    Case("ElementwiseKernel, (a - b)**2", elementwise_kernel, 12),
    Case("ReductionKernel, norm", reduction_kernel, 4),
    Case("fuse, tanh(sin(a) + 0.1 a)", fused, 8),
    Case("fuse, softmax of rows", fused_softmax, 8),
    Case("jit.rawkernel, copy", jit_kernel, 8),
    Case("jit.thrust, sort of rows of 64", jit_thrust, 8),
    Case("vectorize, a limit", vectorized, 8),
]
