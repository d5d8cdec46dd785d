/* The emulated cuSOLVER: eigenvalues and singular values.
 *
 * All methods of one problem are one routine of LAPACK here; what differs is checked: the
 * interface, its working space, and which sizes a method takes. Checks run in the caller's
 * thread, the work in the order of the stream, see cusolver_factor.c. A matrix with NaN gives
 * NaN, as on a GPU, where LAPACK might not end. */
#include "emu/libs/cusolver.h"

#include <stdlib.h>
#include <string.h>

/* The opaque types of cuSOLVER. Tolerances and sweeps are stored but not used: LAPACK's methods
 * converge by their own rule. */
struct syevjInfo {
    double tolerance;
    int sweeps;
};
struct gesvdjInfo {
    double tolerance;
    int sweeps;
};

/* ---- settings -------------------------------------------------------------------------------- */

/* An object without options: gpunp uses the defaults. */
EXPORT int
cusolverDnCreateParams(cusolverDnParams_t *params)
{
    *params = calloc(1, sizeof **params);
    return *params != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

EXPORT int
cusolverDnDestroyParams(cusolverDnParams_t params)
{
    free(params);
    return CUSOLVER_STATUS_SUCCESS;
}

/* The two kinds of settings have the same functions. */
#define SETTINGS(Name, Set, type)                                                                  \
    EXPORT int cusolverDnCreate##Name(type *settings)                                              \
    {                                                                                              \
        *settings = calloc(1, sizeof **settings);                                                  \
        return *settings != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;         \
    }                                                                                              \
    EXPORT int cusolverDnDestroy##Name(type settings)                                              \
    {                                                                                              \
        free(settings);                                                                            \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    EXPORT int cusolverDnX##Set##SetMaxSweeps(type settings, int sweeps)                           \
    {                                                                                              \
        settings->sweeps = sweeps;                                                                 \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    EXPORT int cusolverDnX##Set##SetTolerance(type settings, double tolerance)                     \
    {                                                                                              \
        settings->tolerance = tolerance;                                                           \
        return CUSOLVER_STATUS_SUCCESS;                                                            \
    }
SETTINGS(SyevjInfo, syevj, syevjInfo_t)
SETTINGS(GesvdjInfo, gesvdj, gesvdjInfo_t)

/* ---- common ---------------------------------------------------------------------------------- */

/* The arguments of all methods here; a stack of `count` matrices, one after the other. */
typedef struct {
    cudaDataType type, type_w;
    int64_t count;
    int m, n, lda, ldu, ldv;
    char job, uplo;
    int wants_v; /* V, not its conjugate transpose */
    void *a, *w, *u, *v, *work;
    size_t work_bytes;
    int *info;
    EmuArray arrays[EMU_ARRAYS];
} Work;

/* The arguments are copied. */
static int
enqueue(cusolverDnHandle_t handle, EmuWork work, const Work *w)
{
    return emu_cusolver_enqueue(handle, work, w->arrays, w, sizeof *w);
}

/* Other numbers are refused as the real library refuses them. */
static int
is_mode(cusolverEigMode_t mode)
{
    return mode == CUSOLVER_EIG_MODE_VECTOR || mode == CUSOLVER_EIG_MODE_NOVECTOR;
}

/* Matrix i of a stack, or NULL where there is none. */
static void *
at(void *base, int64_t i, int64_t elements, cudaDataType type)
{
    return base == NULL ? NULL : (char *)base + (size_t)(i * elements) * emu_type_bytes(type);
}

/* Working space of the emulated library, whose only use is that its size is checked. */
static size_t
wanted(int64_t m, int64_t n, cudaDataType type)
{
    return (size_t)(2 * m + 2 * n + 32) * emu_type_bytes(type);
}

/* ---- symmetric ------------------------------------------------------------------------------- */

/* All methods for symmetric matrices: LAPACK's divide and conquer, with eigenvalues in ascending
 * order as cuSOLVER returns them. */
static void
run_syev(void *arguments)
{
    const Work *w = arguments;
    emu_poison(w->work, w->work_bytes);
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    for (int64_t i = 0; i < w->count; i++) {
        w->info[i] =
            emu_syevd(w->type, w->job, w->uplo, w->n, at(w->a, i, (int64_t)w->lda * w->n, w->type),
                      w->lda, at(w->w, i, w->n, real_type(w->type)));
    }
}

/* The checks of all interfaces, and the bytes of working space. */
static int
syev_size(cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n,
          cudaDataType type, int64_t lda, int64_t count, size_t *bytes)
{
    int status = emu_cusolver_check(handle, n, n, lda, type);
    if (status == 0 && (!is_mode(mode) || count < 0 ||
                        (uplo != CUBLAS_FILL_MODE_LOWER && uplo != CUBLAS_FILL_MODE_UPPER))) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *bytes = wanted(n, n, type) * (size_t)(count > 0 ? count : 1);
    return status;
}

/* cuSOLVER's enumerations as LAPACK's letters. */
static Work
syev_work(cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n, cudaDataType type, void *a,
          int64_t lda, void *values, void *work, size_t work_bytes, int *info, int64_t count)
{
    Work w = {.arrays = {{type, a, n, count * n, lda, EMU_READS_AND_WRITES},
                         {real_type(type), values, n, count, n, EMU_WRITES},
                         {CUDA_R_32I, info, count, 1, count, EMU_WRITES}},
              .type = type,
              .count = count,
              .n = (int)n,
              .lda = (int)lda,
              .job = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N',
              .uplo = uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U',
              .a = a,
              .w = values,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return w;
}

/* Types of the values and of the computation are arguments of the 64-bit interface; only the
 * natural ones are supported. */
EXPORT int
cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType type, const void *a, int64_t lda,
                                  cudaDataType type_w, const void *values, cudaDataType compute,
                                  size_t *device, size_t *host, int64_t count)
{
    int status = syev_size(handle, mode, uplo, n, type, lda, count, device);
    if (status == 0 && (params == NULL || a == NULL || values == NULL ||
                        type_w != real_type(type) || compute != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *host = HOST_BYTES;
    return status;
}

/* The 64-bit interface, of which the one for a single matrix is a special case. */
EXPORT int
cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                       cublasFillMode_t uplo, int64_t n, cudaDataType type, void *a, int64_t lda,
                       cudaDataType type_w, void *values, cudaDataType compute, void *work,
                       size_t work_bytes, void *host, size_t host_bytes, int *info, int64_t count)
{
    size_t need, host_need;
    int status =
        cusolverDnXsyevBatched_bufferSize(handle, params, mode, uplo, n, type, a, lda, type_w,
                                          values, compute, &need, &host_need, count);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, host, host_bytes}, need,
                                    host_need);
    }
    Work w = syev_work(mode, uplo, n, type, a, lda, values, work, work_bytes, info, count);
    return status != 0 ? status : enqueue(handle, run_syev, &w);
}

/* As for a stack of one. */
EXPORT int
cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                            cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n,
                            cudaDataType type, const void *a, int64_t lda, cudaDataType type_w,
                            const void *values, cudaDataType compute, size_t *device, size_t *host)
{
    return cusolverDnXsyevBatched_bufferSize(handle, params, mode, uplo, n, type, a, lda, type_w,
                                             values, compute, device, host, 1);
}

