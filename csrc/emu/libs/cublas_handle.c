/* The emulated cuBLAS and cuBLASLt: versions and handles. */
#include "emu/libs/cublas.h"

#include <stdlib.h>

static const int version[3] = {13, 1, 0}; /* the interface that is imitated */

EXPORT int
cublasGetProperty(libraryPropertyType type, int *value)
{
    return emu_math_property(type, version, value) < 0 ? CUBLAS_STATUS_INVALID_VALUE
                                                       : CUBLAS_STATUS_SUCCESS;
}

EXPORT int
cublasLtGetProperty(libraryPropertyType type, int *value)
{
    return cublasGetProperty(type, value);
}

EXPORT int
cublasCreate_v2(cublasHandle_t *handle)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *handle = calloc(1, sizeof **handle);
    return *handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

EXPORT int
cublasDestroy_v2(cublasHandle_t handle)
{
    free(handle);
    return handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

EXPORT int
cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

EXPORT int
cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    return (uintptr_t)workspace % 256 != 0 || (workspace == NULL && bytes != 0)
               ? CUBLAS_STATUS_INVALID_VALUE
               : CUBLAS_STATUS_SUCCESS;
}

EXPORT int
cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    return mode < 0 || mode > CUBLAS_TF32_TENSOR_OP_MATH ? CUBLAS_STATUS_INVALID_VALUE
                                                         : CUBLAS_STATUS_SUCCESS;
}

EXPORT int
cublasLtCreate(cublasLtHandle_t *handle)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *handle = calloc(1, sizeof **handle);
    return *handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

EXPORT int
cublasLtDestroy(cublasLtHandle_t handle)
{
    free(handle);
    return handle != NULL ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
