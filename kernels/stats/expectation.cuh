// expectation.cuh: expected values of continuous distributions, as integrals over the probability of both tails by the
// double exponential formula (H. Takahasi and M. Mori, Publ. RIMS 9, 1974), and what follows from them.
#ifndef GNP_STATS_EXPECTATION_CUH
#define GNP_STATS_EXPECTATION_CUH

#include "stats/constants.cuh"

namespace stats {

// E f(X), the integral of f(ppf(u)) + f(isf(u)) for u from 0 to 1/2.
template <class D, class F> GNP_COLD f64 expectation(const D &d, const F &f)
{
    const f64 step = 0x1p-4;
    f64 sum = 0;
#pragma unroll 1
    for (int k = -96; k <= 60; k++) {
        const f64 t = k * step, wide = PI_F64 * sinh(t);
        const f64 u = 1 / (1 + exp(-wide)), rest = 1 / (1 + exp(wide));
        const f64 weight = PI_F64 * cosh(t) * u * rest;
        const f64 value = f(d.ppf(0.5 * u)) + f(d.isf(0.5 * u));
        sum += fabs(value) < INFINITY_F64 || weight > 1e-11 ? weight * value : 0; // out of range in a far tail
    }
    return 0.5 * step * sum;
}

struct PowerFrom {
    f64 center;
    int n;

    __device__ f64 operator()(f64 x) const { return pow(x - center, (f64)n); }
};

template <class D> struct MinusLogDensity {
    const D &d;

    __device__ f64 operator()(f64 x) const { return -d.logpdf(x); }
};

template <class D> GNP_FN f64 central_moment(const D &d, f64 center, int n)
{
    return expectation(d, PowerFrom{center, n});
}
template <class D> GNP_FN f64 entropy_integral(const D &d) { return expectation(d, MinusLogDensity<D>{d}); }
}

#endif
