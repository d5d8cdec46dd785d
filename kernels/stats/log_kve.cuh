// log_kve.cuh: the logarithm of kve(v, x) = exp(x) K_v(x), beyond the range of f64 too. There K is its leading term
// for a small x, with the first correction, or the uniform expansion for large orders: DLMF 10.30.2, 10.31.1, 10.41.4.
#ifndef GNP_STATS_LOG_KVE_CUH
#define GNP_STATS_LOG_KVE_CUH

#include "special/bessel_modified.cuh"
#include "special/gamma.cuh"
#include "stats/constants.cuh"

namespace stats {

GNP_COLD f64 log_kve(f64 order, f64 x)
{
    const f64 known = special::kve(order, x), v = fabs(order);
    if (known < INFINITY_F64 || !(x > 0)) return log(known);
    if (v < 100) return special::gammaln(v) + v * log(2 / x) - LOG_TWO_F64 + log1p(-0.25 * x * x / (v - 1)) + x;
    const f64 z = x / v, root = hypot(1.0, z), t = 1 / root, s = t * t;
    const f64 u1 = t * (3 - 5 * s) / 24;
    const f64 u2 = s * (81 - s * (462 - s * 385)) / 1152;
    const f64 u3 = s * t * (30375 - s * (369603 - s * (765765 - s * 425425))) / 414720;
    const f64 u4 = s * s * (4465125 - s * (94121676 - s * (349922430 - s * (446185740 - s * 185910725)))) / 39813120;
    const f64 series = ((((u4 / v - u3) / v + u2) / v) - u1) / v;
    // v root - x without cancellation: v / (root + z)
    return 0.5 * log(0.5 * PI_F64 / (v * root)) - v / (root + z) - v * log(z / (1 + root)) + log1p(series);
}
}

#endif
