// <iterator>, which NVRTC does not have: that of the toolkit, in the namespace std.
#ifndef GNP_STD_ITERATOR
#define GNP_STD_ITERATOR

#include <cuda/std/iterator>

namespace std {
using namespace ::cuda::std;
}

#endif
