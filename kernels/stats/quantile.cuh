// quantile.cuh: the quantile of a continuous distribution whose inverse has no form of its own, from its cdf and sf.
// Its distance from the end of the support, or from 0 where there is none, is a positive root.
#ifndef GNP_STATS_QUANTILE_CUH
#define GNP_STATS_QUANTILE_CUH

#include "special/root.cuh"
#include "stats/constants.cuh"

namespace stats {

template <class D> struct Tail {
    const D &d;
    f64 origin, sign;

    __device__ __noinline__ f64 operator()(f64 distance, bool upper) const
    {
        const f64 x = origin + sign * distance;
        return upper ? d.sf(x) : d.cdf(x);
    }
};

// The x with cdf(x) = p and sf(x) = q = 1 - p; the smaller of the two counts.
template <class D> GNP_COLD f64 quantile(const D &d, f64 p, f64 q)
{
    const f64 lower = d.lower(), upper = d.upper();
    f64 origin = lower, sign = 1, most = fmin(upper - lower, 1e300);
    if (!(lower > -INFINITY_F64)) {
        const bool bounded = upper < INFINITY_F64;
        const f64 difference = bounded ? 1 : p < q ? d.cdf(0) - p : q - d.sf(0);
        if (difference == 0) return 0;
        origin = bounded ? upper : 0;
        sign = difference > 0 ? -1 : 1;
        most = 1e300;
    }
    const special::Level<Tail<D>> level = {{d, origin, sign}, p, q};
    return origin + sign * special::positive_root(level, sign > 0, fmin(1.0, 0.5 * most), 1e-300, most);
}
}

#endif
