// spence.cuh: the dilogarithm Li2(1 - x) of real numbers. With u = -log x it is u - u^2 / 4 + the sum of
// B(2k) u^(2k+1) / (2k+1)! (L. Lewin, "Polylogarithms and Associated Functions", 1981, section 1.2), which needs few
// terms for small u; elsewhere DLMF 25.12.4 and 25.12.6 lead there.
#ifndef GNP_SPECIAL_SPENCE_CUH
#define GNP_SPECIAL_SPENCE_CUH

#include "special/common.cuh"
#include "special/expint_fits.cuh"

namespace special {

// 0.25 <= x <= 4.
GNP_FN f64 spence_centre(f64 x)
{
    f64 u = -log(x), s = u * u;
    return u * (fma(-0.25, u, 1.0) + s * polynomial(DEBYE, s));
}

// Of x > 4 by that of 1/x, below 0.25 by that of 1 - x.
GNP_FN f64 spence(f64 x)
{
    const f64 at_zero = 0x1.a51a6625307d3p+0;
    if (!(x > 0)) return x == 0 ? at_zero : NAN_F64;
    const bool is_large = x > 4, is_central = x >= 0.25 && !is_large;
    const f64 y = is_large ? 1 / x : x, centre = spence_centre(is_central ? x : 1 - y);
    if (is_central) return centre;
    const f64 small = at_zero - log(y) * log1p(-y) - centre;
    if (!is_large) return small;
    const f64 logarithm = log(x);
    return x < INFINITY_F64 ? -0.5 * logarithm * logarithm - small : NAN_F64;
}
}

#endif
