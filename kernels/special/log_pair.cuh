// The logarithm as a sum of two numbers, for powers whose exponent is large: about 65 bits.
#ifndef GNP_SPECIAL_LOG_PAIR_CUH
#define GNP_SPECIAL_LOG_PAIR_CUH

#include "special/common.cuh"
#include "special/log_pair_fits.cuh"

namespace special {

// a + b = sum + error for |a| >= |b| (Dekker 1971).
GNP_FN f64 fast_two_sum(f64 a, f64 b, f64 &error)
{
    f64 sum = __dadd_rn(a, b);
    error = __dsub_rn(b, __dsub_rn(sum, a));
    return sum;
}

// a + b = sum + error (Knuth).
GNP_FN f64 two_sum(f64 a, f64 b, f64 &error)
{
    f64 sum = __dadd_rn(a, b), v = __dsub_rn(sum, a);
    error = __dadd_rn(__dsub_rn(a, __dsub_rn(sum, v)), __dsub_rn(b, v));
    return sum;
}

// log(1 + f) = 2 atanh(r), r = f/(2 + f), for f in [-0.293, 0.415]; the cubic term also in two parts.
GNP_FN f64 log1p_pair(f64 f, f64 &low)
{
    f64 s_low, s = fast_two_sum(2, f, s_low), inverse = 1 / s;
    f64 r = __dmul_rn(f, inverse);
    f64 r_low = (fma(-r, s, f) - r * s_low) * inverse;
    f64 t = __dmul_rn(r, r), t_low = fma(r, r, -t) + 2 * r * r_low;
    f64 q_low, q = fast_two_sum(0x1.5555555555555p-2, t * polynomial(ATANH_QUINTIC, t), q_low);
    f64 c = __dmul_rn(t, q), c_low = fma(t, q, -c) + t * (q_low + 0x1.5555555555555p-56) + t_low * q;
    f64 d = __dmul_rn(2 * r, c), d_low = fma(2 * r, c, -d) + 2 * (r * c_low + r_low * c);
    f64 high = fast_two_sum(2 * r, d, low);
    low += d_low + 2 * r_low;
    return fast_two_sum(high, low, low);
}

// log(x) = high + low for 0 < x < infinity.
GNP_FN f64 log_pair(f64 x, f64 &low)
{
    int e = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        e = -54;
    }
    u32 top = (u32)__double2hiint(x) - 0x3fe6a09eu; // mantissas from sqrt(1/2)
    e += (int)top >> 20;
    f64 m = __hiloint2double(__double2hiint(x) - (int)(top & 0xfff00000u), __double2loint(x));
    f64 small, f = log1p_pair(m - 1, small), rest;
    // ln 2 in parts, the first short enough for an exact product.
    f64 high = two_sum(e * 0x1.62e42fefa38p-1, f, rest);
    low = rest + small + e * 0x1.ef35793c7673p-45;
    return fast_two_sum(high, low, low);
}

// fmod(x, 2), whose own code is long.
GNP_FN f64 modulo2(f64 x) { return x - 2 * trunc(0.5 * x); }

// Calls in place of copies, where a function would hold several: short code compiles sooner.
struct Pair {
    f64 high, low;
};
GNP_COLD Pair log_pair_called(f64 x)
{
    Pair y;
    y.high = log_pair(x, y.low);
    return y;
}
GNP_COLD f64 log_called(f64 x) { return ::log(x); }
GNP_COLD f64 exp_called(f64 x) { return ::exp(x); }
GNP_COLD f64 log1p_called(f64 x) { return ::log1p(x); }
GNP_COLD f64 expm1_called(f64 x) { return ::expm1(x); }
GNP_COLD f64 sinpi_called(f64 x) { return ::sinpi(x); }
}

#endif
