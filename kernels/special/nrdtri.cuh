// nrdtri.cuh: inverses of the normal distribution by its mean and its standard deviation.
#ifndef GNP_SPECIAL_NRDTRI_CUH
#define GNP_SPECIAL_NRDTRI_CUH

#include "special/ndtr.cuh"

namespace special {

GNP_FN f64 nrdtrimn(f64 p, f64 std, f64 x)
{
    return p > 0 && p < 1 && std > 0 ? fma(-std, ndtri(p), x) : NAN_F64;
}

GNP_FN f64 nrdtrisd(f64 mn, f64 p, f64 x) { return p > 0 && p < 1 ? (x - mn) / ndtri(p) : NAN_F64; }
}

#endif
