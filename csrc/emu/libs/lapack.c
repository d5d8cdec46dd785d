/* LAPACK by type: what several emulated libraries share.
 *
 * These run in the order of a stream, in the thread that runs it, and get device addresses, which
 * are the host's on the emulated device.
 */
#include "emu/libs/lapack.h"

#include <complex.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the types that gpunp passes; all others have 8 bytes. */
size_t
emu_type_bytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_C_64F:
        return 16;
    default:
        return 8;
    }
}

/* LAPACK returns the size as a number of the matrix's type. */
int
emu_queried(cudaDataType type, const void *first)
{
    return real_type(type) == CUDA_R_32F ? (int)*(const float *)first : (int)*(const double *)first;
}

/* Part k of a matrix of real numbers, complex ones being two. */
static double
part(cudaDataType type, const void *a, int64_t k)
{
    return real_type(type) == CUDA_R_32F ? (double)((const float *)a)[k] : ((const double *)a)[k];
}

/* LAPACK's iterations may not end with NaN; the real library returns NaN. */
int
emu_has_nan(cudaDataType type, const void *a, int64_t m, int64_t n, int64_t lda, char uplo)
{
    int parts = is_complex(type) ? 2 : 1;
    for (int64_t j = 0; j < n; j++) {
        /* Only the triangle that the routine reads: the other one may hold anything. */
        int64_t first = uplo == 'L' ? j : 0, last = uplo == 'U' ? j + 1 : m;
        for (int64_t i = first * parts; i < last * parts; i++) {
            if (isnan(part(type, a, j * lda * parts + i))) {
                return 1;
            }
        }
    }
    return 0;
}

/* Column by column where there are gaps, so that these are not reported as accessed. */
void
emu_touch(cudaDataType type, const void *a, int64_t rows, int64_t columns, int64_t ld,
          EmuAccess access)
{
    size_t bytes = emu_type_bytes(type);
    if (a == NULL || rows <= 0 || columns <= 0) {
        return;
    }
    if (ld == rows) { /* one piece */
        rows *= columns;
        columns = 1;
    }
    for (int64_t j = 0; j < columns; j++) {
        const char *at = (const char *)a + (size_t)(j * ld) * bytes;
        if (access != EMU_WRITES) {
            emu_math.cuEmuDeviceAccess(at, (size_t)rows * bytes, 0, "linear algebra");
        }
        if (access != EMU_READS) {
            emu_math.cuEmuDeviceAccess(at, (size_t)rows * bytes, 1, "linear algebra");
        }
    }
}

void
emu_touch_arrays(const EmuArray *arrays, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const EmuArray *x = &arrays[i];
        emu_touch(x->type, x->a, x->rows, x->columns, x->ld, x->access);
    }
}

int
emu_touch_list(const EmuArray *alike, void *const *matrices, int64_t count)
{
    const EmuArray list = EMU_LIST(matrices, count);
    emu_touch_arrays(&list, 1);
    for (int64_t i = 0; i < count; i++) {
        EmuArray one = *alike;
        one.a = matrices[i];
        if (one.a == NULL && one.rows > 0 && one.columns > 0) {
            emu_math.cuEmuWorkFailed("linear algebra: a list of matrices has an address of 0");
            return -1;
        }
        emu_touch_arrays(&one, 1);
    }
    return 0;
}

/* From the first element to the end of the last one: gaps between columns may end the memory. */
int
emu_are_inside(const EmuArray *arrays, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const EmuArray *x = &arrays[i];
        int64_t last = 0;
        size_t bytes = 0;
        if (x->rows <= 0 || x->columns <= 0) {
            continue;
        }
        if (__builtin_mul_overflow(x->columns - 1, x->ld, &last) ||
            __builtin_add_overflow(last, x->rows, &last) ||
            __builtin_mul_overflow((size_t)last, emu_type_bytes(x->type), &bytes) ||
            !emu_math_is_inside(x->a, bytes)) {
            return 0;
        }
    }
    return 1;
}

/* What the real library leaves for a matrix with NaN. */
void
emu_fill_nan(cudaDataType type, void *a, int64_t n)
{
    int parts = is_complex(type) ? 2 : 1;
    for (int64_t i = 0; i < n * parts; i++) {
        if (real_type(type) == CUDA_R_32F) {
            ((float *)a)[i] = NAN;
        }
        else {
            ((double *)a)[i] = (double)NAN;
        }
    }
}

/* out = conj(in)^T, both column-major. */
void
emu_conj_transpose(cudaDataType type, void *out, int64_t ldo, const void *in, int64_t ldi,
                   int64_t m, int64_t n)
{
    size_t bytes = emu_type_bytes(type);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            char *to = (char *)out + (size_t)(j + i * ldo) * bytes;
            memcpy(to, (const char *)in + (size_t)(i + j * ldi) * bytes, bytes);
            if (type == CUDA_C_32F) {
                ((float *)(void *)to)[1] = -((float *)(void *)to)[1];
            }
            else if (type == CUDA_C_64F) {
                ((double *)(void *)to)[1] = -((double *)(void *)to)[1];
            }
        }
    }
}

/* What a program must not rely on: the contents of a workspace after the call. */
void
emu_poison(void *work, size_t bytes)
{
    if (work != NULL) {
        memset(work, 0xAB, bytes);
    }
}

int
emu_lapack_size(int64_t columns, int block)
{
    const int64_t enough = 1 << 24, wanted = (columns + 1) * block;
    int64_t size = wanted < enough ? wanted : columns + 1 > enough ? columns + 1 : enough;
    return size < INT_MAX ? (int)size : INT_MAX;
}

