/* Lazy mode and fuse: recorded work in few kernels. */
#ifndef GNP_FUSE_H
#define GNP_FUSE_H

#include "user/user.h"

int gnp_fuse_init(PyObject *module);
int gnp_lazy_init(PyObject *module);

#endif
