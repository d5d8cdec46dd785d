// zipf.cuh: the entropy of Zipf's distribution. For powers near 1 it grows like 1 / (a - 1), as numbers far beyond the
// range of floating point are likely, so probabilities cannot be added up.
#ifndef GNP_STATS_ZIPF_CUH
#define GNP_STATS_ZIPF_CUH

#include "special/zeta.cuh"

namespace stats {

// The sum of log(k) k^-a over the whole numbers, minus the derivative of the zeta function, for a > 1: by the formula
// of Euler and Maclaurin from 16 on. The derivative m of log(x) x^-a is, but for its sign, x^(-a - m) times
// a (a + 1) ... (a + m - 1) times log(x) - 1 / a - ... - 1 / (a + m - 1).
GNP_COLD f64 sum_of_log_powers(f64 a)
{
    const f64 from = 16, log_from = 2.772588722239781, factors[] = {1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600,
                                                                    1.0 / 47900160, -691.0 / 1307674368000};
    f64 sum = 0;
#pragma unroll 1
    for (f64 k = 2; k < from; k += 1) {
        sum += log(k) * pow(k, -a);
    }
    const f64 first = pow(from, -a), rest = 1 / (a - 1);
    sum += first * (from * rest * (log_from + rest) + 0.5 * log_from);
    f64 power = first * a / from, bracket = log_from - 1 / a;
#pragma unroll 1
    for (int j = 0; j < 6; j++) {
        sum += factors[j] * power * bracket;
        const f64 low = a + 2 * j + 1, high = low + 1;
        power *= low * high / (from * from);
        bracket -= 1 / low + 1 / high;
    }
    return sum;
}

// Of the probabilities k^-a / zeta(a).
GNP_COLD f64 zipf_entropy(f64 a)
{
    const f64 above = special::zeta(a, 2.0);
    if (above == 0) return 0;
    return log1p(above) + a * (sum_of_log_powers(a) / (1 + above));
}
}

#endif
