// multiply_add.cuh: sum += a * b, rounded once where the processor does so. Kernels are compiled without contraction.
#ifndef GNP_MULTIPLY_ADD_CUH
#define GNP_MULTIPLY_ADD_CUH

#include "gnp.cuh"

GNP_FN void multiply_add(f32 &sum, f32 a, f32 b) { sum = fmaf(a, b, sum); }
GNP_FN void multiply_add(f64 &sum, f64 a, f64 b) { sum = fma(a, b, sum); }
template <class F> GNP_FN void multiply_add(Complex<F> &sum, Complex<F> a, Complex<F> b)
{
    multiply_add(sum.re, a.re, b.re);
    multiply_add(sum.im, a.re, b.im);
    multiply_add(sum.re, -a.im, b.im);
    multiply_add(sum.im, a.im, b.re);
}

#endif