/* One matrix of the stack. */
EXPORT int
cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                 cublasFillMode_t uplo, int64_t n, cudaDataType type, void *a, int64_t lda,
                 cudaDataType type_w, void *values, cudaDataType compute, void *work,
                 size_t work_bytes, void *host, size_t host_bytes, int *info)
{
    return cusolverDnXsyevBatched(handle, params, mode, uplo, n, type, a, lda, type_w, values,
                                  compute, work, work_bytes, host, host_bytes, info, 1);
}

/* What a caller of Jacobi's method passes, whatever the type. */
typedef struct {
    cudaDataType type;
    cusolverEigMode_t mode;
    cublasFillMode_t uplo;
    int n, lda, count;
    const void *a, *w;
    syevjInfo_t settings;
} Syevj;

/* Counted in elements of the matrix's type, as in the older interface. */
static int
syevj_size(cusolverDnHandle_t handle, const Syevj *x, int *size)
{
    size_t bytes;
    int status = syev_size(handle, x->mode, x->uplo, x->n, x->type, x->lda, x->count, &bytes);
    /* Set even where an argument is wrong, as in the other functions. */
    *size = (int)(bytes / emu_type_bytes(x->type));
    return x->a == NULL || x->w == NULL || x->settings == NULL ? CUSOLVER_STATUS_INVALID_VALUE
                                                               : status;
}

