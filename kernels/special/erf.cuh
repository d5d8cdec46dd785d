// erf.cuh: the error function's relatives for real numbers. erf, erfc and erfcx are CUDA's own, of 2, 5 and 4 ulp
// in f64 (CUDA C++ Programming Guide, mathematical functions); the others are minimax approximations.
#ifndef GNP_SPECIAL_ERF_CUH
#define GNP_SPECIAL_ERF_CUH

#include "special/common.cuh"
#include "special/erf_fits.cuh"

namespace special {

template <int N, int M> GNP_FN f64 quotient(const f64 (&p)[N], const f64 (&q)[M], f64 x)
{
    return polynomial(p, x) / polynomial(q, x);
}
template <int N, int M> GNP_COLD f64 cold_quotient(const f64 (&p)[N], const f64 (&q)[M], f64 x)
{
    return polynomial_loop(p, x) / polynomial_loop(q, x);
}

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

// The x >= 0 with erfc(x) = exp(-r^2), r from 1.37.
GNP_FN f64 erfcinv_of_root(f64 r)
{
    if (r <= 3) return quotient(ERFCINV_NEAR_P, ERFCINV_NEAR_Q, r);
    return r <= 8 ? cold_quotient(ERFCINV_MIDDLE_P, ERFCINV_MIDDLE_Q, r)
                  : cold_quotient(ERFCINV_FAR_P, ERFCINV_FAR_Q, r);
}

// |y| <= 0.85.
GNP_FN f64 erfinv_centre(f64 y)
{
    f64 t = y * y;
    return y * (t <= 0.36 ? polynomial(ERFINV_CENTRE, t) : quotient(ERFINV_OUTER_P, ERFINV_OUTER_Q, (1 - y) * (1 + y)));
}

GNP_FN f64 erfinv(f64 y)
{
    f64 size = fabs(y);
    if (size <= 0.85) return erfinv_centre(y);
    if (size >= 1) return size == 1 ? copysign(INFINITY_F64, y) : NAN_F64;
    return y != y ? y : copysign(erfcinv_of_root(sqrt(-log(1 - size))), y);
}

// 1 - y is exact from 1/2 on.
GNP_FN f64 erfcinv(f64 y)
{
    if (y >= 0.15 && y <= 1.85) return erfinv_centre(1 - y);
    if (y > 1) return y < 2 ? -erfcinv_of_root(sqrt(-log(2 - y))) : y == 2 ? -INFINITY_F64 : NAN_F64;
    return y > 0 ? erfcinv_of_root(sqrt(-log(y))) : y == 0 ? INFINITY_F64 : NAN_F64;
}

GNP_FN f32 erfinv(f32 y) { return ::erfinv(y); }
}

#endif
