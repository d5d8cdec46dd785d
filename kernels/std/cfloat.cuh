// <cfloat>, which NVRTC does not have: <float.h>, and in the namespace std.
#ifndef GNP_STD_CFLOAT
#define GNP_STD_CFLOAT

#include "float.h"

#endif
