// gamma_steps.cuh: the gamma function of moderate arguments as a quotient, by steps from [2, 3): no division, no
// logarithm, and threads of all arguments go through the same code. Quotients of gamma functions divide once.
#ifndef GNP_SPECIAL_GAMMA_STEPS_CUH
#define GNP_SPECIAL_GAMMA_STEPS_CUH

#include "special/common.cuh"
#include "special/gamma_fits.cuh"

namespace special {

struct GammaSteps {
    f64 over, under;
};

// Gamma(x + rest) = over / under for |x| of some dozens, each step half an ulp; `rest` is below the rounding error of
// x. `under` is 0 at poles. Below 1/2 the sums x + k are exact or positive, so that no zero of 1 / Gamma is lost.
GNP_COLD GammaSteps gamma_steps(f64 x, f64 rest)
{
    const f64 whole = floor(x);
    const int steps = (int)whole - 2;
    const f64 by = steps > 0 ? -1.0 : 1.0;
    f64 y = polynomial(GAMMA, x - whole + rest), factor = steps > 0 ? x - 1 : x, product = 1;
#pragma unroll 1
    for (int k = abs(steps); k > 0; k--) {
        product *= factor + rest;
        factor += by;
    }
    return steps > 0 ? GammaSteps{y * product, 1.0} : GammaSteps{y, product};
}

// Gamma(1 + a) - 1 for 0 <= a < 1, relatively accurate.
GNP_FN f64 gamma_less_one(f64 a)
{
    enum { N = sizeof(GAMMA) / sizeof(f64) };
    f64 sum = GAMMA[N - 1]; // Gamma(2 + a) = 1 + a sum
#pragma unroll 1
    for (int i = N - 2; i > 0; i--) {
        sum = fma(sum, a, GAMMA[i]);
    }
    return a * (sum - 1) / (1 + a);
}
}

#endif
