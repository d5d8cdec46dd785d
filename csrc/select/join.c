/* Joining C-contiguous arrays of one dtype: the usual case of concatenate and stack.
 *
 * One launch of kernels/select/join.cu does up to MOST_PIECES of them: it writes the result in
 * order, so short rows cost no more than long ones, and one launch replaces many copies. Other
 * cases are left to the caller.
 */
#include "select/select.h"

#include <string.h>

enum { BLOCK = 256, MOST_PIECES = 128, SMALL = 4096 }; /* SMALL: items per multiprocessor */

/* Every array is `outer` rows; side by side they make the result's. */
typedef struct {
    PyObject *const *array; /* borrowed */
    Py_ssize_t narrays;
    GnpDtype dtype;
    int axis, ndim;                     /* of the result */
    int64_t shape[GNP_MAX_DIMS], outer; /* of the result */
} Join;

/* One launch: arrays that are not empty, in items of so many bytes. */
typedef struct {
    CUdeviceptr at[MOST_PIECES], out;
    int64_t row[MOST_PIECES]; /* items in a row of each */
    int64_t pitch, outer;     /* items from a row of the result to the next; rows */
    int npieces, item;
} Batch;

/* The knobs of the kernel. */
typedef struct {
    int item, pieces, rows, width, unroll, wide;
} Plan;

/* PIECES is 4, 16 or 128: the number of starts a thread searches in. */
static GnpKernel *
join_kernel(GnpDevice *device, const Plan *p)
{
    GnpSpec_join spec = {GNP_SPEC(join),      .head.wide = p->wide, .Item = p->item,
                         .PIECES = p->pieces, .ROWS = p->rows,      .WIDTH = p->width,
                         .UNROLL = p->unroll, .BLOCK = BLOCK};
    return gnp_kernel_find(device, &spec.head, NULL, NULL);
}

/* Consecutive items of a thread, stored at once: 16 bytes, or 8 of small items, each of which is a
 * read of its own. One where the result's rows are not adjacent or it is not aligned to the access.
 */
static int
find_width(const Batch *b, int64_t row)
{
    int width = b->item >= 4 ? 16 / b->item : 8 / b->item;
    if ((b->outer > 1 && b->pitch != row) || b->out % (CUdeviceptr)(width * b->item) != 0) {
        return 1;
    }
    return width;
}

/* Unused pieces have their start at the end, where no element is. */
static int
launch(const Batch *b, GnpDevice *device, CUstream stream)
{
    GnpParams params;
    GnpKernel *kernel;
    int64_t row = 0;
    for (int k = 0; k < b->npieces; k++) {
        row += b->row[k];
    }
    int64_t n = row * b->outer;
    Plan plan = {.item = b->item,
                 .pieces = b->npieces <= 4    ? 4
                           : b->npieces <= 16 ? 16
                                              : MOST_PIECES,
                 .rows = b->outer > 1,
                 .width = find_width(b, row),
                 .unroll =
                     n<(int64_t)device->sm_count * SMALL ? 1 : 4, .wide = b->pitch * b->outer>(
                         (int64_t)1 << 31) -
                     65536};
    kernel = join_kernel(device, &plan);
    if (kernel == NULL) {
        return -1;
    }
    gnp_params_init(&params, plan.wide);
    gnp_params_add(&params, &b->out, sizeof b->out);
    gnp_params_add(&params, b->at, (size_t)plan.pieces * sizeof *b->at);
    /* One start more than pieces: the end of the row. */
    for (int64_t k = 0, start = 0; k <= plan.pieces; k++) {
        gnp_params_more_index(&params, start);
        start += k < b->npieces ? b->row[k] : 0;
    }
    gnp_params_divisor(&params, row);
    gnp_params_index(&params, b->pitch);
    gnp_params_index(&params, n);
    return gnp_launch_blocks(kernel, gnp_ceil_div(n, (int64_t)BLOCK * plan.width * plan.unroll),
                             BLOCK, stream, params.arg);
}

/* Bytes moved at once: the largest power of two that divides every offset and every row. Bytes have
 * no type here: 16 at once where every boundary allows it. */
static int
find_item(const Join *j, const GnpArray *out)
{
    uint64_t places = out->data;
    int item = 16;
    for (Py_ssize_t k = 0; k < j->narrays; k++) {
        const GnpArray *a = (const GnpArray *)j->array[k];
        if (a->size > 0) {
            places |= a->data | (uint64_t)(a->size / j->outer * gnp_itemsize(a));
        }
    }
    while (places % (uint64_t)item != 0) {
        item /= 2;
    }
    return item;
}

