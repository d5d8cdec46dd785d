/* What is true, and the elements there: shared by selection and advanced indexing. */
#ifndef GNP_SELECT_H
#define GNP_SELECT_H

#include "ops/ops.h"

/* All of these wait for the device: how many are true decides a shape. A mask may be of any dtype.
 */

/* The linear C-order indices of the true elements: 1-d int64. */
GnpArray *gnp_select_indices(GnpArray *mask);
/* a's elements where `mask` (of a's shape) is true: 1-d. */
GnpArray *gnp_select_take(GnpArray *a, GnpArray *mask);
/* The other way round: `values` is 1-d, of a's dtype; ValueError when the number differs. */
int gnp_select_put(GnpArray *a, GnpArray *mask, GnpArray *values);
/* out[k] = the index along axis k of each true element of `mask`, which has axes: new arrays, or
 * none on failure. */
int gnp_select_coordinates(GnpArray *mask, GnpArray **out);

/* In mode 'raise' only: IndexError when an index lies outside an axis of this size. Waits. */
int gnp_index_check(GnpArray *index, int64_t size, int axis);
/* 1 in the mode 'raise' of set_index_mode: values on the device are looked at, which waits. */
int gnp_index_mode_raises(void);
/* The functions of bounds.c: set_index_mode. */
int gnp_bounds_init(PyObject *module);
/* Indexing's hooks (advanced.c), and the functions of take.c. */
int gnp_advanced_init(PyObject *module);
int gnp_take_init(PyObject *module);

#endif
