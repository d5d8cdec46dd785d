/* Counting: bincount, and the parts of gpunp.histogram that run on the device.
 *
 * One kernel serves all (kernels/select/histogram.cu): bins that fit into shared memory are counted
 * there, in several copies if they are few, so that the lanes of a warp seldom hit the same
 * address, and added up at the end; more bins are counted in global memory. Counts are integers and
 * exact; sums of weights are float64, added in no fixed order, so rounding may differ between runs.
 */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 512, UNROLL = 4, SHARED_BYTES = 32768, EDGES_BLOCK = 256, FIRST_GUESS = 2048 };
/* Shared memory used beside the bins; and the most bins of which two blocks fit on a
 * multiprocessor. */
enum { SPARE_BYTES = 2048, TWO_FIT_BYTES = 110 * 1024 };

/* Where a block counts: in the result, in a static array in shared memory, or in dynamic shared
 * memory of the launch, with as many threads as possible. */
typedef enum BinsShared Shared;

typedef enum BinsKind Kind;

typedef struct {
    Kind kind;
    GnpArray *in, *weights; /* borrowed; contiguous, of one size; weights may be NULL */
    GnpArray *edges;        /* borrowed; contiguous; NULL for BINS_DIRECT */
    CUdeviceptr out; /* nbins zeros: u64, or f64 with weights; and two words for the extent */
    int64_t nbins;
    int wants_extent; /* BINS_DIRECT: the smallest and largest element are wanted */
    double ulps;      /* BINS_UNIFORM: as in kernels/select/bins.cuh */
} Count;

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Elements per load: 16 bytes where the address allows. */
static int
find_width(const GnpArray *in)
{
    int width = 16 / (int)gnp_itemsize(in);
    while (width > 1 && in->data % (uint64_t)(width * gnp_itemsize(in)) != 0) {
        width /= 2;
    }
    return width;
}

static GnpKernel *
find_kernel(const Count *c, int width, Shared shared, GnpDevice *device)
{
    GnpSpec_histogram spec = {
        GNP_SPEC(histogram),
        .S = c->in->dtype,
        .E = c->edges != NULL ? c->edges->dtype : GNP_I64,
        .W = c->weights != NULL ? c->weights->dtype : GNP_F64,
        .KIND = c->kind,
        .WEIGHTED = c->weights != NULL,
        .SHARED = shared,
        .WIDTH = width,
        .UNROLL = UNROLL,
        .BLOCK = shared == BINS_SHARED_DYNAMIC ? 2 * BLOCK : BLOCK,
    };
    GnpKernel *kernel = gnp_kernel_find(device, &spec.head, NULL, NULL);
    if (kernel != NULL && shared == BINS_SHARED_DYNAMIC &&
        gnp_kernel_allow_shared(kernel, device->optin_shared_bytes - SPARE_BYTES) < 0) {
        return NULL;
    }
    return kernel;
}

/* Shared memory pays off when the elements are many more than the bins of all blocks together, each
 * of which costs an atomic addition at the end. */
static Shared
choose_shared(const Count *c, int64_t cell_bytes, const GnpDevice *device)
{
    if (c->nbins <= SHARED_BYTES / cell_bytes) {
        return BINS_SHARED_STATIC;
    }
    return c->nbins <= (device->optin_shared_bytes - SPARE_BYTES) / cell_bytes &&
                   c->nbins * device->sm_count * 4 <= c->in->size
               ? BINS_SHARED_DYNAMIC
               : BINS_SHARED_NONE;
}

/* Counts into c->out, which is cleared first. Blocks are as many as run at once, and loop: each
 * adds its bins to the result once. */
