// urns.cuh: the noncentral hypergeometric distributions of R. A. Fisher and of K. T. Wallenius (A. Fog, Comm. Statist.
// Simulation Comput. 37, 2008): x of n items of weight w among N drawn from M.
#ifndef GNP_STATS_URNS_CUH
#define GNP_STATS_URNS_CUH

#include "special/beta.cuh"
#include "stats/constants.cuh"
#include "stats/counting.cuh"

namespace stats {

// Fisher's: C(n, x) C(M - n, N - x) w^x over its sum. Terms follow from the largest one by their ratios; what is
// summed up is those at least `from` and at most `to`, times x^power.
GNP_COLD f64 fisher_urn(f64 M, f64 n, f64 N, f64 w, f64 from, f64 to, int power)
{
    const f64 low = fmax(N - M + n, 0.0), high = fmin(n, N);
    // Where the ratio of neighbours is 1: (n - x)(N - x) w = (x + 1)(M - n - N + x + 1), a root of a quadratic.
    const f64 a = w - 1, b = -((n + N) * w + M - n - N + 2), c = n * N * w - (M - n - N + 1);
    const f64 root = sqrt(fmax(b * b - 4 * a * c, 0.0)), x = 2 * c / (-b + root);
    const f64 mode = fmin(fmax(floor(x) + 1, low), high);
    f64 all = 0, part = 0;
#pragma unroll 1
    for (int up = 0; up < 2; up++) {
        f64 term = 1;
#pragma unroll 1
        for (f64 k = mode; k >= low && k <= high;) {
            const bool counts = up || k < mode;
            if (counts) {
                all += term;
                part += k >= from && k <= to ? (power == 0 ? term : power == 1 ? k * term : k * k * term) : 0;
            }
            term *= up ? (n - k) * (N - k) * w / ((k + 1) * (M - n - N + k + 1))
                       : k * (M - n - N + k) / ((n - k + 1) * (N - k + 1) * w);
            k += up ? 1 : -1;
            const bool is_beyond = up ? k > to : k < from; // nothing that counts follows
            if (term < 1e-300 || (is_beyond && term < 1e-19 * all)) break;
        }
    }
    return part / all;
}

// Wallenius's: C(n, x) C(M - n, N - x) times the integral of (1 - t^(w/d))^x (1 - t^(1/d))^(N - x) over [0, 1], with
// d the weight of what stays. With t = exp(-d s) it is that of d exp(-d s) (1 - exp(-w s))^x (1 - exp(-s))^(N - x).
GNP_COLD f64 wallenius_urn(f64 x, f64 M, f64 n, f64 N, f64 w)
{
    const f64 others = M - n, y = N - x, d = w * (n - x) + others - y;
    const f64 ways = -log1p(n) - special::betaln(n - x + 1, x + 1) - log1p(others) - special::betaln(others - y + 1, y + 1);
    if (d == 0) return 1; // all are drawn
    // The logarithm of the integrand in log s has one top, about which a rule of its width is taken.
    const auto slope = [&](f64 s) { return 1 - d * s + x * w * s / expm1(w * s) + y * s / expm1(s); };
    f64 low = -80, high = 80;
#pragma unroll 1
    for (int i = 0; i < 60; i++) {
        const f64 middle = 0.5 * (low + high);
        (slope(exp(middle)) > 0 ? low : high) = middle;
    }
    const f64 center = 0.5 * (low + high), s = exp(center);
    const auto change = [&](f64 z) { const f64 e = expm1(z); return z * z < 1e-8 ? 0.5 * z : z / e * ((1 + e) * z / e - 1); };
    const f64 step = 0.3 / sqrt(d * s + x * change(w * s) + y * change(s) + 1);
    f64 sum = 0;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        f64 largest = 0;
#pragma unroll 1
        for (int i = side; i < 4000; i++) {
            const f64 u = center + step * (side ? -i : i), t = exp(u);
            const f64 term = exp(ways + log(d) + u - d * t + (x > 0 ? x * log(-expm1(-w * t)) : 0)
                                 + (y > 0 ? y * log(-expm1(-t)) : 0));
            sum += term;
            largest = fmax(largest, term);
            if (term < 1e-18 * largest) break;
        }
    }
    return step * sum;
}

// The probability of the numbers from one to another.
template <class D> GNP_COLD f64 sum_of_pmf_between(const D &d, f64 from, f64 to)
{
    f64 sum = 0;
#pragma unroll 1
    for (f64 k = from; k <= to; k++) {
        sum += d.pmf(k);
    }
    return sum;
}
}

#endif
