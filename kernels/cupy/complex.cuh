// <cupy/complex.cuh>, as programs written for CuPy include it: complex<float>, complex<double> and
// their functions, also in the namespace thrust. Our own vocabulary stays in the namespace gnp.
#ifndef GNP_CUPY_COMPLEX_CUH
#define GNP_CUPY_COMPLEX_CUH

namespace gnp {
#include "names.cuh"
#include "complex.cuh"
} // namespace gnp
#include "user/user.cuh"
#include "user/user_complex.cuh"

#endif
