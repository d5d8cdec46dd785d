// <climits>, which NVRTC does not have: <limits.h>, and in the namespace std.
#ifndef GNP_STD_CLIMITS
#define GNP_STD_CLIMITS

#include "limits.h"

#endif
