// <limits>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_LIMITS
#define GNP_STD_LIMITS

#include <cuda/std/limits>

namespace std {
using namespace ::cuda::std;
}

#endif
