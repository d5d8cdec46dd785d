// The integral of x^lambda J(nu, 2 a x) from 0 to 1: a sum of Bessel functions of orders nu + 1, nu + 3 ... (Y. L. Luke,
// Integrals of Bessel Functions, 1962), which come from downward recurrence (DLMF 3.6(iii)); the power series for small a.
#ifndef GNP_SPECIAL_BESSELPOLY_CUH
#define GNP_SPECIAL_BESSELPOLY_CUH

#include "special/bessel_real.cuh"

namespace special {

#define BESSELPOLY_MOST 50000.0 // 2 a and nu up to here

static __device__ __noinline__ f64 besselpoly_series(f64 a, f64 lambda, f64 nu)
{
    f64 term = 1, sum = 1 / (nu + lambda + 1);
#pragma unroll 1
    for (int k = 1; k < 40; k++) {
        term *= -a * a / (k * (nu + k));
        sum += term / (2 * k + nu + lambda + 1);
    }
    const f64 whole = floor(nu + 0.5);
    if (whole >= 0) return leading_power(nu, 2 * a) * sum;
    f64 m = nu - whole; // leading_power goes upwards only
    f64 lead = leading_power(m, 2 * a);
#pragma unroll 1
    for (int i = 0; i < (int)-whole; i++) {
        lead *= (m - i) / a;
    }
    return lead * sum;
}

// sum over k of (nu + 2 k + 1) (A)_k / (B)_k J(nu + 2 k + 1) with A = (nu - lambda + 1) / 2, B = (nu + lambda + 3) / 2.
static __device__ __noinline__ f64 besselpoly_sum(f64 z, f64 lambda, f64 nu)
{
    const f64 a = 0.5 * (nu - lambda + 1), b = 0.5 * (nu + lambda + 3), w = 2 / z;
    const int pairs = (int)(0.5 * (fmax(z - nu, 0.0) + 12 * cbrt(z))) + 25;
    f64 above = 0, now = 1e-280, sum = 0; // of orders n + 1 and n
#pragma unroll 1
    for (int k = pairs; k >= 0; k--) { // `now` has order nu + 2 k + 1
        const f64 order = nu + 2 * k + 1;
        sum = fma((a + k) / (b + k), sum, order * now);
        const f64 below = order * w * now - above;
        if (k == 0) {
            above = now;
            now = below;
            break;
        }
        now = (order - 1) * w * below - now;
        above = below;
        if (fabs(now) > 1e200) {
            now *= 1e-200;
            above *= 1e-200;
            sum *= 1e-200;
        }
    }
    const f64 size = fmax(fabs(now), fabs(above)); // the recurrence was started at some value: compare with J
    now /= size;
    above /= size;
    const f64 scale = (bessel_j_any(nu, z, false) * now + bessel_j_any(nu + 1, z, false) * above) / (now * now + above * above);
    return scale * (sum / size) * 2 / (z * (nu + lambda + 1));
}

GNP_FN f64 besselpoly(f64 a, f64 lambda, f64 nu)
{
    if (!(a >= 0) || lambda != lambda || !(fabs(nu) < INFINITY_F64)) return NAN_F64;
    if (fabs(lambda) == INFINITY_F64) return 0;
    if (a == 0) return nu == 0 ? 1 / (lambda + 1) : 0.0;
    f64 sign = 1;
    if (nu < 0 && is_integer(nu)) {
        nu = -nu;
        sign = 0.5 * nu != floor(0.5 * nu) ? -1.0 : 1.0;
    }
    if (nu + lambda + 1 == 0) return INFINITY_F64;
    if (!(2 * a <= BESSELPOLY_MOST && fabs(nu) <= BESSELPOLY_MOST)) return NAN_F64;
    return sign * (a <= 0.5 ? besselpoly_series(a, lambda, nu) : besselpoly_sum(2 * a, lambda, nu));
}
}

#endif
