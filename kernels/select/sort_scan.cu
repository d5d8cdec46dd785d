// sort_scan: exclusive prefix sums of the digit counts, the start of each digit in its row; and which passes
// are needed: those in which some row has two different digits.
// Knobs: Count (u32 or u64), PASSES. Launch: one block of 256 threads per row and pass.
#include "knobs/sort_scan.cuh"
#include "scan.cuh"

extern "C" __global__ void __launch_bounds__(256) sort_scan(Count *counts, u32 *needed, const u64 n)
{
    __shared__ Count sums[256 / 32 + 1];
    Count *mine = counts + (u64)blockIdx.x * 256 + threadIdx.x;
    Count count = *mine, total;

    *mine = sum_before<256>(count, sums, total);
    if (count != 0 && count != n) {
        needed[blockIdx.x % PASSES] = 1;
    }
}
