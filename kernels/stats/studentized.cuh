// studentized.cuh: the studentized range, that of k normal numbers over an independent estimate of their deviation of df
// degrees of freedom. Both integrals, over the least number and over the logarithm of the estimate, are of analytic
// functions that fall off on both sides, which the trapezoidal rule takes to rounding. The upper tail is the integral
// of a difference of powers that has no cancellation.
#ifndef GNP_STATS_STUDENTIZED_CUH
#define GNP_STATS_STUDENTIZED_CUH

#include "special/gamma.cuh"
#include "special/ndtr.cuh"
#include "special/stirling.cuh"
#include "stats/constants.cuh"
#include "stats/gauss_rule.cuh"

namespace stats {

// Phi(z + w) - Phi(z), from the nearer tail; narrow ones by the midpoint.
GNP_COLD f64 normal_mass(f64 z, f64 w)
{
    const f64 middle = z + 0.5 * w, square_of = middle * middle;
    if (w < 1e-3) return w * exp(-0.5 * square_of) / ROOT_TWO_PI_F64 * (1 + (square_of - 1) * w * w / 24);
    const bool is_right = middle > 0;
    return special::ndtr(is_right ? -z : z + w) - special::ndtr(is_right ? -z - w : z);
}

enum RangeKind { RANGE_CDF, RANGE_SF, RANGE_PDF };

// Of a narrow range of k normal numbers: the powers of their density, and the first term in w^2.
GNP_COLD f64 narrow_range(f64 w, f64 k, RangeKind kind)
{
    const f64 power = pow(w, k - 2) * pow(2 * PI_F64, -0.5 * (k - 1)), bend = (k + 2) * w * w / (24 * k);
    if (kind == RANGE_PDF) return sqrt(k) * (k - 1) * power * (1 - (k + 1) * bend);
    const f64 below = sqrt(k) * w * power * (1 - (k - 1) * bend);
    return kind == RANGE_CDF ? below : 1 - below;
}

// Whether the range of k normal numbers is above w, or not above it, to rounding: true stores the value. The powers of
// the integrands are at most that of the mass about zero, and k (k - 1) / 2 differences of two numbers bound the tail.
GNP_COLD bool certain_range(f64 w, f64 k, RangeKind kind, f64 *value)
{
    const f64 most = log1p(-2 * special::ndtr(-0.5 * w)), below = log(k) + (k - 1) * most;
    *value = kind == RANGE_SF ? 1 : 0;
    if (kind == RANGE_SF) return below < -45;
    if (kind == RANGE_PDF) return 2 * log(k) + (k - 2) * most < -760;
    if (below < -760) return true;
    *value = 1;
    return k >= 2 && 2 * log(k) + special::log_ndtr(-w / sqrt(2.0)) < -45;
}

// The logarithm of the integrand over the least number z, but for factors that do not depend on z: the density that all
// numbers lie within z and z + w, that the greatest lies beyond, or that it is z + w.
GNP_COLD f64 log_of_least(f64 z, f64 w, f64 k, RangeKind kind)
{
    const f64 log_density = -0.5 * z * z;
    if (kind == RANGE_SF) {
        const f64 below = special::ndtr(z), above = special::ndtr(-z), beyond = special::ndtr(-z - w);
        const f64 any = (k - 1) * beyond / above > 1e-17 ? log(-expm1((k - 1) * log1p(-beyond / above)))
                                                         : log((k - 1) / above) + special::log_ndtr(-z - w);
        return log_density + (k - 1) * (below < 0.5 ? log1p(-below) : log(above)) + any;
    }
    const f64 outside = special::ndtr(z) + special::ndtr(-z - w);
    const f64 log_mass = outside < 0.5 ? log1p(-outside) : log(normal_mass(z, w));
    if (kind == RANGE_CDF) return log_density + (k - 1) * log_mass;
    return log_density - 0.5 * (z + w) * (z + w) + (k - 2) * log_mass;
}

// The integral of two or more numbers, by the trapezoidal rule. Its integrand has a concave logarithm, as a marginal of
// the joint density of the least and the greatest number has (Prekopa), so that there is one peak, between -w / 2 - 9
// and 0, and a side ends where terms are negligible and fall. The step is a quarter of the width of the peak, and of the
// width 1 / sqrt(2 log k) of the density of an extreme of many numbers, exp(-x - exp(-x)), for which it leaves 1e-17.
GNP_COLD f64 range_of_several(f64 w, f64 k, RangeKind kind)
{
    const f64 d = 0.01, edge = 1 / sqrt(2 * log(k));
    f64 low = kind == RANGE_SF ? -0.5 * w - 9 : -0.5 * w, high = kind == RANGE_PDF ? low : 0;
#pragma unroll 1
    for (int i = 0; i < (kind == RANGE_PDF ? 0 : 11); i++) {
        const f64 middle = 0.5 * (low + high);
        const bool rises = log_of_least(middle + d, w, k, kind) > log_of_least(middle - d, w, k, kind);
        (rises ? low : high) = middle;
    }
    const f64 peak = 0.5 * (low + high), top = log_of_least(peak, w, k, kind);
    const f64 sides = log_of_least(peak - d, w, k, kind) + log_of_least(peak + d, w, k, kind);
    const f64 step = 0.25 * fmin(d / sqrt(fmax(2 * top - sides, 1e-9)), edge);
    f64 sum = 0;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        f64 before = 0;
#pragma unroll 1
        for (int i = side; i < 2000; i++) {
            const f64 term = exp(log_of_least(peak + step * (side ? -i : i), w, k, kind) - top);
            sum += term;
            if (term < 1e-18 * sum && term <= before) break;
            before = term;
        }
    }
    return step * sum * k * exp(top) / ROOT_TWO_PI_F64 * (kind == RANGE_PDF ? (k - 1) / ROOT_TWO_PI_F64 : 1);
}

