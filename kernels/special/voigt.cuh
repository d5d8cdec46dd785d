// voigt.cuh: the Voigt profile, the real part of w at (x + i gamma) / (sigma sqrt(2)), DLMF 7.19.
#ifndef GNP_SPECIAL_VOIGT_CUH
#define GNP_SPECIAL_VOIGT_CUH

#include "special/faddeeva.cuh"

namespace special {

GNP_FN f64 voigt_profile(f64 x, f64 sigma, f64 gamma)
{
    const f64 root_half = 0x1.6a09e667f3bcdp-1, root_two_pi = 0x1.40d931ff62706p+1;
    if (sigma == 0) {
        if (gamma == 0) return x != x ? x : x == 0 ? INFINITY_F64 : 0.0;
        return gamma / PI_F64 / (x * x + gamma * gamma);
    }
    f64 u = x / sigma;
    if (gamma == 0) return exp(-0.5 * u * u) / sigma / root_two_pi;
    return wofz(c128(u * root_half, gamma / sigma * root_half)).re / sigma / root_two_pi;
}
}

#endif
