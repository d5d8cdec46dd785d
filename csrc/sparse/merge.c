/* _C.sparse_split, sparse_merge and sparse_merge_rows: an operation of two sparse matrices, element
 * by element. Called by gpunp.scipy.sparse for sums, products and comparisons of two matrices.
 * sparse_split cuts the merged order into tiles of equal work, and sparse_merge computes each tile;
 * sparse_merge_rows takes whole rows of few elements instead. The result has as many elements as
 * both matrices at most, so no pass that only counts is needed. */
#include "sparse/sparse_internal.h"

enum { BLOCK = 128, ITEMS = 8, TILE = BLOCK * ITEMS };

enum {
    BEGINS_A,
    INDICES_A,
    DATA_A,
    BEGINS_B,
    INDICES_B,
    DATA_B,
    SPLITS,
    STATE,
    BEGINS,
    INDICES,
    OUT
};

/* Threads take four elements or a multiple of them. */
static int
check_tile(int64_t tile)
{
    if (tile == TILE || tile == TILE / 2) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "a tile must have %d or %d elements, not %lld", TILE, TILE / 2,
                 (long long)tile);
    return -1;
}

static int
check_lanes(const GnpSparseCall *call)
{
    const int64_t lanes = call->number[3], each = call->number[4];
    if ((lanes == 8 || lanes == 16 || lanes == 32) && (each == 2 || each == 4)) {
        return 0;
    }
    PyErr_Format(
        PyExc_ValueError,
        "a row must have 8, 16 or 32 threads, which have 2 or 4 of them, not %lld and %lld",
        (long long)lanes, (long long)each);
    return -1;
}

/* Numbers: rows, tiles, elements of a tile. A thread per boundary does a binary search, one more
 * for the end. */
static PyObject *
sparse_split(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_split", .narrays = 6, .nnumbers = 3};
    int status = -1;
    GNP_TRY(gnp_sparse_begin(&call, args, nargs));
    GNP_TRY(check_tile(call.number[2]));
    GNP_TRY(gnp_sparse_check_same(&call, 0xf));
    GNP_TRY(gnp_sparse_check_same(&call, 0x30));
    GnpSpec_sparse_split spec = {GNP_SPEC(sparse_split), .I = call.array[0]->dtype,
                                 .TILE = (int)call.number[2], .BLOCK = BLOCK};
    call.nnumbers = 2;
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[1] + 1, (int64_t)BLOCK),
                               BLOCK, NULL, NULL);
fail:
    return gnp_sparse_end(&call, status);
}

/* What write_operation needs; the ufunc's row lives as long as the process. */
typedef struct {
    const GnpUfuncRow *row;
    GnpDtype computed;
} Operation;

/* Called with the GIL when a kernel for this operation and these types is new. Half types are
 * computed in float, as everywhere (Compute). */
static int
write_operation(GnpKernelText *text, const void *context)
{
    const Operation *operation = context;
    text->header = gnp_op_header(&operation->row->op, gnp_dtypes[operation->computed].cls == 'c');
    gnp_text_add(&text->code,
                 "GNP_FN Compute<R> op(Compute<T> a, Compute<T> b) { return (Compute<R>)(%s); }\n",
                 operation->row->op.expression);
    gnp_text_add(&text->name, "sparse_merge_%s", operation->row->op.name);
    return 0;
}

/* The loop's types of the operation: both inputs have one. A loop with different input types
 * would need two kinds of zeros, so it is refused. `types` is an array whose dtype says what the
 * ufunc's rules gave for the two matrices. */
static int
find_operation(PyObject *object, PyObject *types, Operation *operation, int *result)
{
    GnpLoop loop;
    const GnpArray *computed = (const GnpArray *)types;
    if (Py_TYPE(object) != gnp_ufunc_type || !gnp_array_check(types)) {
        PyErr_SetString(PyExc_TypeError, "sparse_merge: expected a ufunc, then arrays");
        return -1;
    }
    operation->row = ((GnpUfunc *)object)->row;
    operation->computed = (GnpDtype)computed->dtype;
    if (operation->row->op.nin != 2 ||
        !gnp_loop_of_type(operation->row, operation->computed, &loop) ||
        loop.dtype[0] != loop.dtype[1]) {
        PyErr_SetString(PyExc_TypeError, "sparse_merge: the ufunc has no such loop");
        return -1;
    }
    operation->computed = (GnpDtype)loop.dtype[0];
    *result = loop.dtype[2];
    return 0;
}

PyDoc_STRVAR(sparse_merge_doc,
             "sparse_merge($module, operation, like, begins_a, indices_a, data_a, begins_b,\n"
             "             indices_b, data_b, splits, state, begins, indices, out, rows, size,\n"
             "             duplicates, tile, /)\n--\n\n"
             "Write the results; `like` has the type to compute in. `state` has a zero for each\n"
             "tile and one more; the last but one becomes their number and 1 << 63.");

