/* The emulated cuSPARSE: products, and conversions between formats. Positions are looked at before
 * memory is: one beyond its matrix is a failure of the context, as an illegal address is. */
#include "emu/libs/cusparse.h"

#include <stdlib.h>
#include <string.h>

/* One piece of work; each kind uses some of the fields. */
typedef struct {
    SparseMatrix a, out;
    DenseMatrix b, c;
    int op_a, op_b, copies_values;
    Factor alpha, beta;
    SparseMatrix *found; /* whose number of elements a count sets */
} Work;

/* The work area is not used: sizes are those that callers must pass on. */
enum { BUFFER_BYTES = 256 };

static int
enqueue(cusparseHandle_t handle, EmuWork work, const Work *w)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    }
    return emu_math_status(emu_math_enqueue(handle->stream, work, w, sizeof *w),
                           CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_EXECUTION_FAILED);
}

/* ---- elements -------------------------------------------------------------------------------- */

static int64_t
index_at(const void *indices, int type, int64_t k)
{
    return type == INDEX_64I ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k];
}

static void
put_index(void *indices, int type, int64_t k, int64_t value)
{
    if (type == INDEX_64I) {
        ((int64_t *)indices)[k] = value;
    }
    else {
        ((int32_t *)indices)[k] = (int32_t)value;
    }
}

static void
touch_indices(const void *indices, int type, int64_t n, EmuAccess access)
{
    emu_touch(type == INDEX_64I ? CUDA_R_64F : CUDA_R_32I, indices, n, 1, n, access);
}

/* Rows of format csr, columns of csc. */
static int64_t
lines_of(const SparseMatrix *a)
{
    return a->format == FORMAT_CSR ? a->rows : a->columns;
}

/* Tells of all reads of a matrix. */
static void
touch_sparse(const SparseMatrix *a, EmuAccess access)
{
    int64_t n = a->format == FORMAT_COO ? a->nnz : lines_of(a) + 1;
    touch_indices(a->offsets, a->offset_type, n, access);
    touch_indices(a->indices, a->index_type, a->nnz, access);
    emu_touch(a->type, a->values, a->nnz, 1, a->nnz, access);
}

/* Position of element k in `line`; -1 with a failed context for one outside the matrix. */
typedef struct {
    int64_t row, column;
} Place;

static int
place_of(const SparseMatrix *a, int64_t line, int64_t k, Place *place)
{
    int64_t other = index_at(a->indices, a->index_type, k) - a->base;
    *place = a->format == FORMAT_CSC ? (Place){other, line} : (Place){line, other};
    if (place->row >= 0 && place->row < a->rows && place->column >= 0 &&
        place->column < a->columns) {
        return 0;
    }
    emu_math.cuEmuWorkFailed("cuSPARSE: a position outside of its matrix");
    return -1;
}

/* The elements of a line: [first, last), within the matrix; -1 as above. */
static int
line_span(const SparseMatrix *a, int64_t line, int64_t *first, int64_t *last)
{
    *first = index_at(a->offsets, a->offset_type, line) - a->base;
    *last = index_at(a->offsets, a->offset_type, line + 1) - a->base;
    if (*first >= 0 && *first <= *last && *last <= a->nnz) {
        return 0;
    }
    emu_math.cuEmuWorkFailed("cuSPARSE: an offset beyond the elements of its matrix");
    return -1;
}

/* Calls `visit` for each element in the order of memory, until one is outside. */
typedef void (*Visit)(void *context, Place place, int64_t k);

static int
each_element(const SparseMatrix *a, Visit visit, void *context)
{
    Place place;
    if (a->format == FORMAT_COO) {
        for (int64_t k = 0; k < a->nnz; k++) {
            if (place_of(a, index_at(a->offsets, a->offset_type, k) - a->base, k, &place) < 0) {
                return -1;
            }
            visit(context, place, k);
        }
        return 0;
    }
    for (int64_t line = 0; line < lines_of(a); line++) {
        int64_t first, last;
        if (line_span(a, line, &first, &last) < 0) {
            return -1;
        }
        for (int64_t k = first; k < last; k++) {
            if (place_of(a, line, k, &place) < 0) {
                return -1;
            }
            visit(context, place, k);
        }
    }
    return 0;
}

