// 0F1(; v; z): the power series, or Bessel functions (DLMF 10.16.9, 10.39.9) where it is long or cancels.
#ifndef GNP_SPECIAL_HYP0F1_CUH
#define GNP_SPECIAL_HYP0F1_CUH

#include "special/bessel_modified.cuh"
#include "special/bessel_real.cuh"
#include "special/hypergeometric.cuh"

namespace special {

// x 2^-e, where e is added to a sum of exponents.
GNP_COLD f64 mantissa_of(f64 x, int &exponent)
{
    if (x == 0 || !(fabs(x) < INFINITY_F64)) return x;
    const int e = ilogb(x);
    exponent += e;
    return scale_by(x, -e);
}

// Gamma(v) x^(1 - v) * bessel * e^growth, where the parts may leave the range.
GNP_COLD f64 hyp0f1_of_bessel(f64 v, f64 x, f64 bessel, f64 growth)
{
    const GammaParts gamma = gamma_parts(v);
    f64 power = raised(x, 1 - v), exponent = gamma.exponent + growth;
    if (!(power > 1e-280 && power < 1e280)) {
        exponent += (1 - v) * log_of(x);
        power = 1;
    }
    int e = 0;
    const f64 product = mantissa_of(gamma.factor, e) * mantissa_of(power, e) * mantissa_of(bessel, e);
    return product == product ? times_exp(product, exponent, e) : product;
}

GNP_FN f64 hyp0f1(f64 v, f64 z)
{
    if (z == 0 && !ends_series(v)) return 1;
    if (v != v || z != z || ends_series(v) || fabs(z) == INFINITY_F64) return NAN_F64;
    if (fabs(v) == INFINITY_F64) return 1;
    Summed<f64> y = {NAN_F64, INFINITY_F64};
    Series s = {pair(0), pair(0), pair(v), 0};
    if (fabs(z) < 1e4) sum_plain<f64>(s, z, y);
    if (y.error > GOOD && fabs(z) < 400) {
        Summed<f64> other;
        WideReal sum;
        sum_wide<f64>(s, z, sum, other.error);
        other.value = sum.high;
        other.error += EPSILON_F64;
        keep_better(y, other);
    }
    if (y.error <= 1e-13) return y.value;
    f64 x = sqrt(fabs(z));
    return z > 0 ? hyp0f1_of_bessel(v, x, ive(v - 1, 2 * x), 2 * x) : hyp0f1_of_bessel(v, x, jv(v - 1, 2 * x), 0);
}
}

#endif
