// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/bessel.py.
#ifndef GNP_SPECIAL_BESSEL_FITS_CUH
#define GNP_SPECIAL_BESSEL_FITS_CUH

#include "gnp.cuh"

namespace special {

// (1/Gamma(1-m) - 1/Gamma(1+m)) / 2m by x = m^2 for x in [0.0, 0.25]: relative error 2^-56.69.
static __constant__ f64 BESSEL_GAMMA_ODD[] = {
    -0x1.2788cfc6fb619p-1, 0x1.5815e8fa2716fp-5, 0x1.59af103c2f266p-5, -0x1.d919c5240b492p-8, 0x1.c364f8574dd7ep-13,
    0x1.51cfcdba249e9p-16, -0x1.306cadfb908f3p-20, -0x1.26bc6fc998fadp-28,
};

// (1/Gamma(1-m) + 1/Gamma(1+m)) / 2 by x = m^2 for x in [0.0, 0.25]: relative error 2^-58.3.
static __constant__ f64 BESSEL_GAMMA_EVEN[] = {
    0x1p+0, -0x1.4fcf4026afa26p-1, 0x1.5512320b43358p-3, -0x1.3b4af282dab73p-7, -0x1.317113a623c01p-10,
    0x1.0c8ab3729092fp-13, -0x1.503949049d297p-20, -0x1.aec7f94d815d7p-23,
};

}

#endif
