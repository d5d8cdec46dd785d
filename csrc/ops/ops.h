/* Operations on arrays: ufuncs, reductions, selection, user kernels.
 *
 * Rows of tables/ufuncs.def and tables/reductions.def become objects here; the number slots and the
 * reducing methods of the array type come from this room.
 */
#ifndef GNP_OPS_H
#define GNP_OPS_H

#include "core/core.h"

typedef enum {
#define UFUNC(name, nin, nout, result, classes, identity, expression, ulp, summary)                \
    GNP_UFUNC_##name,
#include "tables/ufuncs.def"
    GNP_NUFUNCS
} GnpUfuncId;

/* Calls a row on Python operands (arrays, Python and NumPy scalars); the operators' path. */
PyObject *gnp_ufunc_unary(GnpUfuncId id, PyObject *a);
PyObject *gnp_ufunc_binary(GnpUfuncId id, PyObject *a, PyObject *b);
/* a op= b */
PyObject *gnp_ufunc_inplace(GnpUfuncId id, PyObject *a, PyObject *b);

extern PyType_Slot gnp_ops_array_slots[];   /* number slots, richcompare; ends with {0, NULL} */
extern PyMethodDef gnp_ops_array_methods[]; /* sum, max, any, ...; ends with a NULL name */
int gnp_ops_init(PyObject *module);         /* ufunc type and objects, reductions, where, select */
/* Parts of gnp_ops_init: the functions of reduce.c; those of select.c and the hooks of advanced.c.
 * methods.c has gnp_ops_array_methods. */
int gnp_reduce_init(PyObject *module);
int gnp_select_init(PyObject *module);
int gnp_scan_init(PyObject *module);  /* cumsum, cumprod ... (scan.c) */
int gnp_close_init(PyObject *module); /* isclose (close.c) */
int gnp_join_init(PyObject *module);  /* concatenate and stack of like arrays (join.c) */
int gnp_sort_init(PyObject *module);  /* sorted_copy, sorted_pairs (sort_array.c) */
