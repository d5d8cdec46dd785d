// basic_complex.cuh: products with logarithms of complex numbers.
#ifndef GNP_SPECIAL_BASIC_COMPLEX_CUH
#define GNP_SPECIAL_BASIC_COMPLEX_CUH

#include "complex.cuh"
#include "special/basic.cuh"

namespace special {

GNP_FN bool is_plain_zero(c128 x, c128 y) { return x.re == 0 && x.im == 0 && y.re == y.re && y.im == y.im; }

template <class F> GNP_FN Complex<F> xlogy(Complex<F> a, Complex<F> b)
{
    c128 x = a, y = b;
    return is_plain_zero(x, y) ? c128(0.0, 0.0) : x * log(y);
}
template <class F> GNP_FN Complex<F> xlog1py(Complex<F> a, Complex<F> b)
{
    c128 x = a, y = b;
    return is_plain_zero(x, y) ? c128(0.0, 0.0) : x * log1p(y);
}
}

#endif
