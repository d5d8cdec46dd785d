// scaled.cuh: a real factor times a number that may be complex, part by part.
#ifndef GNP_SCALED_CUH
#define GNP_SCALED_CUH

#include "gnp.cuh"

GNP_FN f32 scaled(f32 factor, f32 x) { return factor * x; }
GNP_FN f64 scaled(f64 factor, f64 x) { return factor * x; }
template <class F> GNP_FN Complex<F> scaled(F factor, Complex<F> x) { return Complex<F>(factor * x.re, factor * x.im); }

#endif
