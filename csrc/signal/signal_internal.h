/* Private to signal/. */
#ifndef GNP_SIGNAL_INTERNAL_H
#define GNP_SIGNAL_INTERNAL_H

#include "signal/signal.h"

int gnp_frames_init(PyObject *module);
int gnp_harmonics_init(PyObject *module);

#endif
