// <cupy/float16.cuh>, as programs written for CuPy include it: float16.
#ifndef GNP_CUPY_FLOAT16_CUH
#define GNP_CUPY_FLOAT16_CUH

#include "cupy/carray.cuh"

#endif
