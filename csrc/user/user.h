/* Kernels the user wrote: ElementwiseKernel, ReductionKernel, RawKernel, modules, the linker. */
#ifndef GNP_USER_H
#define GNP_USER_H

#include "reduce/reduce.h"

/* A number that is unique to an operation in this process: its kernels are found by it. */
uint64_t gnp_op_number(void);

int gnp_user_init(PyObject *module);

#endif
