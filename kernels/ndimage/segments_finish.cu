// segments_finish: combines the accumulators that the blocks of segments left, and writes the results: of sums to `out`,
// of extremes their indices to `at` too. Labels without elements have the sum 0, or the element 0 at the index 0.
// Launch: SEGMENT_BINS labels to a block; its other threads share the rows.
#include "knobs/segments_finish.cuh"
#include "ndimage/segments.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
segments_finish(const A *partial, Result *out, i64 *at, const i64 rows, const i64 labels)
{
    __shared__ u64 memory[(BLOCK * sizeof(A) + 7) / 8];
    A *shared = (A *)memory;
    const i64 bin = (i64)blockIdx.x * SEGMENT_BINS + threadIdx.x % SEGMENT_BINS;
    A x = A::none();
    if (bin < labels) {
#pragma unroll 4
        for (i64 row = threadIdx.x / SEGMENT_BINS; row < rows; row += BLOCK / SEGMENT_BINS) {
            x = combine(x, partial[row * labels + bin]);
        }
    }
    shared[threadIdx.x] = x;
#pragma unroll 1
    for (int others = BLOCK / 2; others >= SEGMENT_BINS; others /= 2) {
        __syncthreads();
        if (threadIdx.x < others) {
            x = combine(x, shared[threadIdx.x + others]);
            shared[threadIdx.x] = x;
        }
    }
    if (threadIdx.x < SEGMENT_BINS && bin < labels) {
        x.store(out, at, bin);
    }
}
