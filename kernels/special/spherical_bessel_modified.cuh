// Modified spherical Bessel functions i (the first kind) and k of whole order and real argument, and derivatives.
//
// I and K of half a whole order (DLMF 10.47.7, 10.47.9); i of small arguments by its power series (10.53.3).
#ifndef GNP_SPECIAL_SPHERICAL_BESSEL_MODIFIED_CUH
#define GNP_SPECIAL_SPHERICAL_BESSEL_MODIFIED_CUH

#include "special/bessel_modified.cuh"

namespace special {

// For x^2 / 4 <= n + 1.
GNP_COLD f64 spherical_i_series(i64 n, f64 x)
{
    f64 lead = 1, term = 1, sum = 1;
#pragma unroll 1
    for (i64 k = 1; k <= n; k++) {
        lead *= x / (2 * k + 1);
    }
#pragma unroll 1
    for (int k = 1; k <= 200 && term > 0x1p-56 * sum; k++) {
        term *= 0.5 * x * x / (k * (2.0 * (n + k) + 1));
        sum += term;
    }
    return lead * sum;
}

GNP_FN f64 spherical_in(i64 n, f64 x)
{
    if (x != x || n < 0) return NAN_F64;
    const f64 size = fabs(x), sign = x < 0 && (n & 1) ? -1.0 : 1.0;
    if (size == 0) return n == 0 ? 1.0 : 0.0;
    if (size == INFINITY_F64) return sign * INFINITY_F64;
    if (n <= 1000 && 0.25 * size * size <= n + 1) return sign * spherical_i_series(n, size);
    const f64 half = exp(0.5 * size), scaled = ive(n + 0.5, size);
    return scaled == 0 && half == INFINITY_F64 ? NAN_F64 : sign * sqrt(HALF_PI_F64 / size) * scaled * half * half;
}

// DLMF 10.51.5: no difference is taken.
GNP_FN f64 spherical_in_d(i64 n, f64 x)
{
    if (n == 0) return spherical_in(1, x);
    if (x == 0) return n == 1 ? 1.0 / 3 : 0.0;
    const f64 m = (f64)n, below = m / (2 * m + 1), above = (m + 1) / (2 * m + 1);
    return below * spherical_in(n - 1, x) + above * spherical_in(n + 1, x);
}

GNP_FN f64 spherical_kn(i64 n, f64 x)
{
    if (x != x || n < 0) return NAN_F64;
    if (x == 0) return INFINITY_F64;
    if (fabs(x) == INFINITY_F64) return x > 0 ? 0.0 : -INFINITY_F64;
    if (n == 0) return HALF_PI_F64 * exp(-x) / x;
    if (x < 0) { // i(n, -x) turns K (10.47.11)
        const f64 k = sqrt(HALF_PI_F64 / -x) * kv(n + 0.5, -x);
        return fma(-PI_F64, spherical_in(n, -x), n & 1 ? k : -k);
    }
    return sqrt(HALF_PI_F64 / x) * kv(n + 0.5, x);
}

GNP_FN f64 spherical_kn_d(i64 n, f64 x)
{
    if (n == 0) return -spherical_kn(1, x);
    return -spherical_kn(n - 1, x) - (n + 1) * spherical_kn(n, x) / x;
}
}

#endif
