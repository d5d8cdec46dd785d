/* ufunc.at: elements updated in place, where indices may repeat.
 *
 * Every update is atomic: a hardware atomic where there is one for the dtype, else compare-and-swap
 * (kernels/select/atomic.cuh). The order of updates of one element is undefined, so sums of floats
 * may differ in their last bits from run to run; integers and extremes do not.
 */
#include "select/gather.h"

#include <string.h>

enum {
    BLOCK = 256,
    FEW_BLOCK = 512,
    FEW_BYTES = 32768,
    NLOCKS = 1024
}; /* locks: as kernels/select/atomic.cuh */

typedef enum UpdateHow How;

typedef struct {
    const GnpUfuncRow *row;
    GnpLoop loop;
    GnpArray *value; /* owned; NULL: the scalar, or none */
    GnpScalar scalar;
    int is_scalar;
} Update;

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct {
    How how;
    int negated, scalar, unary, naxes, nindices, wide;
    int few; /* copies of the array in shared memory; 0: none */
    GnpDtype stored, index;
} Plan;

/* The hardware's operation for elements of the loop's own dtype. Hardware atomics exist for 32- and
 * 64-bit words, and for sums of floats; anything else is a loop of compare-and-swap. */
static How
find_how(const GnpUfuncRow *row, GnpDtype t)
{
    char cls = gnp_dtypes[t].cls;
    int is_word = (cls == 'i' || cls == 'u') && gnp_dtypes[t].bytes >= 4;
    int is_native = cls == 'c' || (cls == 'f' && gnp_dtypes[t].compute == t);
    switch ((GnpUfuncId)(row - gnp_ufunc_rows)) {
    case GNP_UFUNC_add:
    case GNP_UFUNC_subtract:
        return is_word || is_native ? UPDATE_ADD : UPDATE_SWAP;
    case GNP_UFUNC_minimum:
    case GNP_UFUNC_fmin:
        return is_word ? UPDATE_LEAST : UPDATE_SWAP;
    case GNP_UFUNC_maximum:
    case GNP_UFUNC_fmax:
        return is_word ? UPDATE_MOST : UPDATE_SWAP;
    case GNP_UFUNC_bitwise_and:
        return is_word ? UPDATE_AND : UPDATE_SWAP;
    case GNP_UFUNC_bitwise_or:
        return is_word ? UPDATE_OR : UPDATE_SWAP;
    case GNP_UFUNC_bitwise_xor:
        return is_word ? UPDATE_XOR : UPDATE_SWAP;
    default:
        return UPDATE_SWAP;
    }
}

/* The last input's: a unary operation has only the first. */
static GnpDtype
second_type(const Update *u)
{
    return (GnpDtype)u->loop.dtype[u->row->op.nin - 1];
}

/* What the kernel's text depends on, besides the parameters in the spec. */
typedef struct {
    const Update *update;
    GnpDtype stored;
} Written;

/* The ufunc's expression on the loop's types, as in ordinary calls. */
static int
write_combine(GnpKernelText *text, const void *context)
{
    const Written *w = context;
    text->header =
        gnp_op_header(&w->update->row->op, gnp_dtypes[w->update->loop.dtype[0]].cls == 'c');
    gnp_text_add(&text->code,
                 "typedef L T;\nGNP_FN Compute<R> combine(Compute<L> a, Compute<V> b) { return "
                 "(Compute<R>)(%s); }\n",
                 w->update->row->op.expression);
    gnp_text_add(&text->name, "%s_at__%s", w->update->row->op.name, gnp_dtypes[w->stored].name);
    return 0;
}