static int
count(const Count *c, GnpDevice *device, CUstream stream)
{
    GnpParams params;
    int width = find_width(c->in), cell = c->weights != NULL ? 8 : 4, ret = -1;
    Shared shared = choose_shared(c, cell, device);
    uint32_t copies = 1;
    /* One copy per warp's lane at most: a copy for each lane leaves no conflicts at all. */
    while (shared == BINS_SHARED_STATIC && copies < 32 &&
           c->nbins * cell * 2 * copies <= SHARED_BYTES) {
        copies *= 2;
    }
    GnpKernel *kernel = find_kernel(c, width, shared, device);
    if (kernel == NULL) {
        return -1;
    }
    size_t words = (size_t)c->nbins + (c->wants_extent ? 2 : 0);
    CU_TRY_QUEUE(cuMemsetD32Async(c->out, 0, words * 2, stream));
    /* The zeros are the result. */
    if (c->in->size == 0) {
        return 0;
    }
    CUdeviceptr weights = 0, edges = 0,
                extent = c->wants_extent ? c->out + (CUdeviceptr)c->nbins * 8 : 0;
    gnp_block_record(c->in->block, stream);
    if (c->weights != NULL) {
        gnp_block_record(c->weights->block, stream);
        weights = c->weights->data;
    }
    if (c->edges != NULL) {
        gnp_block_record(c->edges->block, stream);
        edges = c->edges->data;
    }
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &c->in->data, sizeof c->in->data);
    gnp_params_add(&params, &weights, sizeof weights);
    gnp_params_add(&params, &c->out, sizeof c->out);
    gnp_params_add(&params, &extent, sizeof extent);
    gnp_params_add(&params, &edges, sizeof edges);
    gnp_params_index(&params, c->in->size);
    gnp_params_index(&params, c->nbins);
    gnp_params_add(&params, &copies, sizeof copies);
    gnp_params_add(&params, &c->ulps, sizeof c->ulps);
    int64_t dynamic = shared == BINS_SHARED_DYNAMIC ? c->nbins * cell : 0;
    const unsigned block[3] = {shared == BINS_SHARED_DYNAMIC ? 2 * BLOCK : BLOCK, 1, 1};
    int64_t blocks = gnp_ceil_div(c->in->size, (int64_t)block[0] * UNROLL * width);
    /* Blocks per multiprocessor that the shared memory allows. */
    int64_t at_once = shared == BINS_SHARED_STATIC ? 3
                      : shared == BINS_SHARED_NONE ? 16
                      : dynamic > TWO_FIT_BYTES    ? 1
                                                   : 2;
    int64_t most = device->sm_count * at_once;
    const unsigned grid[3] = {(unsigned)(blocks < most ? blocks : most), 1, 1};
    GNP_TRY(gnp_launch(kernel, grid, block, (unsigned)dynamic, stream, params.arg));
    ret = 0;
fail:
    return ret;
}

/* ---- bincount -------------------------------------------------------------------------------- */

/* `a` itself when it is aligned and contiguous in any order; else a C copy. */
static GnpArray *
contiguous(GnpArray *a, const char *function)
{
    GnpArray *readable = gnp_readable(a, function); /* owned */
    if (readable == NULL || (readable->flags & GNP_C_CONTIGUOUS)) {
        return readable;
    }
    GnpArray *ret = gnp_astype(readable, (GnpDtype)readable->dtype, 'C');
    Py_DECREF((PyObject *)readable);
    return ret;
}

/* 1: every value of the dtype is below that number of bins. Then no maximum is needed, and nothing
 * waits. */
static int
holds_all_values(GnpDtype dtype, int64_t nbins)
{
    return (dtype == GNP_BOOL && nbins >= 2) || (dtype == GNP_U8 && nbins >= 256);
}

/* n + more; the largest number where that is too much, for which there is no memory either. */
static int64_t
plus(int64_t n, int64_t more)
{
    return n <= INT64_MAX - more ? n + more : INT64_MAX;
}

/* The counts of 0 ... size - 1, where size is the largest element + 1, or more if asked for. It is
 * guessed first and counted again if the guess was too small. Waits for the device, unless the
 * dtype guarantees that there are enough bins. The extent comes with the counts, in one launch. Two
 * extra words hold it; XOR with the sign bit maps signed numbers to unsigned ones in the same
 * order, for which there are atomics. */
static GnpArray *
count_integers(Count *c, int64_t minlength)
{
    GnpDtype dtype = c->weights != NULL ? GNP_F64 : GNP_I64;
    GnpArray *all = NULL, *ret = NULL; /* all is owned */
    uint64_t extent[2];
    int64_t size = minlength;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    CUstream stream = gnp_stream_current(device);
    c->wants_extent = !holds_all_values((GnpDtype)c->in->dtype, minlength);
    c->nbins = minlength > FIRST_GUESS || !c->wants_extent ? minlength : FIRST_GUESS;
    for (;;) {
        int64_t length = plus(c->nbins, 2);
        Py_XSETREF(all, gnp_array_new(1, &length, dtype, 'C'));
        if (all == NULL) {
            goto fail;
        }
        c->out = all->data;
        GNP_TRY(count(c, device, stream));
        if (!c->wants_extent) {
            size = c->nbins;
            break;
        }
        GNP_TRY(gnp_copy_d2h(extent, c->out + (CUdeviceptr)c->nbins * 8, sizeof extent, stream));
        int64_t high = (int64_t)(extent[0] ^ 1ull << 63), low = (int64_t)~(extent[1] ^ 1ull << 63);
        if (low < 0) {
            PyErr_SetString(PyExc_ValueError, "'list' argument must have no negative elements");
            goto fail;
        }
        if (high < c->nbins) {
            size = high + 1 > minlength ? high + 1 : minlength;
            break;
        }
        c->nbins = plus(high, 1);
        c->wants_extent = 0;
    }
    /* The first counts of the longer array: no copy, and the extent stays behind them unseen. */
    ret = gnp_array_from_block(gnp_block_retain(all->block), all->data, 1, &size, NULL, dtype);
fail:
    Py_XDECREF((PyObject *)all);
    return ret;
}

