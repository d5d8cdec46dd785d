// segments_finish: combines the accumulators that the blocks of segments left, and writes the results: of sums to `out`,
// of extremes their indices to `at` too. Labels without elements have the sum 0, or the element 0 at the index 0.
// Launch: 32 labels to a block, whose warps share the rows.
#include "knobs/segments_finish.cuh"
#include "ndimage/segments.cuh"

enum { WARPS = BLOCK / 32 };

extern "C" __global__ void __launch_bounds__(BLOCK)
segments_finish(const A *partial, Result *out, i64 *at, const i64 rows, const i64 labels)
{
    __shared__ u64 memory[(BLOCK * sizeof(A) + 7) / 8];
    A *shared = (A *)memory;
    const i64 bin = (i64)blockIdx.x * 32 + threadIdx.x % 32;
    A x = A::none();
    if (bin < labels) {
#pragma unroll 4
        for (i64 row = threadIdx.x / 32; row < rows; row += WARPS) {
            x = combine(x, partial[row * labels + bin]);
        }
    }
    shared[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x < 32 && bin < labels) {
#pragma unroll
        for (int w = 1; w < WARPS; w++) {
            x = combine(x, shared[w * 32 + threadIdx.x]);
        }
        x.store(out, at, bin);
    }
}