/* Numbers: rows, elements of both, whether some have the same place, elements of a tile. */
static PyObject *
sparse_merge(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    GnpSparseCall call = {.name = "sparse_merge", .narrays = 11, .nnumbers = 4};
    Operation operation = {NULL, GNP_NO_DTYPE};
    int status = -1, result = GNP_NO_DTYPE;
    /* The rest is counted by gnp_sparse_begin. */
    if (nargs < 2) {
        PyErr_SetString(PyExc_TypeError, "sparse_merge takes 17 arguments");
        return NULL;
    }
    GNP_TRY(find_operation(args[0], args[1], &operation, &result));
    GNP_TRY(gnp_sparse_begin(&call, args + 2, nargs - 2));
    const int64_t tile = call.number[3];
    GNP_TRY(check_tile(tile));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS_A | 1u << INDICES_A | 1u << BEGINS_B |
                                             1u << INDICES_B));
    /* The two matrices may have values of different types, which are converted as they are read. */
    GNP_TRY(gnp_sparse_check_same(&call, 1u << SPLITS | 1u << STATE));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA_A));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA_B));
    GnpSpec_sparse_merge spec = {
        GNP_SPEC(sparse_merge),
        /* The row's address identifies the operation in the kernel's key. */
        .head.code = (uint64_t)(uintptr_t)operation.row,
        .I = call.array[BEGINS_A]->dtype,
        .J = gnp_sparse_dtype(&call, INDICES, GNP_I32),
        .SA = call.array[DATA_A]->dtype,
        .SB = call.array[DATA_B]->dtype,
        .T = operation.computed,
        .R = gnp_sparse_dtype(&call, OUT, (GnpDtype)result),
        .DUPLICATES = call.number[2] != 0,
        .ITEMS = (int)(tile / BLOCK),
        .BLOCK = BLOCK,
    };
    /* The kernel needs only the number of rows; the other numbers are knobs or sizes. */
    call.nnumbers = 1;
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(call.number[1], tile), BLOCK,
                               write_operation, &operation);
fail:
    return gnp_sparse_end(&call, status);
}

enum { ROWS_BLOCK = 512 };

PyDoc_STRVAR(sparse_merge_rows_doc,
             "sparse_merge_rows($module, operation, like, begins_a, indices_a, data_a, begins_b,\n"
             "                  indices_b, data_b, state, begins, indices, out, rows, columns,\n"
             "                  duplicates, lanes, each, /)\n--\n\n"
             "Write the results, where no row has more than `lanes` elements of both matrices:\n"
             "8, 16 or 32. `state` has a zero for each SPARSE_MERGE_THREADS / lanes * each rows,\n"
             "and one more; the last but one becomes their number and 1 << 63.");

/* Numbers: rows, columns, whether some have the same place, threads of a row, and how many rows
 * they have in turn, whose values stay in registers. */
static PyObject *
sparse_merge_rows(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    enum { ROWS_STATE = 6, ROWS_BEGINS, ROWS_INDICES, ROWS_OUT };
    GnpSparseCall call = {.name = "sparse_merge_rows", .narrays = 10, .nnumbers = 5};
    Operation operation = {NULL, GNP_NO_DTYPE};
    int status = -1, result = GNP_NO_DTYPE;
    if (nargs < 2) {
        PyErr_SetString(PyExc_TypeError, "sparse_merge_rows takes 17 arguments");
        return NULL;
    }
    GNP_TRY(find_operation(args[0], args[1], &operation, &result));
    GNP_TRY(gnp_sparse_begin(&call, args + 2, nargs - 2));
    GNP_TRY(check_lanes(&call));
    const int64_t rows = call.number[0], lanes = call.number[3], each = call.number[4];
    GNP_TRY(gnp_sparse_check_same(&call, 1u << BEGINS_A | 1u << INDICES_A | 1u << BEGINS_B |
                                             1u << INDICES_B));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA_A));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << DATA_B));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << ROWS_STATE));
    GNP_TRY(gnp_sparse_check_same(&call, 1u << ROWS_BEGINS | 1u << ROWS_INDICES));
    GnpSpec_sparse_merge_rows spec = {
        GNP_SPEC(sparse_merge_rows),
        .head.code = (uint64_t)(uintptr_t)operation.row,
        .I = call.array[BEGINS_A]->dtype,
        .J = call.array[ROWS_INDICES]->dtype,
        /* A key has a column and a place of 5 bits, and is not all ones. */
        .Key = call.number[1] < (int64_t)1 << 27 ? 4 : 8,
        .SA = call.array[DATA_A]->dtype,
        .SB = call.array[DATA_B]->dtype,
        .T = operation.computed,
        .R = gnp_sparse_dtype(&call, ROWS_OUT, (GnpDtype)result),
        .DUPLICATES = call.number[2] != 0,
        .LANES = (int)lanes,
        .EACH = (int)each,
        .BLOCK = ROWS_BLOCK,
    };
    call.nnumbers = 1;
    status = gnp_sparse_launch(&call, &spec.head, gnp_ceil_div(rows, ROWS_BLOCK / lanes * each),
                               ROWS_BLOCK, write_operation, &operation);
fail:
    return gnp_sparse_end(&call, status);
}

static PyMethodDef functions[] = {
    {"sparse_split", (PyCFunction)(void (*)(void))sparse_split, METH_FASTCALL,
     "sparse_split($module, begins_a, indices_a, begins_b, indices_b, splits, state, rows,\n"
     "             tiles, tile, /)\n"
     "--\n\nWrite where the tiles of sparse_merge begin: two numbers for each, and for the end; "
     "and\n"
     "zeros into `state`."},
    {"sparse_merge", (PyCFunction)(void (*)(void))sparse_merge, METH_FASTCALL, sparse_merge_doc},
    {"sparse_merge_rows", (PyCFunction)(void (*)(void))sparse_merge_rows, METH_FASTCALL,
     sparse_merge_rows_doc},
    {NULL, NULL, 0, NULL},
};

int
gnp_sparse_merge_init(PyObject *module)
{
    return PyModule_AddFunctions(module, functions) < 0 ||
                   PyModule_AddIntConstant(module, "SPARSE_MERGE_THREADS", ROWS_BLOCK) < 0
               ? -1
               : PyModule_AddIntConstant(module, "SPARSE_MERGE_TILE", TILE);
}
