/* The array's operators, and its methods that are written in Python. */
#ifndef GNP_METHODS_H
#define GNP_METHODS_H

#include "product/product.h"

extern PyType_Slot gnp_operator_slots[]; /* number slots, richcompare; ends with {0, NULL} */

int gnp_methods_init(PyObject *module);

#endif
