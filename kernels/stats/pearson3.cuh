// pearson3.cuh: Pearson's distribution of the third kind, standardised gamma numbers, for a skewness from zero on: with
// a = 4 / skew^2 and u = skew x / 2 a gamma number of shape a is a (1 + u). Nothing is subtracted that a small skewness
// makes large: the exponent is a (log(1 + u) - u), and probabilities are Temme's expansion, DLMF 8.12, in u.
#ifndef GNP_STATS_PEARSON3_CUH
#define GNP_STATS_PEARSON3_CUH

#include "special/gammainc.cuh"
#include "special/gammaincinv.cuh"
#include "special/ndtr.cuh"
#include "special/stirling.cuh"
#include "stats/constants.cuh"

namespace stats {

// Below it the distribution is normal to all digits.
GNP_FN bool pearson3_is_normal(f64 skew) { return skew < 1e-100; }

GNP_FN f64 pearson3_log_density(f64 x, f64 skew)
{
    if (pearson3_is_normal(skew)) return -0.5 * x * x - LOG_ROOT_TWO_PI_F64;
    const f64 u = 0.5 * skew * x, a = 4 / (skew * skew);
    if (!(u > -1)) return u == -1 && a == 1 ? log(0.5 * skew * a) : u == -1 && a < 1 ? INFINITY_F64 : -INFINITY_F64;
    return a * special::log1pmx(u) - log1p(u) - special::stirling_tail(a) - LOG_ROOT_TWO_PI_F64;
}

// The probability above x, or below it.
GNP_COLD f64 pearson3_tail(f64 x, f64 skew, bool upper)
{
    if (pearson3_is_normal(skew)) return special::ndtr(upper ? -x : x);
    const f64 u = 0.5 * skew * x, a = 4 / (skew * skew);
    if (!(u > -1)) return upper ? 1 : 0;
    if (a < 100 || u < -0.57 || u > 1.33) {
        const f64 t = a * (1 + u);
        return upper ? special::gammaincc(a, t) : special::gammainc(a, t);
    }
    const f64 e = -a * special::log1pmx(u), inverse = 1 / a;
    const f64 rest = special::temme_sum(copysign(sqrt(2 * e * inverse), u), inverse) * sqrt(inverse) / ROOT_TWO_PI_F64;
    const f64 tail = exp(-e) * (0.5 * ::erfcx(sqrt(e)) + (u < 0 ? -rest : rest));
    return upper == (u >= 0) ? tail : 1 - tail;
}

// The x with the probability q above, or below it. From Cornish and Fisher's x, Newton's steps in the logarithm.
GNP_COLD f64 pearson3_quantile(f64 q, f64 skew, bool upper)
{
    const f64 z = upper ? -special::ndtri(q) : special::ndtri(q);
    if (pearson3_is_normal(skew)) return z;
    if (skew > 0.2) {
        const f64 a = 4 / (skew * skew);
        const f64 t = upper ? special::gammainccinv(a, q) : special::gammaincinv(a, q);
        return (t - a) * (0.5 * skew);
    }
    const bool is_upper = upper == (q <= 0.5);
    const f64 p = q <= 0.5 ? q : 1 - q;
    f64 x = fmax(z + skew * (z * z - 1) / 6 + skew * skew * (z * z * z - 7 * z) / 144, -1.9 / skew);
#pragma unroll 1
    for (int step = 0; step < 12; step++) {
        const f64 tail = pearson3_tail(x, skew, is_upper);
        const f64 slope = exp(pearson3_log_density(x, skew)) / tail;
        const f64 d = log(tail / p) / slope;
        x = fmax(is_upper ? x + d : x - d, -2 / skew);
        if (!(fabs(d) > 4e-16 * fabs(x))) break;
    }
    return x;
}
}

#endif
