// sparse_range_begins: where each tile's elements of each range of rows go: `starts` has how many are in the tiles before,
// `begins` where ranges begin, and the end. counts[3] becomes the number of elements of the largest range.
// Knobs: BLOCK threads.
// Launch: a block for each 32 ranges, whose warps have tiles that follow one another. counts[4] is zero at first: the last
// block adds up the ranges.
#include "knobs/sparse_range_begins.cuh"
#include "scan.cuh"

enum { WARPS = BLOCK / 32, EACH = SPARSE_RANGES / BLOCK };

extern "C" __global__ void __launch_bounds__(BLOCK)
sparse_range_begins(const u16 *tiles, u32 *starts, u32 *begins, u64 *counts, const i64 ntiles)
{
    __shared__ u32 sums[WARPS][32], most[WARPS], is_last;
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, range = blockIdx.x * 32 + lane;
    const i64 each = (ntiles + WARPS - 1) / WARPS, first = warp * each;
    const i64 stop = first + each < ntiles ? first + each : ntiles;
    u32 sum = 0, total = 0, before = 0, largest = 0;
#pragma unroll 8
    for (i64 tile = first; tile < stop; tile++) {
        sum += tiles[tile * SPARSE_RANGES + range];
    }
    sums[warp][lane] = sum;
    __syncthreads();
#pragma unroll 8
    for (u32 w = 0; w < WARPS; w++) {
        before += w < warp ? sums[w][lane] : 0;
        total += sums[w][lane];
    }
#pragma unroll 8
    for (i64 tile = first; tile < stop; tile++) {
        starts[tile * SPARSE_RANGES + range] = before;
        before += tiles[tile * SPARSE_RANGES + range];
    }
    if (warp == 0) {
        begins[range] = total;
        __threadfence();
        __syncwarp();
        if (lane == 0) {
            is_last = atomicAdd(&counts[4], 1ull) == gridDim.x - 1;
        }
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    __threadfence();
    u32 mine[EACH], all;
    sum = 0;
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        mine[k] = ((volatile u32 *)begins)[threadIdx.x * EACH + k];
        largest = mine[k] > largest ? mine[k] : largest;
        sum += mine[k];
    }
    u32 at = count_before<BLOCK>(sum, sums[0], all);
#pragma unroll
    for (u32 k = 0; k < EACH; k++) {
        begins[threadIdx.x * EACH + k] = at;
        at += mine[k];
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        const u32 other = __shfl_xor_sync(0xffffffffu, largest, d);
        largest = other > largest ? other : largest;
    }
    if (lane == 0) {
        most[warp] = largest;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        begins[SPARSE_RANGES] = all;
        for (u32 w = 0; w < WARPS; w++) {
            largest = most[w] > largest ? most[w] : largest;
        }
        counts[3] = largest;
    }
}
