// Associated Legendre functions of whole degree and order, plain and normalised, and those of spherical harmonics,
// each with two derivatives.
//
// P = w^m Q with w = sqrt(1 - x^2), where Q runs upwards in degree (DLMF 14.10.3) with its derivatives. The power of w
// is multiplied in at the end, and both factors carry a power of two, so that a high order does not underflow on the
// way (the idea of Holmes & Featherstone 2002, J. Geodesy 76).
#ifndef GNP_SPECIAL_LEGENDRE_CUH
#define GNP_SPECIAL_LEGENDRE_CUH

#include "special/common.cuh"

namespace special {

enum { LEGENDRE_NORMALISED = 1, LEGENDRE_THIRD_TYPE = 2 };

// Of higher degrees the values are NaN: the recurrence takes a step for each, half a minute for so many, and a kernel
// cannot be interrupted.
enum : i64 { LEGENDRE_HIGHEST = 1ll << 30 };

GNP_FN f64 larger_part(f64 x) { return fabs(x); }
GNP_FN f64 larger_part(c128 x) { return fmax(fabs(x.re), fabs(x.im)); }
GNP_FN f64 times_two_to(f64 x, int exponent) { return ldexp(x, exponent); }
GNP_FN c128 times_two_to(c128 x, int exponent) { return c128(ldexp(x.re, exponent), ldexp(x.im, exponent)); }
GNP_FN f64 times_real(f64 a, f64 x) { return a * x; }
GNP_FN c128 times_real(f64 a, c128 x) { return c128(a * x.re, a * x.im); }

// value 2^exponent
template <class T> struct Scaled {
    T value;
    int exponent;
};

template <class T> GNP_FN Scaled<T> rescaled(Scaled<T> x)
{
    const f64 size = larger_part(x.value);
    int shift = 0;
    if (size > 0 && size < INFINITY_F64) frexp(size, &shift);
    return {times_two_to(x.value, -shift), x.exponent + shift};
}

template <class T> GNP_FN T unscaled(Scaled<T> x) { return times_two_to(x.value, x.exponent); }

template <class T> GNP_FN Scaled<T> scaled_power(T base, i64 power)
{
    Scaled<T> product = {T(1.0), 0}, square = rescaled(Scaled<T>{base, 0});
#pragma unroll 1
    for (i64 left = power < 0 ? -power : power; left > 0; left >>= 1) {
        if (left & 1) product = rescaled(Scaled<T>{product.value * square.value, product.exponent + square.exponent});
        square = rescaled(Scaled<T>{square.value * square.value, 2 * square.exponent});
    }
    if (power < 0) product = {T(1.0) / product.value, -product.exponent};
    return product;
}

// Q and its derivatives, all times 2^-exponent.
template <class T> struct LegendreFactor {
    T value, first, second;
    int exponent;
};

// Q of order m: (2m - 1)!!, or its normalised form, the start of the recurrence.
GNP_COLD Scaled<f64> legendre_lead(i64 m, bool normalised)
{
    Scaled<f64> lead = {normalised ? 0x1.6a09e667f3bcdp-1 : 1.0, 0}; // sqrt(1 / 2)
#pragma unroll 1
    for (i64 k = 1; k <= m; k++) {
        lead.value *= normalised ? sqrt((f64)(2 * k + 1) / (2 * k)) : (f64)(2 * k - 1);
        if (lead.value > 0x1p400) lead = rescaled(lead);
    }
    return lead;
}

// Q_k = (a x Q_(k-1) - b Q_(k-2)) / c.
struct LegendreStep {
    f64 a, b, c;

