// What Struve's functions H and L share: the power series (DLMF 11.2.1) in double words, and the expansion of their
// difference from a Bessel function (11.6.1).
#ifndef GNP_SPECIAL_STRUVE_CORE_CUH
#define GNP_SPECIAL_STRUVE_CORE_CUH

#include "special/bessel_core.cuh"
#include "special/wide.cuh"

namespace special {

// A number times 2^exponent.
struct ScaledNumber {
    f64 value;
    int exponent;
};

GNP_FN f64 unscaled(ScaledNumber y) { return y.value == 0 ? 0.0 : scale_by(y.value, max(min(y.exponent, 4000), -4000)); }

// (x/2)^(v+1) / (Gamma(3/2) Gamma(v + 3/2)) for x > 0, |v| up to BESSEL_MAX_ORDER: from an order of [-1, 0) by steps.
static __device__ __noinline__ ScaledNumber struve_leading(f64 v, f64 x)
{
    const f64 whole = floor(v + 1), m = v + 0.5 - whole;
    const f64 odd = polynomial_loop(BESSEL_GAMMA_ODD, m * m), even = polynomial_loop(BESSEL_GAMMA_EVEN, m * m);
    const int e = ilogb(x) - 1, steps = (int)fabs(whole);
    const f64 half = scale_by(x, -e - 1), inverse = 1 / half;
    ScaledNumber y = {(even - m * odd) * half_power(x, m) * sqrt(0.5 * x) * 1.1283791670955125739, whole < 0 ? -e * steps : e * steps};
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        y.value *= whole < 0 ? (m - i) * inverse : half / (m + i + 1);
        if (y.value == 0) break;
        const f64 size = fabs(y.value);
        if (size < 0x1p-500 || size > 0x1p500) {
            const int shift = ilogb(size);
            y.value = scale_by(y.value, -shift);
            y.exponent += shift;
        }
    }
    return y;
}

// The power series of H (sign -1) or L (1), x > 0.
static __device__ __noinline__ f64 struve_series(f64 v, f64 x, f64 sign)
{
    ScaledNumber y = struve_leading(v, x);
    const f64 square = __dmul_rn(0.5 * x, 0.5 * x);
    const Pair q = {sign * square, sign * fma(0.5 * x, 0.5 * x, -square)};
    Pair term = {1, 0}, sum = {1, 0};
    int k = 0;
#pragma unroll 1
    for (; k < 1 << 16; k++) {
        f64 low;
        const f64 high = two_sum(v, k + 1.5, low);
        term = pair_quotient(pair_product(term, q), pair_product(Pair{high, low}, Pair{k + 1.5, 0}));
        sum = pair_sum(sum, term);
        if (high > 0 && fabs(term.high) <= 0x1p-75 * fabs(sum.high)) break;
        if (fabs(term.high) > 0x1p500) {
            term = Pair{0x1p-500 * term.high, 0x1p-500 * term.low};
            sum = Pair{0x1p-500 * sum.high, 0x1p-500 * sum.low};
            y.exponent += 500;
        }
    }
    if (k == 1 << 16) return NAN_F64;
    y.value *= sum.high;
    return unscaled(y);
}

// H - Y (sign -1) or I - L (1) by DLMF 11.6.1 and 11.6.2; `first` is the leading factor of order v - 1.
static __device__ __noinline__ f64 struve_difference(f64 v, f64 x, f64 sign)
{
    ScaledNumber y = struve_leading(v - 1, x);
    const f64 w = -sign * 4 / x / x;
    f64 term = 1, sum = 0, before = INFINITY_F64;
#pragma unroll 1
    for (int k = 0; k < 1 << 16; k++) {
        term *= (k + 0.5) * (v - 0.5 - k) * w;
        const f64 size = fabs(term);
        if (k > v && size > before) break;
        sum += term;
        before = size;
        if (size < 0x1p-58) break;
    }
    y.value *= (1 + sum) / x;
    return unscaled(y);
}

// Whether a function of order v is one of Bessel's: v = -1/2, -3/2 ... (DLMF 11.4.3, 11.4.4).
GNP_FN bool is_negative_half(f64 v) { return v < 0 && is_integer(v - 0.5) && !is_integer(v); }

// At 0, at infinity and for what is no number; otherwise 0 < |x| and the sign of the result of negative x is returned.
GNP_FN bool struve_edge(f64 v, f64 x, f64 &result, f64 &sign)
{
    const bool whole = is_integer(v), even = 0.5 * v == floor(0.5 * v);
    sign = x < 0 && even ? -1.0 : 1.0; // (-1)^(v + 1)
    if (x != x || v != v || (x < 0 && !whole)) result = NAN_F64;
    else if (fabs(v) == INFINITY_F64) result = v > 0 && fabs(x) < INFINITY_F64 ? 0.0 : NAN_F64;
    else if (fabs(x) == INFINITY_F64) result = v >= 1 ? sign * x * copysign(1.0, x) : NAN_F64;
    else if (x == 0) {
        const f64 steps = floor(-v - 0.5); // negative factors of 1 / Gamma(v + 3/2)
        const bool negative = v < -1.5 && 0.5 * steps != floor(0.5 * steps);
        result = v > -1 || is_negative_half(v) ? 0.0 : v == -1 ? 0.63661977236758134308 : negative ? -INFINITY_F64 : INFINITY_F64;
    }
    else return false;
    return true;
}
}

#endif
