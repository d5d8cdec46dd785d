// Coefficients, lowest power first: made by tools/minimax.py from tools/fits/log_pair.py.
#ifndef GNP_SPECIAL_LOG_PAIR_FITS_CUH
#define GNP_SPECIAL_LOG_PAIR_FITS_CUH

#include "gnp.cuh"

namespace special {

// (atanh(r) - r - r^3/3)/r^5 by r^2 for x in [0.0, 0.03]: relative error 2^-54.0.
static __constant__ f64 ATANH_QUINTIC[] = {
    0x1.999999999999ap-3, 0x1.2492492491fc1p-3, 0x1.c71c71c849d83p-4, 0x1.745d166c97686p-4, 0x1.3b13f8f0ea31ep-4,
    0x1.11061036545a1p-4, 0x1.e2ff79021b2c6p-5, 0x1.bf096448ac2d4p-5,
};

}

#endif
