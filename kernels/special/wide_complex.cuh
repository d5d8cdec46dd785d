// Pairs as parts of complex numbers, and what special/wide.cuh has for a real number.
#ifndef GNP_SPECIAL_WIDE_COMPLEX_CUH
#define GNP_SPECIAL_WIDE_COMPLEX_CUH

#include "complex.cuh"
#include "special/wide.cuh"

namespace special {

struct WideComplex {
    Pair re, im;
};
GNP_FN WideComplex widened(c128 z) { return WideComplex{pair(z.re), pair(z.im)}; }
GNP_FN c128 narrowed(WideComplex z) { return c128(z.re.high, z.im.high); }
GNP_FN f64 real_part(c128 z) { return z.re; }
GNP_COLD f64 extent(c128 z) { return hypot(z.re, z.im); }
GNP_FN c128 scaled(c128 z, f64 by) { return c128(z.re * by, z.im * by); }
GNP_FN c128 scaled_down(c128 z, f64 by) { return c128(z.re / by, z.im / by); }
GNP_FN WideComplex wide_sum(WideComplex a, WideComplex b)
{
    return WideComplex{pair_sum(a.re, b.re), pair_sum(a.im, b.im)};
}
GNP_COLD WideComplex wide_product(WideComplex a, WideComplex b)
{
    Pair re = pair_sum(pair_product(a.re, b.re), pair_negative(pair_product(a.im, b.im)));
    return WideComplex{re, pair_sum(pair_product(a.re, b.im), pair_product(a.im, b.re))};
}
GNP_FN WideComplex wide_scaled(WideComplex a, Pair by)
{
    return WideComplex{pair_product(a.re, by), pair_product(a.im, by)};
}
GNP_FN WideComplex wide_step(WideComplex term, Pair by, c128 z) { return wide_product(wide_scaled(term, by), widened(z)); }
template <> struct WideOf<c128> {
    typedef WideComplex type;
};
GNP_COLD WideComplex wide_inverse(WideComplex a)
{
    Pair norm = pair_sum(pair_product(a.re, a.re), pair_product(a.im, a.im));
    return WideComplex{pair_quotient(a.re, norm), pair_negative(pair_quotient(a.im, norm))};
}
GNP_FN c128 one_less(c128 z) { return c128(1 - z.re, -z.im); } // with the sign of 0: the side of a cut
// To an absolute error of rounding, which is what exponents need.
GNP_COLD c128 logarithm(c128 z) { return c128(log_of(extent(z)), atan2(z.im, z.re)); }
GNP_COLD c128 exponential(c128 z)
{
    const c128 turn = wave(z.im);
    return c128(times_exp(turn.re, z.re, 0), times_exp(turn.im, z.re, 0));
}
GNP_FN c128 raised(c128 z, f64 p) { return exponential(scaled(logarithm(z), p)); }
}

#endif
