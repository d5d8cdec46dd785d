/* The binary interface of NCCL, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_NCCL_ABI_H
#define GNP_NCCL_ABI_H

#include "lib/library_abi.h"

typedef struct ncclComm *ncclComm_t;
typedef struct ncclConfig_v21700 ncclConfig_t; /* always NULL here: NCCL's own settings */
typedef int ncclResult_t;

enum { NCCL_UNIQUE_ID_BYTES = 128 };
typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId; /* passed by value */

typedef int ncclDataType_t;
enum {
    ncclInt8 = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclFloat32 = 7,
    ncclFloat64 = 8,
    ncclBfloat16 = 9,
    ncclFloat8e4m3 = 10,
    ncclFloat8e5m2 = 11,
};

typedef int ncclRedOp_t;
enum {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4,
};

#endif
