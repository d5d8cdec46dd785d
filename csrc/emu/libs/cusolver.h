/* The emulated cuSOLVER: prototypes of what is exported. */
#ifndef EMU_CUSOLVER_H
#define EMU_CUSOLVER_H

#include "emu/libs/lapack.h"
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
/* Working space that a caller brings, on the device and on the host. */
typedef struct {
    const void *device;
    size_t device_bytes;
    const void *host;
    size_t host_bytes;
} EmuSpace;
/* INVALID_WORKSPACE for less than was asked for, for NULL, and for memory that is shorter than the
 * caller says: NVIDIA's functions write past it, at address 0, too. */
int emu_cusolver_space(const EmuSpace *space, size_t need, size_t host_need);
/* The status of the functions by type for one of the functions of any type. */
static inline int
emu_cusolver_older(int status)
{
    return status == CUSOLVER_STATUS_INVALID_WORKSPACE ? CUSOLVER_STATUS_INVALID_VALUE : status;
}

/* The same for the functions by type: sizes count elements, and INVALID_VALUE is their status. */
int emu_cusolver_typed_space(cudaDataType type, const void *work, int size, int need);

/* The arrays of a call; those that are left out are zeros. */
enum { EMU_ARRAYS = 5 };
/* Queues work in the handle's stream, if the arrays are all there; its `bytes` of arguments are
 * copied. */
int emu_cusolver_enqueue(cusolverDnHandle_t handle, EmuWork work, const EmuArray *arrays,
                         const void *arguments, size_t bytes);

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
typedef struct {
    cublasOperation_t trans;
    int64_t nrhs, ldb;
    void *b;
} EmuSides;
int emu_cusolver_getrs(cusolverDnHandle_t handle, const EmuLu *lu, const EmuSides *sides,
                       int *info);

#endif
