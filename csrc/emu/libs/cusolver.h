/* The emulated cuSOLVER: prototypes of what is exported. */
#ifndef EMU_CUSOLVER_H
#define EMU_CUSOLVER_H

#include "emu/libs/libs.h"
#include "lib/cusolver_abi.h"

#define CALL(name, params) int name params;
#include "tables/cusolver.def"

enum {
#define STATUS(number, name, kind) name = number,
#include "tables/cusolver.def"
};

struct cusolverDnContext {
    cudaStream_t stream;
};

/* What cuSOLVER looks at first: the handle, sizes, leading dimensions, types. */
int emu_cusolver_check(cusolverDnHandle_t handle, int64_t m, int64_t n, int64_t lda,
                       cudaDataType type);
/* Queues work in the handle's stream; its `bytes` of arguments are copied. */
int emu_cusolver_enqueue(cusolverDnHandle_t handle, EmuWork work, const void *arguments,
                         size_t bytes);

#endif
