/* The binary interface of cuSOLVER's dense part, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CUSOLVER_ABI_H
#define GNP_CUSOLVER_ABI_H

#include "lib/library_abi.h"

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;

typedef int cusolverEigMode_t;
enum { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };

#endif
