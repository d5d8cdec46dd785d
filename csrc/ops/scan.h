/* A scan on its way: what scan.c makes of a call and scan_launch.c runs. */
#ifndef GNP_SCAN_H
#define GNP_SCAN_H

#include "ops/ufunc.h"

typedef struct {
    const GnpUfuncRow *row; /* two inputs, one output, all of one dtype in the loop */
    int skips_nan;          /* NaN counts as the row's identity */
    GnpArray *in, *out;     /* of one shape, each element on its boundary, of any dtypes */
    GnpDtype loop;
    int axis;
} GnpScanTask;

/* out[.., i, ..] = in[.., 0, ..] op ... op in[.., i, ..] on the current stream, in any layout. They
 * may overlap. */
int gnp_scan_run(const GnpScanTask *task);
/* 1 when the order of operations of a row may change but for rounding. */
int gnp_is_associative(const GnpUfuncRow *row);

/* ---- what accumulate, reduce and reduceat share ---------------------------------------------- */

/* ValueError unless the row has two inputs and one output. */
int gnp_ufunc_check_chain(GnpUfunc *u, const char *method);
/* An axis, or None where there is but one. */
int gnp_chain_axis(PyObject *object, int ndim, const char *method, int *axis);
/* out=: a writeable array, or *out NULL. */
int gnp_chain_out(PyObject *object, GnpArray **out);
/* The dtype of a loop whose result can be its next first operand, as NumPy takes it for dtype=,
 * out= and `in`; TypeError when there is none. */
int gnp_chain_dtype(GnpUfunc *u, GnpDtype in, PyObject *dtype, const GnpArray *out, GnpDtype *loop);
/* TypeError: a unit of time was asked for where dtype= can name a kind alone. */
int gnp_refuse_detail(void);
/* TypeError where the row's second operand has another type: accumulate and reduceat refuse it. */
int gnp_chain_uniform(GnpUfunc *u, const char *method);
PyObject *gnp_ufunc_accumulate(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames);

#endif
