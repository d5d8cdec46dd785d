/* Sequential reduction and accumulation along one axis (kernels/reduce/sequential.cu): ufunc.reduce
 * and ufunc.accumulate where the order of operations matters, and ufunc.reduceat.
 *
 * One thread walks along the axis for each output, so long axes with few outputs are slow; that is
 * what order of operations costs. reduceat with associative rows lets several threads share a
 * piece.
 */
#include "reduce/reduce.h"

#include <string.h>

/* Smaller blocks spread few outputs over more multiprocessors. */
enum { BLOCK = 128 };

typedef struct {
    const GnpUfuncRow *row;
    GnpDtype loop;
    const GnpArray *in, *where, *out, *starts; /* where and starts may be NULL */
    int axis;                                  /* of in; -1: none, a scalar */
    int64_t out_strides[GNP_MAX_DIMS];         /* of in's axes */
    int accumulate, has_initial;
    GnpScalar initial;
} Sequential;

typedef struct {
    int wide, lanes, kept_class;
    int64_t nout, total, n, step[3]; /* steps of in, where and out along the axis */
} Plan;

/* The axis keeps its own steps, in bytes; the others form a layout. */
static void
plan_make(Plan *p, const Sequential *s, GnpAxes *kept)
{
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    int64_t mask[GNP_MAX_DIMS] = {0};
    *p = (Plan){.n = 1, .lanes = 1};
    if (s->where != NULL) {
        gnp_broadcast_strides(s->where, s->in->ndim, gnp_shape(s->in), mask);
    }
    gnp_axes_init(kept, 3);
    for (int axis = s->in->ndim - 1; axis >= 0; axis--) {
        const int64_t stride[3] = {gnp_strides(s->in)[axis], mask[axis], s->out_strides[axis]};
        if (axis == s->axis) {
            p->n = gnp_shape(s->in)[axis];
            memcpy(p->step, stride, sizeof stride);
        }
        else {
            gnp_axes_add(kept, gnp_shape(s->in)[axis], stride);
        }
    }
    gnp_axes_sort(kept);
    gnp_axes_merge(kept);
    p->kept_class = gnp_axes_class(kept->naxes);
    p->nout = gnp_axes_size(kept);
    p->total = p->nout * (s->starts != NULL ? s->starts->size : 1);
    if (s->starts != NULL && gnp_is_associative(s->row) && p->step[0] == gnp_itemsize(s->in)) {
        p->lanes = gnp_power_of_two(p->n / s->starts->size, 32);
    }
    p->wide = p->total > limit / p->lanes;
    for (int k = 0; k < 3; k++) {
        p->wide = p->wide || gnp_axes_reach(kept, k) > limit;
    }
}

/* The type of the second operand; ldexp's is an integer. As NumPy's loops of ldexp: int where it is
 * safe, else long. */
static GnpDtype
second_type(const Sequential *s)
{
    return s->row->rule != RULE_LDEXP                                     ? s->loop
           : gnp_can_cast((GnpDtype)s->in->dtype, GNP_I32, GNP_CAST_SAFE) ? GNP_I32
                                                                          : GNP_I64;
}

static int
write_combine(GnpKernelText *text, const void *context)
{
    const Sequential *s = context;
    text->header = gnp_op_header(&s->row->op, gnp_dtypes[s->loop].cls == 'c');
    gnp_text_add(&text->code,
                 "typedef Compute<T> A;\ntypedef Compute<V> B;\n"
                 "GNP_FN A combine(A a, B b) { return A(%s); }\n",
                 s->row->op.expression);
    gnp_text_add(&text->name, "%s_sequential__%s_%s", s->row->op.name,
                 gnp_dtypes[s->in->dtype].name, gnp_dtypes[s->out->dtype].name);
    return 0;
}

static GnpKernel *
find_kernel(const Plan *p, const Sequential *s, GnpDevice *device)
{
    GnpSpec_sequential spec = {GNP_SPEC(sequential),
                               .head.code = (uint64_t)(uintptr_t)s->row,
                               .head.wide = p->wide,
                               .S = s->in->dtype,
                               .T = s->loop,
                               .V = second_type(s),
                               .R = s->out->dtype,
                               .KEPT = p->kept_class,
                               .LANES = p->lanes,
                               .ACCUMULATE = s->accumulate,
                               .SEGMENTS = s->starts != NULL,
                               .MASKED = s->where != NULL,
                               .INITIAL = s->has_initial,
                               .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, write_combine, s);
}

