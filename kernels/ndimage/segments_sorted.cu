// segments_sorted: the results of segments where there are many labels: elements `order[starts[b]]` to
// `order[starts[b + 1] - 1]` have label b. A warp per label; labels of many elements are left to the whole block.
// Launch: a warp per label.
#include "knobs/segments_sorted.cuh"
#include "ndimage/segments.cuh"
#include "lanes.cuh"

enum { WARPS = BLOCK / 32, LONG = 2048 };

// Every `step`-th element of a segment.
GNP_FN A collected(const Raw<S> *in, const i64 *order, i64 first, i64 last, int step, const GnpSegments &s, const f64 *centre)
{
    A x = A::none();
#pragma unroll 4
    for (i64 j = first; j < last; j += step) {
        const i64 i = order[j];
        Raw<S> raw = Raw<S>();
        if constexpr (READS != 0) {
            raw = in[i];
        }
        x = combine(x, element(raw, (Index)i, s, centre));
    }
    return x;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
segments_sorted(const Raw<S> *in, const i64 *order, const i64 *starts, const f64 *centres, Result *out, i64 *at,
                const GnpSegments s)
{
    const i64 base = (i64)blockIdx.x * WARPS;
    const i64 bin = base + threadIdx.x / 32;
    if (bin < s.labels && starts[bin + 1] - starts[bin] <= LONG) {
        const A x = combine_lanes<32>(collected(in, order, starts[bin] + threadIdx.x % 32, starts[bin + 1], 32, s, centres + bin));
        if (threadIdx.x % 32 == 0) {
            x.store(out, at, bin);
        }
    }
#pragma unroll 1
    for (i64 b = base; b < base + WARPS && b < s.labels; b++) {
        if (starts[b + 1] - starts[b] <= LONG) {
            continue;
        }
        __syncthreads(); // combine_lanes has one place in shared memory
        const A x = combine_lanes<BLOCK>(collected(in, order, starts[b] + threadIdx.x, starts[b + 1], BLOCK, s, centres + b));
        if (threadIdx.x == 0) {
            x.store(out, at, b);
        }
    }
}
