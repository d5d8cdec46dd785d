// continuous.cuh: the functions of a continuous distribution with location and scale. D is its standard form: its
// shapes, valid(), lower(), upper(), and those of pdf, logpdf, cdf, sf, ppf ... that a kernel calls. D's functions
// see arguments within the support alone.
#ifndef GNP_STATS_CONTINUOUS_CUH
#define GNP_STATS_CONTINUOUS_CUH

#include "stats/constants.cuh"

namespace stats {

template <class D> GNP_FN bool is_valid(const D &d, f64 loc, f64 scale)
{
    return d.valid() && scale > 0 && loc == loc;
}

template <class D> GNP_FN bool is_within(const D &d, f64 z)
{
    return z >= d.lower() && z <= d.upper() && fabs(z) < INFINITY_F64;
}

template <class D> GNP_FN f64 pdf(const D &d, f64 x, f64 loc, f64 scale)
{
    const f64 z = (x - loc) / scale;
    if (z != z || !is_valid(d, loc, scale)) return NAN_F64;
    return is_within(d, z) ? d.pdf(z) / scale : 0;
}

template <class D> GNP_FN f64 logpdf(const D &d, f64 x, f64 loc, f64 scale)
{
    const f64 z = (x - loc) / scale;
    if (z != z || !is_valid(d, loc, scale)) return NAN_F64;
    return is_within(d, z) ? d.logpdf(z) - log(scale) : -INFINITY_F64;
}

// The value left of the support, right of it, or neither.
#define GNP_STATS_TAIL(name, left, right)                                                                       \
    template <class D> GNP_FN f64 name(const D &d, f64 x, f64 loc, f64 scale)                                   \
    {                                                                                                           \
        const f64 z = (x - loc) / scale;                                                                        \
        if (z != z || !is_valid(d, loc, scale)) return NAN_F64;                                                 \
        return z <= d.lower() ? left : z >= d.upper() ? right : d.name(z);                                      \
    }
GNP_STATS_TAIL(cdf, 0, 1)
GNP_STATS_TAIL(sf, 1, 0)
GNP_STATS_TAIL(logcdf, -INFINITY_F64, 0)
GNP_STATS_TAIL(logsf, 0, -INFINITY_F64)
#undef GNP_STATS_TAIL

template <class D> GNP_FN f64 ppf(const D &d, f64 q, f64 loc, f64 scale)
{
    if (!(q >= 0 && q <= 1) || !is_valid(d, loc, scale)) return NAN_F64;
    return (q == 0 ? d.lower() : q == 1 ? d.upper() : d.ppf(q)) * scale + loc;
}

template <class D> GNP_FN f64 isf(const D &d, f64 q, f64 loc, f64 scale)
{
    if (!(q >= 0 && q <= 1) || !is_valid(d, loc, scale)) return NAN_F64;
    return (q == 0 ? d.upper() : q == 1 ? d.lower() : d.isf(q)) * scale + loc;
}
}

#endif
