// probability_sums.cuh: sums of the probabilities of many counts, of distributions without a closed form. Where
// probabilities change slowly a run of them is an integral, by the Euler-Maclaurin formula with differences for
// derivatives.
#ifndef GNP_STATS_PROBABILITY_SUMS_CUH
#define GNP_STATS_PROBABILITY_SUMS_CUH

#include "stats/gauss_rule.cuh"

namespace stats {

// The sum of f(k) for `count` whole numbers from `first` on; the integral begins and ends half way between two. That of
// a power over many orders of magnitude is one over the logarithm.
template <class F> GNP_COLD f64 smooth_sum(const F &f, f64 first, f64 count, bool is_power)
{
    const f64 begin = first - 0.5;
    const f64 weights[] = {-17.0 / 5760, 291.0 / 5760, -291.0 / 5760, 17.0 / 5760};
    const auto by_logarithm = [&](f64 t) {
        const f64 at = begin * exp(t);
        return at * f(at);
    };
    f64 sum = is_power ? gauss_integral(by_logarithm, log1p(count / begin))
                       : gauss_integral([&](f64 t) { return f(begin + t); }, count);
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        const f64 offset = (i & 3) - 1.5, weight = weights[i & 3];
        sum += i < 4 ? -weight * f(begin + offset) : weight * f(begin + count + offset);
    }
    return sum;
}

// The sum of f(k) from `first` to `last`, upwards until terms no longer count; f vanishes far above `mean`. A run of
// terms is at most eight times as far from an end of the sum and from the mean at its one end as at the other, so that
// powers of the distance are integrated to 1e-20; the 64 terms next to these places may change fast and are added one
// by one. Where the last runs fell by one factor the terms are a power, and runs are longer.
template <class F> GNP_COLD f64 sum_between(const F &f, f64 first, f64 last, f64 mean)
{
    const f64 exact = 9007199254740992.0; // 2^53, up to which every whole number is there
    const auto behind = [](f64 distance) { return distance < 64 ? 0 : 7 * distance; };
    const auto ahead = [](f64 distance) { return distance - fmax(0.125 * distance, 64.0); };
    f64 x = first, sum = 0, before = 0, factor = 0;
    bool is_power = false;
#pragma unroll 1
    while (x <= last) {
        const f64 past = fmin(behind(x - first), mean > x ? ahead(mean - x) : behind(x - mean));
        const f64 room = fmin(is_power && !(mean > x && mean < INFINITY_F64) ? 8e6 * past : past, ahead(last - x));
        const f64 count = fmax(room < 64 ? 1.0 : floor(room), 4 * x / exact);
        if (!(x + count < INFINITY_F64)) break;
        const f64 term = count > 1 ? smooth_sum(f, x, count, is_power) : f(x);
        sum += term;
        is_power |= x > 1e6 && term < 0.9995 * before && fabs(term - factor * before) < 1e-6 * term;
        factor = term / before;
        if (x + count == x || sum != sum) break;
        if ((x > mean && term == 0) || (sum > 0 && term <= before && term <= 1e-17 * sum)) break;
        before = term;
        x += count;
    }
    return sum;
}

// The probability of at most k, or of more; of a bounded distribution the shorter tail is summed up.
template <class D> GNP_COLD f64 sum_of_pmf(const D &d, f64 k, bool upper)
{
    const f64 mean = d.mean();
    const bool above = d.upper() == INFINITY_F64 ? upper : k > mean;
    const auto pmf = [&](f64 at) { return at <= d.upper() ? d.pmf(at) : 0; }; // runs beyond 2^53 are rounded
    const f64 sum = sum_between(pmf, above ? k + 1 : d.lower(), above ? d.upper() : k, mean);
    return above == upper ? sum : 1 - sum;
}

// The same of probabilities that fall like k^-(power + 1): what the numbers beyond 1e100 have is an integral of the
// power, which counts for powers near 0.
template <class D> GNP_COLD f64 sum_of_power(const D &d, f64 k, bool upper, f64 power)
{
    const auto pmf = [&](f64 at) { return d.pmf(at); };
    if (!upper) return sum_between(pmf, d.lower(), k, d.mean());
    const f64 last = fmax(k, 1e100);
    return sum_between(pmf, k + 1, last, d.mean()) + exp(d.logpmf(last) + log(last)) / power;
}

// The entropy of a distribution whose probabilities change smoothly with the number.
template <class D> GNP_COLD f64 entropy_of_counts(const D &d)
{
    const auto share = [&](f64 k) {
        const f64 p = k <= d.upper() ? d.pmf(k) : 0;
        return p > 0 ? -p * log(p) : 0;
    };
    return sum_between(share, d.lower(), d.upper(), d.mean());
}

// The same where they fall like k^-(power + 1).
template <class D> GNP_COLD f64 entropy_of_power(const D &d, f64 power)
{
    const auto share = [&](f64 k) {
        const f64 log_p = d.logpmf(k), p = exp(log_p);
        return p > 0 ? -p * log_p : 0;
    };
    const f64 last = 1e100, log_p = d.logpmf(last);
    return sum_between(share, d.lower(), last, d.mean()) + exp(log_p + log(last)) / power * (1 / power + 1 - log_p);
}
}

#endif
