// Laguerre's polynomials of complex argument.
#ifndef GNP_SPECIAL_EVAL_LAGUERRE_COMPLEX_CUH
#define GNP_SPECIAL_EVAL_LAGUERRE_COMPLEX_CUH

#include "special/confluent_complex.cuh"

#include "special/eval_laguerre.cuh"

namespace special {

GNP_FN c128 eval_genlaguerre(f64 n, f64 alpha, c128 x) { return laguerre(n, alpha, x); }
GNP_FN c128 eval_laguerre(f64 n, c128 x) { return laguerre(n, 0, x); }
}

#endif
