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

// Each polynomial as a function of f64 and of f32.
#define GNP_FIT(NAME, function)                                         \
    GNP_FN f64 function(f64 t) { return polynomial(NAME, t); }          \
    GNP_FN f32 function(f32 t) { return polynomial(NAME##_F32, t); }

GNP_FIT(I0_LARGE, fit_i0_large)
GNP_FIT(I1_LARGE, fit_i1_large)
GNP_FIT(I0_SMALL, fit_i0_small)
GNP_FIT(I1_SMALL, fit_i1_small)
GNP_FIT(I0_UNIT, fit_i0_unit)
GNP_FIT(K0_UNIT, fit_k0_unit)
GNP_FIT(I1_UNIT, fit_i1_unit)
GNP_FIT(K1_UNIT, fit_k1_unit)
GNP_FIT(K0_MIDDLE, fit_k0_middle)
GNP_FIT(K0_LARGE, fit_k0_large)
GNP_FIT(K1_MIDDLE, fit_k1_middle)
GNP_FIT(K1_LARGE, fit_k1_large)

// exp(a) y without overflow of exp(a) where the product is finite.
GNP_FN f64 exp_times(f64 a, f64 y)
{
    if (a > 700) {
        return a > 715 ? INFINITY_F64 : exp(a - 16) * y * 8886110.520507872; // exp(16)
    }
    return exp(a) * y;
}
GNP_FN f32 exp_times(f32 a, f32 y)
{
    if (a > 85) {
        return a > 93 ? INFINITY_F32 : exp(a - 16) * y * 8886110.5f; // exp(16)
    }
    return exp(a) * y;
}

// exp(-a) I_n(a) for a > 8.
template <class F> GNP_FN F i0_large(F a) { return fit_i0_large(16 / a - 1) / sqrt(a); }
template <class F> GNP_FN F i1_large(F a) { return fit_i1_large(16 / a - 1) / sqrt(a); }

template <class F> GNP_FN F i0(F x)
{
    F a = fabs(x);
    return a <= 8 ? fit_i0_small(a * a) : exp_times(a, i0_large(a));
}

template <class F> GNP_FN F i0e(F x)
{
    F a = fabs(x);
    return a <= 8 ? exp(-a) * fit_i0_small(a * a) : i0_large(a);
}

template <class F> GNP_FN F i1(F x)
{
    F a = fabs(x);
    return a <= 8 ? x * fit_i1_small(a * a) : copysign(exp_times(a, i1_large(a)), x);
}

template <class F> GNP_FN F i1e(F x)
{
    F a = fabs(x);
    return a <= 8 ? exp(-a) * (x * fit_i1_small(a * a)) : copysign(i1_large(a), x);
}

// K_n(x) for x <= 1; NaN for x < 0 by the logarithm.
template <class F> GNP_FN F k0_small(F x)
{
    F t = x * x;
    return fma(-log(x), fit_i0_unit(t), fit_k0_unit(t));
}

template <class F> GNP_FN F k1_small(F x)
{
    F t = x * x;
    return x == 0 ? F(INFINITY_F64)
                  : 1 / x + x * fma(log(x), fit_i1_unit(t), fit_k1_unit(t));
}

// exp(x) K_n(x) for x > 1.
template <class F> GNP_FN F k0_large(F x)
{
    F p = x <= 4 ? fit_k0_middle((8 / x - 5) * F(1.0 / 3)) : fit_k0_large(8 / x - 1);
    return p / sqrt(x);
}

template <class F> GNP_FN F k1_large(F x)
{
    F p = x <= 4 ? fit_k1_middle((8 / x - 5) * F(1.0 / 3)) : fit_k1_large(8 / x - 1);
    return p / sqrt(x);
}

template <class F> GNP_FN F k0(F x) { return x <= 1 ? k0_small(x) : exp(-x) * k0_large(x); }
template <class F> GNP_FN F k1(F x) { return x <= 1 ? k1_small(x) : exp(-x) * k1_large(x); }
template <class F> GNP_FN F k0e(F x) { return x <= 1 ? exp(x) * k0_small(x) : k0_large(x); }
template <class F> GNP_FN F k1e(F x) { return x <= 1 ? exp(x) * k1_small(x) : k1_large(x); }
}

#endif
