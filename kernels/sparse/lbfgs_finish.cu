// lbfgs_finish: adds up what the blocks of lbfgs_products left, a warp for each number, the last of which is the
// largest one instead; behind the value of the function, so that all are read at once.
// Knobs: T: the elements; BLOCK threads. Launch: one block.
#include "knobs/lbfgs_finish.cuh"
#include "linalg/matrix.cuh"

enum { WARPS = BLOCK / 32 };

extern "C" __global__ void __launch_bounds__(BLOCK)
lbfgs_finish(const f64 *value, const Compute<T> *sums, f64 *numbers, const i64 count, const i64 blocks)
{
    const int lane = (int)threadIdx.x % 32;
    if (threadIdx.x == 0) {
        numbers[0] = *value;
    }
#pragma unroll 1
    for (i64 k = threadIdx.x / 32; k < count; k += WARPS) {
        f64 found = 0;
#pragma unroll 4
        for (int b = lane; b < (int)blocks; b += 32) {
            const f64 part = sums[k * LBFGS_MOST_SUMS + b];
            found = k < count - 1 ? found + part : part > found || part != part ? part : found;
        }
#pragma unroll
        for (int d = 16; d > 0; d /= 2) {
            const f64 part = lane_value<32>(found, lane ^ d);
            found = k < count - 1 ? found + part : part > found || part != part ? part : found;
        }
        if (lane == 0) {
            numbers[1 + k] = found;
        }
    }
}
