// moments.cuh: moments of a distribution about each other. A raw moment is the mean of X^n, a central one that of
// (X - mean)^n.
#ifndef GNP_STATS_MOMENTS_CUH
#define GNP_STATS_MOMENTS_CUH

#include "stats/constants.cuh"

namespace stats {

// Variance, skewness and excess kurtosis from the raw moments r1 ... r4.
GNP_FN f64 var_of_raw(f64 r1, f64 r2) { return r2 - r1 * r1; }
GNP_FN f64 skew_of_raw(f64 r1, f64 r2, f64 r3)
{
    const f64 var = var_of_raw(r1, r2);
    return (r3 - 3 * r1 * r2 + 2 * r1 * r1 * r1) / (var * sqrt(var));
}
GNP_FN f64 kurt_of_raw(f64 r1, f64 r2, f64 r3, f64 r4)
{
    const f64 var = var_of_raw(r1, r2);
    return (r4 - 4 * r1 * r3 + 6 * r1 * r1 * r2 - 3 * r1 * r1 * r1 * r1) / (var * var) - 3;
}

// The raw moment of order n <= 4 from mean, variance, skewness and excess kurtosis.
template <class D> GNP_COLD f64 raw_of_stats(const D &d, int n)
{
    const f64 mean = d.mean();
    if (n == 1) return mean;
    const f64 var = d.var(), second = var + mean * mean;
    if (n == 2) return second;
    const f64 third = d.skew() * var * sqrt(var);
    if (n == 3) return third + 3 * mean * var + mean * mean * mean;
    return (d.kurt() + 3) * var * var + 4 * mean * third + 6 * mean * mean * var + mean * mean * mean * mean;
}

// The raw moment of loc + scale X.
template <class D> GNP_COLD f64 moment(const D &d, int n, f64 loc, f64 scale)
{
    if (!d.valid() || !(scale > 0) || loc != loc) return NAN_F64;
    f64 sum = 0, combinations = 1;
#pragma unroll 1
    for (int k = n; k >= 0; k--) { // terms comb(n, k) loc^(n - k) scale^k E X^k
        sum += combinations * pow(loc, (f64)(n - k)) * pow(scale, (f64)k) * (k == 0 ? 1 : d.raw(k));
        if (loc == 0 || combinations == INFINITY_F64) break; // further terms are zero, or the sum has no digits left
        combinations = combinations * k / (n - k + 1);
    }
    return sum;
}
}

#endif
