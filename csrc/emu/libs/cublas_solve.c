/* The emulated cuBLAS: batched LU and QR, triangles. A function checks its arguments in the
 * caller's thread, copies them and enqueues the work, which runs in the order of the stream, as
 * kernels do. The arrays of addresses are device memory, so they are read when the work runs and
 * not before. */
#include "emu/libs/numbers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of all functions here; each uses some of them. `one_a` and `one_b` are the
 * matrices of functions without a batch. */
typedef struct {
    cudaDataType type;
    int m, n, lda, ldb, count, is_batch;
    char trans, side, uplo, diag;
    Factor alpha;
    void **a, **b, *one_a, *one_b;
    int *pivots, *info;
} Work;

/* The arguments are copied: the caller's may be gone when the stream runs the work. */
static int
enqueue(cublasHandle_t handle, EmuWork work, int is_inside, const Work *w)
{
    if (!is_inside) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return emu_cublas_enqueue(handle, work, w, sizeof *w);
}

/* LAPACK requires a leading dimension of at least max(1, rows). */
static int
too_small(int64_t ld, int64_t rows)
{
    return ld < (rows > 1 ? rows : 1);
}

/* The checks learn of the list of addresses, and of the matrices in it; -1 where one is absent. */
static int
touch_each(const Work *w, void *const *matrices, int64_t rows, int64_t columns, int64_t ld,
           EmuAccess access)
{
    const EmuArray alike = {w->type, NULL, rows, columns, ld, access};
    return emu_touch_list(&alike, matrices, w->count);
}

/* As many pivots as rows, and a status, for each matrix. Without pivots no rows are exchanged. */
static EmuArray
pivots_of(const Work *w, int64_t n, EmuAccess access)
{
    return (EmuArray){CUDA_R_32I, w->pivots, w->pivots != NULL ? n : 0, w->count, n, access};
}

/* Those of one matrix, or the idle ones. */
static const int *
pivots_at(const Work *w, const int *idle, int n, int i)
{
    return w->pivots != NULL ? w->pivots + (int64_t)i * n : idle;
}

static EmuArray
info_of(const Work *w)
{
    return (EmuArray){CUDA_R_32I, w->info, w->count, 1, w->count, EMU_WRITES};
}

/* ---- LU -------------------------------------------------------------------------------------- */

/* Pivots of LAPACK count from 1 and have 32 bits, as those of cuBLAS. */
static void
run_getrf(void *arguments)
{
    const Work *w = arguments;
    const EmuArray arrays[] = {pivots_of(w, w->n, EMU_WRITES), info_of(w)};
    emu_touch_arrays(arrays, 2);
    if (touch_each(w, w->a, w->n, w->n, w->lda, EMU_READS_AND_WRITES) < 0) {
        return;
    }
    for (int i = 0; i < w->count; i++) {
        if (w->pivots == NULL) {
            emu_lu_without_pivots(w->type, w->n, w->n, w->a[i], w->lda, &w->info[i]);
            continue;
        }
        BY_TYPE(w->type, sgetrf, dgetrf, cgetrf, zgetrf)
        (&w->n, &w->n, w->a[i], &w->lda, w->pivots + (int64_t)i * w->n, &w->info[i]);
    }
}

