// Distribution functions that are incomplete gamma functions: chi-square, gamma, Poisson.
#ifndef GNP_SPECIAL_CHDTR_CUH
#define GNP_SPECIAL_CHDTR_CUH

#include "special/gammainc.cuh"

namespace special {

GNP_FN f64 chdtr(f64 v, f64 x) { return gammainc(0.5 * v, 0.5 * x); }
GNP_FN f64 chdtrc(f64 v, f64 x) { return gammaincc(0.5 * v, 0.5 * x); }

GNP_FN f64 gdtr(f64 a, f64 b, f64 x) { return x < 0 ? NAN_F64 : gammainc(b, a * x); }
GNP_FN f64 gdtrc(f64 a, f64 b, f64 x) { return x < 0 ? NAN_F64 : gammaincc(b, a * x); }

GNP_FN f64 pdtr(f64 k, f64 m)
{
    return k < 0 || !(m >= 0) ? NAN_F64 : m == 0 ? 1.0 : gammaincc(floor(k) + 1, m);
}

GNP_FN f64 pdtrc(f64 k, f64 m)
{
    return k < 0 || !(m >= 0) ? NAN_F64 : m == 0 ? 0.0 : gammainc(floor(k) + 1, m);
}
}

#endif
