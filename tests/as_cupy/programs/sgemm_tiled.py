"""A product of matrices by a kernel with tiles in shared memory, its source made from a template."""

import math
import string

import cupy as cp
import numpy as np

source = string.Template(r"""
extern "C" __global__ __launch_bounds__(${DIM_X} * ${DIM_Y})
void sgemm(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float sA[${BLK}][${BLK} + 1];
    __shared__ float sB[${BLK}][${BLK} + 1];
    int row = blockIdx.y * ${BLK} + threadIdx.y, col = blockIdx.x * ${BLK} + threadIdx.x;
    float acc = 0.0f;
    for (int k0 = 0; k0 < K; k0 += ${BLK}) {
        sA[threadIdx.y][threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0.0f;
        sB[threadIdx.y][threadIdx.x] = col < N && k0 + threadIdx.y < K ? B[(k0 + threadIdx.y) * N + col] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ${BLK}; ++k) acc += sA[threadIdx.y][k] * sB[k][threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = acc;
}
""")


@cp.memoize(for_each_device=True)
def get_kernel(blk):
    code = source.substitute(DIM_X=blk, DIM_Y=blk, BLK=blk)
    return cp.RawKernel(code, "sgemm", options=("--use_fast_math",), backend="nvrtc")


def sgemm(a, b, blk=8):
    assert a.dtype == b.dtype == np.float32
    a, b = cp.ascontiguousarray(a), cp.ascontiguousarray(b)
    m, k = a.shape
    n = b.shape[1]
    c = cp.empty((m, n), dtype=np.float32)
    grid = (math.ceil(n / blk), math.ceil(m / blk), 1)
    kern = get_kernel(blk)
    kern(grid, (blk, blk, 1), (np.int32(m), np.int32(n), np.int32(k), a, b, c))
    return c


a = cp.random.uniform(low=-1.0, high=1.0, size=(37, 21)).astype(cp.float32)
b = cp.random.uniform(low=-1.0, high=1.0, size=(21, 45)).astype(cp.float32)
cp.testing.assert_array_almost_equal(sgemm(a, b), cp.dot(a, b), decimal=5)
k = get_kernel(8)
assert k is get_kernel(8)
assert k.shared_size_bytes == 2 * 8 * 9 * 4 and k.max_threads_per_block >= 64
assert k.attributes["shared_size_bytes"] == k.shared_size_bytes
assert k.num_regs > 0 and k.local_size_bytes >= 0 and k.const_size_bytes >= 0
k.preferred_shared_memory_carveout = 50
k.max_dynamic_shared_size_bytes = 16384
assert k.max_dynamic_shared_size_bytes == 16384
