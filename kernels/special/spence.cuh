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

// 0 < x < 0.25.
GNP_FN f64 spence_small(f64 x)
{
    return 0x1.a51a6625307d3p+0 - log(x) * log1p(-x) - spence_centre(1 - x);
}

GNP_FN f64 spence(f64 x)
{
    if (x >= 0.25 && x <= 4) return spence_centre(x);
    if (!(x > 0)) return x == 0 ? 0x1.a51a6625307d3p+0 : NAN_F64;
    if (x < 0.25) return spence_small(x);
    f64 logarithm = log(x);
    return x < INFINITY_F64 ? -0.5 * logarithm * logarithm - spence_small(1 / x) : NAN_F64;
}
}

#endif
