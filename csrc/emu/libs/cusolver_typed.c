/* The emulated cuSOLVER: functions of one type, with sizes of 32 bits. gpunp calls none of these;
 * programs do, by their addresses.
 *
 * Each is the function of any type with that type's number. A working space counts elements, and
 * too small a one is an invalid value here. */
#include "emu/libs/cusolver.h"
#include "emu/libs/numbers.h"

/* Bytes of a working space of `size` elements. */
static size_t
bytes_of(cudaDataType type, int size)
{
    return (size_t)(size > 0 ? size : 0) * emu_type_bytes(type);
}

/* Stores a number of elements for one of bytes; returns the status. */
static int
store_size(int *size, int status, size_t bytes, cudaDataType type)
{
    *size = (int)(bytes / emu_type_bytes(type));
    return emu_cusolver_older(status);
}

/* What a query of the newer interface asks of addresses: that there are any. */
static const char somewhere;

API(cusolverDnGetStream, cusolverDnHandle_t handle, cudaStream_t *stream)
{
    if (handle == NULL) {
        return CUSOLVER_STATUS_NOT_INITIALIZED;
    }
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

#define POTRF(letter, type)                                                                        \
    API(cusolverDn##letter##potrf_bufferSize, cusolverDnHandle_t handle, cublasFillMode_t uplo,    \
        int n, const void *a, int lda, int *size)                                                  \
    {                                                                                              \
        size_t device, host;                                                                       \
        int status =                                                                               \
            cusolverDnXpotrf_bufferSize(handle, &(struct cusolverDnParams){0}, uplo, n, type,      \
                                        a != NULL ? a : &somewhere, lda, type, &device, &host);    \
        return store_size(size, status, device, type);                                             \
    }                                                                                              \
    API(cusolverDn##letter##potrf, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,        \
        void *a, int lda, void *work, int size, int *info)                                         \
    {                                                                                              \
        char host[HOST_BYTES];                                                                     \
        return emu_cusolver_older(cusolverDnXpotrf(handle, &(struct cusolverDnParams){0}, uplo, n, \
                                                   type, a, lda, type, work, bytes_of(type, size), \
                                                   host, sizeof host, info));                      \
    }                                                                                              \
    API(cusolverDn##letter##potrs, cusolverDnHandle_t handle, cublasFillMode_t uplo, int n,        \
        int nrhs, const void *a, int lda, void *b, int ldb, int *info)                             \
    {                                                                                              \
        return cusolverDnXpotrs(handle, &(struct cusolverDnParams){0}, uplo, n, nrhs, type, a,     \
                                lda, type, b, ldb, info);                                          \
    }
FOR_TYPES(POTRF)

/* ---- LU -------------------------------------------------------------------------------------- */

/* The caller brings as much working space as bufferSize said, without saying how much. */
static int
getrf(cusolverDnHandle_t handle, const EmuLu *lu, void *work, int *info)
{
    size_t device, host;
    int status = cusolverDnXgetrf_bufferSize(handle, &(struct cusolverDnParams){0}, lu->m, lu->n,
                                             lu->type, lu->a, lu->lda, lu->type, &device, &host);
    return status != 0 ? status
                       : emu_cusolver_older(emu_cusolver_getrf(handle, lu, work, device, info));
}

#define GETRF(letter, type)                                                                        \
    API(cusolverDn##letter##getrf_bufferSize, cusolverDnHandle_t handle, int m, int n,             \
        const void *a, int lda, int *size)                                                         \
    {                                                                                              \
        size_t device, host;                                                                       \
        int status =                                                                               \
            cusolverDnXgetrf_bufferSize(handle, &(struct cusolverDnParams){0}, m, n, type,         \
                                        a != NULL ? a : &somewhere, lda, type, &device, &host);    \
        return store_size(size, status, device, type);                                             \
    }                                                                                              \
    API(cusolverDn##letter##getrf, cusolverDnHandle_t handle, int m, int n, void *a, int lda,      \
        void *work, int *pivots, int *info)                                                        \
    {                                                                                              \
        return getrf(handle, &(const EmuLu){type, m, n, lda, a, pivots, sizeof *pivots}, work,     \
                     info);                                                                        \
    }                                                                                              \
    API(cusolverDn##letter##getrs, cusolverDnHandle_t handle, cublasOperation_t trans, int n,      \
        int nrhs, const void *a, int lda, const int *pivots, void *b, int ldb, int *info)          \
    {                                                                                              \
        const EmuLu lu = {                                                                         \
            type, n, n, lda, (void *)(uintptr_t)a, (void *)(uintptr_t)pivots, sizeof *pivots};     \
        const EmuSides sides = {trans, nrhs, ldb, b};                                              \
        return emu_cusolver_getrs(handle, &lu, &sides, info);                                      \
    }
FOR_TYPES(GETRF)

/* ---- QR -------------------------------------------------------------------------------------- */

#define GEQRF(letter, type)                                                                        \
    API(cusolverDn##letter##geqrf_bufferSize, cusolverDnHandle_t handle, int m, int n,             \
        const void *a, int lda, int *size)                                                         \
    {                                                                                              \
        size_t device, host;                                                                       \
        int status = cusolverDnXgeqrf_bufferSize(handle, &(struct cusolverDnParams){0}, m, n,      \
                                                 type, a != NULL ? a : &somewhere, lda, type,      \
                                                 &somewhere, type, &device, &host);                \
        return store_size(size, status, device, type);                                             \
    }                                                                                              \
    API(cusolverDn##letter##geqrf, cusolverDnHandle_t handle, int m, int n, void *a, int lda,      \
        void *tau, void *work, int size, int *info)                                                \
    {                                                                                              \
        return emu_cusolver_older(cusolverDnXgeqrf(handle, &(struct cusolverDnParams){0}, m, n,    \
                                                   type, a, lda, type, tau, type, work,            \
                                                   bytes_of(type, size), NULL, 0, info));          \
    }
FOR_TYPES(GEQRF)

/* ---- eigenvalues ----------------------------------------------------------------------------- */

/* Complex types have heevd. */
#define SYEVD(name, type)                                                                          \
    API(cusolverDn##name##_bufferSize, cusolverDnHandle_t handle, cusolverEigMode_t mode,          \
        cublasFillMode_t uplo, int n, const void *a, int lda, const void *values, int *size)       \
    {                                                                                              \
        size_t device, host;                                                                       \
        int status = cusolverDnXsyevd_bufferSize(                                                  \
            handle, &(struct cusolverDnParams){0}, mode, uplo, n, type,                            \
            a != NULL ? a : &somewhere, lda, real_type(type),                                      \
            values != NULL ? values : &somewhere, type, &device, &host);                           \
        return store_size(size, status, device, type);                                             \
    }                                                                                              \
    API(cusolverDn##name, cusolverDnHandle_t handle, cusolverEigMode_t mode,                       \
        cublasFillMode_t uplo, int n, void *a, int lda, void *values, void *work, int size,        \
        int *info)                                                                                 \
    {                                                                                              \
        char host[HOST_BYTES];                                                                     \
        return emu_cusolver_older(cusolverDnXsyevd(                                                \
            handle, &(struct cusolverDnParams){0}, mode, uplo, n, type, a, lda, real_type(type),   \
            values, type, work, bytes_of(type, size), host, sizeof host, info));                   \
    }
SYEVD(Ssyevd, CUDA_R_32F)
SYEVD(Dsyevd, CUDA_R_64F)
SYEVD(Cheevd, CUDA_C_32F)
SYEVD(Zheevd, CUDA_C_64F)

/* ---- singular values ------------------------------------------------------------------------- */

/* The query knows no addresses and no vectors; its answer serves all. */
#define GESVD(letter, type)                                                                        \
    API(cusolverDn##letter##gesvd_bufferSize, cusolverDnHandle_t handle, int m, int n, int *size)  \
    {                                                                                              \
        size_t device, host;                                                                       \
        int status = cusolverDnXgesvd_bufferSize(handle, &(struct cusolverDnParams){0}, 'N', 'N',  \
                                                 m, n, type, &somewhere, m > 1 ? m : 1,            \
                                                 real_type(type), &somewhere, type, NULL, 1, type, \
                                                 NULL, 1, type, &device, &host);                   \
        return store_size(size, status, device, type);                                             \
    }                                                                                              \
    API(cusolverDn##letter##gesvd, cusolverDnHandle_t handle, signed char jobu, signed char jobvt, \
        int m, int n, void *a, int lda, void *s, void *u, int ldu, void *vt, int ldvt, void *work, \
        int size, void *real_work, int *info)                                                      \
    {                                                                                              \
        (void)real_work;                                                                           \
        return emu_cusolver_older(cusolverDnXgesvd(handle, &(struct cusolverDnParams){0}, jobu,    \
                                                   jobvt, m, n, type, a, lda, real_type(type), s,  \
                                                   type, u, ldu, type, vt, ldvt, type, work,       \
                                                   bytes_of(type, size), NULL, 0, info));          \
    }
FOR_TYPES(GESVD)
