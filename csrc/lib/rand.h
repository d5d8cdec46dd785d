/* cuRAND's generators as objects of Python. */
#ifndef GNP_LIB_RAND_H
#define GNP_LIB_RAND_H

#include "lib/lib.h"

int gnp_rand_init(PyObject *module);

#endif
