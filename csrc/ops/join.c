/* Joining arrays of one dtype that lie in C order: concatenate's and stack's usual case.
 *
 * Small ones go in one launch of kernels/join.cu, because a launch costs more than their bytes;
 * large ones are copied one by one, at the speed of memory. Whatever is not usual is left to the
 * caller.
 */
#include "ops/ops.h"
#include "ops/space.h"

#include <string.h>

enum { BLOCK = 256, PIECES = 16, SMALL = 1 << 20 };

/* As kernels/join.cu has it. */
typedef struct {
    CUdeviceptr at;
    uint32_t row, start;
} Piece;

/* Every array is `outer` rows; side by side they make the result's. */
typedef struct {
    PyObject *const *array; /* borrowed */
    Py_ssize_t narrays;
    GnpDtype dtype;
    int axis, ndim;                     /* of the result */
    int64_t shape[GNP_MAX_DIMS], outer; /* of the result */
} Join;

static GnpKernel *
join_kernel(GnpDevice *device, int itemsize)
{
    GnpKernelKey key = {
        {GNP_KEY_JOIN | (uint64_t)(unsigned)device->id << 32, (uint64_t)itemsize, 0}};
    GnpKernel *kernel = gnp_kernels_find(&key);
    if (kernel != NULL) {
        return kernel;
    }
    GnpText knobs = {0}; /* owned */
    gnp_text_add(&knobs, "#include \"gnp.cuh\"\ntypedef %s Item;\n", gnp_item_type(itemsize));
    gnp_text_add(&knobs, "enum { PIECES = %d, BLOCK = %d };\n", PIECES, BLOCK);
    return gnp_kernels_make(device, &key, "join", NULL, &knobs);
}

static int
join_small(const Join *j, GnpArray *out)
{
    Piece pieces[PIECES] = {{0, 0, 0}};
    uint32_t start = 0, longest = 0, outer = (uint32_t)j->outer;
    GnpDevice *device = gnp_device_current();
    GnpKernel *kernel = device == NULL ? NULL : join_kernel(device, (int)gnp_itemsize(out));
    if (kernel == NULL) {
        return -1;
    }
    CUstream stream = gnp_stream_current(device);
    for (Py_ssize_t k = 0; k < j->narrays; k++) {
        GnpArray *a = (GnpArray *)j->array[k];
        gnp_block_record(a->block, stream);
        pieces[k] = (Piece){a->data, (uint32_t)(a->size / j->outer), start};
        start += pieces[k].row;
        longest = pieces[k].row > longest ? pieces[k].row : longest;
    }
    gnp_block_record(out->block, stream);
    void *args[] = {pieces, &out->data, &outer, &start};
    const unsigned grid[3] = {(unsigned)gnp_ceil_div((int64_t)longest * outer, BLOCK),
                              (unsigned)j->narrays, 1},
                   block[3] = {BLOCK, 1, 1};
    return gnp_launch(kernel, grid, block, 0, stream, args);
}

static int
join_large(const Join *j, GnpArray *out)
{
    int64_t inner = 1, rows[3] = {j->outer, 0, 0}, strides[2];
    CUdeviceptr at = out->data;
    int ret = -1;
    GnpArray *from = NULL, *to = NULL; /* owned */
    inner = out->size / j->outer * gnp_itemsize(out);
    for (Py_ssize_t k = 0; k < j->narrays; k++) {
        GnpArray *a = (GnpArray *)j->array[k];
        rows[1] = a->size / j->outer;
        strides[0] = rows[1] * gnp_itemsize(a);
        strides[1] = gnp_itemsize(a);
        GNP_NEW(from, gnp_array_view(a, a->data, 2, rows, strides, j->dtype));
        strides[0] = inner;
        GNP_NEW(to, gnp_array_view(out, at, 2, rows, strides, j->dtype));
        GNP_TRY(gnp_copy(to, from));
        at += (CUdeviceptr)(rows[1] * gnp_itemsize(a));
        Py_CLEAR(from);
        Py_CLEAR(to);
    }
    ret = 0;
fail:
    Py_XDECREF((PyObject *)from);
    Py_XDECREF((PyObject *)to);
    return ret;
}

/* 1: the usual case, *j is filled; 0: not. Sets no exception. */
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
    j->dtype = (GnpDtype)first->dtype;
    j->axis = (int)axis;
    j->ndim = ndim;
    memcpy(j->shape, gnp_shape(first), (size_t)axis * sizeof *j->shape);
    memcpy(j->shape + axis + new_axis, gnp_shape(first) + axis,
           (size_t)(first->ndim - axis) * sizeof *j->shape);
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

static PyObject *
join(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static GnpSignature signature = GNP_SIGNATURE("join(arrays, axis, new_axis)");
    PyObject *given[3];
    GnpArray *out = NULL; /* owned */
    PyObject *ret = NULL; /* returned */

    GNP_TRY(gnp_args_bind(&signature, args, nargs, kwnames, given));
    if (!(PyTuple_Check(given[0]) || PyList_Check(given[0])) || !PyLong_CheckExact(given[1])) {
        Py_RETURN_NONE;
    }
    Join j = {.array = PySequence_Fast_ITEMS(given[0]),
              .narrays = PySequence_Fast_GET_SIZE(given[0])};
    int64_t axis = PyLong_AsLongLong(given[1]);
    if (axis == -1 && PyErr_Occurred()) {
        return NULL;
    }
    GnpDevice *device;
    GNP_NEW(device, gnp_device_current());
    if (!recognise(&j, axis, given[2] == Py_True) ||
        ((GnpArray *)j.array[0])->device_id != device->id) {
        Py_RETURN_NONE;
    }
    GNP_NEW(out, gnp_array_new(j.ndim, j.shape, j.dtype, 'C'));
    if (out->size > 0) {
        int small = out->size <= SMALL && j.narrays <= PIECES;
        GNP_TRY(small ? join_small(&j, out) : join_large(&j, out));
    }
    ret = Py_NewRef((PyObject *)out);
fail:
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