/* CELLS is the size of the copy in shared memory. */
static GnpKernel *
find_kernel(const Plan *p, const Update *u, GnpDevice *device)
{
    const Written written = {u, p->stored};
    GnpSpec_update spec = {GNP_SPEC(update),
                           .head.code = (uint64_t)(uintptr_t)u->row,
                           .head.wide = p->wide,
                           .I = p->index,
                           .S = p->stored,
                           .L = u->loop.dtype[0],
                           .V = second_type(u),
                           .R = u->loop.dtype[u->row->op.nin],
                           .ND = p->naxes,
                           .NINDICES = p->nindices,
                           .SCALAR = p->scalar,
                           .UNARY = p->unary,
                           .HOW = p->how,
                           .NEGATED = p->negated,
                           .CELLS = FEW_BYTES / gnp_dtypes[p->stored].bytes,
                           .BLOCK = p->few ? FEW_BLOCK : BLOCK};
    if (p->few) {
        spec.head.kernel = GNP_KERNEL_update_few;
    }
    return gnp_kernel_find(device, &spec.head, write_combine, &written);
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The number of copies of the updated array that fit into a block's shared memory, where one index
 * array selects from a 1-d array with enough updates per element to pay off; else 0. Few elements
 * with many updates each, a histogram for instance: contention moves to shared memory. */
static int
find_copies(const GnpGather *g, const Plan *p, int64_t n)
{
    int64_t bytes = g->view->size * gnp_itemsize(g->view);
    int copies = 1;
    if (p->how == UPDATE_SWAP || g->nindices != 1 || g->view->ndim != 1 ||
        g->size[0] != g->view->size || bytes > FEW_BYTES || n < 1 << 14 || n < 16 * g->view->size) {
        return 0;
    }
    while (copies < 32 && bytes * copies * 2 <= FEW_BYTES) {
        copies *= 2;
    }
    return copies;
}

/* Everything that chooses a kernel, from the shapes and types. Atomics of the hardware need
 * elements that are stored as the loop computes them; else each update converts, in a loop. */
static Plan
make_plan(const GnpGather *g, const Update *u, const GnpAxes *axes)
{
    const int64_t limit = ((int64_t)1 << 31) - 65536;
    GnpDtype stored = (GnpDtype)g->view->dtype;
    int same = 1;
    Plan p = {.scalar = u->is_scalar,
              .unary = u->row->op.nin == 1,
              .naxes = gnp_axes_class(axes->naxes),
              .nindices = g->nindices,
              .wide = gnp_axes_size(axes) > limit,
              .stored = stored,
              .index = (GnpDtype)g->index[0]->dtype};
    for (int k = 0; k < axes->noperands; k++) {
        p.wide = p.wide || gnp_axes_reach(axes, k) > limit;
    }
    for (int i = 0; i <= u->row->op.nin; i++) {
        same = same && u->loop.dtype[i] == (int)stored;
    }
    p.how = same && !p.unary ? find_how(u->row, stored) : UPDATE_SWAP;
    /* Subtraction adds the negative: there is no atomic subtraction of floats. */
    p.negated = u->row == &gnp_ufunc_rows[GNP_UFUNC_subtract];
    p.few = find_copies(g, &p, gnp_axes_size(axes));
    return p;
}

/* The scalar is passed by value, the array by address; the kernel reads the one its spec names. */
static int
launch(GnpGather *g, const Update *u, const int64_t *value_strides)
{
    GnpGatherAxis places[GNP_GATHER_INDICES];
    GnpBlock *locks = NULL; /* owned */
    GnpAxes axes;
    GnpParams params;
    GnpKernel *kernel;
    int ret = -1;
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    gnp_gather_axes(g, value_strides, &axes);
    Plan plan = make_plan(g, u, &axes);
    int64_t n = gnp_axes_size(&axes);
    GNP_NEW(kernel, find_kernel(&plan, u, device));
    /* 16-byte elements have no compare-and-swap: a table of locks, hashed by address, serialises
     * them. */
    if (plan.how == UPDATE_SWAP && gnp_itemsize(g->view) > 8) {
        GNP_NEW(locks, gnp_block_new(device, NLOCKS * 4, stream));
        CU_TRY_QUEUE(cuMemsetD32Async(locks->ptr, 0, NLOCKS, stream));
    }
    gnp_block_record(g->view->block, stream);
    if (u->value != NULL) {
        gnp_block_record(u->value->block, stream);
    }
    for (int k = 0; k < g->nindices; k++) {
        gnp_block_record(g->index[k]->block, stream);
        places[k] = (GnpGatherAxis){g->index[k]->data, g->size[k], g->stride[k]};
    }
    CUdeviceptr values = u->value != NULL ? u->value->data : 0;
    CUdeviceptr locked = locks != NULL ? locks->ptr : 0;
    gnp_params_init(&params, plan.wide);
    gnp_params_add(&params, &g->view->data, sizeof g->view->data);
    gnp_params_add(&params, &values, sizeof values);
    gnp_params_add(&params, u->scalar.bits, sizeof u->scalar.bits);
    gnp_params_add(&params, places, (size_t)g->nindices * sizeof *places);
    gnp_params_layout(&params, &axes, plan.naxes);
    gnp_params_index(&params, n);
    if (plan.few) {
        gnp_params_add(&params, &plan.few, sizeof plan.few);
    }
    else {
        gnp_params_add(&params, &locked, sizeof locked);
    }
    const int threads = plan.few ? FEW_BLOCK : BLOCK;
    int64_t blocks = gnp_ceil_div(n, threads), most = (int64_t)device->sm_count * 4;
    /* Each block of `few` merges its copies into memory once, so there should not be many. */
    blocks = plan.few && blocks > most ? most : blocks;
    GNP_TRY(gnp_launch_blocks(kernel, blocks, threads, stream, params.arg));
    ret = 0;
fail:
    gnp_block_release(locks);
    return ret;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* The value as an array or a scalar, and the loop for it and elements of `a`; its result is stored
 * by any cast, as NumPy's is. As an operand of the ufunc: numbers are weak, arrays and NumPy
 * scalars are not. */
static int
take_value(GnpUfunc *u, const GnpArray *a, PyObject *object, Update *update)
{
    GnpInputType types[GNP_MAX_IN] = {{(GnpDtype)a->dtype, GNP_WEAK_NONE},
                                      {GNP_NO_DTYPE, GNP_WEAK_NONE},
                                      {GNP_NO_DTYPE, GNP_WEAK_NONE}};
    int nin = u->row->op.nin, found;
    /* A list becomes an array; anything else that is no number, array or scalar is refused, as
     * in calls. */
    if (nin == 2) {
        if (gnp_array_check(object)) {
            update->value = (GnpArray *)Py_NewRef(object);
        }
        else if ((found = gnp_numpy_scalar_dtype(object, &types[1].dtype)) != 0) {
            if (found < 0) {
                return -1;
            }
            update->is_scalar = 1;
        }
        else if ((types[1].weak = gnp_weak_kind(object)) != GNP_WEAK_NONE) {
            update->is_scalar = 1;
        }
        else if (PyList_Check(object) || PyTuple_Check(object)) {
            update->value = gnp_array_from_object(object, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'C');
            if (update->value == NULL) {
                return -1;
            }
        }
        else {
            return gnp_ufunc_bad_operand(u, object);
        }
        types[1].dtype = update->value != NULL ? (GnpDtype)update->value->dtype : types[1].dtype;
    }
    if (!gnp_loop_find(u->row, types, &update->loop)) {
        return gnp_ufunc_no_loop(u, types);
    }
    return update->is_scalar ? gnp_scalar_from_object(object, second_type(update), &update->scalar)
                             : 0;
}

/* Without index arrays no element occurs twice: view = op(view, b), stored by any cast. A slice
 * selects each element once, so no atomics are needed. */
static int
update_view(GnpUfunc *u, GnpArray *view, PyObject *b)
{
    PyObject *result = NULL, *list = NULL, *kwargs = NULL, *args = NULL; /* owned */
    int ret = -1;
    if (b != NULL && (PyList_Check(b) || PyTuple_Check(b))) {
        GNP_NEW(list, (PyObject *)gnp_array_from_object(b, GNP_NO_DTYPE, GNP_COPY_IF_NEEDED, 'C'));
        b = list;
    }
    GNP_NEW(args, b != NULL ? PyTuple_Pack(2, view, b) : PyTuple_Pack(1, view));
    /* By a call, so that loops, broadcasting and overlaps are those of ufuncs. */
    GNP_NEW(kwargs, Py_BuildValue("{s:O,s:s}", "out", view, "casting", "unsafe"));
    GNP_NEW(result, PyObject_Call((PyObject *)u, args, kwargs));
    ret = 0;
fail:
    Py_XDECREF(list);
    Py_XDECREF(args);
    Py_XDECREF(kwargs);
    Py_XDECREF(result);
    return ret;
}

/* The view is aligned. The value broadcasts to the selection, not the other way round. */
static int
update_places(const GnpIndex *index, Update *update)
{
    int64_t strides[GNP_MAX_DIMS] = {0}, size = 1;
    GnpGather g = {0};
    GnpArray *value = NULL; /* owned */
    int ret = -1;
    GNP_TRY(gnp_gather_begin(&g, index));
    for (int i = 0; i < g.ndim; i++) {
        size *= g.shape[i];
    }
    if (update->value != NULL) {
        GNP_NEW(value, gnp_gather_value(&g, update->value, second_type(update), strides));
        Py_SETREF(update->value, value);
        value = NULL;
    }
    if (size > 0) {
        GNP_TRY(gnp_gather_unify(&g, GNP_GATHER_WRITES));
        GNP_TRY(launch(&g, update, strides));
    }
    ret = 0;
fail:
    gnp_gather_clear(&g);
    return ret;
}

/* With NumPy's messages. */
static int
check_arguments(GnpUfunc *u, PyObject *const *bound)
{
    const GnpElementOp *op = &u->row->op;
    const char *wrong = op->nin > 2    ? "Only unary and binary ufuncs supported at this time"
                        : op->nout > 1 ? "Only single output ufuncs supported at this time"
                        : op->nin == 1 && bound[2] != NULL
                            ? "second operand provided when ufunc is unary"
                        : op->nin == 2 && bound[2] == NULL ? "second operand needed for ufunc"
                                                           : NULL;
    if (wrong != NULL) {
        PyErr_SetString(PyExc_ValueError, wrong);
        return -1;
    }
    if (!gnp_array_check(bound[0])) {
        PyErr_Format(PyExc_TypeError, "first operand must be a gpunp array, not %s",
                     Py_TYPE(bound[0])->tp_name);
        return -1;
    }
    return gnp_check_writeable((GnpArray *)bound[0]);
}

/* An unaligned view is updated in an aligned copy. */
PyObject *
gnp_ufunc_at(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("at(a, indices, b=None, /)");
    GnpUfunc *u = (GnpUfunc *)self;
    Update update = {.row = u->row};
    GnpIndex index = {0};
    GnpArray *apart = NULL; /* owned */
    PyObject *bound[3], *ret = NULL;

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, bound));
    GNP_TRY(check_arguments(u, bound));
    GNP_TRY(gnp_index_parse((GnpArray *)bound[0], bound[1], &index));
    if (index.nindices == 0) {
        GNP_TRY(update_view(u, index.view, bound[2]));
        ret = Py_NewRef(Py_None);
        goto fail;
    }
    GNP_TRY(take_value(u, index.view, bound[2], &update));
    GNP_NEW(apart, gnp_readable(index.view, u->row->op.name));
    GnpIndex readable = index; /* borrows all of it */
    readable.view = apart;
    GNP_TRY(update_places(&readable, &update));
    if (apart != index.view) {
        GNP_TRY(gnp_copy(index.view, apart));
    }
    ret = Py_NewRef(Py_None);
fail:
    Py_XDECREF((PyObject *)apart);
    Py_XDECREF((PyObject *)update.value);
    gnp_index_clear(&index);
    return ret;
}
