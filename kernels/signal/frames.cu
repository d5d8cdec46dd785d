// frames: overlapping frames of the rows of a signal, without their mean or their line of least squares, times a window.
// Sums are in float64. A frame is read twice where it loses a trend; the second time from a cache.
// Knobs: R, the type of signal, window and output; TREND of enum FrameTrend; GROUP threads for a frame; BLOCK threads.
// Launch: BLOCK / GROUP frames a block.
#include "knobs/frames.cuh"

template <class T> struct Wider {
    typedef f64 Type;
};
template <class F> struct Wider<Complex<F>> {
    typedef c128 Type;
};
typedef Compute<R> C;
typedef typename Wider<C>::Type D;

// Of the elements, and of them times their distance from the middle.
struct A {
    D sum, moment;
};
GNP_FN A combine(A a, A b) { return {a.sum + b.sum, a.moment + b.moment}; }

#include "lanes.cuh"

GNP_FN C element(const C *row, i64 at, i64 length) { return at >= 0 && at < length ? row[at] : C(0); }

// What all threads of a group get from its first one.
GNP_FN A shared_by_group(A x)
{
    __shared__ Storage<A> kept[BLOCK / GROUP];
    if (threadIdx.x % GROUP == 0) {
        kept[threadIdx.x / GROUP].keep(x);
    }
    __syncthreads();
    return kept[threadIdx.x / GROUP].get();
}

// Mean and slope of a frame.
GNP_FN A trend_of(const C *row, i64 first, const GnpFrames &f)
{
    A total = {D(0), D(0)};
    const f64 middle = 0.5 * (f64)(f.size - 1), n = (f64)f.size;
#pragma unroll 4
    for (int j = threadIdx.x % GROUP; j < (int)f.size; j += GROUP) {
        const D x = cast<D>(element(row, first + j, f.length));
        total.sum = total.sum + x;
        if constexpr (TREND == FRAME_LINEAR) {
            total.moment = total.moment + x * D(j - middle);
        }
    }
    total = shared_by_group(combine_lanes<GROUP>(total));
    return {total.sum / D(n), n > 1 ? total.moment / D(n * (n * n - 1) / 12) : D(0)};
}

GNP_FN C without_trend(C value, A trend, f64 from_middle)
{
    if constexpr (TREND == FRAME_CONSTANT) {
        value = cast<C>(cast<D>(value) - trend.sum);
    }
    if constexpr (TREND == FRAME_LINEAR) {
        value = cast<C>(cast<D>(value) - trend.sum - trend.moment * D(from_middle));
    }
    return value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
frames(C *out, const C *x, const C *window, const GnpFrames f)
{
    enum { BATCH = 4 };
    const i64 frame = (i64)blockIdx.x * (BLOCK / GROUP) + threadIdx.x / GROUP;
    const bool is_there = frame < f.frames;
    const i64 number = is_there ? frame : 0, row = number / f.count, first = f.start + (number - row * f.count) * f.hop;
    const C *line = x + row * f.length;
    A trend = {D(0), D(0)};
    if constexpr (TREND != FRAME_AS_IS) {
        trend = trend_of(line, first, f);
    }
    if (!is_there) {
        return;
    }
    C *target = out + frame * f.padded;
    const f64 middle = 0.5 * (f64)(f.size - 1);
    const int size = (int)f.size, padded = (int)f.padded, shift = (int)f.shift;
#pragma unroll 1
    for (int at0 = threadIdx.x % GROUP; at0 < padded; at0 += BATCH * GROUP) {
        C values[BATCH], weights[BATCH];
        int from[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) { // all loads are on their way before the first is used
            const int turned = at0 + k * GROUP + shift;
            from[k] = turned < padded ? turned : turned - padded;
            const int j = at0 + k * GROUP < padded && from[k] < size ? from[k] : 0;
            values[k] = element(line, first + j, f.length);
            weights[k] = window[j];
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (at0 + k * GROUP < padded) {
                target[at0 + k * GROUP] =
                    from[k] < size ? without_trend(values[k], trend, from[k] - middle) * weights[k] : C(0);
            }
        }
    }
}
