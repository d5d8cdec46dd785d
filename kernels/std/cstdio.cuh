// <cstdio>, which NVRTC does not have: <stdio.h>, and in the namespace std.
#ifndef GNP_STD_CSTDIO
#define GNP_STD_CSTDIO

#include "stdio.h"

namespace std {
using ::printf;
} // namespace std

#endif
