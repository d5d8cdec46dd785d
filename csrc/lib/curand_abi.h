/* The binary interface of cuRAND, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CURAND_ABI_H
#define GNP_CURAND_ABI_H

#include "lib/library_abi.h"

typedef struct curandGenerator_st *curandGenerator_t;

typedef int curandRngType_t;
enum {
    CURAND_RNG_PSEUDO_DEFAULT = 100, /* XORWOW */
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
};

#endif