/* op(A) of a dense matrix. */
static View
view_of(const DenseMatrix *a, int op)
{
    View view = {a->type, 0, op == CUBLAS_OP_C, 1, a->ld, a->values};
    if ((a->order == ORDER_ROW) != (op != CUBLAS_OP_N)) {
        view.row = a->ld;
        view.column = 1;
    }
    return view;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Sums of one column of the result, in float64. */
typedef struct {
    const Work *work;
    View b;
    int64_t column;
    Number *sums;
} Column;

static void
add_product(void *context, Place place, int64_t k)
{
    const Column *c = context;
    Number value = emu_get(c->work->a.type, c->work->a.values, k);
    int swaps = c->work->op_a != CUBLAS_OP_N;
    int64_t row = swaps ? place.column : place.row, inner = swaps ? place.row : place.column;
    value.im = c->work->op_a == CUBLAS_OP_C ? -value.im : value.im;
    c->sums[row] = emu_plus(c->sums[row], emu_times(value, emu_element(&c->b, inner, c->column)));
}

/* C = alpha op(A) op(B) + beta C; C is not read where beta is 0. */
static void
run_product(void *arguments)
{
    const Work *w = arguments;
    const View b = view_of(&w->b, w->op_b), c = view_of(&w->c, CUBLAS_OP_N);
    Number alpha = emu_factor_value(&w->alpha), beta = emu_factor_value(&w->beta);
    int reads = beta.re != 0 || beta.im != 0;
    Number *sums = emu_math_scratch(w->c.rows, sizeof *sums);
    if (sums == NULL) {
        return;
    }
    touch_sparse(&w->a, EMU_READS);
    emu_touch_view(&b, w->op_b == CUBLAS_OP_N ? w->b.rows : w->b.columns, w->c.columns, EMU_READS);
    emu_touch_view(&c, w->c.rows, w->c.columns, reads ? EMU_READS_AND_WRITES : EMU_WRITES);
    for (int64_t j = 0; j < w->c.columns; j++) {
        memset(sums, 0, (size_t)w->c.rows * sizeof *sums);
        Column column = {w, b, j, sums};
        if (each_element(&w->a, add_product, &column) < 0) {
            break;
        }
        for (int64_t i = 0; i < w->c.rows; i++) {
            Number value = emu_times(alpha, sums[i]);
            if (reads) {
                value = emu_plus(value, emu_times(beta, emu_element(&c, i, j)));
            }
            emu_store(&c, i, j, value);
        }
    }
    free(sums);
}

/* The checks of both products. */
static int
product(cusparseHandle_t handle, Work *w)
{
    int64_t rows = w->op_a == CUBLAS_OP_N ? w->a.rows : w->a.columns;
    int64_t inner = w->op_a == CUBLAS_OP_N ? w->a.columns : w->a.rows;
    int64_t b_rows = w->op_b == CUBLAS_OP_N ? w->b.rows : w->b.columns;
    int64_t b_columns = w->op_b == CUBLAS_OP_N ? w->b.columns : w->b.rows;
    if (w->op_a < CUBLAS_OP_N || w->op_a > CUBLAS_OP_C || w->op_b < CUBLAS_OP_N ||
        w->op_b > CUBLAS_OP_C || b_rows != inner || w->c.rows != rows ||
        w->c.columns != b_columns || !emu_is_sparse_inside(&w->a) || !emu_is_dense_inside(&w->b) ||
        !emu_is_dense_inside(&w->c)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return enqueue(handle, run_product, w);
}

#define BUFFER_SIZE(bytes) (*(bytes) = BUFFER_BYTES, CUSPARSE_STATUS_SUCCESS)

API(cusparseSpMV_bufferSize, cusparseHandle_t handle, int op, const void *alpha,
    const SparseMatrix *a, const DenseMatrix *x, const void *beta, DenseMatrix *y, int compute,
    int algorithm, size_t *bytes)
{
    (void)op, (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)compute, (void)algorithm;
    return handle == NULL ? CUSPARSE_STATUS_NOT_INITIALIZED : BUFFER_SIZE(bytes);
}

API(cusparseSpMV, cusparseHandle_t handle, int op, const void *alpha, const SparseMatrix *a,
    const DenseMatrix *x, const void *beta, DenseMatrix *y, int compute, int algorithm,
    void *buffer)
{
    (void)algorithm, (void)buffer;
    if (a == NULL || x == NULL || y == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    Work w = {.a = *a, .b = *x, .c = *y, .op_a = op};
    w.alpha = emu_factor(handle, compute, alpha);
    w.beta = emu_factor(handle, compute, beta);
    return product(handle, &w);
}

API(cusparseSpMM_bufferSize, cusparseHandle_t handle, int op_a, int op_b, const void *alpha,
    const SparseMatrix *a, const DenseMatrix *b, const void *beta, DenseMatrix *c, int compute,
    int algorithm, size_t *bytes)
{
    (void)op_b;
    return cusparseSpMV_bufferSize(handle, op_a, alpha, a, b, beta, c, compute, algorithm, bytes);
}

API(cusparseSpMM, cusparseHandle_t handle, int op_a, int op_b, const void *alpha,
    const SparseMatrix *a, const DenseMatrix *b, const void *beta, DenseMatrix *c, int compute,
    int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    if (a == NULL || b == NULL || c == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    Work w = {.a = *a, .b = *b, .c = *c, .op_a = op_a, .op_b = op_b};
    w.alpha = emu_factor(handle, compute, alpha);
    w.beta = emu_factor(handle, compute, beta);
    return product(handle, &w);
}

/* ---- dense and sparse ------------------------------------------------------------------------ */

static void
store_element(void *context, Place place, int64_t k)
{
    const Work *w = context;
    const View b = view_of(&w->b, CUBLAS_OP_N);
    emu_store(&b, place.row, place.column, emu_get(w->a.type, w->a.values, k));
}

static void
run_to_dense(void *arguments)
{
    Work *w = arguments;
    const View b = view_of(&w->b, CUBLAS_OP_N);
    touch_sparse(&w->a, EMU_READS);
    emu_touch_view(&b, w->b.rows, w->b.columns, EMU_WRITES);
    for (int64_t j = 0; j < w->b.columns; j++) {
        for (int64_t i = 0; i < w->b.rows; i++) {
            emu_store(&b, i, j, (Number){0, 0});
        }
    }
    each_element(&w->a, store_element, w);
}

/* Stores the elements of a dense matrix that are not zero, or counts them for the offsets. */
static int64_t
gather_line(const Work *w, const View *b, int64_t line, int64_t k)
{
    const SparseMatrix *a = &w->a;
    int is_csc = a->format == FORMAT_CSC;
    int64_t n = is_csc ? a->rows : a->columns;
    for (int64_t i = 0; i < n; i++) {
        Number value = is_csc ? emu_element(b, i, line) : emu_element(b, line, i);
        if (value.re == 0 && value.im == 0) {
            continue;
        }
        if (w->found == NULL && k < a->nnz) {
            put_index(a->indices, a->index_type, k, i + a->base);
            emu_put(a->type, a->values, k, value);
            if (a->format == FORMAT_COO) {
                put_index(a->offsets, a->offset_type, k, line + a->base);
            }
        }
        k++;
    }
    return k;
}

static void
run_to_sparse(void *arguments)
{
    const Work *w = arguments;
    const SparseMatrix *a = &w->a;
    const View b = view_of(&w->b, CUBLAS_OP_N);
    int64_t lines = a->format == FORMAT_CSC ? a->columns : a->rows, k = 0;
    int counts = w->found != NULL, compressed = a->format != FORMAT_COO;
    emu_touch_view(&b, w->b.rows, w->b.columns, EMU_READS);
    if (!counts) {
        touch_sparse(a, EMU_WRITES);
    }
    else if (compressed) {
        touch_indices(a->offsets, a->offset_type, lines + 1, EMU_WRITES);
        put_index(a->offsets, a->offset_type, 0, a->base);
    }
    for (int64_t line = 0; line < lines; line++) {
        k = gather_line(w, &b, line, k);
        if (counts && compressed) {
            put_index(a->offsets, a->offset_type, line + 1, k + a->base);
        }
    }
    if (counts) {
        w->found->nnz = k;
    }
}

static int
conversion(cusparseHandle_t handle, EmuWork run, const SparseMatrix *a, const DenseMatrix *b,
           SparseMatrix *found)
{
    if (a == NULL || b == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const Work given = {.a = *a, .b = *b, .found = found}, *w = &given;
    if (w->a.rows != w->b.rows || w->a.columns != w->b.columns || w->a.type != w->b.type ||
        !emu_is_dense_inside(&w->b) || (w->found == NULL && !emu_is_sparse_inside(&w->a))) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return enqueue(handle, run, w);
}

API(cusparseSparseToDense_bufferSize, cusparseHandle_t handle, const SparseMatrix *a,
    DenseMatrix *b, int algorithm, size_t *bytes)
{
    (void)a, (void)b, (void)algorithm;
    return handle == NULL ? CUSPARSE_STATUS_NOT_INITIALIZED : BUFFER_SIZE(bytes);
}

API(cusparseDenseToSparse_bufferSize, cusparseHandle_t handle, const DenseMatrix *b,
    SparseMatrix *a, int algorithm, size_t *bytes)
{
    (void)a, (void)b, (void)algorithm;
    return handle == NULL ? CUSPARSE_STATUS_NOT_INITIALIZED : BUFFER_SIZE(bytes);
}

API(cusparseSparseToDense, cusparseHandle_t handle, const SparseMatrix *a, DenseMatrix *b,
    int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return conversion(handle, run_to_dense, a, b, NULL);
}

/* The caller asks for the number of elements next, so this waits for it. */
API(cusparseDenseToSparse_analysis, cusparseHandle_t handle, const DenseMatrix *b, SparseMatrix *a,
    int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    if (a == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    SparseMatrix empty = *a;
    empty.nnz = 0; /* offsets alone are written */
    if (a->format != FORMAT_COO && !emu_is_sparse_inside(&empty)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    int status = conversion(handle, run_to_sparse, a, b, a);
    if (status != 0) {
        return status;
    }
    return emu_math_status(emu_math.cuStreamSynchronize(handle->stream),
                           CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_EXECUTION_FAILED);
}

API(cusparseDenseToSparse_convert, cusparseHandle_t handle, const DenseMatrix *b, SparseMatrix *a,
    int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    return conversion(handle, run_to_sparse, a, b, NULL);
}

/* ---- formats --------------------------------------------------------------------------------- */

static void
count_column(void *context, Place place, int64_t k)
{
    (void)k;
    ((int64_t *)context)[place.column + 1]++;
}

/* Where the next element of a column goes, and both matrices. */
typedef struct {
    const Work *work;
    int64_t *next;
} Transposition;

static void
move_element(void *context, Place place, int64_t k)
{
    const Transposition *t = context;
    const SparseMatrix *out = &t->work->out;
    int64_t to = t->next[place.column]++;
    put_index(out->indices, INDEX_32I, to, place.row + out->base);
    if (t->work->copies_values) {
        emu_put(out->type, out->values, to, emu_get(out->type, t->work->a.values, k));
    }
}

static void
run_transpose(void *arguments)
{
    const Work *w = arguments;
    int64_t n = w->a.columns;
    int64_t *next = emu_math_scratch(n + 1, sizeof *next);
    if (next == NULL) {
        return;
    }
    memset(next, 0, (size_t)(n + 1) * sizeof *next);
    touch_sparse(&w->a, EMU_READS);
    touch_sparse(&w->out, EMU_WRITES);
    if (each_element(&w->a, count_column, next) == 0) {
        put_index(w->out.offsets, INDEX_32I, 0, w->out.base);
        for (int64_t j = 0; j < n; j++) {
            next[j + 1] += next[j];
            put_index(w->out.offsets, INDEX_32I, j + 1, next[j + 1] + w->out.base);
        }
        Transposition t = {w, next};
        each_element(&w->a, move_element, &t);
    }
    free(next);
}

API(cusparseCsr2cscEx2_bufferSize, cusparseHandle_t handle, int m, int n, int nnz,
    const void *values, const int *offsets, const int *indices, void *out_values, int *out_offsets,
    int *out_indices, int type, int action, int base, int algorithm, size_t *bytes)
{
    (void)m, (void)n, (void)nnz, (void)values, (void)offsets, (void)indices, (void)out_values;
    (void)out_offsets, (void)out_indices, (void)type, (void)action, (void)base, (void)algorithm;
    return handle == NULL ? CUSPARSE_STATUS_NOT_INITIALIZED : BUFFER_SIZE(bytes);
}

API(cusparseCsr2cscEx2, cusparseHandle_t handle, int m, int n, int nnz, const void *values,
    const int *offsets, const int *indices, void *out_values, int *out_offsets, int *out_indices,
    int type, int action, int base, int algorithm, void *buffer)
{
    (void)algorithm, (void)buffer;
    Work w = {.copies_values = action != 0};
    w.a = (SparseMatrix){FORMAT_CSR,
                         INDEX_32I,
                         INDEX_32I,
                         base,
                         type,
                         m,
                         n,
                         nnz,
                         (void *)(uintptr_t)offsets,
                         (void *)(uintptr_t)indices,
                         (void *)(uintptr_t)values};
    w.out = (SparseMatrix){FORMAT_CSC, INDEX_32I, INDEX_32I,   base,        type,      m,
                           n,          nnz,       out_offsets, out_indices, out_values};
    if (m < 0 || n < 0 || nnz < 0 || base < 0 || base > 1 || !is_lapack_type(type) ||
        !emu_is_sparse_inside(&w.a) || !emu_is_sparse_inside(&w.out)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return enqueue(handle, run_transpose, &w);
}

/* Offsets of rows that are sorted. */
static void
run_compress(void *arguments)
{
    const Work *w = arguments;
    const SparseMatrix *a = &w->a;
    const int *row = a->indices;
    int *offsets = a->offsets, k = 0;
    touch_indices(row, INDEX_32I, a->nnz, EMU_READS);
    touch_indices(offsets, INDEX_32I, a->rows + 1, EMU_WRITES);
    for (int64_t i = 0; i <= a->rows; i++) {
        while (k < a->nnz && row[k] - a->base < i) {
            k++;
        }
        offsets[i] = k + a->base;
    }
}

static void
run_expand(void *arguments)
{
    const Work *w = arguments;
    const SparseMatrix *a = &w->a;
    touch_indices(a->offsets, INDEX_32I, a->rows + 1, EMU_READS);
    touch_indices(a->indices, INDEX_32I, a->nnz, EMU_WRITES);
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t first, last;
        if (line_span(a, i, &first, &last) < 0) {
            return;
        }
        for (int64_t k = first; k < last; k++) {
            put_index(a->indices, INDEX_32I, k, i + a->base);
        }
    }
}

/* `row` is as long as the matrix has elements, `offsets` a row longer than it has rows. */
static int
rows_and_offsets(cusparseHandle_t handle, EmuWork run, const SparseMatrix *a)
{
    if (a->nnz < 0 || a->rows < 0 || a->base < 0 || a->base > 1 ||
        !emu_math_is_inside(a->offsets, (size_t)(a->rows + 1) * sizeof(int)) ||
        (a->nnz > 0 && !emu_math_is_inside(a->indices, (size_t)a->nnz * sizeof(int)))) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return enqueue(handle, run, &(const Work){.a = *a});
}

API(cusparseXcoo2csr, cusparseHandle_t handle, const int *row, int nnz, int m, int *offsets,
    int base)
{
    const SparseMatrix a = {FORMAT_CSR, INDEX_32I, INDEX_32I, base,    CUDA_R_32I,
                            m,          0,         nnz,       offsets, (void *)(uintptr_t)row,
                            NULL};
    return rows_and_offsets(handle, run_compress, &a);
}

API(cusparseXcsr2coo, cusparseHandle_t handle, const int *offsets, int nnz, int m, int *row,
    int base)
{
    const SparseMatrix a = {
        FORMAT_CSR, INDEX_32I, INDEX_32I, base, CUDA_R_32I, m, 0, nnz, (void *)(uintptr_t)offsets,
        row,        NULL};
    return rows_and_offsets(handle, run_expand, &a);
}
