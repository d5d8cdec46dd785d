// Bessel function of the second kind of order 0: y0.
//
// Near 0 the logarithm is split off (DLMF 10.8.2) as log(x/z) with the first zero z, so that terms do not
// cancel; up to 8 polynomials about each zero (Harrison 2009); beyond, Hankel's form (10.17.4).
#ifndef GNP_SPECIAL_BESSEL01_SECOND_CUH
#define GNP_SPECIAL_BESSEL01_SECOND_CUH

#include "special/bessel01.cuh"
#include "special/bessel01_second_fits.cuh"

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
}

#endif
