// skellam.cuh: the difference k of two Poisson numbers. What decides are the likeliest numbers s and t with the
// difference k, whose product is that of the means.
#ifndef GNP_STATS_SKELLAM_CUH
#define GNP_STATS_SKELLAM_CUH

#include "stats/counting.cuh"

namespace stats {

// The probability is a modified Bessel function: for large s + t by Debye's expansion (NIST DLMF 10.41.3, 10.41.10),
// whose exponent is that of the two deviances, else the sum over the smaller number.
GNP_COLD f64 skellam_log_pmf(f64 k, f64 mu1, f64 mu2)
{
    const f64 n = fabs(k), of_more = k < 0 ? mu2 : mu1, of_less = k < 0 ? mu1 : mu2;
    const f64 whole = hypot(n, 2 * sqrt(mu1) * sqrt(mu2)), s = 0.5 * (n + whole), t = of_more / s * of_less;
    if (whole > 1000) {
        const f64 q = n / whole * (n / whole), u = 1 / whole;
        const f64 second = (81 + q * (-462 + q * 385)) / 1152;
        const f64 third = (30375 + q * (-369603 + q * (765765 - q * 425425))) / 414720;
        const f64 fourth =
            (4465125 + q * (-94121676 + q * (349922430 + q * (-446185740 + q * 185910725)))) / 39813120;
        const f64 rest = u * ((3 - 5 * q) / 24 + u * (second + u * (third + u * fourth)));
        const f64 off = log(s / of_more) * ((s - t) - n); // what rounding of s and t changes
        return log1p(rest) - deviance(s, of_more) - deviance(t, of_less) + off - 0.5 * log(2 * PI_F64 * whole);
    }
    const f64 middle = floor(t), product = mu1 * mu2;
    f64 sum = 1;
#pragma unroll 1
    for (int up = 0; up < 2; up++) {
        f64 term = 1, j = middle;
#pragma unroll 1
        while (term > 1e-17 * sum) {
            term *= up ? product / ((j + 1) * (n + j + 1)) : j * (n + j) / product;
            j += up ? 1 : -1;
            sum += term;
        }
    }
    return poisson_log_pmf(n + middle, of_more) + poisson_log_pmf(middle, of_less) + log(sum);
}
}

#endif