    GNP_FN LegendreStep(i64 degree, i64 order, bool normalised)
    {
        const f64 k = (f64)degree, m = (f64)order;
        a = 2 * k - 1, b = k + m - 1, c = k - m;
        if (normalised) {
            const f64 scale = (2 * k + 1) / (c * (k + m));
            a = sqrt(a * scale);
            b = degree == order + 1 ? 0.0 : sqrt(scale * b * (c - 1) / (2 * k - 3));
            c = 1;
        }
    }
    GNP_FN f64 next(f64 x_times, f64 before) const { return (a * x_times - b * before) / c; }
    GNP_FN c128 next(c128 x_times, c128 before) const
    {
        return c128(next(x_times.re, before.re), next(x_times.im, before.im));
    }
};

template <bool DERIVATIVES, class T> GNP_FN LegendreFactor<T> legendre_factor(i64 n, i64 m, T x, bool normalised)
{
    const Scaled<f64> lead = legendre_lead(m, normalised);
    const T zero = T(0.0);
    LegendreFactor<T> f = {T(lead.value), zero, zero, lead.exponent}, before = {zero, zero, zero, 0};
#pragma unroll 1
    for (i64 k = m + 1; k <= n; k++) {
        const LegendreStep step(k, m, normalised);
        LegendreFactor<T> next = {step.next(x * f.value, before.value), zero, zero, f.exponent};
        f64 size = larger_part(next.value);
        if (DERIVATIVES) {
            next.first = step.next(x * f.first + f.value, before.first);
            next.second = step.next(x * f.second + times_real(2, f.first), before.second);
            size = fmax(size, fmax(larger_part(next.first), larger_part(next.second)));
        }
        before = f;
        f = next;
        if (size > 0x1p400 && size < INFINITY_F64) {
            LegendreFactor<T> *both[2] = {&f, &before};
            for (int i = 0; i < 2; i++) {
                both[i]->value = times_two_to(both[i]->value, -400);
                both[i]->first = times_two_to(both[i]->first, -400);
                both[i]->second = times_two_to(both[i]->second, -400);
            }
            f.exponent += 400;
        }
    }
    return f;
}

// (n - m)! / (n + m)!
GNP_COLD Scaled<f64> factorial_ratio(i64 n, i64 m)
{
    Scaled<f64> product = {1.0, 0};
#pragma unroll 1
    for (i64 k = n - m + 1; k <= n + m; k++) {
        product.value *= (f64)k;
        if (product.value > 0x1p400) product = rescaled(product);
    }
    return {1 / product.value, -product.exponent};
}

// factor w^power 2^exponent, where the factor 0 is 0 whatever the power is.
template <class T> GNP_FN T times_power(T factor, T w, i64 power, int exponent)
{
    if (factor == T(0.0)) return T(0.0);
    const Scaled<T> scale = scaled_power(w, power), short_factor = rescaled(Scaled<T>{factor, exponent});
    return unscaled(Scaled<T>{short_factor.value * scale.value, short_factor.exponent + scale.exponent});
}

// w and w^2 of the second type, whose cuts are beyond -1 and 1, or of the third, whose cut joins them.
GNP_FN void legendre_root(f64 x, bool third, f64 &w, f64 &square)
{
    square = (third ? x - 1 : 1 - x) * (1 + x);
    w = third && x < 1 ? NAN_F64 : sqrt(square);
}

// Signs and factors of orders below zero: DLMF 14.9.3, 14.9.13.
GNP_FN Scaled<f64> legendre_scale(i64 n, i64 order, bool third, bool normalised)
{
    const i64 m = order < 0 ? -order : order;
    Scaled<f64> scale = {1.0, 0};
    if (order < 0 && !normalised) scale = factorial_ratio(n, m);
    if (order > 0 && (m & 1) && !third) scale.value = -scale.value;
    return scale;
}

// Orders m > 0 have w and square of legendre_root; NaN where w is.
template <bool DERIVATIVES, class T>
GNP_FN void assoc_legendre(i64 n, i64 order, T x, i64 kind, T w, T square, T &p, T &first, T &second)
{
    const bool third = kind & LEGENDRE_THIRD_TYPE, normalised = kind & LEGENDRE_NORMALISED;
    const i64 m = order < 0 ? -order : order;
    p = first = second = T(0.0);
    if (n < 0 || order > n || order < -n) return; // also the least order, which has no size
    if (n > LEGENDRE_HIGHEST) {
        p = first = second = T(NAN_F64);
        return;
    }
    const Scaled<f64> scale = legendre_scale(n, order, third, normalised);
    LegendreFactor<T> f = legendre_factor<DERIVATIVES>(n, m, x, normalised);
    const f64 s = scale.value;
    const int exponent = f.exponent + scale.exponent;
    if (m == 0) {
        p = times_two_to(times_real(s, f.value), exponent);
        first = times_two_to(times_real(s, f.first), exponent);
        second = times_two_to(times_real(s, f.second), exponent);
        return;
    }
    if (w != w) {
        p = first = second = w;
        return;
    }
    p = times_power(times_real(s, f.value), w, m, exponent);
    if (!DERIVATIVES) return;
    const f64 k = (f64)m, turn = third ? s : -s; // the derivative of w^2 is 2 x, or -2 x
    const T slope = times_real(turn * k, x * f.value) + times_real(s, square * f.first);
    first = times_power(slope, w, m - 2, exponent);
    const T inner = times_real(turn * k, f.value + times_real(2, x * f.first)) + times_real(s, square * f.second);
    second = m == 2 ? times_two_to(inner, exponent)
                    : times_power(times_real(s * k * (k - 2), x * x * f.value) + square * inner, w, m - 4, exponent);
}

GNP_FN f64 assoc_legendre_p(i64 n, i64 m, f64 x, i64 kind)
{
    f64 w, square, p, first, second;
    legendre_root(x, kind & LEGENDRE_THIRD_TYPE, w, square);
    assoc_legendre<false>(n, m, x, kind, w, square, p, first, second);
    return p;
}

GNP_FN void assoc_legendre_p_d(i64 n, i64 m, f64 x, i64 kind, f64 &p, f64 &first, f64 &second)
{
    f64 w, square;
    legendre_root(x, kind & LEGENDRE_THIRD_TYPE, w, square);
    assoc_legendre<true>(n, m, x, kind, w, square, p, first, second);
}

// Derivatives are by theta; w is the size of sin(theta).
template <bool DERIVATIVES>
GNP_FN void sph_legendre(i64 n, i64 order, f64 theta, f64 &p, f64 &first, f64 &second)
{
    p = first = second = 0;
    const i64 m = order < 0 ? -order : order;
    if (n < 0 || order > n || order < -n) return; // also the least order, which has no size
    if (n > LEGENDRE_HIGHEST) {
        p = first = second = NAN_F64;
        return;
    }
    f64 s, c;
    sincos(theta, &s, &c);
    const f64 w = fabs(s), u = w * w, k = (f64)m;
    const f64 scale = 0.3989422804014326779 * (order > 0 && (m & 1) ? -1.0 : 1.0); // 1 / sqrt(2 pi)
    const LegendreFactor<f64> f = legendre_factor<DERIVATIVES>(n, m, c, true);
    p = times_power(scale * f.value, w, m, f.exponent);
    if (!DERIVATIVES) return;
    const f64 side = s < 0 ? -scale : scale;
    first = times_power(side * (k * c * f.value - u * f.first), w, m - 1, f.exponent);
    if (m == 0) first = times_power(-side * f.first, w, 1, f.exponent);
    const f64 rest = u * f.second - (2 * k + 1) * c * f.first - k * f.value;
    second = m < 2 ? times_power(scale * rest, w, m, f.exponent)
                   : times_power(scale * (k * (k - 1) * c * c * f.value + u * rest), w, m - 2, f.exponent);
}

GNP_FN f64 sph_legendre_p(i64 n, i64 m, f64 theta)
{
    f64 p, first, second;
    sph_legendre<false>(n, m, theta, p, first, second);
    return p;
}

template <class O> GNP_FN void sph_legendre_p_d(i64 n, i64 m, f64 theta, O &p, O &first, O &second)
{
    sph_legendre<true>(n, m, theta, p, first, second);
}
}

#endif
