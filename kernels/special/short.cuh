// Short forms of exp, log, sine and cosine, for functions that call them once beside loops: tables read in loops, so that
// they compile in a fraction of the time of the compiler's own. Errors are within 2 ulp.
#ifndef GNP_SPECIAL_SHORT_CUH
#define GNP_SPECIAL_SHORT_CUH

#include "special/common.cuh"
#include "special/short_fits.cuh"

namespace special {

GNP_COLD f64 scale_by(f64 z, int e) { return ldexp(z, e); }

// y 2^e exp(x), where only the product need be within range.
GNP_COLD f64 times_exp(f64 y, f64 x, int e)
{
    x = fmin(fmax(x, -1e6), 1e6);
    const f64 n = rint(x * 1.44269504088896340736);
    const f64 rest = fma(n, -0x1.abc9e3b39803fp-56, fma(n, -0x1.62e42fefa39efp-1, x));
    return scale_by(y * polynomial_loop(INVERSE_FACTORIALS, rest), e + (int)n);
}

// log x = e log 2 + the result, which is of [-log 2 / 2, log 2 / 2], for 0 < x < infinity.
GNP_COLD f64 log_parts(f64 x, int &e)
{
    const bool small = x < 0x1p-1022;
    x *= small ? 0x1p54 : 1.0;
    const int top = __double2hiint(x) - 0x3fe6a09e; // mantissas from sqrt(1/2)
    e = (top >> 20) - (small ? 54 : 0);
    const f64 m = __hiloint2double((top & 0xfffff) + 0x3fe6a09e, __double2loint(x));
    const f64 r = (m - 1) / (m + 1), square = r * r;
    return 2 * fma(r * square, polynomial_loop(ATANH_CUBIC, square), r);
}

// log(x 2^shift)
GNP_FN f64 log_of(f64 x, int shift = 0)
{
    int e;
    const f64 part = log_parts(x, e), n = e + shift;
    return fma(n, 0x1.62e42fefa39efp-1, fma(n, 0x1.abc9e3b39803fp-56, part));
}

// (x 2^shift)^m for |m| <= 1/2.
GNP_COLD f64 small_power(f64 x, int shift, f64 m)
{
    int e;
    const f64 part = log_parts(x, e);
    e += shift;
    const f64 p = __dmul_rn(e, m), n = rint(p), rest = p - n + fma(e, m, -p);
    return scale_by(polynomial_loop(INVERSE_FACTORIALS, fma(m, part, rest * 0.69314718055994530942)), (int)n);
}

// An angle of (whole + part + low) quarter turns, |part| <= 1/2.
struct Quarters {
    int whole;
    f64 part, low;
};

// The angle x in radians, by the product of all its bits with those of 2/pi that matter (M. H. Payne and R. N. Hanek,
// ACM SIGNUM Newsletter 18, 1983).
GNP_COLD Quarters quarters_of(f64 x)
{
    const f64 size = fabs(x);
    Quarters q;
    if (size < 0x1p-3) {
        q.whole = 0;
        q.part = __dmul_rn(size, 0x1.45f306dc9c883p-1);
        q.low = fma(size, -0x1.6b01ec5417056p-55, fma(size, 0x1.45f306dc9c883p-1, -q.part));
    }
    else {
        const u64 bits = (u64)__double_as_longlong(size), mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
        const int first = min((int)(bits >> 52), 2046) - (1075 - 62), at = first >> 6, shift = first & 63;
        u64 w[3]; // bits whose product with the mantissa is below 4 and above 2^-130
#pragma unroll
        for (int i = 0; i < 3; i++) {
            w[i] = TWO_OVER_PI[at + i] << shift | TWO_OVER_PI[at + i + 1] >> 1 >> (63 - shift);
        }
        const u64 middle = mantissa * w[1] + __umul64hi(mantissa, w[2]);
        const u64 top = mantissa * w[0] + __umul64hi(mantissa, w[1]) + (middle < mantissa * w[1]);
        const u64 whole = (top + (1ull << 61)) >> 62;
        const i64 rest = (i64)(top - (whole << 62));
        q.whole = (int)whole;
        q.part = (f64)rest;
        q.low = 0x1p-62 * ((f64)(rest - (i64)q.part) + 0x1p-64 * (f64)middle);
        q.part *= 0x1p-62;
    }
    if (x < 0) q = Quarters{-q.whole, -q.part, -q.low};
    return q;
}

// v quarter turns more.
GNP_FN Quarters turned_by(Quarters q, f64 v)
{
    v -= 4 * rint(0.25 * v);
    const f64 whole = rint(v), sum = q.part + (v - whole), more = rint(sum);
    return Quarters{q.whole + (int)(whole + more), sum - more, q.low};
}

// e^(i angle)
GNP_COLD c128 wave(Quarters q)
{
    const f64 square = q.part * q.part;
    f64 s = q.part * polynomial_loop(SINE_OF_QUARTERS, square), c = polynomial_loop(COSINE_OF_QUARTERS, square);
    const f64 low = q.low * 1.57079632679489661923, t = s;
    s = fma(low, c, s);
    c = fma(-low, t, c);
    if (q.whole & 1) {
        const f64 swap = s;
        s = c;
        c = -swap;
    }
    return q.whole & 2 ? c128(-c, -s) : c128(c, s);
}
GNP_FN c128 wave(f64 phase) { return wave(quarters_of(phase)); }                               // phase in radians
GNP_FN c128 unit_by_half_pi(f64 v) { return wave(turned_by(Quarters{0, 0.0, 0.0}, v)); } // e^(i pi v / 2)
GNP_FN c128 unit_by_pi(f64 v) { return unit_by_half_pi(2 * v); }
}

#endif
