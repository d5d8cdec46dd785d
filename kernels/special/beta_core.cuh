// beta_core.cuh: the incomplete beta function of shapes that are not very unequal. The power terms
// x^a (1 - x)^b / B(a, b) are written about the mean a / (a + b), where the large logarithms have cancelled on paper
// (DiDonato and Morris 1992, TOMS 708), or by gamma functions where shapes are small; the rest is their continued
// fraction, on the side where it converges quickly.
#ifndef GNP_SPECIAL_BETA_CORE_CUH
#define GNP_SPECIAL_BETA_CORE_CUH

#include "special/gamma_steps.cuh"
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

// 1 - (x + low) for 0 < x <= 1/2.
GNP_FN Pair larger_share(f64 x, f64 low)
{
    Pair y;
    y.high = fast_two_sum(1, -x, y.low);
    y.low -= low;
    return y;
}

// The same for small shapes: x^a y^b by logarithms in two parts, B(a, b) by gamma functions.
GNP_COLD f64 beta_power_near(f64 a, f64 b, f64 x, f64 y, f64 low)
{
    f64 p = x <= y ? a : b, q = x <= y ? b : a, s = a + b, rest = a < b ? a - (s - b) : b - (s - a), error;
    Pair smaller = {fmin(x, y), low}, larger = larger_share(smaller.high, low);
    Pair u = log_pair_called(smaller.high), v = log_pair_called(larger.high);
    f64 near = fma(-2.0, larger.high, 3.0); // 1 / larger.high but for an eighth, 1.5 % after a step of Newton's
    v.low = fma(larger.low, near * fma(-larger.high, near, 2.0), v.low);
    if (low != 0) u.low += low / smaller.high;
    f64 one = __dmul_rn(p, u.high), two = __dmul_rn(q, v.high), high = two_sum(one, two, error);
    error += fma(p, u.high, -one) + fma(q, v.high, -two) + fma(p, u.low, q * v.low);
    GammaSteps above = gamma_steps(s, rest), first = gamma_steps(a, 0), second = gamma_steps(b, 0);
    f64 power = exp_called(high), over = above.over * first.under * second.under;
    return fma(power, error, power) * (over / (above.under * first.over * second.over));
}

// The exponential of the same exponent as below, by logarithms in two parts: an exponent of size E costs E ulp.
GNP_COLD f64 beta_small_exponential(f64 a, f64 b, f64 x, f64 y, f64 low, f64 tails)
{
    f64 sum = a + b, rest = a < b ? a - (sum - b) : b - (sum - a), error;
    Pair smaller = {fmin(x, y), low}, larger = larger_share(smaller.high, low);
    Pair one = beta_log_term(a, sum, rest, x <= y ? smaller : larger);
    Pair two = beta_log_term(b, sum, rest, x <= y ? larger : smaller);
    f64 high = two_sum(one.high, two.high, error), rest_error;
    high = two_sum(high, tails, rest_error); // large for small shapes
    f64 value = exp_called(high);
    f64 more = error + rest_error + one.low + two.low; // not small for shapes beyond 1e9
    return fabs(more) > 0.5 ? value * exp_called(more) : fma(value, expm1_called(more), value);
}

// x^a y^b / B(a, b), y = 1 - x. The smaller of x and y is exact when `low` is added to it.
GNP_COLD f64 beta_power_terms(f64 a, f64 b, f64 x, f64 y, f64 low)
{
    const f64 root_two_pi = 0x1.40d931ff62706p+1, largest_plain = 8;
    if (a + b < 12 && fmin(a, b) > 1e-100) return beta_power_near(a, b, x, y, low);
    f64 sum = a + b, rest = a < b ? a - (sum - b) : b - (sum - a);
    // (a + b) x - a, which is also b - (a + b) y
    f64 offset = x <= y ? fma(x, sum, -a) + fma(low, sum, x * rest) : -(fma(y, sum, -b) + fma(low, sum, y * rest));
    f64 exponent = a * log_ratio_less(offset / a, x * sum / a) + b * log_ratio_less(-offset / b, y * sum / b);
    f64 tails = stirling_tail(sum) - stirling_tail(a) - stirling_tail(b);
    exponent += tails;
    f64 power = exponent > -largest_plain ? exp_called(exponent) : 0.0;
    if (exponent <= -largest_plain && exponent > -800) power = beta_small_exponential(a, b, x, y, low, tails);
    return sqrt(a < b ? b / sum * a : a / sum * b) / root_two_pi * power;
}

