/* The part that NVIDIA's libraries have in common in their binary interfaces. Our own declarations
 * under NVIDIA's names: building needs no toolkit; tests/lib/test_library_abi.py compares them with
 * its headers. Enumerations are plain int, and only values in use are listed. */
#ifndef GNP_LIBRARY_ABI_H
#define GNP_LIBRARY_ABI_H

#include "cuda/cuda_abi.h"

#include <stddef.h>
#include <stdint.h>

typedef CUstream cudaStream_t;
typedef int libraryPropertyType; /* MAJOR_VERSION 0, MINOR_VERSION 1, PATCH_LEVEL 2 */

typedef int cudaDataType;
enum {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
};

typedef int cublasOperation_t; /* cuSOLVER's too, as the next three */
enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
typedef int cublasFillMode_t;
enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
typedef int cublasDiagType_t;
enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
typedef int cublasSideMode_t;
enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };

typedef struct {
    float x, y;
} cuComplex;
typedef struct {
    double x, y;
} cuDoubleComplex;

#endif
