// <cstddef>, which NVRTC does not have: <stddef.h>, and in the namespace std.
#ifndef GNP_STD_CSTDDEF
#define GNP_STD_CSTDDEF

#include "stddef.h"

namespace std {
using ::size_t;
using ::ptrdiff_t;
} // namespace std

#endif
