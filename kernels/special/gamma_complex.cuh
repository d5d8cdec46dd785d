// ln Gamma, Gamma and 1/Gamma for complex arguments, after Hare, "Computing the principal branch of log-Gamma"
// (1997): Stirling's series (DLMF 5.11.1) from |z| = 10 on, the recurrence with a count of the branches below,
// reflection for Re z < 0, Taylor series about the zeros 1 and 2, and at 3.
#ifndef GNP_SPECIAL_GAMMA_COMPLEX_CUH
#define GNP_SPECIAL_GAMMA_COMPLEX_CUH

#include "complex.cuh"
#include "special/gamma.cuh"
#include "special/gamma_complex_fits.cuh"

namespace special {

// c[0] + c[1] z + ... + c[n - 1] z^(n - 1)
GNP_COLD c128 polynomial_called(const f64 *c, int n, c128 z)
{
    c128 sum = c128(0.0);
#pragma unroll 1
    for (int i = n - 1; i >= 0; i--) {
        sum = sum * z;
        sum.re += c[i];
    }
    return sum;
}

template <int N> GNP_FN c128 polynomial_loop(const f64 (&c)[N], c128 z) { return polynomial_called(c, N, z); }

GNP_FN c128 conjugated(c128 z, bool yes) { return c128(z.re, yes ? -z.im : z.im); }
GNP_FN bool is_finite(c128 z) { return fabs(z.re) < INFINITY_F64 && fabs(z.im) < INFINITY_F64; }

// log(1 + w) for |w| < 0.95
GNP_FN c128 log1p_small(c128 w)
{
    f64 s = w.re * (2 + w.re) + w.im * w.im;
    return c128(0.5 * ::log1p(s), ::atan2(w.im, 1 + w.re));
}

// For Re z >= 0, Im z >= 0.
GNP_COLD void loggamma_right(c128 z, c128 &y)
{
    c128 w = c128(z.re - 2, z.im), v = c128(z.re - 1, z.im);
    if (w.re * w.re + w.im * w.im <= 0.9) {
        y = w * polynomial_loop(LOG_GAMMA_AT_2, w);
        return;
    }
    if (v.re * v.re + v.im * v.im <= 0.9) {
        y = v * polynomial_loop(LOG_GAMMA_AT_2, v) - log1p_small(v);
        return;
    }
    c128 u = c128(z.re - 3, z.im);
    if (u.re * u.re + u.im * u.im <= 0.9) {
        y = u * polynomial_loop(LOG_GAMMA_AT_2, u) + log_called(c128(z.re - 1, z.im));
        return;
    }
    c128 product = c128(1.0);
    f64 turns = 0;
    bool shifted = false;
#pragma unroll 1
    while (z.re < 10 && z.im < 10) { // at most 10 steps
        f64 before = product.im;
        product = product * z;
        turns += before >= 0 && product.im < 0 ? 1 : 0;
        z.re += 1;
        shifted = true;
    }
    c128 t = c128(1.0) / z, log_z = log_called(z);
    y = c128(z.re - 0.5, z.im) * log_z - z + t * polynomial_loop(STIRLING_SERIES, t * t);
    y.re += 0.918938533204672741780;
    if (shifted) {
        c128 l = log_called(product);
        y = c128(y.re - l.re, y.im - (l.im + 2 * PI_F64 * turns));
    }
}

// ln(2 pi) - i pi/2 + i pi z - log(1 - exp(2 pi i z)) - ln Gamma(1 - z) for Re z < 0, Im z >= 0: from 5.5.3.
GNP_COLD void loggamma_left(c128 z, c128 &y)
{
    c128 other;
    loggamma_right(c128(1 - z.re, z.im), other); // the conjugate of ln Gamma(1 - z)
    f64 r = z.re - rint(z.re), size = ::exp(-2 * PI_F64 * z.im), s = sinpi(r);
    c128 q = c128(2 * size * s * s - ::expm1(-2 * PI_F64 * z.im), -2 * size * s * cospi(r));
    c128 l = log_called(q);
    y.re = 1.83787706640934548356 - PI_F64 * z.im - l.re - other.re;
    y.im = PI_F64 * (z.re - 0.5) - l.im + other.im;
}

GNP_COLD f64 rgamma_called(f64 x) { return rgamma(x); }

GNP_FN c128 loggamma(c128 z)
{
    if (!is_finite(z) || (z.im == 0 && z.re <= 0 && floor(z.re) == z.re)) {
        return c128(NAN_F64, NAN_F64);
    }
    bool below = z.im < 0 || (z.im == 0 && __double2hiint(z.im) < 0);
    if (z.im == 0 && z.re > 0) {
        return c128(gammaln_positive_called(z.re), z.im);
    }
    c128 y, upper = c128(z.re, fabs(z.im));
    if (z.re >= 0) {
        loggamma_right(upper, y);
    }
    else {
        loggamma_left(upper, y);
    }
    return conjugated(y, below);
}

GNP_FN c128 gamma(c128 z)
{
    if (z.im == 0 && is_finite(z)) {
        bool pole = z.re <= 0 && floor(z.re) == z.re;
        return pole ? c128(NAN_F64, NAN_F64) : c128(gamma_called(z.re), z.im);
    }
    return ::exp(loggamma(z));
}

GNP_FN c128 rgamma(c128 z)
{
    if (z.im == 0 && z.re < INFINITY_F64) {
        return c128(rgamma_called(z.re), z.re <= 0 && floor(z.re) == z.re ? 0.0 : -z.im);
    }
    return ::exp(-loggamma(z));
}
}

#endif
