// beta_mixture.cuh: the incomplete beta function as the central distribution of poisson_mixture.cuh.
#ifndef GNP_SPECIAL_BETA_MIXTURE_CUH
#define GNP_SPECIAL_BETA_MIXTURE_CUH

#include "special/betainc.cuh"
#include "special/poisson_mixture.cuh"

namespace special {

// I_x(a + j, b), y = 1 - x
struct CentralBeta {
    f64 a, b, x, y;

    __device__ __noinline__ f64 tail(f64 j, bool upper) const { return beta_tail(a + j, b, x, y, 0, upper); }
    GNP_FN f64 drop(f64 j) const { return beta_power_terms(a + j, b, x, y, 0) / (a + j); }
    GNP_FN f64 ratio(f64 j) const { return x * ((a + b + j) / (a + j + 1)); }
    GNP_FN f64 peak(f64 mean) const
    {
        f64 d = mean * x - a, square = 4 * mean * x * (a + b), root = sqrt(fma(d, d, square)); // (d + root)/2
        return d > 0 ? 0.5 * (d + root) : 0.5 * square / (root - d);
    }
};
}

#endif
