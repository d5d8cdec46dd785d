/* The emulated cuFFT: prototypes of what is exported. */
#ifndef EMU_CUFFT_H
#define EMU_CUFFT_H

#include "emu/libs/libs.h"
#include "lib/cufft_abi.h"

#define CALL(name, params) int name params;
#include "tables/cufft.def"

enum {
#define STATUS(number, name, kind) name = number,
#include "tables/cufft.def"
};

#endif
