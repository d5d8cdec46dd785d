// sparse_range_count: how many of each tile's coordinates are in each range of 1 << shift rows, and what sparse_check counts
// of coordinates.
// Knobs: BLOCK threads.
// Launch: a block for each tile of SPARSE_RANGE_TILE coordinates. `tiles` has SPARSE_RANGES numbers of 16 bits for each.
#include "knobs/sparse_range_count.cuh"
#include "sparse/sparse.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_range_count(const i32 *rows, const i32 *columns, i64 *counts, u32 *tiles, const i64 n, const i64 m,
                   const i64 minor, const i64 shift)
{
    __shared__ u32 inside[SPARSE_RANGES];
    const i64 first = (i64)blockIdx.x * SPARSE_RANGE_TILE;
    int wrong = 0, less = 0, same = 0;
#pragma unroll
    for (u32 k = threadIdx.x; k < SPARSE_RANGES; k += BLOCK) {
        inside[k] = 0;
    }
    __syncthreads();
#pragma unroll 4
    for (u32 j = threadIdx.x; j < SPARSE_RANGE_TILE; j += BLOCK) {
        const i64 k = first + j;
        if (k < n) {
            const i32 row = rows[k], column = columns[k], above = k > 0 ? rows[k - 1] : -1;
            const i32 before = k > 0 ? columns[k - 1] : -1;
            const bool fits = (u32)row < (u32)m && (u64)(i64)column < (u64)minor;
            wrong += fits ? 0 : 1;
            less += row < above ? 1 : 0;
            same += row < above || (row == above && column < before) ? 1 : 0;
            if (fits) {
                atomicAdd(&inside[(u32)row >> shift], 1u);
            }
        }
    }
    add_counts<BLOCK>(wrong, less, same, counts);
    __syncthreads();
#pragma unroll
    for (u32 k = threadIdx.x; k < SPARSE_RANGES / 2; k += BLOCK) {
        tiles[(i64)blockIdx.x * (SPARSE_RANGES / 2) + k] = inside[2 * k] | inside[2 * k + 1] << 16;
    }
}
