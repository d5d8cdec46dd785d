// noncentral_t.cuh: the density of the noncentral t distribution. It is a sum of two functions 1F1, and where these
// cancel or leave the range the integral of s phi(t s - nc) over the distribution of s = sqrt(chi2/df).
#ifndef GNP_STATS_NONCENTRAL_T_CUH
#define GNP_STATS_NONCENTRAL_T_CUH

#include "special/confluent.cuh"
#include "special/gamma.cuh"
#include "special/nctdtr.cuh"
#include "stats/constants.cuh"

namespace stats {

GNP_FN f64 noncentral_t_pdf(f64 df, f64 nc, f64 x)
{
    if (x * nc < 0 || fabs(nc) > 30) return special::nct_integral<true>(df, x > 0 ? -nc : nc, fabs(x));
    const f64 s = df + x * x, h = 0.5 * df, y = 0.5 * nc * nc * x * x / s;
    const f64 first = exp(h * log(df / s) + special::gammaln(df + 1) - df * LOG_TWO_F64 - 0.5 * nc * nc - special::gammaln(h));
    const f64 odd = ROOT_TWO_F64 * nc * x / s * special::hyp1f1(h + 1, 1.5, y) * exp(-special::gammaln(h + 0.5));
    return first * (odd + special::hyp1f1(h + 0.5, 0.5, y) / sqrt(s) * exp(-special::gammaln(h + 1)));
}
}

#endif
