/* _C.feedback: recurrences with many factors, in place. gpunp.scipy.signal checks the arguments.
 * For orders that recurrence.c does not take, where a matrix of states would be too large. A row
 * is sequential, so a block goes along it, 32 samples at a time. */
#include "signal/signal_internal.h"

enum { BLOCK = 256 };

/* One block per row: parallelism comes from the rows and from the factors, as each output needs
 * those before it. */
static int
launch(GnpArray *data, GnpArray *factors)
{
    GnpSpec_feedback spec = {GNP_SPEC(feedback), .A = data->dtype, .C = factors->dtype,
                             .BLOCK = BLOCK};
    /* The size is not 0, so neither is the length. */
    int64_t length = gnp_shape(data)[data->ndim - 1], order = factors->size;
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = data->size / length,
                                               .threads = BLOCK,
                                               .narrays = 2,
                                               .array = {data, factors},
                                               .value = {&length, &order}});
}

PyDoc_STRVAR(feedback_doc,
             "feedback($module, data, factors, /)\n--\n\n"
             "Add to each element of the rows of data the sum of products of the factors with the\n"
             "elements before it, as they are then; both are float64 or complex128.");

/* Real factors may filter complex data, but not the other way round. */
static PyObject *
ops_feedback(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *data = NULL, *factors = NULL; /* owned */
    PyObject *ret = NULL;                   /* returned */
    if (nargs != 2 || !gnp_array_check(args[0]) || !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "feedback takes two arrays");
        return NULL;
    }
    GNP_NEW(data, gnp_readable((GnpArray *)args[0], "feedback"));
    GNP_NEW(factors, gnp_readable((GnpArray *)args[1], "feedback"));
    if (data->ndim < 1 || !(data->flags & factors->flags & GNP_C_CONTIGUOUS) ||
        (data->dtype != GNP_F64 && data->dtype != GNP_C128) ||
        (factors->dtype != GNP_F64 && factors->dtype != data->dtype)) {
        PyErr_SetString(PyExc_ValueError, "feedback: C-contiguous arrays of float64 or complex128");
        goto fail;
    }
    if (data->size > 0) {
        GNP_TRY(launch(data, factors));
    }
    GNP_TRY(gnp_write_back(data, args[0]));
    ret = Py_NewRef(args[0]);
fail:
    Py_XDECREF((PyObject *)data);
    Py_XDECREF((PyObject *)factors);
    return ret;
}

static PyMethodDef functions[] = {
    {"feedback", (PyCFunction)(void (*)(void))ops_feedback, METH_FASTCALL, feedback_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_feedback_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
