/* Selection by truth: nonzero and its family, and the packed elements under a mask.
 *
 * A mask of more than one tile is counted tile by tile, the counts are summed in place, and with
 * the total at hand the result is allocated and filled; order is kept and nothing is atomic. One
 * tile does all of it in one launch. Waiting for the total is the only synchronisation.
 */
#include "ops/select.h"
#include "ops/methods.h"
#include "ops/space.h"

#include <string.h>

enum { BLOCK = 256, TILE = 8192, SCAN_BLOCK = 1024 };

typedef enum { INDICES, TAKE, PUT } What;

/* ---- kernels --------------------------------------------------------------------------------- */

typedef struct {
    What what;
    int itemsize, naxes, wide, alone;
} Plan;

/* select_count.cu and select_scan.cu, which have no types. */
static GnpKernel *
fixed_kernel(GnpDevice *device, const char *stem, unsigned tag, int block)
{
    GnpKernelKey key = {
        {GNP_KEY_SELECT | (uint64_t)tag << 4 | (uint64_t)(unsigned)device->id << 32, 0, 0}};
    GnpKernel *kernel = gnp_kernels_find(&key);
    if (kernel == NULL) {
        GnpText knobs = {0};
        gnp_text_add(&knobs, "#include \"gnp.cuh\"\nenum { BLOCK = %d, TILE = %d };\n", block,
                     TILE);
        kernel = gnp_kernels_make(device, &key, stem, NULL, &knobs);
    }
    return kernel;
}

static GnpKernel *
select_kernel(GnpDevice *device, const Plan *p)
{
    static const char *const names[] = {"INDICES", "TAKE", "PUT"};
    GnpKernelKey key = {{GNP_KEY_SELECT | (uint64_t)(unsigned)device->id << 32,
                         (uint64_t)p->what | (uint64_t)p->itemsize << 4 | (uint64_t)p->naxes << 12 |
                             (uint64_t)p->wide << 20 | (uint64_t)p->alone << 21,
                         1}};
    GnpKernel *kernel = gnp_kernels_find(&key);
    if (kernel == NULL) {
        GnpText knobs = {0};
        gnp_text_add(&knobs, "#include \"gnp.cuh\"\ntypedef %s Index;\ntypedef %s Item;\n",
                     p->wide ? "u64" : "u32", gnp_item_type(p->itemsize));
        gnp_text_add(&knobs, "enum { INDICES, TAKE, PUT };\n");
        gnp_text_add(&knobs, "enum { WHAT = %s, ND = %d, BLOCK = %d, TILE = %d, ALONE = %d };\n",
                     names[p->what], p->naxes, BLOCK, TILE, p->alone);
        kernel = gnp_kernels_make(device, &key, "select", NULL, &knobs);
    }
    return kernel;
}

/* ---- counting -------------------------------------------------------------------------------- */

typedef struct {
    GnpArray *mask;   /* owned; contiguous bytes on a 16-byte boundary */
    GnpBlock *counts; /* owned; per tile what comes before it, then the total */
    GnpDevice *device;
    CUstream stream;
    int64_t ntiles, total;
} Selection;

static void
selection_clear(Selection *s)
{
    Py_CLEAR(s->mask);
    gnp_block_release(s->counts);
    s->counts = NULL;
}

static int
selection_begin(Selection *s, GnpArray *mask)
{
    *s = (Selection){0};
    s->device = gnp_device_current();
    if (s->device == NULL) {
        return -1;
    }
    s->stream = gnp_stream_current(s->device);
    if (mask->dtype == GNP_BOOL && (mask->flags & GNP_C_CONTIGUOUS) && mask->data % 16 == 0) {
        s->mask = (GnpArray *)Py_NewRef((PyObject *)mask);
    }
    else {
        s->mask = gnp_astype(mask, GNP_BOOL, 'C');
    }
    if (s->mask == NULL) {
        return -1;
    }
    gnp_block_record(s->mask->block, s->stream);
    s->ntiles = gnp_ceil_div(mask->size, TILE);
    s->counts = gnp_block_new(s->device, (size_t)(s->ntiles + 1) * 8, s->stream);
    return s->counts == NULL ? -1 : 0;
}

static int
read_total(Selection *s)
{
    return gnp_copy_d2h(&s->total, s->counts->ptr + (CUdeviceptr)s->ntiles * 8, 8, s->stream);
}

