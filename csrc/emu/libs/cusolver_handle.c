/* The emulated cuSOLVER: version, handles, and what every function does with one. A handle holds
 * its stream and is used by one thread at a time, as in the real library. */
#include "emu/libs/cusolver.h"

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

int
emu_cusolver_space(const EmuSpace *space, size_t need, size_t host_need)
{
    int is_device = space->device_bytes >= need &&
                    (need == 0 || emu_math_is_inside(space->device, space->device_bytes));
    int is_host = space->host_bytes >= host_need && (host_need == 0 || space->host != NULL);
    return is_device && is_host ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_WORKSPACE;
}

int
emu_cusolver_typed_space(cudaDataType type, const void *work, int size, int need)
{
    size_t bytes = emu_type_bytes(type);
    const EmuSpace space = {work, (size_t)(size > 0 ? size : 0) * bytes, NULL, 0};
    return emu_cusolver_older(emu_cusolver_space(&space, (size_t)need * bytes, 0));
}

/* Errors of the emulated driver become statuses of cuSOLVER. */
int
emu_cusolver_enqueue(cusolverDnHandle_t handle, EmuWork work, const EmuArray *arrays,
                     const void *arguments, size_t bytes)
{
    if (!emu_are_inside(arrays, EMU_ARRAYS)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    return emu_math_status(emu_math_enqueue(handle->stream, work, arguments, bytes),
                           CUSOLVER_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_EXECUTION_FAILED);
}