/* `size` counts elements of `work`. */
static int
syevj(cusolverDnHandle_t handle, const Syevj *x, void *work, int size, int *info)
{
    size_t need, element = emu_type_bytes(x->type);
    int status = syev_size(handle, x->mode, x->uplo, x->n, x->type, x->lda, x->count, &need);
    Work w = syev_work(x->mode, x->uplo, x->n, x->type, (void *)(uintptr_t)x->a, x->lda,
                       (void *)(uintptr_t)x->w, work, (size_t)(size > 0 ? size : 0) * element, info,
                       x->count);
    if (status == 0 && x->settings == NULL) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    if (status == 0) {
        status = emu_cusolver_typed_space(x->type, work, size, (int)(need / element));
    }
    return status != 0 ? status : enqueue(handle, run_syev, &w);
}

/* One matrix, and a batch; complex types have heevj. */
#define SYEVJ(name, element, real, type)                                                           \
    EXPORT int cusolverDn##name##_bufferSize(                                                      \
        cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,           \
        const element *a, int lda, const real *w, int *size, syevjInfo_t settings)                 \
    {                                                                                              \
        const Syevj x = {type, mode, uplo, n, lda, 1, a, w, settings};                             \
        return syevj_size(handle, &x, size);                                                       \
    }                                                                                              \
    EXPORT int cusolverDn##name(cusolverDnHandle_t handle, cusolverEigMode_t mode,                 \
                                cublasFillMode_t uplo, int n, element *a, int lda, real *w,        \
                                element *work, int size, int *info, syevjInfo_t settings)          \
    {                                                                                              \
        const Syevj x = {type, mode, uplo, n, lda, 1, a, w, settings};                             \
        return syevj(handle, &x, work, size, info);                                                \
    }                                                                                              \
    EXPORT int cusolverDn##name##Batched_bufferSize(                                               \
        cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,           \
        const element *a, int lda, const real *w, int *size, syevjInfo_t settings, int count)      \
    {                                                                                              \
        const Syevj x = {type, mode, uplo, n, lda, count, a, w, settings};                         \
        return syevj_size(handle, &x, size);                                                       \
    }                                                                                              \
    EXPORT int cusolverDn##name##Batched(cusolverDnHandle_t handle, cusolverEigMode_t mode,        \
                                         cublasFillMode_t uplo, int n, element *a, int lda,        \
                                         real *w, element *work, int size, int *info,              \
                                         syevjInfo_t settings, int count)                          \
    {                                                                                              \
        const Syevj x = {type, mode, uplo, n, lda, count, a, w, settings};                         \
        return syevj(handle, &x, work, size, info);                                                \
    }
SYEVJ(Ssyevj, float, float, CUDA_R_32F)
SYEVJ(Dsyevj, double, double, CUDA_R_64F)
SYEVJ(Cheevj, cuComplex, float, CUDA_C_32F)
SYEVJ(Zheevj, cuDoubleComplex, double, CUDA_C_64F)

