// Coefficients, lowest power first, made by tools/minimax.py: tools/fits/ndtr.py.
#ifndef GNP_SPECIAL_NDTR_FITS_CUH
#define GNP_SPECIAL_NDTR_FITS_CUH

#include "gnp.cuh"

namespace special {

// Phi(-a) exp(a^2/2) by a - 1.25 for x in [-1.25, 1.26]: relative error 2^-27.14.
static __device__ constexpr f32 TAIL_NEAR_F32[] = {
    0x1.d898dep-3f, -0x1.c49322p-4f, 0x1.7b79d6p-5f, -0x1.1f340ap-6f, 0x1.8ff1dap-8f, -0x1.038922p-9f,
    0x1.3d06dep-11f, -0x1.6f94aep-13f, 0x1.93e922p-15f, -0x1.9cc96ep-17f, 0x1.b1edc8p-19f, -0x1.13d28cp-20f,
    0x1.d498b4p-23f,
};

// a Phi(-a) exp(a^2/2) by 1/a for x in [0.0, 0.4]: relative error 2^-25.06.
static __device__ constexpr f32 TAIL_FAR_F32[] = {
    0x1.988454p-2f, -0x1.610eb4p-18f, -0x1.981b4p-2f, -0x1.7da88p-7f, 0x1.5cdfa4p+0f, -0x1.443dd8p+0f,
    -0x1.dbe772p-1f, -0x1.09d56p+3f, 0x1.6526dp+5f, -0x1.28f3e2p+6f, 0x1.5f3b0cp+5f,
};

// (exp(x) - 1 - x)/x^2 for x in [-0.347, 0.3471]: relative error 2^-22.83.
static __device__ constexpr f32 EXP_F32[] = {
    0x1p-1f, 0x1.5554d6p-3f, 0x1.5554c6p-5f, 0x1.1210f6p-7f, 0x1.6d89bap-10f,
};

// -(log(1 - t) + t)/t^2 for x in [0.0, 0.50001]: relative error 2^-27.17.
static __device__ constexpr f32 LOG_OF_REST_F32[] = {
    0x1p-1f, 0x1.55558cp-2f, 0x1.ffde8ep-3f, 0x1.9d1714p-3f, 0x1.28264p-3f, 0x1.35207cp-2f, -0x1.1a1afp-1f,
    0x1.d00836p+0f, -0x1.251bb4p+1f, 0x1.9c59dcp+0f,
};

}

#endif
