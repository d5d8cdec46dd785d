// poisson_mixture.cuh: noncentral distributions as sums over Poisson weights w_j of central ones, about the
// largest term (Benton and Krishnamoorthy 2003). The lower tail is summed downwards and the upper one upwards,
// where the recurrence of the central distribution only adds. Around a large j the terms are a smooth function of
// j of a width like sqrt(j), so every sqrt(j)/2-th suffices (the trapezoidal rule).
//
// C is a central distribution with a shape that grows with j:
//   f64 tail(f64 j, bool upper) const   its distribution or survival function, T_j
//   f64 drop(f64 j) const               T_j - T_(j + 1) of the lower one, D_j
//   f64 ratio(f64 j) const              D_(j + 1)/D_j
//   f64 peak(f64 mean) const            the j where mean ratio(j) = j
// The weights are w_(j + shift): those of noncentral t come by halves.
#ifndef GNP_SPECIAL_POISSON_MIXTURE_CUH
#define GNP_SPECIAL_POISSON_MIXTURE_CUH

#include "special/stirling.cuh"

namespace special {

enum { MAX_MIXTURE_STEPS = 3000 };

// mean^j exp(-mean)/Gamma(j + 1) for real j >= 0: the large logarithms cancel on paper.
GNP_COLD f64 poisson_weight(f64 j, f64 mean)
{
    if (!(j > 0)) return exp_called(-mean);
    f64 u = (mean - j) / j, e = fabs(u) < 0.5 ? log1pmx(u) : log_called(mean / j) - u;
    return exp_called(fma(j, e, -stirling_tail(j))) / (sqrt(j) * ROOT_TWO_PI_F64);
}

template <class C> GNP_COLD f64 mixture_by_strides(const C &c, f64 mean, f64 shift, f64 center, bool upper)
{
    f64 stride = 0.5 * sqrt(center), sum = 0, largest = 0;
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
        f64 last = 0;
#pragma unroll 1
        for (int i = side; i < MAX_FRACTION_STEPS; i++) {
            f64 j = fma(stride, (f64)(side ? i : -i), center);
            if (!(j >= 0)) break;
            f64 term = poisson_weight(j + shift, mean);
            term *= term > 0 ? c.tail(j, upper) : 0;
            sum += term;
            largest = fmax(largest, term);
            if (!(term > last || term > 1e-18 * largest)) break; // also of NaN, and where all are below the least number
            last = term;
        }
    }
    return sum * stride;
}

// The terms above the j-th, beyond the largest, each on its own: t + drop and drop/ratio lose digits out of range.
template <class C> GNP_COLD f64 mixture_above(const C &c, f64 mean, f64 shift, f64 j)
{
    f64 sum = 0;
#pragma unroll 1
    for (int i = 1; i < MAX_MIXTURE_STEPS; i++) {
        f64 term = poisson_weight(j + i + shift, mean) * c.tail(j + i, false);
        sum += term;
        if (!(term > 1e-18 * sum)) break;
    }
    return sum;
}

template <class C> GNP_COLD f64 mixture_downwards(const C &c, f64 mean, f64 shift, f64 center)
{
    f64 low = floor(center), top = ceil(center + 9 * sqrt(center)) + 30, j = top;
    f64 weight = poisson_weight(j + shift, mean), t = c.tail(j, false), sum = 0;
#pragma unroll 1
    while ((t < 1e-280 || weight < 1e-280) && j > low) { // out of range: from a lower one
        j = low + floor(0.5 * (j - low));
        t = c.tail(j, false);
        weight = poisson_weight(j + shift, mean);
    }
    if (j < top) sum = mixture_above(c, mean, shift, j);
    f64 drop = c.drop(j);
#pragma unroll 1
    for (int i = 0; i < MAX_MIXTURE_STEPS; i++) {
        f64 term = weight * t;
        sum += term;
        if (j <= 0 || (j < low && term < 1e-18 * sum)) return sum;
        weight *= (j + shift) / mean;
        j -= 1;
        drop /= c.ratio(j);
        if (j == low) { // the largest term, without what many steps have added up
            drop = c.drop(j);
            weight = poisson_weight(j + shift, mean);
        }
        t += drop;
    }
    return NAN_F64;
}

template <class C> GNP_COLD f64 mixture_upwards(const C &c, f64 mean, f64 shift, f64 center)
{
    f64 j = fmax(floor(center - 9 * sqrt(center) - 5), 0.0), t = c.tail(j, true), sum = 0;
    f64 drop = c.drop(j), weight = poisson_weight(j + shift, mean);
#pragma unroll 1
    for (int i = 0; i < MAX_MIXTURE_STEPS; i++) {
        f64 term = weight * t;
        sum += term;
        if (j > center && !(term > 1e-18 * sum)) return sum;
        t += drop;
        drop *= c.ratio(j);
        j += 1;
        weight *= mean / (j + shift);
    }
    return NAN_F64;
}

template <class C> GNP_FN f64 poisson_mixture(const C &c, f64 mean, f64 shift, bool upper)
{
    if (mean == 0) return shift > 0 ? 0 : c.tail(0, upper);
    f64 peak = c.peak(mean), center = upper ? fmax(mean, peak) : fmin(mean, peak);
    if (center > 1000) return mixture_by_strides(c, mean, shift, center, upper);
    return upper ? mixture_upwards(c, mean, shift, center) : mixture_downwards(c, mean, shift, center);
}
}

#endif
