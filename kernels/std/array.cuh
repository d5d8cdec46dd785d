// <array>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_ARRAY
#define GNP_STD_ARRAY

#include <cuda/std/array>

namespace std {
using namespace ::cuda::std;
}

#endif
