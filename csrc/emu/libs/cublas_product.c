/* The emulated cuBLAS: products of matrices and vectors, sums of matrices, packed triangles. gpunp
 * calls none of these; programs do, by their addresses.
 *
 * All products are c = alpha * a @ b + beta * c of views. Large ones of one type are SciPy's gemm;
 * others are summed in float64 and rounded once. */
#include "emu/libs/numbers.h"

typedef struct {
    int m, n, k, count;
    View a, b, c;
    int64_t step[3]; /* between matrices of a batch, in elements */
    int is_list;     /* the data of views are lists of addresses in device memory */
    char part;       /* of c that is written: 'A' all, 'L' or 'U' a triangle */
    Factor alpha, beta;
} Work;

/* Queues work, if its arrays are all there: a kernel would fault, or use other memory. */
static int
submit(cublasHandle_t handle, EmuWork work, int is_inside, const Work *w)
{
    if (handle == NULL) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!is_inside || w->alpha.is_misplaced || w->beta.is_misplaced) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return emu_cublas_enqueue(handle, work, w, sizeof *w);
}

/* Whether sizes and leading dimensions are those that cuBLAS accepts. */
static int
is_valid_matrix(const View *view, int rows, int columns)
{
    int64_t stored = view->is_transposed ? columns : rows;
    int64_t ld = view->is_transposed ? view->row : view->column;
    return rows >= 0 && columns >= 0 && ld >= (stored > 1 ? stored : 1);
}

static int
is_valid_op(cublasOperation_t op)
{
    return op >= CUBLAS_OP_N && op <= CUBLAS_OP_C;
}

/* ---- products of views ----------------------------------------------------------------------- */

/* Whether element (i, j) of c is written. */
static int
is_written(const Work *w, int i, int j)
{
    return w->part == 'A' || (w->part == 'L' ? i >= j : i <= j);
}

/* c is not read if beta is 0. */
static void
update(const Work *w, const View *c, int i, int j, Number product)
{
    Number beta = w->beta.value, value = emu_times(w->alpha.value, product);
    if (beta.re != 0 || beta.im != 0) {
        value = emu_plus(value, emu_times(beta, emu_element(c, i, j)));
    }
    emu_store(c, i, j, value);
}

static void
multiply_by_element(const Work *w, const View *a, const View *b, const View *c)
{
    for (int j = 0; j < w->n; j++) {
        for (int i = 0; i < w->m; i++) {
            Number sum = {0, 0};
            if (!is_written(w, i, j)) {
                continue;
            }
            for (int l = 0; l < w->k; l++) {
                sum = emu_plus(sum, emu_times(emu_element(a, i, l), emu_element(b, l, j)));
            }
            update(w, c, i, j, sum);
        }
    }
}

/* BLAS's letter and leading dimension of a view. */
static char
operation(const View *view, int *ld)
{
    *ld = (int)(view->is_transposed ? view->row : view->column);
    return !view->is_transposed ? 'N' : view->is_conjugate ? 'C' : 'T';
}

static void
multiply_by_blas(const Work *w, const View *a, const View *b, const View *c)
{
    int lda, ldb, ldc = (int)c->column;
    char op_a = operation(a, &lda), op_b = operation(b, &ldb);
    cuDoubleComplex alpha, beta; /* or fewer of their bytes */
    emu_put(c->type, &alpha, 0, w->alpha.value);
    emu_put(c->type, &beta, 0, w->beta.value);
    BY_TYPE(c->type, sgemm, dgemm, cgemm, zgemm)
    (&op_a, &op_b, &w->m, &w->n, &w->k, &alpha, a->data, &lda, b->data, &ldb, &beta, c->data, &ldc);
}

/* gemm takes matrices of one type; the columns of a vector are 0 apart. */
static int
fits_blas(const Work *w)
{
    const View *a = &w->a, *b = &w->b, *c = &w->c;
    int are_matrices = a->column != 0 && b->column != 0 && c->column != 0 && b->row != 0;
    return is_lapack_type(c->type) && a->type == c->type && b->type == c->type && w->part == 'A' &&
           are_matrices;
}

/* A view's data in product `i` of a batch. */
static View
member(const Work *w, const View *view, int which, int i)
{
    View one = *view;
    if (w->is_list) {
        one.data = ((void **)view->data)[i];
    }
    else {
        one.data = (char *)one.data + w->step[which] * i * (int64_t)emu_type_bytes(one.type);
    }
    return one;
}

