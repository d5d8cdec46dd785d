// Riemann's zeta function for complex arguments: Euler and Maclaurin's formula (DLMF 25.2.9) with as many terms of
// the series as |s|, for Re s >= 0 and about zero; the functional equation (25.4.1) in logarithms elsewhere.
#ifndef GNP_SPECIAL_ZETA_COMPLEX_CUH
#define GNP_SPECIAL_ZETA_COMPLEX_CUH

#include "special/gamma_complex.cuh"
#include "special/zeta.cuh"

namespace special {

const f64 MOST_ZETA_TERMS = 1e7; // more would take longer than a second for one argument

// n^-s
GNP_FN c128 negative_power(f64 n, c128 s)
{
    f64 l = ::log(n), size = ::exp(-s.re * l), sine, cosine;
    ::sincos(s.im * l, &sine, &cosine);
    return c128(size * cosine, -size * sine);
}

// For s != 1 that is not far to the left of zero.
GNP_COLD void zeta_right(c128 s, c128 &y)
{
    f64 n = ceil(::hypot(s.re, s.im)) + 10;
    // from this number on the terms of the series itself are too small to count
    f64 last = s.re > 1 ? ceil(::exp2(60 / (s.re - 1))) + 1 : INFINITY_F64;
    if (fmin(n, last) > MOST_ZETA_TERMS) {
        y = c128(NAN_F64, NAN_F64);
        return;
    }
    y = c128(0.0);
    if (n <= last) {
        c128 term = negative_power(n, s);
        y = scaled(term, n) / c128(s.re - 1, s.im) + scaled(term, 0.5);
        f64 square = 1 / (n * n);
        c128 factor = scaled(s * term, 1 / n);
#pragma unroll 1
        for (int k = 0; k < 12; k++) {
            y = y + scaled(factor, BERNOULLI_OVER_FACTORIAL[k]);
            factor = scaled(factor * c128(s.re + (2 * k + 1), s.im), square) * c128(s.re + (2 * k + 2), s.im);
        }
    }
#pragma unroll 1
    for (f64 k = fmin(n, last) - 1; k > 1; k--) {
        y = y + negative_power(k, s);
    }
    y.re += 1;
}

// 2 (2 pi)^(s-1) sin(pi s/2) Gamma(1 - s) zeta(1 - s) for Re s < 0, Im s >= 0, in which
// 2 sin(pi s/2) = i exp(-i pi s/2) (1 - exp(i pi s)).
GNP_COLD void zeta_left(c128 s, c128 &y)
{
    c128 other;
    zeta_right(c128(1 - s.re, -s.im), other);
    c128 exponent = loggamma(c128(1 - s.re, -s.im)) + scaled(c128(s.re - 1, s.im), 1.83787706640934548356);
    exponent.re += 0.5 * PI_F64 * s.im;
    f64 half = 0.5 * s.re, r = half - rint(half), size = ::exp(-PI_F64 * s.im), sine = sinpi(r);
    c128 rest = c128(2 * size * sine * sine - ::expm1(-PI_F64 * s.im), -2 * size * sine * cospi(r));
    f64 turns = modulo2(half); // of exp(-i pi s/2)
    c128 root = ::exp(scaled(exponent, 0.5)); // the product may be finite where the square is not
    y = root * (other * rest * c128(sinpi(turns), cospi(turns))) * root;
}

GNP_FN c128 riemann_zeta(c128 s)
{
    if (s.im == 0) {
        return c128(riemann_zeta(s.re), s.im);
    }
    if (!is_finite(s)) {
        return c128(NAN_F64, NAN_F64);
    }
    c128 y, upper = c128(s.re, fabs(s.im));
    if (s.re >= 0 || fabs(s.re) + upper.im < 0.25) { // there 1 - s would lose what s is
        zeta_right(upper, y);
    }
    else {
        zeta_left(upper, y);
    }
    return conjugated(y, s.im < 0);
}
}

#endif
