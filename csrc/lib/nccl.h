/* NCCL's communicators as objects of Python. */
#ifndef GNP_LIB_NCCL_H
#define GNP_LIB_NCCL_H

#include "lib/lib.h"

int gnp_nccl_init(PyObject *module);

#endif
