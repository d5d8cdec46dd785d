/* The emulated cuSPARSE: handles, descriptors, and what its files share.
 *
 * Handles are cuBLAS's: a stream, and where factors are. */
#ifndef EMU_CUSPARSE_H
#define EMU_CUSPARSE_H

#include "emu/libs/numbers.h"

enum {
    CUSPARSE_STATUS_SUCCESS = 0,
    CUSPARSE_STATUS_NOT_INITIALIZED = 1,
    CUSPARSE_STATUS_ALLOC_FAILED = 2,
    CUSPARSE_STATUS_INVALID_VALUE = 3,
    CUSPARSE_STATUS_EXECUTION_FAILED = 6,
    CUSPARSE_STATUS_NOT_SUPPORTED = 10,
};
enum { FORMAT_CSR = 1, FORMAT_CSC = 2, FORMAT_COO = 3 };
enum { INDEX_16U = 1, INDEX_32I = 2, INDEX_64I = 3 };
enum { ORDER_COLUMN = 1, ORDER_ROW = 2 };

typedef struct cublasContext *cusparseHandle_t;

/* What a descriptor begins with. One of another kind, or that was destroyed, is refused. */
typedef enum { NO_DESCRIPTOR, SPARSE_MATRIX = 0x5370, DENSE_MATRIX, DENSE_VECTOR } Kind;

/* A matrix: `offsets` are those of rows or columns, or the rows of format coo. */
typedef struct {
    Kind kind;
    int format, offset_type, index_type, base;
    cudaDataType type;
    int64_t rows, columns, nnz;
    void *offsets, *indices, *values;
    int is_counted; /* by the analysis of a conversion, which precedes the conversion itself */
} SparseMatrix;

/* A dense matrix; a vector is one of one column. */
typedef struct {
    Kind kind;
    cudaDataType type;
    int order;
    int64_t rows, columns, ld;
    void *values;
} DenseMatrix;

/* The numbers of cudaDataType that cuSPARSE has: 8, 16, 32 and 64 bits, real and complex; as bits.
 * Descriptors of some are made there, and no other function here computes with them. */
static inline int
is_known_type(int type)
{
    return type >= 0 && type < 16 && (0xC47F >> type & 1) != 0;
}

static inline int
is_sparse(const SparseMatrix *a)
{
    return a != NULL && a->kind == SPARSE_MATRIX;
}
static inline int
is_dense(const DenseMatrix *a, Kind kind)
{
    return a != NULL && a->kind == kind;
}

typedef enum { SPMV, SPMM, SPARSE_TO_DENSE, DENSE_TO_SPARSE, CSR_TO_CSC } Routine;

/* An algorithm by its number: the formats it takes, those for which it asks for working space, and
 * whether it takes A as it is alone, and no conjugated B. */
typedef struct {
    Routine routine;
    int number, formats, formats_with_space, is_plain;
} Algorithm;

/* NULL: there is no algorithm of that number. */
const Algorithm *emu_sparse_algorithm(Routine routine, int number);
/* Whether an algorithm takes a format, and the bytes of working space it asks for. */
int emu_sparse_check(Routine routine, int number, int format, size_t *bytes);
/* Whether a working space is there. NVIDIA's library does not look: it faults where there is none,
 * and overwrites other memory where it is short. */
int emu_is_space(const void *space, size_t bytes);
/* The answer of a function that asks for the size of the working space. */
int emu_tell_size(int status, size_t found, size_t *bytes);

/* Whether the memory of a matrix is as long as its sizes say. */
int emu_is_sparse_inside(const SparseMatrix *a);
int emu_is_dense_inside(const DenseMatrix *a);

#endif
