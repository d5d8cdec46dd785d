// Kummer's function of complex argument.
#ifndef GNP_SPECIAL_CONFLUENT_COMPLEX_CUH
#define GNP_SPECIAL_CONFLUENT_COMPLEX_CUH

#include "special/wide_complex.cuh"

#include "special/hypergeometric.cuh"

namespace special {
GNP_COLD void confluent_far(f64 a, f64 b, c128 z, Summed<c128> &y);
}

#include "special/confluent.cuh"

namespace special {

// Both parts of 13.7.2; (-z)^-a is e^(+-i pi a) z^-a.
GNP_COLD void confluent_far(f64 a, f64 b, c128 z, Summed<c128> &y)
{
    Summed<c128> other;
    Pair difference = pair_difference(b, a);
    c128 t = c128(1.0) / z;
    sum_asymptotic<c128>(difference, pair_difference(1, a), t, y);
    sum_asymptotic<c128>(pair(a), pair_sum(pair_negative(difference), pair(1)), -t, other);
    y.value = with_prefactor<c128>(y.value, b, a, z, z, a - b);
    other.value = with_prefactor<c128>(other.value, b, difference.high, c128(0.0), -z, -a);
    f64 one = extent(y.value), two = extent(other.value);
    y.value = y.value + other.value;
    y.error = (one * y.error + two * other.error) / extent(y.value);
    if (y.error != y.error) y.error = INFINITY_F64;
}

GNP_FN c128 hyp1f1(f64 a, f64 b, c128 z)
{
    if (a != a || b != b || z.re != z.re || z.im != z.im) return c128(NAN_F64, NAN_F64);
    if (ends_series(b) && !(ends_series(a) && a >= b && a != 0)) return c128(INFINITY_F64, 0);
    if (a == 0 || (z.re == 0 && z.im == 0)) return c128(1.0);
    f64 most = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(z.re), fabs(z.im)));
    if (most == INFINITY_F64) return c128(NAN_F64, NAN_F64);
    if (a == b && !ends_series(b)) return exponential(z);
    Summed<c128> y = confluent<c128>(a, b, z);
    return y.error < WORTHLESS ? y.value : c128(NAN_F64, NAN_F64);
}
}

#endif