/* ---- general --------------------------------------------------------------------------------- */

/* Real and imaginary parts, side by side, as complex numbers. */
static void
join_parts(cudaDataType real, void *out, const void *re, const void *im, int n)
{
    for (int i = 0; i < n; i++) {
        if (real == CUDA_R_32F) {
            ((cuComplex *)out)[i] = (cuComplex){((const float *)re)[i], ((const float *)im)[i]};
        }
        else {
            ((cuDoubleComplex *)out)[i] =
                (cuDoubleComplex){((const double *)re)[i], ((const double *)im)[i]};
        }
    }
}

/* LAPACK has eigenvalues of real matrices in two arrays, cuSOLVER in a complex one. Eigenvectors
 * of real matrices stay real: a complex pair is stored as real and imaginary part. */
static void
run_geev(void *arguments)
{
    const Work *w = arguments;
    const char no = 'N';
    /* 4 n is the least that LAPACK takes with eigenvectors; there are no left ones, whose
     * leading dimension must be 1 all the same. */
    int n = w->n, size = emu_lapack_size((int64_t)n + 8, 8), one = 1;
    size_t bytes = emu_type_bytes(w->type);
    void *work = emu_math_scratch(size, bytes);
    /* The real and imaginary parts, or for complex types LAPACK's real working space. */
    void *parts = emu_math_scratch(2 * (int64_t)n + 1, 2 * sizeof(double));
    emu_poison(w->work, w->work_bytes);
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    if (work == NULL || parts == NULL) {
        *w->info = n; /* the context has failed */
    }
    else if (emu_has_nan(w->type, w->a, n, n, w->lda, 'A')) {
        emu_fill_nan(w->type_w, w->w, n);
        *w->info = 0;
    }
    else if (is_complex(w->type)) {
        BY_TYPE(w->type, cgeev, zgeev, cgeev, zgeev)
        (&no, &w->job, &n, w->a, &w->lda, w->w, NULL, &one, w->v, &w->ldv, work, &size, parts,
         w->info);
    }
    else {
        char *im = (char *)parts + (size_t)n * bytes;
        BY_TYPE(w->type, sgeev, dgeev, sgeev, dgeev)
        (&no, &w->job, &n, w->a, &w->lda, parts, im, NULL, &one, w->v, &w->ldv, work, &size,
         w->info);
        join_parts(w->type, w->w, parts, im, n);
    }
    free(work);
    free(parts);
}

/* `vl` is not looked at, as left eigenvectors are refused. */
EXPORT int
cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                           cusolverEigMode_t left, cusolverEigMode_t right, int64_t n,
                           cudaDataType type, const void *a, int64_t lda, cudaDataType type_w,
                           const void *values, cudaDataType type_vl, const void *vl, int64_t ldvl,
                           cudaDataType type_vr, const void *vr, int64_t ldvr, cudaDataType compute,
                           size_t *device, size_t *host)
{
    int status = emu_cusolver_check(handle, n, n, lda, type);
    /* Eigenvalues are complex for real matrices, too. */
    cudaDataType complex = real_type(type) == CUDA_R_32F ? CUDA_C_32F : CUDA_C_64F;
    (void)vl;
    if (status == 0 && left == CUSOLVER_EIG_MODE_VECTOR) {
        status = CUSOLVER_STATUS_NOT_SUPPORTED; /* gpunp asks for right eigenvectors alone */
    }
    if (status == 0 &&
        (params == NULL || a == NULL || values == NULL || type_w != complex || type_vl != type ||
         type_vr != type || compute != type || ldvl < 1 || !is_mode(right) ||
         (right == CUSOLVER_EIG_MODE_VECTOR && (vr == NULL || ldvr < (n > 1 ? n : 1))))) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *device = wanted(n, n, type);
    *host = HOST_BYTES;
    return status;
}

