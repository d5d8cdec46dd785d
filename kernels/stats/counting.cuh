// counting.cuh: probabilities of counts. Those of binomial, Poisson and hypergeometric numbers follow C. Loader, "Fast
// and accurate computation of binomial probabilities" (2000): ratios of factorials as Stirling's formula, its error
// and deviances, so that large counts keep their digits.
#ifndef GNP_STATS_COUNTING_CUH
#define GNP_STATS_COUNTING_CUH

#include "special/stirling.cuh"
#include "stats/constants.cuh"

namespace stats {

// x log(x / mean) + mean - x
GNP_FN f64 deviance(f64 x, f64 mean) { return x > 0 ? -x * special::log1pmx((mean - x) / x) : mean; }

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

// exp(-mean) mean^k / Gamma(k + 1) for real k.
GNP_COLD f64 poisson_pmf(f64 k, f64 mean)
{
    if (k == 0 || mean == 0) return k == 0 ? exp(-mean) : 0;
    return exp(-special::stirling_tail(k) - deviance(k, mean)) / sqrt(2 * PI_F64 * k);
}

// Of k among n marked ones in a sample of N from M.
GNP_COLD f64 hypergeometric_pmf(f64 k, f64 M, f64 n, f64 N)
{
    const f64 p = N / M;
    return binomial_pmf(k, n, p) * (binomial_pmf(N - k, M - n, p) / binomial_pmf(N, M, p));
}

// The sum of the terms from k on away from the mean, in units of the first one.
GNP_COLD f64 hypergeometric_ratios(f64 k, f64 M, f64 n, f64 N, bool above)
{
    f64 term = 1, sum = 0;
#pragma unroll 1
    while (term > 1e-17 * sum) {
        sum += term;
        term *= above ? (n - k) * (N - k) / ((k + 1) * (M - n - N + k + 1))
                      : k * (M - n - N + k) / ((n - k + 1) * (N - k + 1));
        k += above ? 1 : -1;
    }
    return sum;
}

// The probability of at most k, or of more, by the ratios of neighbouring terms of the shorter tail.
GNP_COLD f64 hypergeometric_tail(f64 k, f64 M, f64 n, f64 N, bool upper)
{
    const bool above = k * M > n * N; // the mean is below k
    k += above ? 1 : 0;
    const f64 tail = hypergeometric_pmf(k, M, n, N) * hypergeometric_ratios(k, M, n, N, above);
    return above == upper ? tail : 1 - tail;
}

// Its logarithm; where the first term underflows, that of the distribution `d` counts.
template <class D> GNP_COLD f64 hypergeometric_log_tail(const D &d, f64 k, f64 M, f64 n, f64 N, bool upper)
{
    const bool above = k * M > n * N;
    k += above ? 1 : 0;
    const f64 first = hypergeometric_pmf(k, M, n, N), sum = hypergeometric_ratios(k, M, n, N, above);
    if (above != upper) return log1p(-first * sum);
    return (first > 1e-290 ? log(first) : d.logpmf(k)) + log(sum);
}

// The sum of k^-a for k = 1 ... n, by the formula of Euler and Maclaurin from 20 on.
GNP_COLD f64 harmonic(f64 n, f64 a)
{
    f64 sum = 0;
    const f64 direct = fmin(n, 20.0);
#pragma unroll 1
    for (f64 k = 1; k <= direct; k += 1) {
        sum += pow(k, -a);
    }
    if (n <= 20) return sum;
    const f64 from = direct, ratio = n / from, first = pow(from, -a), last = pow(n, -a);
    sum += a == 1 ? log(ratio) : from * first * (expm1((1 - a) * log(ratio)) / (1 - a));
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
}

#endif
