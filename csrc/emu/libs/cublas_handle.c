/* The emulated cuBLAS and cuBLASLt: versions and handles. A handle holds its stream and modes; like
 * those of the real library it is used by one thread at a time. Arguments are checked as cuBLAS
 * checks them, with its status numbers, so that a wrong call fails here as it would on a GPU.
 * Nothing here touches the device. */
#include "emu/libs/numbers.h"

#include <stdlib.h>

static const int version[3] = {13, 1, 0}; /* the interface that is imitated */

/* The version decides which functions gpunp expects, so it is that of the imitated one. */
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

/* free(NULL) is valid, so the status alone tells the two cases apart. */
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

/* The address must be a multiple of 256 bytes (cuBLAS documentation, cublasSetWorkspace); the
 * memory itself is not used here. */
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

/* The mode is kept, and computing is in full precision in every one. */
EXPORT int
cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (mode < 0 || mode > CUBLAS_TF32_TENSOR_OP_MATH) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    handle->math_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- settings that programs alone read or change --------------------------------------------- */

API(cublasSetPointerMode_v2, cublasHandle_t handle, cublasPointerMode_t mode)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if ((mode & ~1) != 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    handle->pointer_mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

#define GETTER(name, type, field)                                                                  \
    API(name, cublasHandle_t handle, type *value)                                                  \
    {                                                                                              \
        if (handle == NULL) {                                                                      \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        }                                                                                          \
        if (value == NULL) {                                                                       \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        *value = handle->field;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
GETTER(cublasGetPointerMode_v2, cublasPointerMode_t, pointer_mode)
GETTER(cublasGetMathMode, cublasMath_t, math_mode)
GETTER(cublasGetStream_v2, cudaStream_t, stream)

/* A handle of cuBLASLt has no stream; each call names one. */
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
