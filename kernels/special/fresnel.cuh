// fresnel.cuh: Fresnel integrals of real and complex numbers and their modified forms: power series near 0 (DLMF
// 7.6), elsewhere C(z) +- i S(z) = (1 +- i) / 2 (1 - exp(+-i pi z^2 / 2) w) with w of faddeeva.cuh (DLMF 7.5.8),
// where the exponential is made from z^2 itself and not from the rounded argument of w.
#ifndef GNP_SPECIAL_FRESNEL_CUH
#define GNP_SPECIAL_FRESNEL_CUH

#include "special/faddeeva.cuh"
#include "special/fresnel_fits.cuh"

namespace special {

#define HALF_ROOT_PI_F64 0x1.c5bf891b4ef6bp-1

// exp(i pi (p + rest)).
GNP_FN c128 half_turns_of(f64 p, f64 rest)
{
    f64 s, c, turn = PI_F64 * rest;
    sincospi(p, &s, &c);
    return c128(fma(-s, turn, c), fma(c, turn, s));
}

template <class O> GNP_FN void fresnel(f64 x, O &s, O &c)
{
    f64 size = fabs(x), sine = 0.5, cosine = 0.5;
    if (size <= 1.2) {
        f64 a = HALF_PI_F64 * size * size, t = a * a;
        cosine = size * polynomial(FRESNEL_COSINE, t);
        sine = size * a * polynomial(FRESNEL_SINE, t);
    }
    else if (size < 1e17) {
        c128 w = wofz_quadrant(HALF_ROOT_PI_F64 * size, HALF_ROOT_PI_F64 * size);
        f64 p = size * size;
        w = w * half_turns_of(0.5 * p, 0.5 * fma(size, size, -p));
        cosine = 0.5 - 0.5 * (w.re - w.im);
        sine = 0.5 - 0.5 * (w.re + w.im);
    }
    else if (x != x) {
        sine = cosine = x;
    }
    s = (O)(x < 0 ? -sine : sine);
    c = (O)(x < 0 ? -cosine : cosine);
}

// ---- complex ---------------------------------------------------------------------------------------------

// x, y >= 0.
GNP_CALL void fresnel_quadrant(f64 x, f64 y, c128 &s, c128 &c)
{
    if (x * x + y * y < 1.44) {
        c128 z(x, y), a = z * z * c128(HALF_PI_F64, 0), t = a * a;
        c128 even(FRESNEL_COSINE[13], 0), odd(FRESNEL_SINE[13], 0);
#pragma unroll 1
        for (int k = 12; k >= 0; k--) {
            even = even * t + c128(FRESNEL_COSINE[k], 0);
            odd = odd * t + c128(FRESNEL_SINE[k], 0);
        }
        c = z * even;
        s = z * a * odd;
        return;
    }
    // exp(i pi z^2 / 2) = exp(-pi x y) exp(i pi (x^2 - y^2) / 2), each exponent with what its rounding drops
    f64 xx = x * x, yy = y * y, p = x * y, difference = xx - yy, back = difference - xx;
    f64 rest = (xx - (difference - back)) - (yy + back) + (fma(x, x, -xx) - fma(y, y, -yy));
    c128 turn = half_turns_of(0.5 * difference, 0.5 * rest);
    const f64 pi_low = 0x1.1a62633145c07p-53;
    f64 scaled = PI_F64 * p, low = fma(PI_F64, p, -scaled) + pi_low * p + PI_F64 * fma(x, y, -p);
    f64 fallen = scaled < 800 ? exp(-scaled) * (1 - low) : 0;
    // C + i S: the argument of w is above its diagonals
    c128 w = wofz_quadrant(HALF_ROOT_PI_F64 * fabs(x - y), HALF_ROOT_PI_F64 * (x + y));
    if (x < y) w.im = -w.im;
    w = w * turn;
    c128 plus(1 - fallen * w.re, -fallen * w.im);
    // C - i S: it is below them
    f64 side = x < y ? -1 : 1;
    w = wofz_quadrant(HALF_ROOT_PI_F64 * (x + y), HALF_ROOT_PI_F64 * fabs(x - y));
    if (x >= y) w.im = -w.im;
    w = w * c128(turn.re, -turn.im);
    Factors e = exp_factors(fmin(scaled, 3000.0));
    f64 first = fma(e.first, low, e.first);
    // of 1 - growth w the sum and the difference of both parts: each may overflow, to one sign
    f64 sum = side * (1 - first * (w.re + w.im) * e.second);
    f64 less = side * (1 - first * (w.re - w.im) * e.second);
    // G = (1 + i) / 2 plus, H = (1 - i) / 2 minus; C = (G + H) / 2, S = (G - H) / 2i
    c = c128(0.25 * (plus.re - plus.im + sum), 0.25 * (plus.re + plus.im - less));
    s = c128(0.25 * (plus.re + plus.im + less), 0.25 * (plus.im - plus.re + sum));
}

GNP_CALL void fresnel(c128 z, c128 &s, c128 &c)
{
    if (!is_finite(z)) {
        s = c = c128(NAN_F64, NAN_F64);
        return;
    }
    f64 x = fabs(z.re), y = fabs(z.im), a, b;
    if (y == 0) {
        fresnel(x, a, b);
        s = c128(a, 0), c = c128(b, 0);
    }
    else if (x == 0) { // C(i y) = i C(y), S(i y) = -i S(y)
        fresnel(y, a, b);
        s = c128(0, -a), c = c128(0, b);
    }
    else {
        fresnel_quadrant(x, y, s, c);
    }
    if (z.re < 0) s.re = -s.re, c.re = -c.re;
    if (z.im < 0) s.im = -s.im, c.im = -c.im;
}
GNP_FN void fresnel(c64 z, c64 &s, c64 &c)
{
    c128 first, second;
    fresnel(widen(z), first, second);
    s = narrow(first), c = narrow(second);
}

// ---- modified Fresnel integrals --------------------------------------------------------------------------

// F(x) is the integral of exp(i t^2) from x to infinity, K(x) = exp(-i (x^2 + pi / 4)) F(x) / sqrt(pi), which is
// w(exp(i pi / 4) x) / 2.
GNP_CALL void modfresnelp(f64 x, c128 &f, c128 &k)
{
    const f64 root_half = 0x1.6a09e667f3bcdp-1, root_half_pi = 0x1.40d931ff62706p+0;
    f64 size = fabs(x), p = size * size, s, c;
    if (!(size < INFINITY_F64)) {
        f = k = c128(NAN_F64, NAN_F64);
        return;
    }
    c128 w = wofz_quadrant(root_half * size, root_half * size), e(0, 0);
    if (size < 1e150) {
        f64 turn = fma(size, size, -p);
        sincos(p, &s, &c);
        e = c128(fma(-s, turn, c), fma(c, turn, s));
    }
    k = c128(0.5 * w.re, 0.5 * w.im);
    f = e * k;
    f = c128(root_half_pi * (f.re - f.im), root_half_pi * (f.re + f.im));
    if (x < 0) {
        f = c128(root_half_pi - f.re, root_half_pi - f.im);
        k = c128(e.re - k.re, -e.im - k.im);
    }
}
GNP_CALL void modfresnelm(f64 x, c128 &f, c128 &k)
{
    modfresnelp(x, f, k);
    f.im = -f.im, k.im = -k.im;
}
GNP_FN void modfresnelp(f32 x, c64 &f, c64 &k)
{
    c128 first, second;
    modfresnelp((f64)x, first, second);
    f = narrow(first), k = narrow(second);
}
GNP_FN void modfresnelm(f32 x, c64 &f, c64 &k)
{
    c128 first, second;
    modfresnelm((f64)x, first, second);
    f = narrow(first), k = narrow(second);
}
}

#endif
