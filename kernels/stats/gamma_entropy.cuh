// gamma_entropy.cuh: the entropy of the gamma distribution, by Stirling's series where its terms are large.
#ifndef GNP_STATS_GAMMA_ENTROPY_CUH
#define GNP_STATS_GAMMA_ENTROPY_CUH

#include "special/gamma.cuh"
#include "special/psi.cuh"
#include "stats/constants.cuh"

namespace stats {

// a + (1 - a) psi(a) + log Gamma(a). The series follows from DLMF 5.11.1 and 5.11.2.
GNP_COLD f64 gamma_entropy(f64 a)
{
    if (a < 60) return a + (1 - a) * special::psi(a) + special::gammaln(a);
    const f64 r = 1 / a;
    const f64 last = 1.0 / 120 + r * (1.0 / 210 - r / 252);
    return 0.5 * log(a) + LOG_ROOT_TWO_PI_F64 + 0.5 - r * (1.0 / 3 + r * (1.0 / 12 + r * (1.0 / 90 - r * last)));
}
}

#endif
