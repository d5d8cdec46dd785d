// Polynomials of Jacobi, Gegenbauer and Legendre. Of whole degree by recurrences in the degree (DLMF 18.9(i)), those of
// Jacobi and Legendre on differences of neighbours, which keeps digits near 1; near -1 by reflection (table 18.6.1). Of other degrees by Gauss's function
// (18.5.7) at a small degree and the same recurrence upwards from there.
#ifndef GNP_SPECIAL_EVAL_JACOBI_CUH
#define GNP_SPECIAL_EVAL_JACOBI_CUH

#include "special/gauss.cuh"

namespace special {

const f64 LARGEST_SUMMED = 12; // degrees of Gauss's series

// From degree k of p = P_k / binom(k + alpha, k), with p_k - p_{k-1} in `step`, up to degree k + n.
template <class V> GNP_COLD V jacobi_upwards(f64 k, i64 n, f64 alpha, f64 beta, V away, V value, V step)
{
#pragma unroll 1
    for (i64 j = 0; j < n; j++, k += 1) {
        const f64 t = 2 * k + alpha + beta;
        V sum = scaled(away * value, t * (t + 1) * (t + 2)) + scaled(step, k * (k + beta) * (t + 2));
        step = scaled_down(sum, (k + alpha + 1) * (k + alpha + beta + 1) * t);
        value = value + step;
    }
    return value;
}

// `away` is (x - 1)/2, `behind` (-x - 1)/2.
template <class V> GNP_COLD V jacobi_whole(i64 n, f64 alpha, f64 beta, V away, V behind)
{
    if (n < 0) return V(0.0);
    if (n == 0) return V(1.0);
    if (n > MAX_DEGREE) return V(NAN_F64);
    const bool reflected = real_part(away) < -0.5 && beta > -1;
    if (reflected) {
        const f64 swap = alpha;
        alpha = beta;
        beta = swap;
        away = behind;
    }
    f64 scale = reflected && (n & 1) ? -1 : 1;
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        scale *= (k + 1 + alpha) / (k + 1);
    }
    const V step = scaled(away, (alpha + beta + 2) / (alpha + 1));
    if (n == 1) return reflected ? V(-1 - alpha) - scaled(away, alpha + beta + 2) : V(alpha + 1) + scaled(away, alpha + beta + 2);
    return scaled(jacobi_upwards<V>(1, n - 1, alpha, beta, away, V(1.0) + step, step), scale);
}

// F(-n, n + alpha + beta + 1; alpha + 1; -away), which is symmetric in the degrees n and -n - alpha - beta - 1.
template <class V> GNP_COLD V jacobi_other(f64 n, f64 alpha, f64 beta, V away)
{
    const f64 both = alpha + beta + 1;
    n = fmax(n, -n - both);
    const bool recurred = n > LARGEST_SUMMED && fmin(alpha, both) > -1 && real_part(away) > -1 && rint(n) != n;
    if (recurred && n > MAX_DEGREE) return V(NAN_F64);
    const f64 start = recurred ? n - floor(n) + 2 : n;
    V value = V(0.0), before = V(0.0);
#pragma unroll 1
    for (int back = recurred; back >= 0; back--) { // one call of long code
        const f64 k = start - back;
        before = value;
        value = hyp2f1(-k, k + both, alpha + 1, -away);
    }
    return recurred ? jacobi_upwards<V>(start, (i64)(n - start), alpha, beta, away, value, value - before) : value;
}

GNP_FN bool is_degree(f64 n) { return n >= 0 && rint(n) == n; }
GNP_FN i64 degree_of(f64 n) { return n < 0x1p62 ? (i64)n : 1ll << 62; }

template <class V> GNP_FN V jacobi(f64 n, f64 alpha, f64 beta, V away, V behind)
{
    if (is_degree(n)) return jacobi_whole<V>(degree_of(n), alpha, beta, away, behind);
    return scaled(jacobi_other<V>(n, alpha, beta, away), short_binom(alpha, n));
}

// 18.9.1 with table 18.9.1; at alpha = 0 and from degree 1 on it is 0.
template <class V> GNP_COLD V gegenbauer_whole(i64 n, f64 alpha, V x)
{
    if (x != x || alpha != alpha || n > MAX_DEGREE) return V(NAN_F64);
    if (n < 0) return V(0.0);
    V value = V(1.0), before = V(0.0);
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        V next = scaled_down(scaled(x * value, 2 * (k + alpha)) - scaled(before, k - 1 + 2 * alpha), k + 1.0);
        before = value;
        value = next;
    }
    return value;
}

