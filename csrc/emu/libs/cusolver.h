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
/* Options of the functions of any type; there are none here. */
struct cusolverDnParams {
    int unused;
};

/* Some functions ask for host memory, so that callers learn to bring it. */
enum { HOST_BYTES = 64 };

/* What cuSOLVER looks at first: the handle, sizes, leading dimensions, types. */
int emu_cusolver_check(cusolverDnHandle_t handle, int64_t m, int64_t n, int64_t lda,
                       cudaDataType type);
/* Queues work in the handle's stream; its `bytes` of arguments are copied. */
int emu_cusolver_enqueue(cusolverDnHandle_t handle, EmuWork work, const void *arguments,
                         size_t bytes);

/* LU of a matrix of m rows and n columns, with pivots of 4 or of 8 bytes, which may be absent. */
typedef struct {
    cudaDataType type;
    int64_t m, n, lda;
    void *a, *pivots;
    int pivot_bytes;
} EmuLu;
/* What both interfaces check and queue. */
int emu_cusolver_getrf(cusolverDnHandle_t handle, const EmuLu *lu, void *work, size_t work_bytes,
                       int *info);
int emu_cusolver_getrs(cusolverDnHandle_t handle, const EmuLu *lu, cublasOperation_t trans,
                       int64_t nrhs, void *b, int64_t ldb, int *info);

#endif
