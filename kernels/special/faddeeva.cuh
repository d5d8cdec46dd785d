// faddeeva.cuh: w(z) = exp(-z^2) erfc(-iz) after M. Al Azah and S. N. Chandler-Wilde, "Computation of the complex
// error function using modified trapezoidal rules", SIAM J. Numer. Anal. 59 (2021), with N = 11: the trapezoid or
// the midpoint rule for (i / pi) int exp(-t^2) / (z - t) dt, and the residue of the pole at z. The two parts of the
// sums are written so that neither is a difference of larger ones.
#ifndef GNP_SPECIAL_FADDEEVA_CUH
#define GNP_SPECIAL_FADDEEVA_CUH

#include "complex.cuh"
#include "special/common.cuh"
#include "special/faddeeva_fits.cuh"

namespace special {

// exp(-z^2) a: both squares with what their rounding drops; exp(y^2 - x^2) may overflow where the product does not.
GNP_CALL c128 exp_minus_square_times(c128 z, c128 a)
{
    f64 x = z.re, y = z.im, angle = 2 * x * y, exponent = (y - x) * (y + x), rest = 0, turn = 0, s, c;
    if (!(fabs(exponent) < 1e5)) {
        if (exponent < 0) return c128(0, 0);
        exponent = 1e5;
    }
    else if (fmax(fabs(x), fabs(y)) < 1e150) {
        f64 p = __dmul_rn(y, y), q = -__dmul_rn(x, x);
        exponent = __dadd_rn(p, q);
        f64 back = __dsub_rn(exponent, p);
        rest = __dadd_rn(__dsub_rn(p, __dsub_rn(exponent, back)), __dsub_rn(q, back));
        rest += fma(y, y, -p) - fma(x, x, q);
        turn = fma(2 * x, y, -angle);
    }
    sincos(angle, &s, &c);
    Factors e = exp_factors(exponent);
    f64 first = fma(e.first, rest, e.first), cosine = first * fma(-s, turn, c), sine = first * fma(c, turn, s);
    return c128((cosine * a.re + sine * a.im) * e.second, (cosine * a.im - sine * a.re) * e.second);
}
GNP_FN c128 exp_minus_square(c128 z) { return exp_minus_square_times(z, c128(1, 0)); }

// The midpoint rule, unless the pole is close to one of its nodes.
GNP_FN bool is_midpoint(f64 x, f64 y)
{
    f64 node = x * FADDEEVA_STEP[0], part = node - floor(node);
    return y >= x || part < 0.25 || part > 0.75;
}

// The rule's sum for x, y >= 0; far away the leading term i / (sqrt(pi) z).
GNP_CALL c128 faddeeva_sum(f64 x, f64 y, bool midpoint)
{
    if (fmax(x, y) > 1e8) {
        const f64 root = 0x1.20dd750429b6dp-1;
        f64 size = fmax(x, y), u = x / size, v = y / size, d = root / (u * u + v * v) / size;
        return c128(v * d, u * d);
    }
    const f64 *squares = midpoint ? MIDPOINT_SQUARE : TRAPEZOID_SQUARE;
    const f64 *weights = midpoint ? MIDPOINT_WEIGHT : TRAPEZOID_WEIGHT;
    f64 plus = x * x + y * y, minus = (x - y) * (x + y), product = 2 * x * y, square = product * product;
    f64 centre = midpoint ? 0 : 0.5 / plus, re = 0, im = 0;
#pragma unroll 4
    for (int k = 11; k >= 0; k--) {
        f64 t = squares[k], d = minus - t, g = weights[k] / fma(d, d, square);
        re = fma(g, plus + t, re);
        im = fma(g, plus - t, im);
    }
    const f64 scale = FADDEEVA_STEP[1];
    return c128(scale * y * (re + centre), scale * x * (im + centre));
}

// The residue is 2 exp(-z^2) r with r = 1 / (1 + E), for the trapezoid rule 1 / (1 - E), E = exp(-2 pi i z / h).
// `rest` is 1 - 2r.
GNP_CALL c128 faddeeva_residue(f64 x, f64 y, bool midpoint, c128 &rest)
{
    f64 e = exp(-FADDEEVA_STEP[2] * y), s, c, turns = 2 * FADDEEVA_STEP[0] * x; // e is 1 / |E|
    sincospi(turns, &s, &c);
    if (!midpoint) s = -s, c = -c;
    f64 d = fma(2 * c, e, fma(e, e, 1.0));
    rest = c128(-expm1(-2 * FADDEEVA_STEP[2] * y) / d, -2 * e * s / d);
    return c128(e * (e + c) / d, e * s / d);
}

GNP_FN bool is_residue_small(f64 x, f64 y) { return y >= fmax(x, 6.2); }

// x, y >= 0.
GNP_CALL c128 wofz_quadrant(f64 x, f64 y)
{
    bool midpoint = is_midpoint(x, y);
    c128 w = faddeeva_sum(x, y, midpoint);
    if (is_residue_small(x, y) || x > 30) return w;
    c128 rest, r = faddeeva_residue(x, y, midpoint, rest);
    c128 e = exp_minus_square_times(c128(x, y), r);
    return c128(w.re + 2 * e.re, w.im + 2 * e.im);
}

GNP_CALL c128 wofz(c128 z)
{
    f64 x = fabs(z.re), y = fabs(z.im);
    if (is_nan(x) || is_nan(y)) return c128(NAN_F64, z.re == 0 ? z.re : NAN_F64);
    c128 w(0, 0);
    if (!isinf(x) && !isinf(y)) w = wofz_quadrant(x, y);
    if (z.im < 0) { // w(-z) = 2 exp(-z^2) - w(z)
        if (isinf(x) || isinf(y)) {
            if (isinf(y)) w = x == 0 ? c128(INFINITY_F64, 0) : c128(NAN_F64, NAN_F64);
        }
        else {
            c128 e = exp_minus_square_times(c128(x, -y), c128(2, 0));
            w = c128(e.re - w.re, e.im + w.im);
        }
    }
    return signbit(z.re) ? c128(w.re, -w.im) : w;
}
}

#endif