/* The real library refuses left eigenvectors, too, in its first versions. */
EXPORT int
cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t left,
                cusolverEigMode_t right, int64_t n, cudaDataType type, void *a, int64_t lda,
                cudaDataType type_w, void *values, cudaDataType type_vl, void *vl, int64_t ldvl,
                cudaDataType type_vr, void *vr, int64_t ldvr, cudaDataType compute, void *work,
                size_t work_bytes, void *host, size_t host_bytes, int *info)
{
    size_t need, host_need;
    int status = cusolverDnXgeev_bufferSize(handle, params, left, right, n, type, a, lda, type_w,
                                            values, type_vl, vl, ldvl, type_vr, vr, ldvr, compute,
                                            &need, &host_need);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, host, host_bytes}, need,
                                    host_need);
    }
    int64_t vectors = right == CUSOLVER_EIG_MODE_VECTOR ? n : 0;
    Work w = {.arrays = {{type, a, n, n, lda, EMU_READS_AND_WRITES},
                         {type_w, values, n, 1, n, EMU_WRITES},
                         {type, vr, vectors, vectors, ldvr, EMU_WRITES},
                         {CUDA_R_32I, info, 1, 1, 1, EMU_WRITES}},
              .type = type,
              .type_w = type_w,
              .n = (int)n,
              .lda = (int)lda,
              .ldv = (int)ldvr,
              .job = right == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N',
              .a = a,
              .w = values,
              .v = vr,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return status != 0 ? status : enqueue(handle, run_geev, &w);
}

/* ---- singular values ------------------------------------------------------------------------- */

/* LAPACK gives V^H, Jacobi's and the polar method V, for which it is transposed into place. */
static void
one_svd(const Work *w, int64_t i)
{
    /* Full factors are square, thin ones as long as the shorter side. */
    int64_t least = w->m < w->n ? w->m : w->n, columns = w->job == 'A' ? w->m : least;
    int64_t rows = w->job == 'A' ? w->n : least;
    void *a = at(w->a, i, (int64_t)w->lda * w->n, w->type);
    void *s = at(w->w, i, least, real_type(w->type));
    void *u = at(w->u, i, (int64_t)w->ldu * columns, w->type);
    if (w->job == 'N' || !w->wants_v) {
        void *vt = at(w->v, i, (int64_t)w->ldv * w->n, w->type);
        w->info[i] = emu_gesvd(w->type, w->job, w->m, w->n, a, w->lda, s, u, w->ldu, vt, w->ldv);
        return;
    }
    /* LAPACK's V^H needs memory of its own, as it cannot be transposed in place. */
    int ldvt = (int)(rows > 1 ? rows : 1);
    void *v = at(w->v, i, (int64_t)w->ldv * rows, w->type);
    void *vt = emu_math_scratch(ldvt * (int64_t)w->n, emu_type_bytes(w->type));
    if (vt == NULL) {
        w->info[i] = (int)least;
        return;
    }
    w->info[i] = emu_gesvd(w->type, w->job, w->m, w->n, a, w->lda, s, u, w->ldu, vt, ldvt);
    emu_conj_transpose(w->type, v, w->ldv, vt, ldvt, rows, w->n);
    free(vt);
}

/* The accesses of the whole stack are told to the checks at once. */
static void
run_svd(void *arguments)
{
    const Work *w = arguments;
    emu_poison(w->work, w->work_bytes);
    emu_touch_arrays(w->arrays, EMU_ARRAYS);
    for (int64_t i = 0; i < w->count; i++) {
        one_svd(w, i);
    }
}

/* Queues a decomposition. Vectors are only written where they are wanted: full factors are square,
 * thin ones as long as the shorter side. */
