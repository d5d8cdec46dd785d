/* Elements of given ranks of each row, or interpolations of two of them, in one launch: medians and
 * quantiles. Short rows are sorted in the kernel; longer ones have to be sorted before.
 * gpunp.median, percentile and quantile call it, with ranks that they computed from n; with
 * skip_nan the kernel computes them from the number of values that are not NaN. Up to MOST ranks
 * are one launch; the call does not wait for the device. */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 256, TILE = 1024, MOST = GNP_RANKS_MOST }; /* as kernels/select/rank_rows.cu */

typedef GnpRowRanks Ranks;

/* One call: `kept` has the axes other than the last, merged. */
typedef struct {
    GnpArray *in, *out; /* owned */
    GnpAxes kept;
    int between, is_sorted, skip_nan;
    int64_t rows, n, step;
} Work;

/* ITEMS elements of a thread cover the longest row that is sorted in the kernel. */
static GnpKernel *
find_kernel(const Work *w, GnpDevice *device, int wide, int across)
{
    GnpSpec_rank_rows spec = {GNP_SPEC(rank_rows),
                              .head.wide = wide,
                              .T = w->in->dtype,
                              .R = w->out->dtype,
                              .KEPT = gnp_axes_class(w->kept.naxes),
                              .BETWEEN = w->between,
                              .SORTED = w->is_sorted,
                              .SKIP_NAN = w->skip_nan,
                              .ACROSS = across,
                              .ITEMS = TILE / BLOCK,
                              .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* Results number `first` and following. `across`: neighbouring rows are closer in memory than
 * neighbours in a row, so threads load across. */
static int
launch(const Work *w, const Ranks *ranks, int64_t first)
{
    /* 32-bit offsets leave room for what the grid's last step adds. */
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    const int64_t along = w->step < 0 ? -w->step : w->step;
    const int wide = gnp_axes_reach(&w->kept, 0) > limit || w->rows > limit;
    const int across = w->kept.naxes > 0 && !w->is_sorted && w->kept.stride[0][0] < along &&
                       w->kept.stride[0][0] > -along;
    GnpKernel *kernel = find_kernel(w, device, wide, across);
    if (kernel == NULL) {
        return -1;
    }
    /* Rows per block: few enough that every multiprocessor has about eight blocks. */
    int64_t together = gnp_ceil_div(w->rows, (int64_t)device->sm_count * 8), blocks;
    if (w->is_sorted) {
        together = 0;
        blocks = gnp_ceil_div(w->rows * ranks->count, BLOCK);
    }
    else {
        /* At least one row per block; several where they are short and there are many. */
        together = together < TILE / w->n ? together : TILE / w->n;
        blocks = gnp_ceil_div(w->rows, together);
    }
    GnpParams params;
    const CUstream stream = gnp_stream_current(device);
    const CUdeviceptr out = w->out->data + (CUdeviceptr)(first * w->rows * gnp_itemsize(w->out));
    const uint32_t many = (uint32_t)together;
    gnp_block_record(w->in->block, stream);
    gnp_block_record(w->out->block, stream);
    gnp_params_init(&params, wide);
    gnp_params_add(&params, &w->in->data, sizeof w->in->data);
    gnp_params_add(&params, &out, sizeof out);
    gnp_params_layout(&params, &w->kept, gnp_axes_class(w->kept.naxes));
    gnp_params_add(&params, &w->step, sizeof w->step);
    gnp_params_index(&params, w->rows);
    gnp_params_add(&params, &w->n, sizeof w->n);
    gnp_params_add(&params, &many, sizeof many);
    gnp_params_add(&params, ranks, sizeof *ranks);
    return gnp_launch_blocks(kernel, blocks, BLOCK, stream, params.arg);
}

/* Item k of a tuple of (low, high, weight). The weight is that of the higher neighbour. */
static int
read_rank(PyObject *list, Py_ssize_t k, int64_t n, Ranks *ranks)
{
    PyObject *rank = PyTuple_GET_ITEM(list, k); /* borrowed */
    const uint32_t i = ranks->count++;
    if (!PyTuple_CheckExact(rank) || PyTuple_GET_SIZE(rank) != 3) {
        PyErr_SetString(PyExc_TypeError, "rank_rows: a rank is a tuple of three numbers");
        return -1;
    }
    const int64_t low = PyLong_AsLongLong(PyTuple_GET_ITEM(rank, 0));
    const int64_t high = PyLong_AsLongLong(PyTuple_GET_ITEM(rank, 1));
    ranks->weight[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(rank, 2));
    if (PyErr_Occurred()) {
        return -1;
    }
    if (low < 0 || low >= n || high < 0 || high >= n) {
        PyErr_SetString(PyExc_IndexError, "rank_rows: a rank is out of bounds");
        return -1;
    }
    ranks->low[i] = (uint64_t)low;
    ranks->high[i] = (uint64_t)high;
    return 0;
}

/* [number of ranks, axes of `in` but the last]. Results of one rank are contiguous, as NumPy
 * returns percentiles first. */
static int
make_out(Work *w, Py_ssize_t count, GnpDtype dtype)
{
    int64_t shape[GNP_MAX_DIMS + 1] = {count};
    const int ndim = w->in->ndim;
    memcpy(shape + 1, gnp_shape(w->in), (size_t)(ndim - 1) * sizeof *shape);
    w->out = gnp_array_new(ndim, shape, dtype, 'C');
    if (w->out == NULL) {
        return -1;
    }
    gnp_axes_init(&w->kept, 1);
    for (int axis = ndim - 2; axis >= 0; axis--) {
        gnp_axes_add(&w->kept, gnp_shape(w->in)[axis], &gnp_strides(w->in)[axis]);
    }
    gnp_axes_merge(&w->kept);
    w->rows = gnp_axes_size(&w->kept);
    w->n = gnp_shape(w->in)[ndim - 1];
    w->step = gnp_strides(w->in)[ndim - 1];
    return 0;
}

PyDoc_STRVAR(
    doc, "rank_rows($module, a, ranks, between, dtype, is_sorted, skip_nan, /)\n--\n\n"
         "Of each row along the last axis, for each (low, high, weight) of the list `ranks`: the\n"
         "element of rank low (between 0), the mean of both (1), or what lies between them by\n"
         "the weight (2), in the real dtype. A NaN in the row is the result, unless skip_nan:\n"
         "then the ranks are the middle (1) or that of the fraction `weight` (2) of what is not\n"
         "NaN. Rows that are not sorted have at most 1024 elements.");

/* The output is allocated before the ranks are checked: the error is rare. */
static PyObject *
rank_rows_function(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    Work w = {.in = NULL};
    Ranks ranks = {.count = 0};
    PyObject *list = NULL; /* owned: a tuple, which no __index__ can change */
    PyObject *ret = NULL;  /* returned */
    if (nargs != 6 || !gnp_array_check(args[0]) || !PyList_Check(args[1]) ||
        ((GnpArray *)args[0])->ndim == 0 || gnp_dtypes[((GnpArray *)args[0])->dtype].cls == 'c') {
        PyErr_SetString(PyExc_TypeError, "rank_rows takes real rows, a list, and four options");
        return NULL;
    }
    const GnpDtype dtype = gnp_dtype_from_object(args[3]);
    GNP_TRY(gnp_int_from_object(args[2], "between", &w.between));
    w.is_sorted = args[4] == Py_True;
    w.skip_nan = args[5] == Py_True;
    if (dtype == GNP_NO_DTYPE || PyErr_Occurred()) {
        return NULL;
    }
    GNP_NEW(list, PyList_AsTuple(args[1]));
    GNP_NEW(w.in, gnp_readable((GnpArray *)args[0], "rank_rows"));
    GNP_TRY(make_out(&w, PyTuple_GET_SIZE(list), dtype));
    if (w.between < 0 || w.between > 2 || (!w.is_sorted && w.n > TILE)) {
        PyErr_SetString(PyExc_ValueError, "rank_rows: rows are too long, or an unknown option");
        goto fail;
    }
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(list); k++) {
        GNP_TRY(read_rank(list, k, w.n, &ranks));
        if (ranks.count == MOST || k + 1 == PyTuple_GET_SIZE(list)) {
            if (w.rows > 0) {
                GNP_TRY(launch(&w, &ranks, k + 1 - ranks.count));
            }
            ranks.count = 0;
        }
    }
    ret = Py_NewRef((PyObject *)w.out);
fail:
    Py_XDECREF(list);
    Py_XDECREF((PyObject *)w.in);
    Py_XDECREF((PyObject *)w.out);
    return ret;
}

static PyMethodDef functions[] = {
    {"rank_rows", GNP_FAST(rank_rows_function), METH_FASTCALL, doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_rank_rows_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
