// <cupy/atomics.cuh>, as programs written for CuPy include it: atomic functions that CUDA lacks.
#ifndef GNP_CUPY_ATOMICS_CUH
#define GNP_CUPY_ATOMICS_CUH

#include "cupy/carray.cuh"
#include "user/user_atomic.cuh"

#endif
