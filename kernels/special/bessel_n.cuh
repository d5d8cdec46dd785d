// bessel_n.cuh: Bessel functions Y and K of whole order, by those of real order.
#ifndef GNP_SPECIAL_BESSEL_N_CUH
#define GNP_SPECIAL_BESSEL_N_CUH

#include "special/bessel_modified.cuh"
#include "special/bessel_real.cuh"

namespace special {

GNP_FN f64 yn(f64 n, f64 x) { return n != n || x < 0 ? NAN_F64 : yv(trunc(n), x); }
GNP_FN f64 yn(i64 n, f64 x) { return yn((f64)n, x); }
GNP_FN f64 kn(f64 n, f64 x) { return n != n || x < 0 ? NAN_F64 : kv(trunc(n), x); }
GNP_FN f64 kn(i64 n, f64 x) { return kn((f64)n, x); }
}

#endif
