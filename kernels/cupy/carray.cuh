// <cupy/carray.cuh>, as programs written for CuPy include it: float16, CArray, CIndexer, integers of
// fixed size.
#ifndef GNP_CUPY_CARRAY_CUH
#define GNP_CUPY_CARRAY_CUH

namespace gnp {
#include "names.cuh"
#include "math.cuh"
} // namespace gnp
#include "user/user.cuh"

#endif
