/* _C.harmonics: weighted sums of cosines and sines over all times, for each frequency.
 * gpunp.scipy.signal makes a Lomb-Scargle periodogram of them. Sums are in float64 and in a
 * fixed order, so results repeat bit for bit. The kernel replaces most calls of sine and cosine
 * by rotations where frequencies are equidistant. */
#include "signal/signal_internal.h"

enum { BLOCK = 128 };
enum { TIMES, VALUES, WEIGHTS, FREQUENCIES, SUMS, COUNT };

/* Each block handles HARMONIC_FREQUENCIES frequencies, so times and values are read once for
 * all. */
static int
launch(GnpArray *const *a)
{
    const int64_t count = a[TIMES]->size, frequencies = a[FREQUENCIES]->size;
    GnpSpec_harmonics spec = {GNP_SPEC(harmonics), .SUMS = (int)gnp_shape(a[SUMS])[0],
                              .BLOCK = BLOCK};
    return gnp_launch_arrays(
        &(GnpArrayLaunch){.spec = &spec.head,
                          .blocks = gnp_ceil_div(frequencies, (int64_t)HARMONIC_FREQUENCIES),
                          .threads = BLOCK,
                          .narrays = COUNT,
                          .array = {a[SUMS], a[TIMES], a[VALUES], a[WEIGHTS], a[FREQUENCIES]},
                          .value = {&count, &frequencies}});
}

/* Four sums, or six with those of cosine and sine for a floating mean. */
static int
check(GnpArray *const *a)
{
    int fits = a[SUMS]->ndim == 2 && gnp_shape(a[SUMS])[1] == a[FREQUENCIES]->size &&
               (gnp_shape(a[SUMS])[0] == 4 || gnp_shape(a[SUMS])[0] == 6);
    for (int i = 0; i < COUNT; i++) {
        /* Times, values and weights belong together; the frequencies have a size of their own. */
        fits = fits && a[i]->dtype == GNP_F64 && (a[i]->flags & GNP_C_CONTIGUOUS) &&
               (i > WEIGHTS || a[i]->size == a[TIMES]->size);
    }
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "harmonics: shapes or types of the arrays");
        return -1;
    }
    return 0;
}

PyDoc_STRVAR(harmonics_doc,
             "harmonics($module, times, values, weights, frequencies, sums, /)\n--\n\n"
             "Write into the rows of sums, for each frequency, the sums over the times of the\n"
             "weights times cos^2, cos sin, value cos, value sin, and, of six, cos and sin.");

/* An empty list of frequencies has an empty result and needs no launch. */
static PyObject *
harmonics(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *arrays[COUNT] = {NULL}; /* owned */
    PyObject *ret = NULL;
    if (nargs != COUNT) {
        PyErr_SetString(PyExc_TypeError, "harmonics takes five arrays");
        return NULL;
    }
    for (int i = 0; i < COUNT; i++) {
        if (!gnp_array_check(args[i])) {
            PyErr_SetString(PyExc_TypeError, "harmonics takes five arrays");
            goto fail;
        }
        GNP_NEW(arrays[i], gnp_readable((GnpArray *)args[i], "harmonics"));
    }
    GNP_TRY(check(arrays));
    if (arrays[FREQUENCIES]->size > 0) {
        GNP_TRY(launch(arrays));
    }
    GNP_TRY(gnp_write_back(arrays[SUMS], args[SUMS]));
    ret = Py_NewRef(args[SUMS]);
fail:
    for (int i = 0; i < COUNT; i++) {
        Py_XDECREF((PyObject *)arrays[i]);
    }
    return ret;
}

static PyMethodDef functions[] = {
    {"harmonics", (PyCFunction)(void (*)(void))harmonics, METH_FASTCALL, harmonics_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_harmonics_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
