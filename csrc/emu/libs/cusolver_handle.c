/* The emulated cuSOLVER: version, handles, and what every function does with one. A handle holds
 * its stream and is used by one thread at a time, as in the real library. */
#include "emu/libs/cusolver.h"
#include "emu/libs/lapack.h"

#include <limits.h>
#include <stdlib.h>

static const int version[3] = {12, 0, 4}; /* the interface that is imitated */

/* A version of CUDA 13, which has all functions that gpunp looks for. */
EXPORT int
cusolverGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CUSOLVER_STATUS_INVALID_VALUE
                                                       : CUSOLVER_STATUS_SUCCESS;
}

/* The stream is the default one until another is set. */
EXPORT int
cusolverDnCreate(cusolverDnHandle_t *handle)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    *handle = calloc(1, sizeof **handle);
    return *handle != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

EXPORT int
cusolverDnDestroy(cusolverDnHandle_t handle)
{
    free(handle);
    return handle != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_INITIALIZED;
}

EXPORT int
cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* Sizes are those of LAPACK, whose integers have 32 bits. */
int
emu_cusolver_check(cusolverDnHandle_t handle, int64_t m, int64_t n, int64_t lda, cudaDataType type)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || m > INT_MAX || n > INT_MAX || lda > INT_MAX || lda < (m > 1 ? m : 1)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    return is_lapack_type(type) ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_NOT_SUPPORTED;
}

/* Errors of the emulated driver become statuses of cuSOLVER. */
int
emu_cusolver_enqueue(cusolverDnHandle_t handle, EmuWork work, const void *arguments, size_t bytes)
{
    return emu_math_status(emu_math_enqueue(handle->stream, work, arguments, bytes),
                           CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_EXECUTION_FAILED);
}
