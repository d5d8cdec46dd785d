/* _C.interp: piecewise linear interpolation in one launch. gpunp.interp checks the arguments.
 *
 * Both coordinates are float64, as in NumPy; values may be complex. The slopes are not stored: each
 * point computes its own from two neighbours, found by binary search.
 */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 256 };

/* arrays: x, px, py, left, right, out: C-contiguous, of float64 or (from py on) one type. Any
 * number of points and a thread for each. */
static int
launch(GnpArray *const *arrays)
{
    GnpSpec_interp spec = {GNP_SPEC(interp), .F = arrays[2]->dtype, .BLOCK = BLOCK};
    int64_t n = arrays[0]->size, points = arrays[1]->size, blocks = gnp_ceil_div(n, BLOCK);
    return gnp_launch_arrays(&(GnpArrayLaunch){
        .spec = &spec.head,
        .blocks = blocks,
        .threads = BLOCK,
        .narrays = 6,
        .array = {arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5]},
        .value = {&n, &points},
    });
}

PyDoc_STRVAR(interp_doc, "interp($module, x, xp, fp, left, right, /)\n--\n\n"
                         "The line through (xp, fp) at x: C-contiguous arrays of one device.");

static PyObject *
ops_interp(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *arrays[6] = {NULL}; /* owned */
    PyObject *ret = NULL;         /* returned */
    if (nargs != 5) {
        PyErr_SetString(PyExc_TypeError, "interp takes x, xp, fp, left and right");
        return NULL;
    }
    for (int i = 0; i < 5; i++) {
        if (!gnp_array_check(args[i])) {
            PyErr_SetString(PyExc_TypeError, "interp: arguments are gpunp arrays");
            goto fail;
        }
        GNP_NEW(arrays[i], gnp_readable((GnpArray *)args[i], "interp"));
        GnpDtype wanted = i < 2 ? GNP_F64 : (GnpDtype)arrays[2]->dtype;
        if (!(arrays[i]->flags & GNP_C_CONTIGUOUS) || (GnpDtype)arrays[i]->dtype != wanted ||
            /* x alone may be empty. */
            (wanted != GNP_F64 && wanted != GNP_C128) || arrays[i]->size == (i > 0 ? 0 : -1)) {
            PyErr_SetString(PyExc_TypeError,
                            "interp: arrays are C-contiguous float64 or complex128");
            goto fail;
        }
    }
    if (arrays[1]->size != arrays[2]->size) {
        PyErr_SetString(PyExc_ValueError, "fp and xp are not of the same length.");
        goto fail;
    }
    GNP_NEW(arrays[5], gnp_array_new(arrays[0]->ndim, gnp_shape(arrays[0]), arrays[2]->dtype, 'C'));
    if (arrays[0]->size > 0) {
        GNP_TRY(launch(arrays));
    }
    ret = Py_NewRef((PyObject *)arrays[5]);
fail:
    for (int i = 0; i < 6; i++) {
        Py_XDECREF((PyObject *)arrays[i]);
    }
    return ret;
}

static PyMethodDef functions[] = {
    {"interp", (PyCFunction)(void (*)(void))ops_interp, METH_FASTCALL, interp_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_interp_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
