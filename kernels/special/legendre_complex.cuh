// Associated Legendre functions of complex arguments: legendre.cuh with complex square roots.
#ifndef GNP_SPECIAL_LEGENDRE_COMPLEX_CUH
#define GNP_SPECIAL_LEGENDRE_COMPLEX_CUH

#include "complex.cuh"
#include "special/legendre.cuh"

namespace special {

// On a cut the value is that of the side above, whichever sign a zero has: SciPy's choice.
GNP_FN void legendre_root(c128 x, bool third, c128 &w, c128 &square)
{
    const c128 z = x * x;
    square = third ? c128(z.re - 1, z.im) : c128(1 - z.re, 0 - z.im);
    w = third ? sqrt(c128(x.re - 1, x.im)) * sqrt(c128(x.re + 1, x.im)) : sqrt(square);
}

GNP_FN c128 assoc_legendre_p(i64 n, i64 m, c128 x, i64 kind)
{
    c128 w, square, p, first, second;
    legendre_root(x, kind & LEGENDRE_THIRD_TYPE, w, square);
    assoc_legendre<false>(n, m, x, kind, w, square, p, first, second);
    return p;
}

GNP_FN void assoc_legendre_p_d(i64 n, i64 m, c128 x, i64 kind, c128 &p, c128 &first, c128 &second)
{
    c128 w, square;
    legendre_root(x, kind & LEGENDRE_THIRD_TYPE, w, square);
    assoc_legendre<true>(n, m, x, kind, w, square, p, first, second);
}
}

#endif
