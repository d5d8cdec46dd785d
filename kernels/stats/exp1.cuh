// exp1.cuh: the exponential integral without its exponential, for entropies.
#ifndef GNP_STATS_EXP1_CUH
#define GNP_STATS_EXP1_CUH

#include "special/expint.cuh"

namespace stats {

// exp(x) E1(x) for x > 0.
GNP_FN f64 exp_times_exp1(f64 x) { return x < 1 ? exp(x) * special::exp1(x) : special::scaled_exp1(x) / x; }
}

#endif
