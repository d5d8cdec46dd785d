// kolmogorov.cuh: the density of Kolmogorov's limiting distribution, by the derivatives of both of its series.
#ifndef GNP_STATS_KOLMOGOROV_CUH
#define GNP_STATS_KOLMOGOROV_CUH

#include "stats/constants.cuh"

namespace stats {

// 8 x sum (-1)^(k-1) k^2 exp(-2 k^2 x^2), or sqrt(2 pi) / x^2 sum (2 u - 1) exp(-u), u = (2 k - 1)^2 pi^2 / 8 x^2.
GNP_COLD f64 kolmogorov_pdf(f64 x)
{
    f64 sum = 0;
    if (!(x > 0.02)) return 0;
#pragma unroll 1
    for (int k = 1; k <= 12; k++) {
        const f64 odd = (2 * k - 1) * PI_F64 / x, u = odd * odd / 8;
        const f64 far = (k % 2 == 1 ? 8 : -8) * x * k * k * exp(-2 * k * k * x * x);
        sum += x > 0.8 ? far : ROOT_TWO_PI_F64 / (x * x) * (2 * u - 1) * exp(-u);
    }
    return sum;
}
}

#endif
