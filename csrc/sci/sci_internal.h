/* Private to sci/. */
#ifndef GNP_SCI_INTERNAL_H
#define GNP_SCI_INTERNAL_H

#include "sci/sci.h"

int gnp_line_filter_init(PyObject *module);

#endif
