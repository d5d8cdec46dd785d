// Hermite polynomials of integer degree: the recurrences of DLMF 18.9, upwards.
#ifndef GNP_SPECIAL_ORTHOGONAL_CUH
#define GNP_SPECIAL_ORTHOGONAL_CUH

#include "special/common.cuh"

namespace special {

// He_n: He_{k+1} = x He_k - k He_{k-1}.
GNP_FN f64 eval_hermitenorm(i64 n, f64 x)
{
    if (x != x) {
        return x;
    }
    if (n < 0) {
        return NAN_F64;
    }
    f64 before = 0.0, value = 1.0;
#pragma unroll 1
    for (i64 k = 0; k < n && value == value; k++) { // NaN stays NaN: a huge degree ends early
        f64 next = fma(x, value, -(f64)k * before);
        before = value;
        value = next;
    }
    return value;
}

// H_n = 2^n g_n with g_{k+1} = x g_k - (k / 2) g_{k-1}: the power of two is exact and overflows last.
GNP_FN f64 eval_hermite(i64 n, f64 x)
{
    if (x != x) {
        return x;
    }
    if (n < 0) {
        return NAN_F64;
    }
    f64 before = 0.0, value = 1.0;
#pragma unroll 1
    for (i64 k = 0; k < n && value == value; k++) {
        f64 next = fma(x, value, -0.5 * (f64)k * before);
        before = value;
        value = next;
    }
    return ldexp(value, (int)(n < 100000 ? n : 100000));
}
}

#endif
