// <assert.h>, which NVRTC does not have: assert is there without.
#ifndef GNP_STD_ASSERT_H
#define GNP_STD_ASSERT_H

// Nothing is missing.

#endif