static int
launch(const Sequential *s)
{
    Plan plan;
    GnpAxes kept;
    GnpParams params;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    plan_make(&plan, s, &kept);
    int64_t nblocks = gnp_ceil_div(plan.total, BLOCK / plan.lanes);
    GnpKernel *kernel = find_kernel(&plan, s, device);
    if (kernel == NULL) {
        return -1;
    }
    gnp_block_record(s->in->block, stream);
    gnp_block_record(s->out->block, stream);
    CUdeviceptr mask = 0, starts = 0;
    if (s->where != NULL) {
        gnp_block_record(s->where->block, stream);
        mask = s->where->data;
    }
    if (s->starts != NULL) {
        gnp_block_record(s->starts->block, stream);
        starts = s->starts->data;
    }
    int64_t nstarts = s->starts != NULL ? s->starts->size : 0;
    gnp_params_init(&params, plan.wide);
    gnp_params_add(&params, &s->in->data, sizeof s->in->data);
    gnp_params_add(&params, &mask, sizeof mask);
    gnp_params_add(&params, &s->out->data, sizeof s->out->data);
    gnp_params_layout(&params, &kept, plan.kept_class);
    gnp_params_index(&params, plan.nout);
    gnp_params_index(&params, plan.total);
    gnp_params_add(&params, &plan.n, sizeof plan.n);
    for (int k = 0; k < 3; k++) {
        gnp_params_add(&params, &plan.step[k], sizeof plan.step[k]);
    }
    gnp_params_add(&params, &starts, sizeof starts);
    gnp_params_add(&params, &nstarts, sizeof nstarts);
    gnp_params_add(&params, s->initial.bits, sizeof s->initial.bits);
    return gnp_launch_blocks(kernel, nblocks, BLOCK, stream, params.arg);
}

/* ---- accumulate and reduce ------------------------------------------------------------------- */

/* Reading ahead of writing is not guaranteed across outputs, hence the copy where they overlap. */
int
gnp_sequential_accumulate(const GnpScanTask *t)
{
    Sequential s = {
        .row = t->row, .loop = t->loop, .out = t->out, .axis = t->axis, .accumulate = 1};
    if (t->out->size == 0) {
        return 0;
    }
    GnpArray *in = gnp_overlaps_harmfully(t->out, t->in) /* owned */
                       ? gnp_astype(t->in, (GnpDtype)t->in->dtype, 'K')
                       : (GnpArray *)Py_NewRef((PyObject *)t->in);
    if (in == NULL) {
        return -1;
    }
    s.in = in;
    memcpy(s.out_strides, gnp_strides(t->out), (size_t)in->ndim * sizeof(int64_t));
    int status = launch(&s);
    Py_DECREF((PyObject *)in);
    return status;
}

int
gnp_sequential_reduce(const GnpReduceTask *t)
{
    Sequential s = {.row = t->sequential,
                    .loop = t->loop,
                    .in = t->in,
                    .where = t->where,
                    .out = t->out,
                    .axis = -1,
                    .has_initial = t->has_initial,
                    .initial = t->initial};
    int position = 0;
    for (int axis = 0; axis < t->in->ndim; axis++) {
        if (t->reduced[axis]) {
            s.axis = axis;
        }
        else {
            s.out_strides[axis] = gnp_strides(t->out)[position++];
        }
    }
    return launch(&s);
}

/* ---- reduceat -------------------------------------------------------------------------------- */

/* The indices as a contiguous array of int64, checked where that does not wait for the device.
 * Indices on the device wrap around instead, unless the mode is to raise. */
static GnpArray *
piece_starts(GnpUfunc *u, PyObject *object, int64_t n, int axis)
{
    GnpArray *given = NULL, *ret = NULL; /* owned */
    if (gnp_array_check(object)) {
        given = (GnpArray *)Py_NewRef(object);
    }
    else {
        GNP_NEW(given, gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'C'));
    }
    char cls = gnp_dtypes[given->dtype].cls;
    if (given->size > 0 && cls != 'i' && cls != 'u' && cls != '?') {
        PyErr_Format(PyExc_TypeError,
                     "Cannot cast array data from dtype('%s') to dtype('int64') according to the "
                     "rule 'safe'",
                     gnp_dtypes[given->dtype].name);
        goto fail;
    }
    if (given->ndim != 1) {
        PyErr_Format(PyExc_ValueError, "%s.reduceat takes indices of one dimension, not %d",
                     u->row->op.name, given->ndim);
        goto fail;
    }
    if (n == 0 && given->size > 0) {
        PyErr_Format(PyExc_IndexError, "index out-of-bounds in %s.reduceat [0, 0)",
                     u->row->op.name);
        goto fail;
    }
    GNP_TRY(gnp_index_check(given, n, axis));
    ret = gnp_astype(given, GNP_I64, 'C');
fail:
    Py_XDECREF((PyObject *)given);
    return ret;
}