static void
touch_list(const Work *w, const View *view)
{
    if (w->is_list) {
        emu_touch(CUDA_R_64F, view->data, w->count, 1, w->count, EMU_READS); /* of as many bytes */
    }
}

static int
is_absent(const View *view, int rows, int columns)
{
    return view->data == NULL && rows > 0 && columns > 0;
}

static void
run_product(void *arguments)
{
    Work *w = arguments;
    w->alpha = (Factor){.value = emu_factor_value(&w->alpha)};
    w->beta = (Factor){.value = emu_factor_value(&w->beta)};
    int reads = w->beta.value.re != 0 || w->beta.value.im != 0 || w->part != 'A';
    touch_list(w, &w->a);
    touch_list(w, &w->b);
    touch_list(w, &w->c);
    for (int i = 0; i < w->count; i++) {
        View a = member(w, &w->a, 0, i), b = member(w, &w->b, 1, i), c = member(w, &w->c, 2, i);
        if (w->is_list &&
            (is_absent(&a, w->m, w->k) || is_absent(&b, w->k, w->n) || is_absent(&c, w->m, w->n))) {
            emu_math.cuEmuWorkFailed("cuBLAS: a list of matrices has an address of 0");
            return;
        }
        emu_touch_view(&a, w->m, w->k, EMU_READS);
        emu_touch_view(&b, w->k, w->n, EMU_READS);
        emu_touch_view(&c, w->m, w->n, reads ? EMU_READS_AND_WRITES : EMU_WRITES);
        (fits_blas(w) ? multiply_by_blas : multiply_by_element)(w, &a, &b, &c);
    }
}

/* Matrices of a batch from the first one to the last one, or the list of their addresses. */
static int
is_operand_inside(const Work *w, const View *view, int which, int rows, int columns)
{
    if (rows == 0 || columns == 0 || w->count == 0) {
        return 1;
    }
    if (w->is_list) {
        return EMU_ARE_INSIDE(EMU_LIST(view->data, w->count));
    }
    View last = member(w, view, which, w->count - 1);
    return EMU_ARE_INSIDE(emu_view_array(view, rows, columns),
                          emu_view_array(&last, rows, columns));
}

/* Whether a factor is known to be 0, which leaves its operands unread. */
static int
is_zero(const Factor *factor)
{
    return factor->address == NULL && factor->value.re == 0 && factor->value.im == 0;
}

static int
submit_product(cublasHandle_t handle, const Work *w)
{
    int is_inside = (is_zero(&w->alpha) || (is_operand_inside(w, &w->a, 0, w->m, w->k) &&
                                            is_operand_inside(w, &w->b, 1, w->k, w->n))) &&
                    is_operand_inside(w, &w->c, 2, w->m, w->n);
    return submit(handle, run_product, is_inside, w);
}

/* ---- matrices and vectors -------------------------------------------------------------------- */

