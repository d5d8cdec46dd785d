/* _C.correlate: the cross-correlation of two vectors in one launch. gpunp.correlate and
 * gpunp.convolve check the arguments.
 *
 * Each thread computes REGISTER_BYTES of neighbouring outputs in registers, so that an element it
 * loads serves all of them; a block goes through v in pieces of CHUNK elements in shared memory.
 */
#include "product/product.h"

enum { BLOCK = 128, CHUNK = 256, REGISTER_BYTES = 32 };

/* The number of outputs in registers follows from the bytes of a sum. As many outputs per thread
 * as the registers hold of the sum's type. */
static GnpSpec_correlate
choose(const GnpArray *a, const GnpArray *v, GnpDtype loop)
{
    const GnpDtype sum = gnp_product_sum_dtype(loop);
    return (GnpSpec_correlate){GNP_SPEC(correlate),
                               .SA = a->dtype,
                               .SB = v->dtype,
                               .SO = loop,
                               .T = loop,
                               .X = sum,
                               .LOGIC = loop == GNP_BOOL,
                               .REG = REGISTER_BYTES / gnp_dtypes[sum].bytes,
                               .CHUNK = CHUNK,
                               .BLOCK = BLOCK};
}

/* Elements beyond the ends of `a` count as zero, so no padded copy is needed. */
static int
launch(GnpArray *a, GnpArray *v, GnpArray *out, int64_t before)
{
    GnpSpec_correlate spec = choose(a, v, out->dtype);
    return gnp_launch_arrays(&(GnpArrayLaunch){
        .spec = &spec.head,
        .blocks = gnp_ceil_div(out->size, (int64_t)BLOCK * spec.REG),
        .threads = BLOCK,
        .narrays = 3,
        .array = {a, v, out},
        .value = {&out->size, &a->size, &v->size, &before, gnp_strides(a), gnp_strides(v)},
    });
}

PyDoc_STRVAR(correlate_doc,
             "correlate($module, a, v, dtype, before, n, /)\n--\n\n"
             "Return n sums of products of v with windows of a, the first of which begins\n"
             "`before` elements before a.");

/* As for two axes: the mode is in `before` and n. */
static PyObject *
ops_correlate(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *a = NULL, *v = NULL, *out = NULL; /* owned */
    PyObject *ret = NULL;                       /* returned */
    if (nargs != 5 || !gnp_array_check(args[0]) || !gnp_array_check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "correlate takes two arrays, a dtype and two numbers");
        return NULL;
    }
    GnpDtype dtype = gnp_dtype_from_object(args[2]);
    int64_t before = PyLong_AsLongLong(args[3]), n = PyLong_AsLongLong(args[4]);
    if (dtype == GNP_NO_DTYPE || PyErr_Occurred()) {
        return NULL;
    }
    GNP_NEW(a, gnp_readable((GnpArray *)args[0], "correlate"));
    GNP_NEW(v, gnp_readable((GnpArray *)args[1], "correlate"));
    /* Negative strides are welcome: convolve passes v reversed. */
    if (a->ndim != 1 || v->ndim != 1 || before < 0) {
        PyErr_SetString(PyExc_ValueError,
                        "correlate: arrays have one axis, and before is not negative");
        goto fail;
    }
    GNP_NEW(out, gnp_array_new(1, &n, dtype, 'C'));
    if (n > 0) {
        GNP_TRY(launch(a, v, out, before));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)a);
    Py_XDECREF((PyObject *)v);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"correlate", (PyCFunction)(void (*)(void))ops_correlate, METH_FASTCALL, correlate_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_correlate_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
