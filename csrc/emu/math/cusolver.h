/* The look-alike of cuSOLVER: prototypes of what is exported. */
#ifndef EMU_CUSOLVER_H
#define EMU_CUSOLVER_H

#include "emu/math/emu_math.h"
#include "lib/cusolver_abi.h"

#define CALL(name, params) int name params;
#include "tables/cusolver.def"

enum {
#define STATUS(number, name, kind) name = number,
#include "tables/cusolver.def"
};

struct cusolverDnContext {
    cudaStream_t stream;
};

#endif
