/* Between the files of this room. */
#ifndef GNP_LIB_GUEST_H
#define GNP_LIB_GUEST_H

#include "lib/lib.h"

/* Hands the look-alikes what they compute with: the driver, and SciPy's BLAS and LAPACK where
 * `needs_lapack`. Once per process; needs the GIL. -1 with ImportError. */
int gnp_lookalikes_attach(int needs_lapack);

int gnp_guest_init(PyObject *module);

#endif
