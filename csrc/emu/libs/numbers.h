/* Numbers of any type of an emulated library's arrays: products of few elements and of mixed types
 * are computed with these, in float64. */
#ifndef EMU_NUMBERS_H
#define EMU_NUMBERS_H

#include "emu/libs/cublas.h"
#include "emu/libs/lapack.h"

typedef struct {
    double re, im;
} Number;

/* Element i of an array, and its new value, rounded once. */
Number emu_get(cudaDataType type, const void *array, int64_t i);
void emu_put(cudaDataType type, void *array, int64_t i, Number value);
Number emu_times(Number a, Number b);
Number emu_plus(Number a, Number b);

/* A factor of a call: its value in the host's pointer mode, its address in the device's. */
typedef struct {
    cudaDataType type;
    const void *address; /* NULL: the value is known */
    Number value;
    int is_misplaced; /* refused: not where the handle's pointer mode says */
} Factor;

Factor emu_factor(cublasHandle_t handle, cudaDataType type, const void *address);
/* Whether a factor or a result of a call is not where the pointer mode says: at NULL, in memory of
 * the device that the host reads, or in memory of the host that the device does. */
int emu_is_misplaced(cublasHandle_t handle, cudaDataType type, const void *address);
/* Called where the work runs. */
Number emu_factor_value(const Factor *factor);

/* A matrix: element (i, j) is `i * row + j * column` elements behind `data`. A vector is a matrix
 * of one column, or of one row. */
typedef struct {
    cudaDataType type;
    int is_transposed, is_conjugate; /* of how a matrix is stored */
    int64_t row, column;
    void *data;
} View;

/* A matrix stored by columns, as op(A) of one of BLAS's operations. */
View emu_matrix(cudaDataType type, cublasOperation_t op, const void *data, int ld);
/* A vector of n elements; BLAS begins at the last one for a negative increment. */
View emu_vector(cudaDataType type, int n, const void *data, int increment);
Number emu_element(const View *view, int64_t i, int64_t j);
void emu_store(const View *view, int64_t i, int64_t j, Number value);
/* A view of so many rows and columns as an array: of columns of the matrix or of its transposed,
 * or else a vector from its lowest address. */
EmuArray emu_view_array(const View *view, int64_t rows, int64_t columns);
/* Tells the device's checks of reads and writes of a view of so many rows and columns. */
void emu_touch_view(const View *view, int64_t rows, int64_t columns, EmuAccess access);

/* Puts work into the stream of a handle; a status of cuBLAS. */
int emu_cublas_enqueue(cublasHandle_t handle, EmuWork work, const void *arguments, size_t bytes);

/* An exported function; the declaration keeps the compiler from asking for one. */
#define API(name, ...)                                                                             \
    EXPORT int name(__VA_ARGS__);                                                                  \
    EXPORT int name(__VA_ARGS__)
#define FOR_REAL_TYPES(macro) macro(S, CUDA_R_32F) macro(D, CUDA_R_64F)
#define FOR_TYPES(macro) FOR_REAL_TYPES(macro) macro(C, CUDA_C_32F) macro(Z, CUDA_C_64F)

#endif
