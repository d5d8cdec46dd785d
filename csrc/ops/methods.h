/* The array's methods that this room implements; methods.c lists them, the files named define them.
 */
#ifndef GNP_METHODS_H
#define GNP_METHODS_H

#include "ops/ops.h"

/* Signatures behind the array: of reductions by their kind of arguments, and of sorts. */
#define GNP_TEXT_SUM "axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None)"
#define GNP_TEXT_MAX "axis=None, out=None, keepdims=False, initial=None, where=None)"
#define GNP_TEXT_ARG "axis=None, out=None, *, keepdims=False)"
#define GNP_TEXT_ANY "axis=None, out=None, keepdims=False, *, where=None)"
#define GNP_TEXT_COUNT "axis=None, *, keepdims=False)"
#define GNP_TEXT_MEAN "axis=None, dtype=None, out=None, keepdims=False, *, where=None)"
#define GNP_TEXT_VAR                                                                               \
    "axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=None, correction=None)"
#define GNP_TEXT_SORT "axis=-1, kind=None, order=None, *, stable=None, descending=None)"

/* reduce.c: array_sum, array_max, ... one per row. */
#define REDUCTION(name, arguments, loop, accumulator, result, empty, identity, map, combine,       \
                  finish, summary)                                                                 \
    PyObject *array_##name(PyObject *self, PyObject *const *args, Py_ssize_t nargs,                \
                           PyObject *kwnames);
#include "tables/reductions.def"

/* scan.c */
PyObject *array_cumsum(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_cumprod(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* select.c */
PyObject *array_nonzero(PyObject *self, PyObject *ignored);
/* advanced.c */
PyObject *array_take(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* sort_array.c, search.c */
PyObject *array_sort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_partition(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
PyObject *array_argsort(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_searchsorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames);

/* delegate.c: compositions in Python. */
PyObject *array___round__(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
PyObject *array_argpartition(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames);
PyObject *array_compress(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
PyObject *array_choose(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_clip(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_conj(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_conjugate(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
PyObject *array_ptp(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_dot(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_put(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_repeat(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_round(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_scatter_add(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
PyObject *array_scatter_max(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
PyObject *array_scatter_min(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
PyObject *array_getfield(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
PyObject *array_setfield(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
PyObject *array_setflags(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
PyObject *array_resize(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *array_trace(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif
