/* The cross product of arrays of vectors that lie in memory one behind the other, three components
 * each. Others are views for gpunp.cross, which launches an elementwise kernel. Holds the GIL. */
#include "product/product.h"

enum { BLOCK = 256, ACCESS = 16, COMPONENTS = 3 };

/* Numbers, of which products are subtracted; vectors along the last axis. */
static int
is_simple(PyObject *object)
{
    const GnpArray *a = (const GnpArray *)object;
    return gnp_array_check(object) && gnp_is_number(a->dtype) && a->dtype != GNP_BOOL &&
           (a->flags & GNP_C_CONTIGUOUS) && a->ndim > 0 &&
           gnp_shape(a)[a->ndim - 1] == COMPONENTS && a->data % ACCESS == 0;
}

static int
are_alike(const GnpArray *a, const GnpArray *b)
{
    int same = a->dtype == b->dtype && a->ndim == b->ndim;
    for (int i = 0; same && i < a->ndim; i++) {
        same = gnp_shape(a)[i] == gnp_shape(b)[i];
    }
    return same;
}

static int
launch(GnpArray *a, GnpArray *b, GnpArray *out)
{
    GnpSpec_cross spec = {GNP_SPEC(cross), .T = a->dtype, .BLOCK = BLOCK};
    const int64_t n = out->size / COMPONENTS, each = ACCESS / gnp_itemsize(a);
    return gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                               .blocks = gnp_ceil_div(gnp_ceil_div(n, each), BLOCK),
                                               .threads = BLOCK,
                                               .narrays = 3,
                                               .array = {a, b, out},
                                               .value = {&n}});
}

PyDoc_STRVAR(doc,
             "cross_of_rows($module, a, b, /)\n--\n\n"
             "The cross products of vectors along the last axis of two C-contiguous arrays of\n"
             "one shape and one dtype of numbers. None if they are not.");

/* None tells Python to take another way. */
static PyObject *
cross_of_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *a = NULL, *b = NULL, *out = NULL; /* owned */
    PyObject *ret = NULL;                       /* returned */
    if (nargs != 2) {
        PyErr_SetString(PyExc_TypeError, "cross_of_rows takes two arrays");
        return NULL;
    }
    if (!is_simple(args[0]) || !is_simple(args[1]) ||
        !are_alike((GnpArray *)args[0], (GnpArray *)args[1])) {
        Py_RETURN_NONE;
    }
    GNP_NEW(a, gnp_readable((GnpArray *)args[0], "cross"));
    GNP_NEW(b, gnp_readable((GnpArray *)args[1], "cross"));
    GNP_NEW(out, gnp_array_new(a->ndim, gnp_shape(a), (GnpDtype)a->dtype, 'C'));
    GNP_TRY(out->size > 0 ? launch(a, b, out) : 0);
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)a);
    Py_XDECREF((PyObject *)b);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"cross_of_rows", GNP_FAST(cross_of_rows), METH_FASTCALL, doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_cross_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
