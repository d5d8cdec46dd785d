/* Advanced indexing: a[...] and a[...] = value where the key holds integer arrays or masks.
 *
 * Every key becomes a Gather: the view's remaining axes, and for each index array the axis (or, for
 * a mask, the axes) that it selects from. Masks are converted to index arrays first, except where
 * the mask can be used directly: packed elements, and values that do not depend on how many are
 * true.
 *
 * take.c, update.c (ufunc.at) and put use the same Gather. Duplicate indices in an assignment store
 * one of their values; which one is undefined, as for NumPy's contract.
 */
#include "select/gather.h"

#include <string.h>

enum { BLOCK = 256 };

typedef GnpGather Gather;

/* Also for a Gather that is only partly filled. */
void
gnp_gather_clear(Gather *g)
{
    for (int k = 0; k < g->nindices; k++) {
        Py_CLEAR(g->index[k]);
    }
    g->nindices = 0;
}

/* ---- from a key to a Gather ------------------------------------------------------------------ */

/* A copy of size and stride: the view may have any layout. */
void
gnp_gather_push(GnpGather *g, GNP_STEAL GnpArray *index, int axis)
{
    g->index[g->nindices] = index;
    g->axis[g->nindices] = axis;
    g->size[g->nindices] = gnp_shape(g->view)[axis];
    g->stride[g->nindices++] = gnp_strides(g->view)[axis];
    g->removed[axis] = 1;
}

/* A mask over `naxes` axes: one index where those axes can be merged, else one for each. Waits for
 * the number of true elements, which is the result's shape. */
static int
push_mask(Gather *g, GnpArray *mask, int axis, int naxes)
{
    const int64_t *shape = gnp_shape(g->view) + axis, *strides = gnp_strides(g->view) + axis;
    GnpArray *parts[GNP_MAX_DIMS];
    int is_one = 1;
    for (int i = 0; i + 1 < naxes; i++) {
        /* The axes can be merged where stepping over the end of one lands on the next. */
        is_one = is_one && strides[i] == strides[i + 1] * shape[i + 1];
    }
    if (is_one && naxes > 0) {
        GnpArray *linear = gnp_select_indices(mask);
        if (linear == NULL) {
            return -1;
        }
        if (linear->size > 0 || naxes == 1) {
            gnp_gather_push(g, linear, axis + naxes - 1);
            for (int i = 0; i + 1 < naxes; i++) {
                g->size[g->nindices - 1] *= shape[i];
                g->removed[axis + i] = 1;
            }
            return 0;
        }
        Py_DECREF((PyObject *)linear); /* cannot be merged: an index for each axis */
    }
    int status = gnp_select_coordinates(mask, parts);
    for (int i = 0; status == 0 && i < naxes; i++) {
        gnp_gather_push(g, parts[i], axis + i);
    }
    return status;
}

/* As Python writes a tuple, for messages. */
static void
add_shape(GnpText *t, int ndim, const int64_t *shape)
{
    gnp_text_add(t, "(");
    for (int i = 0; i < ndim; i++) {
        gnp_text_add(t, i > 0 ? ",%lld" : "%lld", (long long)shape[i]);
    }
    gnp_text_add(t, ndim == 1 ? ",)" : ")");
}

/* NumPy's message. */
static void
raise_shape_mismatch(const Gather *g)
{
    GnpText t = {0};
    gnp_text_add(&t, "shape mismatch: indexing arrays could not be broadcast together with shapes");
    for (int k = 0; k < g->nindices; k++) {
        gnp_text_add(&t, " ");
        add_shape(&t, g->index[k]->ndim, gnp_shape(g->index[k]));
    }
    if (gnp_text_finish(&t) == 0) {
        PyErr_SetString(PyExc_IndexError, t.text);
    }
    gnp_text_clear(&t);
}

/* The index arrays' common shape, and the result's. An axis of length 0 can only be indexed by
 * nothing. */
