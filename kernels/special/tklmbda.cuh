// tklmbda.cuh: the distribution function of Tukey's lambda distribution, whose quantile is
// (p^lambda - (1 - p)^lambda)/lambda, by the root finder; in the lower half, where p is small.
#ifndef GNP_SPECIAL_TKLMBDA_CUH
#define GNP_SPECIAL_TKLMBDA_CUH

#include "special/root.cuh"

namespace special {

// x + (quantile of p), written so that nothing is lost where lambda is small.
struct TukeyQuantile {
    f64 x, lambda;

    __device__ __noinline__ f64 operator()(f64 p) const
    {
        f64 other = log1p(-p), odds = log(p) - other;
        if (lambda == 0) return x + odds;
        f64 rest = expm1(lambda * odds) / lambda;
        return rest == 0 ? x : x + exp(lambda * other) * rest;
    }
};

GNP_FN f64 tklmbda(f64 x, f64 lmbda)
{
    f64 size = fabs(x), p = 0;
    if (x != x || lmbda != lmbda) return NAN_F64;
    if (size < INFINITY_F64 && !(lmbda > 0 && size >= 1 / lmbda)) {
        TukeyQuantile f = {size, lmbda};
        p = x == 0 || lmbda == -INFINITY_F64 ? 0.5 : positive_root(f, true, 0.25, 0x1p-1022, 0.5);
        p = p > 0x1p-1022 ? p : 0;
    }
    return x > 0 ? 1 - p : p;
}
}

#endif