template <class V> GNP_FN V gegenbauer(f64 n, f64 alpha, V x)
{
    if (is_degree(n)) return gegenbauer_whole<V>(degree_of(n), alpha, x);
    const f64 factor = short_binom(2 * alpha - 1, n); // Gamma(n + 2 alpha) / (Gamma(2 alpha) Gamma(n + 1))
    return scaled(jacobi_other<V>(n, alpha - 0.5, alpha - 0.5, scaled(x - V(1.0), 0.5)), factor);
}

template <class V> GNP_COLD V legendre_whole(i64 n, V away, V behind)
{
    n = n < 0 ? ~n : n; // the polynomial of degree -n - 1
    if (n > MAX_DEGREE) return V(NAN_F64);
    const bool reflected = real_part(away) < -0.5;
    if (reflected) away = behind;
    V value = V(reflected && (n & 1) ? -1.0 : 1.0), step = V(0.0);
#pragma unroll 1
    for (i64 k = 0; k < n; k++) {
        step = scaled_down(scaled(away * value, 2 * (2 * k + 1)) + scaled(step, (f64)k), k + 1.0);
        value = value + step;
    }
    return value;
}
template <class V> GNP_FN V legendre(f64 n, V away, V behind)
{
    const f64 degree = fmax(n, -1 - n);
    return is_degree(degree) ? legendre_whole<V>(degree_of(degree), away, behind) : jacobi_other<V>(n, 0, 0, away);
}

// G_n(p, q, x) = P_n^(p - q, q - 1)(2 x - 1) / binom(2 n + p - 1, n).
GNP_COLD f64 shifted_factor(i64 n, f64 p)
{
    f64 factor = n < 0 || n > MAX_DEGREE ? NAN_F64 : 1.0;
#pragma unroll 1
    for (i64 k = 1; k <= n && factor == factor; k++) {
        factor *= k / (n + p - 1 + k);
    }
    return factor;
}
GNP_FN f64 shifted_factor(f64 n, f64 p)
{
    return is_degree(n) ? shifted_factor(degree_of(n), p) : 1 / short_binom(n + p - 1, n);
}

template <class V> GNP_FN V jacobi(i64 n, f64 alpha, f64 beta, V away, V behind)
{
    return jacobi_whole<V>(n, alpha, beta, away, behind);
}
template <class V> GNP_FN V gegenbauer(i64 n, f64 alpha, V x) { return gegenbauer_whole<V>(n, alpha, x); }
template <class V> GNP_FN V legendre(i64 n, V away, V behind) { return legendre_whole<V>(n, away, behind); }


GNP_FN f64 eval_jacobi(i64 n, f64 alpha, f64 beta, f64 x) { return jacobi<f64>(n, alpha, beta, 0.5 * (x - 1), -0.5 * (x + 1)); }
GNP_FN f64 eval_sh_jacobi(i64 n, f64 p, f64 q, f64 x)
{
    return scaled(jacobi<f64>(n, p - q, q - 1, x - 1, -x), shifted_factor(n, p));
}
GNP_FN f64 eval_gegenbauer(i64 n, f64 alpha, f64 x) { return gegenbauer<f64>(n, alpha, x); }
GNP_FN f64 eval_legendre(i64 n, f64 x) { return legendre<f64>(n, 0.5 * (x - 1), -0.5 * (x + 1)); }
GNP_FN f64 eval_sh_legendre(i64 n, f64 x) { return legendre<f64>(n, x - 1, -x); }

GNP_FN f64 eval_jacobi(f64 n, f64 alpha, f64 beta, f64 x) { return jacobi<f64>(n, alpha, beta, 0.5 * (x - 1), -0.5 * (x + 1)); }
GNP_FN f64 eval_sh_jacobi(f64 n, f64 p, f64 q, f64 x)
{
    return scaled(jacobi<f64>(n, p - q, q - 1, x - 1, -x), shifted_factor(n, p));
}
GNP_FN f64 eval_gegenbauer(f64 n, f64 alpha, f64 x) { return gegenbauer<f64>(n, alpha, x); }
GNP_FN f64 eval_legendre(f64 n, f64 x) { return legendre<f64>(n, 0.5 * (x - 1), -0.5 * (x + 1)); }
GNP_FN f64 eval_sh_legendre(f64 n, f64 x) { return legendre<f64>(n, x - 1, -x); }
}

#endif
