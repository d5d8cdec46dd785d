// normal.cuh: probabilities of the normal distribution between two ends, in logarithms.
#ifndef GNP_STATS_NORMAL_CUH
#define GNP_STATS_NORMAL_CUH

#include "special/ndtr.cuh"
#include "stats/constants.cuh"

namespace stats {

GNP_FN f64 log_sum(f64 a, f64 b)
{
    const f64 most = fmax(a, b);
    return most == -INFINITY_F64 ? most : most + log1p(exp(fmin(a, b) - most));
}

// log(Phi(b) - Phi(a)) for a < b: in the tail that both are in, or from what is left of 1.
GNP_COLD f64 log_gauss_mass(f64 a, f64 b)
{
    if (a >= b) return -INFINITY_F64;
    if (b > 0 && a <= 0) return log1p(-special::ndtr(a) - special::ndtr(-b));
    const f64 most = special::log_ndtr(a > 0 ? -a : b), least = special::log_ndtr(a > 0 ? -b : a);
    return most + log1p(-exp(least - most));
}

// The logarithm of a part of a whole, from that of the rest where this is the smaller one.
GNP_FN f64 log_part(f64 part, f64 rest, f64 whole)
{
    return rest < part ? log1p(-exp(rest - whole)) : part - whole;
}
}

#endif
