// Integrals of the Bessel and Struve functions of order 0: itj0y0, it2j0y0, iti0k0, it2i0k0, itstruve0, it2struve0,
// itmodstruve0. Power series near 0 (DLMF 10.8.1, 10.31.2, 11.2.1, integrated term by term), Taylor series about the
// nearest whole number up to 40, and beyond the integrals of Hankel's expansions (10.17.5, 10.40.1, 10.40.2) and of that
// of the difference of Struve's and Bessel's function (11.6.1).
#ifndef GNP_SPECIAL_BESSEL_INTEGRALS_CUH
#define GNP_SPECIAL_BESSEL_INTEGRALS_CUH

#include "special/bessel_integrals_fits.cuh"
#include "special/bessel_taylor.cuh"

namespace special {

#define GAMMA_F64 0.57721566490153286061
#define TWO_OVER_PI_F64 0.63661977236758134308

// Of a pair of functions: J and Y, or I and K. `integral` is that from 0 to x; `quotient` that of (1 - J)/t, or of
// (I - 1)/t, from 0 to x for the first, that of the function divided by t from x to infinity for the second.
struct BesselIntegrals {
    f64 first, second;
};

// 0 < x < 0.75; sign -1 for J and Y, 1 for I and K.
static __device__ __noinline__ void integrals_small(f64 x, f64 sign, BesselIntegrals &integral, BesselIntegrals &quotient)
{
    const f64 log_x = log(0.5 * x), log_part = log_x + GAMMA_F64, square = sign * 0.25 * x * x;
    f64 term = 1, harmonic = 0, a = x, b = x * (log_part - 1), p = 0, q = 0;
#pragma unroll 1
    for (int k = 1; k < 10; k++) {
        const f64 odd = 1.0 / (2 * k + 1), even = 0.5 / k;
        term *= square / (k * k);
        harmonic += 1.0 / k;
        a = fma(x * odd, term, a);
        b = fma(x * odd * (log_part - harmonic - odd), term, b);
        p = fma(even, term, p);
        q = fma(even * (log_part - harmonic - even), term, q);
    }
    const f64 constant = sign > 0 ? 0x1.27d859111918fp-1 : -0x1.4fcf4026afa2ep-1; // of the integral to infinity
    const f64 factor = sign < 0 ? TWO_OVER_PI_F64 : -1.0;
    integral = BesselIntegrals{a, factor * b};
    quotient = BesselIntegrals{sign * p, -factor * (q + fma(log_x, fma(0.5, log_x, GAMMA_F64), constant))};
}

static __device__ __noinline__ void integrals_middle(const f64 *row, f64 c, f64 h, f64 sign, BesselIntegrals &integral,
                                                     BesselIntegrals &quotient)
{
    const TaylorSums<f64> first = taylor_at(c, h, row[0], row[2], sign, 0.0);
    const TaylorSums<f64> second = taylor_at(c, h, row[1], row[3], sign, 0.0);
    integral = BesselIntegrals{row[4] + first.integral, row[5] + second.integral};
    quotient = BesselIntegrals{row[6] + sign * (first.quotient - log1p(h / c)), row[7] - second.quotient};
}

// With the coefficients b(k) of Hankel's expansion, phi(k) = b(k) + (k + shift) phi(k - 1): sums of phi(k) / x^k, all
// of them, with alternating signs, and those of even and of odd k with alternating signs.
struct IntegralSums {
    f64 plain, alternating, even, odd;
};
static __device__ __noinline__ IntegralSums integral_sums(f64 x, f64 shift)
{
    IntegralSums r = {0, 0, 0, 0}; // the sums from 1 on: rounding errors relative to those
    f64 b = 1, phi = 1, before = INFINITY_F64;
    const f64 w = 1 / x;
#pragma unroll 1
    for (int k = 1; k < 60; k++) {
        b *= (2 * k - 1) * (2 * k - 1) / (8.0 * k) * w;
        phi = fma((k + shift) * w, phi, b);
        if (phi > before) break;
        before = phi;
        const f64 sign = k & 2 ? -phi : phi;
        r.plain += phi;
        r.alternating += k & 1 ? -phi : phi;
        if (k & 1) r.odd += sign;
        else r.even += sign;
        if (phi < 0x1p-58) break;
    }
    r.plain += 1;
    r.alternating += 1;
    r.even += 1;
    return r;
}

// shift -1/2: the integrals of J and Y from x to infinity; 1/2: those of the quotients by t.
static __device__ __noinline__ BesselIntegrals waves(f64 x, f64 shift)
{
    const IntegralSums sums = integral_sums(x, shift);
    f64 s, c;
    sincos(x, &s, &c);
    const f64 factor = 0.56418958354775628695 / (sqrt(x) * (shift > 0 ? x : 1.0)), p = c + s, q = s - c;
    return BesselIntegrals{factor * (sums.odd * p - sums.even * q), factor * (sums.even * p + sums.odd * q)};
}

// The integral of I from 0, or of the growing part of I/t.
static __device__ __noinline__ f64 growth(f64 x, f64 shift)
{
    const f64 e = exp(0.5 * x), factor = 0.39894228040143267794 / (sqrt(x) * (shift > 0 ? x : 1.0));
    const f64 sum = factor * integral_sums(x, shift).plain;
    return x < 700 ? exp(x) * sum : e * sum * e;
}

// Both of J and Y for x > 0.
static __device__ __noinline__ void integrals_jy(f64 x, BesselIntegrals &integral, BesselIntegrals &quotient)
{
    if (x < BESSEL_SERIES_END) {
        integrals_small(x, -1.0, integral, quotient);
    }
    else if (x <= 40.5) {
        const f64 c = rint(x);
        integrals_middle(BESSEL_CENTERS + 12 * ((int)c - 1), c, x - c, -1.0, integral, quotient);
    }
    else {
        const BesselIntegrals a = waves(x, -0.5), b = waves(x, 0.5);
        integral = BesselIntegrals{1 - a.first, -a.second};
        quotient = BesselIntegrals{log(0.5 * x) + GAMMA_F64 + b.first, b.second};
    }
}

static __device__ __noinline__ void integrals_ik(f64 x, BesselIntegrals &integral, BesselIntegrals &quotient)
{
    if (x < BESSEL_SERIES_END) {
        integrals_small(x, 1.0, integral, quotient);
    }
    else if (x <= 40.5) {
        const f64 c = rint(x);
        integrals_middle(MODIFIED_CENTERS + 11 * ((int)c - 1), c, x - c, 1.0, integral, quotient);
    }
    else {
        integral = BesselIntegrals{growth(x, -0.5), HALF_PI_F64};
        const f64 decay = 1.2533141373155003 / (x * sqrt(x)) * integral_sums(x, 0.5).alternating;
        quotient = BesselIntegrals{growth(x, 0.5) - (log(0.5 * x) + GAMMA_F64), exp(-x) * decay};
    }
}

// ---- the functions --------------------------------------------------------------------------------------------------

template <class O> GNP_FN void itj0y0(f64 x, O &j, O &y)
{
    const f64 size = fabs(x);
    BesselIntegrals integral = {x, 0}, quotient;
    if (!(size < INFINITY_F64)) integral.first = integral.second = NAN_F64;
    else if (x != 0) integrals_jy(size, integral, quotient);
    j = (O)copysign(integral.first, x);
    y = (O)(x < 0 ? NAN_F64 : integral.second);
}

template <class O> GNP_FN void it2j0y0(f64 x, O &j, O &y)
{
    const f64 size = fabs(x);
    BesselIntegrals integral, quotient = {0, -INFINITY_F64};
    if (!(size < INFINITY_F64)) quotient.first = quotient.second = NAN_F64;
    else if (x != 0) integrals_jy(size, integral, quotient);
    j = (O)quotient.first;
    y = (O)(x < 0 ? NAN_F64 : quotient.second);
}

template <class O> GNP_FN void iti0k0(f64 x, O &i, O &k)
{
    const f64 size = fabs(x);
    BesselIntegrals integral = {x, 0}, quotient;
    if (!(size < INFINITY_F64)) integral = BesselIntegrals{NAN_F64, x == INFINITY_F64 ? HALF_PI_F64 : NAN_F64};
    else if (x != 0) integrals_ik(size, integral, quotient);
    i = (O)copysign(integral.first, x);
    k = (O)(x < 0 ? NAN_F64 : integral.second);
}

template <class O> GNP_FN void it2i0k0(f64 x, O &i, O &k)
{
    const f64 size = fabs(x);
    BesselIntegrals integral, quotient = {0, INFINITY_F64};
    if (!(size < INFINITY_F64)) quotient.first = quotient.second = NAN_F64;
    else if (x != 0) integrals_ik(size, integral, quotient);
    i = (O)quotient.first;
    k = (O)(x < 0 ? NAN_F64 : quotient.second);
}

// H or L of order 0, x < 0.75: the integral from 0, and that of the quotient by t.
static __device__ __noinline__ BesselIntegrals struve_small(f64 x, f64 sign)
{
    f64 term = TWO_OVER_PI_F64 * x, integral = 0.5 * term, quotient = term;
#pragma unroll 1
    for (int k = 1; k < 10; k++) {
        const f64 odd = 2 * k + 1;
        term *= sign * x * x / (odd * odd);
        integral = fma(term, 1 / (odd + 1), integral);
        quotient = fma(term, 1 / odd, quotient);
    }
    return BesselIntegrals{x * integral, quotient};
}

// With d(k) = (1 3 5 ... (2k - 1))^2 / x^(2k): sums of (-1)^k d(k) / (2k) from 1 on, and of (-1)^k d(k) / (2k + 1).
static __device__ __noinline__ BesselIntegrals struve_tail(f64 x)
{
    const f64 w = 1 / x;
    f64 term = 1, even = 0, odd = 1;
#pragma unroll 1
    for (int k = 1; k < 20; k++) {
        const f64 ratio = (2 * k - 1) * w;
        term *= -ratio * ratio;
        even = fma(0.5 / k, term, even);
        odd = fma(1.0 / (2 * k + 1), term, odd);
        if (fabs(term) < 0x1p-58) break;
    }
    return BesselIntegrals{even, odd};
}

GNP_FN f64 itstruve0(f64 x)
{
    x = fabs(x);
    if (!(x < INFINITY_F64)) return NAN_F64;
    if (x < BESSEL_SERIES_END) return struve_small(x, -1.0).first;
    if (x > 40.5) {
        return TWO_OVER_PI_F64 * (log(2 * x) + GAMMA_F64 - struve_tail(x).first) - waves(x, -0.5).second;
    }
    const f64 c = rint(x), *row = BESSEL_CENTERS + 12 * ((int)c - 1);
    return row[10] + taylor_at(c, x - c, row[8], row[9], -1.0, TWO_OVER_PI_F64).integral;
}

GNP_FN f64 it2struve0(f64 x)
{
    const f64 size = fabs(x);
    f64 r;
    if (!(size < INFINITY_F64)) return NAN_F64;
    if (size < BESSEL_SERIES_END) {
        return HALF_PI_F64 - copysign(struve_small(size, -1.0).second, x);
    }
    else if (size > 40.5) {
        r = waves(size, 0.5).second + TWO_OVER_PI_F64 * struve_tail(size).second / size;
    }
    else {
        const f64 c = rint(size), *row = BESSEL_CENTERS + 12 * ((int)c - 1);
        r = row[11] - taylor_at(c, size - c, row[8], row[9], -1.0, TWO_OVER_PI_F64).quotient;
    }
    return x < 0 ? PI_F64 - r : r;
}

GNP_FN f64 itmodstruve0(f64 x)
{
    x = fabs(x);
    if (!(x < INFINITY_F64)) return NAN_F64;
    if (x < BESSEL_SERIES_END) return struve_small(x, 1.0).first;
    if (x > 40.5) return growth(x, -0.5) - TWO_OVER_PI_F64 * (log(2 * x) + GAMMA_F64);
    const f64 c = rint(x), *row = MODIFIED_CENTERS + 11 * ((int)c - 1);
    return row[10] + taylor_at(c, x - c, row[8], row[9], 1.0, TWO_OVER_PI_F64).integral;
}
}

#endif
