// <complex>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_COMPLEX
#define GNP_STD_COMPLEX

#include <cuda/std/complex>

namespace std {
using namespace ::cuda::std;
}

#endif
