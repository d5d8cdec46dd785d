// Quotients of gamma functions: beta, betaln, binom, poch. Large arguments by differences of Stirling's series
// (DLMF 5.11.1) with exponents in two parts, so that nothing large cancels; negative ones by reflection (5.5.3).
#ifndef GNP_SPECIAL_BETA_CUH
#define GNP_SPECIAL_BETA_CUH

#include "special/gamma.cuh"
#include "special/gamma_steps.cuh"

namespace special {

// factor exp(high + low), a number that may lie outside the range of f64
struct Scaled {
    f64 factor, high, low;
};

// log(1 + b/a) = high + low for a > 0, a + b > 0.
GNP_COLD f64 log_ratio_pair(f64 a, f64 b, f64 &low)
{
    f64 rest, s = two_sum(a, b, rest), q = s / a;
    f64 q_low = (fma(-q, a, s) + rest) / a;
    Pair y = log_pair_called(q);
    return fast_two_sum(y.high, y.low + q_low / q, low);
}

// sum += a (high + low), sum of two parts
GNP_FN void add_product(f64 &sum, f64 &sum_low, f64 a, f64 high, f64 low)
{
    f64 p = __dmul_rn(a, high), e;
    sum = two_sum(sum, p, e);
    sum_low += e + fma(a, high, -p) + a * low;
}

GNP_COLD f64 value(Scaled y)
{
    if (fabs(y.high) < 690) return y.factor * exp_pair(y.high, y.low);
    const f64 root = exp_pair(0.5 * y.high, 0.5 * y.low); // the exponential may overflow and the product not
    return y.factor * root * root;
}
GNP_FN f64 logarithm(Scaled y) { return y.high + (y.low + log_called(fabs(y.factor))); }

// sin(pi (a + b))
GNP_COLD f64 sinpi_of_sum(f64 a, f64 b)
{
    f64 rest, s = two_sum(a, b, rest);
    s = two_sum(modulo2(s), modulo2(rest), rest);
    return fma(PI_F64 * rest, cospi(s), sinpi(s));
}
GNP_FN f64 sinpi_reduced(f64 a) { return sinpi_called(modulo2(a)); }

// B(a, b) for a >= b > 0.
GNP_COLD void beta_ordered(f64 a, f64 b, Scaled &y)
{
    y.high = y.low = 0;
    if (a < 8) {
        y.factor = b < 1e-30 ? 1 / b * ((a + b) / a)
                             : gamma_positive_called(a) / gamma_positive_called(a + b) * gamma_positive_called(b);
        return;
    }
    f64 low, high = log_ratio_pair(a, b, low), s = a + b;
    if (b < 8) {
        add_product(y.high, y.low, 0.5 - a, high, low);
        Pair l = log_pair_called(s);
        add_product(y.high, y.low, -b, l.high - 1, l.low);
        y.factor = gamma_positive_called(b);
    }
    else {
        add_product(y.high, y.low, -a, high, low);
        high = log_ratio_pair(b, a, low);
        add_product(y.high, y.low, -b, high, low);
        y.factor = sqrt(2 * PI_F64 * (s / a / b));
        y.low += stirling_tail_far(b);
    }
    y.low += stirling_tail_far(a) - stirling_tail_far(s);
    y.high = fast_two_sum(y.high, y.low, y.low);
}

// B(a, b) where neither is an integer below 1. In the reflected cases 1 - a and so on belong to exact sums.
GNP_COLD Scaled beta_scaled(f64 a, f64 b)
{
    if (a < b) {
        f64 c = a;
        a = b;
        b = c;
    }
    f64 s = a + b, x = a, y = b, factor = 1;
    bool inverted = false;
    if (b < 0) {
        inverted = a < 0 || s > 0;
        x = a < 0 ? 1 - a : s > 0 ? s : a;
        y = s > 0 || a < 0 ? 1 - b : 1 - s;
        factor = a < 0   ? PI_F64 * sinpi_of_sum(a, b) / (sinpi_reduced(a) * sinpi_reduced(b) * (1 - s))
                 : s > 0 ? PI_F64 / (sinpi_reduced(b) * a)
                         : sinpi_of_sum(a, b) / sinpi_reduced(b);
    }
    Scaled r;
    beta_ordered(fmax(x, y), fmin(x, y), r);
    if (inverted) {
        r.factor = 1 / r.factor;
        r.high = -r.high;
        r.low = -r.low;
    }
    r.factor *= factor;
    return r;
}

GNP_FN bool is_pole(f64 a) { return a <= 0 && floor(a) == a; }

// B(a, b) for an integer a <= 0 is finite at integers b with 0 < b <= -a: (-1)^b B(1 - a - b, b).
GNP_COLD f64 beta_at_pole(f64 a, f64 b, bool logarithmic)
{
    bool whole = a >= -0x1p31 && rint(b) == b && fabs(b) < 0x1p31;
    f64 sign = whole && !logarithmic && modulo2(b) != 0 && 1 - a - b > 0 ? -1.0 : 1.0;
    if (!whole || b <= 0 || 1 - a - b <= 0) {
        return sign * INFINITY_F64;
    }
    Scaled y = beta_scaled(1 - a - b, b);
    return logarithmic ? logarithm(y) : sign * value(y);
}

GNP_COLD f64 beta_special(f64 a, f64 b, bool logarithmic)
{
    if (is_pole(a) || is_pole(b)) {
        return is_pole(a) ? beta_at_pole(a, b, logarithmic) : beta_at_pole(b, a, logarithmic);
    }
    f64 smaller = fmin(a, b);
    if (a != a || b != b || smaller == INFINITY_F64) {
        return NAN_F64;
    }
    // one of them is infinite
    f64 y = smaller > 0 ? 0.0 : gammasgn(smaller) * INFINITY_F64;
    return !logarithmic ? y : smaller > 0 ? -INFINITY_F64 : smaller < 0 ? INFINITY_F64 : y;
}

GNP_FN bool is_special_beta(f64 a, f64 b)
{
    return is_pole(a) || is_pole(b) || !(a < INFINITY_F64 && b < INFINITY_F64);
}

GNP_FN f64 beta(f64 a, f64 b) { return is_special_beta(a, b) ? beta_special(a, b, false) : value(beta_scaled(a, b)); }

GNP_FN f64 betaln(f64 a, f64 b)
{
    return is_special_beta(a, b) ? beta_special(a, b, true) : logarithm(beta_scaled(a, b));
}

// n (n - 1) ... (n - k + 1)/k!, whole numbers exactly while they are below 2^50.
GNP_FN f64 binom_by_product(f64 n, f64 k)
{
    f64 y = 1;
#pragma unroll 1
    for (f64 i = 1; i <= k; i++) {
        f64 t = n - (k - i);
        y = fabs(y) < 1e290 ? y * t / i : y * (t / i);
    }
    return rint(n) == n && fabs(y) < 0x1p50 ? rint(y) : y;
}

// Gamma(n + 1)/(Gamma(k + 1) Gamma(n - k + 1)) for arguments below BINOM_NEAR.
enum { BINOM_NEAR = 24 };
GNP_COLD f64 binom_near(f64 n, f64 k)
{
    f64 n_rest, k_rest, rest, less_rest;
    const f64 upper = two_sum(n, 1, n_rest), lower = two_sum(k, 1, k_rest);
    const f64 less = two_sum(two_sum(n, -k, less_rest), 1, rest);
    const GammaSteps above = gamma_steps(upper, n_rest), first = gamma_steps(lower, k_rest);
    const GammaSteps second = gamma_steps(less, rest + less_rest);
    return above.over * first.under * second.under / (above.under * first.over * second.over);
}

// The same for any; where arguments are negative, the form whose beta function has
// positive ones.
GNP_COLD f64 binom_general(f64 n, f64 k)
{
    if (n - k < k && (k < -1 || n - k < -1)) { // C(n, k) = C(n, n - k), by its parts: n - k is not rounded
        if (n > -1) {
            return -sinpi_of_sum(n, -k) / PI_F64 * value(beta_scaled(k - n, n + 1));
        }
        f64 s = sinpi_of_sum(n, -k) / sinpi_reduced(n);
        if (k < -1) {
            return -sinpi_reduced(k) / PI_F64 * s * value(beta_scaled(-k, k - n));
        }
        Scaled y = beta_scaled(-n, k + 1);
        Scaled z = {s / ((k - n) * y.factor), -y.high, -y.low};
        return value(z);
    }
    if (k < -1) {
        if (n > -1) {
            return -sinpi_reduced(k) / PI_F64 * value(beta_scaled(-k, n + 1));
        }
        f64 s = sinpi_reduced(k) / sinpi_reduced(n);
        if (n - k < -1) {
            return -sinpi_of_sum(n, -k) / PI_F64 * s * value(beta_scaled(-k, k - n));
        }
        Scaled y = beta_scaled(-n, n - k + 1);
        Scaled z = {s / (-k * y.factor), -y.high, -y.low};
        return value(z);
    }
    Scaled y = beta_scaled(n - k + 1, k + 1);
    Scaled z = {1 / ((n + 1) * y.factor), -y.high, -y.low};
    return value(z);
}

GNP_FN f64 binom(f64 n, f64 k)
{
    if (n != n || k != k || (n < 0 && floor(n) == n)) {
        return NAN_F64;
    }
    if (rint(k) == k) {
        bool whole = rint(n) == n && n < INFINITY_F64;
        if (k < 0 || (whole && k > n)) {
            return k < INFINITY_F64 ? 0.0 : NAN_F64;
        }
        f64 j = whole ? fmin(k, n - k) : k;
        if (j < 30) {
            return binom_by_product(n, j);
        }
    }
    if (!(n < INFINITY_F64 && fabs(k) < INFINITY_F64)) {
        return k < 0 && n == n && fabs(k) < INFINITY_F64 ? 0.0 : NAN_F64;
    }
    return fmax(fmax(fabs(n), fabs(k)), fabs(n - k)) < BINOM_NEAR ? binom_near(n, k) : binom_general(n, k);
}

// Gamma(x + rest) for x > 0 and a rest below its rounding error.
GNP_COLD Scaled gamma_scaled(f64 x, f64 rest)
{
    Scaled y = {1, 0, 0};
    if (x >= 8) {
        Pair l = gamma_exponent_called(x);
        y.high = l.high;
        y.low = l.low + rest * log_called(x);
    }
    else {
        y.factor = gamma_positive_called(x);
    }
    return y;
}

GNP_FN Scaled inverse(Scaled x)
{
    Scaled y = {1 / x.factor, -x.high, -x.low};
    return y;
}

GNP_FN Scaled product(Scaled x, Scaled y)
{
    f64 e, high = two_sum(x.high, y.high, e);
    Scaled z = {x.factor * y.factor, high, x.low + y.low + e};
    return z;
}

// Gamma(a + m)/Gamma(a) for a > 0, a + m > 0.
GNP_COLD void poch_positive(f64 a, f64 m, Scaled &y)
{
    f64 low, high, rest, s = two_sum(a, m, rest);
    if (a < 8 || s < 8) {
        y = product(gamma_scaled(s, rest), inverse(gamma_scaled(a, 0)));
        return;
    }
    y.high = y.low = 0;
    y.factor = 1;
    high = log_ratio_pair(a, m, low);
    add_product(y.high, y.low, a - 0.5, high, low);
    Pair l = log_pair_called(s);
    add_product(y.high, y.low, m, l.high - 1, l.low + rest / s);
    y.low += stirling_tail_far(s) - stirling_tail_far(a);
    y.high = fast_two_sum(y.high, y.low, y.low);
}

GNP_COLD f64 poch_general(f64 a, f64 m)
{
    f64 rest, s = two_sum(a, m, rest), e;
    bool pole = is_pole(a), pole_above = is_pole(s) && rest == 0;
    if (pole != pole_above) {
        return pole ? 0.0 : INFINITY_F64;
    }
    Scaled y;
    if (a > 0 && s > 0) {
        poch_positive(a, m, y);
        return value(y);
    }
    if (a <= 0 && s <= 0) { // Gamma(1 - a)/Gamma(1 - s) by reflection of both
        f64 t = two_sum(1, -s, e);
        poch_positive(t, m, y);
        y.low += (e - rest) * log_called((t + m) / t);
        y.factor *= pole ? (modulo2(m) == 0 ? 1.0 : -1.0) : sinpi_reduced(a) / sinpi_of_sum(a, m);
        return value(y);
    }
    if (a <= 0) {
        f64 t = two_sum(1, -a, e);
        y = product(gamma_scaled(s, rest), gamma_scaled(t, e));
        return value(y) * (sinpi_reduced(a) / PI_F64);
    }
    f64 t = two_sum(1, -s, e);
    y = inverse(product(gamma_scaled(t, e - rest), gamma_scaled(a, 0)));
    y.factor *= PI_F64 / sinpi_of_sum(a, m);
    return value(y);
}

GNP_FN f64 poch_by_product(f64 a, f64 m)
{
    f64 y = 1;
#pragma unroll 1
    for (f64 i = 0; i < fabs(m); i++) {
        y *= m > 0 ? a + i : a - 1 - i;
    }
    return m > 0 ? y : 1 / y;
}

GNP_FN f64 poch(f64 a, f64 m)
{
    if (m == 0) {
        return 1;
    }
    if (a != a || m != m || fabs(m) == INFINITY_F64 || fabs(a) == INFINITY_F64) {
        return is_pole(a) && a > -INFINITY_F64      ? 0.0
               : a == -INFINITY_F64                 ? (m == -1 ? -0.0 : NAN_F64)
               : a == INFINITY_F64 && m > 0         ? a
               : a == INFINITY_F64 && m > -INFINITY_F64 && m < 0 ? 0.0
               : m == INFINITY_F64                  ? gammasgn(a) * m
                                                    : NAN_F64;
    }
    return rint(m) == m && fabs(m) <= 20 ? poch_by_product(a, m) : poch_general(a, m);
}
}

#endif