/* With more than 128 arrays several launches each write their part of every row. */
static int
join_all(const Join *j, GnpArray *out)
{
    GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    int item = find_item(j, out);
    Batch b = {.out = out->data,
               .outer = j->outer,
               .item = item,
               .pitch = out->size / j->outer * gnp_itemsize(out) / item};
    gnp_block_record(out->block, stream);
    for (Py_ssize_t k = 0; k < j->narrays; k++) {
        GnpArray *a = (GnpArray *)j->array[k];
        if (a->size > 0) {
            gnp_block_record(a->block, stream);
            b.at[b.npieces] = a->data;
            b.row[b.npieces++] = a->size / j->outer * gnp_itemsize(a) / item;
        }
        if (b.npieces == MOST_PIECES || (k == j->narrays - 1 && b.npieces > 0)) {
            if (launch(&b, device, stream) < 0) {
                return -1;
            }
            for (int i = 0; i < b.npieces; i++) {
                b.out += (CUdeviceptr)(b.row[i] * item);
            }
            b.npieces = 0;
        }
    }
    return 0;
}

/* 1: the usual case, *j is filled; 0: not. Sets no exception. Everything else goes to Python, which
 * casts, copies and reports errors. */
static int
recognise(Join *j, int64_t axis, int new_axis)
{
    if (j->narrays == 0 || !gnp_array_check(j->array[0])) {
        return 0;
    }
    const GnpArray *first = (const GnpArray *)j->array[0];
    int ndim = first->ndim + new_axis;
    axis += axis < 0 ? ndim : 0;
    if (axis < 0 || axis >= ndim || ndim > GNP_MAX_DIMS) {
        return 0;
    }
    j->dtype = gnp_promote((GnpDtype)first->dtype, (GnpDtype)first->dtype);
    if ((int)j->dtype != first->dtype) { /* a structure with gaps, which the result has not */
        PyErr_Clear();
        return 0;
    }
    j->axis = (int)axis;
    j->ndim = ndim;
    memcpy(j->shape, gnp_shape(first), (size_t)axis * sizeof *j->shape);
    memcpy(j->shape + axis + new_axis, gnp_shape(first) + axis,
           (size_t)(first->ndim - axis) * sizeof *j->shape);
    /* The sum of the lengths, or the number of arrays along a new axis. */
    j->shape[axis] = 0;
    for (Py_ssize_t k = 0; k < j->narrays; k++) {
        const GnpArray *a = (const GnpArray *)j->array[k];
        if (!gnp_array_check(j->array[k]) || a->dtype != first->dtype || a->ndim != first->ndim ||
            a->device_id != first->device_id || !(a->flags & GNP_C_CONTIGUOUS) ||
            !(a->flags & GNP_ALIGNED)) {
            return 0;
        }
        for (int i = 0; i < a->ndim; i++) {
            if ((new_axis || i != axis) && gnp_shape(a)[i] != gnp_shape(first)[i]) {
                return 0;
            }
        }
        j->shape[axis] += new_axis ? 1 : gnp_shape(a)[axis];
    }
    j->outer = 1;
    for (int i = 0; i < axis; i++) {
        j->outer *= j->shape[i];
    }
    return 1;
}

PyDoc_STRVAR(
    join_doc,
    "join(arrays, axis, new_axis)\n--\n\n"
    "Return `arrays`, a list or tuple, joined along an axis (or a new one); None where they\n"
    "differ in dtype or shape, are not C-contiguous, or the axis is not there.");

/* The arrays are read from a tuple: a finaliser, or another thread while a kernel is compiled,
 * could change a list. */
static PyObject *
join(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("join(arrays, axis, new_axis)");
    PyObject *given[3];
    PyObject *arrays = NULL; /* owned */
    GnpArray *out = NULL;    /* owned */
    PyObject *ret = NULL;    /* returned */

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    if (!(PyTuple_Check(given[0]) || PyList_Check(given[0])) || !PyLong_CheckExact(given[1])) {
        Py_RETURN_NONE;
    }
    GNP_NEW(arrays, PySequence_Tuple(given[0]));
    Join j = {.array = PySequence_Fast_ITEMS(arrays), .narrays = PyTuple_GET_SIZE(arrays)};
    int64_t axis = PyLong_AsLongLong(given[1]);
    if (axis == -1 && PyErr_Occurred()) {
        goto fail;
    }
    GnpDevice *device;
    GNP_NEW(device, gnp_device_current());
    if (!recognise(&j, axis, given[2] == Py_True) ||
        ((GnpArray *)j.array[0])->device_id != device->id) {
        ret = Py_NewRef(Py_None);
        goto fail;
    }
    GNP_NEW(out, gnp_array_new(j.ndim, j.shape, j.dtype, 'C'));
    if (out->size > 0) {
        GNP_TRY(join_all(&j, out));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
    Py_XDECREF(arrays);
    Py_XDECREF((PyObject *)out);
    return ret;
}

static PyMethodDef functions[] = {
    {"join", GNP_FAST(join), METH_FASTCALL | METH_KEYWORDS, join_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_join_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
