// expint_complex.cuh: exponential, sine, cosine and hyperbolic integrals of complex numbers. E1 by the continued
// fraction DLMF 6.9.1 outside a parabola around the negative axis, by the power series 6.6.2 within it, and by the
// asymptotic series 6.12.1 beyond |z| = 40; the others by 6.5 from E1 and Ei.
#ifndef GNP_SPECIAL_EXPINT_COMPLEX_CUH
#define GNP_SPECIAL_EXPINT_COMPLEX_CUH

#include "complex.cuh"
#include "special/expint.cuh"

namespace special {

// exp(z) a: the product may be in range where exp(z) is not.
GNP_CALL c128 exp_times(c128 z, c128 a)
{
    f64 s, c;
    sincos(z.im, &s, &c);
    Factors e = exp_factors(fmin(z.re, 3000.0));
    f64 x = e.first * c, y = e.first * s;
    return c128((x * a.re - y * a.im) * e.second, (x * a.im + y * a.re) * e.second);
}

enum IntegralForm { INTEGRAL_SERIES, INTEGRAL_FRACTION, INTEGRAL_ASYMPTOTIC };

GNP_FN IntegralForm integral_form(c128 z)
{
    f64 size = hypot(z.re, z.im);
    if (size + z.re > 2) return INTEGRAL_FRACTION;
    return size <= 40 ? INTEGRAL_SERIES : INTEGRAL_ASYMPTOTIC;
}

// exp(z) E1(z): some 200 / (|z| + x) terms, from the last.
GNP_COLD c128 exp1_fraction(c128 z)
{
    int k = 14 + (int)(200 / (hypot(z.re, z.im) + z.re));
    c128 t(z.re + k, z.im);
#pragma unroll 1
    for (; k >= 0; k--) {
        c128 ratio = t / c128(t.re + (k + 1), t.im);
        t = c128(fma(k + 1.0, ratio.re, z.re), fma(k + 1.0, ratio.im, z.im));
    }
    return reciprocal(t);
}

// E1(z) + log z + Euler's constant.
GNP_COLD c128 ein_series(c128 z)
{
    c128 power = z, sum = z;
#pragma unroll 1
    for (int k = 2; k < 200; k++) {
        power = power * c128(-z.re / k, -z.im / k);
        f64 x = power.re / k, y = power.im / k;
        sum = c128(sum.re + x, sum.im + y);
        if (fabs(x) + fabs(y) < 0.1 * EPSILON_F64 * (fabs(sum.re) + fabs(sum.im))) break;
    }
    return sum;
}

// The sum of k! / (-z)^k, over z.
GNP_COLD c128 exp1_asymptotic(c128 z)
{
    c128 u = reciprocal(z), power = u, sum = u;
#pragma unroll 1
    for (int k = 1; k < 40; k++) {
        power = power * c128(-k * u.re, -k * u.im);
        sum = sum + power;
        if (fabs(power.re) + fabs(power.im) < 0.1 * EPSILON_F64 * (fabs(sum.re) + fabs(sum.im))) break;
    }
    return sum;
}

// Off the real axis.
GNP_CALL c128 exp1_plane(c128 z)
{
    IntegralForm form = integral_form(z);
    if (form == INTEGRAL_SERIES) {
        c128 sum = ein_series(z), l = log_called(z);
        return c128(sum.re - EULER_F64 - l.re, sum.im - l.im);
    }
    if (form == INTEGRAL_FRACTION) return exp_times(-z, exp1_fraction(z));
    c128 w = exp_times(-z, exp1_asymptotic(z));
    return c128(w.re, w.im - copysign(PI_F64, z.im));
}

// Ei(z) = -E1(-z) + i pi above the axis, - i pi below.
GNP_CALL c128 expi_plane(c128 z)
{
    IntegralForm form = integral_form(-z);
    if (form == INTEGRAL_SERIES) {
        c128 sum = ein_series(-z), l = log_called(z);
        return c128(EULER_F64 + l.re - sum.re, l.im - sum.im);
    }
    if (form == INTEGRAL_ASYMPTOTIC) return -exp_times(z, exp1_asymptotic(-z));
    c128 w = exp_times(z, exp1_fraction(-z));
    return c128(-w.re, copysign(PI_F64, z.im) - w.im);
}

GNP_CALL c128 exp1(c128 z)
{
    if (!is_finite(z)) return c128(NAN_F64, NAN_F64);
    if (z.im != 0) return exp1_plane(z);
    return z.re >= 0 ? c128(exp1_positive(z.re), 0) : c128(-expi_positive(-z.re), -copysign(PI_F64, z.im));
}

GNP_CALL c128 expi(c128 z)
{
    if (!is_finite(z)) return c128(NAN_F64, NAN_F64);
    return z.im != 0 ? expi_plane(z) : c128(expi(z.re), z.re <= 0 ? -0.0 : 0.0);
}

// ---- Shi, Chi, Si, Ci ------------------------------------------------------------------------------------

// x > 0, y != 0.
GNP_CALL void shichi_plane(c128 z, c128 &shi, c128 &chi)
{
    if (z.re * z.re + z.im * z.im < 5) {
        c128 t = z * z, odd(SINE_INTEGRAL[14], 0), even(CHI_SERIES[13], 0), l = log_called(z);
#pragma unroll 1
        for (int k = 13; k >= 0; k--) {
            odd = odd * t + c128(SINE_INTEGRAL[k], 0);
            if (k < 13) even = even * t + c128(CHI_SERIES[k], 0);
        }
        shi = z * odd;
        even = even * t;
        chi = c128(EULER_F64 + l.re + even.re, l.im + even.im);
        return;
    }
    c128 grown = expi_plane(z), fallen = exp1_plane(z);
    shi = c128(0.5 * (grown.re + fallen.re), 0.5 * (grown.im + fallen.im));
    chi = c128(0.5 * (grown.re - fallen.re), 0.5 * (grown.im - fallen.im));
}

// x, y >= 0, finite. On the axes by the functions of real numbers, DLMF 6.2.16.
GNP_CALL void shichi_quadrant(f64 x, f64 y, c128 &shi, c128 &chi)
{
    f64 odd, even;
    if (x == 0) {
        sici(y, odd, even);
        shi = c128(0, odd);
        chi = c128(even, HALF_PI_F64);
    }
    else if (y == 0) {
        shichi(x, odd, even);
        shi = c128(odd, 0);
        chi = c128(even, 0);
    }
    else {
        shichi_plane(c128(x, y), shi, chi);
    }
}

// Left of the imaginary axis the cosine integrals have i pi more above the real axis, less below it.
GNP_CALL void continue_integrals(c128 z, c128 odd, c128 even, c128 &first, c128 &second)
{
    if (z.re < 0) even.im = PI_F64 - even.im;
    first = c128(z.re < 0 ? -odd.re : odd.re, z.im < 0 ? -odd.im : odd.im);
    second = c128(even.re, z.im < 0 ? -even.im : even.im);
}

GNP_CALL void shichi(c128 z, c128 &shi, c128 &chi)
{
    if (z.re == 0 && z.im == 0) {
        shi = z;
        chi = c128(-INFINITY_F64, NAN_F64);
    }
    else if (!is_finite(z)) {
        bool real = isinf(z.re) && z.im == 0;
        shi = real ? c128(z.re, 0) : c128(NAN_F64, NAN_F64);
        chi = real ? c128(INFINITY_F64, 0) : c128(NAN_F64, NAN_F64);
    }
    else {
        c128 odd, even;
        shichi_quadrant(fabs(z.re), fabs(z.im), odd, even);
        continue_integrals(z, odd, even, shi, chi);
    }
}

// Si(z) = i Shi(-i z) and Ci(z) = Chi(-i z) + i pi / 2, from the conjugates.
GNP_CALL void sici(c128 z, c128 &si, c128 &ci)
{
    if (z.re == 0 && z.im == 0) {
        si = z;
        ci = c128(-INFINITY_F64, NAN_F64);
    }
    else if (!is_finite(z)) {
        bool real = isinf(z.re) && z.im == 0;
        si = real ? c128(copysign(HALF_PI_F64, z.re), 0) : c128(NAN_F64, NAN_F64);
        ci = real ? c128(0, z.re < 0 ? PI_F64 : 0.0) : c128(NAN_F64, NAN_F64);
    }
    else {
        c128 odd, even;
        shichi_quadrant(fabs(z.im), fabs(z.re), odd, even);
        continue_integrals(z, c128(odd.im, odd.re), c128(even.re, HALF_PI_F64 - even.im), si, ci);
    }
}

GNP_FN void sici(c64 z, c64 &si, c64 &ci)
{
    c128 first, second;
    sici(widen(z), first, second);
    si = narrow(first), ci = narrow(second);
}
GNP_FN void shichi(c64 z, c64 &shi, c64 &chi)
{
    c128 first, second;
    shichi(widen(z), first, second);
    shi = narrow(first), chi = narrow(second);
}
}

#endif
