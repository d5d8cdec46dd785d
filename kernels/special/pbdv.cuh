// Parabolic cylinder functions D and V of order v = -a - 1/2, with derivatives (DLMF 12): D for x > 0 from Tricomi's
// function (12.7.14); D for x < 0 and V from the even and the odd solution (12.2.6 to 12.2.9, 12.7.12, 12.7.13).
#ifndef GNP_SPECIAL_PBDV_CUH
#define GNP_SPECIAL_PBDV_CUH

#include "special/hyperu.cuh"

namespace special {

// 2^(v/2) e^(-x^2/4) U(-v/2, 1/2, x^2/2) for x >= 0.
GNP_COLD f64 cylinder_right(f64 v, f64 x)
{
    f64 exponent = 0.5 * v * 0.693147180559945309 - 0.25 * x * x;
    if (v == 0) return short_exp(exponent);
    if (x == 0) return short_exp(exponent) * 1.77245385090551603 * short_rgamma(0.5 * (1 - v));
    f64 half = short_exp(0.5 * exponent);
    return half * hyperu_positive(-0.5 * v, 0.5, 0.5 * x * x) * half;
}

// Order n >= 0 at any x: D_{n+1} = x D_n - n D_{n-1}.
GNP_COLD f64 cylinder_whole(f64 n, f64 x)
{
    if (n > MAX_DEGREE) return NAN_F64;
    f64 half = short_exp(-0.125 * x * x), before = 0, value = half;
#pragma unroll 1
    for (f64 k = 0; k < n; k++) {
        f64 next = x * value - k * before;
        before = value;
        value = next;
    }
    return value * half;
}

// The even and the odd solution, with e^(-x^2/4) M or, what is the same, e^(x^2/4) M(-x^2/2).
GNP_COLD f64 cylinder_solution(f64 v, f64 x, bool odd)
{
    f64 half = short_exp(-0.125 * x * x), y = half * hyp1f1(0.5 * (odd - v), odd ? 1.5 : 0.5, 0.5 * x * x) * half;
    return odd ? x * y : y;
}

GNP_COLD f64 cylinder_d(f64 v, f64 x)
{
    if (v >= 0 && floor(v) == v) return cylinder_whole(v, x);
    if (x >= 0) return cylinder_right(v, x);
    f64 scale = short_exp(0.5 * v * 0.693147180559945309) * 1.77245385090551603;
    f64 even = short_rgamma(0.5 * (1 - v)) * cylinder_solution(v, x, false);
    f64 odd = 1.41421356237309505 * short_rgamma(-0.5 * v) * cylinder_solution(v, x, true);
    return scale * (even - odd);
}

// V(a, 0) u1 + V'(a, 0) u2, a = -v - 1/2 (12.2.8, 12.2.9); left of 0 the two cancel, where 12.2.20 does not.
GNP_COLD f64 cylinder_v(f64 v, f64 x)
{
    if (x < 0 && fabs(v - rint(v)) > 0.1) {
        const f64 turn = cospi(modulo2(v));
        f64 y = cylinder_right(v, -x);
        if (turn != 0) y -= turn * cylinder_d(v, x);
        return short_gamma(-v) * y / PI_F64;
    }
    f64 scale = short_exp(-0.5 * v * 0.693147180559945309), near = short_rgamma(1 + 0.5 * v), far = short_rgamma(0.5 * (1 + v));
    f64 even = near * near * short_rgamma(-0.5 * v) * cylinder_solution(v, x, false);
    f64 odd = 1.41421356237309505 * far * far * short_rgamma(0.5 * (1 - v)) * cylinder_solution(v, x, true);
    return PI_F64 * scale * (even + odd);
}

template <class O> GNP_FN void pbdv(f64 v, f64 x, O &value, O &slope)
{
    f64 y = NAN_F64, dy = NAN_F64;
    if (fabs(v) < INFINITY_F64 && fabs(x) < INFINITY_F64) {
        y = cylinder_d(v, x);
        // D' = v D_{v-1} - x/2 D or x/2 D - D_{v+1} (12.8.2, 12.8.3): the one that cancels less
        dy = x < 0 || v < 0 ? 0.5 * x * y - cylinder_d(v + 1, x) : v * cylinder_d(v - 1, x) - 0.5 * x * y;
    }
    value = (O)y;
    slope = (O)dy;
}

template <class O> GNP_FN void pbvv(f64 v, f64 x, O &value, O &slope)
{
    f64 y = NAN_F64, dy = NAN_F64;
    if (fabs(v) < INFINITY_F64 && fabs(x) < INFINITY_F64) {
        y = cylinder_v(v, x);
        // 12.8.6, 12.8.7
        dy = x > 0 ? 0.5 * x * y - (v + 1) * cylinder_v(v + 1, x) : cylinder_v(v - 1, x) - 0.5 * x * y;
    }
    value = (O)y;
    slope = (O)dy;
}
}

#endif
