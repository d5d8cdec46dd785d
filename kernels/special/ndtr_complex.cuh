// ndtr_complex.cuh: the normal distribution function of complex numbers and its logarithm.
#ifndef GNP_SPECIAL_NDTR_COMPLEX_CUH
#define GNP_SPECIAL_NDTR_COMPLEX_CUH

#include "special/erf_complex.cuh"

namespace special {

GNP_FN c128 ndtr(c128 z)
{
    const f64 root_half = 0x1.6a09e667f3bcdp-1;
    c128 w = special::erfc(c128(-z.re * root_half, -z.im * root_half));
    return c128(0.5 * w.re, 0.5 * w.im);
}

// log(w / 2) - z^2 / 2 with w(-i z / sqrt(2)); its imaginary part is an angle in [-pi, pi]. On the right, where Phi
// is close to 1, from the complement.
GNP_CALL c128 log_ndtr(c128 z)
{
    const f64 root_half = 0x1.6a09e667f3bcdp-1;
    f64 x = z.re * root_half, y = z.im * root_half;
    if (!is_finite(z)) return z.re == INFINITY_F64 && isfinite(z.im) ? c128(-0.0, -0.0) : c128(
        isinf(z.re) && isfinite(z.im) ? z.re : NAN_F64, NAN_F64);
    if (z.re > 1 && fabs(z.im) < z.re) {
        c128 tail = special::erfc(c128(x, y));
        return log1p(c128(-0.5 * tail.re, -0.5 * tail.im));
    }
    c128 w = wofz(c128(y, -x));
    f64 angle = z.re * z.im, turn = fma(z.re, z.im, -angle), s, c;
    sincos(angle, &s, &c);
    f64 cosine = fma(-s, turn, c), sine = fma(c, turn, s);
    f64 re = log_absolute(w) - 0x1.62e42fefa39efp-1 - 0.5 * ((z.re - z.im) * (z.re + z.im));
    return c128(re, atan2(w.im * cosine - w.re * sine, w.re * cosine + w.im * sine));
}
}

#endif
