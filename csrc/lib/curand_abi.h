/* The binary interface of cuRAND, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CURAND_ABI_H
#define GNP_CURAND_ABI_H

#include "lib/library_abi.h"

#endif
