/* The emulated cuSPARSE: handles and descriptors. gpunp calls none of these; programs do, by their
 * addresses. A descriptor is copied into the work that uses it, so it may be destroyed at once. */
#include "emu/libs/cusparse.h"

#include <stdlib.h>

enum { VERSION = 12600 };

/* ---- handles --------------------------------------------------------------------------------- */

API(cusparseCreate, cusparseHandle_t *handle)
{
    *handle = calloc(1, sizeof **handle);
    return *handle != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

API(cusparseDestroy, cusparseHandle_t handle)
{
    free(handle);
    return handle != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_INITIALIZED;
}

/* A function of a handle that must be one. */
#define OF_HANDLE(name, parameter, statement)                                                      \
    API(cusparse##name, cusparseHandle_t handle, parameter)                                        \
    {                                                                                              \
        if (handle == NULL) {                                                                      \
            return CUSPARSE_STATUS_NOT_INITIALIZED;                                                \
        }                                                                                          \
        statement;                                                                                 \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
OF_HANDLE(GetVersion, int *version, *version = VERSION)
OF_HANDLE(SetStream, cudaStream_t stream, handle->stream = stream)
OF_HANDLE(GetStream, cudaStream_t *stream, *stream = handle->stream)
OF_HANDLE(SetPointerMode, int mode, handle->pointer_mode = mode)
OF_HANDLE(GetPointerMode, int *mode, *mode = handle->pointer_mode)

/* ---- sparse matrices ------------------------------------------------------------------------- */

static size_t
index_bytes(int type)
{
    return type == INDEX_64I ? 8 : 4;
}

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
create_sparse(SparseMatrix **out, const SparseMatrix *a)
{
    if (out == NULL || a->rows < 0 || a->columns < 0 || a->nnz < 0 || a->base < 0 || a->base > 1 ||
        a->rows > INT64_MAX / 16 || a->columns > INT64_MAX / 16 || a->nnz > INT64_MAX / 16) {
        return CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (!is_lapack_type(a->type) || (a->offset_type != INDEX_32I && a->offset_type != INDEX_64I) ||
        (a->index_type != INDEX_32I && a->index_type != INDEX_64I)) {
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
    *out = malloc(sizeof **out);
    if (*out == NULL) {
        return CUSPARSE_STATUS_ALLOC_FAILED;
    }
    **out = *a;
    return CUSPARSE_STATUS_SUCCESS;
}

API(cusparseCreateCoo, SparseMatrix **out, int64_t rows, int64_t columns, int64_t nnz, void *row,
    void *column, void *values, int index_type, int base, int type)
{
    const SparseMatrix a = {FORMAT_COO, index_type, index_type, base,   type,  rows,
                            columns,    nnz,        row,        column, values};
    return create_sparse(out, &a);
}

#define COMPRESSED(name, number)                                                                   \
    API(cusparseCreate##name, SparseMatrix **out, int64_t rows, int64_t columns, int64_t nnz,      \
        void *offsets, void *indices, void *values, int offset_type, int index_type, int base,     \
        int type)                                                                                  \
    {                                                                                              \
        const SparseMatrix a = {number,  offset_type, index_type, base,    type,  rows,            \
                                columns, nnz,         offsets,    indices, values};                \
        return create_sparse(out, &a);                                                             \
    }
COMPRESSED(Csr, FORMAT_CSR)
COMPRESSED(Csc, FORMAT_CSC)

API(cusparseDestroySpMat, SparseMatrix *a)
{
    free(a);
    return a != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

API(cusparseCooGet, const SparseMatrix *a, int64_t *rows, int64_t *columns, int64_t *nnz,
    void **row, void **column, void **values, int *index_type, int *base, int *type)
{
    *rows = a->rows, *columns = a->columns, *nnz = a->nnz;
    *row = a->offsets, *column = a->indices, *values = a->values;
    *index_type = a->index_type, *base = a->base, *type = a->type;
    return CUSPARSE_STATUS_SUCCESS;
}

API(cusparseCsrGet, const SparseMatrix *a, int64_t *rows, int64_t *columns, int64_t *nnz,
    void **offsets, void **indices, void **values, int *offset_type, int *index_type, int *base,
    int *type)
{
    *offset_type = a->offset_type;
    return cusparseCooGet(a, rows, columns, nnz, offsets, indices, values, index_type, base, type);
}

/* What is set and what is asked. */
#define OF_SPARSE(name, parameter, statement)                                                      \
    API(cusparse##name, SparseMatrix *a, parameter)                                                \
    {                                                                                              \
        statement;                                                                                 \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
OF_SPARSE(SpMatGetFormat, int *format, *format = a->format)
OF_SPARSE(SpMatGetIndexBase, int *base, *base = a->base)
OF_SPARSE(SpMatGetValues, void **values, *values = a->values)
OF_SPARSE(SpMatSetValues, void *values, a->values = values)

API(cusparseSpMatGetSize, const SparseMatrix *a, int64_t *rows, int64_t *columns, int64_t *nnz)
{
    *rows = a->rows, *columns = a->columns, *nnz = a->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}

#define SET_POINTERS(name)                                                                         \
    API(cusparse##name##SetPointers, SparseMatrix *a, void *offsets, void *indices, void *values)  \
    {                                                                                              \
        a->offsets = offsets, a->indices = indices, a->values = values;                            \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }
SET_POINTERS(Csr)
SET_POINTERS(Csc)
SET_POINTERS(Coo)

/* ---- dense matrices and vectors -------------------------------------------------------------- */

int
emu_is_dense_inside(const DenseMatrix *a)
{
    int64_t lines = a->order == ORDER_COLUMN ? a->columns : a->rows;
    int64_t last = a->order == ORDER_COLUMN ? a->rows : a->columns;
    size_t bytes = 0;
    if (lines == 0 || last == 0) {
        return 1;
    }
    return !__builtin_mul_overflow((size_t)((lines - 1) * a->ld + last), emu_type_bytes(a->type),
                                   &bytes) &&
           emu_math_is_inside(a->values, bytes);
}

static int
create_dense(DenseMatrix **out, const DenseMatrix *a)
{
    int64_t least = a->order == ORDER_COLUMN ? a->rows : a->columns;
    if (out == NULL || a->rows < 0 || a->columns < 0 || a->ld < least || a->ld > INT32_MAX ||
        a->rows > INT32_MAX || a->columns > INT32_MAX ||
        (a->order != ORDER_COLUMN && a->order != ORDER_ROW)) {
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
    return create_dense(out, &(const DenseMatrix){type, order, rows, columns, ld, values});
}

API(cusparseCreateDnVec, DenseMatrix **out, int64_t size, void *values, int type)
{
    return create_dense(out, &(const DenseMatrix){type, ORDER_ROW, size, 1, 1, values});
}

API(cusparseDnMatGet, const DenseMatrix *a, int64_t *rows, int64_t *columns, int64_t *ld,
    void **values, int *type, int *order)
{
    *rows = a->rows, *columns = a->columns, *ld = a->ld;
    *values = a->values, *type = a->type, *order = a->order;
    return CUSPARSE_STATUS_SUCCESS;
}

API(cusparseDnVecGet, const DenseMatrix *a, int64_t *size, void **values, int *type)
{
    *size = a->rows, *values = a->values, *type = a->type;
    return CUSPARSE_STATUS_SUCCESS;
}

#define OF_DENSE(name)                                                                             \
    API(cusparse##name##GetValues, const DenseMatrix *a, void **values)                            \
    {                                                                                              \
        *values = a->values;                                                                       \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    API(cusparse##name##SetValues, DenseMatrix *a, void *values)                                   \
    {                                                                                              \
        a->values = values;                                                                        \
        return CUSPARSE_STATUS_SUCCESS;                                                            \
    }                                                                                              \
    API(cusparseDestroy##name, DenseMatrix *a)                                                     \
    {                                                                                              \
        free(a);                                                                                   \
        return a != NULL ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;                \
    }
OF_DENSE(DnVec)
OF_DENSE(DnMat)
