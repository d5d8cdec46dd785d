// 0F1(; v; z) of complex argument: the power series, or I of order v - 1 (DLMF 10.39.9).
#ifndef GNP_SPECIAL_HYP0F1_COMPLEX_CUH
#define GNP_SPECIAL_HYP0F1_COMPLEX_CUH

#include "special/wide_complex.cuh"

#include "special/bessel_complex.cuh"
#include "special/hypergeometric.cuh"

namespace special {

GNP_FN c128 hyp0f1(f64 v, c128 z)
{
    if (v != v || z.re != z.re || z.im != z.im || ends_series(v) || isinf(z.re) || isinf(z.im)) return complex_nan();
    if ((z.re == 0 && z.im == 0) || fabs(v) == INFINITY_F64) return c128(1.0);
    Summed<c128> y = {complex_nan(), INFINITY_F64};
    Series s = {pair(0), pair(0), pair(v), 0};
    f64 size = extent(z);
    if (size < 1e4) sum_plain<c128>(s, z, y);
    if (y.error > GOOD && size < 400) {
        Summed<c128> other;
        WideComplex sum;
        sum_wide<c128>(s, z, sum, other.error);
        other.value = narrowed(sum);
        other.error += EPSILON_F64;
        keep_better(y, other);
    }
    if (y.error <= 1e-13) return y.value;
    c128 x = ::sqrt(z), bessel = ive(v - 1, scaled(x, 2));
    const GammaParts gamma = gamma_parts(v);
    const f64 growth = gamma.exponent + log_of(fabs(gamma.factor)), part = 0.5 * (2 * fabs(x.re) + growth); // in halves: the product may be in range
    c128 half = exponential(scaled(::log(x), 0.5 * (1 - v)) + c128(part));
    return scaled(half * bessel * half, copysign(1.0, gamma.factor));
}
}

#endif
