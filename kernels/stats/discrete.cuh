// discrete.cuh: the functions of a distribution on whole numbers, moved by a location. D is its standard form, as in
// continuous.cuh, whose functions see whole numbers within the support alone.
#ifndef GNP_STATS_DISCRETE_CUH
#define GNP_STATS_DISCRETE_CUH

#include "stats/constants.cuh"

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

// The least k that is reached: cdf(k) >= p, or sf(k) <= p. Steps that double find a bracket, halving the rest. NaN where
// a probability on the way is none, as those of infinite parameters.
template <class D> GNP_COLD f64 least_reached(const D &d, f64 p, bool upper)
{
    bool is_unknown = false;
    const auto is_reached = [&](f64 k) {
        if (k >= d.upper()) return true;
        if (k < d.lower()) return false;
        const f64 found = upper ? d.sf(k) : d.cdf(k);
        is_unknown |= found != found;
        return is_unknown || (upper ? found <= p : found >= p);
    };
    const f64 exact = 9007199254740992.0; // 2^53, up to which every whole number is there
    const bool bounded = d.lower() > -INFINITY_F64;
    f64 below = bounded ? d.lower() - 1 : -1, above = below, step = 1;
    const bool down = !bounded && is_reached(below);
#pragma unroll 1
    while (down && is_reached(below) && step < 1e300 && !is_unknown) {
        above = below;
        below -= step;
        step = step < exact ? 2 * step : step * step;
    }
#pragma unroll 1
    while (!down && !is_reached(above) && step < 1e300) {
        below = above;
        above += step;
        step = step < exact ? 2 * step : step * step;
    }
#pragma unroll 1
    while (above - below > 1 && !is_unknown) {
        const bool is_wide = below > exact && above > 4 * below;
        const f64 middle = is_wide ? sqrt(below) * sqrt(above) : floor(0.5 * (below + above));
        if (middle <= below || middle >= above) break; // beyond 2^53
        const bool reached = is_reached(middle);
        above = reached ? middle : above;
        below = reached ? below : middle;
    }
    return is_unknown ? NAN_F64 : fmin(above, d.upper());
}

// The least whole number k >= x, or the one before if that reaches p as well: a closed form rounded.
template <class D> GNP_FN f64 rounded_up(const D &d, f64 x, f64 p)
{
    const f64 k = fmax(ceil(x), d.lower()), before = fmax(k - 1, d.lower());
    return d.cdf(before) >= p ? before : k;
}

// Sum of f(k) pmf(k), outwards from the median until terms no longer count.
template <class D, class F> GNP_COLD f64 expectation(const D &d, const F &f)
{
    const f64 median = least_reached(d, 0.5, false);
    f64 sum = 0;
#pragma unroll 1
    for (int up = 0; up < 2; up++) {
        f64 k = median - (up ? 0 : 1);
#pragma unroll 1
        for (int i = 0; i < 1 << 20 && k >= d.lower() && k <= d.upper(); i++) {
            const f64 p = d.pmf(k), term = p > 0 ? f(k, p) * p : 0;
            sum += term;
            if (p < 1e-14 && fabs(term) <= 1e-18 * fabs(sum)) break;
            k += up ? 1 : -1;
        }
    }
    return sum;
}
}

#endif
