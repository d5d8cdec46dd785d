// <cassert>, which NVRTC does not have: <assert.h>, and in the namespace std.
#ifndef GNP_STD_CASSERT
#define GNP_STD_CASSERT

#include "assert.h"

#endif
