// interp: out[i] = the line through the points (px, py) at x[i]; `left` before the first, `right` after
// the last. px ascends.
// Knobs: F, f64 or c128, the type of py; BLOCK. Launch: one thread per element.
#include "knobs/interp.cuh"

// NumPy's steps: where the result is NaN it is computed again from the other end.
GNP_FN f64 between(f64 x, f64 x0, f64 x1, f64 y0, f64 y1)
{
    f64 slope = (y1 - y0) / (x1 - x0), y = slope * (x - x0) + y0;
    if (y != y) {
        y = slope * (x - x1) + y1;
        if (y != y && y0 == y1) {
            y = y0;
        }
    }
    return y;
}

// Each part by itself.
GNP_FN c128 between(f64 x, f64 x0, f64 x1, c128 y0, c128 y1)
{
    return c128(between(x, x0, x1, y0.re, y1.re), between(x, x0, x1, y0.im, y1.im));
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
    if (low == 0 && !(x < px[0])) {
        low = 1; // the first point is NaN, and nothing compares less than it
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