int
gnp_gather_shapes(GnpGather *g)
{
    /* Elements that the indices select; 0 makes an empty axis harmless. */
    int64_t bsize = 1;
    g->bndim = 0;
    for (int k = 0; k < g->nindices; k++) {
        if (gnp_broadcast_shape(&g->bndim, g->bshape, g->index[k]->ndim, gnp_shape(g->index[k])) <
            0) {
            if (PyErr_ExceptionMatches(PyExc_ValueError)) {
                PyErr_Clear();
                raise_shape_mismatch(g);
            }
            return -1;
        }
    }
    for (int i = 0; i < g->bndim; i++) {
        bsize *= g->bshape[i];
    }
    for (int axis = 0; g->clips && axis < g->view->ndim; axis++) {
        bsize *= g->removed[axis] ? 1 : gnp_shape(g->view)[axis];
    }
    for (int k = 0; k < g->nindices; k++) {
        if (g->size[k] == 0 && bsize > 0) {
            PyErr_SetString(PyExc_IndexError, "index is out of bounds for axis with size 0");
            return -1;
        }
    }
    int nkept = 0;
    for (int axis = 0; axis < g->view->ndim; axis++) {
        if (!g->removed[axis]) {
            g->kept[nkept++] = axis;
        }
    }
    g->ndim = nkept + g->bndim;
    if (g->ndim > GNP_MAX_DIMS) {
        PyErr_SetString(PyExc_IndexError, "indexing result would have more than 64 dimensions");
        return -1;
    }
    /* The view's axes with those of the indices inserted at result_axis. */
    for (int i = 0; i < g->ndim; i++) {
        int b = i - g->result_axis;
        g->shape[i] = b >= 0 && b < g->bndim
                          ? g->bshape[b]
                          : gnp_shape(g->view)[g->kept[b < 0 ? i : i - g->bndim]];
    }
    return 0;
}

/* The memset clears a few KiB; keys with arrays are no hot path. */
int
gnp_gather_begin(Gather *g, const GnpIndex *index)
{
    memset(g, 0, sizeof *g);
    g->view = index->view;
    g->result_axis = index->result_axis;
    for (int k = 0; k < index->nindices; k++) {
        if (index->index[k]->dtype == GNP_BOOL) {
            if (push_mask(g, index->index[k], index->axis[k], index->naxes[k]) < 0) {
                return -1;
            }
        }
        else {
            gnp_gather_push(g, (GnpArray *)Py_NewRef((PyObject *)index->index[k]), index->axis[k]);
        }
    }
    return gnp_gather_shapes(g);
}

/* ---- unifying the indices -------------------------------------------------------------------- */

static const GnpElementOp ravel_op = {
    .name = "ravel_index", .expression = "wrap_index(a, b) * c + d", .nin = 4, .nout = 1};

/* offsets = wrap(index) * stride + offsets, over the indices' common shape. `offsets` is operand
 * and output: each thread reads and writes its own element. */
static int
ravel_index(const Gather *g, int k, GnpArray *offsets)
{
    int64_t strides[GNP_MAX_DIMS];
    gnp_broadcast_strides(g->index[k], g->bndim, g->bshape, strides);
    GnpOperand sum = {.data = offsets->data,
                      .block = offsets->block,
                      .strides = gnp_strides(offsets),
                      .dtype = GNP_I64,
                      .compute = GNP_I64};
    GnpOperand operands[] = {
        {.data = g->index[k]->data,
         .block = g->index[k]->block,
         .strides = strides,
         .dtype = g->index[k]->dtype,
         .compute = GNP_I64},
        {.scalar = &g->size[k], .dtype = GNP_I64, .compute = GNP_I64},
        {.scalar = &g->stride[k], .dtype = GNP_I64, .compute = GNP_I64},
        sum,
        sum,
    };
    return gnp_elementwise(&ravel_op, operands, g->bndim, g->bshape);
}

/* More index arrays than a kernel takes: all become one array of byte offsets. The kernels then
 * have one index with a stride of 1 byte, and size 0 tells them not to wrap. */
