// Laguerre's polynomials: of whole degree by a recurrence (DLMF 18.9.13) on differences of neighbours, which keeps
// digits near 0; of other degrees by Kummer's function (13.6.19).
#ifndef GNP_SPECIAL_EVAL_LAGUERRE_CUH
#define GNP_SPECIAL_EVAL_LAGUERRE_CUH

#include "special/confluent.cuh"

namespace special {

template <class V> GNP_COLD V laguerre_whole(i64 n, f64 alpha, V x)
{
    if (!(alpha > -1)) return V(NAN_F64);
    if (n < 0) return V(0.0);
    if (n > MAX_DEGREE) return V(NAN_F64);
    V value = V(1.0), step = V(0.0);
    f64 scale = 1; // value times scale is the polynomial
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        step = scaled_down(scaled(step, (f64)k) - x * value, k + 1 + alpha);
        value = value + step;
        scale *= (k + 1 + alpha) / (k + 1);
    }
    return scaled(value, scale);
}

template <class V> GNP_FN V laguerre(f64 n, f64 alpha, V x)
{
    if (!(alpha > -1)) return V(NAN_F64);
    if (n >= 0 && rint(n) == n) return laguerre_whole<V>(n < 0x1p62 ? (i64)n : 1ll << 62, alpha, x);
    return scaled(hyp1f1(-n, alpha + 1, x), short_binom(alpha, n));
}

GNP_FN f64 eval_genlaguerre(i64 n, f64 alpha, f64 x) { return laguerre_whole(n, alpha, x); }
GNP_FN f64 eval_genlaguerre(f64 n, f64 alpha, f64 x) { return laguerre(n, alpha, x); }
GNP_FN f64 eval_laguerre(i64 n, f64 x) { return laguerre_whole(n, 0, x); }
GNP_FN f64 eval_laguerre(f64 n, f64 x) { return laguerre(n, 0, x); }
}

#endif
