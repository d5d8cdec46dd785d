// <cupy/hip_workaround.cuh>, as programs written for CuPy include it: on CUDA it has nothing.
#ifndef GNP_CUPY_HIP_WORKAROUND_CUH
#define GNP_CUPY_HIP_WORKAROUND_CUH

#endif
