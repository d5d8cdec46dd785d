// betaincinv.cuh: inverses of the incomplete beta function in x: Halley's iteration within a bracket, in the
// logarithm of x or of 1 - x, whichever is smaller, so that both keep their relative accuracy.
#ifndef GNP_SPECIAL_BETAINCINV_CUH
#define GNP_SPECIAL_BETAINCINV_CUH

#include "special/betainc.cuh"

namespace special {

// The x <= 1/2 (by its logarithm) with I_x(a, b) = p, or 1 - I_x(a, b) = p for `upper`.
GNP_COLD f64 beta_root(f64 a, f64 b, f64 p, bool upper)
{
    // From the leading term x^a / (a B(a, b)) of the lower tail.
    f64 low = -INFINITY_F64, high = -0x1.62e42fefa39efp-1, sum = a + b;
    f64 scale = stirling_tail(sum) - stirling_tail(a) - stirling_tail(b) - 0x1.d67f1c864beb5p-1; // of 1 / B
    scale += (sum - 0.5) * log(sum) - (a - 0.5) * log(a) - (b - 0.5) * log(b);
    f64 lower = upper ? 1 - p : p;
    f64 t = fmin((log(lower) + log(a) - scale) / a, high);
#pragma unroll 1
    for (int step = 0; step < MAX_ROOT_STEPS; step++) {
        f64 x = exp(t), y = -expm1(t);
        if (x == 0) return t < -745 ? 0.0 : x;
        f64 value = betainc_inside(a, b, x, y, upper) - p;
        value = upper ? -value : value;
        if (value == 0) return x;
        if (value < 0) low = t;
        else high = t;
        f64 slope = beta_power_terms(a, b, x, y) / y; // by t = log x
        f64 newton = value / slope, second = a - (b - 1) * x / y; // slope' / slope
        f64 correction = 0.5 * newton * second;
        f64 change = newton / (fabs(correction) < 0.9 ? 1 - correction : 1);
        f64 next = t - change;
        if (!(next > low && next < high)) {
            next = low == -INFINITY_F64 ? t - fmax(1.0, fabs(t)) * 0x1p-40 * exp2(4.0 * step) : 0.5 * (low + high);
        }
        if (fabs(next - t) <= 2 * EPSILON_F64 * fmax(1.0, fabs(t))) return exp(next);
        t = next;
    }
    return exp(t);
}

GNP_COLD f64 betaincinv_of(f64 a, f64 b, f64 p, bool upper)
{
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1 && a < INFINITY_F64 && b < INFINITY_F64)) return NAN_F64;
    if (p == 0 || p == 1) return (p == 0) == upper ? 1.0 : 0.0;
    if (p > 0.5) p = 1 - p, upper = !upper; // exact, and the smaller tail has the digits
    bool below = (betainc_inside(a, b, 0.5, 0.5, upper) >= p) != upper;
    return below ? beta_root(a, b, p, upper) : 1 - beta_root(b, a, p, !upper);
}

GNP_FN f64 betaincinv(f64 a, f64 b, f64 y) { return betaincinv_of(a, b, y, false); }
GNP_FN f64 betainccinv(f64 a, f64 b, f64 y) { return betaincinv_of(a, b, y, true); }
}

#endif
