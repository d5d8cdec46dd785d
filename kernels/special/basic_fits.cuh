// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/basic.py.
#ifndef GNP_SPECIAL_BASIC_FITS_CUH
#define GNP_SPECIAL_BASIC_FITS_CUH

#include "gnp.cuh"

namespace special {

// logit((1 + s)/2)/s by s^2 for x in [0.0, 0.16]: relative error 2^-29.7.
static __device__ constexpr f32 LOGIT_F32[] = {
    0x1p+1f, 0x1.55556ap-1f, 0x1.998b62p-2f, 0x1.2622c6p-2f, 0x1.a167cap-3f, 0x1.1cc0a2p-2f,
};

}

#endif