static int
getrf_batched(cublasHandle_t handle, int n, void *a, int lda, int *pivots, int *info, int count,
              cudaDataType type)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (n < 0 || count < 0 || too_small(lda, n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    Work w = {.type = type, .n = n, .lda = lda, .count = count, .a = a, .pivots = pivots};
    w.info = info;
    int is_inside = EMU_ARE_INSIDE(EMU_LIST(a, count), pivots_of(&w, n, EMU_WRITES), info_of(&w));
    return enqueue(handle, run_getrf, is_inside, &w);
}

/* LAPACK inverts in place and cuBLAS out of place, so the factors are copied first. The size is
 * LAPACK's recommended n times a block of 32. */
static void
run_getri(void *arguments)
{
    const Work *w = arguments;
    size_t bytes = emu_type_bytes(w->type);
    int size = emu_lapack_size(w->n, 32);
    void *work = emu_math_scratch(size, bytes);
    int *idle = emu_idle_pivots(w->n);
    const EmuArray arrays[] = {pivots_of(w, w->n, EMU_READS), info_of(w)};
    emu_touch_arrays(arrays, 2);
    int is_there = touch_each(w, w->a, w->n, w->n, w->lda, EMU_READS) == 0 &&
                   touch_each(w, w->b, w->n, w->n, w->ldb, EMU_WRITES) == 0;
    for (int i = 0; work != NULL && idle != NULL && is_there && i < w->count; i++) {
        for (int column = 0; column < w->n; column++) {
            memcpy((char *)w->b[i] + (size_t)column * (size_t)w->ldb * bytes,
                   (char *)w->a[i] + (size_t)column * (size_t)w->lda * bytes, (size_t)w->n * bytes);
        }
        BY_TYPE(w->type, sgetri, dgetri, cgetri, zgetri)
        (&w->n, w->b[i], &w->ldb, pivots_at(w, idle, w->n, i), work, &size, &w->info[i]);
    }
    free(idle);
    free(work);
}

/* The matrices may not be the same memory, which is not checked here: gpunp's are new. */
static int
getri_batched(cublasHandle_t handle, int n, void *a, int lda, const int *pivots, void *c, int ldc,
              int *info, int count, cudaDataType type)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (n < 0 || count < 0 || too_small(lda, n) || too_small(ldc, n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    Work w = {.type = type,
              .n = n,
              .lda = lda,
              .ldb = ldc,
              .count = count,
              .a = a,
              .b = c,
              .pivots = (int *)(uintptr_t)pivots,
              .info = info};
    int is_inside = EMU_ARE_INSIDE(EMU_LIST(a, count), EMU_LIST(c, count),
                                   pivots_of(&w, n, EMU_READS), info_of(&w));
    return enqueue(handle, run_getri, is_inside, &w);
}

/* Solutions from factors, in place. */
static void
run_getrs(void *arguments)
{
    const Work *w = arguments;
    int info, *idle = emu_idle_pivots(w->m);
    const EmuArray pivots = pivots_of(w, w->m, EMU_READS);
    emu_touch_arrays(&pivots, 1);
    int is_there = touch_each(w, w->a, w->m, w->m, w->lda, EMU_READS) == 0 &&
                   touch_each(w, w->b, w->m, w->n, w->ldb, EMU_READS_AND_WRITES) == 0;
    for (int i = 0; idle != NULL && is_there && i < w->count; i++) {
        BY_TYPE(w->type, sgetrs, dgetrs, cgetrs, zgetrs)
        (&w->trans, &w->m, &w->n, w->a[i], &w->lda, pivots_at(w, idle, w->m, i), w->b[i], &w->ldb,
         &info);
    }
    free(idle);
}

/* `info`, which the host reads, reports wrong arguments only. */
static int
getrs_batched(cublasHandle_t handle, cublasOperation_t trans, int *info, Work *w)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (info == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *info = 0;
    if (trans < 0 || trans > 2 || w->m < 0 || w->n < 0 || w->count < 0 || too_small(w->lda, w->m) ||
        too_small(w->ldb, w->m)) {
        *info = -1;
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    w->trans = "NTC"[trans];
    int is_inside = EMU_ARE_INSIDE(EMU_LIST(w->a, w->count), EMU_LIST(w->b, w->count),
                                   pivots_of(w, w->m, EMU_READS));
    return enqueue(handle, run_getrs, is_inside, w);
}

/* ---- QR -------------------------------------------------------------------------------------- */

/* `info` of this function is a host variable that is set before the work runs. */
static void
run_geqrf(void *arguments)
{
    const Work *w = arguments;
    int size = emu_lapack_size(w->n, 32), info;
    void *work = emu_math_scratch(size, emu_type_bytes(w->type));
    int least = w->m < w->n ? w->m : w->n;
    int is_there = touch_each(w, w->a, w->m, w->n, w->lda, EMU_READS_AND_WRITES) == 0 &&
                   touch_each(w, w->b, least, 1, least, EMU_WRITES) == 0;
    for (int i = 0; work != NULL && is_there && i < w->count; i++) {
        BY_TYPE(w->type, sgeqrf, dgeqrf, cgeqrf, zgeqrf)
        (&w->m, &w->n, w->a[i], &w->lda, w->b[i], work, &size, &info);
    }
    free(work);
}

/* info reports wrong arguments only, as in cuBLAS. */
static int
geqrf_batched(cublasHandle_t handle, int m, int n, void *a, int lda, void *tau, int *info,
              int count, cudaDataType type)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (info == NULL) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *info = 0;
    if (m < 0 || n < 0 || count < 0 || too_small(lda, m)) {
        *info = -1;
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    Work w = {.type = type, .m = m, .n = n, .lda = lda, .count = count, .a = a, .b = tau};
    int is_inside = EMU_ARE_INSIDE(EMU_LIST(a, count), EMU_LIST(tau, count));
    return enqueue(handle, run_geqrf, is_inside, &w);
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* A batch of addresses, or one matrix; emu_touch ignores NULL. */
static void
run_trsm(void *arguments)
{
    Work *w = arguments;
    int size = w->side == 'L' ? w->m : w->n;
    cuDoubleComplex alpha; /* or fewer of its bytes */
    emu_put(w->type, &alpha, 0, emu_factor_value(&w->alpha));
    int is_there =
        !w->is_batch || (touch_each(w, w->a, size, size, w->lda, EMU_READS) == 0 &&
                         touch_each(w, w->b, w->m, w->n, w->ldb, EMU_READS_AND_WRITES) == 0);
    emu_touch(w->type, w->one_a, size, size, w->lda, EMU_READS);
    emu_touch(w->type, w->one_b, w->m, w->n, w->ldb, EMU_READS_AND_WRITES);
    for (int i = 0; is_there && i < w->count; i++) {
        BY_TYPE(w->type, strsm, dtrsm, ctrsm, ztrsm)
        (&w->side, &w->uplo, &w->trans, &w->diag, &w->m, &w->n, &alpha,
         w->is_batch ? w->a[i] : w->one_a, &w->lda, w->is_batch ? w->b[i] : w->one_b, &w->ldb);
    }
}

/* cuBLAS's enumerations become LAPACK's letters. */
static int
trsm(cublasHandle_t handle, int side, int uplo, int trans, int diag, int64_t m, int64_t n,
     const void *alpha, int64_t lda, int64_t ldb, Work *w)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if ((side & ~1) != 0 || (uplo & ~1) != 0 || (diag & ~1) != 0 || trans < 0 || trans > 2 ||
        m < 0 || n < 0 || m > INT_MAX || n > INT_MAX || w->count < 0 || lda > INT_MAX ||
        ldb > INT_MAX || too_small(lda, side == CUBLAS_SIDE_LEFT ? m : n) || too_small(ldb, m)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    w->alpha = emu_factor(handle, w->type, alpha);
    w->m = (int)m;
    w->n = (int)n;
    w->lda = (int)lda;
    w->ldb = (int)ldb;
    w->side = side == CUBLAS_SIDE_LEFT ? 'L' : 'R';
    w->uplo = uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
    w->trans = "NTC"[trans];
    w->diag = diag == CUBLAS_DIAG_UNIT ? 'U' : 'N';
    int size = side == CUBLAS_SIDE_LEFT ? w->m : w->n;
    int is_inside =
        w->is_batch ? EMU_ARE_INSIDE(EMU_LIST(w->a, w->count), EMU_LIST(w->b, w->count))
                    : EMU_ARE_INSIDE({w->type, w->one_a, size, size, lda, EMU_READS},
                                     {w->type, w->one_b, w->m, w->n, ldb, EMU_READS_AND_WRITES});
    return enqueue(handle, run_trsm, is_inside && !w->alpha.is_misplaced, w);
}

/* ---- what is exported, by type --------------------------------------------------------------- */

/* The exported names: four types of each function. */
#define SOLVE(L, element, data_type)                                                               \
    EXPORT int cublas##L##getrfBatched(cublasHandle_t handle, int n, element *const *a, int lda,   \
                                       int *pivots, int *info, int count)                          \
    {                                                                                              \
        return getrf_batched(handle, n, (void *)(uintptr_t)a, lda, pivots, info, count,            \
                             data_type);                                                           \
    }                                                                                              \
    EXPORT int cublas##L##getriBatched(cublasHandle_t handle, int n, const element *const *a,      \
                                       int lda, const int *pivots, element *const *c, int ldc,     \
                                       int *info, int count)                                       \
    {                                                                                              \
        return getri_batched(handle, n, (void *)(uintptr_t)a, lda, pivots, (void *)(uintptr_t)c,   \
                             ldc, info, count, data_type);                                         \
    }                                                                                              \
    EXPORT int cublas##L##geqrfBatched(cublasHandle_t handle, int m, int n, element *const *a,     \
                                       int lda, element *const *tau, int *info, int count)         \
    {                                                                                              \
        return geqrf_batched(handle, m, n, (void *)(uintptr_t)a, lda, (void *)(uintptr_t)tau,      \
                             info, count, data_type);                                              \
    }                                                                                              \
    EXPORT int cublas##L##trsm_v2_64(                                                              \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,                      \
        const element *alpha, const element *a, int64_t lda, element *b, int64_t ldb)              \
    {                                                                                              \
        Work w = {.type = data_type, .count = 1, .one_a = (void *)(uintptr_t)a, .one_b = b};       \
        return trsm(handle, side, uplo, trans, diag, m, n, alpha, lda, ldb, &w);                   \
    }                                                                                              \
    EXPORT int cublas##L##trsmBatched(                                                             \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                       \
        cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const element *alpha,        \
        const element *const *a, int lda, element *const *b, int ldb, int count)                   \
    {                                                                                              \
        Work w = {.type = data_type, .count = count, .is_batch = 1};                               \
        w.a = (void **)(uintptr_t)a;                                                               \
        w.b = (void **)(uintptr_t)b;                                                               \
        return trsm(handle, side, uplo, trans, diag, m, n, alpha, lda, ldb, &w);                   \
    }

