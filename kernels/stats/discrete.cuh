// discrete.cuh: the functions of a distribution on whole numbers, moved by a location. D is its standard form, as in
// continuous.cuh, whose functions see whole numbers within the support alone.
#ifndef GNP_STATS_DISCRETE_CUH
#define GNP_STATS_DISCRETE_CUH

#include "stats/constants.cuh"
#include "stats/probability_sums.cuh"

namespace stats {

template <class D> GNP_FN bool is_valid(const D &d, f64 loc) { return d.valid() && loc == loc; }

template <class D> GNP_FN bool is_possible(const D &d, f64 k)
{
    return k >= d.lower() && k <= d.upper() && floor(k) == k && fabs(k) < INFINITY_F64;
}

template <class D> GNP_FN f64 pmf(const D &d, f64 x, f64 loc)
{
    const f64 k = x - loc;
    if (k != k || !is_valid(d, loc)) return NAN_F64;
    return is_possible(d, k) ? fmin(fmax(d.pmf(k), 0.0), 1.0) : 0;
}

template <class D> GNP_FN f64 logpmf(const D &d, f64 x, f64 loc)
{
    const f64 k = x - loc;
    if (k != k || !is_valid(d, loc)) return NAN_F64;
    return is_possible(d, k) ? d.logpmf(k) : -INFINITY_F64;
}

// The value left of the support, from its right end on, or neither.
#define GNP_STATS_TAIL(name, left, right)                                                                       \
    template <class D> GNP_FN f64 name(const D &d, f64 x, f64 loc)                                              \
    {                                                                                                           \
        const f64 k = x - loc;                                                                                  \
        if (k != k || !is_valid(d, loc)) return NAN_F64;                                                        \
        if (k < d.lower() || k == -INFINITY_F64) return left;                                                   \
        return k >= d.upper() ? right : d.name(floor(k));                                                       \
    }
GNP_STATS_TAIL(cdf, 0, 1)
GNP_STATS_TAIL(sf, 1, 0)
GNP_STATS_TAIL(logcdf, -INFINITY_F64, 0)
GNP_STATS_TAIL(logsf, 0, -INFINITY_F64)
#undef GNP_STATS_TAIL

template <class D> GNP_FN f64 ppf(const D &d, f64 q, f64 loc)
{
    if (!(q >= 0 && q <= 1) || !is_valid(d, loc)) return NAN_F64;
    return (q == 0 ? d.lower() - 1 : q == 1 ? d.upper() : d.ppf(q)) + loc;
}

template <class D> GNP_FN f64 isf(const D &d, f64 q, f64 loc)
{
    if (!(q >= 0 && q <= 1) || !is_valid(d, loc)) return NAN_F64;
    return (q == 0 ? d.upper() : q == 1 ? d.lower() - 1 : d.isf(q)) + loc;
}

// The least k that is reached: cdf(k) >= p, or sf(k) <= p. Growing steps find a bracket; within it the line through
// the probabilities at its ends says where to look (the Illinois method), and every third time its middle. NaN where a
// probability on the way is none, as those of infinite parameters.
template <class D> GNP_COLD f64 least_reached(const D &d, f64 p, bool upper)
{
    bool is_unknown = false;
    const auto excess = [&](f64 k) { // not negative where k is reached
        const bool is_above = k >= d.upper(), is_below = k < d.lower();
        const f64 found = is_above || is_below ? (is_above != upper ? 1 : 0) : upper ? d.sf(k) : d.cdf(k);
        is_unknown |= found != found;
        return is_unknown || is_above ? 1 : upper ? p - found : found - p;
    };
    const f64 exact = 9007199254740992.0; // 2^53, up to which every whole number is there
    const bool bounded = d.lower() > -INFINITY_F64;
    f64 below = bounded ? d.lower() - 1 : -1, above = below, step = 1;
    f64 low = excess(below), high = low;
    const bool down = low >= 0;
#pragma unroll 1
    while ((down ? low >= 0 : high < 0) && step < 1e300 && !is_unknown) {
        f64 &moved = down ? below : above, &kept = down ? above : below;
        kept = moved;
        (down ? high : low) = down ? low : high;
        moved += down ? -step : step;
        (down ? low : high) = excess(moved);
        step *= step < 64 ? 2 : step < exact ? 8 : step;
    }
    if (high < 0) { // beyond the steps
        if (d.upper() == INFINITY_F64 || is_unknown) return is_unknown ? NAN_F64 : d.upper();
        above = d.upper();
        high = excess(above);
    }
    int side = 0; // of the last end that moved
#pragma unroll 1
    for (int turn = 1; above - below > 1 && !is_unknown; turn++) {
        const bool is_wide = below > exact && above > 4 * below;
        const f64 half = is_wide ? sqrt(below) * sqrt(above) : floor(0.5 * (below + above));
        const f64 line = floor(below + (above - below) * (low / (low - high)));
        const f64 within = fmin(fmax(line, below + 1), above - 1); // or an end, beyond 2^53
        const bool is_line = turn % 3 != 0 && !is_wide && within > below && within < above;
        const f64 middle = is_line ? within : half;
        if (middle <= below || middle >= above) break;
        const f64 found = excess(middle);
        const int moved = found >= 0 ? 1 : -1;
        low = moved < 0 ? found : side > 0 ? 0.5 * low : low;
        high = moved > 0 ? found : side < 0 ? 0.5 * high : high;
        (moved > 0 ? above : below) = middle;
        side = moved;
    }
    return is_unknown ? NAN_F64 : fmin(above, d.upper());
}

// The least whole number k >= x, or the one before if that reaches p as well: a closed form rounded.
template <class D> GNP_FN f64 rounded_up(const D &d, f64 x, f64 p)
{
    const f64 k = fmax(ceil(x), d.lower()), before = fmax(k - 1, d.lower());
    return d.cdf(before) >= p ? before : k;
}

// Sum of f(k) pmf(k), outwards from the median until terms no longer count: one by one, and by integrals where more than
// 2048 of a side do.
template <class D, class F> GNP_COLD f64 expectation(const D &d, const F &f)
{
    const f64 median = least_reached(d, 0.5, false);
    f64 sum = 0;
#pragma unroll 1
    for (int up = 0; up < 2; up++) {
        const f64 first = median - (up ? 0 : 1), sign = up ? 1 : -1, count = 2048;
        const f64 last = up ? d.upper() - first : first - d.lower();
        const auto term = [&](f64 i) {
            const f64 k = first + sign * i, p = i <= last ? d.pmf(k) : 0;
            return p > 0 ? f(k, p) * p : 0;
        };
        f64 i = 0;
#pragma unroll 1
        for (; i < count && i <= last; i++) {
            const f64 added = term(i);
            sum += added;
            if (fabs(added) <= 1e-18 * fabs(sum) && d.pmf(first + sign * i) < 1e-14) break;
        }
        if (i == count) sum += sum_between(term, count, last, 0);
    }
    return sum;
}
}

#endif