static int
ravel_indices(Gather *g)
{
    const GnpScalar zero = {{0, 0}};
    GnpArray *offsets = gnp_array_new(g->bndim, g->bshape, GNP_I64, 'C');
    if (offsets == NULL || gnp_fill(offsets, &zero) < 0) {
        Py_XDECREF((PyObject *)offsets);
        return -1;
    }
    for (int k = 0; k < g->nindices; k++) {
        if (ravel_index(g, k, offsets) < 0) {
            Py_DECREF((PyObject *)offsets);
            return -1;
        }
    }
    gnp_gather_clear(g);
    g->index[0] = offsets;
    g->size[0] = 0;
    g->stride[0] = 1;
    g->nindices = 1;
    return 0;
}

/* Checks all indices for bounds (in mode 'raise') and makes them aligned and of one integer type.
 * Mixed integer types become int64: a kernel has one type for all of its indices. In a[a] = v the
 * index array is itself written, so it is copied. */
int
gnp_gather_unify(Gather *g, GnpGatherUse use)
{
    int same = 1;
    for (int k = 0; k < g->nindices && !g->wraps; k++) {
        if (gnp_index_check(g->index[k], g->size[k], g->axis[k]) < 0) {
            return -1;
        }
    }
    for (int k = 1; k < g->nindices; k++) {
        same = same && g->index[k]->dtype == g->index[0]->dtype;
    }
    for (int k = 0; k < g->nindices; k++) {
        GnpArray *index = gnp_readable_any(g->index[k], "indexing");
        if (index != NULL && !same && index->dtype != GNP_I64) {
            Py_SETREF(index, gnp_astype(index, GNP_I64, 'K'));
        }
        if (index != NULL && use == GNP_GATHER_WRITES && gnp_may_overlap(g->view, index)) {
            Py_SETREF(index, gnp_astype(index, (GnpDtype)index->dtype, 'K'));
        }
        if (index == NULL) {
            return -1;
        }
        Py_SETREF(g->index[k], index);
    }
    return g->nindices > GNP_GATHER_INDICES ? ravel_indices(g) : 0;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Strides of the result's axes in the view: 0 along the indices'. The indexed axes contribute
 * through the index, not through the position. */
static void
view_strides(const Gather *g, int64_t *strides)
{
    if (g->along) {
        for (int i = 0; i < g->ndim; i++) {
            strides[i] =
                i == g->axis[0] || gnp_shape(g->view)[i] == 1 ? 0 : gnp_strides(g->view)[i];
        }
        return;
    }
    for (int i = 0; i < g->ndim; i++) {
        int b = i - g->result_axis;
        strides[i] =
            b >= 0 && b < g->bndim ? 0 : gnp_strides(g->view)[g->kept[b < 0 ? i : i - g->bndim]];
    }
}

/* Of index k along the result's axes: 0 along those of the view, so that one launch walks both. */
static void
index_strides(const Gather *g, int k, int64_t *strides)
{
    memset(strides, 0, (size_t)g->ndim * sizeof *strides);
    gnp_broadcast_strides(g->index[k], g->bndim, g->bshape, strides + g->result_axis);
}

/* Operand 0: the values, with these strides; 1: the view; then the indices. Merged but not sorted:
 * the first axis stays the result's fastest. */
void
gnp_gather_axes(const Gather *g, const int64_t *value_strides, GnpAxes *axes)
{
    int64_t strides[GNP_AXES_OPERANDS][GNP_MAX_DIMS];
    gnp_axes_init(axes, 2 + g->nindices);
    memcpy(strides[0], value_strides, (size_t)g->ndim * sizeof **strides);
    view_strides(g, strides[1]);
    for (int k = 0; k < g->nindices; k++) {
        index_strides(g, k, strides[2 + k]);
    }
    for (int axis = g->ndim - 1; axis >= 0; axis--) {
        /* One axis at a time: the strides of all operands along it. */
        int64_t row[GNP_AXES_OPERANDS];
        for (int k = 0; k < axes->noperands; k++) {
            row[k] = strides[k][axis];
        }
        gnp_axes_add(axes, g->shape[axis], row);
    }
    gnp_axes_merge(axes);
}

/* Where whole rows are moved, several elements are moved as one item: returns its bytes. a[i] of a
 * matrix copies rows: 16 bytes per thread instead of one element. */
static int
widen_items(const Gather *g, GnpAxes *axes, CUdeviceptr values)
{
    int itemsize = (int)gnp_itemsize(g->view), item = 16;
    if (axes->naxes == 0 || axes->stride[0][0] != itemsize || axes->stride[0][1] != itemsize) {
        return itemsize;
    }
    /* Every address and step has to be a multiple of the wider item: one OR holds all their low
     * bits. An index that moves along the row rules widening out. */
    uint64_t places = values | g->view->data | (uint64_t)(axes->shape[0] * itemsize);
    for (int k = 0; k < g->nindices; k++) {
        places |= axes->stride[0][2 + k] != 0 ? 1 : (uint64_t)g->stride[k];
    }
    for (int axis = 1; axis < axes->naxes; axis++) {
        places |= (uint64_t)axes->stride[axis][0] | (uint64_t)axes->stride[axis][1];
    }
    /* Powers of two only, as the kernel's items are. */
    while (item > itemsize && places % (uint64_t)item != 0) {
        item /= 2;
    }
    if (item > itemsize) {
        axes->shape[0] = axes->shape[0] * itemsize / item;
        axes->stride[0][0] = axes->stride[0][1] = item;
    }
    return item > itemsize ? item : itemsize;
}

typedef struct {
    int scatter, scalar, item, naxes, nindices, wide, unroll, index_dtype, refuses;
} Plan;

/* One kernel for each item width rather than for each dtype: elements are only moved. `refuses`
 * has no code where it is 0. */
static GnpKernel *
find_kernel(GnpDevice *device, const Plan *p)
{
    GnpSpec_take spec = {GNP_SPEC(take),      .head.wide = p->wide, .I = p->index_dtype,
                         .Item = p->item,     .ND = p->naxes,       .NINDICES = p->nindices,
                         .UNROLL = p->unroll, .SCALAR = p->scalar,  .REFUSES = p->refuses,
                         .BLOCK = BLOCK};
    /* The two kernels have the same parameters. Two entries of one source, so that what they
     * share is written once. */
    if (p->scatter) {
        spec.head.kernel = GNP_KERNEL_scatter;
    }
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* Moves all elements: from the view to `array`, or (scatter) from `array` or `scalar` to the view;
 * `refused` as gnp_gather_scatter has it. Indices are 32-bit where neither the count nor any
 * operand's reach needs more. */
static int
launch(const Gather *g, int scatter, const GnpArray *array, const int64_t *value_strides,
       const GnpScalar *scalar, CUdeviceptr refused)
{
    GnpGatherAxis places[GNP_GATHER_INDICES];
    GnpAxes axes;
    GnpParams params;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    /* Blocks are recorded so that their memory is not reused before this stream is done with it. */
    CUdeviceptr values = array != NULL ? array->data : 0;
    if (array != NULL) {
        gnp_block_record(array->block, stream);
    }
    gnp_gather_axes(g, value_strides, &axes);
    int item = scalar != NULL ? (int)gnp_itemsize(g->view) : widen_items(g, &axes, values);
    int64_t n = gnp_axes_size(&axes);
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    Plan plan = {
        .scatter = scatter,
        .scalar = scalar != NULL,
        .item = item,
        .naxes = gnp_axes_class(axes.naxes),
        .nindices = g->nindices,
        .wide = n > limit,
        /* Several reads in flight hide their latency; the emulation has none to hide. */
        .unroll = device->prefers_short ? 1 : 4,
        .index_dtype = g->index[0]->dtype,
        .refuses = refused != 0,
    };
    for (int k = 0; k < axes.noperands; k++) {
        plan.wide = plan.wide || gnp_axes_reach(&axes, k) > limit;
    }
    GnpKernel *kernel = find_kernel(device, &plan);
    if (kernel == NULL) {
        return -1;
    }
    gnp_block_record(g->view->block, stream);
    for (int k = 0; k < g->nindices; k++) {
        gnp_block_record(g->index[k]->block, stream);
        places[k] = (GnpGatherAxis){g->index[k]->data, g->size[k], g->stride[k]};
    }
    gnp_params_init(&params, plan.wide);
    CUdeviceptr out = scatter ? g->view->data : values, in = scatter ? values : g->view->data;
    gnp_params_add(&params, &out, sizeof out);
    gnp_params_add(&params, &in, sizeof in);
    if (scatter) {
        uint64_t slot[2] = {0, 0};
        memcpy(slot, scalar != NULL ? scalar->bits : slot, sizeof slot);
        gnp_params_add(&params, slot, sizeof slot);
        gnp_params_add(&params, &refused, sizeof refused);
    }
    gnp_params_add(&params, places, (size_t)g->nindices * sizeof *places);
    gnp_params_layout(&params, &axes, plan.naxes);
    gnp_params_index(&params, n);
    return gnp_launch_blocks(kernel, gnp_ceil_div(n, (int64_t)BLOCK * plan.unroll), BLOCK, stream,
                             params.arg);
}

/* The other direction of launch(), for callers with a gather of their own. `value_strides` are
 * along the gather's axes. */
int
gnp_gather_scatter(const GnpGather *g, const GnpArray *values, const int64_t *value_strides,
                   const GnpScalar *scalar, CUdeviceptr refused)
{
    return launch(g, 1, values, value_strides, scalar, refused);
}

/* ---- get ------------------------------------------------------------------------------------- */

/* NumPy iterates over the index arrays in memory order, so where there are no other axes the result
 * has their memory order. One index in Fortran order is enough to make NumPy's result so only if
 * all are. */
static char
find_order(const Gather *g)
{
    for (int k = 0; k < g->nindices; k++) {
        const GnpArray *index = g->index[k];
        if (index->ndim != g->ndim || index->ndim < 2 || (index->flags & GNP_C_CONTIGUOUS) ||
            !(index->flags & GNP_F_CONTIGUOUS)) {
            return 'C';
        }
    }
    return 'F';
}

/* Nothing is checked or launched for an empty result, as NumPy accepts any index there. */
GnpArray *
gnp_gather_take(GnpGather *g, char order)
{
    GnpArray *result = gnp_array_new(g->ndim, g->shape, g->view->dtype, order);
    if (result != NULL && result->size > 0 &&
        (gnp_gather_unify(g, GNP_GATHER_READS) < 0 ||
         launch(g, 0, result, gnp_strides(result), NULL, 0) < 0)) {
        Py_CLEAR(result);
    }
    return result;
}

/* A mask over all axes is packing: no index array is made. */
static PyObject *
advanced_get(const GnpIndex *key)
{
    Gather g = {0};
    GnpIndex index = *key;
    GnpArray *result = NULL;

    GNP_NEW(index.view, gnp_readable_any(key->view, "indexing"));
    if (index.nindices == 1 && index.index[0]->dtype == GNP_BOOL &&
        index.naxes[0] == index.view->ndim) {
        result = gnp_select_take(index.view, index.index[0]);
    }
    else if (gnp_gather_begin(&g, &index) == 0) {
        result = gnp_gather_take(&g, find_order(&g));
    }
fail:
    gnp_gather_clear(&g);
    Py_XDECREF((PyObject *)index.view);
    return (PyObject *)result;
}

/* ---- set ------------------------------------------------------------------------------------- */

/* `value` without leading axes of size 1 beyond `ndim`, converted to a dtype, not overlapping the
 * view. Overlap is tested by bounds: a false alarm costs a copy of the value. */
static GnpArray *
prepare_value(const GnpArray *view, GnpArray *value, GnpDtype dtype, int ndim)
{
    GnpArray *ret = NULL, *shorter = NULL; /* owned */
    int extra = 0;
    while (value->ndim - extra > ndim && gnp_shape(value)[extra] == 1) {
        extra++;
    }
    GNP_NEW(shorter,
            gnp_array_view(value, value->data, value->ndim - extra, gnp_shape(value) + extra,
                           gnp_strides(value) + extra, value->dtype));
    if (value->dtype != (int)dtype || gnp_may_overlap(view, value) ||
        !(value->flags & GNP_ALIGNED)) {
        ret = gnp_astype(shorter, dtype, 'K');
    }
    else {
        ret = (GnpArray *)Py_NewRef((PyObject *)shorter);
    }
fail:
    Py_XDECREF((PyObject *)shorter);
    return ret;
}

static int
fits_shape(const GnpArray *value, int ndim, const int64_t *shape)
{
    if (value->ndim > ndim) {
        return 0;
    }
    for (int i = 0; i < value->ndim; i++) {
        int64_t size = gnp_shape(value)[i];
        if (size != 1 && size != shape[ndim - value->ndim + i]) {
            return 0;
        }
    }
    return 1;
}

static int
raise_value_shape(const GnpArray *value, const Gather *g)
{
    GnpText t = {0};
    gnp_text_add(&t, "shape mismatch: value array of shape ");
    add_shape(&t, value->ndim, gnp_shape(value));
    gnp_text_add(&t, " could not be broadcast to indexing result of shape ");
    add_shape(&t, g->ndim, g->shape);
    if (gnp_text_finish(&t) == 0) {
        PyErr_SetString(PyExc_ValueError, t.text);
    }
    gnp_text_clear(&t);
    return -1;
}

GnpArray *
gnp_gather_value(const GnpGather *g, GnpArray *value, GnpDtype dtype, int64_t *strides)
{
    GnpArray *readable = gnp_readable_any(value, "indexing"); /* owned */
    GnpArray *prepared = readable != NULL ? prepare_value(g->view, readable, dtype, g->ndim) : NULL;
    Py_XDECREF((PyObject *)readable);
    if (prepared != NULL && !fits_shape(prepared, g->ndim, g->shape)) {
        raise_value_shape(prepared, g);
        Py_CLEAR(prepared);
    }
    if (prepared != NULL) {
        gnp_broadcast_strides(prepared, g->ndim, g->shape, strides);
    }
    return prepared;
}

/* The value's shape is checked even where nothing is stored. */
static int
gather_put(Gather *g, GnpArray *value, const GnpScalar *scalar)
{
    int64_t strides[GNP_MAX_DIMS] = {0}, size = 1;
    GnpArray *prepared = NULL; /* owned */
    int ret = -1;
    for (int i = 0; i < g->ndim; i++) {
        size *= g->shape[i];
    }
    if (value != NULL) {
        GNP_NEW(prepared, gnp_gather_value(g, value, (GnpDtype)g->view->dtype, strides));
    }
    if (size > 0) {
        GNP_TRY(gnp_gather_unify(g, GNP_GATHER_WRITES));
        GNP_TRY(launch(g, 1, prepared, strides, scalar, 0));
    }
    ret = 0;
fail:
    Py_XDECREF((PyObject *)prepared);
    return ret;
}

/* One mask and a value that is the same wherever it is true: 1 done, 0 not that case, -1 an error.
 * a[mask] = number and the like need no count and no wait: a masked copy does it. */
static int
put_same(const GnpIndex *index, GnpArray *value, const GnpScalar *scalar)
{
    GnpArray *view = index->view, *mask = index->index[0], *apart = NULL,
             *prepared = NULL; /* the last two owned */
    int64_t mask_strides[GNP_MAX_DIMS] = {0}, value_strides[GNP_MAX_DIMS];
    int first = index->axis[0], after = view->ndim - first - index->naxes[0], ret = -1;
    /* Such a value differs from one true element to the next, so their number is needed. */
    if (value != NULL && value->size != 1 && value->ndim > after) {
        return 0;
    }
    if (value != NULL) {
        GNP_NEW(prepared,
                prepare_value(view, value, (GnpDtype)view->dtype, value->size == 1 ? 0 : after));
        if (!fits_shape(prepared, after, gnp_shape(view) + view->ndim - after)) {
            ret = 0;
            goto fail;
        }
        gnp_broadcast_strides(prepared, view->ndim, gnp_shape(view), value_strides);
    }
    apart = gnp_overlaps_harmfully(view, mask) ? gnp_astype(mask, GNP_BOOL, 'K')
                                               : (GnpArray *)Py_NewRef((PyObject *)mask);
    if (apart == NULL) {
        goto fail;
    }
    memcpy(mask_strides + first, gnp_strides(apart),
           (size_t)index->naxes[0] * sizeof *mask_strides);
    GnpOperand operands[] = {
        {.dtype = gnp_kernel_dtype(view->dtype), .compute = gnp_kernel_dtype(view->dtype)},
        {.data = apart->data,
         .block = apart->block,
         .strides = mask_strides,
         .dtype = GNP_BOOL,
         .compute = GNP_BOOL},
        {.data = view->data,
         .block = view->block,
         .strides = gnp_strides(view),
         .dtype = gnp_kernel_dtype(view->dtype),
         .compute = gnp_kernel_dtype(view->dtype)},
    };
    if (prepared != NULL) {
        operands[0].data = prepared->data;
        operands[0].block = prepared->block;
        operands[0].strides = value_strides;
    }
    else {
        operands[0].scalar = scalar;
    }
    GNP_TRY(gnp_elementwise_masked(&gnp_copy_op, operands, view->ndim, gnp_shape(view)));
    ret = 1;
fail:
    Py_XDECREF((PyObject *)apart);
    Py_XDECREF((PyObject *)prepared);
    return ret;
}

/* In order of cost: masked copy, packed put (one wait), index arrays. */
static int
set_aligned(const GnpIndex *index, GnpArray *value, const GnpScalar *scalar)
{
    Gather g;
    GnpArray *prepared = NULL; /* owned */
    int ret = -1;
    if (index->nindices == 1 && index->index[0]->dtype == GNP_BOOL) {
        int done = put_same(index, value, scalar);
        if (done != 0) {
            return done < 0 ? -1 : 0;
        }
        if (index->naxes[0] == index->view->ndim && value->ndim == 1) {
            prepared = prepare_value(index->view, value, (GnpDtype)index->view->dtype, 1);
            ret = prepared == NULL ? -1 : gnp_select_put(index->view, index->index[0], prepared);
            Py_XDECREF((PyObject *)prepared);
            return ret;
        }
    }
    ret = gnp_gather_begin(&g, index);
    if (ret == 0) {
        ret = gather_put(&g, value, scalar);
    }
    gnp_gather_clear(&g);
    return ret;
}

/* An unaligned view is updated in a copy. The copy is written back as a whole, also elements that
 * were not selected: they are unchanged. */
static int
advanced_set(const GnpIndex *key, GnpArray *value, const GnpScalar *scalar)
{
    GnpIndex index = *key;
    int ret = -1;
    GNP_NEW(index.view, gnp_readable_any(key->view, "indexing"));
    GNP_TRY(set_aligned(&index, value, scalar));
    ret = index.view != key->view ? gnp_copy(key->view, index.view) : 0;
fail:
    Py_XDECREF((PyObject *)index.view);
    return ret;
}

int
gnp_advanced_init(PyObject *Py_UNUSED(module))
{
    gnp_advanced_get = advanced_get;
    gnp_advanced_set = advanced_set;
    return 0;
}
