/* The emulated cuBLASLt: descriptions, the heuristic's answer, and products.
 *
 * Products are SciPy's gemm; 16-bit floats are widened to float32 and rounded once at the end, int8
 * is summed in int32 that wraps around. Descriptions are host objects that belong to the caller.
 * A matmul copies what it needs of them, so they may be destroyed before the stream runs it,
 * which the real library allows too. */
#include "emu/libs/cublas.h"
#include "emu/libs/halves.h"
#include "emu/libs/lapack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The opaque types of cuBLASLt, with the attributes that gpunp sets. */
struct cublasLtMatmulDescOpaque {
    cublasComputeType_t compute;
    cudaDataType scale;
    int32_t trans[2];
};
struct cublasLtMatrixLayoutOpaque {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t ld, step;
    int32_t count;
};
struct cublasLtMatmulPreferenceOpaque {
    uint64_t workspace;
    uint32_t alignment[4];
};

/* What the heuristic asks for, so that callers learn to bring it. */
enum { WORKSPACE = 4096, MARK = 0x6D75 };

/* ---- descriptions ---------------------------------------------------------------------------- */

/* Both operands as they are, until an attribute says otherwise. */
EXPORT int
cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                         cudaDataType_t scale)
{
    *desc = calloc(1, sizeof **desc);
    if (*desc == NULL) {
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    (*desc)->compute = compute;
    (*desc)->scale = scale;
    return CUBLAS_STATUS_SUCCESS;
}

/* Work in the stream has copied what it needs. */
EXPORT int
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
    free(desc);
    return CUBLAS_STATUS_SUCCESS;
}

