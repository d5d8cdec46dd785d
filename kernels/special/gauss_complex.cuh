// Gauss's function of complex argument. What none of the expansions reaches, where |1 - z| is about 1, by a Taylor series
// from a point nearer to 1 (after Buehring 1987 and Michel and Stoitsov 2008).
#ifndef GNP_SPECIAL_GAUSS_COMPLEX_CUH
#define GNP_SPECIAL_GAUSS_COMPLEX_CUH

#include "special/wide_complex.cuh"

#include "special/gauss.cuh"

namespace special {

// The solution of the differential equation (15.10.1) with value and slope at z, at z + t.
GNP_COLD void gauss_taylor(f64 a, f64 b, f64 c, c128 z, c128 value, c128 slope, c128 t, Summed<c128> &y)
{
    c128 lead = c128(1.0) / (z * one_less(z)), turn = c128(1 - 2 * z.re, -2 * z.im);
    c128 middle = c128(c) - scaled(z, a + b + 1), before = value, term = slope * t, sum = value + term;
    f64 largest = fmax(extent(value), extent(term));
#pragma unroll 1
    for (int n = 0; n < 400; n++) {
        c128 above = term * t * scaled(scaled(turn, n) + middle, (f64)(n + 1));
        c128 next = (scaled(before * t * t, (n + a) * (n + b)) - above) * scaled(lead, 1.0 / ((n + 2.0) * (n + 1.0)));
        before = term;
        term = next;
        sum = sum + term;
        largest = fmax(largest, extent(term));
        if (extent(term) + extent(before) <= 0x1p-56 * extent(sum) && n > fabs(a) + fabs(b)) break;
    }
    y.value = sum;
    y.error = 4 * EPSILON_F64 * largest / extent(sum);
}

GNP_COLD void gauss_stepped(const GaussParameters &p, c128 z, Summed<c128> &y)
{
    Pair one = pair(1);
    GaussParameters next = {pair_sum(p.a, one), pair_sum(p.b, one), pair_sum(p.c, one)};
    f64 a = p.a.high, b = p.b.high, c = p.c.high, by = 0.8 / extent(one_less(z));
    c128 start = c128(1 + by * (z.re - 1), by * z.im);
    Summed<c128> slope;
    gauss_best<c128>(p, start, y);
    gauss_best<c128>(next, start, slope);
    f64 error = fmax(y.error, slope.error);
    gauss_taylor(a, b, c, start, y.value, scaled(slope.value, a / c * b), z - start, y);
    y.error = fmax(y.error, error);
    if (y.error != y.error) y.error = INFINITY_F64;
}

GNP_FN c128 hyp2f1(f64 a, f64 b, f64 c, c128 z)
{
    const c128 none = c128(NAN_F64, NAN_F64);
    if (a == 0 || b == 0) return c128(1.0);
    if (a != a || b != b || c != c || z.re != z.re || z.im != z.im) return none;
    if (z.re == 0 && z.im == 0) return c128(1.0);
    if (gauss_is_pole(a, b, c)) return c128(INFINITY_F64, 0);
    f64 most = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(z.re), fabs(z.im)));
    if (most == INFINITY_F64 || fabs(c) == INFINITY_F64) return none;
    GaussParameters p = {pair(a), pair(b), pair(c)};
    if (z.re == 1 && z.im == 0 && !gauss_ends(p)) return c128(gauss_at_1(a, b, c));
    if (a == c && !ends_series(c)) return raised(one_less(z), -b);
    if (b == c && !ends_series(c)) return raised(one_less(z), -a);
    Summed<c128> y;
    gauss_best<c128>(p, z, y);
    if (!(y.error < 1e-10)) {
        Summed<c128> other;
        gauss_stepped(p, z, other);
        keep_better(y, other);
    }
    return y.error < WORTHLESS ? y.value : none;
}
}

#endif
