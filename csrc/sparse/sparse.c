/* What the functions of this folder share: they take arrays and numbers in the order of a kernel's
 * parameters. gpunp.scipy.sparse checks what users pass. All functions of the folder have one
 * form: arrays first, None where one is left out, then numbers. gnp_sparse_begin takes
 * references, gnp_sparse_launch passes everything on, gnp_sparse_end drops the references. The
 * GIL is held throughout, except while a kernel is compiled. Results are written into arrays of
 * the caller, so kernels can be called in turn without allocations in between. */
#include "sparse/sparse_internal.h"

/* Kernels index without strides, so only C-contiguous arrays are taken; gnp_readable refuses arrays
 * of another device, and copies what is not aligned. */
static GnpArray *
take_array(PyObject *object, const char *name)
{
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: expected a gpunp array, not %s", name,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    GnpArray *a = gnp_readable((GnpArray *)object, name);
    if (a != NULL && !(a->flags & GNP_C_CONTIGUOUS)) {
        PyErr_Format(PyExc_ValueError, "%s: expected a C-contiguous array", name);
        Py_CLEAR(a);
    }
    return a;
}

/* On failure the caller goes on to gnp_sparse_end, which accepts missing arrays. */
int
gnp_sparse_begin(GnpSparseCall *call, PyObject *const *args, Py_ssize_t nargs)
{
    if (nargs != call->narrays + call->nnumbers) {
        PyErr_Format(PyExc_TypeError, "%s takes %d arguments, not %zd", call->name,
                     call->narrays + call->nnumbers, nargs);
        return -1;
    }
    for (int k = 0; k < call->narrays; k++) {
        if (args[k] != Py_None) {
            GNP_NEW(call->array[k], take_array(args[k], call->name));
        }
    }
    for (int k = 0; k < call->nnumbers; k++) {
        PyObject *number = args[call->narrays + k]; /* borrowed */
        if (PyFloat_Check(number)) {
            const double value = PyFloat_AS_DOUBLE(number);
            memcpy(&call->number[k], &value, sizeof value);
            continue;
        }
        call->number[k] = PyLong_AsLongLong(number);
        if (call->number[k] == -1 && PyErr_Occurred()) {
            return -1;
        }
    }
    return 0;
fail:
    return -1;
}

/* Nothing is launched for zero blocks, which CUDA refuses. A missing array becomes a null
 * pointer. All arrays are recorded as used by the stream, since the caller may drop them before
 * the kernel has run; the parameters themselves are copied by the launch. */
int
gnp_sparse_launch(const GnpSparseCall *call, GnpSpec *spec, int64_t blocks, int threads,
                  GnpKernelWriter writer, const void *context)
{
    if (blocks == 0) {
        return 0;
    }
    GnpArrayLaunch launch = {.spec = spec,
                             .writer = writer,
                             .context = context,
                             .blocks = blocks,
                             .threads = threads,
                             .shared_bytes = call->shared_bytes,
                             .narrays = call->narrays};
    memcpy(launch.array, call->array, sizeof call->array);
    for (int k = 0; k < call->nnumbers; k++) {
        launch.value[k] = &call->number[k];
    }
    return gnp_launch_arrays(&launch);
}

/* Drops the references that gnp_sparse_begin took, and returns None or NULL. */
PyObject *
gnp_sparse_end(GnpSparseCall *call, int status)
{
    for (int k = 0; k < call->narrays; k++) {
        Py_CLEAR(call->array[k]);
    }
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* `places` has a bit for each array. Its arrays must be given and of one dtype, because a kernel
 * has one type knob for all of them. */
int
gnp_sparse_check_same(const GnpSparseCall *call, unsigned places)
{
    const GnpArray *first = NULL;
    for (int k = 0; k < call->narrays; k++) {
        const GnpArray *a = call->array[k];
        if ((places >> k & 1) == 0) {
            continue;
        }
        if (a == NULL || (first != NULL && a->dtype != first->dtype)) {
            PyErr_Format(PyExc_ValueError, "%s: argument %d has another type", call->name, k + 1);
            return -1;
        }
        first = first != NULL ? first : a;
    }
    return 0;
}

/* The dtype of an optional array; the substitute keeps the kernel's key unique. */
GnpDtype
gnp_sparse_dtype(const GnpSparseCall *call, int k, GnpDtype otherwise)
{
    return call->array[k] != NULL ? (GnpDtype)call->array[k]->dtype : otherwise;
}

int
gnp_sparse_init(PyObject *module)
{
    int (*const parts[])(PyObject *) = {gnp_sparse_layout_init,   gnp_sparse_ranges_init,
                                        gnp_sparse_product_init,  gnp_sparse_merge_init,
                                        gnp_sparse_triangle_init, gnp_sparse_krylov_init,
                                        gnp_sparse_graph_init,    gnp_sparse_search_init,
                                        gnp_sparse_banded_init,   gnp_sparse_lbfgs_init};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        /* Each file registers its own functions. */
        if (parts[i](module) < 0) {
            return -1;
        }
    }
    return 0;
}
