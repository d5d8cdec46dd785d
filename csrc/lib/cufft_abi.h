/* The binary interface of cuFFT, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CUFFT_ABI_H
#define GNP_CUFFT_ABI_H

#include "lib/library_abi.h"

#endif
