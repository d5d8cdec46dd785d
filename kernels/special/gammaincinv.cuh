// Inverses of the incomplete gamma functions: x from P(a, x) and Q(a, x). Starts after Gil, Segura and Temme
// (2012): the first term of the series for small x, Wilson and Hilferty's normal approximation elsewhere; then
// Halley's steps for the logarithm of the smaller tail as a function of ln x, kept in a bracket.
#ifndef GNP_SPECIAL_GAMMAINCINV_CUH
#define GNP_SPECIAL_GAMMAINCINV_CUH

#include "special/gammainc.cuh"

namespace special {

// (p Gamma(a + 1))^(1/a), the solution where x is small.
GNP_FN f64 inverse_of_series(f64 a, f64 p)
{
    f64 g = a < 1.5 ? gammaln_above_one(a) : gammaln_positive_called(a + 1), e;
    Pair l = log_pair_called(p);
    f64 q = l.high / a, q_low = (fma(-q, a, l.high) + l.low) / a;
    q = two_sum(q, g / a, e);
    return exp_pair(q, q_low + e);
}

// A first x: p + q = 1, the smaller one is exact.
GNP_COLD f64 inverse_start(f64 a, f64 p, f64 q)
{
    f64 small = inverse_of_series(a, p);
    if (small < 0.2 * (a + 1)) {
        return small * exp_called(small / (a + 1));
    }
    f64 least = fmin(p, q), t = sqrt(-2 * log_called(least)), root = sqrt(a); // t: DLMF 7.17.6
    f64 z = least > 1e-30 ? (f64)normcdfinvf((f32)least) : -t + (log_called(t) + 0.92) / t;
    z = p < q ? z : -z;
    f64 c = 1 - 1 / (9 * a) + z / (3 * root);
    if (a < 1 || (q < 1e-3 && a < 12)) { // q Gamma(a) = x^(a-1) e^-x
        f64 y = -log_called(q) - (gammaln_positive_called(a + 1) - log_called(a));
        return y > 2 ? y + (a - 1) * log_called(y) : fmax(a * c * c * c, 0.1);
    }
    return c > 0.3 ? a * c * c * c : small;
}

// x where P(a, x) = p and Q(a, x) = q, for 0 < a < infinity, 0 < p, q < 1.
GNP_COLD f64 incomplete_inverse(f64 a, f64 p, f64 q)
{
    bool upper = p > q;
    f64 target = upper ? q : p, x = inverse_start(a, p, q), lo = 0, hi = INFINITY_F64, scale = fmax(1.0, sqrt(a));
    if (x < 1e-17 * (a + 1)) {
        return x;
    }
#pragma unroll 1
    for (int i = 0; i < MAX_ROOT_STEPS; i++) {
        f64 power, t = incomplete_gamma(a, x, upper, power);
        bool below = (t < target) != upper;
        if (t == target) {
            return x;
        }
        lo = below ? x : lo;
        hi = below ? hi : x;
        f64 relative = (t - target) / target;
        f64 r = fabs(relative) < 0.5 ? log1p_called(relative) : log_called(t / target);
        f64 slope = (upper ? -power : power) / t, n = r / slope;
        f64 step = -n / fmin(fmax(1 - 0.5 * n * (a - x - slope), 0.5), 2.0);
        f64 next = fma(x, expm1_called(step), x);
        if (fabs(step) * scale < 1e-7 || fabs(step) < 0x1p-52) {
            return next;
        }
        if (!(next > lo && next < hi)) {
            next = hi == INFINITY_F64 ? 2 * x + 1 : lo == 0 ? 0.25 * x : sqrt(lo) * sqrt(hi);
        }
        if (next == x) {
            return x;
        }
        x = next;
    }
    return NAN_F64;
}

// From P = y, or Q = y.
GNP_FN f64 incomplete_inverse_of(f64 a, f64 y, bool upper)
{
    if (!(a >= 0 && y >= 0 && y <= 1)) {
        return NAN_F64;
    }
    if (y == 0 || y == 1) {
        return upper == (y == 1) ? 0.0 : INFINITY_F64;
    }
    if (a == 0 || a == INFINITY_F64) {
        return NAN_F64;
    }
    return upper ? incomplete_inverse(a, 1 - y, y) : incomplete_inverse(a, y, 1 - y);
}

GNP_FN f64 gammaincinv(f64 a, f64 y) { return incomplete_inverse_of(a, y, false); }
GNP_FN f64 gammainccinv(f64 a, f64 y) { return incomplete_inverse_of(a, y, true); }
}

#endif
