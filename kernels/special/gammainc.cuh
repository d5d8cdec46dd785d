// The regularized incomplete gamma functions P(a, x) and Q(a, x).
//   a >= 12, x near a   Temme's uniform expansion, DLMF 8.12 (Temme 1979): the tail is
//                       exp(-a eta^2/2) (erfcx(z)/2 -+ S/sqrt(2 pi a)), so both tails have full relative accuracy
//   x < a or so         the series 8.11.4 as one quotient
//   x > a or so         the continued fraction 8.9.2 as one quotient
//   x <= 1.1, Q small   Q by the series 8.7.3, whose first term is an expm1 (Gautschi 1979)
// x^a e^-x/Gamma(a + 1) comes from logarithms in two parts.
#ifndef GNP_SPECIAL_GAMMAINC_CUH
#define GNP_SPECIAL_GAMMAINC_CUH

#include "special/gamma.cuh"
#include "special/gammainc_fits.cuh"

namespace special {

// a (log(x/a) + 1 - x/a) = high + low
GNP_COLD f64 incomplete_exponent(f64 a, f64 x, f64 &low)
{
    f64 q = x / a, q_low = fma(-q, a, x) / a;
    Pair l = log_pair_called(q);
    f64 d_low, d = two_sum(a, -x, d_low);
    f64 p = __dmul_rn(a, l.high), p_low = fma(a, l.high, -p) + a * (l.low + q_low / q);
    f64 high = two_sum(p, d, low);
    low += p_low + d_low;
    return high;
}

// sum of x^n/((a + 1) ... (a + n)) = numerator/denominator
GNP_FN f64 incomplete_series(f64 a, f64 x, f64 &denominator)
{
    f64 p = 1, q = 1, t = 1;
#pragma unroll 1
    for (int i = 0; i < MAX_FRACTION_STEPS && t > 0x1p-55 * p; i += 2) {
        t *= x;
        p = fma(p, a + 1, t);
        q *= a + 1;
        a += 2;
        t *= x;
        p = fma(p, a, t);
        q *= a;
    }
    denominator = q;
    return p;
}

// The continued fraction 1/(x + 1 - a + 1 (a - 1)/(x + 3 - a + 2 (a - 2)/(...))) = numerator/denominator
GNP_FN f64 incomplete_fraction(f64 a, f64 x, f64 &denominator)
{
    f64 b = x + 1 - a, p0 = 0, p = 1, q0 = 1, q = b, n = 1, error = 1;
#pragma unroll 1
    for (int i = 0; i < MAX_FRACTION_STEPS && error > 0; i += 2, n += 2) {
        f64 c = n * (a - n), c2 = (n + 1) * (a - (n + 1));
        p0 = fma(b + 2, p, c * p0);
        q0 = fma(b + 2, q, c * q0);
        b += 4;
        p = fma(b, p0, c2 * p);
        q = fma(b, q0, c2 * q);
        if (q > 0x1p300) {
            p0 *= 0x1p-300;
            q0 *= 0x1p-300;
            p *= 0x1p-300;
            q *= 0x1p-300;
        }
        error = fabs(fma(p, q0, -p0 * q)) - 0x1p-54 * (p * q0);
    }
    denominator = q;
    return error > 0 ? NAN_F64 : p;
}

// ln Gamma(1 + a) for -0.5 <= a < 2, relatively accurate at 0.
GNP_FN f64 gammaln_above_one(f64 a)
{
    f64 t = a + 0.5;
    return a * (a - 1) * (0.4375 + polynomial(LOG_GAMMA_P, t) / polynomial(LOG_GAMMA_Q, t));
}

// Q for 0 < x <= 1.1 where it is small: a is.
GNP_COLD f64 upper_of_small(f64 a, f64 x)
{
    f64 u = -expm1_called(a * log_called(x) - gammaln_above_one(a)), sum = 0, t = 1;
#pragma unroll 1
    for (int n = 1; n < 30 && fabs(t) > 0x1p-60; n++) {
        t *= -x / n;
        sum += t / (a + n);
    }
    return u - (1 - u) * a * sum;
}

// sum = sum/a + c_k(eta) for rows of N coefficients, the last first; inverse = 1/a.
template <int ROWS, int SIZE> GNP_FN void add_temme_rows(const f64 (&c)[SIZE], f64 eta, f64 inverse, f64 &sum)
{
    enum { N = SIZE / ROWS };
#pragma unroll 1
    for (int k = SIZE - N; k >= 0; k -= N) {
        f64 p = c[k + N - 1];
#pragma unroll
        for (int i = N - 2; i >= 0; i--) {
            p = fma(p, eta, c[k + i]);
        }
        sum = fma(sum, inverse, p);
    }
}

// The sum of c_k(eta)/a^k.
GNP_FN f64 temme_sum(f64 eta, f64 inverse)
{
    f64 sum = 0;
    add_temme_rows<3>(TEMME_12, eta, inverse, sum);
    add_temme_rows<4>(TEMME_8, eta, inverse, sum);
    add_temme_rows<4>(TEMME_4, eta, inverse, sum);
    add_temme_rows<4>(TEMME_0, eta, inverse, sum);
    return sum;
}

// The smaller tail for d = x - a, -0.57 <= d/a <= 1.33, a >= 12 is the result times exp(high + low): P below a,
// Q above.
GNP_FN f64 temme_tail(f64 a, f64 x, f64 d, f64 &high, f64 &low, f64 &power)
{
    f64 r = d / (x + a), s = r * r, inverse = 1 / a;
    f64 e = -r * fma(2 * s * a, polynomial(ATANH_REST, s), -d); // a eta^2/2
    f64 rest = temme_sum(copysign(sqrt(2 * e * inverse), d), inverse) * (0.398942280401432677940 * sqrt(inverse));
    f64 y = fma(0.5, ::erfcx(sqrt(e)), copysign(rest, d * rest));
    high = -e;
    low = 0;
    if (e > 20) {
        high = incomplete_exponent(a, x, low);
    }
    // 1/Gamma by three terms of 5.11.3
    f64 g = fma(fma(fma(139.0 / 51840, inverse, 1.0 / 288), inverse, -1.0 / 12), inverse, 1.0);
    power = g * (0.398942280401432677940 * sqrt(a));
    return y;
}

// Where one of the arguments is 0, infinite, NaN or below 0.
GNP_COLD f64 incomplete_special(f64 a, f64 x, bool upper)
{
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (a == INFINITY_F64 && x == INFINITY_F64)) {
        return NAN_F64;
    }
    return upper == (a == 0 || x == INFINITY_F64) ? 0.0 : 1.0;
}