static int
launch_count(Selection *s)
{
    GnpKernel *count = fixed_kernel(s->device, "select_count", 1, BLOCK);
    GnpKernel *scan = count == NULL ? NULL : fixed_kernel(s->device, "select_scan", 2, SCAN_BLOCK);
    if (scan == NULL) {
        return -1;
    }
    GnpParams params;
    const unsigned grid[3] = {(unsigned)s->ntiles, 1, 1}, one[3] = {1, 1, 1};
    const unsigned block[3] = {BLOCK, 1, 1}, scan_block[3] = {SCAN_BLOCK, 1, 1};
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &s->mask->data, sizeof s->mask->data);
    gnp_params_add(&params, &s->counts->ptr, sizeof s->counts->ptr);
    gnp_params_index(&params, s->mask->size);
    if (gnp_launch(count, grid, block, 0, s->stream, params.arg) < 0) {
        return -1;
    }
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &s->counts->ptr, sizeof s->counts->ptr);
    gnp_params_index(&params, s->ntiles);
    return gnp_launch(scan, one, scan_block, 0, s->stream, params.arg);
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* `array` has the mask's shape (NULL for INDICES); packed elements are `step` bytes apart. */
static int
launch_select(Selection *s, What what, const GnpArray *array, CUdeviceptr packed, int64_t step)
{
    GnpAxes axes;
    gnp_axes_init(&axes, 1);
    for (int axis = array != NULL ? array->ndim - 1 : -1; axis >= 0; axis--) {
        gnp_axes_add(&axes, gnp_shape(array)[axis], &gnp_strides(array)[axis]);
    }
    gnp_axes_merge(&axes);
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    Plan plan = {
        .what = what,
        .itemsize = array != NULL ? (int)gnp_itemsize(array) : 8,
        .naxes = gnp_axes_class(axes.naxes),
        .wide = s->mask->size > limit || gnp_axes_reach(&axes, 0) > limit,
        .alone = s->ntiles == 1,
    };
    GnpKernel *kernel = select_kernel(s->device, &plan);
    if (kernel == NULL) {
        return -1;
    }
    GnpParams params;
    CUdeviceptr data = array != NULL ? array->data : 0;
    const unsigned grid[3] = {(unsigned)s->ntiles, 1, 1}, block[3] = {BLOCK, 1, 1};
    gnp_params_init(&params, plan.wide);
    gnp_params_add(&params, &s->mask->data, sizeof s->mask->data);
    gnp_params_add(&params, &s->counts->ptr, sizeof s->counts->ptr);
    gnp_params_add(&params, &data, sizeof data);
    gnp_params_add(&params, &packed, sizeof packed);
    gnp_params_add(&params, &step, sizeof step);
    gnp_params_layout(&params, &axes, plan.naxes);
    gnp_params_add(&params, &s->mask->size, sizeof s->mask->size);
    if (array != NULL) {
        gnp_block_record(array->block, s->stream);
    }
    return gnp_launch(kernel, grid, block, 0, s->stream, params.arg);
}

/* Indices (array NULL) or elements of `array` where `mask` is true. */
static GnpArray *
pack(GnpArray *array, GnpArray *mask)
{
    Selection s = {0};
    GnpArray *whole = NULL; /* owned */
    GnpArray *ret = NULL;
    What what = array != NULL ? TAKE : INDICES;
    GnpDtype dtype = array != NULL ? array->dtype : GNP_I64;

    if (mask->size == 0) {
        return gnp_array_new(1, &mask->size, dtype, 'C');
    }
    GNP_TRY(selection_begin(&s, mask));
    if (s.ntiles == 1) { /* room for all, so one launch does; the rest of the block goes unused */
        GNP_NEW(whole, gnp_array_new(1, &mask->size, dtype, 'C'));
        GNP_TRY(launch_select(&s, what, array, whole->data, gnp_itemsize(whole)));
        GNP_TRY(read_total(&s));
        ret = gnp_array_from_block(gnp_block_retain(whole->block), whole->data, 1, &s.total, NULL,
                                   dtype);
        goto fail;
    }
    GNP_TRY(launch_count(&s));
    GNP_TRY(read_total(&s));
    GNP_NEW(whole, gnp_array_new(1, &s.total, dtype, 'C'));
    if (s.total > 0) {
        GNP_TRY(launch_select(&s, what, array, whole->data, gnp_itemsize(whole)));
    }
    ret = (GnpArray *)Py_NewRef((PyObject *)whole);
fail:
    Py_XDECREF((PyObject *)whole);
    selection_clear(&s);
    return ret;
}

GnpArray *
gnp_select_indices(GnpArray *mask)
{
    return pack(NULL, mask);
}

GnpArray *
gnp_select_take(GnpArray *a, GnpArray *mask)
{
    return pack(a, mask);
}

