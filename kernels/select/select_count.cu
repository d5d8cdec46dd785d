// select_count: the number of nonzero bytes in each tile of a mask.
// Knobs: BLOCK threads, TILE bytes per block, a multiple of 16 * BLOCK. The mask starts on 16 bytes.
// Launch: one block per tile.
#include "knobs/select_count.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK) select_count(const u8 *mask, i64 *counts, const u64 n)
{
    __shared__ u32 sums[BLOCK / 32];
    u64 first = (u64)blockIdx.x * TILE;
    u32 count = 0;

#pragma unroll
    for (int k = 0; k < TILE; k += 16 * BLOCK) {
        u64 i = first + k + threadIdx.x * 16;
        if (i + 16 <= n) {
            Vec<u32, 4> v = *(const Vec<u32, 4> *)(mask + i);
#pragma unroll
            for (int w = 0; w < 4; w++) {
                u32 x = v.at[w];
                x |= x >> 4;
                x |= x >> 2;
                x |= x >> 1;
                count += __popc(x & 0x01010101u);
            }
        }
        else {
#pragma unroll 1
            for (; i < n; i++) {
                count += mask[i] != 0;
            }
        }
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        count += __shfl_down_sync(0xffffffffu, count, d);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = count;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        u32 total = 0;
#pragma unroll
        for (int k = 0; k < BLOCK / 32; k++) {
            total += sums[k];
        }
        counts[blockIdx.x] = total;
    }
}