// P(a, x), or Q(a, x); power is about x^a e^-x/Gamma(a), enough for steps of a root finder.
GNP_FN f64 incomplete_gamma(f64 a, f64 x, bool upper, f64 &power)
{
    power = 0;
    if (!(a > 0 && x > 0 && a < INFINITY_F64 && x < INFINITY_F64)) {
        return incomplete_special(a, x, upper);
    }
    f64 d = x - a, high, low, factor = 1, under, over, p, q;
    bool uniform = a >= 12 && d >= -0.57 * a && d <= 1.33 * a;
    if (uniform) {
        factor = temme_tail(a, x, d, high, low, power);
    }
    else if (a >= 12) {
        f64 rest;
        high = incomplete_exponent(a, x, low);
        high = two_sum(high, -stirling_tail_far(a), rest);
        low += rest;
        under = sqrt(2 * PI_F64 * a);
    }
    else {
        Pair l = log_pair_called(x);
        p = __dmul_rn(a, l.high);
        high = two_sum(p, -x, low);
        low += fma(a, l.low, fma(a, l.high, -p));
        p = gamma_factors(a + 1, over, under);
        under = a < 1 ? p / under : p * over;
    }
    f64 y = exp_pair(high, low);
    if (uniform) {
        power *= y;
        y *= factor;
        return upper == (d >= 0) ? y : 1 - y;
    }
    if (y == 0) {
        return upper == (d > 0) ? 0.0 : 1.0;
    }
    power = y * a / under;
    if (x <= 1.1 || d < (a < 3 ? 0 : 1)) {
        p = incomplete_series(a, x, q);
        y *= p / (q * under);
        if (upper && y > 0.7 && x <= 1.1) {
            return upper_of_small(a, x);
        }
        return upper ? 1 - y : y;
    }
    p = incomplete_fraction(a, x, q);
    y *= a * p / (q * under);
    return upper ? y : 1 - y;
}

// A call, so that the code is there once for all elements of a thread.
GNP_COLD f64 incomplete_gamma_called(f64 a, f64 x, bool upper)
{
    f64 power;
    return incomplete_gamma(a, x, upper, power);
}

GNP_FN f64 gammainc(f64 a, f64 x) { return incomplete_gamma_called(a, x, false); }

GNP_FN f64 gammaincc(f64 a, f64 x) { return incomplete_gamma_called(a, x, true); }
}

#endif
