// <stdio.h>, which NVRTC does not have: printf is there without.
#ifndef GNP_STD_STDIO_H
#define GNP_STD_STDIO_H

#include "stddef.h"

#endif