#define GEMV(L, type)                                                                              \
    API(cublas##L##gemv_v2, cublasHandle_t handle, cublasOperation_t trans, int m, int n,          \
        const void *alpha, const void *a, int lda, const void *x, int incx, const void *beta,      \
        void *y, int incy)                                                                         \
    {                                                                                              \
        int rows = trans == CUBLAS_OP_N ? m : n, inner = trans == CUBLAS_OP_N ? n : m;             \
        Work w = {.m = rows, .n = 1, .k = inner, .count = 1, .part = 'A'};                         \
        w.a = emu_matrix(type, trans, a, lda);                                                     \
        if (!is_valid_op(trans) || incx == 0 || incy == 0 ||                                       \
            !is_valid_matrix(&w.a, rows, inner)) {                                                 \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        w.b = emu_vector(type, inner, x, incx);                                                    \
        w.c = emu_vector(type, rows, y, incy);                                                     \
        w.alpha = emu_factor(handle, type, alpha);                                                 \
        w.beta = emu_factor(handle, type, beta);                                                   \
        return submit_product(handle, &w);                                                         \
    }
FOR_TYPES(GEMV)

/* A product with one inner element, added to a. */
#define GER(name, type, conjugates)                                                                \
    API(cublas##name##_v2, cublasHandle_t handle, int m, int n, const void *alpha, const void *x,  \
        int incx, const void *y, int incy, void *a, int lda)                                       \
    {                                                                                              \
        Work w = {.m = m, .n = n, .k = 1, .count = 1, .part = 'A', .beta.value = {1, 0}};          \
        w.c = emu_matrix(type, CUBLAS_OP_N, a, lda);                                               \
        if (incx == 0 || incy == 0 || !is_valid_matrix(&w.c, m, n)) {                              \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        w.a = emu_vector(type, m, x, incx);                                                        \
        w.b = emu_vector(type, n, y, incy);                                                        \
        w.b.column = w.b.row; /* a row */                                                          \
        w.b.row = 0;                                                                               \
        w.b.is_conjugate = conjugates;                                                             \
        w.alpha = emu_factor(handle, type, alpha);                                                 \
        return submit_product(handle, &w);                                                         \
    }
GER(Sger, CUDA_R_32F, 0)
GER(Dger, CUDA_R_64F, 0)
GER(Cgeru, CUDA_C_32F, 0)
GER(Cgerc, CUDA_C_32F, 1)
GER(Zgeru, CUDA_C_64F, 0)
GER(Zgerc, CUDA_C_64F, 1)

/* A band: element (i, j) of the lower triangle is in row i - j of column j, of the upper one in row
 * k + i - j. */
static void
run_band(void *arguments)
{
    Work *w = arguments;
    w->alpha = (Factor){.value = emu_factor_value(&w->alpha)};
    w->beta = (Factor){.value = emu_factor_value(&w->beta)};
    emu_touch_view(&w->a, w->k + 1, w->m, EMU_READS);
    emu_touch_view(&w->b, w->m, 1, EMU_READS);
    emu_touch_view(&w->c, w->m, 1, EMU_READS_AND_WRITES);
    for (int i = 0; i < w->m; i++) {
        Number sum = {0, 0};
        int first = i > w->k ? i - w->k : 0, last = w->m - 1 - i > w->k ? i + w->k : w->m - 1;
        for (int j = first; j <= last; j++) {
            int row = i > j ? i : j, column = i > j ? j : i; /* of the lower triangle */
            Number value = w->part == 'L' ? emu_element(&w->a, row - column, column)
                                          : emu_element(&w->a, w->k + column - row, row);
            sum = emu_plus(sum, emu_times(value, emu_element(&w->b, j, 0)));
        }
        update(w, &w->c, i, 0, sum);
    }
}

#define SBMV(L, type)                                                                              \
    API(cublas##L##sbmv_v2, cublasHandle_t handle, cublasFillMode_t uplo, int n, int k,            \
        const void *alpha, const void *a, int lda, const void *x, int incx, const void *beta,      \
        void *y, int incy)                                                                         \
    {                                                                                              \
        Work w = {.m = n, .k = k, .part = uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U'};             \
        if ((uplo & ~1) != 0 || n < 0 || k < 0 || lda <= k || incx == 0 || incy == 0) {            \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        w.a = emu_matrix(type, CUBLAS_OP_N, a, lda);                                               \
        w.b = emu_vector(type, n, x, incx);                                                        \
        w.c = emu_vector(type, n, y, incy);                                                        \
        w.alpha = emu_factor(handle, type, alpha);                                                 \
        w.beta = emu_factor(handle, type, beta);                                                   \
        return submit(handle, run_band,                                                            \
                      EMU_ARE_INSIDE(emu_view_array(&w.a, k + 1, n), emu_view_array(&w.b, n, 1),   \
                                     emu_view_array(&w.c, n, 1)),                                  \
                      &w);                                                                         \
    }
FOR_REAL_TYPES(SBMV)

/* ---- matrices -------------------------------------------------------------------------------- */

/* The work of gemm with the views in place; `scale` is the type of the factors. */
static int
multiply(cublasHandle_t handle, cudaDataType scale, const void *alpha, const void *beta, Work *w)
{
    if (w->count < 0 || !is_valid_matrix(&w->a, w->m, w->k) ||
        !is_valid_matrix(&w->b, w->k, w->n) || !is_valid_matrix(&w->c, w->m, w->n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    w->alpha = emu_factor(handle, scale, alpha);
    w->beta = emu_factor(handle, scale, beta);
    return submit_product(handle, w);
}

#define SIZES                                                                                      \
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k
#define OPERANDS(type)                                                                             \
    Work w = {.m = m, .n = n, .k = k, .count = 1, .part = 'A'};                                    \
    if (!is_valid_op(transa) || !is_valid_op(transb)) {                                            \
        return CUBLAS_STATUS_INVALID_VALUE;                                                        \
    }                                                                                              \
    w.a = emu_matrix(type, transa, a, lda);                                                        \
    w.b = emu_matrix(type, transb, b, ldb);                                                        \
    w.c = emu_matrix(type, CUBLAS_OP_N, c, ldc)

#define GEMM(L, type)                                                                              \
    API(cublas##L##gemm_v2, SIZES, const void *alpha, const void *a, int lda, const void *b,       \
        int ldb, const void *beta, void *c, int ldc)                                               \
    {                                                                                              \
        OPERANDS(type);                                                                            \
        return multiply(handle, type, alpha, beta, &w);                                            \
    }                                                                                              \
    API(cublas##L##gemmBatched, SIZES, const void *alpha, const void *a, int lda, const void *b,   \
        int ldb, const void *beta, void *c, int ldc, int count)                                    \
    {                                                                                              \
        OPERANDS(type);                                                                            \
        w.is_list = 1;                                                                             \
        w.count = count;                                                                           \
        return multiply(handle, type, alpha, beta, &w);                                            \
    }                                                                                              \
    API(cublas##L##gemmStridedBatched, SIZES, const void *alpha, const void *a, int lda,           \
        long long step_a, const void *b, int ldb, long long step_b, const void *beta, void *c,     \
        int ldc, long long step_c, int count)                                                      \
    {                                                                                              \
        OPERANDS(type);                                                                            \
        w.step[0] = step_a;                                                                        \
        w.step[1] = step_b;                                                                        \
        w.step[2] = step_c;                                                                        \
        w.count = count;                                                                           \
        return multiply(handle, type, alpha, beta, &w);                                            \
    }
FOR_TYPES(GEMM)

/* What is summed in: halves, floats, doubles or integers; 0 for a number that means none. */
static char
summed_in(cublasComputeType_t compute)
{
    const char kinds[] = "hh..ffddii" /* from 64 */ "ff.f";
    return compute >= 64 && compute < 64 + (int)sizeof kinds - 1 ? kinds[compute - 64] : 0;
}

/* Types of operands and result that go together, with what is summed in. */
static int
types_fit(cudaDataType in, cudaDataType out, cublasComputeType_t compute)
{
    static const struct {
        cudaDataType in, out;
        char sums[2];
    } rows[] = {
        {CUDA_R_16F, CUDA_R_16F, "hf"},   {CUDA_R_16F, CUDA_R_32F, "ff"},
        {CUDA_R_16BF, CUDA_R_16BF, "ff"}, {CUDA_R_16BF, CUDA_R_32F, "ff"},
        {CUDA_R_8I, CUDA_R_32I, "ii"},    {CUDA_R_8I, CUDA_R_32F, "ff"},
        {CUDA_R_32F, CUDA_R_32F, "ff"},   {CUDA_C_32F, CUDA_C_32F, "ff"},
        {CUDA_R_64F, CUDA_R_64F, "dd"},   {CUDA_C_64F, CUDA_C_64F, "dd"},
    };
    char sum = summed_in(compute);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].in == in && rows[i].out == out) {
            return sum == rows[i].sums[0] || sum == rows[i].sums[1];
        }
    }
    return 0;
}

/* The type of the factors. */
static cudaDataType
scale_of(cudaDataType out, cublasComputeType_t compute)
{
    return is_complex(out) || out == CUDA_R_64F ? out
           : summed_in(compute) == 'i'          ? CUDA_R_32I
           : summed_in(compute) == 'h'          ? CUDA_R_16F
                                                : CUDA_R_32F;
}

#define MIXED_OPERANDS                                                                             \
    OPERANDS(type_c);                                                                              \
    w.a.type = type_a;                                                                             \
    w.b.type = type_b;                                                                             \
    if (type_a != type_b || !types_fit(type_a, type_c, compute)) {                                 \
        return CUBLAS_STATUS_NOT_SUPPORTED;                                                        \
    }

API(cublasGemmEx, SIZES, const void *alpha, const void *a, cudaDataType type_a, int lda,
    const void *b, cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c,
    int ldc, cublasComputeType_t compute, int algorithm)
{
    MIXED_OPERANDS(void) algorithm;
    return multiply(handle, scale_of(type_c, compute), alpha, beta, &w);
}

API(cublasGemmStridedBatchedEx, SIZES, const void *alpha, const void *a, cudaDataType type_a,
    int lda, long long step_a, const void *b, cudaDataType type_b, int ldb, long long step_b,
    const void *beta, void *c, cudaDataType type_c, int ldc, long long step_c, int count,
    cublasComputeType_t compute, int algorithm)
{
    MIXED_OPERANDS(void) algorithm;
    w.step[0] = step_a;
    w.step[1] = step_b;
    w.step[2] = step_c;
    w.count = count;
    return multiply(handle, scale_of(type_c, compute), alpha, beta, &w);
}

API(cublasSgemmEx, SIZES, const void *alpha, const void *a, cudaDataType type_a, int lda,
    const void *b, cudaDataType type_b, int ldb, const void *beta, void *c, cudaDataType type_c,
    int ldc)
{
    const cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    MIXED_OPERANDS
    return multiply(handle, CUDA_R_32F, alpha, beta, &w);
}

/* One triangle of the product of a matrix and its own transposed, not conjugated. */
#define SYRK(L, type)                                                                              \
    API(cublas##L##syrk_v2, cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, \
        int n, int k, const void *alpha, const void *a, int lda, const void *beta, void *c,        \
        int ldc)                                                                                   \
    {                                                                                              \
        cublasOperation_t is_transposed = trans != CUBLAS_OP_N;                                    \
        Work w = {.m = n, .n = n, .k = k, .count = 1};                                             \
        if ((uplo & ~1) != 0 || !is_valid_op(trans) || (is_complex(type) && trans > 1)) {          \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        w.part = uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';                                       \
        w.a = emu_matrix(type, is_transposed, a, lda);                                             \
        w.b = emu_matrix(type, !is_transposed, a, lda);                                            \
        w.c = emu_matrix(type, CUBLAS_OP_N, c, ldc);                                               \
        return multiply(handle, type, alpha, beta, &w);                                            \
    }
FOR_TYPES(SYRK)

/* c = alpha * a + beta * b, where a matrix with factor 0 is not read; c may be one of them. */
static void
run_sum(void *arguments)
{
    const Work *w = arguments;
    Number alpha = emu_factor_value(&w->alpha), beta = emu_factor_value(&w->beta);
    int reads_a = alpha.re != 0 || alpha.im != 0, reads_b = beta.re != 0 || beta.im != 0;
    emu_touch_view(&w->a, reads_a ? w->m : 0, w->n, EMU_READS);
    emu_touch_view(&w->b, reads_b ? w->m : 0, w->n, EMU_READS);
    emu_touch_view(&w->c, w->m, w->n, EMU_WRITES);
    for (int j = 0; j < w->n; j++) {
        for (int i = 0; i < w->m; i++) {
            Number zero = {0, 0};
            Number a = reads_a ? emu_times(alpha, emu_element(&w->a, i, j)) : zero;
            Number b = reads_b ? emu_times(beta, emu_element(&w->b, i, j)) : zero;
            emu_store(&w->c, i, j, emu_plus(a, b));
        }
    }
}

static int
submit_sum(cublasHandle_t handle, const Work *w)
{
    int is_inside = EMU_ARE_INSIDE(emu_view_array(&w->a, is_zero(&w->alpha) ? 0 : w->m, w->n),
                                   emu_view_array(&w->b, is_zero(&w->beta) ? 0 : w->m, w->n),
                                   emu_view_array(&w->c, w->m, w->n));
    return submit(handle, run_sum, is_inside, w);
}

#define GEAM(L, type)                                                                              \
    API(cublas##L##geam, cublasHandle_t handle, cublasOperation_t transa,                          \
        cublasOperation_t transb, int m, int n, const void *alpha, const void *a, int lda,         \
        const void *beta, const void *b, int ldb, void *c, int ldc)                                \
    {                                                                                              \
        const int k = 0;                                                                           \
        OPERANDS(type);                                                                            \
        if (!is_valid_matrix(&w.a, m, n) || !is_valid_matrix(&w.b, m, n) ||                        \
            !is_valid_matrix(&w.c, m, n)) {                                                        \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        w.alpha = emu_factor(handle, type, alpha);                                                 \
        w.beta = emu_factor(handle, type, beta);                                                   \
        return submit_sum(handle, &w);                                                             \
    }
FOR_TYPES(GEAM)

/* Rows ('L') or columns ('R') of a, each multiplied by its element of b. */
static void
run_diagonal(void *arguments)
{
    const Work *w = arguments;
    emu_touch_view(&w->a, w->m, w->n, EMU_READS);
    emu_touch_view(&w->b, w->part == 'L' ? w->m : w->n, 1, EMU_READS);
    emu_touch_view(&w->c, w->m, w->n, EMU_WRITES);
    for (int j = 0; j < w->n; j++) {
        for (int i = 0; i < w->m; i++) {
            Number factor = emu_element(&w->b, w->part == 'L' ? i : j, 0);
            emu_store(&w->c, i, j, emu_times(factor, emu_element(&w->a, i, j)));
        }
    }
}

#define DGMM(L, type)                                                                              \
    API(cublas##L##dgmm, cublasHandle_t handle, cublasSideMode_t side, int m, int n,               \
        const void *a, int lda, const void *x, int incx, void *c, int ldc)                         \
    {                                                                                              \
        int is_left = side == CUBLAS_SIDE_LEFT;                                                    \
        Work w = {.m = m, .n = n, .part = is_left ? 'L' : 'R'};                                    \
        w.a = emu_matrix(type, CUBLAS_OP_N, a, lda);                                               \
        w.b = emu_vector(type, is_left ? m : n, x, incx);                                          \
        w.c = emu_matrix(type, CUBLAS_OP_N, c, ldc);                                               \
        if ((side & ~1) != 0 || !is_valid_matrix(&w.a, m, n) || !is_valid_matrix(&w.c, m, n)) {    \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        return submit(handle, run_diagonal,                                                        \
                      EMU_ARE_INSIDE(emu_view_array(&w.a, m, n),                                   \
                                     emu_view_array(&w.b, is_left ? m : n, 1),                     \
                                     emu_view_array(&w.c, m, n)),                                  \
                      &w);                                                                         \
    }
FOR_TYPES(DGMM)

/* ---- packed triangles ------------------------------------------------------------------------ */

/* Columns of a triangle one behind the other: to a matrix, or from one if `k` is 1. */
static void
run_packed(void *arguments)
{
    const Work *w = arguments;
    int64_t n = w->n, size = n * (n + 1) / 2, next = 0;
    emu_touch_view(&w->b, size, 1, w->k ? EMU_WRITES : EMU_READS);
    for (int64_t j = 0; j < n; j++) {
        int64_t first = w->part == 'L' ? j : 0, last = w->part == 'L' ? n - 1 : j;
        View column = w->a;
        column.data = (char *)column.data +
                      (first + j * column.column) * (int64_t)emu_type_bytes(column.type);
        emu_touch_view(&column, last - first + 1, 1, w->k ? EMU_READS : EMU_WRITES);
        for (int64_t i = 0; i <= last - first; i++, next++) {
            if (w->k) {
                emu_store(&w->b, next, 0, emu_element(&column, i, 0));
            }
            else {
                emu_store(&column, i, 0, emu_element(&w->b, next, 0));
            }
        }
    }
}

static int
pack(cublasHandle_t handle, cublasFillMode_t uplo, Work *w)
{
    w->part = uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
    if ((uplo & ~1) != 0 || !is_valid_matrix(&w->a, w->n, w->n)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    int64_t n = w->n;
    return submit(
        handle, run_packed,
        EMU_ARE_INSIDE(emu_view_array(&w->a, n, n), emu_view_array(&w->b, n * (n + 1) / 2, 1)), w);
}

#define PACKED(L, type)                                                                            \
    API(cublas##L##tpttr, cublasHandle_t handle, cublasFillMode_t uplo, int n, const void *packed, \
        void *a, int lda)                                                                          \
    {                                                                                              \
        Work w = {.n = n, .a = emu_matrix(type, CUBLAS_OP_N, a, lda)};                             \
        w.b = emu_vector(type, n, packed, 1);                                                      \
        return pack(handle, uplo, &w);                                                             \
    }                                                                                              \
    API(cublas##L##trttp, cublasHandle_t handle, cublasFillMode_t uplo, int n, const void *a,      \
        int lda, void *packed)                                                                     \
    {                                                                                              \
        Work w = {.n = n, .k = 1, .a = emu_matrix(type, CUBLAS_OP_N, a, lda)};                     \
        w.b = emu_vector(type, n, packed, 1);                                                      \
        return pack(handle, uplo, &w);                                                             \
    }
FOR_REAL_TYPES(PACKED)
