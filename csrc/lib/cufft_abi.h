/* The binary interface of cuFFT, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CUFFT_ABI_H
#define GNP_CUFFT_ABI_H

#include "lib/library_abi.h"

typedef int cufftHandle;

typedef int cufftType;
enum {
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
};
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

#endif
