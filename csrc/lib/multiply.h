/* Products of matrices by cuBLASLt, which gnp_product tries before our own kernels. */
#ifndef GNP_LIB_MULTIPLY_H
#define GNP_LIB_MULTIPLY_H

#include "product/product.h"

int gnp_multiply(const GnpProduct *p, GnpDevice *device, CUstream stream);
/* Whether float32 operands may be rounded to TF32; sets it where `set` is not negative. */
int gnp_tf32(int set);

/* Functions of the module: which code multiplies, and whether TF32 is allowed; both return the
 * previous setting. */
PyObject *gnp_set_products(PyObject *module, PyObject *which);
PyObject *gnp_set_tf32(PyObject *module, PyObject *on);

#endif
