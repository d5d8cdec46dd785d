/* Folding along one axis, step after step: accumulate, reduce and reduceat of what has an order. */
#ifndef GNP_FOLD_H
#define GNP_FOLD_H

#include "ops/reduce.h"
#include "ops/scan.h"

/* What gnp_scan_run does, for rows that may not be regrouped. */
int gnp_fold_accumulate(const GnpScanTask *task);
/* task->fold along at most one axis; at least one output. */
int gnp_fold_reduce(const GnpReduceTask *task);
/* ufunc.reduceat */
PyObject *gnp_ufunc_reduceat(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames);

#endif
