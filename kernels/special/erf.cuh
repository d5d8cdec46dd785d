// erf.cuh: the error function's relatives for real numbers. erf, erfc and erfcx are CUDA's own, of 2, 5 and 4 ulp
// in f64 (CUDA C++ Programming Guide, mathematical functions); the others are minimax approximations.
#ifndef GNP_SPECIAL_ERF_CUH
#define GNP_SPECIAL_ERF_CUH

#include "special/common.cuh"
#include "special/erf_fits.cuh"

namespace special {

// exp(-x^2) with what the rounded square lacks.
GNP_FN f64 exp_minus_square(f64 x)
{
    f64 s = x * x, e = exp(-s);
    return fma(e, -fma(x, x, -s), e);
}

// ---- Dawson's integral -----------------------------------------------------------------------------------

GNP_FN f64 dawsn(f64 x)
{
    f64 t = x * x;
    if (t <= 1) return x * quotient(DAWSON_NEAR_P, DAWSON_NEAR_Q, t);
    if (t <= 5.5) return x * cold_quotient(DAWSON_MIDDLE_P, DAWSON_MIDDLE_Q, t);
    if (t <= 16) return x * cold_quotient(DAWSON_WIDE_P, DAWSON_WIDE_Q, t);
    if (t <= 36) return 0.5 / x * polynomial_loop(DAWSON_OUTER, fabs(x) - 5);
    return 0.5 / x * (t < INFINITY_F64 ? quotient(DAWSON_FAR_P, DAWSON_FAR_Q, 1 / t) : t != t ? t : 1.0);
}

// -i erf(i x) = 2 / sqrt(pi) exp(x^2) D(x); close to overflow the exponential comes in two factors.
GNP_FN f64 erfi(f64 x)
{
    const f64 scale = 0x1.20dd750429b6dp+0;
    f64 s = x * x, rest = fma(x, x, -s);
    if (!(s < 1000)) return x * INFINITY_F64; // overflow, infinities, NaN
    f64 e = exp(s < 700 ? s : 0.5 * s), d = scale * dawsn(x);
    return s < 700 ? fma(e, rest, e) * d : fma(e, rest, e) * (e * d);
}

// ---- inverses --------------------------------------------------------------------------------------------

#define EXP_MINUS_SIX 0x1.44e51f113d4d6p-9

// The x >= 0 with erfc(x) = exp(-r^2), r from 2.58.
GNP_COLD f64 erfcinv_of_root(f64 r)
{
    f64 excess = r <= 8 ? quotient(ERFCINV_MIDDLE_P, ERFCINV_MIDDLE_Q, r) : quotient(ERFCINV_FAR_P, ERFCINV_FAR_Q, r);
    return fma(r, excess, r);
}

// erfcinv outside [0.00125, 1.99875], where it is one expression of t = y (2 - y).
GNP_COLD f64 erfcinv_far(f64 y)
{
    if (y > 1) return y < 2 ? -erfcinv_of_root(sqrt(-log(2 - y))) : y == 2 ? -INFINITY_F64 : NAN_F64;
    return y > 0 ? erfcinv_of_root(sqrt(-log(y))) : y == 0 ? INFINITY_F64 : NAN_F64;
}

// erfinv(y) / y for t = 1 - y^2 from exp(-6) on: smooth in log(t) (Giles 2011, "Approximating the erfinv function").
GNP_FN f64 erfinv_quotient(f64 t) { return polynomial(ERFINV, -3 - log(t)); }

// 1 - |y| is exact from 1/2 on.
GNP_FN f64 erfinv(f64 y)
{
    f64 t = fma(-y, y, 1.0);
    return t >= EXP_MINUS_SIX ? y * erfinv_quotient(t) : copysign(erfcinv_far(1 - fabs(y)), y);
}

GNP_FN f64 erfcinv(f64 y)
{
    f64 t = y * (2 - y);
    return t >= EXP_MINUS_SIX ? (1 - y) * erfinv_quotient(t) : erfcinv_far(y);
}

GNP_FN f32 erfinv(f32 y) { return ::erfinv(y); }
}

#endif
