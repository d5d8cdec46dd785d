/* The binary interface of cuBLAS and cuBLASLt, as far as gpunp uses it; see library_abi.h. */
#ifndef GNP_CUBLAS_ABI_H
#define GNP_CUBLAS_ABI_H

#include "lib/library_abi.h"

typedef struct cublasContext *cublasHandle_t;
typedef struct cublasLtContext *cublasLtHandle_t;

typedef int cublasMath_t;
enum { CUBLAS_DEFAULT_MATH = 0, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3 };

#endif
