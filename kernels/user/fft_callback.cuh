// fft_callback.cuh: what functions of the caller that cuFFT would call are written with, and the loops that call
// them (gpunp/fft/_callback.py). The types are those of cufftXt.h, which may be included as well.
#ifndef GNP_FFT_CALLBACK_CUH
#define GNP_FFT_CALLBACK_CUH

typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;

#define GNP_CALLBACK(TYPE, SUFFIX)                                                                 \
    typedef TYPE (*cufftCallbackLoad##SUFFIX)(void *, size_t, void *, void *);                     \
    typedef void (*cufftCallbackStore##SUFFIX)(void *, size_t, TYPE, void *, void *);              \
    typedef TYPE (*cufftJITCallbackLoad##SUFFIX)(void *, unsigned long long, void *, void *);      \
    typedef void (*cufftJITCallbackStore##SUFFIX)(                                                 \
        void *, unsigned long long, TYPE, void *, void *);
GNP_CALLBACK(cufftComplex, C)
GNP_CALLBACK(cufftDoubleComplex, Z)
GNP_CALLBACK(cufftReal, R)
GNP_CALLBACK(cufftDoubleReal, D)
#undef GNP_CALLBACK

// Element after element; `call` has the name of the caller's function.
template <class Call> __device__ __forceinline__ void each_element(size_t n, Call call)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        call(i);
    }
}

#endif
