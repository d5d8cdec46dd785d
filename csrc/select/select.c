/* Selection by truth: nonzero and its family, and the packed elements under a mask.
 *
 * A mask of more than one tile is counted tile by tile, the counts are scanned in place, and with
 * the total known the result is allocated and filled; the order is kept without atomics. One tile
 * takes a single launch. Waiting for the total is the only synchronisation.
 *
 * Counting first means that the result has exactly the right size; a cheaper bound would waste
 * memory of the mask's size. The kernels read the mask as bytes, 16 at a time.
 */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 256, TILE = 8192, SCAN_BLOCK = 1024 };

typedef enum SelectWhat What;

/* ---- kernels --------------------------------------------------------------------------------- */

/* The knobs of the kernel that moves elements. */
typedef struct {
    What what;
    int itemsize, naxes, wide, alone;
} Plan;

/* A block per tile counts its true bytes. */
static GnpKernel *
count_kernel(GnpDevice *device)
{
    GnpSpec_select_count spec = {GNP_SPEC(select_count), .TILE = TILE, .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* One block scans all counts in place: there are few, as a tile has 8192 elements. */
static GnpKernel *
scan_kernel(GnpDevice *device)
{
    GnpSpec_select_scan spec = {GNP_SPEC(select_scan), .BLOCK = SCAN_BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* `alone`: the block also counts, which saves two launches for small masks. */
static GnpKernel *
select_kernel(GnpDevice *device, const Plan *p)
{
    GnpSpec_select spec = {GNP_SPEC(select),  .head.wide = p->wide, .Item = p->itemsize,
                           .WHAT = p->what,   .ND = p->naxes,       .TILE = TILE,
                           .ALONE = p->alone, .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* One selection: the mask, its counts and, after the wait, the total. */
typedef struct {
    GnpArray *mask;   /* owned; contiguous bytes on a 16-byte boundary */
    GnpBlock *counts; /* owned; per tile the count before it; NULL if alone */
    GnpHostWord word; /* owned; where the total goes */
    GnpDevice *device;
    CUstream stream;
    int64_t ntiles, total;
    int is_alone; /* a single block counts and moves, and no count comes first */
} Selection;

/* The blocks are reused in stream order, so pending kernels may still read them. */
static void
selection_clear(Selection *s)
{
    Py_CLEAR(s->mask);
    gnp_block_release(s->counts);
    s->counts = NULL;
    gnp_host_word_release(&s->word);
}

/* Any dtype is a mask: numbers are compared with 0 by the cast to bool, structures field by field.
 */
static int
selection_begin(Selection *s, GnpArray *mask, int counts_first)
{
    *s = (Selection){0};
    s->device = gnp_device_current();
    if (s->device == NULL) {
        return -1;
    }
    s->stream = gnp_stream_current(s->device);
    if (gnp_capture_check(s->stream, "a selection by a mask") < 0) {
        return -1; /* what is launched would be captured with the word's address */
    }
    s->mask = GNP_UNLIKELY(gnp_is_structured(mask->dtype))
                  ? (GnpArray *)gnp_structured_call("truth", "(O)", mask)
                  : gnp_readable_any(mask, "nonzero");
    if (s->mask != NULL && (s->mask->dtype != GNP_BOOL || !(s->mask->flags & GNP_C_CONTIGUOUS) ||
                            s->mask->data % 16 != 0)) {
        Py_SETREF(s->mask, gnp_astype(s->mask, GNP_BOOL, 'C'));
    }
    if (s->mask == NULL) {
        return -1;
    }
    gnp_block_record(s->mask->block, s->stream);
    s->ntiles = gnp_ceil_div(mask->size, TILE);
    s->is_alone = s->ntiles == 1 && !counts_first;
    if (!s->is_alone) {
        s->counts = gnp_block_new(s->device, (size_t)s->ntiles * 8, s->stream);
        if (s->counts == NULL) {
            return -1;
        }
    }
    return gnp_host_word_take(&s->word, s->device, s->stream);
}

/* The wait. */
static int
read_total(Selection *s)
{
    return gnp_host_word_read(&s->word, &s->total);
}

static const int64_t limit = ((int64_t)1 << 31) - 65536; /* of 32-bit indices */

/* The parameters for elements of `array`, or for indices where it is NULL; and its axes. */
static Plan
plan_select(const Selection *s, What what, const GnpArray *array, GnpAxes *axes)
{
    gnp_axes_init(axes, 1);
    for (int axis = array != NULL ? array->ndim - 1 : -1; axis >= 0; axis--) {
        gnp_axes_add(axes, gnp_shape(array)[axis], &gnp_strides(array)[axis]);
    }
    gnp_axes_merge(axes);
    return (Plan){
        .what = what,
        .itemsize = array != NULL ? (int)gnp_itemsize(array) : 8,
        .naxes = gnp_axes_class(axes->naxes),
        .wide = s->mask->size > limit || gnp_axes_reach(axes, 0) > limit,
        .alone = s->is_alone,
    };
}

/* For gnp_ahead_begin. */
typedef struct {
    const Selection *selection;
    What what;
    const GnpArray *array;
} Packing;

/* The scan of the counts, and the kernel that packs. */
static void
ask_for_others(void *context)
{
    const Packing *p = context;
    GnpAxes axes;
    const Plan plan = plan_select(p->selection, p->what, p->array, &axes);
    (void)scan_kernel(p->selection->device);
    (void)select_kernel(p->selection->device, &plan);
}

/* Two launches: a count per tile, and one block that scans the counts. */
static int
launch_count(Selection *s)
{
    GnpKernel *count = count_kernel(s->device);
    GnpKernel *scan = count == NULL ? NULL : scan_kernel(s->device);
    if (scan == NULL) {
        return -1;
    }
    GnpParams params;
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &s->mask->data, sizeof s->mask->data);
    gnp_params_add(&params, &s->counts->ptr, sizeof s->counts->ptr);
    gnp_params_index(&params, s->mask->size);
    if (gnp_launch_blocks(count, s->ntiles, BLOCK, s->stream, params.arg) < 0) {
        return -1;
    }
    gnp_params_init(&params, 1);
    gnp_params_add(&params, &s->counts->ptr, sizeof s->counts->ptr);
    gnp_params_add(&params, &s->word.ptr, sizeof s->word.ptr);
    gnp_params_index(&params, s->ntiles);
    return gnp_launch_blocks(scan, 1, SCAN_BLOCK, s->stream, params.arg);
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* The Layout of an array of the mask's shape. SELECT_COORDINATES: the mask's axes, and the offset
 * of each axis' coordinates. All kernels of the family take these parameters. */
static int
launch_moves(Selection *s, const Plan *plan, CUdeviceptr data, const GnpAxes *axes,
             CUdeviceptr packed, int64_t step)
{
    GnpKernel *kernel = select_kernel(s->device, plan);
    if (kernel == NULL) {
        return -1;
    }
    const CUdeviceptr counts = plan->alone ? s->word.ptr : s->counts->ptr;
    GnpParams params;
    gnp_params_init(&params, plan->wide);
    gnp_params_add(&params, &s->mask->data, sizeof s->mask->data);
    gnp_params_add(&params, &counts, sizeof counts);
    gnp_params_add(&params, &data, sizeof data);
    gnp_params_add(&params, &packed, sizeof packed);
    gnp_params_add(&params, &step, sizeof step);
    gnp_params_layout(&params, axes, plan->naxes);
    gnp_params_add(&params, &s->mask->size, sizeof s->mask->size);
    return gnp_launch_blocks(kernel, s->ntiles, BLOCK, s->stream, params.arg);
}

/* `array` has the mask's shape (NULL for SELECT_INDICES); packed elements are `step` bytes apart. A
 * single tile needs no counts: its block counts, writes, and stores the total. */
static int
launch_select(Selection *s, What what, const GnpArray *array, CUdeviceptr packed, int64_t step)
{
    GnpAxes axes;
    const Plan plan = plan_select(s, what, array, &axes);
    if (array != NULL) {
        gnp_block_record(array->block, s->stream);
    }
    return launch_moves(s, &plan, array != NULL ? array->data : 0, &axes, packed, step);
}

/* The coordinates along axis k begin at packed + k * apart. The unmerged axes, since each has
 * coordinates of its own. */
static int
launch_coordinates(Selection *s, CUdeviceptr packed, int64_t step, int64_t apart)
{
    const int ndim = s->mask->ndim;
    GnpAxes axes;
    gnp_axes_init(&axes, 1);
    axes.naxes = ndim;
    for (int i = 0; i < ndim; i++) {
        axes.shape[i] = gnp_shape(s->mask)[ndim - 1 - i];
        axes.stride[i][0] = (ndim - 1 - i) * apart;
    }
    Plan plan = {
        .what = SELECT_COORDINATES,
        .itemsize = 8,
        .naxes = ndim,
        .wide = s->mask->size > limit || ndim * apart > limit,
        .alone = s->is_alone,
    };
    return launch_moves(s, &plan, 0, &axes, packed, step);
}

/* Indices (array NULL) or elements of `array` where `mask` is true. Small masks are the common
 * case: one launch and one wait. */
static GnpArray *
pack(GnpArray *array, GnpArray *mask)
{
    Selection s = {0};
    GnpArray *whole = NULL; /* owned */
    GnpArray *ret = NULL;
    What what = array != NULL ? SELECT_TAKE : SELECT_INDICES;
    GnpDtype dtype = array != NULL ? array->dtype : GNP_I64;

    if (mask->size == 0) {
        return gnp_array_new(1, &mask->size, dtype, 'C');
    }
    GNP_TRY(selection_begin(&s, mask, 0));
    if (s.is_alone) { /* enough for all elements, so one launch is enough; the rest stays unused */
        GNP_NEW(whole, gnp_array_new(1, &mask->size, dtype, 'C'));
        GNP_TRY(launch_select(&s, what, array, whole->data, gnp_itemsize(whole)));
        GNP_TRY(read_total(&s));
        ret = gnp_array_from_block(gnp_block_retain(whole->block), whole->data, 1, &s.total, NULL,
                                   dtype);
        goto fail;
    }
    Packing packing = {&s, what, array};
    const GnpAhead ahead = {ask_for_others, &packing}, *before = gnp_ahead_begin(&ahead);
    const int status = launch_count(&s);
    gnp_ahead_end(before);
    GNP_TRY(status);
    GNP_TRY(read_total(&s));
    /* Exactly as long as needed, which is what the wait was for. */
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

/* Flat indices in C order of the true elements, as flatnonzero returns them. */
GnpArray *
gnp_select_indices(GnpArray *mask)
{
    return pack(NULL, mask);
}

/* a[mask] for a mask of a's shape; the hook of advanced.c. */
GnpArray *
gnp_select_take(GnpArray *a, GnpArray *mask)
{
    return pack(a, mask);
}

/* The number is checked before anything is stored. */
int
gnp_select_put(GnpArray *a, GnpArray *mask, GnpArray *values)
{
    Selection s = {0};
    int ret = -1;
    if (mask->size > 0) {
        GNP_TRY(selection_begin(&s, mask, 1));
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
        GNP_TRY(launch_select(&s, SELECT_PUT, a, values->data, gnp_strides(values)[0]));
    }
    ret = 0;
fail:
    selection_clear(&s);
    return ret;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* The coordinates of the true elements of `mask` (not 0-d): a row per axis, or (by_element) a row
 * per element, of one array with room for `*room` elements; *total is their number. Rows of whole
 * 256-byte lines keep the writes of different axes aligned. */
static GnpArray *
coordinates(GnpArray *mask, int by_element, int64_t *total, int64_t *room)
{
    Selection s = {0};
    GnpArray *out = NULL;
    int done = -1;
    *total = *room = 0;
    if (mask->size > 0) {
        GNP_TRY(selection_begin(&s, mask, 0));
        if (!s.is_alone) {
            GNP_TRY(launch_count(&s));
            GNP_TRY(read_total(&s));
        }
        /* Without a count there is room for all, and the kernel stores the number. */
        *total = s.is_alone ? mask->size : s.total;
    }
    *room =
        by_element ? *total : (*total + 31) / 32 * 32; /* each axis begins at a line of memory */
    const int64_t shape[2] = {by_element ? *room : mask->ndim, by_element ? mask->ndim : *room};
    const int64_t step = by_element ? mask->ndim * 8 : 8, apart = by_element ? 8 : *room * 8;
    GNP_NEW(out, gnp_array_new(2, shape, GNP_I64, 'C'));
    if (*total > 0) {
        GNP_TRY(launch_coordinates(&s, out->data, step, apart));
        if (s.is_alone) { /* it counted itself */
            GNP_TRY(read_total(&s));
            *total = s.total;
        }
    }
    done = 0;
fail:
    selection_clear(&s);
    if (done < 0) {
        Py_CLEAR(out);
    }
    return out;
}

/* The arrays share one block of memory. */
int
gnp_select_coordinates(GnpArray *mask, GnpArray **out)
{
    int64_t total, room;
    memset(out, 0, (size_t)mask->ndim * sizeof *out);
    GnpArray *whole = coordinates(mask, 0, &total, &room);
    for (int axis = 0; whole != NULL && axis < mask->ndim; axis++) {
        out[axis] = gnp_array_from_block(gnp_block_retain(whole->block),
                                         whole->data + (CUdeviceptr)(axis * room * 8), 1, &total,
                                         NULL, GNP_I64);
        if (out[axis] == NULL) {
            for (int i = 0; i < axis; i++) {
                Py_CLEAR(out[i]);
            }
            Py_CLEAR(whole);
        }
    }
    Py_XDECREF((PyObject *)whole);
    return whole == NULL ? -1 : 0;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* A host array would need a transfer, which is left to the user. */
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

PyDoc_STRVAR(nonzero_doc, "nonzero($module, a, /)\n--\n\n"
                          "Return the indices of the nonzero elements, one array per axis.\n\n"
                          "Waits for the device.");

/* One axis needs no coordinates: its flat indices are the result. */
PyObject *
array_nonzero(PyObject *self, PyObject *Py_UNUSED(ignored))
{
    GnpArray *a = (GnpArray *)self, *parts[GNP_MAX_DIMS];
    PyObject *ret = NULL;
    /* NumPy's message. */
    if (a->ndim == 0) {
        PyErr_SetString(
            PyExc_ValueError,
            "Calling nonzero on 0d arrays is not allowed. Use "
            "np.atleast_1d(scalar).nonzero() instead. If the context of this error is of "
            "the form `arr[nonzero(cond)]`, just use `arr[cond]`.");
        return NULL;
    }
    if (a->ndim == 1) {
        GNP_NEW(parts[0], gnp_select_indices(a));
    }
    else {
        GNP_TRY(gnp_select_coordinates(a, parts));
    }
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
    return ret;
}

/* The function of the method. */
static PyObject *
select_nonzero(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpArray *a = array_argument(object, "nonzero");
    return a == NULL ? NULL : array_nonzero((PyObject *)a, NULL);
}

PyDoc_STRVAR(flatnonzero_doc,
             "flatnonzero($module, a, /)\n--\n\n"
             "Return the indices of the nonzero elements of the flattened array.\n\n"
             "Waits for the device.");

static PyObject *
select_flatnonzero(PyObject *Py_UNUSED(module), PyObject *object)
{
    GnpArray *a = array_argument(object, "flatnonzero");
    return a == NULL ? NULL : (PyObject *)gnp_select_indices(a);
}

PyDoc_STRVAR(argwhere_doc, "argwhere($module, a, /)\n--\n\n"
                           "Return the indices of the nonzero elements, one row for each.\n\n"
                           "Waits for the device.");

/* A number is one element without coordinates. */
static GnpArray *
argwhere_axes(GnpArray *a, int64_t *total, int64_t *room, int64_t *columns)
{
    const int64_t one = 1, stride = 0;
    *columns = a->ndim;
    if (a->ndim > 0) {
        return coordinates(a, 1, total, room);
    }
    GnpArray *line = gnp_array_view(a, a->data, 1, &one, &stride, (GnpDtype)a->dtype);
    GnpArray *whole = line == NULL ? NULL : coordinates(line, 1, total, room);
    Py_XDECREF((PyObject *)line);
    return whole;
}

/* The array has room for all elements; the result is a view of its first rows. */
static PyObject *
select_argwhere(PyObject *Py_UNUSED(module), PyObject *object)
{
    int64_t total, room, columns;
    GnpArray *a = array_argument(object, "argwhere");
    GnpArray *whole = a == NULL ? NULL : argwhere_axes(a, &total, &room, &columns);
    if (whole == NULL) {
        return NULL;
    }
    const int64_t shape[2] = {total, columns};
    GnpArray *ret =
        gnp_array_from_block(gnp_block_retain(whole->block), whole->data, 2, shape, NULL, GNP_I64);
    Py_DECREF((PyObject *)whole);
    return (PyObject *)ret;
}

static PyMethodDef functions[] = {
    {"nonzero", select_nonzero, METH_O, nonzero_doc},
    {"flatnonzero", select_flatnonzero, METH_O, flatnonzero_doc},
    {"argwhere", select_argwhere, METH_O, argwhere_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_mask_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
