// Bessel functions of the second kind of orders 0 and 1: y0 y1.
//
// Near 0 the logarithm is split off (DLMF 10.8.2) as log(x/z) with the first zero z, so that terms do not
// cancel; up to 8 polynomials about each zero (Harrison 2009); beyond, Hankel's form (10.17.4).
#ifndef GNP_SPECIAL_BESSEL01_SECOND_CUH
#define GNP_SPECIAL_BESSEL01_SECOND_CUH

#include "special/bessel01.cuh"
#include "special/bessel01_second_fits.cuh"
#include "special/bessel1_second_fits.cuh"

namespace special {

// For x > 8, as j0_large.
GNP_FN f64 y0_large(f64 x)
{
    f64 s, c, u = 8 / x, v = fma(2 * u, u, -1.0);
    sincos(x, &s, &c);
    f64 wave = (s - c) * polynomial(HANKEL0_P, v) + (s + c) * (u * polynomial(HANKEL0_Q, v));
    return wave * 0.56418958354775628695 / sqrt(x);
}

// x <= 1.6; NaN for x < 0 by the logarithm. Both terms have the sign of x - z.
GNP_FN f64 y0_small(f64 x)
{
    f64 t = x * x, v = __dsub_rn(__dsub_rn(x, Y0_ZERO1[0]), Y0_ZERO1[1]);
    f64 log_ratio = x < 0.5 ? log(x) - Y0_LOG_ZERO1[0] : log1p(v / Y0_ZERO1[0]);
    return fma(0.63661977236758134308 * log_ratio, polynomial(J0_SMALL, t),
               v * (x + Y0_ZERO1[0]) * polynomial(Y0_SMALL, t));
}

GNP_FN f64 y0(f64 x)
{
    if (x <= 1.6) {
        return y0_small(x);
    }
    if (x <= 2.9) {
        return polynomial(Y0_MIDDLE, x - 2.25);
    }
    if (x <= 8) {
        return x <= 5.4 ? about_zero(Y0_ZERO2, Y0_NEAR2, x) : about_zero(Y0_ZERO3, Y0_NEAR3, x);
    }
    return x == INFINITY_F64 ? 0.0 : y0_large(x);
}

GNP_FN f64 y1_large(f64 x)
{
    f64 s, c, u = 8 / x, v = fma(2 * u, u, -1.0);
    sincos(x, &s, &c);
    f64 wave = (s - c) * (u * polynomial(HANKEL1_Q, v)) - (s + c) * polynomial(HANKEL1_P, v);
    return wave * 0.56418958354775628695 / sqrt(x);
}

// As y0_small; the term -2 / (pi x) is in the second part.
GNP_FN f64 y1_small(f64 x)
{
    f64 t = x * x, v = __dsub_rn(__dsub_rn(x, Y1_ZERO1[0]), Y1_ZERO1[1]);
    f64 log_ratio = x < 1 ? log(x) - Y1_LOG_ZERO1[0] : log1p(v / Y1_ZERO1[0]);
    return fma(0.63661977236758134308 * log_ratio, x * polynomial(J1_SMALL, t),
               v * (x + Y1_ZERO1[0]) * polynomial(Y1_SMALL, t) / x);
}

GNP_FN f64 y1(f64 x)
{
    if (x <= 1.6) {
        return x == 0 ? -INFINITY_F64 : y1_small(x);
    }
    if (x <= 3.2) {
        return about_zero(Y1_ZERO1, Y1_NEAR1, x);
    }
    if (x <= 8) {
        return x <= 7 ? about_zero(Y1_ZERO2, Y1_NEAR2, x) : about_zero(Y1_ZERO3, Y1_NEAR3, x);
    }
    return x == INFINITY_F64 ? 0.0 : y1_large(x);
}
}

#endif
