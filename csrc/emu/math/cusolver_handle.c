/* Look-alike of cuSOLVER: version and handles. */
#include "emu/math/cusolver.h"

#include <stdlib.h>

static const int version[3] = {12, 0, 4}; /* the interface that is imitated */

EXPORT int
cusolverGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CUSOLVER_STATUS_INVALID_VALUE
                                                       : CUSOLVER_STATUS_SUCCESS;
}

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
