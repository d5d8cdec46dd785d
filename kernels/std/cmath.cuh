// <cmath>, which NVRTC does not have: <math.h>, and in the namespace std.
#ifndef GNP_STD_CMATH
#define GNP_STD_CMATH

#include "math.h"

namespace std {
using ::abs;
using ::fabs;
using ::sqrt;
using ::cbrt;
using ::exp;
using ::exp2;
using ::expm1;
using ::log;
using ::log2;
using ::log10;
using ::log1p;
using ::pow;
using ::sin;
using ::cos;
using ::tan;
using ::asin;
using ::acos;
using ::atan;
using ::atan2;
using ::sinh;
using ::cosh;
using ::tanh;
using ::asinh;
using ::acosh;
using ::atanh;
using ::floor;
using ::ceil;
using ::trunc;
using ::round;
using ::rint;
using ::fmod;
using ::fma;
using ::hypot;
using ::erf;
using ::erfc;
using ::tgamma;
using ::lgamma;
using ::isnan;
using ::isinf;
using ::isfinite;
using ::signbit;
using ::copysign;
using ::fmin;
using ::fmax;
using ::ldexp;
using ::frexp;
using ::modf;
using ::nearbyint;
using ::remainder;
} // namespace std

#endif
