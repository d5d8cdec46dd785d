// <cstring>, which NVRTC does not have: <string.h>, and in the namespace std.
#ifndef GNP_STD_CSTRING
#define GNP_STD_CSTRING

#include "string.h"

namespace std {
using ::memcpy;
using ::memset;
} // namespace std

#endif
