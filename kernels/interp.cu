// interp: out[i] = the line through the points (px, py) at x[i]; `left` before the first, `right` after
// the last. px ascends.
// Knobs: F, f64 or c128, the type of py; BLOCK. Launch: one thread per element.
#include "knobs/interp.cuh"

GNP_FN bool undefined(f64 x) { return x != x; }
GNP_FN bool undefined(c128 x) { return x.re != x.re || x.im != x.im; }
GNP_FN f64 along(f64 slope, f64 x) { return slope * x; }
GNP_FN c128 along(c128 slope, f64 x) { return c128(slope.re * x, slope.im * x); }
GNP_FN f64 slope_of(f64 rise, f64 run) { return rise / run; }
GNP_FN c128 slope_of(c128 rise, f64 run) { return c128(rise.re / run, rise.im / run); }

// NumPy's steps: a value that is no number is tried from the other end.
GNP_FN F between(f64 x, f64 x0, f64 x1, F y0, F y1)
{
    F slope = slope_of(y1 - y0, x1 - x0), y = along(slope, x - x0) + y0;
    if (undefined(y)) {
        y = along(slope, x - x1) + y1;
        if (undefined(y) && y0 == y1) {
            y = y0;
        }
    }
    return y;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
interp(const f64 *xs, const f64 *px, const F *py, const F *left, const F *right, F *out, const i64 n, const i64 points)
{
    i64 i = (i64)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) {
        return;
    }
    f64 x = xs[i];
    i64 low = 0, high = points; // the first point beyond x
#pragma unroll 1
    while (low < high) {
        i64 middle = low + (high - low) / 2;
        if (px[middle] <= x) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    F y;
    if (x != x) {
        y = F(x);
    }
    else if (low == 0) {
        y = *left;
    }
    else if (low == points) {
        y = x > px[points - 1] ? *right : py[points - 1];
    }
    else if (px[low - 1] == x) {
        y = py[low - 1];
    }
    else {
        y = between(x, px[low - 1], px[low], py[low - 1], py[low]);
    }
    out[i] = y;
}
