// The modified Struve function L of real order: the power series, whose terms have one sign where the order is positive;
// beyond 40, for orders up to x / 2, the modified Bessel function I and the expansion of the difference.
#ifndef GNP_SPECIAL_MODSTRUVE_CUH
#define GNP_SPECIAL_MODSTRUVE_CUH

#include "special/bessel_modified.cuh"
#include "special/struve_core.cuh"

namespace special {

static __device__ __noinline__ f64 modstruve_positive(f64 v, f64 x)
{
    if (is_negative_half(v)) return modified_i(-v, x, false);
    if (v > BESSEL_MAX_ORDER) return x < 0.6 * v ? 0.0 : x > v ? INFINITY_F64 : NAN_F64;
    if (v < -BESSEL_MAX_ORDER) return x > -v ? INFINITY_F64 : NAN_F64;
    if (x > 1400 && fabs(v) < x) return INFINITY_F64;
    if (x < 40 || fabs(v) > 0.5 * x) return struve_series(v, x, 1.0);
    return modified_i(fabs(v), x, false) - struve_difference(v, x, 1.0);
}

GNP_FN f64 modstruve(f64 v, f64 x)
{
    f64 result, sign;
    return struve_edge(v, x, result, sign) ? result : sign * modstruve_positive(v, fabs(x));
}
}

#endif
