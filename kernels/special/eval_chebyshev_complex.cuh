// Chebyshev polynomials of complex argument, with the cut of other than whole degrees from -1 to minus infinity.
#ifndef GNP_SPECIAL_EVAL_CHEBYSHEV_COMPLEX_CUH
#define GNP_SPECIAL_EVAL_CHEBYSHEV_COMPLEX_CUH

#include "complex.cuh"

namespace special {
GNP_FN c128 chebyshev_step(c128 x, c128 value, c128 before) { return c128(2 * x.re, 2 * x.im) * value - before; }
}

#include "special/eval_chebyshev.cuh"

namespace special {

GNP_COLD c128 eval_chebyt(f64 n, c128 z)
{
    if (n != n || fabs(n) == INFINITY_F64) return c128(NAN_F64, NAN_F64);
    if (is_recurred(n)) return first_kind((i64)n, z);
    const c128 angle = ::acos(z);
    return ::cos(c128(n * angle.re, n * angle.im));
}

GNP_COLD c128 eval_chebyu(f64 n, c128 z)
{
    if (n != n || fabs(n) == INFINITY_F64) return c128(NAN_F64, NAN_F64);
    if (is_recurred(n)) return second_kind((i64)n, z);
    if (z.re == 1 && z.im == 0) return c128(n + 1);
    const c128 angle = ::acos(z), sine = ::sqrt(c128(1 - z.re, -z.im)) * ::sqrt(c128(1 + z.re, z.im));
    return ::sin(c128((n + 1) * angle.re, (n + 1) * angle.im)) / sine;
}

GNP_FN c128 half_of(c128 z) { return c128(0.5 * z.re, 0.5 * z.im); }
GNP_FN c128 twice(c128 z) { return c128(2 * z.re, 2 * z.im); }
GNP_FN c128 eval_chebyc(f64 n, c128 z) { return twice(eval_chebyt(n, half_of(z))); }
GNP_FN c128 eval_chebys(f64 n, c128 z) { return eval_chebyu(n, half_of(z)); }
GNP_FN c128 eval_sh_chebyt(f64 n, c128 z) { return eval_chebyt(n, twice(z) - c128(1.0)); }
GNP_FN c128 eval_sh_chebyu(f64 n, c128 z) { return eval_chebyu(n, twice(z) - c128(1.0)); }
}

#endif
