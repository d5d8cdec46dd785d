/* searchsorted: both arguments in the type NumPy promotes them to, one binary search for each
 * value.
 */
#include "ops/methods.h"
#include "ops/sort.h"
#include "ops/space.h"

enum { BLOCK = 256, UNROLL = 4, SHARED_BYTES = 16384 };

typedef struct {
    GnpArray *sorted, *sorter, *values; /* owned; contiguous; sorter may be NULL */
    GnpArray *out;                      /* owned */
    int right;
} Search;

static void
search_clear(Search *s)
{
    Py_CLEAR(s->sorted);
    Py_CLEAR(s->sorter);
    Py_CLEAR(s->values);
    Py_CLEAR(s->out);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static GnpArray *
contiguous(GnpArray *a, GnpDtype dtype)
{
    GnpArray *readable = gnp_readable(a, "searchsorted");
    if (readable == NULL || (readable->dtype == (int)dtype && readable->flags & GNP_C_CONTIGUOUS)) {
        return readable;
    }
    GnpArray *copy = gnp_astype(readable, dtype, 'C');
    Py_DECREF((PyObject *)readable);
    return copy;
}

static int
parse_side(PyObject *side, int *right)
{
    if (side == NULL ||
        (PyUnicode_Check(side) && PyUnicode_CompareWithASCIIString(side, "left") == 0)) {
        *right = 0;
        return 0;
    }
    if (PyUnicode_Check(side) && PyUnicode_CompareWithASCIIString(side, "right") == 0) {
        *right = 1;
        return 0;
    }
    PyErr_Format(PyUnicode_Check(side) ? PyExc_ValueError : PyExc_TypeError,
                 "search side must be 'left' or 'right' (got %R)", side);
    return -1;
}

static int
parse_sorter(Search *s, PyObject *object)
{
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError, "sorter must be a gpunp array, not %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    GnpArray *sorter = (GnpArray *)object;
    char cls = gnp_dtypes[sorter->dtype].cls;
    if (sorter->ndim != 1 || (cls != 'i' && cls != 'u')) {
        PyErr_SetString(PyExc_TypeError, "sorter must be a 1-d array of integers");
        return -1;
    }
    if (sorter->size != s->sorted->size) {
        PyErr_SetString(PyExc_ValueError, "sorter.size must equal len(a)");
        return -1;
    }
    s->sorter = contiguous(sorter, GNP_I64);
    return s->sorter == NULL ? -1 : 0;
}

/* ---- the launch ------------------------------------------------------------------------------ */

static GnpKernel *
search_kernel(const Search *s, GnpDevice *device)
{
    const GnpDtype dtype = (GnpDtype)s->sorted->dtype;
    const int shared =
        s->sorter == NULL && s->sorted->size <= SHARED_BYTES / gnp_itemsize(s->sorted);
    const int wide = s->sorted->size > INT32_MAX, sorts = s->sorter != NULL;
    GnpKernelKey key = {
        {GNP_KEY_SEARCH | (uint64_t)(unsigned)device->id << 32, (uint64_t)dtype,
         (uint64_t)s->right | (uint64_t)shared << 1 | (uint64_t)wide << 2 | (uint64_t)sorts << 3}};
    GnpKernel *kernel = gnp_kernels_find(&key);
    if (kernel == NULL) {
        GnpText knobs = {0};
        gnp_sort_knobs(&knobs, dtype, 0);
        gnp_text_add(&knobs, "typedef %s Index;\n", wide ? "u64" : "u32");
        gnp_text_add(&knobs, "enum { RIGHT = %d, SORTER = %d, SHARED = %d, UNROLL = %d };\n",
                     s->right, sorts, shared ? SHARED_BYTES / (int)gnp_itemsize(s->sorted) : 0,
                     UNROLL);
        gnp_text_add(&knobs, "enum { BLOCK = %d, ITEMS = 1, MATCH = 0 };\n", BLOCK);
        kernel = gnp_sort_kernel(device, &key, "search", &knobs);
    }
    return kernel;
}

static int
search(const Search *s)
{
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel = device == NULL ? NULL : search_kernel(s, device);
    if (kernel == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    const uint64_t n = (uint64_t)s->sorted->size, nvalues = (uint64_t)s->values->size;
    const CUdeviceptr sorter = s->sorter != NULL ? s->sorter->data : 0;
    int64_t blocks = gnp_ceil_div(s->values->size, BLOCK * UNROLL);
    const int64_t most = (int64_t)device->sm_count * 32;
    const unsigned grid[3] = {(unsigned)(blocks < most ? blocks : most), 1, 1};
    const unsigned block[3] = {BLOCK, 1, 1};
    GnpParams params;
    gnp_block_record(s->sorted->block, stream);
    gnp_block_record(s->values->block, stream);
    if (s->sorter != NULL) {
        gnp_block_record(s->sorter->block, stream);
    }
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &s->sorted->data, sizeof s->sorted->data);
    gnp_params_add(&params, &sorter, sizeof sorter);
    gnp_params_add(&params, &s->values->data, sizeof s->values->data);
    gnp_params_add(&params, &s->out->data, sizeof s->out->data);
    gnp_params_add(&params, &n, sizeof n);
    gnp_params_add(&params, &nvalues, sizeof nvalues);
    return gnp_launch(kernel, grid, block, 0, stream, params.arg);
}

/* given: v, side, sorter. */
static PyObject *
searchsorted(GnpArray *a, PyObject *const *given)
{
    Search s = {.right = 0};
    GnpArray *v = NULL; /* owned */
    PyObject *ret = NULL;

    if (a->ndim != 1) {
        PyErr_SetString(PyExc_ValueError, "object too deep for desired array");
        goto fail;
    }
    GNP_TRY(parse_side(given[1], &s.right));
    if (gnp_is_numpy_array(given[0])) {
        PyErr_SetString(PyExc_TypeError, "searchsorted() does not take a NumPy array; move it to "
                                         "the device with gpunp.asarray()");
        goto fail;
    }
    GNP_NEW(v, gnp_array_from_object(given[0], GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'K'));
    GnpDtype dtype = gnp_promote((GnpDtype)a->dtype, (GnpDtype)v->dtype);
    if (dtype == GNP_NO_DTYPE) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "searchsorted: the dtypes have no common type");
        }
        goto fail;
    }
    GNP_NEW(s.sorted, contiguous(a, dtype));
    GNP_NEW(s.values, contiguous(v, dtype));
    GNP_TRY(parse_sorter(&s, given[2]));
    GNP_NEW(s.out, gnp_array_new(v->ndim, gnp_shape(v), GNP_I64, 'C'));
    if (s.out->size > 0) {
        GNP_TRY(search(&s));
    }
    ret = Py_NewRef((PyObject *)s.out);
fail:
    Py_XDECREF((PyObject *)v);
    search_clear(&s);
    return ret;
}

PyObject *
array_searchsorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("searchsorted(v, side='left', sorter=None)");
    PyObject *given[3];
    if (gnp_args_bind(&signature, args, nargs, kwnames, given) < 0) {
        return NULL;
    }
    return searchsorted((GnpArray *)self, given);
}