/* NumPy's wording of both errors. */
static int
check_integers(const GnpArray *x)
{
    if (x->ndim != 1) {
        PyErr_SetString(PyExc_ValueError, x->ndim > 1 ? "object too deep for desired array"
                                                      : "object of too small depth for desired "
                                                        "array");
        return -1;
    }
    if (!gnp_can_cast((GnpDtype)x->dtype, GNP_I64, GNP_CAST_SAME_KIND)) {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from dtype('%s') to dtype('int64') according to the "
                     "rule 'safe'",
                     gnp_dtypes[x->dtype].name);
        return -1;
    }
    return 0;
}

/* NumPy's wording; complex weights are the only ones that cannot be summed as float64. */
static int
check_weights(const GnpArray *x, const GnpArray *weights)
{
    if (weights->size != x->size) {
        PyErr_SetString(PyExc_ValueError, "The weights and list don't have the same length.");
        return -1;
    }
    if (!gnp_can_cast((GnpDtype)weights->dtype, GNP_F64, GNP_CAST_SAFE) &&
        gnp_dtypes[weights->dtype].cls == 'c') {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from dtype('%s') to dtype('float64') according to the "
                     "rule 'safe'",
                     gnp_dtypes[weights->dtype].name);
        return -1;
    }
    return 0;
}

/* A contiguous array, new where it has to be; the order of elements does not matter to counts,
 * but that of weights beside them does. */
static int
take_array(PyObject *object, const char *function, GnpArray **out)
{
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes a gpunp array, not %s; convert it with gpunp.asarray()", function,
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = contiguous((GnpArray *)object, function);
    return *out == NULL ? -1 : 0;
}

/* Empty input gives int64 zeros even with weights, as in NumPy. */
static PyObject *
histogram_bincount(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("bincount(x, weights, minlength)");
    GnpArray *x = NULL, *weights = NULL, *ret = NULL; /* the first two owned */
    PyObject *bound[3];

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    GNP_TRY(take_array(bound[0], "bincount", &x));
    GNP_TRY(check_integers(x));
    int64_t minlength = PyNumber_AsSsize_t(bound[2], PyExc_OverflowError);
    if (minlength == -1 && PyErr_Occurred()) {
        goto fail;
    }
    if (minlength < 0) {
        PyErr_SetString(PyExc_ValueError, "'minlength' must not be negative");
        goto fail;
    }
    if (bound[1] != Py_None) {
        GNP_TRY(take_array(bound[1], "bincount", &weights));
        GNP_TRY(check_weights(x, weights));
    }
    if (x->size == 0) {
        const GnpScalar zero = {{0, 0}};
        ret = gnp_array_new(1, &minlength, GNP_I64, 'C');
        if (ret != NULL && gnp_fill(ret, &zero) < 0) {
            Py_CLEAR(ret);
        }
        goto fail;
    }
    Count c = {.kind = BINS_DIRECT, .in = x, .weights = weights};
    ret = count_integers(&c, minlength);
fail:
    Py_XDECREF((PyObject *)x);
    Py_XDECREF((PyObject *)weights);
    return (PyObject *)ret;
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* Equal bins are found by arithmetic and corrected by the edges beside; others by binary search. */
static PyObject *
histogram_count_in_bins(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("count_in_bins(a, edges, are_uniform, weights=None, ulps=0)");
    GnpArray *a = NULL, *edges = NULL, *weights = NULL, *out = NULL, *ret = NULL; /* owned */
    PyObject *bound[5];

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    const double ulps = bound[4] != NULL ? PyFloat_AsDouble(bound[4]) : 0;
    GNP_TRY(ulps == -1 && PyErr_Occurred() ? -1 : 0);
    GNP_TRY(take_array(bound[0], "histogram", &a));
    GNP_TRY(take_array(bound[1], "histogram", &edges));
    int uniform = PyObject_IsTrue(bound[2]);
    GNP_TRY(uniform);
    if (bound[3] != NULL && bound[3] != Py_None) {
        GNP_TRY(take_array(bound[3], "histogram", &weights));
    }
    if ((weights != NULL && weights->size != a->size) || edges->ndim != 1 || edges->size < 2) {
        PyErr_SetString(PyExc_ValueError, "count_in_bins takes two or more edges, and as many "
                                          "weights as elements");
        goto fail;
    }
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        goto fail;
    }
    int64_t nbins = edges->size - 1;
    GNP_NEW(out, gnp_array_new(1, &nbins, weights != NULL ? GNP_F64 : GNP_I64, 'C'));
    Count c = {.kind = uniform ? BINS_UNIFORM : BINS_EDGES,
               .in = a,
               .weights = weights,
               .edges = edges,
               .out = out->data,
               .nbins = nbins,
               .ulps = ulps};
    GNP_TRY(count(&c, device, gnp_stream_current(device)));
    ret = (GnpArray *)Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)a);
    Py_XDECREF((PyObject *)edges);
    Py_XDECREF((PyObject *)weights);
    Py_XDECREF((PyObject *)out);
    return (PyObject *)ret;
}

