// <cstdint>, which NVRTC does not have: <stdint.h>, and in the namespace std.
#ifndef GNP_STD_CSTDINT
#define GNP_STD_CSTDINT

#include "stdint.h"

namespace std {
using ::int8_t;
using ::uint8_t;
using ::int16_t;
using ::uint16_t;
using ::int32_t;
using ::uint32_t;
using ::int64_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
} // namespace std

#endif
