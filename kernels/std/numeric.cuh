// <numeric>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_NUMERIC
#define GNP_STD_NUMERIC

#include <cuda/std/numeric>

namespace std {
using namespace ::cuda::std;
}

#endif
