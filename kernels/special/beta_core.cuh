// beta_core.cuh: the incomplete beta function of shapes that are not very unequal. The power terms
// x^a (1 - x)^b / B(a, b) are written about the mean a / (a + b), where the large logarithms have cancelled on paper
// (DiDonato and Morris 1992, TOMS 708); the rest is their continued fraction, on the side where it converges quickly.
#ifndef GNP_SPECIAL_BETA_CORE_CUH
#define GNP_SPECIAL_BETA_CORE_CUH

#include "special/log_pair.cuh"
#include "special/stirling.cuh"

namespace special {

enum { MAX_BETA_STEPS = 50000 }; // the fraction takes some sqrt(a + b) steps

// log(1 + u) - u, where `ratio` is 1 + u without the cancellation near u = -1.
GNP_COLD f64 log_ratio_less(f64 u, f64 ratio) { return fabs(u) < 0.5 ? log1pmx(u) : log_called(ratio) - u; }

// a log(x (a + b) / a) in two parts, for x = high + low and a + b = sum + rest.
GNP_COLD Pair beta_log_term(f64 a, f64 sum, f64 rest, Pair x)
{
    f64 p = __dmul_rn(x.high, sum), p_low = fma(x.high, sum, -p) + fma(x.high, rest, x.low * sum);
    f64 q = p / a, q_low = (fma(-q, a, p) + p_low) / a;
    Pair y = log_pair_called(q);
    f64 product = __dmul_rn(a, y.high);
    y.low = fma(a, y.high, -product) + a * (y.low + q_low / q);
    y.high = product;
    return y;
}

// The exponential of the same exponent as below, by logarithms in two parts: an exponent of size E costs E ulp.
GNP_COLD f64 beta_small_exponential(f64 a, f64 b, f64 x, f64 y, f64 low)
{
    f64 sum = a + b, rest = a < b ? a - (sum - b) : b - (sum - a), error;
    Pair smaller = {fmin(x, y), low}, larger;
    larger.high = two_sum(1, -smaller.high, larger.low);
    larger.low -= low;
    Pair one = beta_log_term(a, sum, rest, x <= y ? smaller : larger);
    Pair two = beta_log_term(b, sum, rest, x <= y ? larger : smaller);
    f64 high = two_sum(one.high, two.high, error), rest_error;
    high = two_sum(high, stirling_tail(sum) - stirling_tail(a) - stirling_tail(b), rest_error); // large for small shapes
    f64 value = exp_called(high);
    return fma(value, expm1_called(error + rest_error + one.low + two.low), value); // not small for shapes beyond 1e9
}

// x^a y^b / B(a, b), y = 1 - x. The smaller of x and y is exact when `low` is added to it.
GNP_COLD f64 beta_power_terms(f64 a, f64 b, f64 x, f64 y, f64 low)
{
    const f64 root_two_pi = 0x1.40d931ff62706p+1, largest_plain = 8;
    f64 sum = a + b, rest = a < b ? a - (sum - b) : b - (sum - a);
    // (a + b) x - a, which is also b - (a + b) y
    f64 offset = x <= y ? fma(x, sum, -a) + fma(low, sum, x * rest) : -(fma(y, sum, -b) + fma(low, sum, y * rest));
    f64 exponent = a * log_ratio_less(offset / a, x * sum / a) + b * log_ratio_less(-offset / b, y * sum / b);
    exponent += stirling_tail(sum) - stirling_tail(a) - stirling_tail(b);
    f64 power = exponent > -largest_plain ? exp_called(exponent) : exponent > -800 ? beta_small_exponential(a, b, x, y, low) : 0.0;
    return sqrt(a < b ? b / sum * a : a / sum * b) / root_two_pi * power;
}

// a I_x(a, b) / power terms for x below (a + 1) / (a + b + 2), y = 1 - x: the continued fraction of DiDonato and
// Morris (1992, equation 9), the even part of DLMF 8.17.22. Numerators and denominators of its convergents by their
// recurrence, with one division a step.
GNP_COLD f64 beta_fraction(f64 a, f64 b, f64 x, f64 y)
{
    const f64 large = 0x1p400;
    f64 inverse = 1 / (a + 1), lambda = x <= y ? a - (a + b) * x : (a + b) * y - b;
    f64 over_before = 0, under_before = 1, over = 1, under = a * inverse * (lambda + 1);
#pragma unroll 1
    for (int step = 1; step <= MAX_BETA_STEPS; step++) {
        f64 n = step, scaled = n * (b - n) * x * inverse, p = (a + (n - 1)) * inverse; // a may be tiny
        f64 numerator = p * (a + b + (n - 1)) * x * scaled;
        inverse = 1 / (a + 2 * n + 1);
        f64 denominator = n + scaled + (a + n) * inverse * (lambda + fma(n, 1 + y, 1.0));
        f64 next = fma(denominator, over, numerator * over_before);
        f64 next_under = fma(denominator, under, numerator * under_before);
        over_before = over, under_before = under;
        over = next, under = next_under;
        f64 product = over * under_before;
        if (fabs(fma(-over_before, under, product)) <= 2 * EPSILON_F64 * fabs(product)) return a * (over / under);
        if (under > large) {
            over *= 1 / large, under *= 1 / large, over_before *= 1 / large, under_before *= 1 / large;
        }
    }
    return NAN_F64;
}

// I_x(a, b) below the mean. Of a small a the power series DLMF 8.17.7 has fewer terms where b x is small.
GNP_COLD f64 betainc_below(f64 a, f64 b, f64 x, f64 y, f64 low)
{
    return beta_power_terms(a, b, x, y, low) / a * beta_fraction(a, b, x, y);
}

// I_x(a, b), or 1 less it, for 0 < x < 1. The fraction is called once, for whichever side it serves: threads of
// both sides go through it together.
GNP_COLD f64 betainc_inside(f64 a, f64 b, f64 x, f64 y, f64 low, bool complement)
{
    bool below = x < (a + 1) / (a + b + 2);
    f64 value = betainc_below(below ? a : b, below ? b : a, below ? x : y, below ? y : x, low);
    if (below != complement) return value;
    f64 p = below ? b : a, q = below ? a : b, z = below ? y : x, w = below ? x : y;
    if (value < 0.9 || z > 0.99999) return 1 - value;
    // The difference would cancel: raise the parameter until the fraction serves (DLMF 8.17.20); all positive.
    f64 term = beta_power_terms(p, q, z, w, low) / p, total = 0;
#pragma unroll 1
    for (int step = 0; step < MAX_BETA_STEPS && z >= (p + 1) / (p + q + 2); step++) {
        total += term;
        term *= (p + q) / (p + 1) * z;
        p += 1;
    }
    return total + betainc_below(p, q, z, w, low);
}
}

#endif
