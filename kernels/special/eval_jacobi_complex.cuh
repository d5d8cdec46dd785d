// Polynomials of Jacobi, Gegenbauer and Legendre of complex argument.
#ifndef GNP_SPECIAL_EVAL_JACOBI_COMPLEX_CUH
#define GNP_SPECIAL_EVAL_JACOBI_COMPLEX_CUH

#include "special/gauss_complex.cuh"

#include "special/eval_jacobi.cuh"

namespace special {

GNP_FN c128 eval_jacobi(f64 n, f64 alpha, f64 beta, c128 x) { return jacobi<c128>(n, alpha, beta, scaled(x - c128(1.0), 0.5), scaled(x + c128(1.0), -0.5)); }
GNP_FN c128 eval_sh_jacobi(f64 n, f64 p, f64 q, c128 x)
{
    return scaled(jacobi<c128>(n, p - q, q - 1, x - c128(1.0), -x), shifted_factor(n, p));
}
GNP_FN c128 eval_gegenbauer(f64 n, f64 alpha, c128 x) { return gegenbauer<c128>(n, alpha, x); }
GNP_FN c128 eval_legendre(f64 n, c128 x) { return legendre<c128>(n, scaled(x - c128(1.0), 0.5), scaled(x + c128(1.0), -0.5)); }
GNP_FN c128 eval_sh_legendre(f64 n, c128 x) { return legendre<c128>(n, x - c128(1.0), -x); }
}

#endif
