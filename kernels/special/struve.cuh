// Struve's function H of real order. Up to 40 the power series; beyond, the Bessel function Y and the expansion of the
// difference where the order is less than x, a sum of Bessel functions of larger orders (DLMF 11.4.19) where it is not, and
// for orders below -x / 4 the recurrence (11.4.23) down from orders of [-1, 1).
#ifndef GNP_SPECIAL_STRUVE_CUH
#define GNP_SPECIAL_STRUVE_CUH

#include "special/bessel_real.cuh"
#include "special/struve_core.cuh"

namespace special {

GNP_FN f64 struve_by_y(f64 v, f64 x) { return bessel_y_any(v, x, false) + struve_difference(v, x, -1.0); }

// sqrt(x / 2 pi) times the sum of (x/2)^k / (k! (k + 1/2)) J(v + 1/2 + k), by ratios of neighbours, for v >= x.
static __device__ __noinline__ f64 struve_by_j(f64 v, f64 x)
{
    const f64 order = v + 0.5, w = 2 / x;
    f64 ratio = 0, sum = 0;
#pragma unroll 1
    for (int k = (int)fmin(x, BESSEL_MAX_ORDER) + 60; k >= 0; k--) {
        ratio = 1 / ((order + k + 1) * w - ratio);
        sum = fma(0.5 * x / (k + 1) * ratio, sum, 1 / (k + 0.5));
    }
    return sqrt(x) * 0.39894228040143267794 * bessel_jy(order, x, BESSEL_J).j * sum;
}

static __device__ __noinline__ f64 struve_downwards(f64 v, f64 x)
{
    const int n = (int)ceil(-v) - 1;
    f64 j = v + n, now = struve_by_y(j, x), above = struve_by_y(j + 1, x), extra = unscaled(struve_leading(j, x)) / x;
    const f64 w = 2 / x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        j = v + (n - i);
        const f64 below = w * j * now - above + extra;
        extra *= (j + 0.5) * w;
        above = now;
        now = below;
    }
    return now;
}

static __device__ __noinline__ f64 struve_positive(f64 v, f64 x)
{
    if (is_negative_half(v)) {
        const f64 order = -v, odd = 0.5 * (order - 0.5) != floor(0.5 * (order - 0.5)) ? -1.0 : 1.0;
        return odd * bessel_jy(order, x, BESSEL_J).j;
    }
    if (v < -BESSEL_MAX_ORDER) return NAN_F64;
    if (v > BESSEL_MAX_ORDER && v >= x) return x < 0.6 * v ? 0.0 : NAN_F64;
    if (v > BESSEL_MAX_ORDER) return NAN_F64;
    if (x < 40) return struve_series(v, x, -1.0);
    return v < -0.25 * x ? struve_downwards(v, x) : v < x ? struve_by_y(v, x) : struve_by_j(v, x);
}

GNP_FN f64 struve(f64 v, f64 x)
{
    f64 result, sign;
    return struve_edge(v, x, result, sign) ? result : sign * struve_positive(v, fabs(x));
}
}

#endif
