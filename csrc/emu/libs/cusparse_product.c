/* The emulated cuSPARSE: products, and conversions between formats. Positions are looked at before
 * memory is: one beyond its matrix is a failure of the context, as an illegal address is.
 *
 * A function refuses what NVIDIA's does, "Generic API Functions" in the cuSPARSE manual, in its
 * question for the working space already: descriptors, sizes, types, and algorithms by the table of
 * cusparse_algorithm.c. The call itself looks at memory, too, that of the working space included.
 */
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

static int
enqueue(cusparseHandle_t handle, EmuWork work, const Work *w)
{
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

/* What a caller of either product passes. */
typedef struct {
    Routine routine;
    int op_a, op_b;
    const void *alpha;
    const SparseMatrix *a;
    const DenseMatrix *b;
    const void *beta;
    const DenseMatrix *c;
    int compute, algorithm;
} Product;

static int
is_operation(int op)
{
    return op >= CUBLAS_OP_N && op <= CUBLAS_OP_C;
}

/* Matrices whose sizes fit. */
static int
sizes_fit(const Product *p)
{
    int as_it_is = p->op_a == CUBLAS_OP_N, b_as_it_is = p->op_b == CUBLAS_OP_N;
    int64_t rows = as_it_is ? p->a->rows : p->a->columns;
    int64_t inner = as_it_is ? p->a->columns : p->a->rows;
    int64_t b_rows = b_as_it_is ? p->b->rows : p->b->columns;
    int64_t b_columns = b_as_it_is ? p->b->columns : p->b->rows;
    return b_rows == inner && p->c->rows == rows && p->c->columns == b_columns;
}

/* One type for all, but for real matrices and complex vectors. */
static int
types_fit(const Product *p)
{
    int is_mixed = p->routine == SPMV && p->a->type == real_type(p->compute);
    return is_lapack_type(p->compute) && p->b->type == p->compute && p->c->type == p->compute &&
           (p->a->type == p->compute || is_mixed);
}

/* Real numbers have no conjugates: cuSPARSE 12.6 on an H100 refuses them as an invalid value. */
static int
conjugates_reals(const Product *p)
{
    return (p->op_a == CUBLAS_OP_C && !is_complex(p->a->type)) ||
           (p->op_b == CUBLAS_OP_C && !is_complex(p->b->type));
}

static int
check_product(cusparseHandle_t handle, const Product *p, size_t *bytes)
{
    Kind kind = p->routine == SPMV ? DENSE_VECTOR : DENSE_MATRIX;
    if (handle == NULL || !is_operation(p->op_a) || !is_operation(p->op_b) || p->alpha == NULL ||
        p->beta == NULL || !is_sparse(p->a) || !is_dense(p->b, kind) || !is_dense(p->c, kind) ||
        !sizes_fit(p) || conjugates_reals(p)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    int status = emu_sparse_check(p->routine, p->algorithm, p->a->format, bytes);
    if (status == CUSPARSE_STATUS_SUCCESS && !types_fit(p)) {
        status = CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    if (status == CUSPARSE_STATUS_SUCCESS &&
        emu_sparse_algorithm(p->routine, p->algorithm)->is_plain &&
        (p->op_a != CUBLAS_OP_N || p->op_b == CUBLAS_OP_C)) {
        status = CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return status;
}

static int
product_size(cusparseHandle_t handle, const Product *p, size_t *bytes)
{
    size_t found = 0;
    int status = check_product(handle, p, &found);
    return emu_tell_size(status, found, bytes);
}

static int
product(cusparseHandle_t handle, const Product *p, const void *space)
{
    size_t bytes = 0;
    int status = check_product(handle, p, &bytes);
    if (status == CUSPARSE_STATUS_SUCCESS &&
        (!emu_is_space(space, bytes) || !emu_is_sparse_inside(p->a) || !emu_is_dense_inside(p->b) ||
         !emu_is_dense_inside(p->c))) {
        status = CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    const Work w = {.a = *p->a,
                    .b = *p->b,
                    .c = *p->c,
                    .op_a = p->op_a,
                    .op_b = p->op_b,
                    .alpha = emu_factor(handle, p->compute, p->alpha),
                    .beta = emu_factor(handle, p->compute, p->beta)};
    return w.alpha.is_misplaced || w.beta.is_misplaced ? CUSPARSE_STATUS_INVALID_VALUE
                                                       : enqueue(handle, run_product, &w);
}

API(cusparseSpMV_bufferSize, cusparseHandle_t handle, int op, const void *alpha,
    const SparseMatrix *a, const DenseMatrix *x, const void *beta, DenseMatrix *y, int compute,
    int algorithm, size_t *bytes)
{
    const Product p = {SPMV, op, CUBLAS_OP_N, alpha, a, x, beta, y, compute, algorithm};
    return product_size(handle, &p, bytes);
}

API(cusparseSpMV, cusparseHandle_t handle, int op, const void *alpha, const SparseMatrix *a,
    const DenseMatrix *x, const void *beta, DenseMatrix *y, int compute, int algorithm, void *space)
{
    const Product p = {SPMV, op, CUBLAS_OP_N, alpha, a, x, beta, y, compute, algorithm};
    return product(handle, &p, space);
}

API(cusparseSpMM_bufferSize, cusparseHandle_t handle, int op_a, int op_b, const void *alpha,
    const SparseMatrix *a, const DenseMatrix *b, const void *beta, DenseMatrix *c, int compute,
    int algorithm, size_t *bytes)
{
    const Product p = {SPMM, op_a, op_b, alpha, a, b, beta, c, compute, algorithm};
    return product_size(handle, &p, bytes);
}

API(cusparseSpMM, cusparseHandle_t handle, int op_a, int op_b, const void *alpha,
    const SparseMatrix *a, const DenseMatrix *b, const void *beta, DenseMatrix *c, int compute,
    int algorithm, void *space)
{
    const Product p = {SPMM, op_a, op_b, alpha, a, b, beta, c, compute, algorithm};
    return product(handle, &p, space);
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

/* What a caller of a conversion passes. */
typedef struct {
    Routine routine;
    const SparseMatrix *a;
    const DenseMatrix *b;
    int algorithm;
} Conversion;

static int
check_conversion(cusparseHandle_t handle, const Conversion *x, size_t *bytes)
{
    if (handle == NULL || !is_sparse(x->a) || !is_dense(x->b, DENSE_MATRIX) ||
        x->a->rows != x->b->rows || x->a->columns != x->b->columns) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    int status = emu_sparse_check(x->routine, x->algorithm, x->a->format, bytes);
    if (status == CUSPARSE_STATUS_SUCCESS && x->a->type != x->b->type) {
        status = CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return status;
}

static int
conversion_size(cusparseHandle_t handle, const Conversion *x, size_t *bytes)
{
    size_t found = 0;
    int status = check_conversion(handle, x, &found);
    return emu_tell_size(status, found, bytes);
}

/* `found` is the matrix whose elements are counted, the only thing that is written then but for its
 * offsets. */
static int
conversion(cusparseHandle_t handle, EmuWork run, const Conversion *x, SparseMatrix *found,
           const void *space)
{
    size_t bytes = 0;
    int status = check_conversion(handle, x, &bytes);
    if (status != CUSPARSE_STATUS_SUCCESS) {
        return status;
    }
    SparseMatrix written = *x->a;
    written.nnz = found != NULL ? 0 : written.nnz;
    if (!emu_is_space(space, bytes) || !emu_is_dense_inside(x->b) ||
        !emu_is_sparse_inside(&written)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const Work w = {.a = *x->a, .b = *x->b, .found = found};
    return enqueue(handle, run, &w);
}

API(cusparseSparseToDense_bufferSize, cusparseHandle_t handle, const SparseMatrix *a,
    DenseMatrix *b, int algorithm, size_t *bytes)
{
    return conversion_size(handle, &(const Conversion){SPARSE_TO_DENSE, a, b, algorithm}, bytes);
}

API(cusparseDenseToSparse_bufferSize, cusparseHandle_t handle, const DenseMatrix *b,
    SparseMatrix *a, int algorithm, size_t *bytes)
{
    return conversion_size(handle, &(const Conversion){DENSE_TO_SPARSE, a, b, algorithm}, bytes);
}

API(cusparseSparseToDense, cusparseHandle_t handle, const SparseMatrix *a, DenseMatrix *b,
    int algorithm, void *space)
{
    const Conversion x = {SPARSE_TO_DENSE, a, b, algorithm};
    return conversion(handle, run_to_dense, &x, NULL, space);
}

/* The caller asks for the number of elements next, so this waits for it. */
API(cusparseDenseToSparse_analysis, cusparseHandle_t handle, const DenseMatrix *b, SparseMatrix *a,
    int algorithm, void *space)
{
    const Conversion x = {DENSE_TO_SPARSE, a, b, algorithm};
    int status = conversion(handle, run_to_sparse, &x, a, space);
    if (status == CUSPARSE_STATUS_SUCCESS) {
        status = emu_math_status(emu_math.cuStreamSynchronize(handle->stream),
                                 CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_EXECUTION_FAILED);
        a->is_counted = status == CUSPARSE_STATUS_SUCCESS;
    }
    return status;
}

/* Without the analysis there are no offsets, and no memory of the right length. */
API(cusparseDenseToSparse_convert, cusparseHandle_t handle, const DenseMatrix *b, SparseMatrix *a,
    int algorithm, void *space)
{
    const Conversion x = {DENSE_TO_SPARSE, a, b, algorithm};
    size_t bytes = 0;
    if (check_conversion(handle, &x, &bytes) == CUSPARSE_STATUS_SUCCESS && !a->is_counted) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return conversion(handle, run_to_sparse, &x, NULL, space);
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

/* What a caller of csr2cscEx2 passes: the matrix in both formats. */
typedef struct {
    SparseMatrix a, out;
    int action, algorithm;
} Transposed;

static int
check_transposed(cusparseHandle_t handle, const Transposed *x, size_t *bytes)
{
    const SparseMatrix *a = &x->a;
    if (handle == NULL || a->rows < 0 || a->columns < 0 || a->nnz < 0 || (a->base & ~1) != 0 ||
        (x->action & ~1) != 0 || !is_known_type(a->type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    int status = emu_sparse_check(CSR_TO_CSC, x->algorithm, FORMAT_CSR, bytes);
    if (status == CUSPARSE_STATUS_SUCCESS && !is_lapack_type(a->type)) {
        status = CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    return status;
}

#define TRANSPOSED_PARAMETERS                                                                      \
    cusparseHandle_t handle, int m, int n, int nnz, const void *values, const int *offsets,        \
        const int *indices, void *out_values, int *out_offsets, int *out_indices, int type,        \
        int action, int base, int algorithm
#define WITH_INDICES(format, offsets, indices, values)                                             \
    {SPARSE_MATRIX,                                                                                \
     format,                                                                                       \
     INDEX_32I,                                                                                    \
     INDEX_32I,                                                                                    \
     base,                                                                                         \
     type,                                                                                         \
     m,                                                                                            \
     n,                                                                                            \
     nnz,                                                                                          \
     (void *)(uintptr_t)(offsets),                                                                 \
     (void *)(uintptr_t)(indices),                                                                 \
     (void *)(uintptr_t)(values),                                                                  \
     0}
#define TRANSPOSED_ARGUMENTS                                                                       \
    {WITH_INDICES(FORMAT_CSR, offsets, indices, values),                                           \
     WITH_INDICES(FORMAT_CSC, out_offsets, out_indices, out_values), action, algorithm}

API(cusparseCsr2cscEx2_bufferSize, TRANSPOSED_PARAMETERS, size_t *bytes)
{
    const Transposed x = TRANSPOSED_ARGUMENTS;
    size_t found = 0;
    int status = check_transposed(handle, &x, &found);
    return emu_tell_size(status, found, bytes);
}

/* Of a matrix without rows or columns NVIDIA's library looks at the offsets alone. */
API(cusparseCsr2cscEx2, TRANSPOSED_PARAMETERS, void *space)
{
    const Transposed x = TRANSPOSED_ARGUMENTS;
    size_t bytes = 0;
    int status = check_transposed(handle, &x, &bytes);
    if (status == CUSPARSE_STATUS_SUCCESS && (offsets == NULL || out_offsets == NULL)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (status != CUSPARSE_STATUS_SUCCESS || m == 0 || n == 0) {
        return status;
    }
    if (!emu_is_space(space, bytes) || !emu_is_sparse_inside(&x.a) ||
        !emu_is_sparse_inside(&x.out)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    const Work w = {.a = x.a, .out = x.out, .copies_values = action != 0};
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
    if (handle == NULL) {
        return CUSPARSE_STATUS_NOT_INITIALIZED; /* the older functions' status */
    }
    if (a->nnz < 0 || a->rows < 0 || (a->base & ~1) != 0 ||
        !emu_math_is_inside(a->offsets, (size_t)(a->rows + 1) * sizeof(int)) ||
        (a->nnz > 0 && !emu_math_is_inside(a->indices, (size_t)a->nnz * sizeof(int)))) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    return enqueue(handle, run, &(const Work){.a = *a});
}

API(cusparseXcoo2csr, cusparseHandle_t handle, const int *row, int nnz, int m, int *offsets,
    int base)
{
    return rows_and_offsets(handle, run_compress,
                            &(const SparseMatrix){.format = FORMAT_CSR,
                                                  .offset_type = INDEX_32I,
                                                  .index_type = INDEX_32I,
                                                  .base = base,
                                                  .rows = m,
                                                  .nnz = nnz,
                                                  .offsets = offsets,
                                                  .indices = (void *)(uintptr_t)row});
}

API(cusparseXcsr2coo, cusparseHandle_t handle, const int *offsets, int nnz, int m, int *row,
    int base)
{
    return rows_and_offsets(handle, run_expand,
                            &(const SparseMatrix){.format = FORMAT_CSR,
                                                  .offset_type = INDEX_32I,
                                                  .index_type = INDEX_32I,
                                                  .base = base,
                                                  .rows = m,
                                                  .nnz = nnz,
                                                  .offsets = (void *)(uintptr_t)offsets,
                                                  .indices = row});
}
