// tail.cuh: the distribution function where it has no form of its own: the integral of the density from a point
// outwards by the double exponential formula, whose points gather at the point and reach any distance.
#ifndef GNP_STATS_TAIL_CUH
#define GNP_STATS_TAIL_CUH

#include "stats/constants.cuh"

namespace stats {

// The integral of f from x to an end at a distance: up (sign 1) or down (-1), which may be infinite.
template <class F> GNP_COLD f64 integral_from(const F &f, f64 x, f64 sign, f64 distance)
{
    const f64 step = 0x1p-6;
    const bool bounded = distance < INFINITY_F64;
    f64 sum = 0;
#pragma unroll 1
    for (int k = -256; k <= 256; k++) {
        const f64 t = k * step, wide = 0.5 * PI_F64 * sinh(t), slope = 0.5 * PI_F64 * cosh(t);
        // Shares of a bounded distance, u = 1 / (1 + exp(-2 wide)); distances exp(wide) otherwise.
        const f64 u = bounded ? 1 / (1 + exp(-2 * wide)) : exp(wide);
        const f64 weight = bounded ? 2 * slope * u / (1 + exp(2 * wide)) * distance : slope * u;
        const f64 term = weight * f(x + sign * (bounded ? u * distance : u));
        sum += fabs(term) < INFINITY_F64 ? term : 0;
    }
    return step * sum;
}

template <class D> GNP_FN f64 tail_of_pdf(const D &d, f64 x, bool upper)
{
    const auto density = [&](f64 t) { return t > d.lower() && t < d.upper() ? d.pdf(t) : 0; };
    const f64 tail = integral_from(density, x, upper ? 1 : -1, upper ? d.upper() - x : x - d.lower());
    return fmin(tail, 1.0);
}

// The entropy over the values, from a center both ways.
template <class D> GNP_COLD f64 entropy_about(const D &d, f64 center)
{
    const auto share = [&](f64 t) {
        const f64 p = t > d.lower() && t < d.upper() ? d.pdf(t) : 0;
        return p > 0 ? -p * log(p) : 0;
    };
    const f64 above = integral_from(share, center, 1, d.upper() - center);
    return above + (center > d.lower() ? integral_from(share, center, -1, center - d.lower()) : 0);
}
template <class D> GNP_FN f64 entropy_of_pdf(const D &d) { return entropy_about(d, d.mean()); }
}

#endif