static int
enqueue_svd(cusolverDnHandle_t handle, Work *w)
{
    int64_t least = w->m < w->n ? w->m : w->n, count = w->job == 'N' ? 0 : w->count;
    int64_t rows = w->job == 'A' ? w->n : least; /* of V^H */
    const EmuArray arrays[EMU_ARRAYS] = {
        {w->type, w->a, w->m, w->count * w->n, w->lda, EMU_READS_AND_WRITES},
        {real_type(w->type), w->w, least, w->count, least, EMU_WRITES},
        {CUDA_R_32I, w->info, w->count, 1, w->count, EMU_WRITES},
        {w->type, w->u, w->m, count * (w->job == 'A' ? w->m : least), w->ldu, EMU_WRITES},
        {w->type, w->v, w->wants_v ? w->n : rows, count * (w->wants_v ? rows : w->n), w->ldv,
         EMU_WRITES},
    };
    memcpy(w->arrays, arrays, sizeof arrays);
    return enqueue(handle, run_svd, w);
}

/* m >= n is a condition of the real library's gesvd. */
EXPORT int
cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                            signed char jobvt, int64_t m, int64_t n, cudaDataType type,
                            const void *a, int64_t lda, cudaDataType type_s, const void *s,
                            cudaDataType type_u, const void *u, int64_t ldu, cudaDataType type_vt,
                            const void *vt, int64_t ldvt, cudaDataType compute, size_t *device,
                            size_t *host)
{
    int status = emu_cusolver_check(handle, m, n, lda, type);
    if (status == 0 && (params == NULL || a == NULL || s == NULL || m < n || jobu != jobvt ||
                        strchr("NSA", jobu) == NULL || type_s != real_type(type) ||
                        type_u != type || type_vt != type || compute != type ||
                        (jobu != 'N' && (u == NULL || vt == NULL || ldu < (m > 1 ? m : 1) ||
                                         ldvt < (n > 1 ? n : 1))))) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *device = wanted(m, n, type);
    *host = 0;
    return status;
}

/* One matrix; V comes as its conjugate transpose, as LAPACK has it. */
EXPORT int
cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                 signed char jobvt, int64_t m, int64_t n, cudaDataType type, void *a, int64_t lda,
                 cudaDataType type_s, void *s, cudaDataType type_u, void *u, int64_t ldu,
                 cudaDataType type_vt, void *vt, int64_t ldvt, cudaDataType compute, void *work,
                 size_t work_bytes, void *host, size_t host_bytes, int *info)
{
    size_t need, host_need;
    int status =
        cusolverDnXgesvd_bufferSize(handle, params, jobu, jobvt, m, n, type, a, lda, type_s, s,
                                    type_u, u, ldu, type_vt, vt, ldvt, compute, &need, &host_need);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, host, host_bytes}, need,
                                    host_need);
    }
    Work w = {.type = type,
              .count = 1,
              .m = (int)m,
              .n = (int)n,
              .lda = (int)lda,
              .ldu = (int)ldu,
              .ldv = (int)ldvt,
              .job = (char)jobu,
              .a = a,
              .w = s,
              .u = u,
              .v = vt,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return status != 0 ? status : enqueue_svd(handle, &w);
}

/* The methods that give V: polar, and Jacobi's. */
static int
check_svd(cusolverDnHandle_t handle, const Work *w, cusolverEigMode_t mode, int econ)
{
    int status = emu_cusolver_check(handle, w->m, w->n, w->lda, w->type);
    if (status == 0 && (!is_mode(mode) || econ < 0 || econ > 1 || w->count < 0 ||
                        w->ldu < (w->m > 1 ? w->m : 1) || w->ldv < (w->n > 1 ? w->n : 1))) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    return status;
}

/* LAPACK's letter: no vectors, thin factors or full ones. */
static char
svd_job(cusolverEigMode_t mode, int econ)
{
    return mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : econ ? 'S' : 'A';
}

