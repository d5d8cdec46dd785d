// expint.cuh: exponential, sine, cosine and hyperbolic integrals of real numbers. Near 0 the power series of
// DLMF 6.6, without the logarithm divided by the distance from their zero; further out quotients in 1 / x, which
// DLMF 6.12 expands, times the exponential; Si and Ci by the auxiliary functions of DLMF 6.2(iii).
#ifndef GNP_SPECIAL_EXPINT_CUH
#define GNP_SPECIAL_EXPINT_CUH

#include "special/common.cuh"
#include "special/expint_fits.cuh"

namespace special {

#define EULER_F64 0x1.2788cfc6fb619p-1

GNP_COLD f64 seldom_log(f64 x) { return log(x); }

// log(x / zero) for a zero in two words: close to it the difference counts.
GNP_FN f64 log_over(f64 x, const f64 (&zero)[2])
{
    f64 ratio = x / zero[0];
    if (ratio > 0.5 && ratio < 2) return log1p(((x - zero[0]) - zero[1]) / zero[0]);
    return x < 1e-300 ? seldom_log(x) - seldom_log(zero[0]) : log(ratio);
}

// x^2 - zero^2.
GNP_FN f64 square_distance(f64 x, const f64 (&zero)[2]) { return ((x - zero[0]) - zero[1]) * (x + zero[0]); }

// ---- E1 and Ei -------------------------------------------------------------------------------------------

// x exp(x) E1(x), x >= 1.
GNP_FN f64 scaled_exp1(f64 x)
{
    f64 u = 1 / x;
    return u > 0.25 ? quotient(E1_NEAR_P, E1_NEAR_Q, u) : quotient(E1_FAR_P, E1_FAR_Q, u);
}

// P/Q as 1 + (P - Q)/Q: near 1, where the terms of P and of Q cancel.
template <int N> GNP_FN f64 quotient_near_one(const f64 (&p)[N], const f64 (&q)[N], f64 x)
{
    f64 excess = p[N - 1] - q[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; i--) {
        excess = fma(excess, x, p[i] - q[i]);
    }
    return 1 + excess / polynomial(q, x);
}

// x exp(-x) Ei(x), x > 6.
GNP_FN f64 scaled_expi(f64 x)
{
    f64 u = 1 / x;
    if (x > 48) return quotient_near_one(EI_48_P, EI_48_Q, u);
    if (x > 24) return cold_quotient(EI_24_48_P, EI_24_48_Q, u - 0.03125);
    return x > 12 ? cold_quotient(EI_12_24_P, EI_12_24_Q, u - 0.0625)
                  : cold_quotient(EI_6_12_P, EI_6_12_Q, u - 0.125);
}

// E1 for x >= 0.
GNP_FN f64 exp1_positive(f64 x)
{
    if (x <= 1) return x * polynomial(EIN, x) - EULER_F64 - log(x);
    return x < 760 ? exp(-x) * scaled_exp1(x) / x : x != x ? x : 0.0;
}

// Ei for x >= 0; exp(x) in two factors, as x exp(-x) Ei(x) may be divided after an overflow.
GNP_FN f64 expi_positive(f64 x)
{
    if (x <= 6) {
        f64 distance = (x - EI_ZERO[0]) - EI_ZERO[1];
        return log_over(x, EI_ZERO) + distance * quotient(EI_REST_P, EI_REST_Q, x - 3);
    }
    if (!(x < 740)) return x != x ? x : INFINITY_F64;
    const bool is_far = !(x < 700);
    f64 scaled = scaled_expi(x) / x;
    return exp(is_far ? x - 40 : x) * (is_far ? scaled * 0x1.a220d397972ebp+57 : scaled);
}

GNP_FN f64 expi(f64 x) { return x < 0 ? -exp1_positive(-x) : expi_positive(x); }
GNP_FN f64 exp1(f64 x) { return x < 0 ? NAN_F64 : exp1_positive(x); }

// ---- Si, Ci, Shi, Chi ------------------------------------------------------------------------------------

// x f(x) and x^2 g(x), x > 2.
GNP_FN void sine_auxiliary(f64 x, f64 &f, f64 &g)
{
    f64 t = x < 1e150 ? 1 / (x * x) : 0;
    if (x > 12) {
        f = quotient(AUXILIARY_F_12_P, AUXILIARY_F_12_Q, t);
        g = quotient(AUXILIARY_G_12_P, AUXILIARY_G_12_Q, t);
    }
    else if (x > 6) {
        f = cold_quotient(AUXILIARY_F_6_12_P, AUXILIARY_F_6_12_Q, t);
        g = cold_quotient(AUXILIARY_G_6_12_P, AUXILIARY_G_6_12_Q, t);
    }
    else {
        f = cold_quotient(AUXILIARY_F_2_6_P, AUXILIARY_F_2_6_Q, t);
        g = cold_quotient(AUXILIARY_G_2_6_P, AUXILIARY_G_2_6_Q, t);
    }
    f /= x;
    g = g / x / x;
}

// Ci(-x) is the real part Ci(x), and NaN for -infinity, as SciPy's.
template <class O> GNP_FN void sici(f64 x, O &si, O &ci)
{
    f64 size = fabs(x), s, c;
    if (size <= 2) {
        f64 t = -size * size;
        s = size * polynomial(SINE_INTEGRAL, t);
        c = log_over(size, CI_ZERO) - square_distance(size, CI_ZERO) * polynomial(CI_DIVIDED, t);
    }
    else if (size < INFINITY_F64) {
        f64 f, g, sine, cosine;
        sine_auxiliary(size, f, g);
        sincos(size, &sine, &cosine);
        s = HALF_PI_F64 - f * cosine - g * sine;
        c = f * sine - g * cosine;
    }
    else {
        s = x != x ? x : HALF_PI_F64;
        c = x > 0 ? 0.0 : NAN_F64;
    }
    si = (O)(x < 0 ? -s : s);
    ci = (O)c;
}

template <class O> GNP_FN void shichi(f64 x, O &shi, O &chi)
{
    f64 size = fabs(x), s, c;
    if (size <= 3) {
        f64 t = size * size;
        s = size * polynomial(SINE_INTEGRAL, t);
        c = log_over(size, CHI_ZERO) + square_distance(size, CHI_ZERO) * polynomial(CHI_DIVIDED, t);
    }
    else {
        f64 grown = 0.5 * expi_positive(size), fallen = 0.5 * exp1_positive(size);
        s = grown + fallen;
        c = grown - fallen;
    }
    shi = (O)(x < 0 ? -s : s);
    chi = (O)c;
}
}

#endif
