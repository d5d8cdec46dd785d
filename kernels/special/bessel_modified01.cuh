// Modified Bessel functions of orders 0 and 1: i0 i0e i1 i1e k0 k0e k1 k1e, in f64 and f32.
//
// I_n: x^n times a polynomial in x^2 up to 8, beyond exp(x)/sqrt(x) times a polynomial in 1/x (DLMF 10.40.1).
// K_n: up to 1 the logarithm is split off (10.31.1, 10.31.2), so that no term cancels another; beyond
// exp(-x)/sqrt(x) times polynomials in 1/x (10.40.2) in two intervals.
#ifndef GNP_SPECIAL_BESSEL_MODIFIED01_CUH
#define GNP_SPECIAL_BESSEL_MODIFIED01_CUH

#include "special/common.cuh"
#include "special/bessel_modified01_fits.cuh"

namespace special {

// exp(a) y without overflow of exp(a) where the product is finite.
GNP_FN f64 exp_times(f64 a, f64 y)
{
    if (a > 700) {
        return a > 715 ? INFINITY_F64 : exp(a - 16) * y * 8886110.520507872; // exp(16)
    }
    return exp(a) * y;
}

// exp(-a) I_n(a) for a > 8.
GNP_FN f64 i0_large(f64 a) { return polynomial(I0_LARGE, 16 / a - 1) / sqrt(a); }
GNP_FN f64 i1_large(f64 a) { return polynomial(I1_LARGE, 16 / a - 1) / sqrt(a); }

GNP_FN f64 i0(f64 x)
{
    f64 a = fabs(x);
    return a <= 8 ? polynomial(I0_SMALL, a * a) : exp_times(a, i0_large(a));
}

GNP_FN f64 i0e(f64 x)
{
    f64 a = fabs(x);
    return a <= 8 ? exp(-a) * polynomial(I0_SMALL, a * a) : i0_large(a);
}

GNP_FN f64 i1(f64 x)
{
    f64 a = fabs(x);
    return a <= 8 ? x * polynomial(I1_SMALL, a * a) : copysign(exp_times(a, i1_large(a)), x);
}

GNP_FN f64 i1e(f64 x)
{
    f64 a = fabs(x);
    return a <= 8 ? exp(-a) * (x * polynomial(I1_SMALL, a * a)) : copysign(i1_large(a), x);
}

// K_n(x) for x <= 1; NaN for x < 0 by the logarithm.
GNP_FN f64 k0_small(f64 x)
{
    f64 t = x * x;
    return fma(-log(x), polynomial(I0_UNIT, t), polynomial(K0_UNIT, t));
}

GNP_FN f64 k1_small(f64 x)
{
    f64 t = x * x;
    return x == 0 ? INFINITY_F64
                  : 1 / x + x * fma(log(x), polynomial(I1_UNIT, t), polynomial(K1_UNIT, t));
}

// exp(x) K_n(x) for x > 1.
GNP_FN f64 k0_large(f64 x)
{
    f64 p = x <= 4 ? polynomial(K0_MIDDLE, (8 / x - 5) * 0.3333333333333333) : polynomial(K0_LARGE, 8 / x - 1);
    return p / sqrt(x);
}

GNP_FN f64 k1_large(f64 x)
{
    f64 p = x <= 4 ? polynomial(K1_MIDDLE, (8 / x - 5) * 0.3333333333333333) : polynomial(K1_LARGE, 8 / x - 1);
    return p / sqrt(x);
}

GNP_FN f64 k0(f64 x) { return x <= 1 ? k0_small(x) : exp(-x) * k0_large(x); }
GNP_FN f64 k1(f64 x) { return x <= 1 ? k1_small(x) : exp(-x) * k1_large(x); }
GNP_FN f64 k0e(f64 x) { return x <= 1 ? exp(x) * k0_small(x) : k0_large(x); }
GNP_FN f64 k1e(f64 x) { return x <= 1 ? exp(x) * k1_small(x) : k1_large(x); }

// ---- the same in f32 ----

// exp(a) y without overflow of exp(a) where the product is finite.
GNP_FN f32 exp_times(f32 a, f32 y)
{
    if (a > 85) {
        return a > 93 ? INFINITY_F32 : exp(a - 16) * y * 8886110.5f; // exp(16)
    }
    return exp(a) * y;
}

// exp(-a) I_n(a) for a > 8.
GNP_FN f32 i0_large(f32 a) { return polynomial(I0_LARGE_F32, 16 / a - 1) / sqrt(a); }
GNP_FN f32 i1_large(f32 a) { return polynomial(I1_LARGE_F32, 16 / a - 1) / sqrt(a); }

GNP_FN f32 i0(f32 x)
{
    f32 a = fabs(x);
    return a <= 8 ? polynomial(I0_SMALL_F32, a * a) : exp_times(a, i0_large(a));
}

GNP_FN f32 i0e(f32 x)
{
    f32 a = fabs(x);
    return a <= 8 ? exp(-a) * polynomial(I0_SMALL_F32, a * a) : i0_large(a);
}

GNP_FN f32 i1(f32 x)
{
    f32 a = fabs(x);
    return a <= 8 ? x * polynomial(I1_SMALL_F32, a * a) : copysign(exp_times(a, i1_large(a)), x);
}

GNP_FN f32 i1e(f32 x)
{
    f32 a = fabs(x);
    return a <= 8 ? exp(-a) * (x * polynomial(I1_SMALL_F32, a * a)) : copysign(i1_large(a), x);
}

// K_n(x) for x <= 1; NaN for x < 0 by the logarithm.
GNP_FN f32 k0_small(f32 x)
{
    f32 t = x * x;
    return fma(-log(x), polynomial(I0_UNIT_F32, t), polynomial(K0_UNIT_F32, t));
}

GNP_FN f32 k1_small(f32 x)
{
    f32 t = x * x;
    return x == 0 ? INFINITY_F32
                  : 1 / x + x * fma(log(x), polynomial(I1_UNIT_F32, t), polynomial(K1_UNIT_F32, t));
}

// exp(x) K_n(x) for x > 1.
GNP_FN f32 k0_large(f32 x)
{
    f32 p = x <= 4 ? polynomial(K0_MIDDLE_F32, (8 / x - 5) * 0.33333334f) : polynomial(K0_LARGE_F32, 8 / x - 1);
    return p / sqrt(x);
}

GNP_FN f32 k1_large(f32 x)
{
    f32 p = x <= 4 ? polynomial(K1_MIDDLE_F32, (8 / x - 5) * 0.33333334f) : polynomial(K1_LARGE_F32, 8 / x - 1);
    return p / sqrt(x);
}

GNP_FN f32 k0(f32 x) { return x <= 1 ? k0_small(x) : exp(-x) * k0_large(x); }
GNP_FN f32 k1(f32 x) { return x <= 1 ? k1_small(x) : exp(-x) * k1_large(x); }
GNP_FN f32 k0e(f32 x) { return x <= 1 ? exp(x) * k0_small(x) : k0_large(x); }
GNP_FN f32 k1e(f32 x) { return x <= 1 ? exp(x) * k1_small(x) : k1_large(x); }
}

#endif
