// constants.cuh: numbers that formulas of distributions share.
#ifndef GNP_STATS_CONSTANTS_CUH
#define GNP_STATS_CONSTANTS_CUH

#include "special/common.cuh"

namespace stats {

#define EULER_F64 0.577215664901532860607 // Euler's constant
#define ZETA3_F64 1.202056903159594285400
#define LOG_TWO_F64 0x1.62e42fefa39efp-1
#define LOG_PI_F64 1.144729885849400174143
#define LOG_ROOT_TWO_PI_F64 0.918938533204672741780
#define ROOT_TWO_F64 1.414213562373095048802
#define ROOT_PI_F64 1.772453850905516027298
#define SQRT_TWO_OVER_PI_F64 0.797884560802865355880

GNP_FN f64 square(f64 x) { return x * x; }
GNP_FN f64 cube(f64 x) { return x * x * x; }
// log(1 + x^2), whose square may overflow.
GNP_FN f64 log_one_square(f64 x) { return fabs(x) < 1e8 ? log1p(x * x) : 2 * log(fabs(x)); }
}

#endif