/* Host indices out of bounds raise as NumPy's do; those of a device array wrap, like all indices.
 * Items that are no integers are left to the conversion, which has the better message. */
static int
check_host_indices(GnpUfunc *u, PyObject *object, int64_t n)
{
    if (gnp_array_check(object) || !PySequence_Check(object)) {
        return 0;
    }
    Py_ssize_t count = PySequence_Size(object);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(object, i); /* owned */
        int is_index = item != NULL && PyIndex_Check(item);
        Py_ssize_t value = is_index ? PyNumber_AsSsize_t(item, PyExc_IndexError) : 0;
        int failed = item == NULL || (value == -1 && PyErr_Occurred());
        Py_XDECREF(item);
        if (failed) {
            return -1;
        }
        if (is_index && (value < 0 || value >= n)) {
            PyErr_Format(PyExc_IndexError, "index %zd out-of-bounds in %s.reduceat [0, %lld)",
                         value, u->row->op.name, (long long)n);
            return -1;
        }
    }
    return count < 0 ? -1 : 0;
}

/* As many elements along the axis as there are indices. */
static GnpArray *
reduceat_target(GnpArray *in, int axis, int64_t count, GnpDtype loop, GnpArray *out)
{
    int64_t shape[GNP_MAX_DIMS];
    memcpy(shape, gnp_shape(in), (size_t)in->ndim * sizeof *shape);
    shape[axis] = count;
    if (out != NULL && (out->ndim != in->ndim ||
                        memcmp(gnp_shape(out), shape, (size_t)in->ndim * sizeof *shape) != 0)) {
        PyErr_SetString(PyExc_ValueError, "provided out is the wrong size for the reduction.");
        return NULL;
    }
    if (out != NULL && (out->flags & GNP_ALIGNED) && out->device_id == in->device_id &&
        !gnp_may_overlap(out, in)) {
        return (GnpArray *)Py_NewRef((PyObject *)out);
    }
    int axes[GNP_MAX_DIMS];
    int64_t strides[GNP_MAX_DIMS]; /* the axis does not influence the order: NumPy iterates over the
                                      indices along it */
    const int64_t *operand = strides;
    memcpy(strides, gnp_strides(in), (size_t)in->ndim * sizeof *strides);
    strides[axis] = 0;
    gnp_iteration_order(in->ndim, shape, 1, &operand, axes);
    return gnp_array_new_ordered(in->ndim, shape, loop, axes);
}

/* Piece i runs from index i to the next one, or is the single element where that is not larger. */
PyObject *
gnp_ufunc_reduceat(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature =
        GNP_SIGNATURE("reduceat(array, indices, axis=0, dtype=None, out=None)");
    GnpUfunc *u = (GnpUfunc *)self;
    GnpArray *in = NULL, *starts = NULL, *target = NULL; /* owned */
    GnpArray *out;
    PyObject *bound[5], *ret = NULL;
    Sequential s = {.row = u->row};

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    GNP_TRY(gnp_ufunc_check_chain(u, "reduceat"));
    if (!gnp_array_check(bound[0])) {
        gnp_ufunc_bad_operand(u, bound[0]);
        goto fail;
    }
    GNP_NEW(in, gnp_readable((GnpArray *)bound[0], u->row->op.name));
    if (in->ndim == 0) {
        PyErr_SetString(PyExc_TypeError, "cannot reduceat on a scalar");
        goto fail;
    }
    GNP_TRY(gnp_chain_axis(bound[2], in->ndim, "reduceat", &s.axis));
    GNP_TRY(gnp_chain_out(bound[4], &out));
    int64_t n = gnp_shape(in)[s.axis];
    GNP_TRY(check_host_indices(u, bound[1], n));
    GNP_NEW(starts, piece_starts(u, bound[1], n, s.axis));
    GNP_TRY(gnp_chain_dtype(u, (GnpDtype)in->dtype, bound[3], out, &s.loop));
    GNP_TRY(gnp_chain_uniform(u, "reduceat"));
    GNP_NEW(target, reduceat_target(in, s.axis, starts->size, s.loop, out));
    s.in = in;
    s.out = target;
    s.starts = starts;
    memcpy(s.out_strides, gnp_strides(target), (size_t)in->ndim * sizeof(int64_t));
    if (target->size > 0) {
        GNP_TRY(launch(&s));
    }
    if (out != NULL && target != out) {
        GNP_TRY(gnp_copy(out, target));
    }
    ret = Py_NewRef(out != NULL ? (PyObject *)out : (PyObject *)target);
fail:
    Py_XDECREF((PyObject *)in);
    Py_XDECREF((PyObject *)starts);
    Py_XDECREF((PyObject *)target);
    return ret;
}
