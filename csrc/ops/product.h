/* Products of matrices, inside the room: what product.c hands to product_launch.c. */
#ifndef GNP_PRODUCT_H
#define GNP_PRODUCT_H

#include "ops/space.h"

/* Our own kernels: at least one output and at least one k. */
int gnp_product_run(const GnpProduct *p, GnpDevice *device, CUstream stream);

/* The type in which products of `loop` are summed. */
GnpDtype gnp_product_sum_dtype(GnpDtype loop);

#endif
