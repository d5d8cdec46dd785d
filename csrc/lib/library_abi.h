/* What NVIDIA's libraries have in common in their binary interfaces. Our own declarations under
 * NVIDIA's names: building needs no toolkit; tests/lib/test_abi.py compares them with its headers.
 * Enumerations are plain int, and only values somebody uses are listed. */
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

typedef struct {
    float x, y;
} cuComplex;
typedef struct {
    double x, y;
} cuDoubleComplex;

#endif
