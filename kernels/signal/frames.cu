// frames: overlapping frames of the rows of a signal, without their mean or their line of least squares, times a window.
// Sums are in float64. A frame inside its row whose samples fit the registers of its group is read once, by accesses of
// 16 bytes; any other is read twice where it loses a trend, the second time from a cache.
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

GNP_FN void take_in(A &total, C value, f64 from_middle)
{
    const D x = cast<D>(value);
    total.sum = total.sum + x;
    if constexpr (TREND == FRAME_LINEAR) {
        total.moment = total.moment + x * D(from_middle);
    }
}

// The samples of a thread, WIDTH at a time.
struct Held {
    enum { WIDTH = 16 / sizeof(C), COUNT = 8, MOST = GROUP * WIDTH * COUNT };
    Vec<C, WIDTH> at[COUNT];

    // Whether the frame is read, and written, so.
    GNP_FN static bool fits(const C *from, const C *target, const C *window, i64 first, const GnpFrames &f)
    {
        const bool is_aligned = ((u64)from | (u64)target | (u64)window) % 16 == 0 && f.size % WIDTH == 0;
        return is_aligned && f.size <= MOST && f.size == f.padded && f.shift == 0 && first >= 0 &&
               first + f.size <= f.length;
    }
    GNP_FN static int place(int k) { return (threadIdx.x % GROUP + k * GROUP) * WIDTH; }
    GNP_FN void load(const C *from, int size)
    {
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            if (place(k) < size) {
                at[k] = *(const Vec<C, WIDTH> *)(from + place(k));
            }
        }
    }
};

// Mean and slope of a frame, from the sums of its threads.
GNP_FN A trend_of(A total, f64 n)
{
    total = shared_by_group(combine_lanes<GROUP>(total));
    return {total.sum / D(n), n > 1 ? total.moment / D(n * (n * n - 1) / 12) : D(0)};
}

// A mean is subtracted from f32 in two parts, which costs less than two conversions.
struct Trend {
    A of;
    C high, low;

    GNP_FN Trend(A a) : of(a), high(cast<C>(a.sum)), low(cast<C>(a.sum - cast<D>(high))) {}
    GNP_FN C rest(C value, f64 from_middle) const
    {
        if constexpr (TREND == FRAME_CONSTANT) {
            return Same<C, f32>::value ? value - high - low : cast<C>(cast<D>(value) - of.sum);
        }
        if constexpr (TREND == FRAME_LINEAR) {
            return cast<C>(cast<D>(value) - of.sum - of.moment * D(from_middle));
        }
        return value;
    }
};

extern "C" __global__ void __launch_bounds__(BLOCK)
frames(C *out, const C *x, const C *window, const GnpFrames f)
{
    enum { BATCH = 4 };
    const i64 frame = (i64)blockIdx.x * (BLOCK / GROUP) + threadIdx.x / GROUP;
    const bool is_there = frame < f.frames;
    const i64 number = is_there ? frame : 0, row = number / f.count, first = f.start + (number - row * f.count) * f.hop;
    const C *line = x + row * f.length;
    C *target = out + number * f.padded;
    const bool is_held = Held::fits(line + first, target, window, first, f);
    const f64 middle = 0.5 * (f64)(f.size - 1);
    const int size = (int)f.size, padded = (int)f.padded, shift = (int)f.shift;
    A total = {D(0), D(0)};
    Held held;
    if (is_held) {
        held.load(line + first, size);
    }
    if constexpr (TREND != FRAME_AS_IS) {
        if (is_held) {
#pragma unroll
            for (int k = 0; k < Held::COUNT; k++) {
#pragma unroll
                for (int w = 0; w < Held::WIDTH; w++) {
                    if (Held::place(k) < size) {
                        take_in(total, held.at[k].at[w], Held::place(k) + w - middle);
                    }
                }
            }
        }
        else {
#pragma unroll 4
            for (int j = threadIdx.x % GROUP; j < size; j += GROUP) {
                take_in(total, element(line, first + j, f.length), j - middle);
            }
        }
        total = trend_of(total, (f64)size);
    }
    if (!is_there) {
        return;
    }
    const Trend trend(total);
    if (is_held) {
#pragma unroll
        for (int k = 0; k < Held::COUNT; k++) {
            const int at = Held::place(k);
            if (at < size) {
                const Vec<C, Held::WIDTH> weights = *(const Vec<C, Held::WIDTH> *)(window + at);
#pragma unroll
                for (int w = 0; w < Held::WIDTH; w++) {
                    held.at[k].at[w] = trend.rest(held.at[k].at[w], at + w - middle) * weights.at[w];
                }
                *(Vec<C, Held::WIDTH> *)(target + at) = held.at[k];
            }
        }
        return;
    }
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
                    from[k] < size ? trend.rest(values[k], from[k] - middle) * weights[k] : C(0);
            }
        }
    }
}