/* The polar method: any shape, but pointers for the vectors even where none are wanted. */
EXPORT int
cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                             cusolverEigMode_t mode, int econ, int64_t m, int64_t n,
                             cudaDataType type, const void *a, int64_t lda, cudaDataType type_s,
                             const void *s, cudaDataType type_u, const void *u, int64_t ldu,
                             cudaDataType type_v, const void *v, int64_t ldv, cudaDataType compute,
                             size_t *device, size_t *host)
{
    Work w = {.type = type, .m = (int)m, .n = (int)n, .lda = (int)lda, .ldu = (int)ldu};
    w.ldv = (int)ldv;
    int status = check_svd(handle, &w, mode, econ);
    if (status == 0 &&
        (params == NULL || a == NULL || s == NULL || u == NULL || v == NULL ||
         type_s != real_type(type) || type_u != type || type_v != type || compute != type)) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    *device = wanted(m, n, type);
    *host = HOST_BYTES;
    return status;
}

/* `distance` is host memory; it is not set here, as the result is exact. */
EXPORT int
cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t mode,
                  int econ, int64_t m, int64_t n, cudaDataType type, void *a, int64_t lda,
                  cudaDataType type_s, void *s, cudaDataType type_u, void *u, int64_t ldu,
                  cudaDataType type_v, void *v, int64_t ldv, cudaDataType compute, void *work,
                  size_t work_bytes, void *host, size_t host_bytes, int *info, double *distance)
{
    size_t need, host_need;
    int status =
        cusolverDnXgesvdp_bufferSize(handle, params, mode, econ, m, n, type, a, lda, type_s, s,
                                     type_u, u, ldu, type_v, v, ldv, compute, &need, &host_need);
    if (status == 0) {
        status = emu_cusolver_space(&(const EmuSpace){work, work_bytes, host, host_bytes}, need,
                                    host_need);
    }
    if (status == 0 && distance == NULL) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    Work w = {.type = type,
              .count = 1,
              .m = (int)m,
              .n = (int)n,
              .lda = (int)lda,
              .ldu = (int)ldu,
              .ldv = (int)ldv,
              .job = svd_job(mode, econ),
              .wants_v = 1,
              .a = a,
              .w = s,
              .u = u,
              .v = v,
              .work = work,
              .work_bytes = work_bytes,
              .info = info};
    return status != 0 ? status : enqueue_svd(handle, &w);
}

/* What a caller of Jacobi's method passes, whatever the type. */
typedef struct {
    cudaDataType type;
    cusolverEigMode_t mode;
    int econ, m, n;
    const void *a;
    int lda;
    const void *s, *u;
    int ldu;
    const void *v;
    int ldv;
    gesvdjInfo_t settings;
    int count, is_batched; /* is_batched: by the function that takes small matrices alone */
} Gesvdj;

/* The real library's batched method takes up to 32 rows and columns. */
enum { BATCHED_LIMIT = 32 };

/* The function for stacks refuses what the real one cannot do, so that the emulation does not
 * hide a wrong choice. */
static int
is_too_large(const Gesvdj *x)
{
    return x->is_batched && (x->m > BATCHED_LIMIT || x->n > BATCHED_LIMIT);
}

/* The same rule as for other methods, times the number of matrices. */
static int
gesvdj_needs(const Gesvdj *x)
{
    return (2 * x->m + 2 * x->n + 32) * (x->count > 0 ? x->count : 1);
}

/* The arguments that the work in the stream needs; sizes and settings are checked before. */
static Work
gesvdj_work(const Gesvdj *x, void *work, int size, int *info)
{
    return (Work){.type = x->type,
                  .count = x->count,
                  .m = x->m,
                  .n = x->n,
                  .lda = x->lda,
                  .ldu = x->ldu,
                  .ldv = x->ldv,
                  .job = svd_job(x->mode, x->econ),
                  .wants_v = 1,
                  .a = (void *)(uintptr_t)x->a,
                  .w = (void *)(uintptr_t)x->s,
                  .u = (void *)(uintptr_t)x->u,
                  .v = (void *)(uintptr_t)x->v,
                  .work = work,
                  .work_bytes = (size_t)(size > 0 ? size : 0) * emu_type_bytes(x->type),
                  .info = info};
}

