// <string.h>, which NVRTC does not have: memcpy and memset are there without.
#ifndef GNP_STD_STRING_H
#define GNP_STD_STRING_H

#include "stddef.h"

#endif
