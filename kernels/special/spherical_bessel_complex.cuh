// Spherical Bessel functions of whole order and complex argument, by those of half a whole order (DLMF 10.47), and
// their derivatives (10.51.2, 10.51.5). The roots' cuts cancel.
#ifndef GNP_SPECIAL_SPHERICAL_BESSEL_COMPLEX_CUH
#define GNP_SPECIAL_SPHERICAL_BESSEL_COMPLEX_CUH

#include "complex.cuh"
#include "special/bessel_complex.cuh"

namespace special {

enum SphericalKind { SPHERICAL_J, SPHERICAL_Y, SPHERICAL_I, SPHERICAL_K };

GNP_FN c128 at_infinity(SphericalKind kind, i64 n, f64 x)
{
    const bool grows = kind == SPHERICAL_I || (kind == SPHERICAL_K && x < 0);
    if (!grows) return c128(0.0);
    return c128(x < 0 && ((n & 1) || kind == SPHERICAL_K) ? -INFINITY_F64 : INFINITY_F64);
}

template <SphericalKind KIND> GNP_COLD c128 spherical(i64 n, c128 z)
{
    const c128 none = c128(NAN_F64, NAN_F64);
    if (n < 0 || z.re != z.re || z.im != z.im) return none;
    const bool is_far = fabs(z.re) == INFINITY_F64, is_high = fabs(z.im) == INFINITY_F64;
    const bool oscillates = KIND == SPHERICAL_J || KIND == SPHERICAL_Y;
    if (is_high && is_far && oscillates) return c128(INFINITY_F64, INFINITY_F64);
    if (is_high) return none;
    if (is_far) return z.im == 0 || oscillates ? at_infinity(KIND, n, z.re) : none;
    if (z.re == 0 && z.im == 0) return KIND == SPHERICAL_Y || KIND == SPHERICAL_K ? none : c128(n == 0 ? 1.0 : 0.0);
    const f64 order = n + 0.5;
    c128 value;
    if constexpr (KIND == SPHERICAL_J) value = jv(order, z);
    if constexpr (KIND == SPHERICAL_Y) value = yv(order, z);
    if constexpr (KIND == SPHERICAL_I) value = iv(order, z);
    if constexpr (KIND == SPHERICAL_K) value = kv(order, z);
    return ::sqrt(c128(HALF_PI_F64) / z) * value;
}

template <SphericalKind KIND> GNP_FN c128 spherical_slope(i64 n, c128 z)
{
    const f64 before = (KIND == SPHERICAL_K ? -1.0 : 1.0) * n / (2.0 * n + 1);
    const f64 after = (KIND == SPHERICAL_I ? 1.0 : -1.0) * (n + 1) / (2.0 * n + 1);
    const c128 above = spherical<KIND>(n + 1, z), below = n > 0 ? spherical<KIND>(n - 1, z) : c128(0.0);
    return n < 0 ? c128(NAN_F64, NAN_F64)
                 : c128(before * below.re + after * above.re, before * below.im + after * above.im);
}

GNP_FN c128 spherical_jn(i64 n, c128 z) { return spherical<SPHERICAL_J>(n, z); }
GNP_FN c128 spherical_yn(i64 n, c128 z) { return spherical<SPHERICAL_Y>(n, z); }
GNP_FN c128 spherical_in(i64 n, c128 z) { return spherical<SPHERICAL_I>(n, z); }
GNP_FN c128 spherical_kn(i64 n, c128 z) { return spherical<SPHERICAL_K>(n, z); }
GNP_FN c128 spherical_jn_d(i64 n, c128 z) { return spherical_slope<SPHERICAL_J>(n, z); }
GNP_FN c128 spherical_yn_d(i64 n, c128 z) { return spherical_slope<SPHERICAL_Y>(n, z); }
GNP_FN c128 spherical_in_d(i64 n, c128 z) { return spherical_slope<SPHERICAL_I>(n, z); }
GNP_FN c128 spherical_kn_d(i64 n, c128 z) { return spherical_slope<SPHERICAL_K>(n, z); }
}

#endif
