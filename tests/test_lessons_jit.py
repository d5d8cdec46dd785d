"""Programs as lessons on kernels show them: raw kernels, modules, jit, in our words."""

import numpy as np

import gpunp as cp
from gpunp import jit


def test_raw_kernel_of_two_dimensional_arrays():
    add = cp.RawKernel(
        r"""
extern "C" __global__
void my_add(const float* x1, const float* x2, float* y) {
    int tid = blockDim.x * blockIdx.x + threadIdx.x;
    y[tid] = x1[tid] + x2[tid];
}
""",
        "my_add",
    )
    x1 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
    x2 = cp.arange(25, dtype=cp.float32).reshape(5, 5)
    y = cp.zeros((5, 5), dtype=cp.float32)
    add((5,), (5,), (x1, x2, y))
    assert cp.array_equal(y, x1 + x2)


def test_raw_module_of_two_kernels():
    module = cp.RawModule(
        code=r"""
extern "C"{
__global__ void test_sum(const float* x1, const float* x2, float* y, unsigned int N) {
    unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < N)
        y[tid] = x1[tid] + x2[tid];
}
__global__ void test_multiply(const float* x1, const float* x2, float* y, unsigned int N) {
    unsigned int tid = blockDim.x * blockIdx.x + threadIdx.x;
    if (tid < N)
        y[tid] = x1[tid] * x2[tid];
}
}"""
    )
    N = 10
    x1 = cp.arange(N**2, dtype=cp.float32).reshape(N, N)
    x2 = cp.ones((N, N), dtype=cp.float32)
    y = cp.zeros((N, N), dtype=cp.float32)
    module.get_function("test_sum")((N,), (N,), (x1, x2, y, N**2))
    assert cp.allclose(y, x1 + x2)
    module.get_function("test_multiply")((N,), (N,), (x1, x2, y, N**2))
    assert cp.allclose(y, x1 * x2)


def test_saxpy_with_a_python_float():
    """The scalar is written as 2.0 and declared `const float`: it arrives as 2."""
    saxpy = cp.RawKernel(
        r"""
extern "C" __global__
void saxpy(const float a, const float* __restrict__ x,
           const float* __restrict__ y, float* __restrict__ out, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) out[i] = a * x[i] + y[i];
}
""",
        "saxpy",
    )
    n = 1000
    x = cp.arange(n, dtype=cp.float32)
    y = cp.ones(n, dtype=cp.float32)
    out = cp.empty_like(x)
    threads = 256
    blocks = (n + threads - 1) // threads
    saxpy((blocks,), (threads,), (2.0, x, y, out, n))
    cp.cuda.Stream.null.synchronize()
    assert cp.array_equal(out, 2 * x + y)


def test_jit_copy_in_both_spellings():
    @jit.rawkernel()
    def elementwise_copy(x, y, size):
        tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
        ntid = jit.gridDim.x * jit.blockDim.x
        for i in range(tid, size, ntid):
            y[i] = x[i]

    size = cp.uint32(2**14)
    x = cp.arange(int(size), dtype=cp.float32)
    y = cp.empty((int(size),), dtype=cp.float32)
    elementwise_copy((128,), (128,), (x, y, size))
    assert (x == y).all()
    y.fill(0)
    elementwise_copy[128, 128](x, y, size)
    assert (x == y).all()


def test_jit_saxpy():
    @jit.rawkernel()
    def saxpy_jit(a, x, y, out):
        i = jit.blockDim.x * jit.blockIdx.x + jit.threadIdx.x
        if i < x.size:
            out[i] = a * x[i] + y[i]

    n = 1000
    x = cp.linspace(0, 1, n, dtype=cp.float32)
    y = cp.ones(n, dtype=cp.float32)
    out = cp.empty_like(x)
    threads = 256
    blocks = (n + threads - 1) // threads
    saxpy_jit[(blocks,), (threads,)](2.0, x, y, out)
    cp.cuda.Stream.null.synchronize()
    np.testing.assert_allclose(out.get(), 2 * x.get() + 1, rtol=1e-6)


def test_tiled_matrix_product():
    """The exercise of one lesson: 16 x 16 tiles, compared with matmul."""
    tile = 16

    @jit.rawkernel()
    def matmul(a, b, c):
        left = jit.shared_memory(np.float32, (tile, tile))
        right = jit.shared_memory(np.float32, (tile, tile))
        tx, ty = jit.threadIdx.x, jit.threadIdx.y
        col, row = jit.grid(2)
        total = np.float32(0)
        for k in range(0, a.shape[1], tile):
            left[ty, tx] = a[row, k + tx] if row < a.shape[0] and k + tx < a.shape[1] else 0
            right[ty, tx] = b[k + ty, col] if k + ty < b.shape[0] and col < b.shape[1] else 0
            jit.syncthreads()
            for i in range(tile):
                total += left[ty, i] * right[i, tx]
            jit.syncthreads()
        if row < c.shape[0] and col < c.shape[1]:
            c[row, col] = total

    a = cp.asarray(np.random.default_rng(0).random((40, 50), np.float32))
    b = cp.asarray(np.random.default_rng(1).random((50, 20), np.float32))
    c = cp.zeros((40, 20), cp.float32)
    matmul[(2, 3), (tile, tile)](a, b, c)
    assert cp.allclose(c, a @ b, rtol=1e-5)
