// irwin_hall.cuh: the distribution of the sum of n uniform numbers. Up to 64 of them the recurrence of B-splines (C. de
// Boor, J. Approx. Theory 6, 1972), whose terms are positive; beyond, the inversion of the moment generating function
// (2 sinh(s / 2) / s)^n of the centered sum along a line through the saddle point (H. E. Daniels, Ann. Math. Statist.
// 25, 1954) by the trapezoidal rule: both keep their digits in far tails.
#ifndef GNP_STATS_IRWIN_HALL_CUH
#define GNP_STATS_IRWIN_HALL_CUH

#include "stats/constants.cuh"
#include "stats/gauss_rule.cuh"

namespace stats {

// The B-spline of order n at x <= n / 2, or the sum of those of order n + 1 at x, x - 1 ..., its integral.
GNP_COLD f64 spline_of_uniforms(int n, f64 x, bool integral)
{
    f64 v[66];
    const int last = (int)floor(x), order = integral ? n + 1 : n;
    const f64 part = x - last;
    v[0] = 1;
#pragma unroll 1
    for (int r = 2; r <= order; r++) {
        const int top = last < r - 1 ? last : r - 1;
        if (top == r - 1) v[top] = 0;
#pragma unroll 1
        for (int i = top; i >= 0; i--) {
            v[i] = ((part + i) * v[i] + (i > 0 ? (r - part - i) * v[i - 1] : 0)) / (r - 1);
        }
    }
    f64 sum = 0;
#pragma unroll 1
    for (int i = 0; integral && i <= last && i < order; i++) {
        sum += v[i];
    }
    return integral ? sum : last < order ? v[last] : 0;
}

// log(2 sinh(s / 2) / s) and its derivative for s > 0.
GNP_FN f64 log_shc(f64 s)
{
    return s < 1e-2 ? s * s / 24 * (1 - s * s / 120) : 0.5 * s + log(-expm1(-s) / s);
}
GNP_FN f64 slope_of_log_shc(f64 s)
{
    return s < 1e-2 ? s / 12 * (1 - s * s / 60) : 0.5 - 1 / s + 1 / expm1(s);
}

// The density at a distance y from the middle towards the upper end, or the probability beyond.
GNP_COLD f64 saddle_of_uniforms(f64 n, f64 y, bool integral)
{
    f64 low = -60, high = 60; // of log(s)
#pragma unroll 1
    for (int i = 0; i < 50; i++) {
        const f64 middle = 0.5 * (low + high), s = exp(middle);
        const bool is_above = n * slope_of_log_shc(s) - (integral ? 1 / s : 0) > y;
        high = is_above ? middle : high;
        low = is_above ? low : middle;
    }
    const f64 s = exp(low), top = n * log_shc(s) - s * y;
    const f64 curvature = s < 1e-2 ? 1.0 / 12 : 1 / (s * s) - 1 / (4 * square(sinh(fmin(0.5 * s, 300.0))));
    const f64 width = 1 / sqrt(n * curvature + (integral ? 1 / (s * s) : 0)), step = 0.25 * width;
    const f64 base = s < 600 ? 1 / sinh(0.5 * s) : 0, tilt = s < 600 ? cosh(0.5 * s) * base : 1;
    f64 sum = integral ? 0.5 / s : 0.5;
#pragma unroll 1
    for (int k = 1; k < 4000; k++) {
        const f64 t = k * step, half = 0.5 * t, c = cos(half), w = sin(half) * tilt;
        // The quotient of sinh((s + i t) / 2) / (s + i t) by that of s: its logarithm and angle.
        const f64 size = 0.5 * (log(c * c + w * w) - log1p(square(t / s)));
        const f64 angle = n * (atan2(w, c) - atan2(t, s)) - t * y, part = exp(n * size);
        const f64 term = integral ? (s * cos(angle) + t * sin(angle)) / (s * s + t * t) : cos(angle);
        sum += part * term;
        if (part < 1e-18) break;
    }
    return exp(top) * sum * step / PI_F64;
}

GNP_COLD f64 irwin_hall(f64 n, f64 x, bool integral)
{
    const bool is_low = x <= 0.5 * n;
    const f64 distance = is_low ? x : n - x;
    const f64 found = n <= 64 ? spline_of_uniforms((int)n, distance, integral)
                              : saddle_of_uniforms(n, 0.5 * n - distance, integral);
    return integral && !is_low ? 1 - found : found;
}

// The entropy, by the pieces of the density outwards from the middle. Of more numbers than keep their digits in n angles
// it is that of the normal distribution less (k^2 - k^3) / 48, k = -1.2 / n the excess kurtosis: the terms of the
// Edgeworth series (P. Comon, Signal Processing 36, 1994) up to n^-3.
GNP_COLD f64 entropy_of_uniforms(f64 n)
{
    const f64 k = 1.2 / n;
    if (n > 4096) return 0.5 * (log(PI_F64 / 6 * n) + 1) - (k * k + k * k * k) / 48;
    const f64 width = n > 64 ? 0.0625 * sqrt(n) : 0.5; // beyond 64 numbers the density has no visible pieces
    f64 sum = 0;
#pragma unroll 1
    for (f64 from = 0; from < 0.5 * n; from += width) {
        const f64 part = gauss_integral(
            [&](f64 t) {
                const f64 p = irwin_hall(n, fmax(0.5 * n - from - t, 0.0), false);
                return p > 0 ? -p * log(p) : 0;
            },
            width);
        sum += part;
        if (part < 1e-18 * sum && from > 2) break;
    }
    return 2 * sum;
}
}

#endif
