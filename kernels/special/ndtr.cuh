// ndtr.cuh: the normal distribution. Its tails are exp(-x^2 / 2) erfcx(|x| / sqrt 2) / 2: the rounded argument of
// an erfc would cost x^2 ulp.
#ifndef GNP_SPECIAL_NDTR_CUH
#define GNP_SPECIAL_NDTR_CUH

#include "special/erf.cuh"
#include "special/ndtr_fits.cuh"

namespace special {

#define SQRT_HALF_F64 0x1.6a09e667f3bcdp-1
#define LOG_TWO_F64 0x1.62e42fefa39efp-1

// Phi(-x) for x >= 0, where `scaled` is erfcx(x / sqrt 2).
GNP_FN f64 normal_tail_of(f64 x, f64 scaled)
{
    f64 s = x * x, e = exp(-0.5 * s);
    e = x < 1e3 ? fma(e, -0.5 * fma(x, x, -s), e) : 0;
    return 0.5 * e * scaled;
}
GNP_FN f64 normal_tail(f64 x) { return normal_tail_of(x, ::erfcx(x * SQRT_HALF_F64)); }
GNP_COLD f64 normal_tail_called(f64 x) { return normal_tail(x); } // several copies would be long

GNP_FN bool is_central(f64 x) { return fabs(x) < 1; }
GNP_FN f64 central_ndtr(f64 x) { return fma(0.5, ::erf(x * SQRT_HALF_F64), 0.5); }
GNP_FN f64 ndtr_of_tail(f64 x, f64 tail) { return x < 0 ? tail : x != x ? x : 1 - tail; }

GNP_FN f64 ndtr(f64 x) { return is_central(x) ? central_ndtr(x) : ndtr_of_tail(x, normal_tail(fabs(x))); }
GNP_COLD f64 ndtr_called(f64 x)
{
    return is_central(x) ? central_ndtr(x) : ndtr_of_tail(x, normal_tail_called(fabs(x)));
}

GNP_FN f64 log_ndtr(f64 x)
{
    f64 less_one; // Phi(x) - 1
    if (x >= -1 && x < 1) {
        less_one = fma(0.5, ::erf(x * SQRT_HALF_F64), -0.5);
    }
    else {
        const f64 scaled = ::erfcx(fabs(x) * SQRT_HALF_F64);
        if (x < -1) return log(0.5 * scaled) - 0.5 * x * x;
        less_one = -normal_tail_of(x, scaled);
    }
    return log1p(less_one);
}

GNP_FN f64 ndtri(f64 p)
{
    const f64 root_two = 0x1.6a09e667f3bcdp+0;
    f64 t = 4 * p * (1 - p);
    return t >= EXP_MINUS_SIX ? root_two * (fma(2.0, p, -1.0) * erfinv_quotient(t)) : -root_two * erfcinv_far(2 * p);
}

// The x with log Phi(x) = y: below the range of ndtri by Newton's iteration from the leading terms of its
// expansion, as log Phi is concave and smooth there.
GNP_COLD f64 ndtri_exp_far(f64 y)
{
    const f64 two_over_pi_root = 0x1.988453ad7b8adp-1, log_root_two_pi = 0x1.d67f1c864beb5p-1;
    if (y < -1e40) return -0x1.6a09e667f3bcdp+0 * sqrt(-y); // the next term is below its rounding error
    f64 x = -0x1.6a09e667f3bcdp+0 * sqrt(-(y + log_root_two_pi + 0.5 * log(-y)));
#pragma unroll 1
    for (int step = 0; step < 6; step++) {
        f64 slope = two_over_pi_root / ::erfcx(-x * SQRT_HALF_F64);
        f64 change = (log_ndtr(x) - y) / slope;
        x -= change;
        if (!(fabs(change) > 4 * EPSILON_F64 * fabs(x))) break;
    }
    return x;
}

// Where exp(y) is about 1/2, from 2 exp(y) - 1 = expm1(y + log 2), which vanishes with x.
GNP_FN f64 ndtri_exp_middle(f64 y)
{
    f64 d = expm1((y + LOG_TWO_F64) + 0x1.abc9e3b39803fp-56);
    return 0x1.6a09e667f3bcdp+0 * (d * erfinv_quotient(fma(-d, d, 1.0)));
}

GNP_COLD f64 ndtri_exp(f64 y)
{
    if (y < -600) return ndtri_exp_far(y);
    if (y < -7.4) return -0x1.6a09e667f3bcdp+0 * erfcinv_of_root(sqrt(-(y + LOG_TWO_F64)));
    if (y > 0) return NAN_F64;
    const bool is_low = y < -1.2;
    if (!is_low && !(y > -0.35)) return ndtri_exp_middle(y);
    const f64 x = ndtri(is_low ? exp(y) : -expm1(y));
    return is_low ? x : -x;
}

// ---- f32 -------------------------------------------------------------------------------------------------

// Phi(-a) exp(a^2/2) for a < 2.5, and a times that beyond.
GNP_FN f32 tail_factor(f32 a)
{
    return a < 2.5f ? polynomial(TAIL_NEAR_F32, a - 1.25f) : polynomial(TAIL_FAR_F32, __fdividef(1.0f, a));
}

// Phi(-a) for a >= 0 and the factor of it: exp(-a^2/2) = 2^k (1 + p) with what the rounded square lacks, p added to 1
// with the factor.
GNP_FN f32 normal_tail(f32 a, f32 factor)
{
    a = fminf(a, 15.0f);
    f32 s = a * a, rest = -0.5f * fma(a, a, -s);
    f32 k = rintf(-0x1.715476p-1f * s), r = fma(k, -0x1.62e43p-1f, -0.5f * s);
    r += fma(k, 0x1.05c61p-29f, rest);
    f32 p = fma(r * r, polynomial(EXP_F32, r), r), y = fma(factor, p, factor);
    int half = (int)k >> 1;
    f32 low = __int_as_float((half + 127) << 23), high = __int_as_float(((int)k - half + 127) << 23);
    return (a < 2.5f ? y : y / a) * low * high;
}

GNP_FN f32 ndtr(f32 x)
{
    if (x != x) return x;
    const f32 a = fabsf(x), tail = normal_tail(a, tail_factor(a));
    return x < 0 ? tail : 1 - tail;
}

// Right of 0 log(1 - t) of the tail t, at most 1/2.
GNP_FN f32 log_ndtr(f32 x)
{
    if (x != x) return x;
    const f32 a = fabsf(x), factor = tail_factor(a);
    if (x < 0) return fma(-0.5f * a, a, log(a < 2.5f ? factor : factor / a));
    const f32 t = normal_tail(a, factor);
    return -fma(t, t * polynomial(LOG_OF_REST_F32, t), t);
}
}

#endif
