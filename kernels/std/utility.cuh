// <utility>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_UTILITY
#define GNP_STD_UTILITY

#include <cuda/std/utility>

namespace std {
using namespace ::cuda::std;
}

#endif