int
gnp_select_put(GnpArray *a, GnpArray *mask, GnpArray *values)
{
    Selection s = {0};
    int ret = -1;
    if (mask->size > 0) {
        GNP_TRY(selection_begin(&s, mask));
        GNP_TRY(launch_count(&s));
        GNP_TRY(read_total(&s));
    }
    if (values->size != s.total) {
        PyErr_Format(PyExc_ValueError,
                     "NumPy boolean array indexing assignment cannot assign %lld input values to "
                     "the %lld output "
                     "values where the mask is true",
                     (long long)values->size, (long long)s.total);
        goto fail;
    }
    if (s.total > 0) {
        gnp_block_record(values->block, s.stream);
        GNP_TRY(launch_select(&s, PUT, a, values->data, gnp_strides(values)[0]));
    }
    ret = 0;
fail:
    selection_clear(&s);
    return ret;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static const GnpElementOp coordinate_op = {
    .name = "coordinate", .expression = "a / b % c", .nin = 3, .nout = 1};

/* out = linear / inner % size */
static int
coordinate(GnpArray *linear, int64_t inner, int64_t size, CUdeviceptr out, GnpBlock *block,
           int64_t step)
{
    const int64_t stride = 8;
    GnpOperand operands[] = {
        {.data = linear->data,
         .block = linear->block,
         .strides = &stride,
         .dtype = GNP_I64,
         .compute = GNP_I64},
        {.scalar = &inner, .dtype = GNP_I64, .compute = GNP_I64},
        {.scalar = &size, .dtype = GNP_I64, .compute = GNP_I64},
        {.data = out, .block = block, .strides = &step, .dtype = GNP_I64, .compute = GNP_I64},
    };
    return gnp_elementwise(&coordinate_op, operands, 1, &linear->size);
}

int
gnp_unravel(GnpArray *linear, int naxes, const int64_t *shape, GnpArray **out)
{
    int64_t inner = 1;
    memset(out, 0, (size_t)naxes * sizeof *out);
    for (int axis = naxes - 1; axis >= 0; axis--) {
        out[axis] = naxes == 1 ? (GnpArray *)Py_NewRef((PyObject *)linear)
                               : gnp_array_new(1, &linear->size, GNP_I64, 'C');
        if (out[axis] == NULL ||
            (naxes > 1 &&
             coordinate(linear, inner, shape[axis], out[axis]->data, out[axis]->block, 8) < 0)) {
            for (int i = axis; i < naxes; i++) {
                Py_CLEAR(out[i]);
            }
            return -1;
        }
        inner *= shape[axis];
    }
    return 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

static GnpArray *
array_argument(PyObject *object, const char *function)
{
    if (!gnp_array_check(object)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes a gpunp array, not %s; convert it with gpunp.asarray()", function,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    return (GnpArray *)object;
}

PyDoc_STRVAR(nonzero_doc,
             "nonzero($module, a, /)\n--\n\n"
             "Return the indices of the elements that are non-zero, one array per axis.\n\n"
             "Waits for the device.");

PyObject *
array_nonzero(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    GnpArray *a = (GnpArray *)self, *linear = NULL; /* owned */
    GnpArray *parts[GNP_MAX_DIMS];
    PyObject *ret = NULL;
    if (a->ndim == 0) {
        PyErr_SetString(
            PyExc_ValueError,
            "Calling nonzero on 0d arrays is not allowed. Use "
            "np.atleast_1d(scalar).nonzero() instead. If the context of this error is of "
            "the form `arr[nonzero(cond)]`, just use `arr[cond]`.");
        return NULL;
    }
    GNP_NEW(linear, gnp_select_indices(a));
    GNP_TRY(gnp_unravel(linear, a->ndim, gnp_shape(a), parts));
    ret = PyTuple_New(a->ndim);
    for (int axis = 0; axis < a->ndim; axis++) {
        if (ret != NULL) {
            PyTuple_SET_ITEM(ret, axis, (PyObject *)parts[axis]);
        }
        else {
            Py_DECREF((PyObject *)parts[axis]);
        }
    }
fail:
    Py_XDECREF((PyObject *)linear);
    return ret;
}

static PyObject *
select_nonzero(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpArray *a = array_argument(object, "nonzero");
    return a == NULL ? NULL : array_nonzero((PyObject *)a, NULL);
}

PyDoc_STRVAR(flatnonzero_doc, "flatnonzero($module, a, /)\n--\n\n"
                              "Return indices that are non-zero in the flattened version of a.\n\n"
                              "Waits for the device.");

static PyObject *
select_flatnonzero(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpArray *a = array_argument(object, "flatnonzero");
    return a == NULL ? NULL : (PyObject *)gnp_select_indices(a);
}

PyDoc_STRVAR(argwhere_doc,
             "argwhere($module, a, /)\n--\n\n"
             "Find the indices of array elements that are non-zero, grouped by element.\n\n"
             "Waits for the device.");

static PyObject *
select_argwhere(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpArray *linear = NULL, *out = NULL; /* owned */
    PyObject *ret = NULL;
    GnpArray *a = array_argument(object, "argwhere");
    if (a == NULL) {
        return NULL;
    }
    GNP_NEW(linear, gnp_select_indices(a));
    const int64_t shape[2] = {linear->size, a->ndim};
    GNP_NEW(out, gnp_array_new(2, shape, GNP_I64, 'C'));
    int64_t inner = 1;
    for (int axis = a->ndim - 1; axis >= 0; axis--) {
        GNP_TRY(coordinate(linear, inner, gnp_shape(a)[axis], out->data + (CUdeviceptr)axis * 8,
                           out->block, (int64_t)a->ndim * 8));
        inner *= gnp_shape(a)[axis];
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF((PyObject *)linear);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"nonzero", select_nonzero, METH_O, nonzero_doc},
    {"flatnonzero", select_flatnonzero, METH_O, flatnonzero_doc},
    {"argwhere", select_argwhere, METH_O, argwhere_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_select_init(PyObject *module)
{
    if (PyModule_AddFunctions(module, functions) < 0 || gnp_bounds_init(module) < 0) {
        return -1;
    }
    return gnp_advanced_init(module);
}
