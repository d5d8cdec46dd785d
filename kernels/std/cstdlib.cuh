// <cstdlib>, which NVRTC does not have: <stdlib.h>, and in the namespace std.
#ifndef GNP_STD_CSTDLIB
#define GNP_STD_CSTDLIB

#include "stdlib.h"

namespace std {
using ::abs;
} // namespace std

#endif
