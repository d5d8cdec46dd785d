// sparse_lengths: how many products of elements the product of two compressed sparse matrices has, and the most of a row:
// written into two numbers, which are zeros at first. They are integers, so that the order of atomic operations does not show.
// Knobs: I of the indices; LANES threads of a row; BLOCK threads.
// Launch: any number of blocks.
#include "knobs/sparse_lengths.cuh"
#include "sparse/sparse.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_lengths(const I *begins_a, const I *indices_a, const I *begins_b, u64 *numbers, const i64 rows, const i64 rows_b)
{
    __shared__ u64 sums[BLOCK / 32], greatest[BLOCK / 32];
    const i64 step = (i64)gridDim.x * BLOCK / LANES;
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / 32;
    u64 all = 0, most = 0;
#pragma unroll 1
    for (i64 first = (i64)blockIdx.x * BLOCK / LANES; first < rows; first += step) {
        const i64 row = first + threadIdx.x / LANES, end = row < rows ? (i64)begins_a[row + 1] : 0;
        u64 sum = 0;
#pragma unroll 2
        for (i64 k = row < rows ? (i64)begins_a[row] + lane : 0; k < end; k += LANES) {
            const i64 other = indices_a[k];
            if ((u64)other < (u64)rows_b) { // an index out of bounds has no products
                sum += (u64)(begins_b[other + 1] - begins_b[other]);
            }
        }
        all += sum;
#pragma unroll
        for (int d = LANES / 2; d > 0; d /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        }
        most = max(most, sum);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        all += __shfl_xor_sync(0xffffffffu, all, d);
        most = max(most, __shfl_xor_sync(0xffffffffu, most, d));
    }
    if (threadIdx.x % 32 == 0) {
        sums[warp] = all;
        greatest[warp] = most;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int w = 1; w < BLOCK / 32; w++) {
            all += sums[w];
            most = max(most, greatest[w]);
        }
        atomicAdd(&numbers[0], all);
        atomicMax(&numbers[1], most);
    }
}
