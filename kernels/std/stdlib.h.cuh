// <stdlib.h>, which NVRTC does not have: malloc, free and abs are there without.
#ifndef GNP_STD_STDLIB_H
#define GNP_STD_STDLIB_H

#include "stddef.h"

#endif