/* ---- eigenvalues of symmetric matrices ------------------------------------------------------- */

/* Two calls: a query for the sizes of the three workspaces, then the computation. */
int
emu_syevd(cudaDataType type, char job, char uplo, int n, void *a, int lda, void *w)
{
    /* LAPACK's way to ask for the size of its workspace. */
    int info = 0, query = -1, iwork_size = 0, one = 1;
    double first[2], rfirst[2];
    size_t bytes = emu_type_bytes(type);
    if (emu_has_nan(type, a, n, n, lda, uplo)) {
        emu_fill_nan(real_type(type), w, n);
        return 0;
    }
    if (is_complex(type)) {
        BY_TYPE(type, cheevd, zheevd, cheevd, zheevd)
        (&job, &uplo, &n, a, &lda, w, first, &query, rfirst, &query, &iwork_size, &query, &info);
    }
    else {
        BY_TYPE(type, ssyevd, dsyevd, ssyevd, dsyevd)
        (&job, &uplo, &n, a, &lda, w, first, &query, &iwork_size, &query, &info);
    }
    int size = emu_queried(type, first);
    int rsize = is_complex(type) ? emu_queried(type, rfirst) : 0;
    void *work = emu_math_scratch(size > 0 ? size : one, bytes);
    void *rwork = emu_math_scratch(rsize > 0 ? rsize : one, sizeof(double));
    int *iwork = emu_math_scratch(iwork_size > 0 ? iwork_size : one, sizeof(int));
    if (work == NULL || rwork == NULL || iwork == NULL) {
        info = n;
    }
    else if (is_complex(type)) {
        BY_TYPE(type, cheevd, zheevd, cheevd, zheevd)
        (&job, &uplo, &n, a, &lda, w, work, &size, rwork, &rsize, iwork, &iwork_size, &info);
    }
    else {
        BY_TYPE(type, ssyevd, dsyevd, ssyevd, dsyevd)
        (&job, &uplo, &n, a, &lda, w, work, &size, iwork, &iwork_size, &info);
    }
    free(work);
    free(rwork);
    free(iwork);
    return info;
}

/* ---- singular values ------------------------------------------------------------------------- */

/* Complex routines take a real workspace more. */
static void
call_gesvd(cudaDataType type, char job, int m, int n, void *a, int lda, void *s, void *u, int ldu,
           void *vt, int ldvt, void *work, int size, void *rwork, int *info)
{
    if (is_complex(type)) {
        BY_TYPE(type, cgesvd, zgesvd, cgesvd, zgesvd)
        (&job, &job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &size, rwork, info);
    }
    else {
        BY_TYPE(type, sgesvd, dgesvd, sgesvd, dgesvd)
        (&job, &job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &size, info);
    }
}

/* As emu_syevd: a query first. NaN is looked for before, as the iteration might not end. */
int
emu_gesvd(cudaDataType type, char job, int m, int n, void *a, int lda, void *s, void *u, int ldu,
          void *vt, int ldvt)
{
    int info = 0, least = m < n ? m : n;
    double first[2];
    if (emu_has_nan(type, a, m, n, lda, 'A')) {
        emu_fill_nan(real_type(type), s, least);
        return 0;
    }
    void *rwork = emu_math_scratch(5 * (int64_t)least + 1, sizeof(double));
    call_gesvd(type, job, m, n, a, lda, s, u, ldu, vt, ldvt, first, -1, rwork, &info);
    int size = emu_queried(type, first);
    void *work = emu_math_scratch((int64_t)size + 1, emu_type_bytes(type));
    if (work == NULL || rwork == NULL) {
        info = least;
    }
    else {
        call_gesvd(type, job, m, n, a, lda, s, u, ldu, vt, ldvt, work, size, rwork, &info);
    }
    free(work);
    free(rwork);
    return info;
}

int *
emu_idle_pivots(int n)
{
    int *pivots = emu_math_scratch(n, sizeof *pivots);
    for (int i = 0; pivots != NULL && i < n; i++) {
        pivots[i] = i + 1;
    }
    return pivots;
}

#define LU_WITHOUT_PIVOTS(name, element)                                                           \
    static void name(int m, int n, element *a, int lda, int *info)                                 \
    {                                                                                              \
        size_t ld = (size_t)lda;                                                                   \
        *info = 0;                                                                                 \
        for (int k = 0; k < m && k < n; k++) {                                                     \
            element *column = a + (size_t)k * ld;                                                  \
            if (column[k] == 0) {                                                                  \
                *info = *info == 0 ? k + 1 : *info;                                                \
                continue;                                                                          \
            }                                                                                      \
            for (int i = k + 1; i < m; i++) {                                                      \
                column[i] /= column[k];                                                            \
            }                                                                                      \
            for (int j = k + 1; j < n; j++) {                                                      \
                element *other = a + (size_t)j * ld;                                               \
                for (int i = k + 1; i < m; i++) {                                                  \
                    other[i] -= column[i] * other[k];                                              \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

LU_WITHOUT_PIVOTS(lu_s, float)
LU_WITHOUT_PIVOTS(lu_d, double)
LU_WITHOUT_PIVOTS(lu_c, float complex)
LU_WITHOUT_PIVOTS(lu_z, double complex)

void
emu_lu_without_pivots(cudaDataType type, int m, int n, void *a, int lda, int *info)
{
    switch (type) {
    case CUDA_R_32F:
        lu_s(m, n, a, lda, info);
        break;
    case CUDA_R_64F:
        lu_d(m, n, a, lda, info);
        break;
    case CUDA_C_32F:
        lu_c(m, n, a, lda, info);
        break;
    default:
        lu_z(m, n, a, lda, info);
    }
}
