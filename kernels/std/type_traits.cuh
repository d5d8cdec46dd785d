// <type_traits>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_TYPE_TRAITS
#define GNP_STD_TYPE_TRAITS

#include <cuda/std/type_traits>

namespace std {
using namespace ::cuda::std;
}

#endif
