/* Filters of signals: linear recurrences, changes of the sampling rate. */
#ifndef GNP_SIGNAL_H
#define GNP_SIGNAL_H

#include "select/select.h"

int gnp_signal_init(PyObject *module);

#endif