/* The size is compared with that of the attribute, as the real library does. */
EXPORT int
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes)
{
    int which = attribute - CUBLASLT_MATMUL_DESC_TRANSA;
    if (desc == NULL || value == NULL || which < 0 || which > 1 || bytes != sizeof(int32_t)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    memcpy(&desc->trans[which], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* A single matrix: one of a batch, with no step to the next. */
EXPORT int
cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                           uint64_t columns, int64_t ld)
{
    *layout = calloc(1, sizeof **layout);
    if (*layout == NULL) {
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    **layout = (struct cublasLtMatrixLayoutOpaque){type, rows, columns, ld, 0, 1};
    return CUBLAS_STATUS_SUCCESS;
}

/* As for descriptions: nothing refers to it afterwards. */
EXPORT int
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
    free(layout);
    return CUBLAS_STATUS_SUCCESS;
}

/* Other attributes are refused rather than ignored, so that a caller who relies on one is
 * noticed. */
EXPORT int
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                 cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                 size_t bytes)
{
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof layout->count) {
        memcpy(&layout->count, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && bytes == sizeof layout->step) {
        memcpy(&layout->step, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

/* 256 bytes is the alignment the real library assumes by default. */
EXPORT int
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
    *preference = calloc(1, sizeof **preference);
    if (*preference == NULL) {
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    for (int i = 0; i < 4; i++) {
        (*preference)->alignment[i] = 256;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* What was promised is in the chosen algorithm. */
EXPORT int
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
    free(preference);
    return CUBLAS_STATUS_SUCCESS;
}

/* The workspace, and the alignment of each of the four matrices. */
EXPORT int
cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                     cublasLtMatmulPreferenceAttributes_t attribute,
                                     const void *value, size_t bytes)
{
    int which = attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
    if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && bytes == sizeof(uint64_t)) {
        memcpy(&preference->workspace, value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    if (which >= 0 && which < 4 && bytes == sizeof(uint32_t)) {
        memcpy(&preference->alignment[which], value, bytes);
        return CUBLAS_STATUS_SUCCESS;
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Types that go together: operands, result, what is summed in, what alpha is. */
static int
types_fit(const cublasLtMatmulDesc_t desc, cudaDataType in, cudaDataType out)
{
    static const struct {
        cudaDataType in, out, scale;
        cublasComputeType_t compute[2];
    } rows[] = {
        {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F}},
        {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F}},
        {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32}},
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32}},
        {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F}},
        {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, {CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F}},
        {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, {CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].in == in && rows[i].out == out) {
            return desc->scale == rows[i].scale &&
                   (desc->compute == rows[i].compute[0] || desc->compute == rows[i].compute[1]);
        }
    }
    return 0;
}

/* 32-bit sizes, as SciPy's BLAS takes. */
static int
layout_is_valid(cublasLtMatrixLayout_t x)
{
    return x != NULL && x->rows <= INT_MAX && x->columns <= INT_MAX && x->rows > 0 &&
           x->columns > 0 && x->ld >= (int64_t)x->rows && x->ld <= INT_MAX && x->count >= 0 &&
           x->step >= 0;
}

/* The rules of cublasLtMatmul: sizes that fit, one batch count, and a supported combination of
 * types. */
static int
check(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
      cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
    if (desc == NULL || !layout_is_valid(a) || !layout_is_valid(b) || !layout_is_valid(c) ||
        !layout_is_valid(d)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    int turned_a = desc->trans[0] != CUBLAS_OP_N, turned_b = desc->trans[1] != CUBLAS_OP_N;
    uint64_t m = turned_a ? a->columns : a->rows, k = turned_a ? a->rows : a->columns;
    uint64_t n = turned_b ? b->rows : b->columns, k_b = turned_b ? b->columns : b->rows;
    if (m != d->rows || n != d->columns || k != k_b || c->rows != m || c->columns != n ||
        a->count != d->count || b->count != d->count) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (a->type != b->type || c->type != d->type || !types_fit(desc, a->type, d->type)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    /* Products of bytes run on tensor cores alone, which read four at once, along k. */
    if (a->type == CUDA_R_8I &&
        (a->ld % 4 != 0 || b->ld % 4 != 0 || k % 4 != 0 || !turned_a || turned_b)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* One result at most. The bytes of `algo` are opaque to the caller, so what was promised for the
 * choice is stored there. */
EXPORT int
cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                               cublasLtMatmulPreference_t preference, int wanted,
                               cublasLtMatmulHeuristicResult_t *results, int *found)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    int status = check(desc, a, b, c, d);
    if (status == 0 && (preference == NULL || wanted < 1)) {
        status = CUBLAS_STATUS_INVALID_VALUE;
    }
    *found = status == 0;
    if (status == 0) {
        memset(results, 0, sizeof *results);
        results->workspaceSize = preference->workspace >= WORKSPACE ? WORKSPACE : 0;
        /* So that cublasLtMatmul notices an algorithm that was made up or was chosen under other
         * conditions. */
        results->algo.data[0] = MARK;
        results->algo.data[1] = results->workspaceSize;
        for (int i = 0; i < 4; i++) {
            results->algo.data[2 + i] = preference->alignment[i];
        }
    }
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

/* A copy of everything that the work needs in the stream. */
typedef struct {
    cudaDataType type;
    int m, n, k, lda, ldb, ldc, count;
    char trans[2];
    int64_t step[3];
    cuDoubleComplex alpha, beta; /* or fewer of their bytes */
    const void *a, *b;
    void *c, *work;
    size_t work_bytes;
} Work;

/* A 16-bit matrix as float32, its columns close together. */
static float *
widen(cudaDataType type, const void *from, int64_t rows, int64_t columns, int64_t ld)
{
    const uint16_t *bits = from;
    float *out = emu_math_scratch(rows * columns, sizeof *out);
    for (int64_t j = 0; out != NULL && j < columns; j++) {
        for (int64_t i = 0; i < rows; i++) {
            uint16_t x = bits[i + j * ld];
            out[i + j * rows] =
                type == CUDA_R_16F ? emu_math_from_half(x) : emu_math_from_bfloat(x);
        }
    }
    return out;
}

/* The sum is in float32 and rounded once, as with CUBLAS_COMPUTE_32F. beta is 0 for gpunp's
 * products, so c is not read. */
static void
multiply_halves(const Work *w, const void *a, const void *b, uint16_t *c)
{
    int rows_a = w->trans[0] == 'N' ? w->m : w->k, columns_a = w->trans[0] == 'N' ? w->k : w->m;
    int rows_b = w->trans[1] == 'N' ? w->k : w->n, columns_b = w->trans[1] == 'N' ? w->n : w->k;
    float *wide_a = widen(w->type, a, rows_a, columns_a, w->lda);
    float *wide_b = widen(w->type, b, rows_b, columns_b, w->ldb);
    float *wide_c = emu_math_scratch((int64_t)w->m * w->n, sizeof *wide_c), zero = 0;
    if (wide_a != NULL && wide_b != NULL && wide_c != NULL) {
        emu_math.sgemm(&w->trans[0], &w->trans[1], &w->m, &w->n, &w->k, &w->alpha, wide_a, &rows_a,
                       wide_b, &rows_b, &zero, wide_c, &w->m);
        for (int64_t j = 0; j < w->n; j++) {
            for (int64_t i = 0; i < w->m; i++) {
                float x = wide_c[i + j * w->m];
                c[i + j * w->ldc] =
                    w->type == CUDA_R_16F ? emu_math_to_half(x) : emu_math_to_bfloat(x);
            }
        }
    }
    free(wide_a);
    free(wide_b);
    free(wide_c);
}

/* int32 sums wrap around, as on tensor cores. */
static void
multiply_bytes(const Work *w, const int8_t *a, const int8_t *b, uint32_t *c)
{
    int64_t a_row = w->trans[0] == 'N' ? 1 : w->lda, a_k = w->trans[0] == 'N' ? w->lda : 1;
    int64_t b_k = w->trans[1] == 'N' ? 1 : w->ldb, b_column = w->trans[1] == 'N' ? w->ldb : 1;
    for (int64_t j = 0; j < w->n; j++) {
        for (int64_t i = 0; i < w->m; i++) {
            uint32_t sum = 0;
            for (int64_t k = 0; k < w->k; k++) {
                /* Unsigned, as overflow of a signed sum is undefined. */
                sum += (uint32_t)(a[i * a_row + k * a_k] * b[k * b_k + j * b_column]);
            }
            c[i + j * w->ldc] = sum;
        }
    }
}

/* Reads and writes are told to the checks before the computation, so that a fault names the
 * library. */
static void
run(void *arguments)
{
    const Work *w = arguments;
    size_t bytes = emu_type_bytes(w->type), out_bytes = w->type == CUDA_R_8I ? 4 : bytes;
    emu_poison(w->work, w->work_bytes);
    for (int i = 0; i < w->count; i++) {
        const void *a = (const char *)w->a + (size_t)(i * w->step[0]) * bytes;
        const void *b = (const char *)w->b + (size_t)(i * w->step[1]) * bytes;
        void *c = (char *)w->c + (size_t)(i * w->step[2]) * out_bytes;
        int plain_a = w->trans[0] == 'N', plain_b = w->trans[1] == 'N';
        emu_touch(w->type, a, plain_a ? w->m : w->k, plain_a ? w->k : w->m, w->lda, EMU_READS);
        emu_touch(w->type, b, plain_b ? w->k : w->n, plain_b ? w->n : w->k, w->ldb, EMU_READS);
        emu_touch(w->type == CUDA_R_8I ? CUDA_R_32I : w->type, c, w->m, w->n, w->ldc, EMU_WRITES);
        if (w->type == CUDA_R_8I) {
            multiply_bytes(w, a, b, c);
        }
        else if (w->type == CUDA_R_16F || w->type == CUDA_R_16BF) {
            multiply_halves(w, a, b, c);
        }
        else {
            BY_TYPE(w->type, sgemm, dgemm, cgemm, zgemm)
            (&w->trans[0], &w->trans[1], &w->m, &w->n, &w->k, &w->alpha, a, &w->lda, b, &w->ldb,
             &w->beta, c, &w->ldc);
        }
    }
}

/* Whether all matrices of a batch are there, from the first one to the last one. */
static int
batch_is_inside(cublasLtMatrixLayout_t x, const void *data)
{
    int64_t behind = x->count > 0 ? (x->count - 1) * x->step : 0;
    const char *last = (const char *)data + (size_t)behind * emu_type_bytes(x->type);
    int64_t rows = (int64_t)x->rows, columns = x->count > 0 ? (int64_t)x->columns : 0;
    return EMU_ARE_INSIDE({x->type, data, rows, columns, x->ld, EMU_READS},
                          {x->type, last, rows, columns, x->ld, EMU_READS});
}

/* c and d have to be one matrix here, which they are in gpunp. */
EXPORT int
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
               cublasLtMatrixLayout_t layout_a, const void *b, cublasLtMatrixLayout_t layout_b,
               const void *beta, const void *c, cublasLtMatrixLayout_t layout_c, void *d,
               cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t *algo, void *work,
               size_t work_bytes, cudaStream_t stream)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    int status = check(desc, layout_a, layout_b, layout_c, layout_d);
    if (status != 0) {
        return status;
    }
    /* The algorithm is bound to the working space and alignment it was chosen for. */
    if (algo == NULL || algo->data[0] != MARK || work_bytes < algo->data[1] || c != d ||
        (uintptr_t)a % algo->data[2] != 0 || (uintptr_t)b % algo->data[3] != 0 ||
        (uintptr_t)d % algo->data[4] != 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    if (alpha == NULL || beta == NULL || !batch_is_inside(layout_a, a) ||
        !batch_is_inside(layout_b, b) || !batch_is_inside(layout_d, d) ||
        (work_bytes > 0 && !emu_math_is_inside(work, work_bytes))) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    size_t scale = emu_type_bytes(desc->scale);
    int is_transposed = desc->trans[0] != CUBLAS_OP_N;
    Work w = {.type = layout_a->type,
              .m = (int)layout_d->rows,
              .n = (int)layout_d->columns,
              .k = (int)(is_transposed ? layout_a->rows : layout_a->columns),
              .lda = (int)layout_a->ld,
              .ldb = (int)layout_b->ld,
              .ldc = (int)layout_d->ld,
              .count = layout_d->count,
              .trans = {"NTC"[desc->trans[0]], "NTC"[desc->trans[1]]},
              .step = {layout_a->step, layout_b->step, layout_d->step},
              .a = a,
              .b = b,
              .c = d,
              .work = work,
              .work_bytes = work_bytes};
    memcpy(&w.alpha, alpha, scale);
    memcpy(&w.beta, beta, scale);
    return emu_math_status(emu_math_enqueue(stream, run, &w, sizeof w), CUBLAS_STATUS_ALLOC_FAILED,
                           CUBLAS_STATUS_EXECUTION_FAILED);
}
