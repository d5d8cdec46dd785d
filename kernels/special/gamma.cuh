// Gamma(x), 1/Gamma(x), ln |Gamma(x)| and the sign of Gamma(x) for real x.
// Minimax approximations on [2, 3) with the recurrence (DLMF 5.5.1), Stirling's formula from 8 on (5.11.1),
// whose exponent is kept in two parts, and the reflection (5.5.3). ln Gamma has factors for its zeros 1 and 2;
// beside the zeros below -2 it comes from a product in two parts.
#ifndef GNP_SPECIAL_GAMMA_CUH
#define GNP_SPECIAL_GAMMA_CUH

#include "special/common.cuh"
#include "special/gamma_fits.cuh"
#include "special/log_pair.cuh"
#include "special/stirling.cuh"

namespace special {

// ln Gamma(x) = high + low for x >= 8.
GNP_FN f64 gamma_exponent(f64 x, f64 &low)
{
    f64 a = x - 0.5, log_low, log_high = log_pair(x, log_low);
    f64 p = __dmul_rn(a, log_high), p_low = fma(a, log_high, -p) + a * log_low;
    f64 e1, e2, e3;
    f64 s = fast_two_sum(p, -x, e1);
    s = fast_two_sum(s, 0x1.d67f1c864beb5p-1, e2);
    s = fast_two_sum(s, stirling_tail_far(x), e3);
    low = p_low + e1 + e2 + e3;
    return s;
}

// exp(high + low) for a small `low`.
GNP_FN f64 exp_pair(f64 high, f64 low)
{
    f64 y = exp(high);
    return y < INFINITY_F64 ? fma(y, low, y) : y;
}

// Gamma(x) = polynomial * over/under for 0 < x < 8.
GNP_FN f64 gamma_factors(f64 x, f64 &over, f64 &under)
{
    f64 whole = floor(x);
    over = 1;
    under = whole == 0 ? x * (x + 1) : whole == 1 ? x : 1;
#pragma unroll 1
    for (f64 k = whole; k > 2; k--) {
        x -= 1;
        over *= x;
    }
    return polynomial(GAMMA, x - fmin(floor(x), 2.0));
}

// Gamma(x) for x <= 0 is -pi/(y sin(pi y) Gamma(y)), y = -x, where 1/Gamma(y) = factor, or Gamma(y) =
// exp(high + low) from 8 on.
GNP_COLD f64 gamma_reflected(f64 x, f64 factor, f64 high, f64 low, bool reciprocal)
{
    f64 y = -x;
    if (floor(y) == y || y == INFINITY_F64) {
        return reciprocal ? (y == 0 ? x : 0.0) : y == 0 ? copysign(INFINITY_F64, x) : NAN_F64;
    }
    f64 s = sinpi(modulo2(y));
    if (high == 0) { // factor is 1/Gamma(y) then, as y may be very small
        return reciprocal ? -s * (y / factor) / PI_F64 : -(PI_F64 / s) * (factor / y);
    }
    f64 part = high > 600 ? 0.5 * high : high; // the product may be finite where exp(high) is not
    f64 e = exp_called(reciprocal ? part : -part), other = high > 600 ? e : 1.0;
    f64 scale = reciprocal ? fma(e, low, e) : fma(e, -low, e);
    return reciprocal ? -(scale * (y * s)) / PI_F64 * other : -(scale / (y * s)) * PI_F64 * other;
}

GNP_FN f64 gamma(f64 x)
{
    f64 y = fabs(x), low = 0, high = 0, over, under, p = 1;
    if (y >= 8) {
        high = gamma_exponent(fmin(y, 300.0), low);
        if (x > 0) {
            return exp_pair(high, low);
        }
    }
    else {
        p = gamma_factors(y, over, under);
        if (x > 0) {
            return x < 2 ? p / under : p * over;
        }
        p = under / (p * over);
    }
    return x == x ? gamma_reflected(x, p, high, low, false) : x;
}

GNP_FN f64 rgamma(f64 x)
{
    f64 y = fabs(x), low = 0, high = 0, over, under, p = 1;
    if (y >= 8) {
        high = gamma_exponent(fmin(y, 300.0), low);
        if (x > 0) {
            return exp_pair(-high, -low);
        }
    }
    else {
        p = gamma_factors(y, over, under);
        p = under / (p * over);
        if (x > 0) {
            return p;
        }
    }
    return x == x ? gamma_reflected(x, p, high, low, true) : x;
}

GNP_FN f64 gammasgn(f64 x)
{
    if (x > 0 || x != x) {
        return x > 0 ? 1.0 : x;
    }
    f64 whole = floor(x);
    if (x == 0) {
        return copysign(1.0, x);
    }
    return whole == x ? NAN_F64 : modulo2(whole) == 0 ? 1.0 : -1.0;
}

GNP_FN f64 gammaln_positive(f64 x)
{
    const bool small = x < 0.5;
    f64 l = 0; // the logarithm stands once: it is most of the code
    if (small || x >= 8) l = ::log(x);
    if (x >= 8) {
        f64 y = fma(x - 0.5, l - 1, 0.418938533204672741780 + stirling_tail_far(x));
        return x < 2.6e305 ? y : INFINITY_F64;
    }
    if (x >= 3) {
        f64 t = x - 3;
        return fma(t, 1.5, 0.6875 + polynomial(LOG_GAMMA_MIDDLE_P, t) / polynomial(LOG_GAMMA_MIDDLE_Q, t));
    }
    f64 t = small ? x + 0.5 : x - 0.5, zeros = small ? x * (x - 1) : (x - 1) * (x - 2);
    f64 y = zeros * (0.4375 + polynomial(LOG_GAMMA_P, t) / polynomial(LOG_GAMMA_Q, t));
    return small ? y - l : y;
}

// ln |Gamma(x)| for -20 < x < -2 and near its zeros: |Gamma(x + n)|/|x (x + 1) ... (x + n - 1)| - 1 with
// numerator and denominator in two parts. All sums x + k are exact.
GNP_COLD f64 gammaln_near_zero(f64 x)
{
    f64 below = 1, below_low = 0;
    while (x < 2) {
        f64 p = __dmul_rn(below, x);
        below_low = fma(below, x, -p) + below_low * x;
        below = p;
        x += 1;
    }
    x -= 2;
    enum { N = sizeof(GAMMA_HIGH) / sizeof(f64) };
    f64 above = GAMMA_HIGH[N - 1], above_low = 0, e;
#pragma unroll 1
    for (int i = N - 2; i >= 0; i--) {
        f64 p = __dmul_rn(above, x), p_low = fma(above, x, -p) + above_low * x;
        above = two_sum(GAMMA_HIGH[i], p, e);
        above = fast_two_sum(above, p_low + e + GAMMA_LOW[i], above_low);
    }
    f64 sign = below < 0 ? -1.0 : 1.0;
    below *= sign;
    below_low *= sign;
    f64 difference = two_sum(above, -below, e);
    difference += e + (above_low - below_low);
    bool near = difference > -0.5 * below && difference < 2 * below;
    return near ? ::log1p(difference / below) : log_called(above / below);
}

// ln |Gamma(x)| for x <= 0, given that of -x.
GNP_COLD f64 gammaln_reflected(f64 x, f64 above)
{
    f64 y = -x;
    if (floor(x) == x || y < 5.6e-309) {
        return x == -INFINITY_F64 ? x : INFINITY_F64;
    }
    if (y < 1e-20) {
        return above;
    }
    f64 sum = log_called(PI_F64 / (y * fabs(sinpi(modulo2(y))))) - above;
    return y > 2 && y < 20 && fabs(sum) < 6 ? gammaln_near_zero(x) : sum;
}

// ln |Gamma(x)|
GNP_FN f64 gammaln(f64 x)
{
    f64 y = gammaln_positive(fabs(x));
    return x <= 0 ? gammaln_reflected(x, y) : y;
}

GNP_COLD f64 gamma_called(f64 x) { return gamma(x); }
GNP_COLD f64 gammaln_called(f64 x) { return gammaln(x); }
GNP_COLD f64 gammaln_positive_called(f64 x) { return gammaln_positive(x); }
GNP_COLD f64 gamma_positive_called(f64 x)
{
    f64 low, high, over, under;
    if (x >= 8) {
        high = gamma_exponent(fmin(x, 300.0), low);
        return exp_pair(high, low);
    }
    f64 p = gamma_factors(x, over, under);
    return x < 2 ? p / under : p * over;
}
GNP_COLD Pair gamma_exponent_called(f64 x)
{
    Pair y;
    y.high = gamma_exponent(x, y.low);
    return y;
}

// The logarithm of Gamma where that is real.
GNP_FN f64 loggamma(f64 x) { return x >= 0 ? gammaln(x) : NAN_F64; }

// ---- f32 -------------------------------------------------------------------------------------------------

GNP_FN f32 two_sum(f32 a, f32 b, f32 &error)
{
    f32 sum = __fadd_rn(a, b), v = __fsub_rn(sum, a);
    error = __fadd_rn(__fsub_rn(a, __fsub_rn(sum, v)), __fsub_rn(b, v));
    return sum;
}

// x = 2^e (1 + f) with f in [-1/3, 1/3), for 0 < x < infinity.
GNP_FN f32 split_mantissa(f32 x, f32 &e)
{
    bool subnormal = x < 0x1p-126f;
    u32 bits = __float_as_uint(subnormal ? x * 0x1p23f : x) - 0x3f2aaaabu; // mantissas from 2/3
    e = (f32)((int)bits >> 23) - (subnormal ? 23 : 0);
    return __uint_as_float((bits & 0x7fffffu) + 0x3f2aaaabu) - 1;
}

// log(x) = high + low for 0 < x < infinity.
GNP_FN f32 log_pair(f32 x, f32 &low)
{
    f32 e, f = split_mantissa(x, e);
    f32 square = __fmul_rn(f, f), half = 0.5f * square, rest = fma(f, f, -square);
    f32 p = __fmul_rn(e, 0x1.62e4p-1f), sum = __fadd_rn(p, f), high = __fsub_rn(sum, half); // p is exact
    low = fma(square * f, polynomial(LOG_F32, f), fma(e, 0x1.7f7d1cp-20f, -0.5f * rest));
    low += __fsub_rn(f, __fsub_rn(sum, p)) + __fsub_rn(__fsub_rn(sum, high), half);
    return high;
}

// ln Gamma(x) = high + low for x >= 2.5, from log(x).
GNP_FN f32 gamma_exponent(f32 x, f32 log_high, f32 log_low, f32 &low)
{
    f32 a = x - 0.5f, t = __fdividef(1.0f, x);
    f32 p = __fmul_rn(a, log_high), p_low = fma(a, log_high, -p) + a * log_low;
    f32 e1, e2, high = two_sum(two_sum(p, -x, e1), 0x1.d67f1cp-1f, e2);
    low = (e1 + e2) + fma(t, polynomial(TAIL_F32, t * t), p_low + 0x1.0c97d6p-26f);
    return high;
}

// ln Gamma(x) = (x - 1) x P(x - 1) - log(x) for 0 < x < 1.125. Where the exponent of x is 0 the logarithm has the
// factor x - 1 as well, and so nothing of the zero is lost.
GNP_FN f32 gammaln_low(f32 x)
{
    f32 e, f = split_mantissa(x, e), t = x - 1, p = polynomial(LOG_GAMMA_F32, t);
    f32 d = f * fma(f, polynomial(LOG_F32, f), -0.5f); // log(1 + f) = f + f d
    return e == 0 ? fma(t, fma(x, p, -d) - 1, 0.0f) : fma(-e, 0x1.62e43p-1f, fma(t, x * p, -fma(f, d, f)));
}

// Right below 0 only by f64: there are zeros.
GNP_FN f32 gammaln(f32 x)
{
    if (x > 0 && x < 1.125f) return gammaln_low(x);
    if (x < 2.5f) {
        f32 t = x - 2;
        return x > 0 ? t * (x - 1) * polynomial(LOG_GAMMA_F32, t) : (f32)gammaln_called(x);
    }
    f32 low, high = log_pair(x, low);
    high = gamma_exponent(x, high, low, low);
    return x < 4.1e36f ? high + low : x == x ? INFINITY_F32 : x;
}
GNP_FN f32 loggamma(f32 x) { return x >= 0 ? gammaln(x) : NAN_F32; }

// Below 0 by f64.
GNP_FN f32 gamma(f32 x)
{
    if (x >= 3) {
        f32 log_low, log_high = log_pair(x, log_low), low, high = gamma_exponent(x, log_high, log_low, low);
        high = two_sum(high, low, low);
        f32 y = expf(fminf(high, 89.0f));
        return y < INFINITY_F32 ? fma(y, low, y) : INFINITY_F32;
    }
    if (x > 0) {
        f32 whole = floorf(x), y = polynomial(GAMMA_F32, x - whole);
        return whole == 2 ? y : y / (whole == 1 ? x : fma(x, x, x));
    }
    return x == x ? (f32)gamma_called(x) : x;
}
}

#endif
