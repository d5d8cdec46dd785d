/* NVIDIA's libraries, opened by dlopen at first use.
 *
 * A library is a row of tables/libraries.def and a table of its functions (cublas.def and so on),
 * which becomes a struct of function pointers. They come from NVIDIA's library where there is a
 * GPU, from libgpunp_emu_math.so where the device is emulated; the callers need not know which.
 */
#ifndef GNP_LIB_H
#define GNP_LIB_H

#include "lib/cublas_abi.h"
#include "lib/cufft_abi.h"
#include "lib/curand_abi.h"
#include "lib/cusolver_abi.h"
#include "lib/nccl_abi.h"
#include "product/product.h"
#include "select/select.h"

typedef enum {
#define LIBRARY(ID, prefix, title, newest, older, wheel, extra, error, needs_lapack)               \
    GNP_LIBRARY_##ID,
#include "tables/libraries.def"
    GNP_NLIBRARIES
} GnpLibraryId;

typedef struct {
#define CALL(name, params) int(*name) params;
#include "tables/cublas.def"
} GnpCublas;

typedef struct {
#define CALL(name, params) int(*name) params;
#include "tables/cublaslt.def"
} GnpCublasLt;

typedef struct {
#define CALL(name, params) int(*name) params;
#include "tables/cusolver.def"
} GnpCusolver;

typedef struct {
#define CALL(name, params) int(*name) params;
#include "tables/cufft.def"
} GnpCufft;

typedef struct {
#define CALL(name, params) int(*name) params;
#include "tables/curand.def"
} GnpCurand;

typedef struct {
#define CALL(name, params) int(*name) params;
#define TEXT(name, params) const char *(*name)params;
#include "tables/nccl.def"
} GnpNccl;

/* The functions of a library, opened now if it was not. NULL with ImportError that says what was
 * looked for, where, and what to install. Needs the GIL, which it releases while it loads. Later
 * calls are one atomic load. */
GNP_BORROW const void *gnp_library(GnpLibraryId id);

static inline const GnpCublas *
gnp_cublas(void)
{
    return gnp_library(GNP_LIBRARY_CUBLAS);
}
static inline const GnpCublasLt *
gnp_cublaslt(void)
{
    return gnp_library(GNP_LIBRARY_CUBLASLT);
}
static inline const GnpCusolver *
gnp_cusolver(void)
{
    return gnp_library(GNP_LIBRARY_CUSOLVER);
}
static inline const GnpCufft *
gnp_cufft(void)
{
    return gnp_library(GNP_LIBRARY_CUFFT);
}
static inline const GnpCurand *
gnp_curand(void)
{
    return gnp_library(GNP_LIBRARY_CURAND);
}
static inline const GnpNccl *
gnp_nccl(void)
{
    return gnp_library(GNP_LIBRARY_NCCL);
}

/* Sets the library's exception (OutOfMemoryError where the status says so) naming status, call and
 * function; always returns -1. */
int gnp_library_raise(GnpLibraryId id, int status, const char *call, const char *function);

/* After a call that ran out of memory: frees memory as the pool does, first what is cached, then
 * what the garbage collector finds, and returns 1. 0 when the call should not be repeated. */
int gnp_library_retry(GnpLibraryId id, int status, int attempt);

/* LIB_TRY(CUFFT, api->cufftDestroy(plan)): test, raise, go to fail. */
#define LIB_TRY(ID, call) LIB_TRY_BY(LIB_AT_ONCE, ID, call, #call)
/* The same for a call that puts work into a stream. */
#define LIB_TRY_QUEUE(ID, call) LIB_TRY_BY(GNP_QUEUE, ID, call, #call)
/* The same for a call that may take long or wait for the device: without the GIL. */
#define LIB_TRY_NOGIL(ID, call) LIB_TRY_BY(GNP_CONTEXT_WAIT, ID, call, #call)
#define LIB_AT_ONCE(statement) statement
#define LIB_TRY_BY(how, ID, call, text)                                                            \
    for (int gnp_status, gnp_attempt = 0;;) {                                                      \
        how(gnp_status = (call));                                                                  \
        if (GNP_LIKELY(gnp_status == 0)) {                                                         \
            break;                                                                                 \
        }                                                                                          \
        if (!gnp_library_retry(GNP_LIBRARY_##ID, gnp_status, gnp_attempt++)) {                     \
            gnp_library_raise(GNP_LIBRARY_##ID, gnp_status, text, __func__);                       \
            goto fail;                                                                             \
        }                                                                                          \
    }

/* This thread's handle on `device`, made at first use, its stream set. A handle whose thread has
 * ended serves another one. NULL with an exception. */
cublasHandle_t gnp_cublas_handle(const GnpDevice *device, CUstream stream);
cusolverDnHandle_t gnp_cusolver_handle(const GnpDevice *device, CUstream stream);
cublasLtHandle_t gnp_cublaslt_handle(const GnpDevice *device); /* one serves all threads */

/* What module.c needs: functions and exceptions of this folder. */
int gnp_lib_init(PyObject *module);

#endif
