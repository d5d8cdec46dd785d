/* The emulated cuBLAS and cuBLASLt: prototypes of what is exported, and handles. */
#ifndef EMU_CUBLAS_H
#define EMU_CUBLAS_H

#include "emu/libs/libs.h"
#include "lib/cublas_abi.h"

#define CALL(name, params) int name params;
#include "tables/cublas.def"
#define CALL(name, params) int name params;
#include "tables/cublaslt.def"

enum {
#define STATUS(number, name, kind) name = number,
#include "tables/cublas.def"
};

struct cublasContext {
    cudaStream_t stream;
    cublasMath_t math_mode;
    int pointer_mode; /* where factors and results are: CUBLAS_POINTER_MODE_... */
};
struct cublasLtContext {
    int unused;
};

#endif
