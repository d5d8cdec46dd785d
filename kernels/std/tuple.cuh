// <tuple>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_TUPLE
#define GNP_STD_TUPLE

#include <cuda/std/tuple>

namespace std {
using namespace ::cuda::std;
}

#endif
