// eval_integer.cuh: orthogonal polynomials of whole degree by their three-term recurrences, DLMF 18.9(i). Those of
// Legendre, Laguerre and Jacobi run on differences of neighbours, which keeps digits near the end of the interval.
#ifndef GNP_SPECIAL_EVAL_INTEGER_CUH
#define GNP_SPECIAL_EVAL_INTEGER_CUH

#include "special/common.cuh"

namespace special {

// |n|, at most 2^63 - 1.
GNP_FN i64 magnitude(i64 n) { return n >= 0 ? n : ~n == 0x7fffffffffffffffll ? ~n : -n; }

// Values at degree n of p_{k+1} = 2 x p_k - p_{k-1} from p_0 = 1, p_{-1} = before.
GNP_COLD f64 chebyshev_sum(i64 n, f64 x, f64 before)
{
    if (n > MAX_DEGREE) return NAN_F64;
    f64 value = 1;
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        f64 next = fma(2 * x, value, -before);
        before = value;
        value = next;
    }
    return value;
}

GNP_FN f64 eval_chebyt(i64 n, f64 x) { return x != x ? x : chebyshev_sum(magnitude(n), x, x); }
GNP_FN f64 eval_chebyu(i64 n, f64 x)
{
    if (n < -MAX_DEGREE) return NAN_F64;
    return n == -1 ? 0.0 : n < -1 ? -chebyshev_sum(-n - 2, x, 0) : chebyshev_sum(n, x, 0);
}
GNP_FN f64 eval_chebyc(i64 n, f64 x) { return 2 * eval_chebyt(n, 0.5 * x); }
GNP_FN f64 eval_chebys(i64 n, f64 x) { return eval_chebyu(n, 0.5 * x); }
GNP_FN f64 eval_sh_chebyt(i64 n, f64 x) { return eval_chebyt(n, 2 * x - 1); }
GNP_FN f64 eval_sh_chebyu(i64 n, f64 x) { return eval_chebyu(n, 2 * x - 1); }

GNP_COLD f64 eval_legendre(i64 n, f64 x)
{
    n = n < 0 ? ~n : n; // the polynomial of degree -n - 1
    if (n > MAX_DEGREE) return NAN_F64;
    f64 value = 1, step = 0;
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        step = ((2 * k + 1) * (x - 1) * value + k * step) / (k + 1);
        value += step;
    }
    return value;
}
GNP_FN f64 eval_sh_legendre(i64 n, f64 x) { return eval_legendre(n, 2 * x - 1); }

GNP_COLD f64 eval_genlaguerre(i64 n, f64 alpha, f64 x)
{
    if (!(alpha > -1)) return NAN_F64;
    if (n < 0) return 0;
    if (n > MAX_DEGREE) return NAN_F64;
    f64 value = 1, step = 0, scale = 1; // value times scale is the polynomial
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        step = (-x * value + k * step) / (k + 1 + alpha);
        value += step;
        scale *= (k + 1 + alpha) / (k + 1);
    }
    return value * scale;
}
GNP_FN f64 eval_laguerre(i64 n, f64 x) { return eval_genlaguerre(n, 0, x); }

// 18.9.1 with table 18.9.1; at alpha = 0 and from degree 1 on it is 0.
GNP_COLD f64 eval_gegenbauer(i64 n, f64 alpha, f64 x)
{
    if (x != x || alpha != alpha) return NAN_F64;
    if (n < 0) return 0;
    f64 value = 1, before = 0;
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        f64 next = (2 * (k + alpha) * x * value - (k - 1 + 2 * alpha) * before) / (k + 1);
        before = value;
        value = next;
    }
    return value;
}

// 18.9.2 in steps of p = P_k / binom(k + alpha, k): p = 1 at x = 1.
GNP_COLD f64 eval_jacobi(i64 n, f64 alpha, f64 beta, f64 x)
{
    if (n < 0) return 0;
    if (n == 0) return 1;
    const f64 away = 0.5 * (x - 1), both = alpha + beta;
    if (n == 1) return alpha + 1 + (both + 2) * away;
    f64 step = (both + 2) / (alpha + 1) * away, value = 1 + step, scale = alpha + 1;
#pragma unroll 1
    for (i64 k = 1; k < n; k++) {
        const f64 t = 2 * k + both;
        step = (t * (t + 1) * (t + 2) * away * value + k * (k + beta) * (t + 2) * step) /
               ((k + alpha + 1) * (k + both + 1) * t);
        value += step;
        scale *= (k + 1 + alpha) / (k + 1);
    }
    return value * scale;
}

// G_n(p, q, x) = P_n^(p - q, q - 1)(2 x - 1) / binom(2 n + p - 1, n).
GNP_COLD f64 eval_sh_jacobi(i64 n, f64 p, f64 q, f64 x)
{
    if (n < 0) return NAN_F64;
    f64 factor = 1;
#pragma unroll 1
    for (i64 k = 1; k <= n; k++) {
        factor *= k / (n + p - 1 + k);
    }
    return factor * eval_jacobi(n, p - q, q - 1, 2 * x - 1);
}
}

#endif
