// hypergeometric.cuh: the hypergeometric distribution, of k among n marked ones in a sample of N from M. Probabilities
// are those of three binomial numbers, of which large ones keep their digits.
#ifndef GNP_STATS_HYPERGEOMETRIC_CUH
#define GNP_STATS_HYPERGEOMETRIC_CUH

#include "stats/counting.cuh"
#include "stats/probability_sums.cuh"

namespace stats {

GNP_COLD f64 hypergeometric_pmf(f64 k, f64 M, f64 n, f64 N)
{
    const bool is_most = N > M - N; // then those that stay are counted
    const f64 x = is_most ? n - k : k, sample = is_most ? M - N : N, p = sample / M;
    return binomial_pmf(x, n, p) * (binomial_pmf(sample - x, M - n, p) / binomial_pmf(sample, M, p));
}

GNP_COLD f64 hypergeometric_log_pmf(f64 k, f64 M, f64 n, f64 N)
{
    const f64 p = N / M, q = (M - N) / M;
    return binomial_log_pmf(k, n, p, q) + binomial_log_pmf(N - k, M - n, p, q) - binomial_log_pmf(N, M, p, q);
}

// The sum of the terms from k on away from the mean, in units of the first one: by the ratios of neighbours, or, where
// many count, by integrals.
GNP_COLD f64 hypergeometric_ratios(f64 k, f64 M, f64 n, f64 N, bool above)
{
    const f64 mean = N * (n / M), var = mean * ((M - n) / M) * ((M - N) / (M - 1));
    if (var > 1e5 && var > 300 * fabs(k - mean)) {
        const f64 first = hypergeometric_log_pmf(k, M, n, N), sign = above ? 1 : -1;
        const f64 last = above ? fmin(n, N) - k : k - fmax(N - M + n, 0.0);
        const auto ratio = [&](f64 i) { return i <= last ? exp(hypergeometric_log_pmf(k + sign * i, M, n, N) - first) : 0; };
        return sum_between(ratio, 0, last, 0);
    }
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

// The probability of at most k, or of more, by the terms of the shorter tail.
GNP_COLD f64 hypergeometric_tail(f64 k, f64 M, f64 n, f64 N, bool upper)
{
    const bool above = k > N * (n / M); // the mean is below k
    k += above ? 1 : 0;
    const f64 tail = hypergeometric_pmf(k, M, n, N) * hypergeometric_ratios(k, M, n, N, above);
    return above == upper ? tail : 1 - tail;
}

GNP_COLD f64 hypergeometric_log_tail(f64 k, f64 M, f64 n, f64 N, bool upper)
{
    const bool above = k > N * (n / M);
    k += above ? 1 : 0;
    const f64 first = hypergeometric_log_pmf(k, M, n, N), sum = hypergeometric_ratios(k, M, n, N, above);
    return above == upper ? first + log(sum) : log1p(-exp(first) * sum);
}
}

#endif
