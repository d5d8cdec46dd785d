// argus.cuh: the lower tail of the Argus distribution, the integral of its density, as the difference of two
// incomplete gamma functions has an absolute error.
#ifndef GNP_STATS_ARGUS_CUH
#define GNP_STATS_ARGUS_CUH

#include "special/gammainc.cuh"
#include "stats/gauss_rule.cuh"

namespace stats {

// With w the square of the values and c = chi^2 / 2, the density of w is sqrt(1 - w) exp(-c (1 - w)) by a factor.
GNP_COLD f64 argus_cdf(f64 x, f64 chi)
{
    const f64 c = 0.5 * chi * chi, all = special::gammainc(1.5, c), y = (1 - x) * (1 + x);
    const f64 upper = special::gammainc(1.5, c * y) / all;
    if (upper < 0.9) return 1 - upper;
    const auto density = [&](f64 s) { return sqrt(y + s) * exp(-c * s); };
    const f64 length = fmin(x * x, GNP_STATS_TAIL_DEPTH / c);
    return 2 * c * sqrt(c) / ROOT_PI_F64 / all * exp(-c * y) * gauss_integral(density, length);
}
}

#endif
