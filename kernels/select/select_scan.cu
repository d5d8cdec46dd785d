// select_scan: exclusive prefix sums of the counts, in place; the total is stored apart.
// Knobs: BLOCK threads, a multiple of 32. Launch: one block.
#include "knobs/select_scan.cuh"
#include "scan.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
select_scan(i64 *counts, i64 *all, const u64 n)
{
    __shared__ i64 sums[BLOCK / 32 + 1];
    i64 before = 0;

#pragma unroll 1
    for (u64 first = 0; first < n; first += BLOCK) {
        u64 i = first + threadIdx.x;
        i64 x = i < n ? counts[i] : 0, total;
        i64 sum = sum_before<BLOCK>(x, sums, total);
        if (i < n) {
            counts[i] = before + sum;
        }
        before += total;
    }
    if (threadIdx.x == 0) {
        *all = before;
    }
}
