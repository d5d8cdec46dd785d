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
GNP_FN f64 extent(c128 z) { return hypot(z.re, z.im); }
GNP_FN c128 scaled(c128 z, f64 by) { return c128(z.re * by, z.im * by); }
GNP_FN c128 divided(c128 z, f64 by) { return c128(z.re / by, z.im / by); }
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
GNP_COLD c128 logarithm(c128 z) { return ::log(z); }
GNP_COLD c128 exponential_less_one(c128 z) { return ::expm1(z); }
GNP_COLD c128 exponential(c128 z) { return ::exp(z); }
GNP_COLD c128 raised(c128 z, f64 p) { return ::exp(scaled(::log(z), p)); }
}

#endif