// I_x(a, b) / power terms for x below (a + 1) / (a + b + 2), y = 1 - x: the continued fraction of DiDonato and
// Morris (1992, equation 9), the even part of DLMF 8.17.22. Numerators and denominators of its convergents by their
// recurrence. Denominators of the terms, a + 2n - 1 and a + 2n + 1, are multiplied away, times a power of two near
// 1 / (a + 1) so that numbers stay of the fraction's size.
GNP_COLD f64 beta_fraction(f64 a, f64 b, f64 x, f64 y)
{
    const f64 large = 0x1p400;
    const int exponent = 0x7fe00000 - (__double2hiint(a + 1) & 0x7ff00000);
    const f64 unit = __hiloint2double(max(exponent, 0x00100000), 0), step_by = 2 * unit, all_x = (a + b) * x;
    f64 n = 1, shape = a * unit, before = 1, middle = (a + 1) * unit, after, x_unit = x * unit;
    f64 lambda = (x <= y ? a - (a + b) * x : (a + b) * y - b) + 1;
    f64 over_before = 0, under_before = 1, over = middle, under = shape * lambda;
#pragma unroll 1
    for (int step = 0; step < MAX_BETA_STEPS; step++) {
        f64 scaled = n * (b - n) * x_unit; // of 2n - 1 + a, `middle`
        after = middle + step_by;
        f64 numerator = shape * fma(n - 1, x, all_x) * (scaled * after) * before;
        shape += unit;
        f64 denominator = fma(shape * middle, fma(n, 1 + y, lambda), after * fma(n, middle, scaled));
        f64 next = fma(denominator, over, numerator * over_before);
        f64 next_under = fma(denominator, under, numerator * under_before);
        over_before = over, under_before = under;
        over = next, under = next_under;
        f64 product = over * under_before;
        if (fabs(fma(-over_before, under, product)) <= 2 * EPSILON_F64 * fabs(product)) return over / under;
        before = middle, middle = after;
        n += 1;
        if (under > large) {
            over *= 1 / large, under *= 1 / large, over_before *= 1 / large, under_before *= 1 / large;
        }
    }
    return NAN_F64;
}

// I_x(a, b), or 1 less it, for 0 < x < 1. The fraction is called once, for whichever side it serves: threads of
// both sides go through it together.
GNP_COLD f64 betainc_inside(f64 a, f64 b, f64 x, f64 y, f64 low, bool complement)
{
    bool below = x * (a + b + 2) < a + 1;
    f64 power = beta_power_terms(a, b, x, y, low); // of either side
    f64 value = power * beta_fraction(below ? a : b, below ? b : a, below ? x : y, below ? y : x);
    if (below != complement) return value;
    f64 p = below ? b : a, q = below ? a : b, z = below ? y : x, w = below ? x : y;
    if (value < 0.9 || z > 0.99999) return 1 - value;
    // The difference would cancel: raise the parameter until the fraction serves (DLMF 8.17.20); all positive.
    f64 term = power / p, total = 0;
    int step = 0;
#pragma unroll 1
    for (; step < MAX_BETA_STEPS && z * (p + q + 2) >= p + 1; step++) {
        total += term;
        term *= (p + q) / (p + 1) * z;
        p += 1;
    }
    power = step < 32 ? term * p : beta_power_terms(p, q, z, w, low); // each step costs an ulp
    return total + power * beta_fraction(p, q, z, w);
}
}

#endif