/* The edges of equal bins over extent, a complex scalar (low, high) of the device. The extent stays
 * on the device: a histogram of a range that is computed there needs no wait. */
static PyObject *
histogram_uniform_edges(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("uniform_edges(extent, nbins, dtype)");
    GnpArray *extent = NULL, *out = NULL, *ret = NULL; /* owned */
    PyObject *bound[3];

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    GNP_TRY(take_array(bound[0], "histogram", &extent));
    int64_t nbins = PyNumber_AsSsize_t(bound[1], PyExc_OverflowError);
    if (nbins == -1 && PyErr_Occurred()) {
        goto fail;
    }
    GnpDtype dtype = gnp_dtype_from_object(bound[2]);
    if (dtype == GNP_NO_DTYPE) {
        goto fail;
    }
    if (extent->size != 1 || gnp_dtypes[extent->dtype].cls != 'c' || nbins < 1 ||
        gnp_dtypes[dtype].cls != 'f') {
        PyErr_SetString(PyExc_ValueError,
                        "uniform_edges takes a complex scalar, one or more bins and a real dtype");
        goto fail;
    }
    int64_t length = nbins + 1;
    GNP_NEW(out, gnp_array_new(1, &length, dtype, 'C'));
    GnpSpec_edges spec = {GNP_SPEC(edges), .E = dtype, .X = extent->dtype, .BLOCK = EDGES_BLOCK};
    GNP_TRY(
        gnp_launch_arrays(&(GnpArrayLaunch){.spec = &spec.head,
                                            .blocks = gnp_ceil_div(length, (int64_t)EDGES_BLOCK),
                                            .threads = EDGES_BLOCK,
                                            .narrays = 2,
                                            .array = {extent, out},
                                            .value = {&nbins}}));
    ret = (GnpArray *)Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)extent);
    Py_XDECREF((PyObject *)out);
    return (PyObject *)ret;
}

static PyMethodDef functions[] = {
    {"bincount", GNP_FAST(histogram_bincount), METH_FASTCALL | METH_KEYWORDS,
     "bincount($module, x, weights, minlength)\n--\n\n"
     "Count the occurrences of integers. Waits for the device: the largest gives the\n"
     "result's length."},
    {"count_in_bins", GNP_FAST(histogram_count_in_bins), METH_FASTCALL | METH_KEYWORDS,
     "count_in_bins($module, a, edges, are_uniform, weights=None, ulps=0)\n--\n\n"
     "Return the number of elements, or the sum of their weights, in each bin.\n\n"
     "`ulps` is not 0 for uniform edges that were computed in double precision: by how\n"
     "many units in the last place of the larger end single precision rounds an edge\n"
     "and the two ends together."},
    {"uniform_edges", GNP_FAST(histogram_uniform_edges), METH_FASTCALL | METH_KEYWORDS,
     "uniform_edges($module, extent, nbins, dtype)\n--\n\nThe edges of bins of equal width."},
    {NULL, NULL, 0, NULL},
};

int
gnp_histogram_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
