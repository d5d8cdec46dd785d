// expn.cuh: the exponential integrals E(n, x) of whole order for x >= 0: the series of DLMF 8.19.8 up to 1, the
// continued fraction 8.19.17 beyond.
#ifndef GNP_SPECIAL_EXPN_CUH
#define GNP_SPECIAL_EXPN_CUH

#include "special/expint.cuh"

namespace special {

GNP_COLD f64 expn_series(i64 n, f64 x)
{
    f64 sum = 1 / (f64)(n - 1), power = 1;
#pragma unroll 1
    for (int k = 1; k < 40; k++) {
        power *= -x / k;
        if (k != n - 1) {
            sum -= power / (f64)(k - n + 1);
        }
        else {
            f64 psi = -EULER_F64;
#pragma unroll 1
            for (int j = 1; j < n; j++) {
                psi += 1.0 / j;
            }
            sum += power * (psi - log(x));
        }
        if (fabs(power) < EPSILON_F64 * 0.1 * fabs(sum) / n) break;
    }
    return sum;
}

// The fraction with numerators n, 1, n + 1, 2 ... from its end: all terms are positive. It takes some 90 / x pairs.
GNP_COLD f64 expn_fraction(f64 n, f64 x)
{
    int k = 14 + (int)(100 / x);
    f64 t = x + k;
#pragma unroll 1
    for (; k >= 0; k--) {
        t = x + (n + k) * t / (t + k + 1);
    }
    return exp(-x) / t;
}

GNP_COLD f64 expn(i64 n, f64 x)
{
    if (n < 0 || !(x >= 0)) return NAN_F64;
    if (n == 0) return x == 0 ? INFINITY_F64 : x == INFINITY_F64 ? 0 : exp(-x) / x;
    if (n == 1) return exp1(x);
    if (x == 0) return 1 / (f64)(n - 1);
    if (x > 760) return 0;
    return x <= 1 ? expn_series(n, x) : expn_fraction((f64)n, x);
}

// The order may come as a number with a fraction, which is dropped.
GNP_FN f64 expn(f64 n, f64 x)
{
    return fabs(n) < 1e18 ? expn((i64)n, x) : NAN_F64;
}
}

#endif
