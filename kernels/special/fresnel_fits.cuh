// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/fresnel.py.
#ifndef GNP_SPECIAL_FRESNEL_FITS_CUH
#define GNP_SPECIAL_FRESNEL_FITS_CUH

#include "gnp.cuh"

namespace special {

// C(z) / z by powers of (pi z^2 / 2)^2, DLMF 7.6.4.
static __constant__ f64 FRESNEL_COSINE[] = {
    0x1p+0, -0x1.999999999999ap-4, 0x1.2f684bda12f68p-8, -0x1.c01c01c01c01cp-14, 0x1.87a00187a0018p-20,
    -0x1.c2e3054870b38p-27, 0x1.6f448e13e85e1p-34, -0x1.bd577e658d02p-42, 0x1.a173a167fba4dp-50,
    -0x1.377c2110f2083p-58, 0x1.7abd72258fb6ep-67, -0x1.7e6b81382cd42p-76, 0x1.45c0a838efe59p-85,
    -0x1.da7460554e5dbp-95,
};

// S(z) / (z pi z^2 / 2) by powers of (pi z^2 / 2)^2, DLMF 7.6.6.
static __constant__ f64 FRESNEL_SINE[] = {
    0x1.5555555555555p-2, -0x1.8618618618618p-6, 0x1.8d3018d3018d3p-11, -0x1.bbd779334ef0bp-17, 0x1.3777c55568ccdp-23,
    -0x1.2b67310aa9f3ap-30, 0x1.a289ee7e40f74p-38, -0x1.bc6250fb14231p-46, 0x1.7271cbe5863ecp-54,
    -0x1.f1b4073b34a68p-63, 0x1.13246abce1bddp-71, -0x1.fd6bebd65107ap-81, 0x1.909c9de3a31c5p-90,
    -0x1.0eef30fa10d2cp-99,
};

}

#endif
