// counting.cuh: probabilities of counts. Those of binomial and Poisson numbers follow C. Loader, "Fast
// and accurate computation of binomial probabilities" (2000): ratios of factorials as Stirling's formula, its error
// and deviances, so that large counts keep their digits.
#ifndef GNP_STATS_COUNTING_CUH
#define GNP_STATS_COUNTING_CUH

#include "special/stirling.cuh"
#include "stats/constants.cuh"

namespace stats {

// x log(x / mean) + mean - x
GNP_FN f64 deviance(f64 x, f64 mean)
{
    if (mean < 0.25 * x) return x * log(x / mean) + mean - x; // the other form keeps no digits of a small mean
    return x > 0 ? -x * special::log1pmx((mean - x) / x) : mean;
}

// C(n, k) p^k (1 - p)^(n - k) for real n and k.
GNP_COLD f64 binomial_pmf(f64 k, f64 n, f64 p)
{
    const f64 q = 1 - p, rest = n - k;
    if (p == 0 || q == 0) return k == (p == 0 ? 0 : n) ? 1 : 0;
    if (k == 0) return exp(n * log1p(-p));
    if (rest == 0) return exp(n * (p > 0.5 ? log1p(-q) : log(p)));
    const f64 error = special::stirling_tail(n) - special::stirling_tail(k) - special::stirling_tail(rest);
    return exp(error - deviance(k, n * p) - deviance(rest, n * q)) * sqrt(n / (2 * PI_F64 * k * rest));
}

// The logarithm of C(n, k) p^k q^(n - k), with q = 1 - p.
GNP_COLD f64 binomial_log_pmf(f64 k, f64 n, f64 p, f64 q)
{
    const f64 rest = n - k;
    if (p == 0 || q == 0) return k == (p == 0 ? 0 : n) ? 0 : -INFINITY_F64;
    if (k == 0) return n * (p < q ? log1p(-p) : log(q));
    if (rest == 0) return n * (p < q ? log(p) : log1p(-q));
    const f64 error = special::stirling_tail(n) - special::stirling_tail(k) - special::stirling_tail(rest);
    return error - deviance(k, n * p) - deviance(rest, n * q) + 0.5 * log(n / (2 * PI_F64 * k) / rest);
}

// That of C(k + n - 1, k) p^n q^k for real n.
GNP_COLD f64 waiting_log_pmf(f64 k, f64 n, f64 p, f64 q)
{
    return log(n / (n + k)) + binomial_log_pmf(n, n + k, p, q);
}

// That of C(n, k) B(k + a, rest + b) / B(a, b), with n = k + rest: how many of n are of the first of two kinds, of which
// each has come by waiting for the number of its shape.
GNP_COLD f64 polya_log_pmf(f64 k, f64 rest, f64 a, f64 b)
{
    const f64 n = k + rest, p = (a + b) / (a + b + n), q = n / (a + b + n);
    if (n == 0) return 0;
    return waiting_log_pmf(k, a, p, q) + waiting_log_pmf(rest, b, p, q) - waiting_log_pmf(n, a + b, p, q);
}

// exp(-mean) mean^k / Gamma(k + 1) for real k.
GNP_COLD f64 poisson_pmf(f64 k, f64 mean)
{
    if (k == 0 || mean == 0) return k == 0 ? exp(-mean) : 0;
    return exp(-special::stirling_tail(k) - deviance(k, mean)) / sqrt(2 * PI_F64 * k);
}

GNP_COLD f64 poisson_log_pmf(f64 k, f64 mean)
{
    return k == 0 ? -mean : -special::stirling_tail(k) - deviance(k, mean) - 0.5 * log(2 * PI_F64 * k);
}

// The sum of k^-a for whole numbers above `start` up to n, by the formula of Euler and Maclaurin from 20 on.
GNP_COLD f64 harmonic_above(f64 start, f64 n, f64 a)
{
    f64 sum = 0;
    const f64 direct = fmin(n, 20.0);
#pragma unroll 1
    for (f64 k = start + 1; k <= direct; k += 1) {
        sum += pow(k, -a);
    }
    if (n <= 20) return sum;
    const f64 from = fmax(start, direct), first = pow(from, -a), last = pow(n, -a);
    const f64 ratio = log1p((n - from) / from);
    sum += a == 1 ? ratio : from * first * (expm1((1 - a) * ratio) / (1 - a));
    sum += 0.5 * (last - first); // the term of `from` is in the direct sum
    f64 t0 = first * a / from, t1 = last * a / n; // minus the derivatives
    const f64 factors[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160};
#pragma unroll 1
    for (int j = 0; j < 5; j++) {
        sum += factors[j] * (t0 - t1);
        const f64 next = (a + 2 * j + 1) * (a + 2 * j + 2);
        t0 *= next / (from * from);
        t1 *= next / (n * n);
    }
    return sum;
}

GNP_FN f64 harmonic(f64 n, f64 a) { return harmonic_above(0, n, a); }
}

#endif
