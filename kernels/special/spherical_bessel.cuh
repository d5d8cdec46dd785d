// Spherical Bessel functions j and y of whole order and real argument, and their derivatives.
//
// Forward recurrence (DLMF 10.51.1) from 10.49.3 and 10.49.5: always stable for y, for j while the order is below x.
// Beyond, j is the power series (10.53.1), or J of half a whole order (10.47.3).
#ifndef GNP_SPECIAL_SPHERICAL_BESSEL_CUH
#define GNP_SPECIAL_SPHERICAL_BESSEL_CUH

#include "special/bessel_real.cuh"

namespace special {

// 10.53.1 for x^2 / 4 <= n + 1: few digits cancel.
GNP_COLD f64 spherical_j_series(i64 n, f64 x)
{
    f64 lead = 1, term = 1, sum = 1;
#pragma unroll 1
    for (i64 k = 1; k <= n; k++) {
        lead *= x / (2 * k + 1);
    }
#pragma unroll 1
    for (int k = 1; k <= 200 && fabs(term) > 0x1p-56 * fabs(sum); k++) {
        term *= -0.5 * x * x / (k * (2.0 * (n + k) + 1));
        sum += term;
    }
    return lead * sum;
}

// Order n of a solution of f(k + 1) = (2k + 1) f(k) / x - f(k - 1), from orders 0 and 1; ends where it overflows.
GNP_FN f64 spherical_forward(i64 n, f64 x, f64 f, f64 next)
{
    if (n == 0) return f;
#pragma unroll 1
    for (i64 k = 1; k < n && fabs(next) < INFINITY_F64; k++) {
        f64 after = (2 * k + 1) * next / x - f;
        f = next;
        next = after;
    }
    return next;
}

GNP_COLD f64 spherical_jn(i64 n, f64 x)
{
    if (x != x || n < 0) return NAN_F64;
    const f64 size = fabs(x), sign = x < 0 && (n & 1) ? -1.0 : 1.0;
    if (size == INFINITY_F64) return 0.0;
    if (size == 0) return n == 0 ? 1.0 : 0.0;
    if (n < size || n == 0) {
        const c128 y = wave(size);
        const f64 first = y.im / size;
        return sign * spherical_forward(n, size, first, (first - y.re) / size);
    }
    if (n <= 1000 && 0.25 * size * size <= n + 1) return sign * spherical_j_series(n, size);
    return sign * sqrt(HALF_PI_F64 / size) * jv(n + 0.5, size);
}

GNP_COLD f64 spherical_yn(i64 n, f64 x)
{
    if (x != x || n < 0) return NAN_F64;
    const f64 size = fabs(x), sign = x < 0 && !(n & 1) ? -1.0 : 1.0;
    if (size == INFINITY_F64) return 0.0;
    if (size == 0) return -INFINITY_F64;
    const c128 y = wave(size);
    const f64 first = -y.re / size;
    return sign * spherical_forward(n, size, first, (first - y.im) / size);
}

// DLMF 10.51.2; for small x the form without division.
GNP_FN f64 spherical_jn_d(i64 n, f64 x)
{
    if (n == 0) return -spherical_jn(1, x);
    if (x == 0) return n == 1 ? 1.0 / 3 : 0.0;
    if (fabs(x) < 1) return (n * spherical_jn(n - 1, x) - (n + 1) * spherical_jn(n + 1, x)) / (2 * n + 1);
    return spherical_jn(n - 1, x) - (n + 1) * spherical_jn(n, x) / x;
}

GNP_FN f64 spherical_yn_d(i64 n, f64 x)
{
    if (n == 0) return -spherical_yn(1, x);
    return spherical_yn(n - 1, x) - (n + 1) * spherical_yn(n, x) / x;
}
}

#endif
