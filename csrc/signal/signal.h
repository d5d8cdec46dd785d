/* Kernels of signals: linear recurrences, changes of the sampling rate, frames of overlapping
 * windows, sums over all pairs of times and frequencies. */
#ifndef GNP_SIGNAL_H
#define GNP_SIGNAL_H

#include "select/select.h"

int gnp_signal_init(PyObject *module);

#endif
