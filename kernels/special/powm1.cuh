// x^y - 1 without cancellation.
#ifndef GNP_SPECIAL_POWM1_CUH
#define GNP_SPECIAL_POWM1_CUH

#include "special/common.cuh"

namespace special {

GNP_FN f64 powm1(f64 x, f64 y)
{
    if (y == 0 || x == 1) {
        return 0;
    }
    if (x < 0 && (rint(y) != y || fabs(y) == INFINITY_F64)) {
        return NAN_F64;
    }
    if (x == 0 && y < 0) {
        return INFINITY_F64;
    }
    f64 t = y * ::log(fabs(x));
    if (fabs(t) < 0.5 && (x > 0 || rint(0.5 * y) == 0.5 * y)) {
        return ::expm1(t);
    }
    return ::pow(x, y) - 1;
}
}

#endif
