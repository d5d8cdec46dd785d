/* What SciPy's namespaces have beyond NumPy's: filters of images and signals. */
#ifndef GNP_SCI_H
#define GNP_SCI_H

#include "select/select.h"

int gnp_sci_init(PyObject *module);

#endif
