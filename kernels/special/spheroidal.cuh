// The characteristic values of spheroidal wave functions: pro_cv, obl_cv.
#ifndef GNP_SPECIAL_SPHEROIDAL_CUH
#define GNP_SPECIAL_SPHEROIDAL_CUH

#include "special/spheroidal_core.cuh"

namespace special {

GNP_FN f64 pro_cv(f64 m, f64 n, f64 c) { return spheroidal_value(spheroidal_rows(m, n, c, 1.0)); }
GNP_FN f64 obl_cv(f64 m, f64 n, f64 c) { return spheroidal_value(spheroidal_rows(m, n, c, -1.0)); }
}

#endif
