// names.cuh: CUDA's functions that complex.cuh and math.cuh overload, for where those stand in a
// namespace and would hide them.
#ifndef GNP_NAMES_CUH
#define GNP_NAMES_CUH

using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atanh;
using ::cos;
using ::cosh;
using ::exp;
using ::exp2;
using ::expm1;
using ::frexp;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::modf;
using ::rint;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;

#endif