/* A batch of larger matrices is refused here already. */
static int
gesvdj_size(cusolverDnHandle_t handle, const Gesvdj *x, int *size)
{
    Work w = gesvdj_work(x, NULL, 0, NULL);
    w.count = 0; /* not checked here */
    *size = gesvdj_needs(x);
    return x->a == NULL || x->s == NULL || x->u == NULL || x->v == NULL || x->settings == NULL ||
                   is_too_large(x)
               ? CUSOLVER_STATUS_INVALID_VALUE
               : check_svd(handle, &w, x->mode, x->econ);
}

/* `size` counts elements of `work`. */
static int
gesvdj(cusolverDnHandle_t handle, const Gesvdj *x, void *work, int size, int *info)
{
    Work w = gesvdj_work(x, work, size, info);
    if (is_too_large(x)) {
        return CUSOLVER_STATUS_INVALID_VALUE;
    }
    int status = check_svd(handle, &w, x->mode, x->econ);
    if (status == 0 && x->settings == NULL) {
        status = CUSOLVER_STATUS_INVALID_VALUE;
    }
    if (status == 0) {
        status = emu_cusolver_typed_space(x->type, work, size, gesvdj_needs(x));
    }
    return status != 0 ? status : enqueue_svd(handle, &w);
}

#define GESVDJ(name, element, real, type)                                                          \
    EXPORT int cusolverDn##name##_bufferSize(                                                      \
        cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ, int m, int n,                 \
        const element *a, int lda, const real *s, const element *u, int ldu, const element *v,     \
        int ldv, int *size, gesvdjInfo_t set)                                                      \
    {                                                                                              \
        const Gesvdj x = {type, mode, econ, m, n, a, lda, s, u, ldu, v, ldv, set, 1, 0};           \
        return gesvdj_size(handle, &x, size);                                                      \
    }                                                                                              \
    EXPORT int cusolverDn##name(cusolverDnHandle_t handle, cusolverEigMode_t mode, int econ,       \
                                int m, int n, element *a, int lda, real *s, element *u, int ldu,   \
                                element *v, int ldv, element *work, int size, int *info,           \
                                gesvdjInfo_t set)                                                  \
    {                                                                                              \
        const Gesvdj x = {type, mode, econ, m, n, a, lda, s, u, ldu, v, ldv, set, 1, 0};           \
        return gesvdj(handle, &x, work, size, info);                                               \
    }                                                                                              \
    EXPORT int cusolverDn##name##Batched_bufferSize(                                               \
        cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, const element *a,         \
        int lda, const real *s, const element *u, int ldu, const element *v, int ldv, int *size,   \
        gesvdjInfo_t set, int count)                                                               \
    {                                                                                              \
        const Gesvdj x = {type, mode, 0, m, n, a, lda, s, u, ldu, v, ldv, set, count, 1};          \
        return gesvdj_size(handle, &x, size);                                                      \
    }                                                                                              \
    EXPORT int cusolverDn##name##Batched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, \
                                         int n, element *a, int lda, real *s, element *u, int ldu, \
                                         element *v, int ldv, element *work, int size, int *info,  \
                                         gesvdjInfo_t set, int count)                              \
    {                                                                                              \
        const Gesvdj x = {type, mode, 0, m, n, a, lda, s, u, ldu, v, ldv, set, count, 1};          \
        return gesvdj(handle, &x, work, size, info);                                               \
    }
GESVDJ(Sgesvdj, float, float, CUDA_R_32F)
GESVDJ(Dgesvdj, double, double, CUDA_R_64F)
GESVDJ(Cgesvdj, cuComplex, float, CUDA_C_32F)
GESVDJ(Zgesvdj, cuDoubleComplex, double, CUDA_C_64F)
