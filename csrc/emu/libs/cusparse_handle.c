/* The emulated cuSPARSE: handles and descriptors. gpunp calls none of these; programs do, by their
 * addresses. A descriptor is copied into the work that uses it, so it may be destroyed at once.
 *
 * What is refused, and with which status, was asked of cuSPARSE 12.6, whose functions of
 * descriptors run without a GPU: tests/cuda/test_library_refusals.py compares both. */
#include "emu/libs/cusparse.h"

#include <stdlib.h>

enum { VERSION = 12600 };

/* Whether one of the places for results is absent. */
static int
has_null(const void *const *places, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (places[i] == NULL) {
            return 1;
        }
    }
    return 0;
}
#define HAS_NULL(...)                                                                              \
    has_null((const void *const[]){__VA_ARGS__},                                                   \
             sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))

/* ---- handles --------------------------------------------------------------------------------- */

API(cusparseCreate, cusparseHandle_t *handle)
{
    if (handle == NULL) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *handle = calloc(1, sizeof **handle);
    return *handle != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

API(cusparseDestroy, cusparseHandle_t handle)
{
    free(handle); /* NULL, too, is a success */
    return CUSPARSE_STATUS_SUCCESS;
}

/* A function of a handle that must be one; `is_wrong` says that its other argument is not. */
#define OF_HANDLE(name, parameter, is_wrong, statement)                                            \
    API(cusparse##name, cusparseHandle_t handle, parameter)                                        \
    {                                                                                              \
        if (handle == NULL || (is_wrong)) {                                                        \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        statement;                                                                                 \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
OF_HANDLE(GetVersion, int *version, version == NULL, *version = VERSION)
OF_HANDLE(SetStream, cudaStream_t stream, 0, handle->stream = stream)
OF_HANDLE(GetStream, cudaStream_t *stream, stream == NULL, *stream = handle->stream)
OF_HANDLE(SetPointerMode, int mode, (mode & ~1) != 0, handle->pointer_mode = mode)
OF_HANDLE(GetPointerMode, int *mode, mode == NULL, *mode = handle->pointer_mode)

/* ---- what descriptors have in common --------------------------------------------------------- */

static int
is_known_index(int type)
{
    return type == INDEX_16U || type == INDEX_32I || type == INDEX_64I;
}

static size_t
index_bytes(int type)
{
    return type == INDEX_64I ? 8 : 4;
}

/* NULL is aligned: memory may come later. */
static int
is_aligned(const void *address, size_t bytes)
{
    return (uintptr_t)address % bytes == 0;
}

/* Sets the address of the values of a descriptor. */
static int
set_values(void **values, void *address, cudaDataType type)
{
    if (!is_aligned(address, emu_type_bytes(type))) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *values = address;
    return CUSPARSE_STATUS_SUCCESS;
}

/* Ends a descriptor, whose first member is its kind. */
static int
destroy(Kind *descriptor, Kind kind)
{
    if (descriptor != NULL && *descriptor != kind) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (descriptor != NULL) {
        *(volatile Kind *)descriptor = NO_DESCRIPTOR; /* kept although the memory is freed */
    }
    free(descriptor); /* NULL, too, is a success */
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- sparse matrices ------------------------------------------------------------------------- */

static int64_t
offset_count(const SparseMatrix *a)
{
    return a->format == FORMAT_COO ? a->nnz : 1 + (a->format == FORMAT_CSR ? a->rows : a->columns);
}

int
emu_is_sparse_inside(const SparseMatrix *a)
{
    size_t offsets = (size_t)offset_count(a) * index_bytes(a->offset_type);
    return (offsets == 0 || emu_math_is_inside(a->offsets, offsets)) &&
           (a->nnz == 0 ||
            (emu_math_is_inside(a->indices, (size_t)a->nnz * index_bytes(a->index_type)) &&
             emu_math_is_inside(a->values, (size_t)a->nnz * emu_type_bytes(a->type))));
}

static int
are_aligned(const SparseMatrix *a)
{
    return is_aligned(a->offsets, index_bytes(a->offset_type)) &&
           is_aligned(a->indices, index_bytes(a->index_type)) &&
           is_aligned(a->values, emu_type_bytes(a->type));
}

/* Sizes that numbers of the index type hold, the number of elements where it is an offset, and no
 * more elements than the matrix has places. */
static int
are_sizes(const SparseMatrix *a)
{
    const int64_t most = INT64_MAX / 16; /* of bytes, too */
    int64_t limit = a->index_type == INDEX_64I ? most : INT32_MAX - a->base, places = 0;
    if (a->rows < 0 || a->columns < 0 || a->nnz < 0 || a->rows > limit || a->columns > limit ||
        a->nnz > (a->format == FORMAT_COO ? most : limit)) {
        return 0;
    }
    return __builtin_mul_overflow(a->rows, a->columns, &places) || a->nnz <= places;
}

static int
create_sparse(SparseMatrix **out, const SparseMatrix *a)
{
    if (out == NULL || (a->base & ~1) != 0 || !is_known_index(a->offset_type) ||
        !is_known_index(a->index_type) || !is_known_type(a->type) || !are_sizes(a) ||
        !are_aligned(a)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (a->offset_type != a->index_type || a->index_type == INDEX_16U || !is_lapack_type(a->type)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    *out = malloc(sizeof **out);
    if (*out == NULL) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = *a;
    return CUSPARSE_STATUS_SUCCESS;
}

static int
set_pointers(SparseMatrix *a, int format, void *offsets, void *indices, void *values)
{
    if (!is_sparse(a) || a->format != format) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    SparseMatrix changed = *a;
    changed.offsets = offsets, changed.indices = indices, changed.values = values;
    if (!are_aligned(&changed)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *a = changed;
    return CUSPARSE_STATUS_SUCCESS;
}

#define SET_POINTERS(name, number)                                                                 \
    API(cusparse##name##SetPointers, SparseMatrix *a, void *offsets, void *indices, void *values)  \
    {                                                                                              \
        return set_pointers(a, number, offsets, indices, values);                                  \
    }

#define COMPRESSED(name, number)                                                                   \
    API(cusparseCreate##name, SparseMatrix **out, int64_t rows, int64_t columns, int64_t nnz,      \
        void *offsets, void *indices, void *values, int offset_type, int index_type, int base,     \
        int type)                                                                                  \
    {                                                                                              \
        const SparseMatrix a = {                                                                   \
            SPARSE_MATRIX, number, offset_type, index_type, base,   type, rows,                    \
            columns,       nnz,    offsets,     indices,    values, 0};                            \
        return create_sparse(out, &a);                                                             \
    }                                                                                              \
    API(cusparse##name##Get, const SparseMatrix *a, int64_t *rows, int64_t *columns, int64_t *nnz, \
        void **offsets, void **indices, void **values, int *offset_type, int *index_type,          \
        int *base, int *type)                                                                      \
    {                                                                                              \
        if (!is_sparse(a) || a->format != number ||                                                \
            HAS_NULL(rows, columns, nnz, offsets, indices, values, offset_type, index_type, base,  \
                     type)) {                                                                      \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        *rows = a->rows, *columns = a->columns, *nnz = a->nnz;                                     \
        *offsets = a->offsets, *indices = a->indices, *values = a->values;                         \
        *offset_type = a->offset_type, *index_type = a->index_type;                                \
        *base = a->base, *type = a->type;                                                          \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    SET_POINTERS(name, number)
COMPRESSED(Csr, FORMAT_CSR)
COMPRESSED(Csc, FORMAT_CSC)

API(cusparseCreateCoo, SparseMatrix **out, int64_t rows, int64_t columns, int64_t nnz, void *row,
    void *column, void *values, int index_type, int base, int type)
{
    const SparseMatrix a = {SPARSE_MATRIX, FORMAT_COO, index_type, index_type, base,   type, rows,
                            columns,       nnz,        row,        column,     values, 0};
    return create_sparse(out, &a);
}

API(cusparseCooGet, const SparseMatrix *a, int64_t *rows, int64_t *columns, int64_t *nnz,
    void **row, void **column, void **values, int *index_type, int *base, int *type)
{
    if (!is_sparse(a) || a->format != FORMAT_COO ||
        HAS_NULL(rows, columns, nnz, row, column, values, index_type, base, type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *rows = a->rows, *columns = a->columns, *nnz = a->nnz;
    *row = a->offsets, *column = a->indices, *values = a->values;
    *index_type = a->index_type, *base = a->base, *type = a->type;
    return CUSPARSE_STATUS_SUCCESS;
}
SET_POINTERS(Coo, FORMAT_COO)

API(cusparseDestroySpMat, SparseMatrix *a)
{
    return destroy((Kind *)a, SPARSE_MATRIX);
}

API(cusparseSpMatGetSize, const SparseMatrix *a, int64_t *rows, int64_t *columns, int64_t *nnz)
{
    if (!is_sparse(a) || HAS_NULL(rows, columns, nnz)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *rows = a->rows, *columns = a->columns, *nnz = a->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}

/* What is asked of a descriptor. */
#define GETTER(name, descriptor, is_right, type, field)                                            \
    API(cusparse##name, const descriptor *a, type *value)                                          \
    {                                                                                              \
        if (!(is_right) || value == NULL) {                                                        \
            return CUSPARSE_STATUS_INVALID_VALUE;                                                  \
        }                                                                                          \
        *value = a->field;                                                                         \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
GETTER(SpMatGetFormat, SparseMatrix, is_sparse(a), int, format)
GETTER(SpMatGetIndexBase, SparseMatrix, is_sparse(a), int, base)
GETTER(SpMatGetValues, SparseMatrix, is_sparse(a), void *, values)

API(cusparseSpMatSetValues, SparseMatrix *a, void *values)
{
    return is_sparse(a) ? set_values(&a->values, values, a->type) : CUSPARSE_STATUS_INVALID_VALUE;
}

/* ---- dense matrices and vectors -------------------------------------------------------------- */

int
emu_is_dense_inside(const DenseMatrix *a)
{
    int by_columns = a->order == ORDER_COLUMN;
    const EmuArray array = {.type = a->type,
                            .a = a->values,
                            .rows = by_columns ? a->rows : a->columns,
                            .columns = by_columns ? a->columns : a->rows,
                            .ld = a->ld};
    return emu_are_inside(&array, 1);
}

static int
create_dense(DenseMatrix **out, const DenseMatrix *a)
{
    int64_t least = a->order == ORDER_COLUMN ? a->rows : a->columns;
    if (out == NULL || a->rows < 0 || a->columns < 0 || a->ld < least || a->ld > INT32_MAX ||
        a->rows > INT32_MAX || a->columns > INT32_MAX ||
        (a->order != ORDER_COLUMN && a->order != ORDER_ROW) || !is_known_type(a->type) ||
        !is_aligned(a->values, emu_type_bytes(a->type))) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (!is_lapack_type(a->type)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    *out = malloc(sizeof **out);
    if (*out == NULL) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = *a;
    return CUSPARSE_STATUS_SUCCESS;
}

API(cusparseCreateDnMat, DenseMatrix **out, int64_t rows, int64_t columns, int64_t ld, void *values,
    int type, int order)
{
    const DenseMatrix a = {DENSE_MATRIX, type, order, rows, columns, ld, values};
    return create_dense(out, &a);
}

API(cusparseCreateDnVec, DenseMatrix **out, int64_t size, void *values, int type)
{
    const DenseMatrix a = {DENSE_VECTOR, type, ORDER_ROW, size, 1, 1, values};
    return create_dense(out, &a);
}

API(cusparseDnMatGet, const DenseMatrix *a, int64_t *rows, int64_t *columns, int64_t *ld,
    void **values, int *type, int *order)
{
    if (!is_dense(a, DENSE_MATRIX) || HAS_NULL(rows, columns, ld, values, type, order)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *rows = a->rows, *columns = a->columns, *ld = a->ld;
    *values = a->values, *type = a->type, *order = a->order;
    return CUSPARSE_STATUS_SUCCESS;
}

API(cusparseDnVecGet, const DenseMatrix *a, int64_t *size, void **values, int *type)
{
    if (!is_dense(a, DENSE_VECTOR) || HAS_NULL(size, values, type)) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    *size = a->rows, *values = a->values, *type = a->type;
    return CUSPARSE_STATUS_SUCCESS;
}

#define OF_DENSE(name, kind)                                                                       \
    GETTER(name##GetValues, DenseMatrix, is_dense(a, kind), void *, values)                        \
    API(cusparse##name##SetValues, DenseMatrix *a, void *values)                                   \
    {                                                                                              \
        return is_dense(a, kind) ? set_values(&a->values, values, a->type)                         \
                                 : CUSPARSE_STATUS_INVALID_VALUE;                                  \
    }                                                                                              \
    API(cusparseDestroy##name, DenseMatrix *a)                                                     \
    {                                                                                              \
        return destroy((Kind *)a, kind);                                                           \
    }
OF_DENSE(DnVec, DENSE_VECTOR)
OF_DENSE(DnMat, DENSE_MATRIX)