// Of the range of k normal numbers. The integrand of few of them is wide, so that long steps over all of it cost less
// than to look for its peak; that of less than two has two peaks.
GNP_COLD f64 range_of_normals(f64 w, f64 k, RangeKind kind)
{
    if (!(w > 0)) return kind == RANGE_SF ? 1 : 0;
    if (w > 150) return kind == RANGE_CDF ? 1 : 0; // of 1e300 numbers too
    if (k * w * w < 1e-7) return narrow_range(w, k, kind);
    f64 certain;
    if (certain_range(w, k, kind, &certain)) return certain;
    if (k >= 32 || (kind == RANGE_PDF && k >= 2)) return range_of_several(w, k, kind);
    const f64 step = fmin(0.65 / sqrt(k), 0.375), middle = kind == RANGE_CDF ? 0 : -0.5 * w;
    const f64 low = middle - 9, high = k < 2 ? 9 : middle + 9;
    const int count = (int)((high - low) / step);
    f64 sum = 0;
#pragma unroll 1
    for (int i = 0; i <= count; i++) {
        const f64 z = low + i * step;
        const f64 density = exp(-0.5 * z * z) / ROOT_TWO_PI_F64;
        f64 term;
        if (kind == RANGE_SF) {
            const f64 above = special::ndtr(-z), beyond = special::ndtr(-z - w);
            term = pow(above, k - 1) * -expm1((k - 1) * log1p(-beyond / above));
        }
        else if (kind == RANGE_CDF) {
            term = pow(normal_mass(z, w), k - 1);
        }
        else {
            term = (k - 1) * pow(normal_mass(z, w), k - 2) * exp(-0.5 * (z + w) * (z + w)) / ROOT_TWO_PI_F64;
        }
        sum += density * term;
    }
    return k * step * sum;
}

GNP_COLD f64 studentized_range(f64 q, f64 k, f64 df, RangeKind kind)
{
    if (!(q > 0) || k == INFINITY_F64) return kind == RANGE_SF ? 1 : 0;
    if (df > 1e5) return range_of_normals(q, k, kind);
    // The range of many numbers is 4 log(k) times as long as it is wide, or less.
    const f64 width = log(fmax(k, 1.0)), numbers = fmin(k, 40 * width * width);
    const f64 half = 0.5 * df, step = 0.5 / sqrt(df + numbers + 20);
    const f64 top = log(2.0) + 0.5 * log(half / (2 * PI_F64)) - special::stirling_tail(half);
    f64 sum = 0;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
#pragma unroll 1
        for (int i = side; i < 20000; i++) {
            const f64 u = step * (side ? -i : i), s = exp(u), log_weight = top + half * (2 * u - expm1(2 * u));
            const f64 weight = exp(log_weight), most = weight * (kind == RANGE_PDF ? s : 1);
            if (weight == 0) break;
            const f64 value = range_of_normals(q * s, k, kind), term = most * value;
            if (most * fmax(value, 1.0) < 1e-18 * sum) break; // the density of less than two numbers has a pole
            sum += term;
            // Upwards less is above a range, downwards less below.
            if (kind == (side ? RANGE_CDF : RANGE_SF) && (term == 0 || term < 1e-18 * sum)) break;
        }
    }
    return step * sum;
}

// E W^order E s^-order, of the range and of the estimate.
GNP_COLD f64 studentized_moment(f64 k, f64 df, int order)
{
    if (order == 0) return 1;
    if (k == INFINITY_F64) return k;
    f64 sum = 0;
#pragma unroll 1
    for (int part = 0; part < 4; part++) {
        const f64 from = 5 * part;
        sum += gauss_integral(
            [&](f64 t) { return order * pow(from + t, order - 1.0) * range_of_normals(from + t, k, RANGE_SF); }, 5);
    }
    const f64 half = 0.5 * df;
    if (df > 1e5) return sum;
    return sum * exp(0.5 * order * log(half) + special::gammaln(half - 0.5 * order) - special::gammaln(half));
}
}

#endif
