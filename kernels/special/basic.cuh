#ifndef GNP_SPECIAL_BASIC_CUH
#define GNP_SPECIAL_BASIC_CUH
#include "special/common.cuh"
namespace special {
GNP_FN f64 entr(f64 x) { return x > 0 ? -x * log(x) : x == 0 ? 0 : x < 0 ? -INFINITY_F64 : x; }
}
#endif
