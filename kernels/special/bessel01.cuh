// Bessel functions of the first kind of orders 0 and 1: j0 j1.
//
// Below 8 polynomials about each zero, the zero split in two words (Harrison 2009, "Fast and accurate Bessel function
// computation"); beyond, Hankel's form (DLMF 10.17.3) with P and Q as polynomials in 1/x^2, sine and cosine of x itself.
#ifndef GNP_SPECIAL_BESSEL01_CUH
#define GNP_SPECIAL_BESSEL01_CUH

#include "special/common.cuh"
#include "special/bessel01_fits.cuh"

namespace special {

// (x - zero) P(x - zero); the zero is a sum of two numbers.
template <int N> GNP_FN f64 about_zero(const f64 (&zero)[2], const f64 (&c)[N], f64 x)
{
    f64 v = __dsub_rn(__dsub_rn(x, zero[0]), zero[1]);
    return v * polynomial(c, v);
}

// For x > 8: the sum and the difference of sine and cosine stand for those of x - pi/4.
GNP_FN f64 j0_large(f64 x)
{
    f64 s, c, u = 8 / x, v = fma(2 * u, u, -1.0);
    sincos(x, &s, &c);
    f64 wave = (s + c) * polynomial(HANKEL0_P, v) - (s - c) * (u * polynomial(HANKEL0_Q, v));
    return wave * 0.56418958354775628695 / sqrt(x); // 1/sqrt(pi)
}

GNP_FN f64 j1_large(f64 x)
{
    f64 s, c, u = 8 / x, v = fma(2 * u, u, -1.0);
    sincos(x, &s, &c);
    f64 wave = (s - c) * polynomial(HANKEL1_P, v) + (s + c) * (u * polynomial(HANKEL1_Q, v));
    return wave * 0.56418958354775628695 / sqrt(x);
}

GNP_FN f64 j0(f64 x)
{
    f64 a = fabs(x);
    if (a <= 1.6) {
        return polynomial(J0_SMALL, a * a);
    }
    if (a <= 4) {
        return about_zero(J0_ZERO1, J0_NEAR1, a);
    }
    if (a <= 8) {
        return a <= 7 ? about_zero(J0_ZERO2, J0_NEAR2, a) : about_zero(J0_ZERO3, J0_NEAR3, a);
    }
    return a == INFINITY_F64 ? 0.0 : j0_large(a);
}

GNP_FN f64 j1(f64 x)
{
    f64 a = fabs(x), y;
    if (a <= 2) {
        return x * polynomial(J1_SMALL, a * a);
    }
    if (a <= 5.4) {
        y = about_zero(J1_ZERO1, J1_NEAR1, a);
    } else {
        y = a <= 8 ? about_zero(J1_ZERO2, J1_NEAR2, a) : a == INFINITY_F64 ? 0.0 : j1_large(a);
    }
    return x < 0 ? -y : y;
}
}

#endif
