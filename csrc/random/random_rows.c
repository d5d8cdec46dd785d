/* Rows of counts: multinomial and multivariate hypergeometric draws, one launch each.
 *
 * A row is drawn by one thread as a chain of binomial or hypergeometric draws, each from what the
 * last one left over.
 */
#include "random/random.h"

enum { BLOCK = 128 };

static int
write_origin(GnpKernelText *text, const void *context)
{
    const GnpSpec_random_rows *spec = context;
    gnp_text_add(&text->code, "typedef %s Origin;\n",
                 gnp_random_origin_type((GnpOrigin)spec->ORIGIN));
    gnp_text_add(&text->name, spec->WITHOUT_RETURN ? "multivariate_hypergeometric" : "multinomial");
    return 0;
}

static GnpKernel *
find_kernel(GnpOrigin origin, int without_return, GnpDevice *device)
{
    GnpSpec_random_rows spec = {GNP_SPEC(random_rows), .ORIGIN = origin,
                                .WITHOUT_RETURN = without_return, .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, write_origin, &spec);
}

/* totals (ntotals), weights (nweights, kinds), out (rows, kinds). */
static int
launch(GnpRandomStream *r, int without_return, GnpArray *const arrays[3])
{
    GnpParams params;
    GnpDevice *device;
    GnpKernel *kernel;
    const GnpArray *totals = arrays[0], *weights = arrays[1], *out = arrays[2];
    int64_t kinds = gnp_shape(out)[1], rows = gnp_shape(out)[0];
    GNP_NEW(device, gnp_device_current());
    GNP_NEW(kernel, find_kernel(r->origin, without_return, device));
    CUstream stream = gnp_stream_current(device);
    GNP_TRY(gnp_random_begin(r, rows, device, stream));
    for (int i = 0; i < 3; i++) {
        gnp_block_record(arrays[i]->block, stream);
    }
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &out->data, sizeof out->data);
    gnp_random_add_origin(&params, r);
    gnp_params_add(&params, &totals->data, sizeof totals->data);
    gnp_params_add(&params, &weights->data, sizeof weights->data);
    gnp_params_index(&params, totals->size);
    gnp_params_index(&params, gnp_shape(weights)[0]);
    gnp_params_index(&params, kinds);
    gnp_params_index(&params, rows);
    int64_t blocks = gnp_ceil_div(rows, BLOCK),
            most = gnp_random_threads(r) > 0 ? GNP_RANDOM_SEQUENCES / BLOCK : 1 << 30;
    int status =
        gnp_launch_blocks(kernel, blocks < most ? blocks : most, BLOCK, stream, params.arg);
    return gnp_random_end(r, rows, stream, status);
fail:
    return -1;
}

PyDoc_STRVAR(rows_doc,
             "random_rows(stream, without_return, totals, weights, rows, /)\n--\n\n"
             "Counts, int64 (rows, kinds): row r has the total r modulo their number, and the row\n"
             "of weights r modulo theirs; both C-contiguous float64 arrays.");

static PyObject *
random_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpArray *arrays[3] = {NULL}; /* owned */
    PyObject *ret = NULL;         /* returned */
    if (nargs != 5 || !Py_IS_TYPE(args[0], gnp_random_stream_type)) {
        PyErr_SetString(PyExc_TypeError, "random_rows takes a RandomStream and 4 more arguments");
        return NULL;
    }
    int without_return = PyObject_IsTrue(args[1]);
    GNP_TRY(without_return);
    for (int i = 0; i < 2; i++) {
        const GnpArray *given = (GnpArray *)args[2 + i];
        if (!gnp_array_check(args[2 + i]) || given->dtype != GNP_F64 || given->ndim != 1 + i ||
            !(given->flags & GNP_C_CONTIGUOUS) || given->size == 0) {
            PyErr_SetString(PyExc_TypeError,
                            "random_rows: totals and weights are C-contiguous float64 arrays");
            goto fail;
        }
        GNP_NEW(arrays[i], gnp_readable((GnpArray *)args[2 + i], "random_rows"));
    }
    const int64_t shape[2] = {PyLong_AsLongLong(args[4]), gnp_shape(arrays[1])[1]};
    if (PyErr_Occurred()) {
        goto fail;
    }
    GNP_NEW(arrays[2], gnp_array_new(2, shape, GNP_I64, 'C'));
    if (arrays[2]->size > 0) {
        GNP_TRY(launch((GnpRandomStream *)args[0], without_return, arrays));
    }
    ret = Py_NewRef((PyObject *)arrays[2]);
fail:
    for (int i = 0; i < 3; i++) {
        Py_XDECREF((PyObject *)arrays[i]);
    }
    return ret;
}

static PyMethodDef functions[] = {
    {"random_rows", (PyCFunction)(void (*)(void))random_rows, METH_FASTCALL, rows_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_random_rows_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
