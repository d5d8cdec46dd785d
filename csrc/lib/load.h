/* Private header of lib/: start-up of what lib.h declares. */
#ifndef GNP_LIB_LOAD_H
#define GNP_LIB_LOAD_H

#include "lib/lib.h"

/* Gives the emulated libraries what they compute with: entries of the emulated driver, and SciPy's
 * BLAS and LAPACK where `needs_lapack`. Once per process; needs the GIL. -1 with ImportError. */
int gnp_emulated_attach(int needs_lapack);

int gnp_library_init(PyObject *module);

#endif
