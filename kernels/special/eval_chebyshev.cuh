// Chebyshev polynomials: of whole degree by the three-term recurrence (DLMF 18.9(i)), of other degrees by trigonometric
// and hyperbolic functions (18.5.1, 18.5.2).
#ifndef GNP_SPECIAL_EVAL_CHEBYSHEV_CUH
#define GNP_SPECIAL_EVAL_CHEBYSHEV_CUH

#include "special/common.cuh"

namespace special {

const f64 MOST_RECURRED = 1000; // a whole degree in floating point above it is computed as any other

// |n|, at most 2^63 - 1.
GNP_FN i64 magnitude(i64 n) { return n >= 0 ? n : ~n == 0x7fffffffffffffffll ? ~n : -n; }

GNP_FN f64 chebyshev_step(f64 x, f64 value, f64 before) { return fma(2 * x, value, -before); }

// Values at degree n of p_{k+1} = 2 x p_k - p_{k-1} from p_0 = 1, p_{-1} = before.
template <class V> GNP_COLD V chebyshev_sum(i64 n, V x, V before)
{
    if (n > MAX_DEGREE) return V(NAN_F64);
    V value = V(1.0);
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        V next = chebyshev_step(x, value, before);
        before = value;
        value = next;
    }
    return value;
}

template <class V> GNP_FN V first_kind(i64 n, V x) { return chebyshev_sum<V>(magnitude(n), x, x); }
template <class V> GNP_FN V second_kind(i64 n, V x)
{
    if (n < -MAX_DEGREE) return V(NAN_F64);
    return n == -1 ? V(0.0) : n < -1 ? V(0.0) - chebyshev_sum<V>(-n - 2, x, V(0.0)) : chebyshev_sum<V>(n, x, V(0.0));
}

GNP_FN f64 eval_chebyt(i64 n, f64 x) { return x != x ? x : first_kind(n, x); }
GNP_FN f64 eval_chebyu(i64 n, f64 x) { return second_kind(n, x); }

GNP_FN bool is_recurred(f64 n) { return rint(n) == n && fabs(n) <= MOST_RECURRED; }

// The angle whose cosine is x, exact in 1 - x; for x > 1 that of the hyperbolic cosine.
GNP_FN f64 chebyshev_angle(f64 x)
{
    return x <= 1 ? 2 * atan2(sqrt(1 - x), sqrt(1 + x)) : log1p((x - 1) + sqrt((x - 1) * (x + 1)));
}

GNP_COLD f64 eval_chebyt(f64 n, f64 x)
{
    if (n != n || x != x || fabs(n) == INFINITY_F64) return NAN_F64;
    if (is_recurred(n)) return first_kind((i64)n, x);
    if (x < -1) return INFINITY_F64;
    const f64 angle = n * chebyshev_angle(x);
    return x <= 1 ? cos(angle) : cosh(angle);
}

GNP_COLD f64 eval_chebyu(f64 n, f64 x)
{
    if (n != n || x != x || fabs(n) == INFINITY_F64) return NAN_F64;
    if (is_recurred(n)) return second_kind((i64)n, x);
    if (x <= -1) return n > -1 ? INFINITY_F64 : -INFINITY_F64;
    if (x == 1) return n + 1;
    const f64 angle = (n + 1) * chebyshev_angle(x);
    return x < 1 ? sin(angle) / (sqrt(1 - x) * sqrt(1 + x)) : sinh(angle) / (sqrt(x - 1) * sqrt(x + 1));
}

// The same polynomials of other variables.
GNP_FN f64 eval_chebyc(i64 n, f64 x) { return 2 * eval_chebyt(n, 0.5 * x); }
GNP_FN f64 eval_chebys(i64 n, f64 x) { return eval_chebyu(n, 0.5 * x); }
GNP_FN f64 eval_sh_chebyt(i64 n, f64 x) { return eval_chebyt(n, 2 * x - 1); }
GNP_FN f64 eval_sh_chebyu(i64 n, f64 x) { return eval_chebyu(n, 2 * x - 1); }
GNP_FN f64 eval_chebyc(f64 n, f64 x) { return 2 * eval_chebyt(n, 0.5 * x); }
GNP_FN f64 eval_chebys(f64 n, f64 x) { return eval_chebyu(n, 0.5 * x); }
GNP_FN f64 eval_sh_chebyt(f64 n, f64 x) { return eval_chebyt(n, 2 * x - 1); }
GNP_FN f64 eval_sh_chebyu(f64 n, f64 x) { return eval_chebyu(n, 2 * x - 1); }
}

#endif
