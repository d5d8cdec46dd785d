// <functional>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_FUNCTIONAL
#define GNP_STD_FUNCTIONAL

#include <cuda/std/functional>

namespace std {
using namespace ::cuda::std;
}

#endif