/* Those that programs alone call. */
#define SOLVE_MORE(L, data_type)                                                                   \
    API(cublas##L##trsm_v2, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,   \
        cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const void *alpha,           \
        const void *a, int lda, void *b, int ldb)                                                  \
    {                                                                                              \
        Work w = {.type = data_type, .count = 1, .one_a = (void *)(uintptr_t)a, .one_b = b};       \
        return trsm(handle, side, uplo, trans, diag, m, n, alpha, lda, ldb, &w);                   \
    }                                                                                              \
    API(cublas##L##getrsBatched, cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,  \
        const void *a, int lda, const int *pivots, void *b, int ldb, int *info, int count)         \
    {                                                                                              \
        Work w = {.type = data_type, .m = n, .n = nrhs, .lda = lda, .ldb = ldb, .count = count};   \
        w.a = (void **)(uintptr_t)a;                                                               \
        w.b = b;                                                                                   \
        w.pivots = (int *)(uintptr_t)pivots;                                                       \
        return getrs_batched(handle, trans, info, &w);                                             \
    }

SOLVE(S, float, CUDA_R_32F)
SOLVE(D, double, CUDA_R_64F)
SOLVE(C, cuComplex, CUDA_C_32F)
SOLVE(Z, cuDoubleComplex, CUDA_C_64F)
FOR_TYPES(SOLVE_MORE)
