/* Subclasses of the array: views and results have the class of what they were made of.
 *
 * Everything inside works with plain arrays. Where a method returns, gnp_of_class makes a view of
 * the subclass and calls its __array_finalize__, as NumPy does; for plain arrays it is one test. */
#include "core/core_internal.h"

/* NULL passes through, so that calls nest. An exception of the hook replaces the result, as in
 * NumPy. */
GnpArray *
gnp_array_finalized(GNP_STEAL GnpArray *view, PyObject *parent)
{
    if (view == NULL || Py_TYPE(view) == gnp_array_type) {
        return view;
    }
    PyObject *done = PyObject_CallMethod((PyObject *)view, "__array_finalize__", "O", parent);
    if (done == NULL) {
        Py_CLEAR(view);
    }
    Py_XDECREF(done);
    return view;
}

/* A view of the result, which has been computed as a plain array; its base is that array. */
PyObject *
gnp_subclass_view(GNP_STEAL PyObject *result, PyObject *parent)
{
    GnpArray *a = (GnpArray *)result;
    GnpArray *view = gnp_array_view_as(a, Py_TYPE(parent), a->data, a->ndim, gnp_shape(a),
                                       gnp_strides(a), (GnpDtype)a->dtype);
    Py_DECREF(result);
    return (PyObject *)gnp_array_finalized(view, parent);
}

/* -1 with an exception. */
static int
priority(PyObject *array, double *out)
{
    PyObject *value = PyObject_GetAttr(array, gnp_state.str___array_priority__); /* owned */
    *out = value == NULL ? -1 : PyFloat_AsDouble(value);
    Py_XDECREF(value);
    return PyErr_Occurred() ? -1 : 0;
}

/* The first one wins where priorities are equal. *found is borrowed, NULL where there is no
 * subclass; -1 with an exception. */
int
gnp_highest_subclass(PyObject *const *inputs, int n, PyObject **found)
{
    double highest = 0;
    *found = NULL;
    for (int i = 0; i < n; i++) {
        double own;
        if (!gnp_is_subclass(inputs[i])) {
            continue;
        }
        if (priority(inputs[i], &own) < 0) {
            return -1;
        }
        if (*found == NULL || own > highest) {
            *found = inputs[i];
            highest = own;
        }
    }
    return 0;
}
