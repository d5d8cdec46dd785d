/* _C.sparse_range_count, sparse_range_begins, sparse_range_move, sparse_range_sort: coordinates in
 * any order to compressed rows, by ranges of rows. One pass over memory brings the elements of a
 * range together, in their order, and one block sorts them in shared memory. How many elements of
 * each tile are in each range is counted together with what the caller reads of all coordinates in
 * any case, so that no tile waits for another. */
#include "sparse/sparse_internal.h"

enum { COUNT_BLOCK = 512, BEGINS_BLOCK = 1024, MOVE_BLOCK = 512, SORT_BLOCK = 768 };

/* Whether a block of the current device can have as much shared memory as is needed. */
static PyObject *
sparse_range_fits(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const GnpDevice *device = gnp_device_current();
    if (device == NULL) {
        return NULL;
    }
    const int most = SPARSE_MOVE_BYTES > SPARSE_SORT_BYTES ? SPARSE_MOVE_BYTES : SPARSE_SORT_BYTES;
    return PyBool_FromLong(device->optin_shared_bytes >= most);
}

/* Numbers: elements, rows, columns, bits of a row in its range. */
static PyObject *
sparse_range_count(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_range_count", .narrays = 4, .nnumbers = 4};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 3));
    GnpSpec_sparse_range_count spec = {GNP_SPEC(sparse_range_count), .BLOCK = COUNT_BLOCK};
    status = gnp_sparse_launch(&call, &spec.head,
                               gnp_ceil_div(call.number[0], (int64_t)SPARSE_RANGE_TILE),
                               COUNT_BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Number: tiles. */
static PyObject *
sparse_range_begins(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_range_begins", .narrays = 4, .nnumbers = 1};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GnpSpec_sparse_range_begins spec = {GNP_SPEC(sparse_range_begins), .BLOCK = BEGINS_BLOCK};
    status = gnp_sparse_launch(&call, &spec.head, SPARSE_RANGES / 32, BEGINS_BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: elements, bits of a row in its range, bits of a column. */
static PyObject *
sparse_range_move(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_range_move",
                          .narrays = 6,
                          .nnumbers = 3,
                          .shared_bytes = SPARSE_MOVE_BYTES};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 3));
    GnpSpec_sparse_range_move spec = {
        GNP_SPEC(sparse_range_move),
        .FROM = call.array[2] != NULL ? SPARSE_WORDS : SPARSE_PLACES,
        .ITEMS = SPARSE_RANGE_TILE / MOVE_BLOCK,
        .BLOCK = MOVE_BLOCK,
    };
    status = gnp_sparse_launch(&call, &spec.head,
                               gnp_ceil_div(call.number[0], (int64_t)SPARSE_RANGE_TILE), MOVE_BLOCK,
                               NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* Numbers: rows, bits of a row in its range, bits of a column. */
static PyObject *
sparse_range_sort(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    enum { WORDS, VALUES, RANGES, STATE, BEGINS, FOUND, OUT };
    GnpSparseCall call = {.name = "sparse_range_sort",
                          .narrays = 7,
                          .nnumbers = 3,
                          .shared_bytes = SPARSE_SORT_BYTES};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << VALUES | 1u << OUT));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS | 1u << FOUND));
    GnpSpec_sparse_range_sort spec = {
        GNP_SPEC(sparse_range_sort),
        .S = call.array[VALUES]->dtype,
        .FROM = gnp_itemsize(call.array[VALUES]) == 4 ? SPARSE_WORDS : SPARSE_PLACES,
        .ITEMS = SPARSE_RANGE_MOST / SORT_BLOCK,
        .BLOCK = SORT_BLOCK,
    };
    const int64_t ranges = gnp_ceil_div(call.number[0], (int64_t)1 << call.number[1]);
    status = gnp_sparse_launch(&call, &spec.head, ranges, SORT_BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

#define METHOD(function, arguments, summary)                                                       \
    {#function, (PyCFunction)(void (*)(void))function, METH_FASTCALL,                              \
     #function "($module, " arguments ", /)\n--\n\n" summary}

static PyMethodDef functions[] = {
    {"sparse_range_fits", sparse_range_fits, METH_NOARGS,
     "sparse_range_fits($module, /)\n--\n\n"
     "Return whether blocks can have as much shared memory as the other functions need."},
    METHOD(sparse_range_count, "rows, columns, counts, tiles, n, m, minor, shift",
           "Count as sparse_check_pairs, and the elements of each tile in each range of rows."),
    METHOD(sparse_range_begins, "tiles, starts, begins, counts, ntiles",
           "Write where ranges begin, and the elements of each in the tiles before; counts[3] is\n"
           "the largest range."),
    METHOD(sparse_range_move, "rows, columns, values, starts, begins, words, n, shift, bits",
           "Write words of n elements range by range."),
    METHOD(sparse_range_sort, "words, data, ranges, state, begins, indices, out, m, shift, bits",
           "Write m rows of words that are together in ranges of rows."),
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_ranges_init(PyObject *module)
{
    if (PyModule_AddFunctions(module, functions) < 0 ||
        PyModule_AddIntConstant(module, "SPARSE_RANGES", SPARSE_RANGES) < 0 ||
        PyModule_AddIntConstant(module, "SPARSE_RANGE_TILE", SPARSE_RANGE_TILE) < 0 ||
        PyModule_AddIntConstant(module, "SPARSE_RANGE_MOST", SPARSE_RANGE_MOST) < 0 ||
        PyModule_AddIntConstant(module, "SPARSE_RANGE_BITS", SPARSE_RANGE_BITS) < 0) {
        return -1;
    }
    return PyModule_AddIntConstant(module, "SPARSE_BUCKET_BITS", SPARSE_BUCKET_BITS);
}
