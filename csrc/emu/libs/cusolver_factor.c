/* The emulated cuSOLVER: Cholesky, LU and QR. A function checks its arguments as the real
 * library does, then enqueues LAPACK's routine, which runs in the order of the stream. `info` is
 * device memory and is written by the work. A bufferSize function makes the same checks, so the
 * function itself begins with it. The working space that a caller provides is only poisoned:
 * LAPACK's own is allocated here, so that a caller who passes too little is found by the size
 * check and not by a crash. */
#include "emu/libs/cusolver.h"

#include <stdlib.h>

/* One piece of work; each kind uses some of the fields. */
typedef struct {
    cudaDataType type;
    int m, n, k, lda, ldb, count;
    char uplo, trans, side;
    void *a, *b, *work;
    const void *tau;
    void **matrices;
    void *pivots;
    int pivot_bytes;
    size_t work_bytes;
    int *info;
    EmuArray arrays[EMU_ARRAYS];
} Work;

/* The arguments are copied, so they may be local to the caller. */
static int
enqueue(cusolverDnHandle_t handle, EmuWork work, const Work *w)
{
    return emu_cusolver_enqueue(handle, work, w->arrays, w, sizeof *w);
}

/* LAPACK's letter for a triangle. */
static char
fill_letter(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

/* Any other number is refused, although LAPACK would take it as upper. */
static int
is_fill(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

/* Working space of the emulated library, whose only use is that its size is checked. */
static size_t
wanted(int64_t m, int64_t n, cudaDataType type)
{
    return (size_t)(m + n + 32) * emu_type_bytes(type);
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* A batch of addresses, or one matrix. The workspace is overwritten first, since a caller must
 * not keep anything in it. */
static void
run_potrf(void *arguments)
{
    const Work *w = arguments;
    emu_poison(w->work, w->work_bytes);
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    const EmuArray alike = {w->type, NULL, w->n, w->n, w->lda, EMU_READS_AND_WRITES};
    if (w->matrices != NULL && emu_touch_list(&alike, w->matrices, w->count) < 0) {
        return;
    }
    for (int i = 0; i < w->count; i++) {
        void *a = w->matrices != NULL ? w->matrices[i] : w->a;
        BY_TYPE(w->type, spotrf, dpotrf, cpotrf, zpotrf)(&w->uplo, &w->n, a, &w->lda, &w->info[i]);
    }
}

/* The sizes are set even where a check fails, which callers must not rely on. */
EXPORT int
cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                            cublasFillMode_t uplo, int64_t n, cudaDataType type, const void *a,
                            int64_t lda, cudaDataType compute, size_t *device, size_t *host)
{
    int status = emu_cusolver_check(handle, n, n, lda, type);
    if (status == 0 && (params == NULL || a == NULL || !is_fill(uplo) || compute != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *device = wanted(n, n, type);
    *host = HOST_BYTES;
    return status;
}

/* INVALID_WORKSPACE is the status for a buffer that is smaller than bufferSize said. */
EXPORT int
cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                 int64_t n, cudaDataType type, void *a, int64_t lda, cudaDataType compute,
                 void *work, size_t work_bytes, void *host, size_t host_bytes, int *info)
{
    size_t need, host_need;
    int status = cusolverDnXpotrf_bufferSize(handle, params, uplo, n, type, a, lda, compute, &need,
                                             &host_need);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, host, host_bytes}, need,
                                    host_need);
    }
    Work w = {.arrays = {{type, a, n, n, lda, EMU_READS_AND_WRITES},
                         {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
              .type = type,
              .n = (int)n,
              .lda = (int)lda,
              .count = 1,
              .uplo = fill_letter(uplo),
              .a = a,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return status != 0 ? status : enqueue(handle, run_potrf, &w);
}

/* Needs no workspace, as in the real library. */
static int
potrf_batched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, void *matrices, int lda,
              int *info, int count, cudaDataType type)
{
    int status = emu_cusolver_check(handle, n, n, lda, type);
    if (status == 0 && (count < 0 || !is_fill(uplo))) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    Work w = {
        .arrays = {EMU_LIST(matrices, count), {CUDA_R_32I, info, count, 1, count, EMU_WRITES}},
        .type = type,
        .n = n,
        .lda = lda,
        .count = count,
        .uplo = fill_letter(uplo),
        .matrices = matrices,
        .info = info};
    return status != 0 ? status : enqueue(handle, run_potrf, &w);
}

/* The exported names of the four types. */
#define POTRF_BATCHED(letter, element, type)                                                       \
    EXPORT int cusolverDn##letter##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo,  \
                                                int n, element **a, int lda, int *info, int count) \
    {                                                                                              \
        return potrf_batched(handle, uplo, n, a, lda, info, count, type);                          \
    }
POTRF_BATCHED(S, float, CUDA_R_32F)
POTRF_BATCHED(D, double, CUDA_R_64F)
POTRF_BATCHED(C, cuComplex, CUDA_C_32F)
POTRF_BATCHED(Z, cuDoubleComplex, CUDA_C_64F)

/* Solves with a factor of run_potrf; b has k right-hand sides. */
static void
run_potrs(void *arguments)
{
    const Work *w = arguments;
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    BY_TYPE(w->type, spotrs, dpotrs, cpotrs, zpotrs)
    (&w->uplo, &w->n, &w->k, w->a, &w->lda, w->b, &w->ldb, w->info);
}

/* Takes no working space, so there is no bufferSize. */
EXPORT int
cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                 int64_t n, int64_t nrhs, cudaDataType type, const void *a, int64_t lda,
                 cudaDataType type_b, void *b, int64_t ldb, int *info)
{
    int status = emu_cusolver_check(handle, n, n, lda, type);
    if (status == 0 &&
        (params == NULL || !is_fill(uplo) || nrhs < 0 || ldb < (n > 1 ? n : 1) || type_b != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    Work w = {.arrays = {{type, a, n, n, lda, EMU_READS},
                         {type, b, n, nrhs, ldb, EMU_READS_AND_WRITES},
                         {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
              .type = type,
              .n = (int)n,
              .k = (int)nrhs,
              .lda = (int)lda,
              .ldb = (int)ldb,
              .uplo = fill_letter(uplo),
              .a = (void *)(uintptr_t)a,
              .b = b,
              .info = info};
    return status != 0 ? status : enqueue(handle, run_potrs, &w);
}

/* ---- LU -------------------------------------------------------------------------------------- */

/* `n` pivots as an array, of a type as large. Without pivots no rows are exchanged. */
static EmuArray
pivots_of(const EmuLu *lu, int64_t n, EmuAccess access)
{
    cudaDataType type = lu->pivot_bytes == 8 ? CUDA_R_64F : CUDA_R_32I;
    return (EmuArray){type, lu->pivots, lu->pivots != NULL ? n : 0, 1, n, access};
}

/* The 64-bit interface has pivots of 64 bits, LAPACK and the older interface of 32. */
static void
run_getrf(void *arguments)
{
    const Work *w = arguments;
    int least = w->m < w->n ? w->m : w->n;
    emu_poison(w->work, w->work_bytes);
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    if (w->pivots == NULL) {
        emu_lu_without_pivots(w->type, w->m, w->n, w->a, w->lda, w->info);
        return;
    }
    int *pivots = emu_math_scratch(least, sizeof *pivots);
    if (pivots == NULL) {
        return;
    }
    BY_TYPE(w->type, sgetrf, dgetrf, cgetrf, zgetrf)(&w->m, &w->n, w->a, &w->lda, pivots, w->info);
    for (int i = 0; i < least; i++) {
        if (w->pivot_bytes == 8) {
            ((int64_t *)w->pivots)[i] = pivots[i];
        }
        else {
            ((int *)w->pivots)[i] = pivots[i];
        }
    }
    free(pivots);
}

/* No host memory is asked for, so a caller may pass NULL. */
EXPORT int
cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                            int64_t n, cudaDataType type, const void *a, int64_t lda,
                            cudaDataType compute, size_t *device, size_t *host)
{
    int status = emu_cusolver_check(handle, m, n, lda, type);
    if (status == 0 && (params == NULL || a == NULL || compute != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *device = wanted(m, n, type);
    *host = 0;
    return status;
}

int
emu_cusolver_getrf(cusolverDnHandle_t handle, const EmuLu *lu, void *work, size_t work_bytes,
                   int *info)
{
    int status = emu_cusolver_check(handle, lu->m, lu->n, lu->lda, lu->type);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, NULL, 0},
                                    wanted(lu->m, lu->n, lu->type), 0);
    }
    int64_t least = lu->m < lu->n ? lu->m : lu->n;
    Work w = {.arrays = {{lu->type, lu->a, lu->m, lu->n, lu->lda, EMU_READS_AND_WRITES},
                         {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES},
                         pivots_of(lu, least, EMU_WRITES)},
              .type = lu->type,
              .m = (int)lu->m,
              .n = (int)lu->n,
              .lda = (int)lu->lda,
              .a = lu->a,
              .pivots = lu->pivots,
              .pivot_bytes = lu->pivot_bytes,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return status != 0 ? status : enqueue(handle, run_getrf, &w);
}

EXPORT int
cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                 cudaDataType type, void *a, int64_t lda, int64_t *pivots, cudaDataType compute,
                 void *work, size_t work_bytes, void *host, size_t host_bytes, int *info)
{
    size_t need, host_need;
    int status =
        cusolverDnXgetrf_bufferSize(handle, params, m, n, type, a, lda, compute, &need, &host_need);
    (void)host, (void)host_bytes;
    const EmuLu lu = {type, m, n, lda, a, pivots, sizeof *pivots};
    return status != 0 ? status : emu_cusolver_getrf(handle, &lu, work, work_bytes, info);
}

/* LAPACK reads pivots of 32 bits, hence the copy. */
static void
run_getrs(void *arguments)
{
    const Work *w = arguments;
    int *pivots = emu_idle_pivots(w->n);
    if (pivots == NULL) {
        return;
    }
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    for (int i = 0; w->pivots != NULL && i < w->n; i++) {
        pivots[i] = w->pivot_bytes == 8 ? (int)((const int64_t *)w->pivots)[i]
                                        : ((const int *)w->pivots)[i];
    }
    BY_TYPE(w->type, sgetrs, dgetrs, cgetrs, zgetrs)
    (&w->trans, &w->n, &w->k, w->a, &w->lda, pivots, w->b, &w->ldb, w->info);
    free(pivots);
}

/* `trans` counts N, T, C from 0. */
int
emu_cusolver_getrs(cusolverDnHandle_t handle, const EmuLu *lu, const EmuSides *sides, int *info)
{
    int64_t n = lu->n;
    int status = emu_cusolver_check(handle, n, n, lu->lda, lu->type);
    if (status == 0 && (sides->nrhs < 0 || sides->ldb < (n > 1 ? n : 1) ||
                        sides->trans < CUBLAS_OP_N || sides->trans > CUBLAS_OP_C)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    if (status != 0) {
        return status;
    }
    Work w = {.arrays = {{lu->type, lu->a, n, n, lu->lda, EMU_READS},
                         pivots_of(lu, n, EMU_READS),
                         {lu->type, sides->b, n, sides->nrhs, sides->ldb, EMU_READS_AND_WRITES},
                         {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
              .type = lu->type,
              .n = (int)n,
              .k = (int)sides->nrhs,
              .lda = (int)lu->lda,
              .ldb = (int)sides->ldb,
              .trans = "NTC"[sides->trans],
              .a = lu->a,
              .b = sides->b,
              .pivots = lu->pivots,
              .pivot_bytes = lu->pivot_bytes,
              .info = info};
    return enqueue(handle, run_getrs, &w);
}

EXPORT int
cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                 int64_t n, int64_t nrhs, cudaDataType type, const void *a, int64_t lda,
                 const int64_t *pivots, cudaDataType type_b, void *b, int64_t ldb, int *info)
{
    int status = emu_cusolver_check(handle, n, n, lda, type);
    if (status == 0 && (params == NULL || type_b != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    const EmuLu lu = {type,          n, n, lda, (void *)(uintptr_t)a, (void *)(uintptr_t)pivots,
                      sizeof *pivots};
    const EmuSides sides = {trans, nrhs, ldb, b};
    return status != 0 ? status : emu_cusolver_getrs(handle, &lu, &sides, info);
}

/* ---- QR -------------------------------------------------------------------------------------- */

/* LAPACK's own workspace is allocated here: n times a block of 32 elements is what it prefers. */
static void
run_geqrf(void *arguments)
{
    const Work *w = arguments;
    int size = emu_lapack_size(w->n, 32);
    void *work = emu_math_scratch(size, emu_type_bytes(w->type));
    emu_poison(w->work, w->work_bytes);
    if (work == NULL) {
        return;
    }
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    BY_TYPE(w->type, sgeqrf, dgeqrf, cgeqrf, zgeqrf)
    (&w->m, &w->n, w->a, &w->lda, w->b, work, &size, w->info);
    free(work);
}

/* The factors have the matrix's type, complex ones too. */
EXPORT int
cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m,
                            int64_t n, cudaDataType type, const void *a, int64_t lda,
                            cudaDataType type_tau, const void *tau, cudaDataType compute,
                            size_t *device, size_t *host)
{
    int status = emu_cusolver_check(handle, m, n, lda, type);
    if (status == 0 &&
        (params == NULL || a == NULL || tau == NULL || compute != type || type_tau != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *device = wanted(m, n, type);
    *host = 0;
    return status;
}

/* tau has min(m, n) factors, one for each reflector. */
EXPORT int
cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                 cudaDataType type, void *a, int64_t lda, cudaDataType type_tau, void *tau,
                 cudaDataType compute, void *work, size_t work_bytes, void *host, size_t host_bytes,
                 int *info)
{
    size_t need, host_need;
    int status = cusolverDnXgeqrf_bufferSize(handle, params, m, n, type, a, lda, type_tau, tau,
                                             compute, &need, &host_need);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, host, host_bytes}, need,
                                    host_need);
    }
    int64_t least = m < n ? m : n;
    Work w = {.arrays = {{type, a, m, n, lda, EMU_READS_AND_WRITES},
                         {type, tau, least, 1, least, EMU_WRITES},
                         {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
              .type = type,
              .m = (int)m,
              .n = (int)n,
              .lda = (int)lda,
              .a = a,
              .b = tau,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return status != 0 ? status : enqueue(handle, run_geqrf, &w);
}

/* The reflectors in `a` are replaced by the columns of Q. */
static void
run_orgqr(void *arguments)
{
    const Work *w = arguments;
    int size = emu_lapack_size(w->n, 32);
    void *work = emu_math_scratch(size, emu_type_bytes(w->type));
    emu_poison(w->work, w->work_bytes);
    if (work == NULL) {
        return;
    }
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    BY_TYPE(w->type, sorgqr, dorgqr, cungqr, zungqr)
    (&w->m, &w->n, &w->k, w->a, &w->lda, w->tau, work, &size, w->info);
    free(work);
}

/* What a caller passes, whatever the type: the first n columns of a Q of m rows, made of k
 * reflections. */
typedef struct {
    cudaDataType type;
    int m, n, k;
    const void *a;
    int lda;
    const void *tau;
} Orgqr;

/* Q has at most as many columns as rows, and needs at least as many columns as reflectors. */
static int
orgqr_size(cusolverDnHandle_t handle, const Orgqr *x, int *size)
{
    int status = emu_cusolver_check(handle, x->m, x->n, x->lda, x->type);
    *size = x->n * 32 + 32;
    return status == 0 && (x->n > x->m || x->k < 0 || x->k > x->n) ? CUSOLVER_STATUS_INVALID_VALUE
                                                                   : status;
}

/* `size` counts elements of `work`. */
static int
orgqr(cusolverDnHandle_t handle, const Orgqr *x, void *work, int size, int *info)
{
    int need;
    int status = orgqr_size(handle, x, &need);
    if (status == 0) {
        status = emu_cusolver_typed_space(x->type, work, size, need);
    }
    const Work w = {.arrays = {{x->type, x->a, x->m, x->n, x->lda, EMU_READS_AND_WRITES},
                               {x->type, x->tau, x->k, 1, x->k, EMU_READS},
                               {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
                    .type = x->type,
                    .m = x->m,
                    .n = x->n,
                    .k = x->k,
                    .lda = x->lda,
                    .a = (void *)(uintptr_t)x->a,
                    .tau = x->tau,
                    .work = work,
                    .work_bytes = (size_t)(size > 0 ? size : 0) * emu_type_bytes(x->type),
                    .info = info};
    return status != 0 ? status : enqueue(handle, run_orgqr, &w);
}

/* Complex types have ungqr instead of orgqr. */
#define ORGQR(name, element, type)                                                                 \
    EXPORT int cusolverDn##name##_bufferSize(cusolverDnHandle_t handle, int m, int n, int k,       \
                                             const element *a, int lda, const element *tau,        \
                                             int *size)                                            \
    {                                                                                              \
        const Orgqr x = {type, m, n, k, a, lda, tau};                                              \
        return orgqr_size(handle, &x, size);                                                       \
    }                                                                                              \
    EXPORT int cusolverDn##name(cusolverDnHandle_t handle, int m, int n, int k, element *a,        \
                                int lda, const element *tau, element *work, int size, int *info)   \
    {                                                                                              \
        const Orgqr x = {type, m, n, k, a, lda, tau};                                              \
        return orgqr(handle, &x, work, size, info);                                                \
    }
ORGQR(Sorgqr, float, CUDA_R_32F)
ORGQR(Dorgqr, double, CUDA_R_64F)
ORGQR(Cungqr, cuComplex, CUDA_C_32F)
ORGQR(Zungqr, cuDoubleComplex, CUDA_C_64F)

/* `a` has k reflectors, of the length of the side on which Q stands. */
static void
run_ormqr(void *arguments)
{
    const Work *w = arguments;
    /* LAPACK takes blocks of up to 64 reflectors, and a triangle of that size beside them. */
    int size = emu_lapack_size((int64_t)(w->m > w->n ? w->m : w->n) + 64, 64);
    void *work = emu_math_scratch(size, emu_type_bytes(w->type));
    emu_poison(w->work, w->work_bytes);
    if (work == NULL) {
        return;
    }
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    BY_TYPE(w->type, sormqr, dormqr, cunmqr, zunmqr)
    (&w->side, &w->trans, &w->m, &w->n, &w->k, w->a, &w->lda, w->tau, w->b, &w->ldb, work, &size,
     w->info);
    free(work);
}

/* What a caller passes, whatever the type: C of m rows and n columns, multiplied by a Q of k
 * reflections. */
typedef struct {
    cudaDataType type;
    cublasSideMode_t side;
    cublasOperation_t trans;
    int m, n, k;
    const void *a;
    int lda;
    const void *tau, *c;
    int ldc;
} Ormqr;

/* The sizes of Q follow from the side it stands on. */
static int
ormqr_size(cusolverDnHandle_t handle, const Ormqr *x, int *size)
{
    /* Q is square, of the side of C that it multiplies. */
    int rows = x->side == CUBLAS_SIDE_LEFT ? x->m : x->n, op = x->trans;
    int status = emu_cusolver_check(handle, x->m, x->n, x->ldc, x->type);
    *size = (x->m + x->n + 32) * 8;
    if (status == 0 && (x->k < 0 || x->k > rows || x->lda < (rows > 1 ? rows : 1) ||
                        (op == CUBLAS_OP_C && !is_complex(x->type)) ||
                        (op == CUBLAS_OP_T && is_complex(x->type)) || op < 0 || op > 2)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    return status;
}

/* `size` counts elements of `work`. */
static int
ormqr(cusolverDnHandle_t handle, const Ormqr *x, void *work, int size, int *info)
{
    int need;
    int status = ormqr_size(handle, x, &need);
    if (status == 0) {
        status = emu_cusolver_typed_space(x->type, work, size, need);
    }
    if (status != 0) {
        return status;
    }
    int rows = x->side == CUBLAS_SIDE_LEFT ? x->m : x->n; /* of the reflectors */
    const Work w = {.arrays = {{x->type, x->a, rows, x->k, x->lda, EMU_READS},
                               {x->type, x->tau, x->k, 1, x->k, EMU_READS},
                               {x->type, x->c, x->m, x->n, x->ldc, EMU_READS_AND_WRITES},
                               {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
                    .type = x->type,
                    .m = x->m,
                    .n = x->n,
                    .k = x->k,
                    .lda = x->lda,
                    .ldb = x->ldc,
                    .side = x->side == CUBLAS_SIDE_LEFT ? 'L' : 'R',
                    .trans = "NTC"[x->trans],
                    .a = (void *)(uintptr_t)x->a,
                    .tau = x->tau,
                    .b = (void *)(uintptr_t)x->c,
                    .work = work,
                    .work_bytes = (size_t)size * emu_type_bytes(x->type),
                    .info = info};
    return enqueue(handle, run_ormqr, &w);
}

/* Complex types have unmqr instead of ormqr. */
#define ORMQR(name, element, type)                                                                 \
    EXPORT int cusolverDn##name##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side,     \
                                             cublasOperation_t trans, int m, int n, int k,         \
                                             const element *a, int lda, const element *tau,        \
                                             const element *c, int ldc, int *size)                 \
    {                                                                                              \
        const Ormqr x = {type, side, trans, m, n, k, a, lda, tau, c, ldc};                         \
        return ormqr_size(handle, &x, size);                                                       \
    }                                                                                              \
    EXPORT int cusolverDn##name(cusolverDnHandle_t handle, cublasSideMode_t side,                  \
                                cublasOperation_t trans, int m, int n, int k, const element *a,    \
                                int lda, const element *tau, element *c, int ldc, element *work,   \
                                int size, int *info)                                               \
    {                                                                                              \
        const Ormqr x = {type, side, trans, m, n, k, a, lda, tau, c, ldc};                         \
        return ormqr(handle, &x, work, size, info);                                                \
    }
ORMQR(Sormqr, float, CUDA_R_32F)
ORMQR(Dormqr, double, CUDA_R_64F)
ORMQR(Cunmqr, cuComplex, CUDA_C_32F)
ORMQR(Zunmqr, cuDoubleComplex, CUDA_C_64F)
