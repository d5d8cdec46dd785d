// Inverses of the chi-square, gamma and Poisson distributions, by the variable and by the parameter.
#ifndef GNP_SPECIAL_CHDTRI_CUH
#define GNP_SPECIAL_CHDTRI_CUH

#include "special/gammaincinv.cuh"

namespace special {

GNP_FN f64 chdtri(f64 v, f64 p) { return 2 * gammainccinv(0.5 * v, p); }

GNP_FN f64 gdtrix(f64 a, f64 b, f64 p)
{
    bool nothing = fabs(a) == INFINITY_F64 || b == INFINITY_F64 || (a == 0 && b == 0);
    return nothing ? NAN_F64 : gammaincinv(b, p) / a;
}

GNP_FN f64 gdtria(f64 p, f64 b, f64 x) { return x == 0 ? NAN_F64 : gammaincinv(b, p) / x; }

GNP_FN f64 pdtri(f64 k, f64 y)
{
    return k >= 0 && k < INFINITY_F64 && y < 1 ? gammainccinv(floor(k) + 1, y) : NAN_F64;
}

// ---- by the parameter ------------------------------------------------------------------------------------

// ln(P(b, x)/p), or ln(q/Q(b, x)) where q = 1 - p is the smaller one: it falls with b.
GNP_COLD f64 parameter_residual(f64 b, f64 x, f64 p, f64 q)
{
    bool upper = q < p;
    f64 power, t = incomplete_gamma(b, x, upper, power);
    return log_called(upper ? q / t : t / p);
}

// b where P(b, x) = p, for 0 < x < infinity and 0 < p, q = 1 - p < 1: from a bracket by regula falsi in ln b
// with the weights of Anderson and Bjorck (1973), and bisection when it slows down.
GNP_COLD f64 incomplete_parameter(f64 p, f64 q, f64 x)
{
    f64 lo = 1, hi = 1, step = 2, f = parameter_residual(1, x, p, q), f_lo = f, f_hi = f;
#pragma unroll 1
    for (int i = 0; i < MAX_ROOT_STEPS && f_lo < 0; i++, step *= step) {
        hi = lo;
        f_hi = f_lo;
        lo /= step;
        f_lo = parameter_residual(lo, x, p, q);
    }
#pragma unroll 1
    for (int i = 0; i < MAX_ROOT_STEPS && f_hi > 0; i++, step *= step) {
        lo = hi;
        f_lo = f_hi;
        hi *= step;
        f_hi = parameter_residual(hi, x, p, q);
    }
    if (!(f_lo >= 0 && f_hi <= 0)) {
        return NAN_F64;
    }
    f64 width = hi - lo;
#pragma unroll 1
    for (int i = 0; i < 2 * MAX_ROOT_STEPS; i++) {
        if (f_lo == 0 || f_hi == 0) {
            return f_lo == 0 ? lo : hi;
        }
        f64 b = hi - (hi - lo) * (f_hi / (f_hi - f_lo));
        bool slow = i % 3 == 2 && hi - lo > 0.25 * width;
        if (i % 3 == 2) {
            width = hi - lo;
        }
        if (slow || !(b > lo && b < hi)) {
            b = 0.5 * lo + 0.5 * hi;
        }
        if (!(b > lo && b < hi) || hi - lo < 0x1p-52 * hi) {
            return b;
        }
        f = parameter_residual(b, x, p, q);
        if (f > 0) {
            f64 m = 1 - f / f_lo;
            f_hi *= m > 0 ? m : 0.5;
            lo = b;
            f_lo = f;
        }
        else {
            f64 m = 1 - f / f_hi;
            f_lo *= m > 0 ? m : 0.5;
            hi = b;
            f_hi = f;
        }
    }
    return NAN_F64;
}

// v where chdtr(v, x) = p
GNP_FN f64 chdtriv(f64 p, f64 x)
{
    if (!(p >= 0 && p <= 1 && x > 0)) {
        return NAN_F64;
    }
    if (p == 0 || p == 1) {
        return p == 0 ? INFINITY_F64 : 0.0;
    }
    return x < INFINITY_F64 ? 2 * incomplete_parameter(p, 1 - p, 0.5 * x) : NAN_F64;
}

// b where gdtr(a, b, x) = p
GNP_FN f64 gdtrib(f64 a, f64 p, f64 x)
{
    if (!(a > 0 && a < INFINITY_F64 && x >= 0 && x < INFINITY_F64 && p >= 0 && p <= 1) || (x == 0 && p == 0)) {
        return NAN_F64;
    }
    if (p == 1 || x == 0) {
        return 0;
    }
    return p == 0 ? INFINITY_F64 : incomplete_parameter(p, 1 - p, a * x);
}

// k >= 0 where Q(k + 1, m) = p; 0 where that is below it.
GNP_FN f64 pdtrik(f64 p, f64 m)
{
    if (!(p >= 0 && p < 1 && m >= 0) || (m == INFINITY_F64 && p > 0)) {
        return NAN_F64;
    }
    return p == 0 || m == 0 || exp_called(-m) >= p ? 0.0 : fmax(incomplete_parameter(1 - p, p, m) - 1, 0.0);
}
}

#endif
