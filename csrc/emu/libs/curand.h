/* The emulated cuRAND: prototypes of what is exported. */
#ifndef EMU_CURAND_H
#define EMU_CURAND_H

#include "emu/libs/libs.h"
#include "lib/curand_abi.h"

#define CALL(name, params) int name params;
#include "tables/curand.def"

enum {
#define STATUS(number, name, kind) name = number,
#include "tables/curand.def"
};

#endif
