/* Selection: by condition, index, order and rank; sorting, searching, joining, padding, counting.
 */
#ifndef GNP_SELECT_H
#define GNP_SELECT_H

#include "reduce/reduce.h"

/* All of these wait for the device, as the result's shape depends on the number of true elements. A
 * mask may be of any dtype. */

/* The linear C-order indices of the true elements: 1-d int64. */
GnpArray *gnp_select_indices(GnpArray *mask);
/* a's elements where `mask` (of a's shape) is true: 1-d. */
GnpArray *gnp_select_take(GnpArray *a, GnpArray *mask);
/* The reverse: `values` is 1-d, of a's dtype; ValueError when the number differs. */
int gnp_select_put(GnpArray *a, GnpArray *mask, GnpArray *values);
/* out[k] = the index along axis k of each true element of `mask`, which has axes: new arrays, or
 * none on failure. */
int gnp_select_coordinates(GnpArray *mask, GnpArray **out);

/* Indexing's hooks (advanced.c), and the functions of take.c. */
int gnp_advanced_init(PyObject *module);
int gnp_take_init(PyObject *module);

/* first, first + step, ...: the array of addresses that libraries take for a batch. A new uint64
 * array. */
GnpArray *gnp_addresses(CUdeviceptr first, int64_t step, int64_t count);

/* ufunc.at (update.c) */
PyObject *gnp_ufunc_at(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* ---- sorting --------------------------------------------------------------------------------- */

/* `rows` contiguous rows of `n` elements each. Stable; NaNs come last in both orders. */
typedef struct {
    CUdeviceptr in; /* is only read */
    GnpDtype dtype;
    int64_t rows, n;
    int descending;
    CUdeviceptr keys;    /* where the sorted elements go; 0: nowhere; `in`: see below */
    CUdeviceptr indices; /* int64: where they were in their row; 0: nowhere */
    CUdeviceptr values;  /* one for each element, which goes to `indices` instead; 0: none */
    CUdeviceptr above;   /* of words: the upper halves, `values` are the lower ones; 0: where
                            elements were */
    int value_bytes;     /* 4 or 8 */
    int is_narrow;       /* `indices` are of 4 bytes, as rows are below 2^32 */
    int is_words;        /* 8 bytes move along, of which `values` has 4 */
    int bits;            /* the low bits in which elements differ, which are positive; 0: all */
    int first;           /* of these the lower ones that are not sorted by */
} GnpSortTask;

/* Whether `keys` may be `in`, without indices: the passes come in pairs. */
int gnp_sort_in_place(GnpDtype dtype, int64_t n);

/* On the current stream; does not wait. Scratch: the elements once, and for indices of long rows
 * twice and four bytes each, beyond what the results' memory provides. */
int gnp_sort_run(const GnpSortTask *task);

/* ---- methods of the array -------------------------------------------------------------------- */

#define GNP_TEXT_SORT "axis=-1, kind=None, order=None, *, stable=None, descending=None)"
PyObject *array_nonzero(PyObject *self, PyObject *ignored);
PyObject *array_take(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_sort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_partition(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
PyObject *array_argsort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_searchsorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames);

/* ---- start-up: gnp_select_init calls the others ---------------------------------------------- */

int gnp_select_init(PyObject *module);
int gnp_mask_init(PyObject *module); /* select.c */
int gnp_histogram_init(PyObject *module);
int gnp_join_init(PyObject *module);
int gnp_pad_init(PyObject *module);
int gnp_search_init(PyObject *module);
int gnp_sort_init(PyObject *module);
int gnp_interp_init(PyObject *module);
int gnp_fill_init(PyObject *module);
int gnp_rank_init(PyObject *module);
int gnp_rank_rows_init(PyObject *module);
int gnp_nth_rows_init(PyObject *module);
int gnp_part_rows_init(PyObject *module);

#endif
