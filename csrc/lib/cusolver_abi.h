/* The binary interface of cuSOLVER's dense part, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CUSOLVER_ABI_H
#define GNP_CUSOLVER_ABI_H

#include "lib/library_abi.h"

typedef struct cusolverDnContext *cusolverDnHandle_t;

#endif
